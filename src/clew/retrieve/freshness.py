"""Whether a file still is what the index says: a stat, and where that differs, its content."""

from pathlib import Path

from blake3 import blake3

from clew.store.files import Known


def is_stale(root: Path, path: str, known: Known) -> bool:
    try:
        status = (root / path).stat()
        if known.is_as_seen(status.st_size, status.st_mtime_ns):
            return False
        return blake3((root / path).read_bytes()).digest() != known.digest
    except OSError:
        return True
