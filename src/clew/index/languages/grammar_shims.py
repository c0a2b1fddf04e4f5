"""Rewrites syntax that grammars cannot parse: the same text, byte by byte, for files with syntax errors.

Names, calls and lines are taken from the original text: the rewritten one only shapes the tree.
"""

import re
from collections.abc import Callable, Iterator

Found = re.Match[bytes]
Rule = tuple[re.Pattern[bytes], Callable[[Found], bytes]]


def _blank(found: Found) -> bytes:
    return re.sub(rb"[^\n]", b" ", found[0])


def _as_name(found: Found) -> bytes:
    """A name in its place."""
    return b"_" * len(found[0])


def _with_semicolon(found: Found) -> bytes:
    """With a semicolon in place of its last character."""
    return found[0][:-1] + b";"


def _word_as_name(found: Found) -> bytes:
    """A word as a name, where it is one."""
    return found[0][:-1] + b"_"


def _replace_word(word: bytes) -> Callable[[Found], bytes]:
    """Another word, at the end of the place."""
    return lambda found: word.rjust(len(found[0]))


def _rule(pattern: bytes, rewritten: Callable[[Found], bytes] = _blank) -> Rule:
    return re.compile(pattern, re.MULTILINE), rewritten


_ECMA = (
    _rule(rb"(?<=export) type(?=\s*\*)"),
    _rule(rb"(?<=^import) (?:defer|source)(?=\s+(?!from\b)[\w$*{])"),
    _rule(rb"(?<=[\"']) with\s*\{[^{}\n]*\}"),
    _rule(rb"\baccessor[ \t]+(?=[\w$#\[])"),
    _rule(rb"\baccessor(?=[!?]?[ \t]*[:=;(])", _word_as_name),
    _rule(rb"\bimport\((?:\"[^\"\n]*\"|'[^'\n]*')\)(?=\.[A-Z_$])", _as_name),  # a type: `import("x").Card[]`
    _rule(rb"(?<=typeof )import\((?:\"[^\"\n]*\"|'[^'\n]*')\)", _as_name),
    _rule(rb"(?<=[<,\s])(?:in|out)[ \t]+(?=(?:out[ \t]+)?[A-Z][\w$]*\s*(?:[,>=]|extends\b))"),  # `<in out T>`
)
_PAGES = (
    _rule(rb"&(?=[\w-]+=)", _as_name),  # of an address in an attribute: "…?a=1&b=2"
    _rule(rb"(?<=\s)(?:class|for|if|in|is|default|async|static)(?==[\"'{])", _word_as_name),  # `<div class="card">`
)
_SIGNATURES = (  # behind others: `<T>(x: T): T`, `in<T>(x: T): T`
    _rule(rb"^[ \t]*[ \t](?=<(?:[ \t]*$|[\w$]))", _with_semicolon),
    _rule(rb"^[ \t]+in(?=[<(])", _word_as_name),
)
_CSHARP = (
    _rule(rb"\?(?=\.[\w.]+[ \t]*[-+*/|&?]{0,2}=(?![=>]))"),  # `card?.total = 3`
    _rule(rb"\bref(?=\s+partial\s+struct\b)"),
    _rule(rb"\ballows\s+ref\s+struct\b", _replace_word(b"struct")),
    _rule(rb"(?<![\w.])(?:partial|record|required|file|field|scoped|extension)(?=\.\w)", _word_as_name),
)
_SWIFT = (
    _rule(rb"(?<=[(,])[ \t]*\(\)(?=\s*[,)])", lambda found: found[0][:-2] + b"v_"),  # `.success(())`
    _rule(rb"(?<=[ !(])(?:hasFeature|hasAttribute|objectFormat|_runtime)(?=\()", _replace_word(b"os")),
    _rule(rb"(?<=\w)(?:::|\$)(?=\w)", _as_name),
    _rule(rb"(?<=> )sending(?=\s+[\w(\[@])"),
    _rule(rb"^[ \t]*\#(?:warning|error)\([^\n]*\)[ \t]*$"),
)
_JAVA = (
    _rule(rb"@[\w.]+(?=\s*\.\.\.)"),
    _rule(rb"(?<=^import) module\b"),
    _rule(rb"(?<=\s_)(?:\s*,\s*[\w.]+\s+_)+(?=\s*(?:->|:))"),  # `case Card _, Gate _ ->`
    _rule(rb"(?<=[;}])\s*(?:super|this)(?=\()", _word_as_name),  # a constructor's, behind other statements
)
_PYTHON = (
    _rule(rb"^[ \t]*lazy(?=\s+(?:import|from)\s)"),
    # `class Card[T: int = int, *Ts = *tuple[int]]:`
    _rule(
        rb"(?<=[\[,])\s*\*{0,2}\w+(?:\s*:[^=,\[\]()\n]+)?\s*(=[^=,\[\]()\n]*(?:\[[^\[\]\n]*\])?[^=,\[\]()\n]*)"
        rb"(?=[,\]](?:[^\n]*\])?\s*[(:=])",
        lambda found: found[0][: found.start(1) - found.start()].ljust(len(found[0])),
    ),
    _rule(rb"(?:(?<=return)|(?<=yield)|(?<=[=,]))[ \t]*\*(?=[ \t]*[(\[{])"),  # `return *(a), *(b)`
)
_GO = (
    _rule(rb"\bnew(?=\((?!\s*[^\W\d]\w*(?:\.\w+)?\s*\)|\s*[*\[]))", _word_as_name),
)  # of a value: `new(30)`, `new(now())`


def _rewrite(source: bytes, rules: tuple[Rule, ...]) -> bytes:
    for pattern, rewritten in rules:
        source = pattern.sub(rewritten, source)
    return source


def _reader(*rules: tuple[Rule, ...]) -> Callable[[bytes], Iterator[bytes]]:
    def readable(source: bytes) -> Iterator[bytes]:
        yield source
        for some in rules:
            source = _rewrite(source, some)
            yield source

    return readable


javascript = _reader((*_ECMA, *_PAGES))
typescript = _reader(_ECMA, _SIGNATURES)
python = _reader(_PYTHON)
swift = _reader(_SWIFT)
java = _reader(_JAVA)
go = _reader(_GO)


def csharp(source: bytes) -> Iterator[bytes]:
    """Code that `#if` cuts in two comes first."""
    from clew.index.syntax.preprocessor import without_cuts  # its expressions take a while to compile

    yield source
    source = without_cuts(source)
    yield source
    yield _rewrite(source, _CSHARP)
