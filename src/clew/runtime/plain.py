"""Plain files: a pipe or a device may be put in the place of one at any moment, and whoever reads it waits for ever."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def open_plain(path: str | Path) -> BinaryIO:
    """A file to read; an `OSError` if what is there is none."""
    file = open(path, "rb", opener=lambda name, _: os.open(name, _FLAGS))  # noqa: SIM115 - handed on
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise OSError(errno.EINVAL, "no plain file", str(path))
