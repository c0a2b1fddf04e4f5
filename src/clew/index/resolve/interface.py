"""What of a file others may depend on, as one digest."""

from blake3 import blake3
from msgspec import msgpack

from clew.index.facts import Facts


def interface(facts: Facts) -> bytes:
    return blake3(msgpack.encode(facts)).digest()
