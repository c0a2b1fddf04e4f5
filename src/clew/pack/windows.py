"""The lines of a long unit that say most of a task, with those next to them, in ever longer forms."""

from collections.abc import Callable, Container, Iterator
from itertools import pairwise

from msgspec import structs

from clew.model.code import Span
from clew.pack.elision import Unit
from clew.pack.quoting import undecorated
from clew.retrieve import excerpt

NEXT_TO = 2  # lines before and behind one that says something
LEAST_GAP = 3  # lines; the mark of fewer would be as long as they are


def windows(
    unit: Unit, worth: Callable[[str], float], most: int, first: Container[int] = (), next_to: int = NEXT_TO
) -> Iterator[str]:
    """Each longer than the one before, with its opening, and of at most so many bytes; `first` are numbers of lines.

    Lines that say as much come in their order; where none says anything, these are the first. Of a long opening, what
    stands before the signature is left out.
    """
    unit, before = _without_remarks(unit) if len(excerpt.opening(unit.source, unit.chunk)) > most // 2 else (unit, "")
    lines = _lines(unit)
    best = sorted(range(len(lines)), key=lambda i: (lines[i].first not in first, -worth(_text(unit, lines[i])), i))
    shown = {0} if lines and lines[0].start < lines[0].end and lines[0].first == _opened(unit) else set()
    told = ""
    for i in best:
        shown |= set(range(max(i - next_to, 0), min(i + next_to + 1, len(lines))))
        text = before + excerpt.with_passages(unit.source, unit.chunk, _runs(lines, shown))
        if len(text.encode()) > most:
            return
        if len(text) > len(told):
            yield text
            told = text


def _without_remarks(unit: Unit) -> tuple[Unit, str]:
    """From the line on that its signature begins in, and a mark for what stands before that."""
    source, chunk = unit.source, unit.chunk
    opening = excerpt.opening(source, chunk)
    declared = undecorated(excerpt.signature(source, chunk).decode("utf-8", "replace"), chunk.label)
    start = source.rfind(b"\n", 0, chunk.span.start + len(opening) - len(declared.encode())) + 1
    left = source.count(b"\n", chunk.span.start, start)
    if not left:
        return unit, ""
    span = chunk.span._replace(start=start, first=chunk.span.first + left)
    chunks = [chunk._replace(span=span) if i == unit.ordinal else one for i, one in enumerate(unit.chunks)]
    return structs.replace(unit, chunks=chunks), f"{excerpt.mark('', left)}\n"


def _opened(unit: Unit) -> int:
    """The line that its opening ends in."""
    return unit.chunk.span.first + excerpt.opening(unit.source, unit.chunk).count(b"\n")


def _lines(unit: Unit) -> list[Span]:
    """Of its body, or of the passage that answers best."""
    source, chunk = unit.source, unit.chunk
    opened = chunk.span.start + len(excerpt.opening(source, chunk))
    start, end = opened, chunk.span.end
    if unit.best and chunk.passages:
        passage = chunk.passages[unit.best - 1]
        start, end = max(start, passage.start), passage.end
    number = chunk.span.first + source.count(b"\n", chunk.span.start, start)
    found = []
    while start < end:
        line_end = source.find(b"\n", start, end)
        line_end = end if line_end < 0 else line_end
        found.append(Span(start, line_end, number, number))
        start, number = line_end + 1, number + 1
    return found


def _runs(lines: list[Span], shown: set[int]) -> list[Span]:
    """Lines side by side as one; short gaps are closed, and no run begins or ends with an empty line."""
    chosen = sorted(i for i in shown if lines[i].end > lines[i].start)
    closed = {i for a, b in pairwise([*chosen, len(lines)]) if b - a <= LEAST_GAP for i in range(a, b)} | set(chosen)
    runs: list[Span] = []
    for i in sorted(closed):
        line = lines[i]
        if runs and runs[-1].last == line.first - 1:
            runs[-1] = Span(runs[-1].start, line.end, runs[-1].first, line.last)
        else:
            runs.append(line)
    return runs


def _text(unit: Unit, line: Span) -> str:
    return unit.source[line.start : line.end].decode("utf-8", "replace")
