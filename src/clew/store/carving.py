"""Rows of a damaged SQLite file, read directly from its pages: https://www.sqlite.org/fileformat.html.

SQLite gives up at a page that is not well-formed. Here every page counts by itself: first the pages that belong to
tables, then the pages that nothing refers to any more.
"""

import struct
from collections.abc import Iterator
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import NamedTuple

MAGIC = b"SQLite format 3\0"
HEAD = 100  # bytes of the first page that are of the file
PAGE = 4096  # where the file does not say, as SQLite makes them
LEAF, INNER = 13, 5  # kinds of pages of tables
WAL_HEAD, FRAME_HEAD = 32, 24

Value = int | float | str | bytes | None


class CarvedRow(NamedTuple):
    """`table` is "" where nothing leads to its page; `torn` are the places of texts of which bytes were lost."""

    table: str
    values: tuple[Value, ...]
    torn: frozenset[int]


class _Torn(str):
    """Text of which bytes were lost."""

    __slots__ = ()


class _Damaged(Exception):
    """Malformed bytes."""


class Pages:
    """The pages of a database, with the newer versions from its write-ahead log."""

    def __init__(self, data: bytes | mmap, log: bytes) -> None:
        is_told = data[: len(MAGIC)] == MAGIC
        size = int.from_bytes(data[16:18], "big") if is_told else PAGE
        size = 65536 if size == 1 else size
        self.size = size if size >= 512 and not size & (size - 1) else PAGE
        self.usable = self.size - (data[20] if is_told else 0)
        self._data = data
        self._logged = _read_log(log, self.size)
        self.count = max(len(data) // self.size, *self._logged, 0, 0)

    def __getitem__(self, number: int) -> bytes:
        if number in self._logged:
            return self._logged[number]
        page = self._data[(number - 1) * self.size : number * self.size] if number > 0 else b""
        if len(page) < self.size:
            raise _Damaged
        return page


def carve(path: Path) -> Iterator[CarvedRow]:
    """Every row that can be read, of tables that number their rows."""
    log = path.with_name(f"{path.name}-wal")
    logged = log.read_bytes() if log.exists() else b""
    with path.open("rb") as file:
        if not path.stat().st_size:
            yield from _carve_rows(Pages(b"", logged))
            return
        with mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            yield from _carve_rows(Pages(data, logged))


def _carve_rows(pages: Pages) -> Iterator[CarvedRow]:
    met = _free(pages)
    for name, root in _tables(pages):
        for number in _leaves(pages, root, met):
            yield from _rows(pages, number, name)
    for number in range(2, pages.count + 1):
        if number not in met:
            yield from _rows(pages, number, "")


def _read_log(log: bytes, size: int) -> dict[int, bytes]:
    """The newest of each page that was committed to the log."""
    found: dict[int, bytes] = {}
    waiting: dict[int, bytes] = {}
    for at in range(WAL_HEAD, len(log) - FRAME_HEAD - size + 1, FRAME_HEAD + size):
        number, committed = struct.unpack_from(">II", log, at)
        if log[at + 8 : at + 16] != log[16:24]:  # of another time
            break
        waiting[number] = log[at + FRAME_HEAD : at + FRAME_HEAD + size]
        if committed:
            found |= waiting
            waiting = {}
    return found


def _free(pages: Pages) -> set[int]:
    """Pages that hold nothing any more."""
    free: set[int] = set()
    with suppress(_Damaged, struct.error):
        head = pages[1]
        trunk = int.from_bytes(head[32:36], "big") if head.startswith(MAGIC) else 0
        while trunk and trunk not in free:
            page = pages[trunk]
            count = min(int.from_bytes(page[4:8], "big"), pages.size // 4 - 2)
            free |= {trunk, *struct.unpack_from(f">{count}I", page, 8)}
            trunk = int.from_bytes(page[:4], "big")
    return free


def _tables(pages: Pages) -> list[tuple[str, int]]:
    found = []
    for number in _leaves(pages, 1, set()):
        for row in _rows(pages, number, "sqlite_master"):
            match row.values:
                case ("table", str(name), _, int(root), _) if root > 1:
                    found.append((name, root))
    return found


def _leaves(pages: Pages, root: int, met: set[int]) -> Iterator[int]:
    """Under a page of a table; each page is met once."""
    waiting = [root]
    while waiting:
        number = waiting.pop()
        if number in met:
            continue
        met.add(number)
        with suppress(_Damaged, struct.error):
            page, start = pages[number], HEAD if number == 1 else 0
            if page[start] == LEAF:
                yield number
            elif page[start] == INNER:
                inner = [struct.unpack_from(">I", page, at)[0] for at in _cells(page, start, 12)]
                waiting += [struct.unpack_from(">I", page, start + 8)[0], *reversed(inner)]
            else:
                met.discard(number)


def _cells(page: bytes, start: int, head: int) -> tuple[int, ...]:
    count = min(struct.unpack_from(">H", page, start + 3)[0], len(page) // 4)
    return struct.unpack_from(f">{count}H", page, start + head)


def _rows(pages: Pages, number: int, table: str) -> Iterator[CarvedRow]:
    with suppress(_Damaged, struct.error):
        page, start = pages[number], HEAD if number == 1 else 0
        if page[start] != LEAF:
            return
        for at in _cells(page, start, 8):
            with suppress(_Damaged, struct.error, IndexError):
                yield _row(pages, page, at, table)


def _row(pages: Pages, page: bytes, at: int, table: str) -> CarvedRow:
    length, at = _varint(page, at)
    number, at = _varint(page, at)
    payload = _payload(pages, page, at, length)
    end, at = _varint(payload, 0)
    kinds: list[int] = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    if at != end or end + sum(map(_length, kinds)) != length:
        raise _Damaged
    values: list[Value] = []
    for kind in kinds:
        values.append(_value(kind, payload[at : at + _length(kind)]))
        at += _length(kind)
    if values and values[0] is None:  # it is the row's number
        values[0] = number
    torn = (place for place, value in enumerate(values) if isinstance(value, _Torn))
    return CarvedRow(table, tuple(values), frozenset(torn))


def _payload(pages: Pages, page: bytes, at: int, length: int) -> bytes:
    """The payload of a cell, including its overflow pages."""
    usable, here = pages.usable, length
    if length > pages.count * pages.size:
        raise _Damaged
    if length > usable - 35:
        least = (usable - 12) * 32 // 255 - 23
        here = least + (length - least) % (usable - 4)
        here = here if here <= usable - 35 else least
    parts, left = [page[at : at + here]], length - here
    if len(parts[0]) < here:
        raise _Damaged
    following = struct.unpack_from(">I", page, at + here)[0] if left else 0
    while left > 0:
        more = pages[following]
        parts.append(more[4 : 4 + min(left, usable - 4)])
        left -= len(parts[-1])
        following = struct.unpack_from(">I", more, 0)[0]
    return b"".join(parts)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(8):
        byte = data[at + place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + place + 1
    return value << 8 | data[at + 8], at + 9


def _length(kind: int) -> int:
    if kind in (10, 11):
        raise _Damaged
    return (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)[kind] if kind < 10 else (kind - 12) // 2


def _value(kind: int, data: bytes) -> Value:
    match kind:
        case 0:
            return None
        case 7:
            return float(struct.unpack(">d", data)[0])
        case 8 | 9:
            return kind - 8
        case _ if kind < 7:
            return int.from_bytes(data, "big", signed=True)
        case _:
            return _text(data) if kind % 2 else data


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return _Torn(data.decode("utf-8", "replace"))
