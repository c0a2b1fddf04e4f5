"""Resolution of names in Ruby."""

from collections.abc import Iterator

from clew.index.facts import Facts
from clew.index.resolve.language_rules import LanguageRules
from clew.index.resolve.shared_names import constants


class RubyRules(LanguageRules):
    language = "ruby"
    family = "ruby"
    implied_calls = True
    reads_containers = True
    inherits_constructors = True
    inherits_types = True
    untyped = True
    methods_apart = True
    bare_members = True
    reads_are_fields = True
    reopens_classes = True

    def shared_names(self, facts: Facts) -> Iterator[tuple[str, str]]:
        return constants(facts)
