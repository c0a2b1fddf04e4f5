"""Finding secrets in text and replacing them with a stand-in, before anything is stored.

`providers` is a table of token formats, `names` rates identifiers, `values` rates literals, and `forms` finds the
places where a name is given a value. `scrubber` puts them together. Everything works on UTF-8 bytes.
"""

from clew.text.secrets.scrubber import REDACTED, Scrubber, without_tokens

__all__ = ["REDACTED", "Scrubber", "without_tokens"]
