"""Source sets of Kotlin's multiplatform projects: code in `src/jvmMain` is not visible from `src/jsMain`."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from clew.index.resolve.abstract_values import AbstractValue, Place
from clew.index.resolve.implementations import has_definition
from clew.index.resolve.program import Program
from clew.index.resolve.source_index import CLASSES, SourceIndex
from clew.model.code import symbol_id

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


def platform_implementations(tree: Program, method: AbstractValue) -> list[str]:
    """The platform implementations of an `expect` declaration: the same name, in another file of the
    package."""
    files = tree.world.packages.get(("kotlin", tree.facts(method.path).package), ())
    scope = method.scope.partition("#")[0]
    return [symbol_id(file, scope) for file in files if file != method.path and has_definition(tree, file, scope)]
