"""Components of one file: what stands outside of the scripts is blank for the grammar, so that all places stay."""

import re
from dataclasses import replace

from clew.index.syntax.parse import Outline, by_query
from clew.languages.profile import Language

_SCRIPT = re.compile(rb"(<script\b[^>]*>)(.*?)(?=</script\s*>|\Z)", re.DOTALL | re.IGNORECASE)


def outline(language: Language, source: bytes) -> Outline:
    scripts = scripts_only(source)
    return by_query(replace(language, walker=""), scripts) if scripts.strip() else Outline(unread=True)


def scripts_only(source: bytes) -> bytes:
    """The scripts, and as many blanks and line ends as there is other text."""
    kept = bytearray(re.sub(rb"[^\r\n]", b" ", source))
    for found in _SCRIPT.finditer(source):
        if b"src=" not in found[1] or found[2].strip():
            kept[found.start(2) : found.end(2)] = found[2]
    return bytes(kept)
