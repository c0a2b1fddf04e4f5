"""Secrets in columns: of tables in prose, of CSV files, and of rows that SQL inserts. The name is in the first row."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from clew.text.late_patterns import compile_late
from clew.text.secrets import values
from clew.text.secrets.values import Suspicion, suspicion

MOST_ROWS = 2000  # of one table
_RULE = compile_late(
    rb"^[ \t]*+\|?+[ \t]*+:?+-{3,}+:?+[ \t]*+(?:\|[ \t]*+:?+-{2,}+:?+[ \t]*+)*+\|?+[ \t\r]*+$", re.MULTILINE
)
_CELL = compile_late(rb"[^|\n]*")
_FIELD = compile_late(rb'"(?:[^"\n]|"")*+"|[^",;\t\n\r]*+')
_INSERT = compile_late(rb"(?i)INTO\s++[\w.\"`\[\]]{1,120}\s*\((?P<columns>[^()]{1,2000})\)\s*VALUES\s*")
_ROW = compile_late(rb"\s*+,?\s*+\((?P<row>(?:[^()']|'(?:[^'\\]|\\.|''){0,4000}+'|\([^()]{0,500}+\)){1,4000}+)\)")
_VALUE = compile_late(rb"\s*+(?:[NnEe]?'(?P<text>(?:[^'\\]|\\.|'')*+)'|[^,'()]*+(?:\([^()]*+\))?[^,'()]*+)")


class SecretColumn(NamedTuple):
    """A column whose name promises secrets."""

    place: int
    suspicion: Suspicion


def find_cells(data: bytes, ending: str, *, in_prose: bool) -> Iterator[tuple[int, int]]:
    """The places of secrets in columns."""
    if in_prose and b"|" in data and b"---" in data:
        yield from _in_prose(data)
    if ending in ("csv", "tsv"):
        yield from _in_csv(data)
    for word in (b"INTO ", b"into "):
        at = data.find(word)
        while at >= 0:
            if insert := _INSERT.match(data, at):
                yield from _in_inserted(data, insert)
            at = data.find(word, at + len(word))


def _in_prose(data: bytes) -> Iterator[tuple[int, int]]:
    for rule in _RULE.finditer(data):
        start = data.rfind(b"\n", 0, max(0, rule.start() - 1)) + 1
        head = data[start : rule.start()]
        if head.count(b"|") != data[rule.start() : rule.end()].count(b"|"):
            continue
        if columns := _columns([one[0] for one in _cells(head, 0)]):
            yield from _in_rows(data, rule.end() + 1, columns, b"|")


def _in_csv(data: bytes) -> Iterator[tuple[int, int]]:
    end = data.find(b"\n")
    head = data[: end if end >= 0 else len(data)]
    if end >= 0 and (columns := _columns([one[0].strip(b'"') for one in _fields(head, 0)])):
        yield from _in_rows(data, end + 1, columns, b"")


def _in_rows(data: bytes, at: int, columns: Sequence[SecretColumn], mark: bytes) -> Iterator[tuple[int, int]]:
    for _ in range(MOST_ROWS):
        end = data.find(b"\n", at)
        row = data[at : end if end >= 0 else len(data)]
        if not row.strip() or mark not in row:
            return
        cells = list((_cells if mark else _fields)(row, at))
        for column in columns:
            if column.place < len(cells):
                text, start = cells[column.place]
                if values.looks_chosen(text) or values.looks_random(text):
                    yield start, start + len(text)
        if end < 0:
            return
        at = end + 1


def _cells(row: bytes, at: int) -> Iterator[tuple[bytes, int]]:
    """The cells of a row in Markdown, without what marks them, and where each begins."""
    begin = 1 if row.lstrip().startswith(b"|") else 0
    offset = row.find(b"|") + 1 if begin else 0
    while offset < len(row):
        found = _CELL.match(row, offset)
        assert found is not None
        text = found[0]
        bare = text.strip(b" \t\r`*\"'")
        yield bare, at + offset + (text.find(bare) if bare else 0)
        offset = found.end() + 1


def _fields(row: bytes, at: int) -> Iterator[tuple[bytes, int]]:
    offset = 0
    while offset <= len(row):
        found = _FIELD.match(row, offset)
        assert found is not None
        quotes = found[0].startswith(b'"')
        yield (found[0][1:-1], at + offset + 1) if quotes else (found[0], at + offset)
        offset = max(found.end(), offset) + 1


def _columns(names: Sequence[bytes]) -> list[SecretColumn]:
    rated = (suspicion(b"_".join(name.split())) if len(name.split()) <= 3 else Suspicion.NONE for name in names)
    return [SecretColumn(place, one) for place, one in enumerate(rated) if one >= Suspicion.SOME]


def _in_inserted(data: bytes, insert: "re.Match[bytes]") -> Iterator[tuple[int, int]]:
    columns = _columns([name.strip(b' \t\r\n"`[]') for name in insert["columns"].split(b",")])
    at = insert.end()
    for _ in range(MOST_ROWS if columns else 0):
        row = _ROW.match(data, at)
        if row is None:
            return
        yield from _in_row(data, row, columns)
        at = row.end()


def _in_row(data: bytes, row: "re.Match[bytes]", columns: Sequence[SecretColumn]) -> Iterator[tuple[int, int]]:
    wanted = {one.place: one.suspicion for one in columns}
    at, place = row.start("row"), 0
    while at < row.end("row"):
        value = _VALUE.match(data, at, row.end("row"))
        if value is None:
            return
        if place in wanted and value["text"] is not None and values.is_secret(value["text"], wanted[place]):
            yield value.span("text")
        at, place = value.end() + 1, place + 1
