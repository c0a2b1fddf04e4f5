"""Which tracked files of a working tree are not as git's index has them, without a program of the repository's.

Git's own comparison applies the filters that attributes name. Here stats decide, as git decides by them, and where they
do not suffice, contents: as they are, or with the line ends that git stores.
"""

import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from clew.runtime.plain import open_plain

if TYPE_CHECKING:
    import hashlib

_ENTRY = re.compile(
    rb"(?P<mode>[0-7]{6}) (?P<sha>[0-9a-f]+) (?P<stage>[0-3])\t(?P<path>[^\0]+)\0"
    rb"(?P<stats>(?:\s+\w+: [^\n]*\n)*)"
)
_STAT = re.compile(rb"(\w+): ([0-9a-f:]+)")
_AT_ONCE = 1024 * 1024  # bytes that are read of a file
_MOST_CONVERTED = 16 * 1024 * 1024  # bytes of a file whose line ends are tried as git stores them

_LINK, _REPOSITORY = 0o120000, 0o160000
_UNCHANGED = 0x8000 | 1 << 30  # assume-unchanged, skip-worktree: flags of an entry that is not to be compared
_NANOSECONDS = 1_000_000_000


class GitIndexEntry(NamedTuple):
    """A tracked path. `mtime_ns` and `size` are those of the file when git last compared it; None if it did not say."""

    path: str
    mode: int
    sha: str
    stage: int
    mtime_ns: int | None
    size: int
    flags: int


def entries(listing: bytes) -> list[GitIndexEntry]:
    """From `git ls-files --stage --debug -z`."""
    return [_entry(found) for found in _ENTRY.finditer(listing)]


def _entry(found: re.Match[bytes]) -> GitIndexEntry:
    stats = dict(_STAT.findall(found["stats"]))
    seconds, _, rest = stats.get(b"mtime", b"").partition(b":")
    mtime_ns = int(seconds) * _NANOSECONDS + int(rest) if seconds.isdigit() and rest.isdigit() else None
    size, flags = stats.get(b"size", b"0"), stats.get(b"flags", b"0")
    return GitIndexEntry(
        os.fsdecode(found["path"]),
        int(found["mode"], 8),
        found["sha"].decode("ascii"),
        int(found["stage"]),
        mtime_ns,
        int(size) if size.isdigit() else 0,
        int(flags, 16),
    )


def stamp(index: Path) -> int:
    """The time at which git's index was written; files changed since or at that moment are compared by content."""
    try:
        return index.stat().st_mtime_ns
    except OSError:
        return 0


def changed_paths(root: Path, found: Iterable[GitIndexEntry], written: int) -> frozenset[str]:
    """Paths that are gone, in conflict, or of another content; whether a file may be executed does not count."""
    return frozenset(entry.path for entry in found if _is_changed(os.path.join(root, entry.path), entry, written))  # noqa: PTH118 - of every file


def _is_changed(file: str, entry: GitIndexEntry, written: int) -> bool:
    if entry.stage:
        return True
    if entry.flags & _UNCHANGED or entry.mode == _REPOSITORY:
        return False
    try:
        now = os.lstat(file)
        if stat.S_ISLNK(now.st_mode) is not (entry.mode == _LINK):
            return True
        if entry.mode == _LINK:
            return not _is_of(entry.sha, os.fsencode(os.readlink(file)))  # noqa: PTH115 - as git stores it
        if not stat.S_ISREG(now.st_mode):
            return True
        if now.st_size == entry.size and now.st_mtime_ns == entry.mtime_ns and now.st_mtime_ns < written:
            return False
        return not _has_content(file, now.st_size, entry.sha)
    except OSError:
        return True


def _has_content(file: str, size: int, sha: str) -> bool:
    digest = _begun(sha, size)
    with open_plain(file) as opened:
        while part := opened.read(_AT_ONCE):
            digest.update(part)
        if digest.hexdigest() == sha:
            return True
        if size > _MOST_CONVERTED:
            return False
        opened.seek(0)
        text = opened.read(_MOST_CONVERTED + 1)
    return b"\r\n" in text and b"\0" not in text and _is_of(sha, text.replace(b"\r\n", b"\n"))


def _is_of(sha: str, content: bytes) -> bool:
    digest = _begun(sha, len(content))
    digest.update(content)
    return digest.hexdigest() == sha


def _begun(sha: str, size: int) -> "hashlib._Hash":
    import hashlib  # loads OpenSSL, and a search compares no contents

    made = hashlib.sha256() if len(sha) == 64 else hashlib.sha1(usedforsecurity=False)
    made.update(b"blob %d\0" % size)
    return made
