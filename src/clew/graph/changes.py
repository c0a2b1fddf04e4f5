"""Changed code: unified diffs, and the symbols that their changed lines belong to. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Protocol

from msgspec import Struct

from clew.model.code import symbol_id
from clew.model.errors import InvalidInput

ABSENT = "/dev/null"
MOST_COMPARED = 20_000  # lines of a file between its first and last difference; more count as changed altogether

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_PLAIN_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
_IMPORT = re.compile(r"\s*(?:import|from|use|using|require|require_once|include|package|namespace|#\s*include|mod)\b")
_COMMENT = re.compile(r"\s*(?:#(?!\s*include|\[|!\[)|//|/\*|\*(?:[\s/]|$)|--\s|;;)")

_DEFINING = re.compile(
    r"\b(?:def|class|func|function|fn|fun|interface|struct|trait|enum|module)\s+(?:\([^)]*\)\s*)?(?:self\.)?([^\W\d]\w*)"
)

# How probably a change of lines outside of every function affects what is around them.
IMPORTS_ONLY, TOP_LEVEL, INSERTED = 0.1, 0.5, 0.2


class Run(Struct, frozen=True):
    """Consecutive changed lines: where they were and are, 1-based, and the lines themselves.

    Where there are no lines on a side, its `first` is the line before the place.
    """

    old_first: int
    new_first: int
    removed: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def is_trivial(self) -> bool:
        """Whether all changed lines are blank or comments."""
        return all(not line.strip() or _COMMENT.match(line) for line in (*self.removed, *self.added))


class FileChange(Struct, frozen=True):
    """A changed file; `old_path` is empty if it was added, `path` if it was deleted. Without runs, its
    content is unknown."""

    path: str
    old_path: str
    runs: tuple[Run, ...] = ()

    @property
    def name(self) -> str:
        return self.path or self.old_path


class Seed(Struct, frozen=True, order=True):
    """A changed node, with the probability that its dependents are affected; `line` is one of its changed lines."""

    id: str
    probability: float
    line: int = 0


class IndexedLines(Protocol):
    """A file as the index has it: its lines, and the scope around each of them."""

    def lines(self) -> Sequence[str]: ...

    def at(self, line: int) -> str: ...


def parse_diff(text: str) -> tuple[FileChange, ...]:
    """Files of a unified diff, as git or diff write it."""
    found = list(_files(text.split("\n")))
    if not found and text.strip():
        raise InvalidInput("this is not a unified diff", "Pass the output of `git diff`, or of `diff -u`.")
    return tuple(found)


def compare(path: str, old: str, new: str) -> FileChange:
    """The change from one text of a file to another."""
    before, after = old.splitlines(), new.splitlines()
    start = 0
    while start < len(before) and start < len(after) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    a, b = before[start : len(before) - end], after[start : len(after) - end]
    return FileChange(path, path, tuple(_runs(a, b, start)))


def seeds_of(change: FileChange, page: IndexedLines) -> Iterator[Seed]:
    """Nodes of a file that its changed lines belong to, on the side of the change that the file is now."""
    if not change.runs:
        yield Seed(change.name, 1.0)
        return
    old = is_old(change, page.lines())
    for run in change.runs:
        if not run.is_trivial:
            yield from _seeds(change.name, run, page, old=old)


def is_old(change: FileChange, lines: Sequence[str]) -> bool:
    """Whether a file is as it was before a change: more of its old lines are in their places than of its new ones."""

    def score(first: int, wanted: Sequence[str]) -> int:
        there = lines[first - 1 : first - 1 + len(wanted)]
        return sum(1 if one == other else -1 for one, other in zip(there, wanted, strict=False)) - (
            len(wanted) - len(there)
        )

    old = sum(score(run.old_first, run.removed) for run in change.runs)
    new = sum(score(run.new_first, run.added) for run in change.runs)
    return old > new


def removed_names(change: FileChange) -> set[str]:
    """Names of definitions in removed lines that no added line defines."""
    gone, made = (
        {match[1] for run in change.runs for line in getattr(run, side) for match in _DEFINING.finditer(line)}
        for side in ("removed", "added")
    )
    return gone - made


def sides_of(change: FileChange, lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """The lines of a file before and after a change, from those of the side that it is on."""
    old = is_old(change, lines)
    here, there = list(lines), list(lines)
    for run in sorted(change.runs, key=lambda one: -(one.old_first if old else one.new_first)):
        first, mine, others = (
            (run.old_first, run.removed, run.added) if old else (run.new_first, run.added, run.removed)
        )
        start = first - 1 if mine else first  # without lines on this side, `first` is the line before
        there[start : start + len(mine)] = others
    return (here, there) if old else (there, here)


def _seeds(path: str, run: Run, page: IndexedLines, *, old: bool) -> Iterator[Seed]:
    first, count = (run.old_first, len(run.removed)) if old else (run.new_first, len(run.added))
    if not count:
        # Nothing of this side changed: something was inserted or removed between two lines.
        around = {page.at(line) for line in (first, first + 1) if line > 0}
        scope = around.pop() if len(around) == 1 else ""
        others = run.added if old else run.removed
        yield Seed(symbol_id(path, scope), 1.0 if scope and not _is_definition(others) else _outside(others), first)
        return
    lines = page.lines()
    for line in range(first, first + count):
        text = lines[line - 1] if line <= len(lines) else ""
        if not text.strip():
            continue
        scope = page.at(line)
        yield Seed(symbol_id(path, scope), 1.0 if scope else _outside((text,)), line)


def _is_definition(lines: Sequence[str]) -> bool:
    """Whether inserted lines are most likely a definition of their own, which nothing depended on."""
    said = [line for line in lines if line.strip() and not _COMMENT.match(line)]
    return bool(said) and bool(re.match(r"\s*(?:@|(?:\w+\s+)*(?:def|class|func|function|fn|fun|interface)\b)", said[0]))


def _outside(lines: Sequence[str]) -> float:
    said = [line for line in lines if line.strip()]
    if all(map(_IMPORT.match, said)):
        return IMPORTS_ONLY
    return INSERTED if _is_definition(said) else TOP_LEVEL


def merge_seeds(seeds: Iterable[Seed]) -> list[Seed]:
    """One seed for each node, the most probable; sorted."""
    best: dict[str, Seed] = {}
    for seed in seeds:
        if seed.id not in best or seed.probability > best[seed.id].probability:
            best[seed.id] = seed
    return sorted(best.values())


def _runs(before: Sequence[str], after: Sequence[str], offset: int) -> Iterator[Run]:
    if max(len(before), len(after)) > MOST_COMPARED:
        yield Run(offset + bool(before), offset + bool(after), tuple(before), tuple(after))
        return
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            yield Run(offset + a + (b > a), offset + c + (d > c), tuple(before[a:b]), tuple(after[c:d]))


def _files(lines: Sequence[str]) -> Iterator[FileChange]:
    place, old, new = 0, "", ""
    runs: list[Run] = []
    in_head = False  # behind `diff --git`, before the paths
    while place < len(lines):
        line = lines[place]
        has_paths = line.startswith("--- ") and _is_head(lines, place)
        if line.startswith("diff --git ") or (has_paths and not in_head):
            if old or new:
                yield _change(old, new, runs)
            old, new = _paths_of_git(line)
            runs, in_head = [], True
        if has_paths:
            old, new, in_head = _path(line[4:]), _path(lines[place + 1][4:]), False
            place += 1
        elif in_head:
            old, new = _of_head(line, old, new)
        elif (old or new) and (match := _HUNK.match(line)):
            place = _hunk(lines, place + 1, match, runs)
            continue
        place += 1
    if old or new:
        yield _change(old, new, runs)


def _of_head(line: str, old: str, new: str) -> tuple[str, str]:
    """The paths after an extended header line of git's diff."""
    if line.startswith("new file mode"):
        return ABSENT, new
    if line.startswith("deleted file mode"):
        return old, ABSENT
    if line.startswith("rename from "):
        return _path(f"a/{line.removeprefix('rename from ')}"), new
    if line.startswith("rename to "):
        return old, _path(f"b/{line.removeprefix('rename to ')}")
    return old, new


