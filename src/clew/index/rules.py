"""What an index depends on besides the files: if it changes, they are read again, or looked for again."""

import msgspec
from blake3 import blake3

from clew.runtime.settings import Config

FORMAT = "read-5"  # of what a reading holds: a change here re-reads every file


def rules_of(config: Config) -> bytes:
    """What the content of an index depends on: a change re-reads every file."""
    formats = (FORMAT, config.indexing, config.chunking, config.security)
    return blake3(msgspec.msgpack.encode(formats)).digest()


def boundary_of(config: Config) -> bytes:
    """What of the configuration decides which files belong: a change walks the tree again."""
    return blake3(msgspec.msgpack.encode((config.watcher, config.indexing))).digest()
