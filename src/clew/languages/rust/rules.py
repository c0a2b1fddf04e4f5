"""Resolution of names in Rust."""

from collections.abc import Iterator

from clew.index.facts import Facts
from clew.index.resolve.language_rules import LanguageRules
from clew.index.resolve.shared_names import macros


class RustRules(LanguageRules):
    language = "rust"
    family = "rust"
    joint = "::"
    modules_by_file = True
    reexports = True
    methods_apart = True

    def shared_names(self, facts: Facts) -> Iterator[tuple[str, str]]:
        return macros(facts)
