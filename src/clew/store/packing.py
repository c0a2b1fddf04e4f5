"""How long values lie in the store: msgpack, then Zstandard at its fastest; zlib, where an older Clew wrote them."""

import sys
import zlib
from typing import TypeVar

import msgspec

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

T = TypeVar("T")

MAGIC = b"\x28\xb5\x2f\xfd"
_encoder = msgspec.msgpack.Encoder()
_squeezer = zstd.ZstdCompressor(level=1)  # one for all: to make one takes as long as most texts; it has a lock


def pack(value: object) -> bytes:
    return pack_text(_encoder.encode(value))


def unpack(data: bytes, kind: type[T]) -> T:
    return msgspec.msgpack.decode(unpack_text(data), type=kind)


def pack_text(text: bytes) -> bytes:
    return _squeezer.compress(text, zstd.ZstdCompressor.FLUSH_FRAME)


def unpack_text(data: bytes) -> bytes:
    return zstd.decompress(data) if data[:4] == MAGIC else zlib.decompress(data)


def unpack_opening(data: bytes, length: int) -> bytes:
    """The first bytes of a text; the rest stays packed."""
    if data[:4] == MAGIC:
        return zstd.ZstdDecompressor().decompress(data, length)
    return zlib.decompressobj().decompress(data, length)
