"""Services in Elixir."""

from clew.languages.service_forms import DOUBLE, HASH_COMMENT, SINGLE, TRIPLE, ServiceForms, Syntax

FORMS = ServiceForms(
    Syntax(HASH_COMMENT, rf"{TRIPLE}|{DOUBLE}|{SINGLE}", r"\#\{([^{}]*)\}", r":?[A-Za-z_@]\w*[?!]?"),
    route_commands=True,
    block_routes=True,
)
