"""Resolution of names in Kotlin."""

from collections.abc import Mapping

from clew.index.facts import CallFact
from clew.index.resolve.abstract_values import AbstractValue, Found
from clew.index.resolve.cross_file_scope import CrossFileScope
from clew.index.resolve.evaluator import Evaluator
from clew.index.resolve.member_lookup import DeclaredMembers
from clew.index.resolve.program import Program
from clew.index.resolve.resolved_call import Targets
from clew.index.resolve.solver import PointsToSet
from clew.index.resolve.source_index import SourceIndex
from clew.languages.jvm.rules import JvmRules
from clew.languages.kotlin import extensions, source_sets
from clew.languages.kotlin.library import LIBRARY

_COMPANION = ".Companion"  # whose members are the class's own
_VIEWS = ("values", "entries")  # members of a container that hold the same
_ELEMENTS = LIBRARY.giving | LIBRARY.same


class KotlinRules(JvmRules):
    language = "kotlin"
    library = LIBRARY
    pair_value = "value"
    reads_are_fields = True
    defaults_left_out = True
    fields_by_place = True

    def imported_module(self, module: str) -> str:
        return module.removesuffix(_COMPANION)

    def visible_definitions(self, tree: SourceIndex, path: str, places: Found) -> Found:
        return source_sets.visible_definitions(tree, path, places)

    def imported_extensions(self, scope: CrossFileScope, package: str, name: str) -> Found:
        return scope.language_index(extensions.ExtensionIndex).of(package, name)

    def is_qualified_by_owner(self, tree: Program, path: str, outer: str) -> bool:
        return True

    def platform_implementations(self, tree: Program, method: AbstractValue) -> list[str]:
        return source_sets.platform_implementations(tree, method)

    def literal_member(self, members: DeclaredMembers, box: AbstractValue, name: str) -> PointsToSet | None:
        if name in _VIEWS:
            return members.flow.constant(box)
        return None if name in _ELEMENTS else members.nothing  # the type that is written beside it says more

    def visible_extensions(
        self, tree: Program, path: str, things: frozenset[AbstractValue]
    ) -> frozenset[AbstractValue]:
        return extensions.visible_extensions(tree, path, things)

    def may_be_meant(self, tree: Program, path: str, file: str, scope: str) -> bool:
        return extensions.may_be_meant(tree, path, file, scope)

    def targets_by_name(
        self, calling: Evaluator, methods: Mapping[str, tuple[str, ...]], path: str, call: CallFact
    ) -> Targets:
        return extensions.extensions_by_name(calling, methods, path, call)

    def targets_outside(self, calling: Evaluator, path: str, call: CallFact) -> Targets:
        return extensions.other_extensions(calling, path, call)
