"""Services in languages of the Java platform that have no folder of their own."""

from clew.languages.service_forms import C_LIKE, ServiceForms

GROOVY = ServiceForms(C_LIKE, is_source=False)
