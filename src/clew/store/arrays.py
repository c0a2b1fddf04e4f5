"""Arrays in one memory-mapped file: written once, whole or not at all, and never changed.

The file ends with a checksum. A question that maps megabytes does not verify all of them: such a file is synced to
disk before it is put in place, so that it is whole after a crash of the machine, and index runs verify it.
"""

import mmap
import os
import struct
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from clew.runtime.plain import open_own
from clew.store import sealing

Array = npt.NDArray[Any]

_MAGIC = b"clew\x00005"
_HEADER_LENGTH = struct.Struct("<Q")
_ALIGNMENT = 8
_HEADER = tuple[dict[str, tuple[str, list[int], int]], int, str]


def narrow(numbers: Array) -> Array:
    """In as few bytes as the largest of them needs, two at least."""
    most = int(numbers.max(initial=0))
    return numbers.astype(np.result_type(np.uint16, np.min_scalar_type(most)), copy=False)


def write_arrays(target: Path, arrays: Mapping[str, Array]) -> None:
    _put(target, arrays, os.fsync)


def write_passing(target: Path, arrays: Mapping[str, Array]) -> None:
    """Write without waiting for the disk: for files small enough to be verified at every read."""
    _put(target, arrays, lambda descriptor: None)


def map_checked(path: Path) -> dict[str, Array] | None:
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


def map_arrays(path: Path) -> dict[str, Array] | None:
    """The arrays of a file; None if it is not there or not whole."""
    try:
        with open_own(path) as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return _parse(data, path.name)
    except (OSError, TypeError, ValueError, struct.error, msgspec.MsgspecError):
        return None


def _write(write: Callable[[bytes], object], own: str, arrays: Mapping[str, Array]) -> None:
    """With its own name: one that lies where another should is not taken for it."""
    at = 0
    header: dict[str, tuple[str, list[int], int]] = {}
    for name, array in arrays.items():
        header[name] = (array.dtype.newbyteorder("<").str, list(array.shape), at)
        at += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    head = msgspec.msgpack.encode((header, at, own))
    checksum = _write_padded(write, _MAGIC + _HEADER_LENGTH.pack(len(head)) + head, 0)
    for array in arrays.values():
        data = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
        checksum = _write_padded(write, data, checksum)
    write(sealing.seal(checksum))


def _write_padded(write: Callable[[bytes], object], data: bytes, checksum: int) -> int:
    padded = data + b"\0" * (-len(data) % _ALIGNMENT)
    write(padded)
    return zlib.crc32(padded, checksum)


def _parse(data: mmap.mmap, own: str) -> dict[str, Array]:
    opening = len(_MAGIC) + _HEADER_LENGTH.size
    if data[: len(_MAGIC)] != _MAGIC:
        raise ValueError("not a file of arrays")
    (length,) = _HEADER_LENGTH.unpack(data[len(_MAGIC) : opening])
    header, size, name = msgspec.msgpack.decode(data[opening : opening + length], type=_HEADER)
    base = -(-(opening + length) // _ALIGNMENT) * _ALIGNMENT
    if base + size + sealing.BYTES != len(data) or name != own:
        raise ValueError("a file that is not whole, or another")
    return {
        array: np.frombuffer(data, dtype, int(np.prod(shape)), base + at).reshape(shape)
        for array, (dtype, shape, at) in header.items()
    }
