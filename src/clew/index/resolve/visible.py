"""Which files' names a file sees without importing each, the nearest first; language by language."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from clew.index.modules.world import folder_of

if TYPE_CHECKING:
    from clew.index.resolve.tree import Tree

Tier = tuple[Hashable, Sequence[str]]  # what the group goes by, and its files
Visible = Callable[["Tree", str], Iterator[Tier]]

TAKEN = "taken"  # the group of what a file includes
_JVM = ("java", "kotlin", "scala")


def _go(tree: "Tree", path: str) -> Iterator[Tier]:
    """The package: the files of a folder that say so; of its tests only as seen from one."""
    package, is_test = tree.facts(path).package, path.endswith("_test.go")
    yield ("go", folder_of(path), package, is_test), go_package(tree, path, package, is_test=is_test)


def go_package(tree: "Tree", path: str, package: str, *, is_test: bool) -> list[str]:
    files = [file for file in tree.world.folders.get(folder_of(path), ()) if file.endswith(".go")]
    seen = [file for file in files if is_test or not file.endswith("_test.go")]
    return [file for file in seen if tree.facts(file).package == package]


def _jvm(tree: "Tree", path: str) -> Iterator[Tier]:
    """The package; in Scala those around it too."""
    package = tree.facts(path).package
    if not package:
        files = [file for file in tree.world.folders.get(folder_of(path), ()) if tree.family(file) == "jvm"]
        yield ("jvm", "", folder_of(path)), [file for file in files if not tree.facts(file).package]
    while package:
        yield ("jvm", package), jvm_package(tree, package)
        package = package.rpartition(".")[0] if tree.language(path) == "scala" else ""


def jvm_package(tree: "Tree", package: str) -> list[str]:
    return [file for language in _JVM for file in tree.world.packages.get((language, package), ())]


def _csharp(tree: "Tree", path: str) -> Iterator[Tier]:
    """The namespace and those around it, then what is used."""
    facts = tree.facts(path)
    package, packages = facts.package, tree.world.packages
    while package:
        yield ("csharp", package), packages.get(("csharp", package), ())
        package = package.rpartition(".")[0]
    for used in facts.stars:
        for name in (used, f"{facts.package}.{used}"):
            yield ("csharp", name), packages.get(("csharp", name), ())


def _php(tree: "Tree", path: str) -> Iterator[Tier]:
    package = tree.facts(path).package
    yield ("php", package), tree.world.packages.get(("php", package), ())


def _swift(tree: "Tree", path: str) -> Iterator[Tier]:
    """The module, then those that are imported."""
    for module in ("", *tree.facts(path).stars):
        if files := tree.files(path, module):
            yield ("swift", files[0]), files


def _taken(tree: "Tree", path: str) -> Iterator[Tier]:
    """What includes or sources bring in, all the way down."""
    yield (TAKEN, path), tree.taken(path)


def taken(tree: "Tree", path: str) -> list[str]:
    found, todo = {path: None}, [path]
    while todo:
        here = todo.pop()
        for module in tree.facts(here).stars:
            new = [file for file in tree.files(here, module) if file not in found]
            found |= dict.fromkeys(new)
            todo += new
    return list(found)[1:]


VISIBLE: Mapping[str, Visible] = {
    "go": _go,
    "jvm": _jvm,
    "csharp": _csharp,
    "php": _php,
    "swift": _swift,
    "c": _taken,
    "bash": _taken,
}
