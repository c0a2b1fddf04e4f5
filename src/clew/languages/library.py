"""The library of a language, as far as resolution of calls needs it: plain data."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from clew.languages.member_names import PassedValue

# Elements that a method of a container passes to the function that it takes, each by its place.
FIRST, SECOND = (PassedValue(0, 0),), (PassedValue(1, 0),)
BOTH = FIRST + SECOND


@dataclass(frozen=True, slots=True)
class Library:
    """The names that come with a language, and the methods of its containers."""

    names: Mapping[str, str] = field(default_factory=dict)  # without an import, each with its external id
    types_from: str | None = None  # the package of types that no file binds; if unknown, they stay unresolved
    members: Mapping[str, str] = field(default_factory=dict)  # of every object, each with its external id
    everything: str = ""  # every object has the extensions of this type
    universal: frozenset[str] = frozenset()  # types of every object: they do not restrict its members
    methods: frozenset[str] = frozenset()  # of its types: an unknown receiver with such a method may be one of them
    method_families: re.Pattern[str] | None = None  # the beginnings of more of them
    giving: frozenset[str] = frozenset()  # methods of containers that give an element
    same: frozenset[str] = frozenset()  # that give a container of the same elements
    lending: Mapping[str, tuple[PassedValue, ...]] = field(default_factory=dict)  # that pass elements to a function
    container_members: frozenset[str] = frozenset()  # all that containers have; none: unknown
    container_prefix: str = ""  # of the external ids of their methods, if those do not name the container
    common_members: frozenset[str] = frozenset()  # so common that they say nothing of an unknown receiver
    vague_results: tuple[
        tuple[tuple[str, ...], frozenset[str]], ...
    ] = ()  # by prefixes: methods that may give anything

    def has_method(self, name: str) -> bool:
        """Whether one of its types has a method of a name."""
        return name in self.methods or (self.method_families is not None and bool(self.method_families.match(name)))


def full_names(prefix: str, names: str) -> Mapping[str, str]:
    return {name: f"{prefix}{name}" for name in names.split()}


def paired_names(prefix: str, names: str) -> Mapping[str, str]:
    """Of `word Type` pairs: both mean the type."""
    words, types = names.split()[::2], names.split()[1::2]
    return {
        name: f"{prefix}{type_}" for name, type_ in (*zip(words, types, strict=True), *zip(types, types, strict=True))
    }


def full_members(table: Mapping[str, str]) -> Mapping[str, str]:
    """Members by name, of a table of types with their members."""
    return {member: f"{holder}.{member}" for holder, members in table.items() for member in members.split()}
