"""Calls in the bodies of C's macros, of which a tree knows no more than the text, and of macros where none is seen."""

import re
from collections.abc import Iterator

from clew.index.languages.language import Language
from clew.index.syntax.lines import LineIndex
from clew.index.syntax.parse import Callsite, Outline
from clew.index.syntax.units import OutlineUnit

_DEFINES = re.compile(rb"#[ \t]*define[ \t]+\Z")
_HEAD = re.compile(rb"\w+(?:\([^)\n]*\))?")
_MARKED = re.compile(rb"\b(?:__attribute__|__pragma|_Pragma|__declspec)\s*+\((?:[^()]|\((?:[^()]|\([^()]*+\))*+\))*+\)")
_QUOTED = re.compile(rb"\"(?:\\.|[^\"\\\n])*+\"|'(?:\\.|[^'\\\n])*+'|/\*.*?\*/|//[^\n]*", re.DOTALL)
_CALL = re.compile(
    rb"(?<![\w#.>])(?:(?:::)?[A-Za-z_]\w*+\s*+(?:\.|->|::)\s*+)*+([A-Za-z_]\w*+)(?=\s*+(?:<[\w\s:*&,]*+>\s*+)?\()"
)
_USED = re.compile(rb"(?<![\w#.>])[A-Z][A-Z0-9_]{2,}+(?=[ \t]*+\()")  # as most macros are called
_DIRECTIVE = re.compile(rb"^[ \t]*+#(?:[^\n\\]|\\.)*+", re.MULTILINE | re.DOTALL)
_MEMBER = re.compile(rb"(?<=[)\]])\s*+(?:\.|->)\s*+([A-Za-z_]\w*+)(?=\s*+\()")  # of what a call gives
_LETTER = re.compile(rb"[^\n]")
_SPACE = re.compile(rb"[\s\\]+")
_PASTED = re.compile(rb"##\s*\Z")
_DECLARED = re.compile(rb"(?:^|[^\w.>])([A-Za-z_]\w*)[\s*&]+\Z")  # what stands before it is a type
_BEFORE = frozenset(b"return else do case throw new co_return co_await co_yield and or not in goto".split())
_WORDS = frozenset(
    b"""
    if while for switch return sizeof defined do else case alignof alignas static_assert decltype typeof catch throw new
    delete operator noexcept typeid asm int char long short unsigned signed float double void bool static_cast
    reinterpret_cast const_cast dynamic_cast _Static_assert _Generic _Alignof __attribute__ __typeof__ __declspec
    __asm__
    """.split()
)


def macro_calls(language: Language, units: list[OutlineUnit], outline: Outline, source: bytes) -> Iterator[Callsite]:
    if not language.preprocessed:
        return
    lines = LineIndex(source)
    known = {call.at for call in outline.calls} | {unit.definition.named for unit in units}
    plain = _DIRECTIVE.sub(_blank, _QUOTED.sub(_blank, source))
    for used in _USED.finditer(plain):
        if used.start() not in known:  # in the head of a function, among the members of a class, at the top
            yield Callsite(used.start(), lines.at(used.start()), used[0].decode(), unsure=True)
    for unit in units:
        at, end = unit.definition.named, unit.definition.end
        if is_macro(unit, source) and (head := _HEAD.match(source, at, end)):
            body = _MARKED.sub(_blank, _QUOTED.sub(_blank, source[head.end() : end]))
            for place, callee in _calls(body):
                at = head.end() + place
                yield Callsite(at, lines.at(at), callee.decode("utf-8", "replace"))


def is_macro(unit: OutlineUnit, source: bytes) -> bool:
    at = unit.definition.named
    return _DEFINES.search(source, max(0, at - 80), at) is not None


def _calls(body: bytes) -> Iterator[tuple[int, bytes]]:
    for found in _CALL.finditer(body):
        start = found.start()
        before = _DECLARED.search(body, max(0, start - 80), start)
        is_declared = before is not None and before[1] not in _BEFORE and found.start(1) == start
        if found[1] not in _WORDS and not is_declared and not _PASTED.search(body, max(0, start - 8), start):
            yield found.start(1), _SPACE.sub(b"", found[0])
    for found in _MEMBER.finditer(body):
        yield found.start(1), "…->".encode() + found[1]


def _blank(found: re.Match[bytes]) -> bytes:
    return _LETTER.sub(b" ", found[0])
