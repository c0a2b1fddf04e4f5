"""Resolution of names in C and C++."""

from collections.abc import Iterator

from clew.index.facts import Facts
from clew.index.resolve.language_rules import TAKEN, LanguageRules, Tier
from clew.index.resolve.shared_names import functions_and_classes
from clew.index.resolve.source_index import SourceIndex


class CRules(LanguageRules):
    language = "c"
    family = "c"
    reexports = True
    overloads = True
    call_operator = "operator()"
    bare_members = True
    reads_are_fields = True

    def visible_files(self, tree: SourceIndex, path: str) -> Iterator[Tier]:
        """Included or sourced files, transitively."""
        yield (TAKEN, path), tree.included_files(path)

    def shared_names(self, facts: Facts) -> Iterator[tuple[str, str]]:
        return functions_and_classes(facts)


class CppRules(CRules):
    language = "cpp"
    pair_value = "second"
