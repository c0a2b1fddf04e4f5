"""Services in C#."""

from clew.languages.service_forms import C_COMMENT, DOUBLE, SINGLE, TRIPLE, ServiceForms, Syntax

FORMS = ServiceForms(
    Syntax(
        C_COMMENT,
        rf'\$?@\$?"(?:[^"]|"")*"|\$?{TRIPLE}|\$?{DOUBLE}|{SINGLE}',
        r"(?<!\{)\{([^{}]*)\}",
        prefixes="$",
    ),
    attribute_lists=True,
    bare_attributes=True,
    class_calls=True,
    capital_annotations=True,
    shared_verb_annotations=True,
    route_attributes=True,
    app_hosts=True,
)
