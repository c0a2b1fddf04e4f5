"""Services in Scala."""

from clew.languages.service_forms import BRACES, C_COMMENT, DOUBLE, ServiceForms, Syntax

FORMS = ServiceForms(
    Syntax(
        C_COMMENT,
        rf'[sfr]?""".*?(?:"""|\Z)|[sf]?{DOUBLE}|\'(?:[^\'\\\n]|\\.)\'',
        BRACES,
        prefixes="sf",
    ),
    colon_types=True,
    capital_annotations=True,
    bare_verb_annotations=True,
    block_routes=True,
)
