"""Resolution of names in PHP."""

from collections.abc import Iterator

from clew.index.facts import Facts
from clew.index.resolve.language_rules import LanguageRules, Tier
from clew.index.resolve.shared_names import global_functions
from clew.index.resolve.source_index import SourceIndex


class PhpRules(LanguageRules):
    language = "php"
    family = "php"
    joint = "\\"
    files_hold_types = True
    builtin_calls = True
    doubts_unknown_results = True
    bracketed_fields = True
    inherits_constructors = True
    untyped = True
    methods_apart = True
    call_operator = "__invoke"
    reads_are_fields = True

    def visible_files(self, tree: SourceIndex, path: str) -> Iterator[Tier]:
        package = tree.facts(path).package
        yield (self.language, package), tree.world.packages.get((self.language, package), ())

    def is_own_name(self, tree: SourceIndex, path: str, module: str, name: str) -> bool:
        facts = tree.facts(path)
        return facts.package == module and name in facts.kinds

    def shared_names(self, facts: Facts) -> Iterator[tuple[str, str]]:
        return global_functions(facts)
