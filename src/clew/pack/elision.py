"""A unit in ever longer forms: folded to its opening, by its inner units, with windows of the lines that say most of
the task; at last whole.

Nothing is cut but between whole inner parts, and a mark counts the lines that are left out.
"""

from collections.abc import Callable, Container, Iterator, Sequence
from heapq import merge
from itertools import pairwise, takewhile

from msgspec import Struct, structs

from clew.model.code import Chunk, Span
from clew.pack.quoting import without_decorators
from clew.retrieve import excerpt


class Unit(Struct, frozen=True):
    """A chunk of a file: `source` is the file's text as stored, at least as far as the chunk reaches.

    `best` is the number of the passage that is wanted first, from 1 on; 0 if none is.
    """

    source: bytes
    chunks: Sequence[Chunk]
    ordinal: int
    best: int = 0

    @property
    def chunk(self) -> Chunk:
        return self.chunks[self.ordinal]

    @property
    def has_units(self) -> bool:
        """Whether others lie in it; they follow it."""
        return self.ordinal + 1 < len(self.chunks) and self.chunks[self.ordinal + 1].span.start < self.chunk.span.end


def forms(unit: Unit) -> Iterator[str]:
    """Each longer than the one before; the last is the whole."""
    whole = excerpt.whole(unit.source, unit.chunk)
    folded = sorted((text for make in (_fold_unit, _outline) for text in make(unit)), key=len)
    shown = 0
    for text in merge(folded, _with_passages(unit), key=len):  # an outline may be longer than a passage
        if shown < len(text) < len(whole):
            yield text
            shown = len(text)
    yield whole


def outlines(unit: Unit) -> Iterator[str]:
    """Outlines without the bodies of inner units, for units with parts that are shown separately."""
    whole = excerpt.whole(unit.source, unit.chunk)
    yield from dict.fromkeys(text for make in (_fold_unit, _outline) for text in make(unit) if len(text) < len(whole))


def beginnings(unit: Unit, most: int) -> Iterator[str]:
    """Its first lines, ever more of them, at most so many bytes."""
    lines = excerpt.whole(unit.source, unit.chunk).splitlines()
    for count in range(1, len(lines) - 1):
        text = "\n".join([*lines[:count], excerpt.mark("", len(lines) - count)])
        if len(text.encode()) > most:
            return
        if lines[count - 1].strip():
            yield text


def longest(unit: Unit, fits: Callable[[str], bool]) -> str:
    """The longest form that fits; empty if not even the shortest does."""
    whole = excerpt.whole(unit.source, unit.chunk)
    if fits(whole):
        return whole
    return max(takewhile(fits, forms(unit)), key=len, default="")


def _fold_unit(unit: Unit) -> Iterator[str]:
    yield excerpt.fold(unit.source, unit.chunk)


def _outline(unit: Unit) -> Iterator[str]:
    yield excerpt.outline(unit.source, unit.chunks, unit.ordinal)


