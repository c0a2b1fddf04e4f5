"""Whether a file still is what the index says: a stat, and where that differs, its content."""

from pathlib import Path

from blake3 import blake3

from clew.runtime.plain import open_plain
from clew.store.files import Known, changed_ns
from clew.text.encodings import as_utf8


def changed_to(root: Path, path: str, known: Known) -> bytes | None:
    """What a file holds now, as text that it has changed, nothing if it is gone; None if it is as known."""
    try:
        status = (root / path).stat()
        if known.is_as_seen(status.st_size, status.st_mtime_ns, changed_ns(status)):
            return None
        with open_plain(root / path) as file:
            content = file.read()
    except OSError:
        return b""
    return None if blake3(content).digest() == known.digest else as_utf8(content)
