"""Source code as tokens: strings, names, numbers and punctuation, with comments left out.

One tokenizer serves all languages, since calls, string literals and assignments look alike in them. It never fails:
unknown characters are punctuation.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from clew.languages.service_forms import Syntax

NAME, STRING, NUMBER, PUNCTUATION = "n", "s", "d", "p"
HOLE = "\x02"  # ends a reference in a string; \x01 begins it

_REGEX_AFTER = frozenset("(,=:[!&|?{};")
_REGEX = re.compile(r"/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_OPERATORS = r"\?\.|->|::|=>|\|\||\?\?|\?:|:=|==|!=|<=|>=|&&|\+=|\.\.\.|<>|\|>"
_CLOSERS = {")": "(", "]": "[", "}": "{"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_QUOTES = re.compile(r"""^([A-Za-z$@#]*)("{3}|'{3}|"|'|`)(.*)$""", re.DOTALL)


class Tokens(NamedTuple):
    """Parallel lists; `partner` is the index of the bracket that closes or opens this one, -1 for other tokens."""

    kinds: list[str]
    texts: list[str]
    lines: list[int]
    partner: list[int]


def tokenize(text: str, syntax: Syntax) -> Tokens:
    kinds: list[str] = []
    texts: list[str] = []
    lines: list[int] = []
    line, start = 1, 0
    scan = _scanner(syntax).match
    while (found := scan(text, start)) is not None:
        kind, value = found.lastgroup or PUNCTUATION, found.group()
        begin, start = found.start(), found.end()
        if start == begin:
            break
        if kind == "skip":
            line += value.count("\n")
            continue
        may_be_regex = (
            syntax.regexes and value == "/" and (not texts or texts[-1] in _REGEX_AFTER or texts[-1] == "return")
        )
        if may_be_regex and (literal := _REGEX.match(text, begin)):
            value, start, kind = literal.group(), literal.end(), NUMBER
        kinds.append(kind)
        texts.append(string_value(value, syntax) if kind == STRING else value)
        lines.append(line)
        if kind == STRING:
            line += value.count("\n")
    return Tokens(kinds, texts, lines, _partners(kinds, texts))


@cache
def _scanner(syntax: Syntax) -> re.Pattern[str]:
    return re.compile(
        rf"(?P<skip>\s+|{syntax.comment})|(?P<s>{syntax.string})|(?P<n>{syntax.name})|(?P<d>\d[\w.]*)|(?P<p>{_OPERATORS}|.)",
        re.DOTALL,
    )


def _partners(kinds: list[str], texts: list[str]) -> list[int]:
    partner = [-1] * len(texts)
    opened: list[int] = []
    for index, (kind, value) in enumerate(zip(kinds, texts, strict=True)):
        if kind != PUNCTUATION:
            continue
        if value in "([{":
            opened.append(index)
        elif value in _CLOSERS:
            while opened and texts[opened[-1]] != _CLOSERS[value]:
                if _CLOSERS[value] not in {texts[at] for at in opened[-8:]}:
                    break
                opened.pop()
            if opened and texts[opened[-1]] == _CLOSERS[value]:
                at = opened.pop()
                partner[at], partner[index] = index, at
    return partner


def string_value(literal: str, syntax: Syntax) -> str:
    """The value of a literal; what is interpolated stands between \\x01 and \\x02 as it is written."""
    parts = _QUOTES.match(literal)
    if parts is None:
        return literal.strip("\"'`#r")
    prefix, quote, body = parts.groups()
    body = body.removesuffix(quote) if body.endswith(quote) else body
    if syntax.hole and _interpolates(prefix, quote, syntax):
        body = re.sub(
            syntax.hole, lambda hole: f"\x01{next((g for g in hole.groups() if g is not None), '')}{HOLE}", body
        )
    if "\\" in body and "r" not in prefix.lower() and "@" not in prefix:
        body = _ESCAPE.sub(lambda escape: _ESCAPES.get(escape[1], escape[1]), body)
    return body


def _interpolates(prefix: str, quote: str, syntax: Syntax) -> bool:
    if syntax.prefixes:
        return any(letter in prefix.lower() for letter in syntax.prefixes)
    return quote == syntax.quote if syntax.quote else quote != "'"  # others' strings have no interpolation by chance


def statements(tokens: Tokens) -> Iterator[int]:
    """Indexes at which a line begins."""
    last = 0
    for index, line in enumerate(tokens.lines):
        if line != last:
            yield index
        last = line
