"""The facts of all files, as linking asks for them. Most of them are calls: each stays packed until it is asked for."""

from collections.abc import Iterator, Mapping, Sequence
from typing import overload

from msgspec import Raw, Struct, defstruct, structs
from msgspec.msgpack import Decoder

from clew.index.facts import Called, Facts
from clew.store.extracts import Extracts
from clew.store.packing import unpack

_CALL = Decoder(Called)
# As `Facts`, with each call as it is written in the store.
_LYING: type[Struct] = defstruct(
    "_Lying",
    [(one.name, tuple[Raw, ...] if one.name == "calls" else one.type) for one in structs.fields(Facts)],
    array_like=True,
    frozen=True,
)


class Calls(Sequence[Called]):
    """The calls of a file, each read when it is asked for."""

    __slots__ = ("_packed",)

    def __init__(self, packed: tuple[Raw, ...]) -> None:
        self._packed = packed

    def __len__(self) -> int:
        return len(self._packed)

    @overload
    def __getitem__(self, place: int) -> Called: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Called, ...]: ...

    def __getitem__(self, place: int | slice) -> Called | tuple[Called, ...]:
        if isinstance(place, slice):
            return tuple(map(_CALL.decode, self._packed[place]))
        return _CALL.decode(self._packed[place])

    def __iter__(self) -> Iterator[Called]:
        return map(_CALL.decode, self._packed)


class Shelf:
    """Facts are taken from the store when they are first asked for."""

    def __init__(self, extracts: Extracts, files: Mapping[str, int]) -> None:
        self._extracts = extracts
        self._files = files
        self._taken: dict[str, Facts] = {}

    def __call__(self, path: str) -> Facts:
        found = self._taken.get(path)
        if found is None:
            (packed,) = self._extracts.facts([self._files[path]])
            found = self._taken[path] = opened(packed)
        return found

    def fill(self) -> None:
        """Take all of them at once."""
        packed = self._extracts.facts(list(self._files.values()))
        self._taken = {path: opened(data) for path, data in zip(self._files, packed, strict=True)}


def opened(packed: bytes) -> Facts:
    lying = unpack(packed, _LYING)
    said = {name: getattr(lying, name) for name in Facts.__struct_fields__}
    return Facts(**(said | {"calls": Calls(said["calls"])}))
