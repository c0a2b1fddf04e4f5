"""Text as XML holds it."""

import re

from clew.text.escaping import UNSEEN

_UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what XML 1.0 cannot hold
_ESCAPES = str.maketrans(  # blanks, too: a reader would make spaces of those in an attribute
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)


def printable(text: str) -> str:
    """Replaces characters that XML cannot hold."""
    return _UNFIT.sub("\ufffd", text)


def escape(text: str) -> str:
    """For text and for attributes; invisible characters become numeric references."""
    return UNSEEN.sub(lambda found: f"&#{ord(found[0])};", printable(text).translate(_ESCAPES))
