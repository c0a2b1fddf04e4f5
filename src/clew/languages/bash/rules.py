"""Resolution of names in shells."""

from collections.abc import Iterator

from clew.index.facts import Facts
from clew.index.resolve.language_rules import TAKEN, LanguageRules, Tier
from clew.index.resolve.program import Program
from clew.index.resolve.shared_names import functions_of_shells
from clew.index.resolve.source_index import SourceIndex
from clew.languages.bash.library import COMMANDS, LIBRARY
from clew.model.code import split_id


class BashRules(LanguageRules):
    language = "bash"
    family = "bash"
    library = LIBRARY
    reexports = True
    stars_bind_names = False
    includes_files = True
    builtin_calls = True
    words_name_functions = True

    def visible_files(self, tree: SourceIndex, path: str) -> Iterator[Tier]:
        """Included or sourced files, transitively."""
        yield (TAKEN, path), tree.included_files(path)

    def shared_names(self, facts: Facts) -> Iterator[tuple[str, str]]:
        return functions_of_shells(facts)

    def namesakes(self, tree: Program, path: str, name: str, ids: tuple[str, ...]) -> tuple[str, ...] | None:
        """A function of another script, which need not be sourced here; but none that only tests define."""
        if name in COMMANDS:
            return None
        return tuple(one for one in ids if tree.is_test(path) or not tree.is_test(split_id(one)[0]))
