"""What of a class file an oracle of calls needs: methods, their lines, what they invoke, what was inlined."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

BRIDGE = 0x0040
_INVOKES = frozenset({0xB6, 0xB7, 0xB8, 0xB9})  # virtual, special, static, interface
_TABLE_SWITCH, _LOOKUP_SWITCH, _WIDE, _IINC = 0xAA, 0xAB, 0xC4, 0x84
_ONE = frozenset({0x10, 0x12, *range(0x15, 0x1A), *range(0x36, 0x3B), 0xA9, 0xBC})  # bytes that follow an opcode
_TWO = frozenset({0x11, 0x13, 0x14, _IINC, *range(0x99, 0xA9), *range(0xB2, 0xB9), 0xBB, 0xBD, 0xC0, 0xC1, 0xC6, 0xC7})
_FOUR = frozenset({0xB9, 0xBA, 0xC8, 0xC9})
_SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
_WIDE_CONSTANTS = frozenset({5, 6})  # long and double take two places


@dataclass(frozen=True, slots=True)
class Invoke:
    line: int
    owner: str
    name: str
    descriptor: str


@dataclass(slots=True)
class Method:
    name: str
    descriptor: str
    flags: int
    lines: list[int] = field(default_factory=list)
    invokes: list[Invoke] = field(default_factory=list)


@dataclass(slots=True)
class ClassFile:
    name: str
    above: list[str]
    methods: list[Method]
    source: str = ""
    inlined: str = ""  # the source map that Kotlin writes of what it inlines


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, form: str) -> int:
        (value,) = struct.unpack_from(">" + form, self.data, self.at)
        self.at += struct.calcsize(form)
        return int(value)

    def bytes(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]


class _Pool:
    def __init__(self, reader: _Reader) -> None:
        self._raw: dict[int, bytes] = {}
        number, count = 1, reader.take("H")
        while number < count:
            tag = reader.take("B")
            self._raw[number] = reader.bytes(reader.take("H") if tag == 1 else _SIZES[tag])
            number += 2 if tag in _WIDE_CONSTANTS else 1

    def text(self, number: int) -> str:
        return self._raw[number].decode("utf-8", "replace")

    def named(self, number: int) -> str:
        """The name of a class."""
        return self.text(struct.unpack(">H", self._raw[number])[0]) if number else ""

    def member(self, number: int) -> tuple[str, str, str]:
        owner, both = struct.unpack(">HH", self._raw[number])
        name, descriptor = struct.unpack(">HH", self._raw[both])
        return self.named(owner), self.text(name), self.text(descriptor)


def read(data: bytes) -> ClassFile:
    reader = _Reader(data)
    reader.bytes(8)
    pool = _Pool(reader)
    reader.take("H")
    name = pool.named(reader.take("H"))
    above = [pool.named(reader.take("H"))]
    above += [pool.named(reader.take("H")) for _ in range(reader.take("H"))]
    for _ in range(reader.take("H")):
        reader.bytes(6)
        list(_attributes(reader, pool))
    found = ClassFile(name, [one for one in above if one], [_method(reader, pool) for _ in range(reader.take("H"))])
    for kind, content in _attributes(reader, pool):
        if kind == "SourceFile":
            found.source = pool.text(_Reader(content).take("H"))
        elif kind == "SourceDebugExtension":
            found.inlined = content.decode("utf-8", "replace")
    return found


def _attributes(reader: _Reader, pool: _Pool) -> Iterator[tuple[str, bytes]]:
    for _ in range(reader.take("H")):
        kind = pool.text(reader.take("H"))
        yield kind, reader.bytes(reader.take("I"))


def _method(reader: _Reader, pool: _Pool) -> Method:
    flags, name, descriptor = reader.take("H"), pool.text(reader.take("H")), pool.text(reader.take("H"))
    found = Method(name, descriptor, flags)
    for kind, content in _attributes(reader, pool):
        if kind == "Code":
            _code(_Reader(content), pool, found)
    return found


def _code(reader: _Reader, pool: _Pool, method: Method) -> None:
    reader.bytes(4)
    code = reader.bytes(reader.take("I"))
    reader.bytes(8 * reader.take("H"))
    starts: list[tuple[int, int]] = []
    for kind, content in _attributes(reader, pool):
        if kind == "LineNumberTable":
            table = _Reader(content)
            starts += [(table.take("H"), table.take("H")) for _ in range(table.take("H"))]
    starts.sort()
    method.lines = [line for _, line in starts]
    for at, number in _invoked(code):
        line = max(((start, line) for start, line in starts if start <= at), default=(0, 0))[1]
        method.invokes.append(Invoke(line, *pool.member(number)))


def _invoked(code: bytes) -> Iterator[tuple[int, int]]:
    """Where something is invoked, and what, by its number among the constants."""
    at = 0
    while at < len(code):
        if code[at] in _INVOKES:
            yield at, struct.unpack_from(">H", code, at + 1)[0]
        at += _length(code, at)


def _length(code: bytes, at: int) -> int:
    opcode = code[at]
    if opcode in (_TABLE_SWITCH, _LOOKUP_SWITCH):
        begin = at + 1 + (-(at + 1) % 4)
        first, second = struct.unpack_from(">ii", code, begin + 4)
        if opcode == _LOOKUP_SWITCH:
            return begin + 8 + 8 * int(first) - at
        (second, first) = (second, first) if second >= first else (first, second)
        return begin + 12 + 4 * int(second - first + 1) - at
    if opcode == _WIDE:
        return 6 if code[at + 1] == _IINC else 4
    if opcode == 0xC5:
        return 4
    return 1 + (1 if opcode in _ONE else 2 if opcode in _TWO else 4 if opcode in _FOUR else 0)
