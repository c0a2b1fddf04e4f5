"""What an index depends on besides the files: if it changes, they are read again, or looked for again."""

from pathlib import Path

import msgspec
from blake3 import blake3

from clew.runtime import plugins
from clew.runtime.settings import Config

FORMAT = "read-23"  # of what a reading holds: a change here re-reads every file


def rules_of(config: Config) -> bytes:
    """What the content of an index depends on: a change re-reads every file."""
    brought = [(one.package, one.version, one.name, one.value) for one in plugins.offered(plugins.LANGUAGES)]
    formats = (FORMAT, config.indexing, config.chunking, config.security, brought)
    return blake3(msgspec.msgpack.encode(formats)).digest()


def boundary_of(root: Path, config: Config) -> bytes:
    """Where the tree lies, and what of the configuration decides which files belong: a change walks it again."""
    return blake3(msgspec.msgpack.encode((str(root), config.watcher, config.indexing))).digest()
