"""Arrays in one memory-mapped file: written once, whole or not at all, and never changed.

Each array is a section with a checksum of its own, which is compared when the section is first read: a question pays
for the sections that it uses. The file ends with a checksum of all, which index runs compare.
"""

import mmap
import os
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from clew.model.errors import SnapshotDamaged
from clew.runtime.plain import map_own, open_own
from clew.store import sealing

Array = npt.NDArray[Any]

_MAGIC = b"clew\x00006"
_HEADER_LENGTH = struct.Struct("<Q")
_CHECKSUM = struct.Struct("<I")
_ALIGNMENT = 8
_HEADER = tuple[dict[str, tuple[str, list[int], int, int]], int, str]  # of each array: type, shape, place, checksum


class Sections(Mapping[str, Array]):
    """The arrays of a mapped file. One that is not as it was written raises when it is first read."""

    def __init__(self, name: str, arrays: Mapping[str, Array], checksums: Mapping[str, int]) -> None:
        self._name = name
        self._arrays = arrays
        self._unread = dict(checksums)
        self.is_damaged = False

    def __getitem__(self, section: str) -> Array:
        array, checksum = self._arrays[section], self._unread.get(section)
        if checksum is not None:
            if zlib.crc32(array.data) != checksum:
                self.is_damaged = True
                raise SnapshotDamaged(f"{section} in {self._name} is not as it was written")
            self._unread.pop(section, None)  # another thread may have read it meanwhile
        return array

    @property
    def verified_sections(self) -> set[str]:
        """The sections that were read so far."""
        return self._arrays.keys() - self._unread.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)


def section(name: str) -> "cached_property[Array]":
    """An attribute of an object with `arrays`: one of them, read when it is first needed."""

    def read(holder: Any) -> Array:
        array: Array = holder.arrays[name]
        return array

    return cached_property(read)


def narrow(numbers: Array) -> Array:
    """In as few bytes as the largest of them needs, two at least."""
    most = int(numbers.max(initial=0))
    return numbers.astype(np.result_type(np.uint16, np.min_scalar_type(most)), copy=False)


def write_arrays(target: Path, arrays: Mapping[str, Array]) -> None:
    _put(target, arrays, os.fsync)


def write_passing(target: Path, arrays: Mapping[str, Array]) -> None:
    """Write without waiting for the disk: for files small enough to be verified at every read."""
    _put(target, arrays, lambda descriptor: None)


def map_checked(path: Path) -> Sections | None:
    """The arrays of a file that is as it was written."""
    return map_arrays(path) if sealing.is_whole(path) else None


def _put(target: Path, arrays: Mapping[str, Array], settle: Callable[[int], object]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.stem}.{os.getpid()}.part")
    try:
        with open_own(part, "wb") as file:
            _write(file.write, target.name, arrays)
            file.flush()
            settle(file.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def map_arrays(path: Path) -> Sections | None:
    """The arrays of a file; None if it is not there or not whole. What they hold is verified as it is read."""
    try:
        return _parse(map_own(path), path.name)
    except (OSError, TypeError, ValueError, struct.error, msgspec.MsgspecError):
        return None


def _write(write: Callable[[bytes], object], own: str, arrays: Mapping[str, Array]) -> None:
    """With its own name: one that lies where another should is not taken for it."""
    at = 0
    header: dict[str, tuple[str, list[int], int, int]] = {}
    for name, array in arrays.items():
        checksum = zlib.crc32(_little(array).data)
        header[name] = (array.dtype.newbyteorder("<").str, list(array.shape), at, checksum)
        at += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    head = msgspec.msgpack.encode((header, at, own))
    head += _CHECKSUM.pack(zlib.crc32(head))
    total = _write_padded(write, _MAGIC + _HEADER_LENGTH.pack(len(head)) + head, 0)
    for array in arrays.values():
        total = _write_padded(write, _little(array).tobytes(), total)
    write(sealing.seal(total))


def _little(array: Array) -> Array:
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<"))


def _write_padded(write: Callable[[bytes], object], data: bytes, checksum: int) -> int:
    padded = data + b"\0" * (-len(data) % _ALIGNMENT)
    write(padded)
    return zlib.crc32(padded, checksum)


def _parse(data: mmap.mmap | bytes, own: str) -> Sections:
    opening = len(_MAGIC) + _HEADER_LENGTH.size
    if data[: len(_MAGIC)] != _MAGIC:
        raise ValueError("not a file of arrays")
    (length,) = _HEADER_LENGTH.unpack(data[len(_MAGIC) : opening])
    head = data[opening : opening + length]
    if head[-_CHECKSUM.size :] != _CHECKSUM.pack(zlib.crc32(head[: -_CHECKSUM.size])):
        raise ValueError("the header is not as it was written")
    header, size, name = msgspec.msgpack.decode(head[: -_CHECKSUM.size], type=_HEADER)
    base = -(-(opening + length) // _ALIGNMENT) * _ALIGNMENT
    if base + size + sealing.BYTES != len(data) or name != own:
        raise ValueError("a file that is not whole, or another")
    arrays = {
        array: np.frombuffer(data, dtype, int(np.prod(shape)), base + at).reshape(shape)
        for array, (dtype, shape, at, _) in header.items()
    }
    return Sections(own, arrays, {array: checksum for array, (_, _, _, checksum) in header.items()})
