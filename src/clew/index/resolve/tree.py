"""The tree as it is written: which file a module is, what a class inherits, in what order. Nothing here grows."""

from collections.abc import Callable, Mapping, Sequence

from clew.index.edges.habits import is_test_path
from clew.index.facts import Attr, Def, Facts, Free, Name, Ref, Result, Value
from clew.index.modules import World, files_of
from clew.index.modules.world import folder_of
from clew.index.resolve.builtins import BUILTINS
from clew.index.resolve.sharing import shared
from clew.index.resolve.things import Sort, Thing, Things
from clew.model.words import Kind

DEEPEST = 40  # steps from name to name until a base is found
_CLASSES = frozenset({Kind.CLASS.value, Kind.INTERFACE.value})


class Tree:
    """`facts` gives what a path says; it is asked often, and only for what is needed."""

    def __init__(
        self, world: World, facts: Callable[[str], Facts], languages: Mapping[str, str], things: Things
    ) -> None:
        self.world = world
        self.things = things
        self.facts = facts
        self._languages = languages
        self._modules: dict[tuple[str, str, str], tuple[str, ...]] = {}
        self._tests: dict[str, bool] = {}
        self._orders: dict[Thing, tuple[Thing, ...]] = {}
        self._folders = frozenset(part for folder in world.folders for part in folder.split("/"))

    def is_test(self, path: str) -> bool:
        found = self._tests.get(path)
        if found is None:
            found = self._tests[path] = is_test_path(path)
        return found

    def language(self, path: str) -> str:
        return self._languages.get(path, "")

    def files(self, path: str, module: str) -> tuple[str, ...]:
        """The files that a module's name stands for, seen from a path."""
        language = self.language(path)
        key = language, folder_of(path), module
        found = self._modules.get(key)
        if found is None:
            found = self._modules[key] = tuple(files_of(self.world, language, path, module))
        return found

    def defined(self, path: str, scope: str) -> Thing:
        kind = self.facts(path).kinds.get(scope)
        return self.things.thing(Sort.CLASS if kind in _CLASSES else Sort.FUNCTION, path, scope)

    def outside(self, name: str) -> Thing:
        return self.things.thing(Sort.OUTSIDE, name)

    def holder(self, path: str, name: str) -> tuple[str, str] | str | None:
        """Where a module's member is bound: path and name; or the file that is the member; or none.

        A name that the file does not bind comes from a star, or is a module inside of the package.
        """
        return self._holder(path, name, set())

    def _holder(self, path: str, name: str, seen: set[str]) -> tuple[str, str] | str | None:
        if path in seen:
            return None
        seen.add(path)
        facts = self.facts(path)
        if name in facts.names.get("", {}):
            return path, name
        for module in facts.stars:
            for file in self.files(path, module):
                found = self._holder(file, name, seen) if self._offers(file, name) else None
                if found is not None:
                    return found
        if path.rpartition("/")[2].startswith("__init__.py"):
            for file in self.files(path, f".{name}"):
                return file
        return None

    def _offers(self, path: str, name: str) -> bool:
        exports = self.facts(path).exports
        return name in exports if exports else not name.startswith("_")

    def imported(self, path: str, module: str, name: str) -> tuple[str, str] | str | Thing | None:
        """What an import brings in: as `holder` tells it, or something outside."""
        files = self.files(path, module)
        if not name:
            return files[0] if files else self._absent(path, module)
        for file in files:  # `from . import x` in a package's own file brings the module x
            if file != path and (found := self.holder(file, name)):
                return found
        inner = self.files(path, member_of(module, name))
        if inner:
            return inner[0]
        return None if files else self.outside(member_of(module, name))

    def _absent(self, path: str, module: str) -> Thing:
        """A module that is no file: outside, unless it may be a folder of files, seen from where it was imported."""
        is_folder = module.lstrip(".").partition(".")[0] in self._folders
        return self.things.thing(Sort.OUTSIDE, module, "", path if is_folder else "")

    def free(self, path: str, name: str) -> tuple[str, str] | str | Thing | None:
        """A name that its file does not bind: of a star import, of the package, built in."""
        facts = self.facts(path)
        for module in facts.stars:
            for file in self.files(path, module):
                if self._offers(file, name) and (found := self.holder(file, name)):
                    return found
        for file in shared(self.world, self.language(path), path, facts):
            if name in self.facts(file).names.get("", {}):
                return file, name
        if name in BUILTINS.get(self.language(path), ()):
            return self.outside(f"builtins.{name}")
        unknown = [module for module in facts.stars if not self.files(path, module)]
        return self.outside(f"{unknown[0]}.{name}") if len(unknown) == 1 else None

    def order(self, one: Thing) -> tuple[Thing, ...]:
        """A class and all that it inherits from, in the order in which members are looked up."""
        found = self._orders.get(one)
        if found is None:
            self._orders[one] = (one,)  # for those that inherit from themselves
            found = self._orders[one] = self._linear(one)
        return found

    def _linear(self, one: Thing) -> tuple[Thing, ...]:
        if one.sort is not Sort.CLASS:
            return (one,)
        bases = self.bases(one)
        lines = [list(self.order(base)) for base in bases] + [list(bases)]
        return (one, *_merged(lines))

    def bases(self, one: Thing) -> list[Thing]:
        facts = self.facts(one.path)
        values = (*facts.bases.get(one.scope, ()), *facts.implements.get(one.scope, ()))
        found = [thing for value in values for thing in self.static(one.path, value)]
        wanted = [t for t in found if t.sort in (Sort.CLASS, Sort.OUTSIDE) and t.path != "builtins.object"]
        return [thing for thing in dict.fromkeys(wanted) if thing is not one]

    def static(self, path: str, value: Value, depth: int = 0) -> list[Thing]:
        """What a value is by its names alone, without what flows through calls."""
        if depth > DEEPEST:
            return []
        match value:
            case Def(scope):
                return [self.defined(path, scope)]
            case Name(scope, name):
                values = self.facts(path).names.get(scope, {}).get(name, ())
                return [thing for one in values for thing in self.static(path, one, depth + 1)]
            case Free(name):
                return self._at(self.free(path, name), depth)
            case Ref(module, name):
                return self._at(self.imported(path, module, name), depth)
            case Attr(of, name):
                return [found for one in self.static(path, of, depth + 1) for found in self._member(one, name, depth)]
            case Result(number):
                return self._made(path, number, depth)
        return []

    def _at(self, where: tuple[str, str] | str | Thing | None, depth: int) -> list[Thing]:
        if isinstance(where, tuple):
            return self.static(where[0], Name("", where[1]), depth + 1)
        if isinstance(where, str):
            return [self.things.thing(Sort.MODULE, where)]
        return [where] if where is not None else []

    def _member(self, one: Thing, name: str, depth: int) -> list[Thing]:
        if one.sort is Sort.MODULE:
            return self._at(self.holder(one.path, name), depth)
        if one.sort is Sort.OUTSIDE:
            return [self.outside(f"{one.path}.{name}")]
        if one.sort is Sort.CLASS:
            names = self.facts(one.path).names.get(one.scope, {})
            return [thing for value in names.get(name, ()) for thing in self.static(one.path, value, depth + 1)]
        return []

    def _made(self, path: str, number: int, depth: int) -> list[Thing]:
        """A decorated class is still that class; what something outside makes is outside."""
        call = self.facts(path).calls[number]
        if call.written.startswith("@") and call.args:
            return [thing for value in call.args[0] for thing in self.static(path, value, depth + 1)]
        callees = [thing for value in call.callee for thing in self.static(path, value, depth + 1)]
        return [thing for thing in callees if thing.sort is Sort.OUTSIDE]


def member_of(module: str, name: str) -> str:
    return f"{module}{name}" if module.endswith(".") else f"{module}.{name}"


def _merged(lines: Sequence[list[Thing]]) -> list[Thing]:
    """C3; where it fails, from left to right."""
    left = [list(line) for line in lines if line]
    found: list[Thing] = []
    while left:
        heads = [line[0] for line in left]
        head = next((h for h in heads if not any(h in line[1:] for line in left)), None)
        if head is None:
            return list(dict.fromkeys([*found, *(one for line in lines for one in line)]))
        found.append(head)
        left = [rest for line in left if (rest := [one for one in line if one is not head])]
    return found
