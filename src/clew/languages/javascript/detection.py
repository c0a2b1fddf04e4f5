"""JavaScript files that hold types."""

import re

_FLOW = re.compile(rb"(?:#![^\n]*+\n)?\s*+(?:/\*(?:(?!\*/|@flow).)*+@flow\b|//[^\n]*?@flow\b)", re.DOTALL)


def language_of_source(path: str, content: bytes) -> str:
    """Flow's types are read as TypeScript's."""
    return "tsx" if _FLOW.match(content) else ""
