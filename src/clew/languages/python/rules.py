"""Resolution of names in Python."""

from clew.index.resolve.language_rules import LanguageRules
from clew.languages.python.library import LIBRARY


class PythonRules(LanguageRules):
    language = "python"
    family = "python"
    library = LIBRARY
    is_declarative = False
    call_operator = "__call__"
    variants_in = "file"
    may_be_sealed = True
