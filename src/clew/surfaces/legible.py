"""JSON as clients write it that are not strict: it is read as it is meant."""

import json
import re

BOM = b"\xef\xbb\xbf"

_HALF = re.compile(rb"\\u[dD][89a-fA-F]")  # of a character beyond the first 65,536, which JSON writes in two


def legible(body: bytes) -> bytes:
    """Without a byte order mark; half of a surrogate pair becomes `?`."""
    body = body.removeprefix(BOM)
    if not _HALF.search(body):
        return body
    try:
        return json.dumps(json.loads(body), ensure_ascii=False).encode("utf-8", "replace")
    except (ValueError, RecursionError):  # whoever reads it says what is wrong
        return body
