"""The settings of repositories that this user has accepted, by directory and by exactly these values.

One small file per directory, in the user's own data folder, where no repository can put one. It holds a digest, and not
the values: they may be secrets.
"""

import errno
import os
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from blake3 import blake3
from msgspec import Struct

from clew.model.errors import DiskFull, StoreReadOnly
from clew.runtime.keys import Ignored
from clew.runtime.plain import open_plain

FOLDER = "trust"
_DIGITS = 32  # of a directory's digest, as a file name


class Acceptance(Struct, frozen=True):
    """The settings that a user accepted for one directory, and the time."""

    directory: str
    settings: str  # the digest of their values
    keys: tuple[str, ...]
    accepted_at: str


def digest(settings: Iterable[Ignored]) -> str:
    """Names and values as written: variables are not expanded."""
    import json  # only if there is something to accept

    written = {one.key.name: one.written for one in settings}
    text = json.dumps(written, sort_keys=True, ensure_ascii=True, default=repr)
    return blake3(text.encode()).hexdigest()


class Acceptances:
    """The acceptances of one user; `user_data` is the folder for data that must not be lost."""

    def __init__(self, user_data: Path) -> None:
        self._folder = user_data / FOLDER

    def is_accepted(self, directories: Iterable[Path], settings: Iterable[Ignored]) -> bool:
        """Whether exactly these values were accepted, for one of these directories."""
        wanted = digest(settings)
        known = (self.of(directory) for directory in directories)
        return any(one is not None and one.settings == wanted for one in known)

    def of(self, directory: Path) -> Acceptance | None:
        """The one of a directory; one that cannot be read does not count."""
        real = os.path.realpath(directory)
        found = _read(self._file(real))
        return found if found and found.directory == real else None

    def file(self, directory: Path) -> Path:
        """Where the acceptance of a directory is, or would be."""
        return self._file(os.path.realpath(directory))

    def all(self) -> list[Acceptance]:
        files = sorted(self._folder.glob("*.json")) if self._folder.is_dir() else []
        return sorted(filter(None, map(_read, files)), key=lambda one: one.directory)

    def accept(self, directory: Path, settings: Iterable[Ignored]) -> Acceptance:
        """Accept exactly these values for this directory, in place of earlier ones."""
        settings = tuple(settings)
        real = os.path.realpath(directory)
        made = Acceptance(
            real,
            digest(settings),
            tuple(sorted(one.key.name for one in settings)),
            datetime.now(UTC).isoformat(timespec="seconds"),
        )
        file = self._file(real)
        part = file.with_name(f"{file.name}.{os.getpid()}.part")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            part.write_bytes(msgspec.json.format(msgspec.json.encode(made), indent=2) + b"\n")
            part.replace(file)
        except OSError as error:
            raise _write_refusal(self._folder, error) from error
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
        return made

    def revoke(self, directory: Path) -> bool:
        """Whether anything had been accepted for it. The directory itself need not be there any more."""
        try:
            self._file(os.path.realpath(directory)).unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise _write_refusal(self._folder, error) from error
        return True

    def _file(self, directory: str) -> Path:
        name = blake3(os.fsencode(directory)).hexdigest()[:_DIGITS]
        return self._folder / f"{name}.json"


def _read(file: Path) -> Acceptance | None:
    try:
        with open_plain(file) as opened:
            return msgspec.json.decode(opened.read(), type=Acceptance)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _write_refusal(folder: Path, error: OSError) -> DiskFull | StoreReadOnly:
    if error.errno == errno.ENOSPC:
        return DiskFull(f"the disk that holds {folder} is full")
    hint = "Make it writable: accepted settings are kept there."
    return StoreReadOnly(f"{folder} cannot be changed: {error.strerror}", hint)
