"""Services in Rust."""

from clew.languages.service_forms import C_COMMENT, ServiceForms, Syntax

FORMS = ServiceForms(
    Syntax(C_COMMENT, r'b?r\#+".*?"\#+|b?r?"(?:[^"\\]|\\.)*"?|\'(?:[^\'\\\n]|\\.)\'', r"(?<!\{)\{(\w*)[^{}]*\}"),
    colon_types=True,
    called_annotations=True,
    method_routers=True,
    bare_prefixes=True,
)
