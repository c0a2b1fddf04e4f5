"""Services in Go."""

from clew.languages.service_forms import C_COMMENT, DOUBLE, ServiceForms, Syntax

FORMS = ServiceForms(
    Syntax(C_COMMENT, rf"`[^`]*`?|{DOUBLE}|'(?:[^'\\\n]|\\.)+'"),
    bracket_types=True,
    several_values=True,
    type_behind_name=True,
)
