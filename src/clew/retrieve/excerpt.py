"""A unit of code as text: whole, or shortened by whole inner parts with a mark that counts the lines left out."""

import re
from collections.abc import Sequence
from itertools import islice

from clew.model.code import Chunk, Redaction, Span

_COMMENTS = re.compile(rb"\A(?:\s*(?:/\*.*?\*/|//[^\n]*(?:\n|\Z)|#(?![\w!\[])[^\n]*(?:\n|\Z)))+\s*", re.DOTALL)


def whole(source: bytes, chunk: Chunk) -> str:
    return source[chunk.span.start : chunk.span.end].decode("utf-8", "replace")


def indentation(source: bytes, chunk: Chunk) -> str:
    """The white space before a unit in its first line; empty if something else stands there, too."""
    start = chunk.span.start
    before = source[source.rfind(b"\n", 0, start) + 1 : start]
    return "" if before.strip() else before.decode("utf-8", "replace")


def outline(source: bytes, chunks: Sequence[Chunk], ordinal: int) -> str:
    """One of a file's units with its inner units folded; one that has none is folded to its signature.

    Of those with nothing between them, one mark tells the names.
    """
    chunk, outermost = chunks[ordinal], _outermost(chunks, ordinal)
    if not outermost:
        return fold(source, chunk)
    parts: list[str] = []
    at = chunk.span.start
    for run in _side_by_side(source, outermost):
        first, last = run[0].span, run[-1].span
        parts.append(_text(source, at, first.start))
        parts.append(mark(", ".join(one.label for one in run if one.label), last.last - first.first + 1))
        at = last.end
    parts.append(_text(source, at, chunk.span.end))
    return "".join(parts)


def around(source: bytes, chunk: Chunk, passage: Span) -> str:
    """The unit's signature and one of its passages, with marks for omitted text; never more than the unit."""
    return with_passages(source, chunk, [passage])


def with_passages(source: bytes, chunk: Chunk, passages: Sequence[Span]) -> str:
    """The unit's signature and some of its whole passages in order, with marks for omitted text between them."""
    first = head_of(source, chunk)
    parts = [first.decode("utf-8", "replace")]
    end, last = chunk.span.start + len(first), chunk.span.first + first.count(b"\n")
    for passage in passages:
        if (left := passage.first - last - 1) < 0:  # it begins in the line where the last part ends
            parts[-1] += _text(source, end, passage.end)
        else:
            line = source.rfind(b"\n", 0, passage.start) + 1
            start = passage.start if source[line : passage.start].strip() else line
            parts += [*([mark("", left)] if left else []), _text(source, start, passage.end)]
        end, last = passage.end, passage.last
    left = chunk.span.last - last
    text = "\n".join([*parts, mark("", left)] if left else parts)
    full = whole(source, chunk)
    return text if len(text) < len(full) else full


def is_redacted(chunk: Chunk, redactions: tuple[Redaction, ...]) -> bool:
    """Whether a secret was replaced inside the unit."""
    start, end = in_file(chunk.span.start, redactions), in_file(chunk.span.end, redactions)
    return any(start <= redaction.start < end for redaction in redactions)


def in_file(offset: int, redactions: tuple[Redaction, ...]) -> int:
    """Where an offset of the stored text lies in the file itself."""
    shift = 0
    for redaction in redactions:
        stored = redaction.start + shift
        if offset <= stored:
            break
        if offset < stored + redaction.stand_in:  # inside the stand-in: the secret's own start
            return redaction.start
        shift += redaction.stand_in - (redaction.end - redaction.start)
    return offset - shift


def fold(source: bytes, chunk: Chunk) -> str:
    """Up to where the body begins, and a mark for the rest."""
    first = head_of(source, chunk)
    left = source.count(b"\n", chunk.span.start + len(first), chunk.span.end)
    if left <= 1:  # the mark would be as long as what it stands for
        return whole(source, chunk)
    return f"{first.decode('utf-8', 'replace')}\n{mark('', left)}"


def head_of(source: bytes, chunk: Chunk) -> bytes:
    """Everything before the body; without a signature, the first line."""
    start, end = chunk.span.start, chunk.span.end
    body = chunk.body if chunk.body > start else _line_end(source, start)
    return source[start : min(body, end)].rstrip()


def signature(source: bytes, chunk: Chunk) -> bytes:
    """The opening without comments before it; all of it, if there is nothing else."""
    whole = head_of(source, chunk)
    rest = _COMMENTS.sub(b"", whole, count=1)
    return rest or whole


def _outermost(chunks: Sequence[Chunk], ordinal: int) -> list[Chunk]:
    """The chunks inside one that lie in no other of them; they follow it, the outer before the inner."""
    found: list[Chunk] = []
    outer = chunks[ordinal]
    for other in islice(chunks, ordinal + 1, None):
        if other.span.start >= outer.span.end:
            break
        if _inside(other, outer) and not (found and _inside(other, found[-1])):
            found.append(other)
    return found


def _side_by_side(source: bytes, units: Sequence[Chunk]) -> list[list[Chunk]]:
    runs: list[list[Chunk]] = []
    for one in units:
        if runs and not source[runs[-1][-1].span.end : one.span.start].strip(b" \t\r\n,;"):
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs


def _inside(inner: Chunk, outer: Chunk) -> bool:
    a, b = inner.span, outer.span
    return b.start <= a.start and a.end <= b.end and (a.start, a.end) != (b.start, b.end)


def mark(name: str, lines: int) -> str:
    return f"… {f'{name}, ' if name else ''}{lines} line{'s' if lines != 1 else ''}"


def _text(source: bytes, start: int, end: int) -> str:
    return source[start:end].decode("utf-8", "replace")


def _line_end(source: bytes, start: int) -> int:
    end = source.find(b"\n", start)
    return len(source) if end < 0 else end
