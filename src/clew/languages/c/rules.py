"""Resolution of names in C and C++."""

from collections.abc import Iterator, Sequence

from clew.index.facts import Facts
from clew.index.resolve.abstract_values import AbstractValue, Found, Place
from clew.index.resolve.language_rules import TAKEN, LanguageRules, Tier
from clew.index.resolve.overloads import PassedArguments
from clew.index.resolve.program import Program
from clew.index.resolve.shared_names import functions_and_classes
from clew.index.resolve.source_index import SourceIndex
from clew.languages.c.library import CPP_LIBRARY, LIBRARY
from clew.languages.c.prototypes import definitions_of_prototype, named_alike


class CRules(LanguageRules):
    language = "c"
    family = "c"
    library = LIBRARY
    reexports = True
    stars_bind_names = False
    includes_files = True
    reopens_namespaces = True
    extends_by_bare_name = True
    colon_paths = True
    overloads = True
    overloads_across_files = True
    call_operator = "operator()"
    index_operator = "operator[]"
    calls_this = True
    bare_members = True
    reads_are_fields = True

    def visible_files(self, tree: SourceIndex, path: str) -> Iterator[Tier]:
        """Included or sourced files, transitively."""
        yield (TAKEN, path), tree.included_files(path)

    def shared_names(self, facts: Facts) -> Iterator[tuple[str, str]]:
        return functions_and_classes(facts)

    def nearest_definitions(self, tree: SourceIndex, path: str, places: Found) -> Found:
        """All: a header may have another version for each platform."""
        return places

    def shared_definitions(self, tree: SourceIndex, path: str, places: Sequence[Place]) -> Sequence[Place]:
        """The only class of its name in a namespace or class that the file has, too; it may be but declared there."""
        names = tree.facts(path).names
        near = [one for one in places if not one[1] or one[1] in names]
        own = near if tree.is_test(path) else [one for one in near if not tree.is_test(one[0])]
        return own if len(own) == 1 else []

    def definitions_of_prototype(self, tree: Program, method: AbstractValue) -> list[str]:
        return definitions_of_prototype(tree, method)

    def fitting_types(
        self, tree: Program, group: list[AbstractValue], passed: PassedArguments
    ) -> list[AbstractValue] | None:
        return named_alike(tree, group, passed.types)


class CppRules(CRules):
    language = "cpp"
    library = CPP_LIBRARY
    pair_value = "second"
