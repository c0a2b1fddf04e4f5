"""Error recovery: if a grammar fails at a line, that line alone is blanked, and the code around it is still parsed.

A text is divided by indentation, in any language, and each part is parsed on its own, inside its containers.
Unparsable parts are divided further; those that cannot be divided are unknown to the grammar.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from clew.index.syntax.ranges import Range

MOST_READ = 12  # times the text, in bytes: beyond that, what is left stays as it is
DEEPEST = 12  # levels
MOST_JOINED = 4  # parts that may be one: an annotation and what it stands on
_LINE = re.compile(rb"([ \t]*)([^\n]*)\n?")
_GOES_ON = re.compile(
    rb"[])}{.,?:|&+<>=*/]|(?:end|else|elif|elsif|except|finally|rescue|ensure|when|catch|then|where|fi|done|esac|do)\b"
)
_NESTED = rb"\([^()]*(?:\([^()]*\)[^()]*)*\)"
_LEADS = re.compile(rb"@[\w.:]+(?:" + _NESTED + rb")?|#?\[.*\]|template\s*<.*>")
_DIRECTIVE = re.compile(rb"#[ \t]*(?:if|ifdef|ifndef|elif|else|endif|elseif|region|endregion)\b")
_TAB = 4


class IndentedLine(NamedTuple):
    start: int
    end: int
    indent: int  # -1 of one that says nothing
    goes_on: bool
    leads: bool  # to what stands below it
    opens: int  # braces, less those that it closes


class _Around(NamedTuple):
    before: bytes = b""
    behind: bytes = b""


def unreadable(source: bytes, is_read: Callable[[bytes], bool]) -> tuple[Range, ...]:
    """The lines that a grammar does not know, as few of them as can be told; in order."""
    search = _Search(source, is_read)
    search.look(list(lines_of(source)), _Around(), 0)
    return tuple(sorted(search.found))


def lines_of(source: bytes) -> Iterator[IndentedLine]:
    directive = False  # that goes on in the next line
    for found in _LINE.finditer(source):
        if not found[0]:
            return
        text = found[2].strip()
        directive = directive or _DIRECTIVE.match(text) is not None
        says = bool(text) and not directive
        indent = len(found[1].expandtabs(_TAB)) if says else -1
        goes_on, leads = _GOES_ON.match(text) is not None, _LEADS.fullmatch(text) is not None
        opens = text.count(b"{") - text.count(b"}") if says else 0
        yield IndentedLine(found.start(), found.end(), indent, says and goes_on, leads or not says, opens)
        directive = directive and text.endswith(b"\\")


class _Search:
    def __init__(self, source: bytes, is_read: Callable[[bytes], bool]) -> None:
        self._source = source
        self._is_read = is_read
        self._left = MOST_READ * len(source)
        self.found: list[Range] = []

    def look(self, lines: list[IndentedLine], around: _Around, depth: int) -> bool:
        """Search some lines for unparsable parts; returns whether any of them can be parsed."""
        parts, at, any_read = _parts(lines), 0, False
        while at < len(parts):
            joined = next((n for n in range(1, MOST_JOINED + 1) if self._reads(parts[at : at + n], around)), 0)
            any_read = any_read or joined > 0
            if not joined:
                any_read = self._take_apart(parts[at], around, depth) or any_read
            at += max(joined, 1)
        return any_read

    def _reads(self, parts: list[list[IndentedLine]], around: _Around) -> bool:
        text = around.before + self._text([line for part in parts for line in part]) + around.behind
        self._left -= len(text)
        return self._left < 0 or self._is_read(text)

    def _take_apart(self, part: list[IndentedLine], around: _Around, depth: int) -> bool:
        """Search a part for unparsable code; returns whether any of it can be parsed."""
        runs = _runs(part)
        if (
            len(runs) == 1 and part[-1].goes_on and not self._reads([_outer(part)], around)
        ):  # closed, and still not read
            return self._without_head(part, runs, around, depth)
        known = len(self.found)
        for start, end in runs if depth < DEEPEST else ():
            inner = _Around(
                around.before + self._text(_outer(part[:start])), self._text(_outer(part[end:])) + around.behind
            )
            if self.look(part[start:end], inner, depth + 1):
                continue
            del self.found[known:]
            break
        else:
            if runs and depth < DEEPEST:
                return True
        return self._without_head(part, runs, around, depth)

    def _without_head(self, part: list[IndentedLine], runs: list[Range], around: _Around, depth: int) -> bool:
        """The contents of a part with an unparsable head, as if they stood outside of it.

        Not without a closing line: by its indentation, the contents would become part of the code above.
        """
        start, end = runs[-1] if runs else (len(part), len(part))
        is_closed = any(line.indent >= 0 for line in part[end:])
        if not is_closed:
            start = end = len(part)
        self.found += [(line.start, line.end) for line in (*part[:start], *part[end:]) if line.indent >= 0]
        return is_closed and depth < DEEPEST and self.look(part[start:end], around, depth + 1)

    def _text(self, lines: list[IndentedLine]) -> bytes:
        return b"".join([self._source[line.start : line.end] for line in lines if line.indent >= 0])


def _parts(lines: list[IndentedLine]) -> list[list[IndentedLine]]:
    """Each from a line with the least indentation up to the next one, with the annotations above it.

    Lines that only open or close an unindented block are left out, such as those of namespaces.
    """
    base = min((line.indent for line in lines if line.indent >= 0), default=0)
    parts: list[list[IndentedLine]] = []
    for line in lines:
        begins = line.indent == base and not line.goes_on
        if not parts or (begins and not all(one.leads or one.indent != base for one in parts[-1])):
            parts.append([])
        parts[-1].append(line)
    return [part for part in map(_without_unmatched_braces, parts) if part]


def _without_unmatched_braces(part: list[IndentedLine]) -> list[IndentedLine]:
    """A part without the braces that it closes and never opened; nothing, if it opens one and says no more."""
    opened = sum(line.opens for line in part)
    while opened < 0 and part and part[-1].opens <= 0:
        opened -= part[-1].opens
        part = part[:-1]
    return [] if opened > 0 and not _runs(part) else part


def _runs(part: list[IndentedLine]) -> list[Range]:
    """Where in a part lines stand that are indented further than its first."""
    base = min((line.indent for line in part if line.indent >= 0), default=0)
    runs: list[Range] = []
    for at, line in enumerate(part):
        if line.indent > base:
            start = runs.pop()[0] if runs and _is_near(part, runs[-1][1], at) else at
            runs.append((start, at + 1))
    return runs


def _is_near(part: list[IndentedLine], end: int, at: int) -> bool:
    return all(line.indent < 0 for line in part[end:at])


def _outer(lines: list[IndentedLine]) -> list[IndentedLine]:
    base = min((line.indent for line in lines if line.indent >= 0), default=0)
    return [line for line in lines if line.indent <= base]
