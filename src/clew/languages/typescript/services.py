"""Services in TypeScript."""

from dataclasses import replace

from clew.languages.javascript.services import FORMS as JAVASCRIPT

FORMS = replace(JAVASCRIPT, colon_types=True, class_calls=True)
TSX_FORMS = replace(FORMS, loaded_clients=False)
