"""C and C++ as their grammars can read them, where macros stand for words: the same text, byte by byte.

For texts that cannot be read after `syntax/preprocessor.py`. Names and calls are taken from the text as it is.
"""

import re
from collections.abc import Iterator

Found = re.Match[bytes]

_WORDS = (
    rb"(?:return|else|case|goto|typedef|static|extern|inline|const|volatile|struct|union|enum|unsigned|signed|register"
    rb"|sizeof|if|do|while|for|switch|default|auto|restrict|int|char|long|short|float|double|void|bool|new|delete"
    rb"|throw|class|using|namespace|template|typename|operator|public|private|protected|virtual|friend|co_\w+)\b"
)
_NAME = rb"(?!" + _WORDS + rb")[A-Za-z_]\w*+"
_SPECIFIER = rb"(?:(?:const|volatile|static|inline|extern|struct|union|enum|unsigned|signed|long|short|register)\s+)*"
_TYPE = rb"(?:(?:int|char|long|short|float|double|void|bool)\b|" + _NAME + rb")"
_NESTED = rb"\((?:[^();{}\n]|\([^();{}\n]*\))*\)"
_DIRECTIVE = rb"^[ \t]*\#(?:\\\r?\n|[^\n])*"  # matched to be left alone

# Three names in a row: the first is none of the type's. `API result_t open(`, `__unused char *name,`
_BEFORE_TYPE = re.compile(
    _DIRECTIVE + rb"|(?<![\w.#>])(" + _NAME + rb")"
    rb"(?=\s+" + _SPECIFIER + _TYPE + rb"(?:\s*\*+\s*(?:const\s+)?|\s+)" + _NAME + rb"\s*[(,);=\[])",
    re.MULTILINE,
)
# Between the type and the name: `int EXPORT open(`, `const char * EXPORT name(`, `static void printflike(3, 4) log(`
_BEFORE_NAME = re.compile(
    _DIRECTIVE + rb"|(?:\*|\b(?:int|char|long|short|float|double|void|bool|unsigned))\s*"
    rb"(?<=[\s*])(" + _NAME + rb"(?:\([\d, \t]*\))?)(?=\s+" + _NAME + rb"\s*[(,);=\[])",
    re.MULTILINE,
)
_OF_ALIASES = re.compile(
    rb"(?:\}|\btypedef\s+" + _SPECIFIER + _TYPE + rb")\s+(" + _NAME + rb")(?=\s+\**" + _NAME + rb"\s*;)"
)  # `typedef struct { … } FAR card_t;`
_IN_CASTS = re.compile(rb"\(\s*(" + _NAME + rb")(?=\s+" + _TYPE + rb"\s*\*+\s*\))")  # `(z_const Bytes *)`
_OF_POINTERS = re.compile(rb"\(\s*(" + _NAME + rb")(?=\s*\*\s*" + _NAME + rb"\s*\)\s*\()")  # `(WINAPI *opened)(int)`
_BEHIND = re.compile(rb"\)((?:\s+(?:__\w+|[A-Z][A-Z0-9_]{3,})\b(?:\s?" + _NESTED + rb")?)+)(?=\s*[;{])")
_MADE_TYPES = re.compile(rb"^[ \t]*[A-Z][A-Z0-9_]*(" + _NESTED + rb")(?=\s+\**" + _NAME + rb"\s*[;=\[])", re.MULTILINE)
_ALONE = re.compile(
    rb"^[ \t]*[A-Z][A-Z0-9]*_[A-Z0-9_]*" + _NESTED + rb"[ \t]*\n(?!\s*[{;:(.=,?|&<>+*/\\-])", re.MULTILINE
)  # a call in a line of its own
_OF_QT = re.compile(rb"^[ \t]*(Q_[A-Z_]+" + _NESTED + rb")[ \t]*\r?$", re.MULTILINE)  # `Q_PROPERTY(int sum READ sum)`
_UNITS = re.compile(rb"(?<!\w)\d[\w.]*[ \t]+([A-Z][A-Z0-9_]+)\b")  # `256 KB`
_INCLUDES = re.compile(rb"(?<=__has_include\()<[^>\n]*>")
_SIGNATURES = re.compile(rb"\b(?:SIGNAL|SLOT)\s*\(\s*\w+\s*\(([^()]+)\)\s*\)")  # `SLOT(pay(const Card&, int))`
_LOOPS = re.compile(
    rb"^[ \t]+(?!" + _WORDS + rb")[a-zA-Z]\w*" + _NESTED + rb"([ \t])(?=[ \t]*\{[ \t]*(?:/[/*][^\n]*)?$)", re.MULTILINE
)  # `EACH_CARD(card, cards) {`

_MODULE = re.compile(rb"^[ \t]*(?:export[ \t]+)?module\b[^;{}()=\n]*;", re.MULTILINE)
_OF_MODULES = re.compile(
    rb"^[ \t]*((?:export[ \t]+)?(?:module|import)\b[^;{}()=\n]*;|export)(?![\w(])", re.MULTILINE
)  # `export class Card`


def _blank(found: Found) -> bytes:
    if not found.lastindex:
        return found[0]
    start, end = found.start(1) - found.start(), found.end(1) - found.start()
    return found[0][:start] + re.sub(rb"[^\n]", b" ", found[1]) + found[0][end:]


def readable(source: bytes) -> Iterator[bytes]:
    """For C; the last variant may be a function or a declaration in C++."""
    text = _common_shims(source)
    for pattern in (_BEFORE_TYPE, _BEFORE_NAME, _OF_ALIASES, _IN_CASTS):
        text = pattern.sub(_blank, text)
    yield _LOOPS.sub(lambda found: found[0][:-1] + b";", text)


def readable_cpp(source: bytes) -> Iterator[bytes]:
    text = _SIGNATURES.sub(_without_types, _OF_QT.sub(_blank, source))
    yield _common_shims(_OF_MODULES.sub(_blank, text) if _MODULE.search(text) else text)


def _without_types(found: Found) -> bytes:
    """The same call, of as many things."""
    start, end = found.start(1) - found.start(), found.end(1) - found.start()
    return found[0][:start] + re.sub(rb"[^,\n]", b"_", found[1]) + found[0][end:]


def _common_shims(text: bytes) -> bytes:
    text = _ALONE.sub(lambda found: found[0][:-1] + b";", text)
    text = _INCLUDES.sub(lambda found: b"_" * len(found[0]), text)
    for pattern in (_OF_POINTERS, _BEHIND, _MADE_TYPES, _UNITS):
        text = pattern.sub(_blank, text)
    return text
