"""Resolution of names in Dart."""

from clew.index.resolve.language_rules import LanguageRules


class DartRules(LanguageRules):
    """A library offers what it exports of others."""

    reexports = True
    inherits_types = True
