"""Which files' names a file sees without importing each, the nearest first; language by language."""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from clew.index.modules.source_tree import folder_of
from clew.index.resolve.abstract_values import AbstractValue, Place
from clew.index.resolve.source_index import CLASSES, SourceIndex

# Source sets of Kotlin's multiplatform projects: code in `src/jvmMain` is not visible from `src/jsMain`.

COMMON = "common"
_PLATFORMS = frozenset("jvm js native android ios macos linux mingw wasm wasmJs wasmWasi desktop apple".split())
_PLACE = re.compile(r"(?:(.*)/)?src/([a-z]\w*?)(?:Main|Test)/")


class SourceSet(NamedTuple):
    root: str
    target: str


def set_of(path: str) -> SourceSet | None:
    """The source set of a file, if its visibility depends on that."""
    found = _PLACE.match(path) if path.endswith(".kt") else None
    is_known = found is not None and found[2] in (COMMON, *_PLATFORMS)
    return SourceSet(found[1] or "", found[2]) if found and is_known else None


def visible_files(own: SourceSet, files: Iterable[str]) -> list[str]:
    """Without those of other platforms."""
    return [file for file in files if not _is_of_another(own, set_of(file))]


def _is_of_another(own: SourceSet, its: SourceSet | None) -> bool:
    return its is not None and its.root == own.root and its.target not in (own.target, COMMON)


def visible_definitions(
    tree: SourceIndex, path: str, places: list[Place | AbstractValue]
) -> list[Place | AbstractValue]:
    """The definitions of one name that a file sees; an expected declaration only if its platform has no
    implementation."""
    own = set_of(path) if len(places) > 1 else None
    if own is None:
        return places
    plain = [one for one in places if isinstance(one, tuple)]
    near = [one for one in plain if not _is_of_another(own, set_of(one[0]))]
    has_own = own.target != COMMON and any(set_of(one[0]) == own for one in near)
    found = [one for one in near if not (has_own and set_of(one[0]) != own and _is_expected(tree, *one))]
    return [one for one in places if one in found or not isinstance(one, tuple)] or places


def _is_expected(tree: SourceIndex, path: str, scope: str, name: str) -> bool:
    """Whether common code only declares it, or it is a class, of which a package has but one by a name."""
    facts = tree.facts(path)
    return not scope and (name in facts.declared or facts.kinds.get(name) in CLASSES)


Tier = tuple[Hashable, Sequence[str]]  # what the group goes by, and its files
Visible = Callable[[SourceIndex, str], Iterator[Tier]]

TAKEN = "taken"  # the group of what a file includes
_JVM = ("java", "kotlin", "scala")


def _go(tree: SourceIndex, path: str) -> Iterator[Tier]:
    yield _go_package(tree, path)


def _go_package(tree: SourceIndex, path: str) -> Tier:
    """The files of a folder that say so; of its tests only as seen from one."""
    package, is_test = tree.facts(path).package, path.endswith("_test.go")
    files = [file for file in tree.world.folders.get(folder_of(path), ()) if file.endswith(".go")]
    seen = [file for file in files if is_test or not file.endswith("_test.go")]
    return ("go", folder_of(path), package, is_test), [file for file in seen if tree.facts(file).package == package]


def _jvm(tree: SourceIndex, path: str) -> Iterator[Tier]:
    """The package; in Scala those around it too, and in the object of one, that."""
    package = package_of_object(tree, path) or tree.facts(path).package
    if not package:
        yield _jvm_package(tree, path)
    own = set_of(path)
    while package:
        files = of_jvm(tree, package)
        yield (("jvm", package, own), visible_files(own, files)) if own else (("jvm", package), files)
        package = package.rpartition(".")[0] if tree.language(path) == "scala" else ""


def package_of_object(tree: SourceIndex, path: str) -> str:
    """The package of a Scala file's package object: by convention, `package.scala` in the package's folder."""
    folder, _, file = path.rpartition("/")
    last = folder.rpartition("/")[2]
    if file != "package.scala" or last not in tree.facts(path).kinds:
        return ""
    around = tree.facts(path).package
    return f"{around}.{last}" if around else last


def _jvm_package(tree: SourceIndex, path: str) -> Tier:
    """A package; without a name, it is all files of the folder that say none."""
    package = tree.facts(path).package
    if not package:
        files = [file for file in tree.world.folders.get(folder_of(path), ()) if tree.family(file) == "jvm"]
        return ("jvm", "", folder_of(path)), [file for file in files if not tree.facts(file).package]
    return ("jvm", package), of_jvm(tree, package)


def of_jvm(tree: SourceIndex, package: str) -> list[str]:
    """The files of a package; none, if there is none of this name."""
    return [file for language in _JVM for file in tree.world.packages.get((language, package), ())]


def _csharp_namespace(tree: SourceIndex, path: str) -> Tier:
    package = tree.facts(path).package
    return ("csharp", package), tree.world.packages.get(("csharp", package), (path,))


def _csharp(tree: SourceIndex, path: str) -> Iterator[Tier]:
    """The namespace and those around it."""
    package, packages = tree.facts(path).package, tree.world.packages
    while package:
        yield ("csharp", package), packages.get(("csharp", package), ())
        package = package.rpartition(".")[0]


def _php(tree: SourceIndex, path: str) -> Iterator[Tier]:
    package = tree.facts(path).package
    yield ("php", package), tree.world.packages.get(("php", package), ())


def _swift_module(tree: SourceIndex, path: str) -> Tier:
    files = tree.files(path, "") or (path,)
    return ("swift", files[0]), files


def _swift(tree: SourceIndex, path: str) -> Iterator[Tier]:
    """The module, then those that are imported."""
    for module in ("", *tree.facts(path).stars):
        if files := tree.files(path, module):
            yield ("swift", files[0]), files


def _included_tiers(tree: SourceIndex, path: str) -> Iterator[Tier]:
    """Included or sourced files, transitively."""
    yield (TAKEN, path), tree.included_files(path)


def representative_file(tree: SourceIndex, files: Sequence[str]) -> str:
    """The file that stands for a module of several. Tests of Go that stand outside of a package are not of it; its own
    tests are among the files where one of those asks, and only they see all that is meant for it.
    """
    if tree.family(files[0]) != "go":
        return files[0]
    own = [file for file in files if not tree.facts(file).package.endswith("_test")]
    return next((file for file in own if file.endswith("_test.go")), (own or files)[0])


# Where a module is more than a file: all the files of the one that a file is in.
PACKAGED: Mapping[str, Callable[[SourceIndex, str], Tier]] = {
    "go": _go_package,
    "jvm": _jvm_package,
    "csharp": _csharp_namespace,
    "swift": _swift_module,
}
VISIBLE: Mapping[str, Visible] = {
    "go": _go,
    "jvm": _jvm,
    "csharp": _csharp,
    "php": _php,
    "swift": _swift,
    "c": _included_tiers,
    "bash": _included_tiers,
}


class Tiers(dict[str, list[Tier]]):
    """The visible files of each path, cached; groups are shared."""

    def __init__(self, tree: SourceIndex) -> None:
        self._tree = tree
        self._groups: dict[Hashable, Sequence[str]] = {}

    def __missing__(self, path: str) -> list[Tier]:
        family, groups = self._tree.family(path), self._groups
        tiers = VISIBLE[family](self._tree, path) if family in VISIBLE else ()
        found = self[path] = [(key, groups.setdefault(key, files)) for key, files in tiers]
        return found
