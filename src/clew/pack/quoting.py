"""How a unit stands in a pack: one line that tells it, and its code in whole lines, as they stand in the file."""

import re
from collections.abc import Mapping

from clew.model.code import Chunk, Span
from clew.retrieve import excerpt
from clew.retrieve.question import Word, lexicon
from clew.text.terms import split_words

LONGEST_LEAD = 160  # bytes before a unit in its own line; more is of a file that is one line
MOST_LINES = 400  # of a part between symbols that are looked through for one that tells it
_CLOSING = re.compile(r"[\s,;)\]}]*\n")  # the rest of a line that ends what stood before
_DECORATED = re.compile(r"\s*(?:@|#\[|\[|//|/\*|\*)")
_REMARKS = re.compile(r"(?:\n[ \t]*(?:#|//).*)+\Z")  # between a signature and what it is of
_SAYING = re.compile(r"[^\W\d_]{3}")
_UNSAID = ("use strict", "#!", "<?php")


class Worth(dict[bytes, tuple[str, ...]]):
    """How much of a task's terms lines say; by word, which of them it says: most stand in many lines."""

    def __init__(self, terms: Mapping[str, Word]) -> None:
        self._terms = terms

    def __missing__(self, word: bytes) -> tuple[str, ...]:
        found = self[word] = tuple(one for one in lexicon().terms(word.decode()) if one in self._terms)
        return found

    def of(self, line: str) -> float:
        said = {term for word in split_words(line.encode()) for term in self[word]}
        return sum(self._terms[one].weight for one in sorted(said))


def quote_unit(source: bytes, chunk: Chunk, code: str) -> str:
    """Code that begins where the unit does, from the start of that line on.

    Between symbols, the rest of a line that only ends what stood before is left out.
    """
    before = _lead(source, chunk)
    if not chunk.scope and before.strip():
        rest = _CLOSING.sub("", code, count=1) if _CLOSING.match(code) else before + code
        return rest.rstrip() or code
    return f"{before}{code}".rstrip()


def told_in_line(source: bytes, chunk: Chunk, worth: Worth, passage: int = 0) -> str:
    """A symbol by its signature; code between symbols by the line that has most of a task's terms.

    `passage` is the number of the one that answers best, from 1 on, if there is one.
    """
    if not chunk.scope:
        span = chunk.passages[passage - 1] if passage else chunk.span
        return _in_line(_most_telling_line(_text(source, span), worth))
    signature = _REMARKS.sub("", excerpt.signature(source, chunk).decode("utf-8", "replace"))
    return _in_line(_lead(source, chunk) + without_decorators(signature, chunk.label))


def line_of(source: bytes, number: int) -> str:
    """One line of a text, from 1 on; empty behind its end."""
    lines = source.split(b"\n", number)
    return _in_line(lines[number - 1].decode("utf-8", "replace")) if number <= len(lines) else ""


def _lead(source: bytes, chunk: Chunk) -> str:
    """The text before a unit in its first line."""
    start = chunk.span.start
    before = source[source.rfind(b"\n", 0, start) + 1 : start]
    return before.decode("utf-8", "replace") if len(before) <= LONGEST_LEAD else ""


def without_decorators(signature: str, label: str) -> str:
    """From the line on that has the name, where decorators, attributes or remarks stand before it."""
    lines = signature.splitlines()
    if not lines or not _DECORATED.match(lines[0]):
        return signature
    name = re.compile(rf"(?<!\w){re.escape(label.rpartition('.')[2])}(?!\w)")
    if name.search(lines[0]):
        return signature
    own = (i for i, line in enumerate(lines) if not _DECORATED.match(line) and name.search(line))
    return "\n".join(lines[next(own, 0) :])


def _most_telling_line(text: str, worth: Worth) -> str:
    """The first line that says most of them; if none says any, the first that says something."""
    lines = [line for line in text.splitlines()[:MOST_LINES] if _SAYING.search(line)]
    saying = [line for line in lines if not any(one in line for one in _UNSAID)] or lines or [text]
    return max(saying, key=worth.of)


def _text(source: bytes, span: Span) -> str:
    return source[span.start : span.end].decode("utf-8", "replace")


def _in_line(code: str) -> str:
    return " ".join(code.split())