def _is_head(lines: Sequence[str], place: int) -> bool:
    return place + 1 < len(lines) and lines[place + 1].startswith("+++ ")


def _change(old: str, new: str, runs: Sequence[Run]) -> FileChange:
    return FileChange("" if new == ABSENT else new, "" if old == ABSENT else old, tuple(runs))


def _hunk(lines: Sequence[str], place: int, match: re.Match[str], runs: list[Run]) -> int:
    """Read a hunk; returns the place behind it."""
    old, new = int(match[1]), int(match[3])
    old_left, new_left = int(match[2] or 1), int(match[4] or 1)
    old, new = old + (old_left == 0), new + (new_left == 0)
    removed, added = list[str](), list[str]()

    def close() -> None:
        if removed or added:
            first_old, first_new = old - len(removed), new - len(added)
            runs.append(Run(first_old - (not removed), first_new - (not added), tuple(removed), tuple(added)))
            removed.clear()
            added.clear()

    while place < len(lines) and (old_left > 0 or new_left > 0 or lines[place].startswith("\\")):
        mark, text = lines[place][:1], lines[place][1:].rstrip("\r")
        if mark == "-":
            removed.append(text)
            old, old_left = old + 1, old_left - 1
        elif mark == "+":
            added.append(text)
            new, new_left = new + 1, new_left - 1
        elif mark in (" ", ""):
            close()
            old, new, old_left, new_left = old + 1, new + 1, old_left - 1, new_left - 1
        elif mark != "\\":
            break
        place += 1
    close()
    return place


def _paths_of_git(line: str) -> tuple[str, str]:
    """The paths in a `diff --git` line, which alone names a file of which only the mode changed, or that is binary."""
    if not line.startswith("diff --git "):
        return "", ""
    rest = line.removeprefix("diff --git ")
    if rest.startswith('"'):
        parts = re.findall(r'"(?:[^"\\]|\\.)*"|\S+', rest)
        return (_path(parts[0]), _path(parts[-1])) if len(parts) >= 2 else ("", "")
    half = len(rest) // 2
    if rest[2:half] == rest[half + 3 :]:
        return rest[2:half], rest[half + 3 :]
    return "", ""


def _path(text: str) -> str:
    """A path as a diff writes it: quoted, with a prefix, with a time stamp behind a tab."""
    if text.startswith('"'):
        inner = text[1 : text.rindex('"')].encode("utf-8", "surrogateescape")
        text = _ESCAPE.sub(_unescape, inner).decode("utf-8", "surrogateescape")
    else:
        text = text.split("\t")[0].rstrip("\r")
    if text == ABSENT:
        return text
    return text[2:] if text[:2] in ("a/", "b/", "i/", "w/", "c/", "o/") else text


def _unescape(match: re.Match[bytes]) -> bytes:
    said = match[1]
    return bytes([int(said, 8) & 0xFF]) if said.isdigit() else _PLAIN_ESCAPES.get(said, said)