def _with_passages(unit: Unit) -> Iterator[str]:
    """With the best passage, then with those nearest to it, too: of very many, ever more at once."""
    passages = unit.chunk.passages
    best = max(unit.best - 1, 0)
    order = sorted(range(len(passages)), key=lambda i: (abs(i - best), i))
    count = 1
    while count < len(passages):
        chosen = [passages[i] for i in sorted(order[:count])]
        yield excerpt.with_passages(unit.source, unit.chunk, chosen)
        count += max(count // 4, 1)


NEXT_TO = 2  # lines before and behind one that says something
WHOLE_BLOCK = 10  # lines of a block that is shown whole if one of its lines is
LEAST_GAP = 3  # lines; the mark of fewer would be as long as they are
LONG_OPENING = 400  # bytes; of a longer one, the lines before the signature are shown at last
LEAST_GROWTH = 200  # bytes from form to form, or this share of what is shown:
GROWTH = 1 / 8
MOST_RANKED = 2000  # lines of a unit that are compared with the task; those behind them come in their order
MOST_SINGLE = 6  # lines without those next to them
_CLOSING = ("}", ")", "]", "end")
EMPTY = 1 << 30  # the depth of an empty line: it is inside of any block
FIRST_LINES = 4  # of a class behind its opening, that are shown whatever they say


def windows(
    unit: Unit, worth: Callable[[str], float], first: Container[int] = (), without: Container[int] = ()
) -> Iterator[str]:
    """The last is the whole unit; `first` are numbers of lines, and so are those that only the whole shows.

    Lines that say as much come in their order; where none says anything, these are the first.
    """
    whole = excerpt.whole(unit.source, unit.chunk)
    best_passage = _best_passage(unit)
    shorter, before = _without_remarks(unit) if _size_of_opening(unit) > LONG_OPENING else (unit, "")
    lines = _lines(shorter)
    texts = [_text(shorter, line) for line in lines[:MOST_RANKED]]
    depths = [_depth(text) for text in texts]
    allowed = [i for i, line in enumerate(lines) if line.first not in without]

    def rank(i: int) -> tuple[bool, bool, float, int]:
        number = lines[i].first
        said = worth(texts[i]) if i < MOST_RANKED else 0.0
        return number not in first, number not in best_passage, -said, i

    shown = {0} if lines and lines[0].start < lines[0].end and lines[0].first == _last_opening_line(shorter) else set()
    size = added = 0
    for i in sorted(allowed, key=rank):
        near = {*range(max(i - NEXT_TO, 0), min(i + NEXT_TO + 1, len(lines))), *_block(texts, depths, i)}
        new = {j for j in near if j not in shown and lines[j].first not in without}
        shown |= new
        added += sum(lines[j].end - lines[j].start for j in new)
        if not size or added >= max(LEAST_GROWTH, GROWTH * size):
            text = before + excerpt.with_passages(shorter.source, shorter.chunk, _runs(lines, shown))
            if len(text) >= len(whole):
                break
            if len(text) > size:
                yield text
            size, added = len(text), 0
    yield whole


def single_lines(unit: Unit, worth: Callable[[str], float], first: Container[int] = ()) -> Iterator[str]:
    """Its opening, then with it ever more of the lines that say most, each without those next to it."""
    unit, before = _without_remarks(unit) if _size_of_opening(unit) > LONG_OPENING else (unit, "")
    lines = _lines(unit)
    ranked = sorted(range(len(lines)), key=lambda i: (lines[i].first not in first, -worth(_text(unit, lines[i])), i))
    for count in range(MOST_SINGLE + 1):
        yield before + excerpt.with_passages(unit.source, unit.chunk, _runs(lines, set(ranked[:count])))


def shells(unit: Unit, worth: Callable[[str], float], first: Container[int] = ()) -> Iterator[str]:
    """Likewise of a unit without the lines of those inside of it, of which marks tell the names at last."""
    whole = excerpt.whole(unit.source, unit.chunk)
    last = excerpt.outline(unit.source, unit.chunks, unit.ordinal)
    inner = {line for one in _inner(unit) for line in range(one.first, one.last + 1)}
    opened = _last_opening_line(unit)
    said = [line.first for line in _lines(unit) if line.first > opened + FIRST_LINES and not worth(_text(unit, line))]
    for text in windows(unit, worth, first, without=inner.union(said)):
        if text != whole and len(text) < len(last):
            yield text
    yield last


def _inner(unit: Unit) -> Iterator[Span]:
    start, end = unit.chunk.span[:2]
    for one in unit.chunks[unit.ordinal + 1 :]:
        if one.span.start >= end:
            return
        if one.span != unit.chunk.span and start <= one.span.start:
            yield one.span


def _size_of_opening(unit: Unit) -> int:
    return len(excerpt.head_of(unit.source, unit.chunk))


def _best_passage(unit: Unit) -> range:
    """The lines of the passage that answers best, else all."""
    passages = unit.chunk.passages
    span = passages[unit.best - 1] if unit.best and passages else unit.chunk.span
    return range(span.first, span.last + 1)


def _without_remarks(unit: Unit) -> tuple[Unit, str]:
    """From the line of its signature on, and a mark for the lines before it."""
    source, chunk = unit.source, unit.chunk
    opening = excerpt.head_of(source, chunk)
    declared = without_decorators(excerpt.signature(source, chunk).decode("utf-8", "replace"), chunk.label)
    start = source.rfind(b"\n", 0, chunk.span.start + len(opening) - len(declared.encode())) + 1
    left = source.count(b"\n", chunk.span.start, start)
    if not left:
        return unit, ""
    span = chunk.span._replace(start=start, first=chunk.span.first + left)
    chunks = [chunk._replace(span=span) if i == unit.ordinal else one for i, one in enumerate(unit.chunks)]
    return structs.replace(unit, chunks=chunks), f"{excerpt.mark('', left)}\n"


def _last_opening_line(unit: Unit) -> int:
    """The line that its opening ends in."""
    return unit.chunk.span.first + excerpt.head_of(unit.source, unit.chunk).count(b"\n")


def _lines(unit: Unit) -> list[Span]:
    """Of its body."""
    source, chunk = unit.source, unit.chunk
    start, end = chunk.span.start + len(excerpt.head_of(source, chunk)), chunk.span.end
    number = chunk.span.first + source.count(b"\n", chunk.span.start, start)
    found = []
    while start < end:
        line_end = source.find(b"\n", start, end)
        line_end = end if line_end < 0 else line_end
        found.append(Span(start, line_end, number, number))
        start, number = line_end + 1, number + 1
    return found


def _block(texts: Sequence[str], depths: Sequence[int], i: int) -> range:
    """The block that a line stands in, by indentation, with the line that opens it and one that closes it.

    Empty if it is long, if it is the body itself, and for an empty line and one that is not compared with the task.
    """
    depth = depths[i] if i < len(depths) else EMPTY
    if depth == EMPTY:
        return range(0)
    start = end = i
    while start > 0 and i - start <= WHOLE_BLOCK and depths[start - 1] >= depth:
        start -= 1
    while end + 1 < len(depths) and end - start <= WHOLE_BLOCK and depths[end + 1] >= depth:
        end += 1
    if start == 0:  # there is no line of the body that opens it
        return range(0)
    is_level = end + 1 < len(depths) and depths[end + 1] == depths[start - 1]
    closes = is_level and texts[end + 1].lstrip().startswith(_CLOSING)
    block = range(start - 1, end + 1 + closes)
    return block if len(block) <= WHOLE_BLOCK else range(0)


def _depth(text: str) -> int:
    """The columns before a line's text."""
    wide = text.expandtabs(4)
    return len(wide) - len(wide.lstrip()) if wide.strip() else EMPTY


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
