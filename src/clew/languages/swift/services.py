"""Services in Swift."""

from clew.languages.service_forms import C_COMMENT, DOUBLE, TRIPLE, ServiceForms, Syntax

FORMS = ServiceForms(
    Syntax(C_COMMENT, rf"{TRIPLE}|{DOUBLE}", r"\\\(([^()]*)\)"),
    colon_types=True,
)
