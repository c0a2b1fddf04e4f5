"""C#: the namespaces that a file uses, by its own directives and by its project's global ones."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from clew.index.modules.source_tree import SourceTree, folder_of
from clew.index.resolve.cross_file_scope import CrossFileScope
from clew.index.resolve.recorded_inputs import entries_starting
from clew.index.resolve.source_index import SourceIndex

_EVERYWHERE = "csharp using "  # and a project: what its files say for all of them, among what a tree shares
_ROOT = "global::"  # before a name that is told from the root on
_PROJECT = ".csproj"
_NO_PROJECT = ""


def used_everywhere(tree: SourceIndex, paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """`global using`, by project, in the order of files."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for path in paths:
        if said := tree.facts(path).exports:
            found[f"{_EVERYWHERE}{_project(tree.world, folder_of(path))}"] |= dict.fromkeys(
                one.removeprefix(_ROOT) for one in said
            )
    return {key: tuple(namespaces) for key, namespaces in found.items()}


class Usings:
    def __init__(self, scope: CrossFileScope) -> None:
        self._tree = scope.tree
        self._used: dict[str, tuple[str, ...]] = {}
        self._shared: dict[str, list[str]] = {}  # by folder
        said = entries_starting(scope.common, _EVERYWHERE)
        self._by_project = {project.removeprefix(_EVERYWHERE): one for project, one in said.items()}

    def of(self, path: str) -> tuple[str, ...]:
        """By their full names, the file's own first."""
        found = self._used.get(path)
        if found is None:
            facts, folder = self._tree.facts(path), folder_of(path)
            if folder not in self._shared:
                self._shared[folder] = list(self._of_project(folder))
            own = [self._full(facts.package, used) for used in facts.stars]
            found = self._used[path] = tuple(dict.fromkeys([*own, *self._shared[folder]]))
        return found

    def members(self, path: str, name: str) -> list[tuple[str, str, str]]:
        """Members of `using static Shop.Cards`: path, scope and name of each."""
        packages, found = self._tree.world.packages, []
        for used in self.of(path):
            namespace, _, type_ = used.rpartition(".")
            if ("csharp", used) not in packages:
                files = packages.get(("csharp", namespace), ())
                found += [(file, type_, name) for file in files if name in self._tree.scope_bindings(file, type_)]
        return found

    def _of_project(self, folder: str) -> Iterator[str]:
        """Files outside of any project may belong to each, so their directives hold for all, and all for them."""
        own = _project(self._tree.world, folder) if self._by_project else _NO_PROJECT
        for project, said in self._by_project.items():
            if project in (own, _NO_PROJECT) or own == _NO_PROJECT:
                yield from said

    def _full(self, namespace: str, used: str) -> str:
        """A name used inside a namespace (`.Cards`) may be relative to it, or to an enclosing one."""
        name = used.removeprefix(".").removeprefix(_ROOT)
        while namespace and used == f".{name}":
            if ("csharp", full := f"{namespace}.{name}") in self._tree.world.packages:
                return full
            namespace = namespace.rpartition(".")[0]
        return name


def _project(world: SourceTree, folder: str) -> str:
    """The nearest folder that has a project's file, with a slash behind it."""
    while not any(file.endswith(_PROJECT) for file in world.folders.get(folder, ())):
        if not folder:
            return _NO_PROJECT
        folder = folder_of(folder)
    return f"{folder}/"
