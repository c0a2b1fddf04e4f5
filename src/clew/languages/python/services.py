"""Services in Python."""

from clew.languages.service_forms import DOUBLE, HASH_COMMENT, SINGLE, TRIPLE, ServiceForms, Syntax

FORMS = ServiceForms(
    Syntax(
        HASH_COMMENT,
        rf"(?:[rRbBuUfF]{{1,2}})?(?:{TRIPLE}|'''(?:[^\\]|\\.)*?(?:'''|\Z)|{DOUBLE}|{SINGLE})",
        r"(?<!\{)\{([^{}]*)\}",
        prefixes="f",
    ),
    colon_types=True,
    path_decorators=True,
    default_method="GET",
    route_objects=True,
    viewsets=True,
    task_functions=True,
    stub_classes=True,
)
