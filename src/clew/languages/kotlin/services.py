"""Services in Kotlin."""

from clew.languages.service_forms import BRACES, C_COMMENT, DOUBLE, SINGLE, ServiceForms, Syntax

FORMS = ServiceForms(
    Syntax(C_COMMENT, rf'""".*?(?:"""|\Z)|{DOUBLE}|{SINGLE}', BRACES),
    colon_types=True,
    class_calls=True,
    capital_annotations=True,
    shared_verb_annotations=True,
    bare_verb_annotations=True,
    interface_clients=True,
    static_routes=True,
    block_routes=True,
    bare_prefixes=True,
)
