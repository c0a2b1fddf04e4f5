"""Services in Ruby."""

from clew.languages.service_forms import DOUBLE, HASH_COMMENT, SINGLE, ServiceForms, Syntax

FORMS = ServiceForms(
    Syntax(HASH_COMMENT, rf"{DOUBLE}|{SINGLE}|`[^`\n]*`", r"\#\{([^{}]*)\}", r"[:@]{0,2}[A-Za-z_]\w*[?!]?"),
    commands=True,
    resource_commands=True,
)
