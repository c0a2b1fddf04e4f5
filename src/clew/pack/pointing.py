"""The lines of a unit that a stack trace in the task points at: they are shown first."""

from clew.pack.quoting import line_of
from clew.pack.reasons import POINTS
from clew.pack.shelf import Standing
from clew.retrieve.question import Question

LONGEST = 80  # characters of a line that a reason tells
LEAST = 8  # characters of a line of code that a trace quotes; shorter ones stand in many places


class Pointing:
    """Of one task. Lines move from release to release: code that the trace quotes is looked for before its number."""

    def __init__(self, question: Question) -> None:
        self._frames = [(one.path.rpartition("/")[2], one.line) for one in question.frames if one.line]
        lines = (line.strip() for line in question.text.splitlines()) if self._frames else ()
        self._quoted = {line.encode() for line in lines if len(line) >= LEAST}

    def lines(self, unit: Standing) -> tuple[int, ...]:
        """In the order of the file."""
        name, span = unit.path.rpartition("/")[2], unit.chunk.span
        numbers = sorted({line for path, line in self._frames if path == name})
        if not numbers:
            return ()
        text = unit.unit().source[span.start : span.end].split(b"\n")
        quoted = tuple(i for i, line in enumerate(text, span.first) if line.strip() in self._quoted)
        return quoted or tuple(line for line in numbers if span.first <= line <= span.last)

    def told(self, unit: Standing) -> str:
        """The first of these lines with its text, even if there is no room for the code around it."""
        first = next(iter(self.lines(unit)), 0)
        text = line_of(unit.unit().source, first) if first else ""
        short = text if len(text) <= LONGEST else f"{text[:LONGEST].rsplit(' ', 1)[0]} …"
        return f"{POINTS}{first}{f': `{short}`' if short else ''}" if first else ""

    def passage(self, unit: Standing, otherwise: int) -> int:
        """The number of the one that has the first of these lines, from 1 on."""
        first = next(iter(self.lines(unit)), 0)
        found = (i for i, one in enumerate(unit.chunk.passages, 1) if one.first <= first <= one.last)
        return next(found, otherwise)
