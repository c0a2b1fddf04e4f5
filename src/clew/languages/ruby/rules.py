"""Resolution of names in Ruby."""

from collections.abc import Iterator, Mapping, Sequence

from clew.index.facts import CallFact, Facts
from clew.index.resolve.abstract_values import AbstractValue, Found, Place
from clew.index.resolve.evaluator import Evaluator
from clew.index.resolve.language_rules import LanguageRules
from clew.index.resolve.member_lookup import DeclaredMembers
from clew.index.resolve.program import Program
from clew.index.resolve.resolved_call import Targets
from clew.index.resolve.shared_names import constants
from clew.index.resolve.solver import PointsToSet
from clew.index.resolve.source_index import Part, SourceIndex
from clew.index.resolve.value_sets import PlainKey
from clew.languages.ruby import members as ruby_members
from clew.languages.ruby.library import ALSO_MEMBERS, LIBRARY

_ELEMENT = "_."  # the receiver of a call on an element, as facts state it


class RubyRules(LanguageRules):
    language = "ruby"
    family = ruby_members.FAMILY
    library = LIBRARY
    implied_calls = True
    reads_containers = True
    inherits_constructors = True
    inherits_types = True
    untyped = True
    methods_apart = True
    static_apart = True
    bare_members = True
    reads_are_fields = True
    reopens_classes = True
    constructor_methods = True
    constructors_outside = False  # a module that is mixed in from outside has none

    def shared_names(self, facts: Facts) -> Iterator[tuple[str, str]]:
        return constants(facts)

    def shared_definitions(self, tree: SourceIndex, path: str, places: Sequence[Place]) -> Sequence[Place]:
        """A constant is visible inside its container, as the file shows."""
        kinds = tree.facts(path).kinds
        inside = [place for place in places if not place[1] or place[1] in kinds]
        return super().shared_definitions(tree, path, inside)

    def unbound_name(self, tree: SourceIndex, path: str, name: str) -> Found:
        """A constant that no file has is outside."""
        is_lost = name[:1].isupper() and name[-1:] != "_"
        is_shared = any(f"{self.family} {mark}{name}" in tree.elsewhere.common for mark in ("", "="))
        return [tree.outside(name)] if is_lost and not is_shared and not tree.starts_package(path, name) else []

    def ordered_bases(self, tree: Program, one: AbstractValue, bases: list[AbstractValue]) -> list[AbstractValue]:
        return ruby_members.ancestors(tree, bases)

    def own_member(
        self, members: DeclaredMembers, thing: AbstractValue, one: AbstractValue, key: PlainKey
    ) -> PointsToSet | None:
        return ruby_members.own_member(members, thing, one, key)

    def order_of_members(
        self, tree: Program, thing: AbstractValue, order: Sequence[AbstractValue], name: str
    ) -> Sequence[AbstractValue]:
        return ruby_members.order_of_members(tree, thing, order, name)

    def parts_with_member(
        self, tree: Program, thing: AbstractValue, parts: Sequence[Part], name: str
    ) -> Sequence[Part]:
        return ruby_members.parts_with_member(tree, thing, parts, name)

    def written_call(self, written: str) -> str:
        """A call on the element of a block is passed as `&:pay`."""
        return f"&:{written.removeprefix(_ELEMENT)}" if written.startswith(_ELEMENT) else written

    def is_global_function(self, name: str) -> bool:
        return name in LIBRARY.names and name not in ALSO_MEMBERS

    def certain_targets(
        self, calling: Evaluator, methods: Mapping[str, tuple[str, ...]], path: str, call: CallFact, targets: Targets
    ) -> Targets:
        return ruby_members.certain_targets(calling, methods, path, call, targets)
