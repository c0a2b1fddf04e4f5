"""Whether a file still matches the index: a stat, and if that differs, its content."""

from pathlib import Path

from blake3 import blake3

from clew.runtime.plain import open_plain
from clew.store.files import Known, changed_ns
from clew.text.encodings import as_utf8


def changed_to(root: Path, path: str, known: Known) -> bytes | None:
    """The current text of a changed file, empty if it is deleted; None if it is unchanged."""
    try:
        status = (root / path).stat()
        if known.is_as_seen(status.st_size, status.st_mtime_ns, changed_ns(status)):
            return None
        with open_plain(root / path) as file:
            content = file.read()
    except OSError:
        return b""
    return None if blake3(content).digest() == known.digest else as_utf8(content)
