"""Resolution of names in Python."""

from clew.index.resolve.language_rules import LanguageRules


class PythonRules(LanguageRules):
    language = "python"
    family = "python"
    is_declarative = False
    call_operator = "__call__"
