"""Resolution of names in shells."""

from collections.abc import Iterator

from clew.index.facts import Facts
from clew.index.resolve.language_rules import TAKEN, LanguageRules, Tier
from clew.index.resolve.shared_names import functions_of_shells
from clew.index.resolve.source_index import SourceIndex


class BashRules(LanguageRules):
    language = "bash"
    family = "bash"
    reexports = True

    def visible_files(self, tree: SourceIndex, path: str) -> Iterator[Tier]:
        """Included or sourced files, transitively."""
        yield (TAKEN, path), tree.included_files(path)

    def shared_names(self, facts: Facts) -> Iterator[tuple[str, str]]:
        return functions_of_shells(facts)
