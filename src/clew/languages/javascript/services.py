"""Services in JavaScript."""

from clew.languages.service_forms import C_COMMENT, DOUBLE, SINGLE, ServiceForms, Syntax

FORMS = ServiceForms(
    Syntax(
        C_COMMENT,
        rf"`(?:[^`\\]|\\.)*`?|{DOUBLE}|{SINGLE}",
        r"\$\{((?:[^{}]|\{[^{}]*\})*)\}",
        quote="`",
        regexes=True,
    ),
    is_script=True,
    loaded_clients=True,
)
