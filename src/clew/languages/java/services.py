"""Services in Java."""

from clew.languages.service_forms import C_LIKE, ServiceForms

FORMS = ServiceForms(
    C_LIKE,
    capital_annotations=True,
    shared_verb_annotations=True,
    bare_verb_annotations=True,
    interface_clients=True,
    static_routes=True,
    receiver_routes=True,
)
