"""The facts of all files, at rest and as linking asks for them. Most are calls, packed as long as nobody looks."""

from collections.abc import Iterator, Mapping, Sequence
from struct import Struct
from typing import TypeAlias, overload

import msgspec
from msgspec import structs

from clew.index.facts import CallFact, Facts
from clew.store.database import Later
from clew.store.extracts import Extracts
from clew.store.packing import pack, unpack, unpack_text

MOST_OPEN = 32  # files whose calls are unpacked

NO_FACTS = Facts()

_LENGTH = Struct("<I")
_NO_CALLS = pack(())


class LazyCalls(Sequence[CallFact]):
    """The calls of a file. Those of the files that were gone through last are unpacked; of a file of which but some
    are asked for, no more than where each begins."""

    __slots__ = ("_open", "_packed")

    def __init__(self, packed: bytes, open_ones: "OpenCalls") -> None:
        self._packed = packed
        self._open = open_ones

    def __len__(self) -> int:
        return len(self._apart())

    @overload
    def __getitem__(self, place: int) -> CallFact: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[CallFact, ...]: ...

    def __getitem__(self, place: int | slice) -> CallFact | tuple[CallFact, ...]:
        if isinstance(place, slice):
            return self._all()[place]
        found = self._apart()[place]
        return found if isinstance(found, CallFact) else msgspec.msgpack.decode(found, type=CallFact)

    def __iter__(self) -> Iterator[CallFact]:
        return iter(self._all())

    def _all(self) -> tuple[CallFact, ...]:
        found = self._open.pop(self, None)
        if type(found) is not tuple:
            found = unpack(self._packed, tuple[CallFact, ...])
        self._keep(found)
        return found

    def _apart(self) -> tuple[CallFact, ...] | list[msgspec.Raw]:
        found = self._open.get(self)
        if found is None:
            found = unpack(self._packed, list[msgspec.Raw])
            self._keep(found)
        return found

    def _keep(self, found: tuple[CallFact, ...] | list[msgspec.Raw]) -> None:
        self._open[self] = found
        if len(self._open) > MOST_OPEN:
            del self._open[next(iter(self._open))]


OpenCalls: TypeAlias = dict[LazyCalls, tuple[CallFact, ...] | list[msgspec.Raw]]


class FactsCache(dict[str, Facts]):
    """By path. Facts are read from the store on demand.

    A missing file has empty facts: an older summary may still lead to a deleted one.
    """

    def __init__(self, extracts: Extracts, files: Mapping[str, int]) -> None:
        self._extracts = extracts
        self._files = files
        self._open: OpenCalls = {}

    def __missing__(self, path: str) -> Facts:
        if path not in self._files:
            return NO_FACTS
        (packed,) = self._extracts.facts([self._files[path]])
        found = self[path] = unpack_facts(packed, self._open)
        return found

    def take_later(self, paths: Sequence[str]) -> Later[None]:
        """Take some of them at once."""
        packed = self._extracts.facts_later([self._files[path] for path in paths])
        return lambda: self.update(
            (path, unpack_facts(data, self._open)) for path, data in zip(paths, packed(), strict=True)
        )

    def fill(self) -> None:
        """Take all of them at once."""
        packed = self._extracts.facts(list(self._files.values()))
        self.update((path, unpack_facts(data, self._open)) for path, data in zip(self._files, packed, strict=True))


def pack_facts(facts: Facts) -> bytes:
    """Facts as they lie in the store: the calls and the others, each packed."""
    others = pack(structs.replace(facts, calls=()))
    return _LENGTH.pack(len(others)) + others + pack(tuple(facts.calls))


def have_names(packed: bytes, names: Sequence[bytes]) -> bool:
    """Whether packed facts may have any of some names, judged by their bytes."""
    (length,) = _LENGTH.unpack_from(packed)
    behind = _LENGTH.size + length
    others, calls = unpack_text(packed[_LENGTH.size : behind]), packed[behind:]
    if any(name in others for name in names):
        return True
    text = b"" if calls == _NO_CALLS else unpack_text(calls)
    return any(name in text for name in names)


def unpack_facts(packed: bytes, open_ones: OpenCalls | None = None) -> Facts:
    (length,) = _LENGTH.unpack_from(packed)
    behind = _LENGTH.size + length
    others, calls = unpack(packed[_LENGTH.size : behind], Facts), packed[behind:]
    if calls == _NO_CALLS:
        return others
    return structs.replace(others, calls=LazyCalls(calls, {} if open_ones is None else open_ones))
