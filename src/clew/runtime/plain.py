"""Opens regular files only. A pipe or a device may replace any file at any moment, and its reader would wait forever.

`open_plain` and `read_plain` are for files of the project, which may be links that the user made. `open_own` and
`read_own` are for the files that Clew or git keeps: a link among them leads out of the folder that was trusted.
"""

import errno
import mmap
import os
import stat
from pathlib import Path
from typing import BinaryIO, Literal

from clew.runtime import encryption
from clew.runtime.deadline import check

MOST_BYTES = 256 * 1024 * 1024  # that are read into memory at once unless the caller states another limit

_SAFE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FLAGS = {
    "rb": os.O_RDONLY,
    "r+b": os.O_RDWR,
    "ab": os.O_WRONLY | os.O_CREAT | os.O_APPEND,
    "wb": os.O_WRONLY | os.O_CREAT,  # emptied only once it is known to be a regular file
    "xb": os.O_WRONLY | os.O_CREAT | os.O_EXCL,
}
OwnMode = Literal["rb", "r+b", "ab", "wb", "xb"]


def open_plain(path: str | Path) -> BinaryIO:
    """Open a file to read it; an `OSError` if it is not a regular file. Links are followed."""
    check()
    return _open(path, "rb", 0)


def open_own(path: str | Path, mode: OwnMode = "rb") -> BinaryIO:
    """Open a file that only Clew or git writes; an `OSError` if it is a link or not a regular file.

    Only the last part of the path is checked: the caller has checked its folder. In an encrypted folder, the content
    is sealed on its way to the disk.
    """
    cipher = encryption.cipher_of(path)
    if cipher is None:
        return open_as_it_is(path, mode)
    before = b""
    if mode == "ab" and os.path.lexists(path):
        with open_as_it_is(path) as file:
            before = file.read()
    raw = open_as_it_is(path, mode)
    try:
        return encryption.SealedFile(raw, cipher, mode, raw.read() if mode in ("rb", "r+b") else before)
    except BaseException:
        raw.close()
        raise


def open_as_it_is(path: str | Path, mode: OwnMode = "rb") -> BinaryIO:
    """Open without sealing: for locks, and for markers that are read before the key is known."""
    if not _NO_LINK and Path(path).is_symlink():
        raise OSError(errno.ELOOP, "is a link", str(path))
    return _open(path, mode, _NO_LINK)


def map_own(path: str | Path) -> "mmap.mmap | bytes":
    """The content of such a file, mapped where it is not sealed; a `ValueError` if it is empty."""
    with open_own(path) as file:
        if isinstance(file, encryption.SealedFile):
            if content := file.getvalue():
                return content
            raise ValueError("an empty file")
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def open_inside(root: str | Path, path: str) -> BinaryIO:
    """Open a file of a project to read it; an `OSError` if a link on its way leads out of the root."""
    real, top = os.path.realpath(Path(root, path)), os.path.realpath(root)
    if not real.startswith(f"{top.rstrip(os.sep)}{os.sep}"):
        raise OSError(errno.ELOOP, "is a link that leads out of the project", str(path))
    check()
    return open_own(real)


def read_plain(path: str | Path, most: int = MOST_BYTES) -> bytes:
    """The content of a regular file; an `OSError` if it is longer than `most` bytes."""
    with open_plain(path) as file:
        return _read(file, path, most)


def read_own(path: str | Path, most: int = MOST_BYTES) -> bytes:
    """Read a file that only Clew or git writes."""
    with open_own(path) as file:
        return _read(file, path, most)


def _open(path: str | Path, mode: OwnMode, extra: int) -> BinaryIO:
    flags = _FLAGS[mode] | _SAFE | extra
    python_mode = "wb" if mode == "xb" else mode
    file = open(path, python_mode, opener=lambda name, _: os.open(name, flags, 0o666))  # noqa: SIM115 - handed on
    try:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        if mode == "wb":
            os.ftruncate(file.fileno(), 0)
    except BaseException:
        file.close()
        raise
    return file


def _read(file: BinaryIO, path: str | Path, most: int) -> bytes:
    content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"has more than {most} bytes", str(path))
    return content
