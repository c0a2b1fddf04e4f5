"""Resolution of names in JavaScript."""

from collections.abc import Iterator

from clew.index.facts import Facts
from clew.index.resolve.language_rules import LanguageRules
from clew.index.resolve.shared_names import functions_of_scripts


class JavaScriptRules(LanguageRules):
    language = "javascript"
    family = "ecma"
    modules_by_file = True
    reexports = True
    inherits_constructors = True
    untyped = True
    declares_types = True
    constructors_take_functions = True

    def shared_names(self, facts: Facts) -> Iterator[tuple[str, str]]:
        return functions_of_scripts(facts)
