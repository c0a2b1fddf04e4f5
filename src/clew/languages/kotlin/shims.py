"""Kotlin in a form that its grammar can parse: the same text, byte by byte, with unsupported syntax rewritten.

Names, calls and lines are taken from the original text: the rewritten one only shapes the tree.
"""

import re
from collections.abc import Callable, Iterator

Found = re.Match[bytes]

_TEXT = rb'"(?:[^"\\\n]|\\.)*"'
_GIVEN = rb'\((?:[^()"]|' + _TEXT + rb'|\((?:[^()"]|' + _TEXT + rb"|\([^()]*\))*\))*\)"
_ANNOTATIONS = rb"(?:@[\w.:]+(?:" + _GIVEN + rb")?\s+)"


def _blank(found: Found) -> bytes:
    return re.sub(rb"[^\n]", b" ", found[0])


# Taken for calls in between, at the top of a file: `@Old const val RATE = 2`, `@Old annotation class A`.
_MISREAD = re.compile(
    rb"^" + _ANNOTATIONS + rb"+(?=(?:annotation|expect|actual|inner)\s+class\s+\w+(?!\w|\s*[(<:])"
    rb"|enum\s+class\s+\w+\s*\{\s*\w*\s*\}|data\s+object\s+\w+(?!\w|\s*:)"
    rb"|operator\s+fun\s+\w+\s*\(|const\s+val\s+\w+\s*=)",
    re.MULTILINE,
)
# What a class hands on to, taken for a call with its body behind: `class Card(gate: Gate) : Gate by gate { … }`.
_DELEGATED = re.compile(rb"(?<=[\w>])[ \t]+by[ \t]+[\w.]+(?=[ \t]*\{)")
_HEAD = re.compile(rb"[ \t]*\)[ \t]*:|[^=]*\b(?:class|object)[ \t]+\w")
# `class Card`, and in a line of its own `private constructor(…)`.
_CONSTRUCTOR = re.compile(
    rb"\bclass\s+\w+(?:\s*<[^<>{}()]*>)?[ \t]*+\n\s*+"
    rb"(?:" + _ANNOTATIONS + rb"|(?:public|private|protected|internal|actual|expect)\s+)*constructor\b"
)
# Words that are names where they are called, set, or have members.
_NAMES = re.compile(
    rb"\b(?:where|open|override|inner|data|final|inline|value|sealed|external|enum|annotation|private|public|internal)"
    rb"(?=\(|\??\.|[ \t]*:(?!:)|[ \t]*=(?!=))"
)
# A body that ends in the line of its head: `object Gate : Payer() { override fun pay() = 1 }`.
_IN_A_LINE = re.compile(
    rb"^([^\n\"/]*\b(?:class|interface|object)\b[^\n]*\{[ \t][^\n]*[^\s;])[ \t]\}(?=[ \t]*$)", re.MULTILINE
)
# What a property is kept in, in a line of its own: `val state: State<Card>`, then `field = Changing(Card())`.
_FIELD = re.compile(rb"^([ \t]*(?:\w+[ \t]+)*va[lr][ \t]+\w+[ \t]*:[^=\n{}]+\n[ \t]+)field(?=[ \t]*=)", re.MULTILINE)
_BROKEN: tuple[tuple[re.Pattern[bytes], Callable[[Found], bytes]], ...] = (
    (_CONSTRUCTOR, lambda found: found[0].replace(b"\n", b" ")),
    (re.compile(rb"^[ \t]*get(?=\(\s*[^)\s])", re.MULTILINE), lambda found: found[0][:-1] + b"_"),  # of a route
    (re.compile(rb"(?<=[)}]) get(?=[ \t]+\w)"), lambda _: b" ge_"),  # between two: `insert { … } get id`
    (_NAMES, lambda found: found[0][:-1] + b"_"),
    (re.compile(rb"(?<=[\w)>?])[ \t]+&[ \t]+Any\b"), _blank),  # `T & Any`
    (re.compile(rb"^[ \t]*context\([^()\n]*\)", re.MULTILINE), _blank),
    (re.compile(rb"\bsuspend(?=\s*\{)"), _blank),
    (re.compile(rb"\$\$+(?=\")"), _blank),
    (re.compile(rb"\?(?=::)"), _blank),
    (re.compile(rb"(?<== )\[\]"), lambda _: b"0 "),
    (_FIELD, lambda found: found[1] + b"     "),
    (_IN_A_LINE, lambda found: found[1] + b";}"),
    (re.compile(rb"(?<=\S)[ \t]+if\b[^\n{}]*?(?=[ \t]*->)"), _blank),  # a guard: `is Card if it.valid ->`
)


# Type arguments behind an operator, or before a lambda, which the grammar takes for comparisons: `a + pay<Card>(1)`.
_TYPES = rb"(<[\w\s,.?*]*+(?:<[\w\s,.?*]*+>[\w\s,.?*]*+)*+>)"
_TYPED = re.compile(
    rb"((?:[-+*/%&|:]|[=!]=|(?<![\w!])!)[ \t]*+(?<![)\w]:[ \t])(?:\w++\??\.)*+[a-z]\w*+)" + _TYPES + rb"(?=\()"
    rb"|((?<![\w.])(?:\w++\??\.)*+[a-z]\w*+)" + _TYPES + rb"(?=[ \t]*\{)"
)


def _without_types(found: Found) -> bytes:
    name, types = (found[1], found[2]) if found[2] else (found[3], found[4])
    return name + re.sub(rb"[^\n]", b" ", types)


def _without_delegate(found: Found) -> bytes:
    line = found.string[found.string.rfind(b"\n", 0, found.start()) + 1 : found.start()]
    return _blank(found) if _HEAD.match(line) else found[0]


def readable(source: bytes) -> Iterator[bytes]:
    """Without annotations that hide their targets; if that is not enough, without all known problems."""
    text = _MISREAD.sub(_blank, _TYPED.sub(_without_types, source))
    text = _DELEGATED.sub(_without_delegate, text)
    yield text
    for pattern, rewritten in _BROKEN:
        text = pattern.sub(rewritten, text)
    yield text
