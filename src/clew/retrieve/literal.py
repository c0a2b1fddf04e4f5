"""Where a text occurs to the letter, in code, data and prose; all occurrences are counted."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct

from clew.model.search import Scope
from clew.retrieve.scope import masks
from clew.store.arrays import Array
from clew.store.corpus import Corpus
from clew.store.files import Files, IndexedFile
from clew.text.paths import lies_among

AT_ONCE = 200  # files that are read together: a server may be far
LONGEST_LINE = 300  # characters of a line that are shown


class LiteralLine(Struct, frozen=True):
    """A line that has the text, `times` times; `scope` is the innermost symbol that it lies in."""

    path: str
    number: int
    text: str
    scope: str
    language: str
    kind: str
    times: int


class Occurrences(Struct, frozen=True):
    """Lines of code come first, then those of tests, examples and documentation, and of logs and lock files."""

    lines: tuple[LiteralLine, ...]
    files: int

    @property
    def total(self) -> int:
        return sum(one.times for one in self.lines)


def occurrences(corpus: Corpus, files: Files, text: str, scope: Scope, *, words: bool = False) -> Occurrences:
    """`words`: only where it is not a part of a longer name."""
    pattern = re.compile((rb"(?<!\w)%s(?!\w)" if words else b"%s") % re.escape(text.encode()))
    masks = _by_path(corpus, scope)
    found = [line for file in _read(files, sorted(masks)) for line in _lines(file, pattern, masks[file.content.path])]
    found.sort(key=lambda one: (lies_among(one.path), one.path, one.number))
    return Occurrences(tuple(found), len({one.path for one in found}))


def _by_path(corpus: Corpus, scope: Scope) -> dict[str, Array]:
    """The searchable chunks of each searchable file."""
    found: dict[str, Array] = {}
    for part, mask in zip(corpus.parts, masks(corpus, scope), strict=True):
        bounds = part.postings.first_of.tolist()
        for number, path in enumerate(part.postings.paths):
            own = mask[bounds[number] : bounds[number + 1]]
            if part.files[number] and own.any():
                found[path] = own
    return found


def _read(files: Files, paths: Sequence[str]) -> Iterator[IndexedFile]:
    names = iter(paths)
    while some := [*islice(names, AT_ONCE)]:
        yield from files.holding_now(some)


def _lines(file: IndexedFile, pattern: re.Pattern[bytes], mask: Array) -> Iterator[LiteralLine]:
    content = file.whole
    line, seen, last = 1, 0, -1
    made: LiteralLine | None = None
    for match in pattern.finditer(content):
        at = match.start()
        line, seen = line + content.count(b"\n", seen, at), at
        if made is not None and line == last:
            made = _again(made)
            continue
        if made is not None:
            yield made
        last, made = line, _line(file, content, at, line, mask)
    if made is not None:
        yield made


def _again(line: LiteralLine) -> LiteralLine:
    return LiteralLine(line.path, line.number, line.text, line.scope, line.language, line.kind, line.times + 1)


def _line(file: IndexedFile, content: bytes, at: int, number: int, mask: Array) -> LiteralLine | None:
    """None outside of what may be searched."""
    inside = [i for i, one in enumerate(file.chunks) if one.span.start <= at < one.span.end]
    if inside and not any(mask[i] for i in inside if i < len(mask)):
        return None
    chunk = file.chunks[inside[-1]] if inside else None
    start, end = content.rfind(b"\n", 0, at) + 1, content.find(b"\n", at)
    text = content[start : end if end >= 0 else len(content)].decode("utf-8", "replace").rstrip()
    short = text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]} …"
    found = file.content
    scope, kind = (chunk.scope, chunk.kind) if chunk else ("", "")
    return LiteralLine(found.path, number, short, scope, found.language, kind, 1)
