"""Services in C and C++."""

from clew.languages.service_forms import C_LIKE, ServiceForms

FORMS = ServiceForms(
    C_LIKE,
)
