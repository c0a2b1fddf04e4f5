"""What is packed comes back; also what an older Clew packed."""

import sys
import tracemalloc
import zlib

import msgspec
import pytest

from clew.model.errors import StoreCorrupt
from clew.store import packing
from clew.store.packing import pack, pack_text, unpack, unpack_opening, unpack_text

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXT = b"def f():\n    return 1\n" * 500


def test_packed_values_and_texts_come_back() -> None:
    assert unpack(pack(["a", 1]), list) == ["a", 1]
    assert unpack_text(pack_text(TEXT)) == TEXT
    assert unpack_text(pack_text(b"")) == b""
    assert len(pack_text(TEXT)) < len(TEXT) // 20


def test_an_opening_is_the_first_bytes() -> None:
    assert unpack_opening(pack_text(TEXT), 100) == TEXT[:100]
    assert unpack_opening(pack_text(TEXT), 10**6) == TEXT


def test_what_an_older_clew_packed_opens() -> None:
    assert unpack(zlib.compress(msgspec.msgpack.encode(["a"]), 1), list) == ["a"]
    assert unpack_text(zlib.compress(TEXT, 1)) == TEXT
    assert unpack_opening(zlib.compress(TEXT, 1), 100) == TEXT[:100]


@pytest.mark.parametrize("damaged", [b"", b"no", pack_text(b"\xc1"), pack_text(b"\xa2\xff\xff"), pack_text(TEXT)[:20]])
def test_what_cannot_be_opened_is_the_store_s_fault_and_says_what_mends_it(damaged: bytes) -> None:
    with pytest.raises(StoreCorrupt) as raised:
        unpack(damaged, str)

    assert "clew rebuild" in raised.value.hint


def test_texts_that_cannot_be_opened_are_said_likewise() -> None:
    for opened in (unpack_text, lambda data: unpack_opening(data, 9)):
        with pytest.raises(StoreCorrupt):
            opened(b"\x28\xb5\x2f\xfd no frame")


def bomb(blocks: int, *, announced: bool) -> bytes:
    """A few kilobytes that unpack to as many blocks of a megabyte."""
    squeezer = zstd.ZstdCompressor(level=1)
    if announced:
        squeezer.set_pledged_input_size(blocks << 20)
    return b"".join(squeezer.compress(bytes(1 << 20)) for _ in range(blocks)) + squeezer.flush()


@pytest.mark.parametrize("announced", [True, False])
def test_a_bomb_is_refused_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch, announced: bool) -> None:
    monkeypatch.setattr(packing, "MOST_UNPACKED", 4 << 20)
    packed = bomb(64, announced=announced)
    assert len(packed) < 64 * 1024
    packs = (packed, zlib.compress(bytes(64 << 20)), pack_text(b"") + packed)
    tracemalloc.start()
    for opened in packs:
        with pytest.raises(StoreCorrupt):
            unpack_text(opened)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 32 << 20
