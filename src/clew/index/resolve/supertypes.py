"""Supertypes of the types in Kotlin's library, so that an extension of a collection applies to every list. Likewise
for other languages."""

from collections.abc import Iterator, Sequence

from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.part_index import Part
from clew.index.resolve.preludes import EVERYTHING, PACKAGE_ROOTS
from clew.index.resolve.program import Program

_ABOVE = {
    "MutableList": "List MutableCollection Collection MutableIterable Iterable",
    "ArrayList": "MutableList List MutableCollection Collection MutableIterable Iterable",
    "List": "Collection Iterable",
    "MutableSet": "Set MutableCollection Collection MutableIterable Iterable",
    "HashSet": "MutableSet Set MutableCollection Collection MutableIterable Iterable",
    "LinkedHashSet": "MutableSet Set MutableCollection Collection MutableIterable Iterable",
    "Set": "Collection Iterable",
    "MutableCollection": "Collection MutableIterable Iterable",
    "Collection": "Iterable",
    "MutableMap": "Map",
    "HashMap": "MutableMap Map",
    "LinkedHashMap": "MutableMap Map",
    "String": "CharSequence Comparable",
    "StringBuilder": "CharSequence Appendable",
    **dict.fromkeys("Int Long Short Byte Double Float".split(), "Number Comparable"),
}
_TARGETS = {
    "std::String": "std::str",
    "std::string::String": "std::str",
    "std::path::PathBuf": "std::path::Path",
    "std::ffi::OsString": "std::ffi::OsStr",
    "std::ffi::CString": "std::ffi::CStr",
}  # what can be taken for what, in Rust
_OWN = ("kotlin.", "java.util.", "java.lang.")
_ROOT = EVERYTHING["kotlin"]


def supertypes(path: str) -> list[str]:
    """The Kotlin supertypes of an external type, by its full name; for Rust, its deref target."""
    if path in _TARGETS:
        return [_TARGETS[path]]
    package, _, name = path.rpartition(".")
    above = [f"kotlin.{one}" for one in _ABOVE.get(name, "").split()] if f"{package}." in _OWN else []
    above += [f"kotlin.{name}"] if package in ("java.util", "java.lang") else []
    is_of_jvm = path.partition(".")[0] in PACKAGE_ROOTS and path != _ROOT
    return [*above, _ROOT] if is_of_jvm else []


def conforming_protocols(tree: Program, parts: Sequence[Part], name: str) -> Iterator[AbstractValue]:
    """The protocols that Swift's extensions of a type say it is of, of those that have a member."""
    for path, scope in parts:
        facts = tree.facts(path)
        for value in (*facts.bases.get(scope, ()), *facts.implements.get(scope, ())):
            for one in tree.static(path, value):
                if one.kind == value_kinds.CLASS and any(
                    upper.kind == value_kinds.CLASS and tree.members(upper, name) for upper in tree.order(one)
                ):
                    yield one
