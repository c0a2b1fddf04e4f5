"""Services in PHP."""

from clew.languages.service_forms import C_COMMENT, ServiceForms, Syntax

FORMS = ServiceForms(
    Syntax(
        rf"{C_COMMENT}|\#(?!\[)[^\n]*",
        r'"(?:[^"\\]|\\.)*"?|\'(?:[^\'\\]|\\.)*\'?',
        r"\{?\$(\w+(?:->\w+)*)\}?",
        r"\$?[A-Za-z_]\w*",
    ),
    joiners=frozenset({"+", "<>", "."}),
    attribute_lists=True,
    class_calls=True,
    route_facade=True,
    bare_prefixes=True,
)
