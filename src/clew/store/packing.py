"""How long values lie in the store: msgpack, then Zstandard at its fastest; zlib, where an older Clew wrote them."""

import sys
import zlib
from typing import TypeVar

import msgspec

from clew.model.errors import StoreCorrupt

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

T = TypeVar("T")

MOST_UNPACKED = 512 * 1024 * 1024  # bytes of one value; no file that is indexed is as long
MAGIC = b"\x28\xb5\x2f\xfd"
_DAMAGED = (zstd.ZstdError, zlib.error, msgspec.MsgspecError, UnicodeDecodeError)
_encoder = msgspec.msgpack.Encoder()
_squeezer = zstd.ZstdCompressor(level=1)  # one for all: to make one takes as long as most texts; it has a lock


def pack(value: object) -> bytes:
    return pack_text(_encoder.encode(value))


def unpack(data: bytes, kind: type[T]) -> T:
    try:
        return msgspec.msgpack.decode(_text(data), type=kind)
    except _DAMAGED as error:
        raise _corrupt(error) from error


def from_json(text: str, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(text, type=kind)
    except _DAMAGED as error:
        raise _corrupt(error) from error


def pack_text(text: bytes) -> bytes:
    return _squeezer.compress(text, zstd.ZstdCompressor.FLUSH_FRAME)


def unpack_text(data: bytes) -> bytes:
    try:
        return _text(data)
    except _DAMAGED as error:
        raise _corrupt(error) from error


def unpack_opening(data: bytes, length: int) -> bytes:
    """The first bytes of a text; the rest stays packed."""
    try:
        if data[:4] == MAGIC:
            return zstd.ZstdDecompressor().decompress(data, length)
        return zlib.decompressobj().decompress(data, length)
    except _DAMAGED as error:
        raise _corrupt(error) from error


def _text(data: bytes) -> bytes:
    """A few bytes can unpack to more than fits in memory: the announced size is checked first."""
    if data[:4] != MAGIC:
        unpacker = zlib.decompressobj()
        return _whole(unpacker.decompress(data, MOST_UNPACKED + 1), unpacker.eof)
    left, parts = MOST_UNPACKED, []
    while (zstd.get_frame_info(data).decompressed_size or 0) <= left:
        frame = zstd.ZstdDecompressor()
        parts.append(_whole(frame.decompress(data, left + 1), frame.eof))
        left -= len(parts[-1])
        data = frame.unused_data
        if not data:
            return parts[0] if len(parts) == 1 else b"".join(parts)
    raise _too_large()


def _whole(text: bytes, is_whole: bool) -> bytes:
    """Content of a frame; of a frame over the limit, only a part is unpacked."""
    if not is_whole:
        raise _too_large() if len(text) >= MOST_UNPACKED else _corrupt(ValueError("it is not whole"))
    return text


def _too_large() -> StoreCorrupt:
    return StoreCorrupt(f"a value in the database would unpack to more than {MOST_UNPACKED >> 20} MB")


def _corrupt(error: Exception) -> StoreCorrupt:
    """A database has no checksums: damage shows when a value is unpacked."""
    return StoreCorrupt(f"a value in the database is damaged: {error}")
