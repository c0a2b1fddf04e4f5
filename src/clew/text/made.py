"""Detects generated files by the notice at their head."""

import re
from codecs import BOM_UTF8

HEAD = 3000  # bytes: a licence may stand first

# What generators write above what they make. Words that a sentence could go on with count at its beginning alone.
_MADE = re.compile(
    rb"^\W*(?:@generated\b(?!/)|<auto-?generated\b|[Cc]ode generated (?:by|from)\b)"
    rb"|^\W*(?:Generated|GENERATED) (?:by|By|from)\b"
    rb"|(?i:\bgenerated\b.*\bdo not (?:edit|modify|change)\b|\bdo not (?:edit|modify|change)\b.*\bgenerated\b)"
    rb"|(?i:^\W*(?:\w+[:,]?\s+){0,5}(?:auto[- ]?|automatically |machine[- ]?)generated\s+(?:by|from|with|using)\b)"
    rb"|(?i:^\W*this\s+(?:\w+\s+)?(?:file|code|class|module|script)\s+(?:is|was|has been)\s+@?generated"
    rb"\s+(?:by|from|with|using)\b)"
)
_BUNDLED = (
    b"/******/",
    b"(function e(t,n,r)",
    b"(function(){function r(e,n,t)",
    b'!function(e,t){"object"==typeof exports',
    b'!function(t,e){"object"==typeof exports',
)  # several files that were put into one
_CLOSING = {b"/*": b"*/", b'"""': b'"""', b"'''": b"'''", b"<!--": b"-->"}
_OPENING = tuple(_CLOSING)
_COMMENT = (b"//", b"#", b"--", b";", b"%", b"*")
_PASSED_OVER = (b"<?", b'"use ', b"'use ")


def is_made(text: bytes) -> bool:
    """Whether a comment before the first line of code says so, or that line begins a bundle."""
    closing = b""
    for line in map(bytes.strip, text[:HEAD].removeprefix(BOM_UTF8).split(b"\n")):
        if line.startswith(_BUNDLED):
            return True
        if closing:
            closing = b"" if closing in line else closing
        elif line.startswith(_OPENING):
            opening = next(one for one in _OPENING if line.startswith(one))
            closing = b"" if _CLOSING[opening] in line[len(opening) :] else _CLOSING[opening]
        elif line and not line.startswith(_COMMENT + _PASSED_OVER):
            return False
        if _MADE.search(line):
            return True
    return False
