"""Lines of code that a task needs, and lines that an answer shows: recall, precision and F1. Pure but for the index."""

import re
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from clew.model.code import Symbol, split_id
from clew.model.words import CLASSES, Kind
from clew.surfaces.library import Workspace
from clew.text.encodings import as_utf8

FUNCTIONS = (Kind.FUNCTION, Kind.METHOD)
_MARK = re.compile(r"\s*… (?:.*, )?(?P<lines>\d+) lines?\s*\Z")

Lines = Mapping[str, frozenset[int]]  # numbers of lines by path


class LineScore(NamedTuple):
    recall: float
    precision: float

    @property
    def f1(self) -> float:
        both = self.recall + self.precision
        return 2 * self.recall * self.precision / both if both else 0.0


def score(relevant: Lines, shown: Lines) -> LineScore:
    hits = sum(len(lines & shown.get(path, frozenset())) for path, lines in relevant.items())
    wanted, given = (sum(map(len, lines.values())) for lines in (relevant, shown))
    return LineScore(hits / wanted if wanted else 0.0, hits / given if given else 0.0)


def mean(scores: Sequence[LineScore]) -> tuple[float, float, float]:
    """Recall, precision and F1, each the mean over tasks."""
    return (
        statistics.mean(one.recall for one in scores),
        statistics.mean(one.precision for one in scores),
        statistics.mean(one.f1 for one in scores),
    )


class SourceTexts:
    """Files of a checkout, read once each; nothing of what is not there."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._read: dict[str, str] = {}

    def __getitem__(self, path: str) -> str:
        if path not in self._read:
            file = self._root / path
            self._read[path] = as_utf8(file.read_bytes()).decode("utf-8", "replace") if file.is_file() else ""
        return self._read[path]


def joined(places: Iterable[tuple[str, Iterable[int]]]) -> Lines:
    found: dict[str, set[int]] = {}
    for path, lines in places:
        found.setdefault(path, set()).update(lines)
    return {path: frozenset(lines) for path, lines in found.items()}


def with_context(workspace: Workspace, functions: Iterable[str]) -> Lines:
    """The lines of functions, by id, and the opening lines of the classes around each of them."""
    return joined((split_id(one)[0], lines) for one in functions for lines in _with_openings(workspace, one))


def _with_openings(workspace: Workspace, function: str) -> Iterator[range]:
    path, scope = split_id(function)
    symbols = {one.scope: one for one in symbols_of(workspace, path)}
    own = symbols.get(scope)
    if own is None:
        return
    yield range(own.span.first, own.span.last + 1)
    source = (workspace.root / path).read_bytes()
    for outer in symbols.values():
        if outer.kind in CLASSES and outer.span.start < own.span.start and own.span.end <= outer.span.end:
            opening = source[outer.span.start : max(outer.body, outer.span.start)].rstrip()
            yield range(outer.span.first, outer.span.first + opening.count(b"\n") + 1)


def symbols_of(workspace: Workspace, path: str) -> tuple[Symbol, ...]:
    files = workspace.engine.files
    known = files.known_at(path)
    return files.symbols_in(known.file, known.version) if known else ()


def outermost_functions(symbols: Iterable[Symbol]) -> list[Symbol]:
    """Those that are inside of no other."""
    functions = sorted(
        (one for one in symbols if one.kind in FUNCTIONS), key=lambda one: (one.span.start, -one.span.end)
    )
    outermost: list[Symbol] = []
    for one in functions:
        if not outermost or one.span.start >= outermost[-1].span.end:
            outermost.append(one)
    return outermost


def shown_lines(source: str, first: int, last: int, code: str) -> Iterator[int]:
    """The lines of a unit that a shortened form of it shows. A mark counts the lines that are left out."""
    lines = source.split("\n")
    at = first
    for text in code.split("\n"):
        mark = _MARK.match(text)
        if mark and (at > last or lines[at - 1].strip() != text.strip()):
            at += int(mark["lines"])
            continue
        found = next((number for number in range(at, last + 1) if text.strip() in lines[number - 1]), 0)
        if found:
            yield found
            at = found + 1
