"""Coverage data of a project as evidence: which tests ran which lines, from coverage.py's contexts and from lcov files.

The files are only read. Data without test names (contexts switched off, empty `TN:` lines) say nothing about tests.
"""

import re
import sqlite3
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

from clew.model.code import SCOPE, split_id
from clew.runtime.plain import read_own

COVERAGE_PY = ".coverage"
LCOV = ("lcov.info", "coverage/lcov.info")
MOST_BYTES = 512 * 1024 * 1024
MOST_STEPS = 200_000_000  # of SQLite's machine, for one file of coverage data
_STEPS_AT_ONCE = 1_000_000

Lines = Mapping[str, frozenset[int]]  # by test, the lines that it ran


class CoverageData:
    """By the path of a source file and the id of a test, the lines that the test ran."""

    def __init__(self, root: Path, tests: Iterable[str]) -> None:
        self._root = root
        self._names = _Names(tests)

    def of(self, path: str) -> Lines:
        """Tests that ran lines of one file; none without usable data."""
        found: dict[str, set[int]] = {}
        for context, lines in (*self._contexts(path), *self._lcov(path)):
            for test in self._names.find(context):
                found.setdefault(test, set()).update(lines)
        return {test: frozenset(lines) for test, lines in found.items()}

    def is_there(self) -> bool:
        return any(_is_plain(self._root / name) for name in (COVERAGE_PY, *LCOV))

    def _contexts(self, path: str) -> list[tuple[str, set[int]]]:
        file = self._root / COVERAGE_PY
        if not _is_plain(file):
            return []
        try:
            with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro&immutable=1", uri=True)) as db:
                return list(self._rows(db, path))
        except sqlite3.Error:  # no data of coverage.py, or of another version of it
            return []

    def _rows(self, db: sqlite3.Connection, path: str) -> Iterator[tuple[str, set[int]]]:
        left = MOST_STEPS // _STEPS_AT_ONCE

        def count() -> int:
            nonlocal left
            left -= 1
            return left < 0

        db.set_progress_handler(count, _STEPS_AT_ONCE)
        db.execute("PRAGMA trusted_schema = OFF")
        wanted = [number for number, name in db.execute("SELECT id, path FROM file") if self._is_meant(str(name), path)]
        contexts = dict(db.execute("SELECT id, context FROM context"))
        for number in wanted:
            query = "SELECT context_id, numbits FROM line_bits WHERE file_id = ?"
            for context, bits in db.execute(query, (number,)):
                yield str(contexts.get(context, "")), _lines(bytes(bits))
            query = "SELECT context_id, fromno, tono FROM arc WHERE file_id = ?"  # with branch coverage
            arcs: dict[int, set[int]] = {}
            for context, first, last in db.execute(query, (number,)):
                arcs.setdefault(context, set()).update(line for line in (first, last) if line > 0)
            yield from ((str(contexts.get(context, "")), lines) for context, lines in arcs.items())

    def _is_meant(self, name: str, path: str) -> bool:
        name = name.replace("\\", "/")
        return name == path or name == f"{self._root.as_posix()}/{path}"

    def _lcov(self, path: str) -> Iterator[tuple[str, set[int]]]:
        for name in LCOV:
            file = self._root / name
            if not _is_plain(file):
                continue
            try:
                text = read_own(file, MOST_BYTES).decode("utf-8", "replace")
            except OSError:
                continue
            yield from self._records(text, path)

    def _records(self, text: str, path: str) -> Iterator[tuple[str, set[int]]]:
        test, inside, lines = "", False, set[int]()
        for row in text.splitlines():
            word, _, rest = row.partition(":")
            if word == "TN":
                test = rest.partition(",")[0]
            elif word == "SF":
                inside, lines = self._is_meant(rest, path), set()
            elif word == "DA" and inside:
                line, _, hits = rest.partition(",")
                if line.isdigit() and hits.partition(",")[0] not in ("", "0"):
                    lines.add(int(line))
            elif row == "end_of_record" and inside and test and lines:
                yield test, lines


class _Names:
    """Ids of tests by the names that test runners give them."""

    def __init__(self, tests: Iterable[str]) -> None:
        self._ids = frozenset(tests)
        self._dotted: dict[str, list[str]] = {}
        for test in sorted(self._ids):
            path, scope = split_id(test)
            module = path.rpartition(".")[0].replace("/", ".")
            dotted = f"{module}.{scope.replace(SCOPE, '.')}"
            last = scope.rpartition(SCOPE)[2]
            for name in {dotted, last}:
                self._dotted.setdefault(name, []).append(test)

    def find(self, context: str) -> tuple[str, ...]:
        """`tests/test_a.py::test_b[1]|run` (pytest-cov), `tests.test_a.test_b` (coverage.py), or a bare name (lcov)."""
        name = re.sub(r"\[.*\]", "", context.partition("|")[0].strip())
        if name in self._ids:
            return (name,)
        named = self._dotted.get(name, [])
        return tuple(named) if len(named) == 1 else ()


def _lines(bits: bytes) -> set[int]:
    """The line numbers of coverage.py's bit sets."""
    return {8 * place + bit for place, byte in enumerate(bits) for bit in range(8) if byte >> bit & 1}


def _is_plain(file: Path) -> bool:
    try:
        found = file.lstat()
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size <= MOST_BYTES
