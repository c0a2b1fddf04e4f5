"""Headers of C++ that end like those of C."""

import re

_CPP_SIGNS = re.compile(
    rb"^[ \t]*(?:namespace\s+\w|template\s*<|class\s+\w[^;]*?[{:]|using\s+\w|(?:public|private|protected):)|\bstd::\w",
    re.MULTILINE,
)


def language_of_header(path: str, content: bytes) -> str:
    return "cpp" if path.lower().endswith(".h") and _CPP_SIGNS.search(content) else ""
