"""Packs that were written: one JSON record a line, in `context_packs.jsonl` and, as that grows, in shards beside it.

Ground state: a record is on the disk before it is acknowledged, and nothing is ever taken out again. Many processes may
write at once, one at a time by a lock; who is killed while writing leaves a torn line, which the next one closes and
readers pass over. The files lie in the project's `.clew/`, also where its database is a server.
"""

import errno
import mmap
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from clew.model.errors import DiskFull, InvalidInput, NotFound, StoreNewer, StoreReadOnly
from clew.pack.artifact import FORMAT_VERSION, SCHEMA, SCHEMA_VERSION, ContextPack
from clew.pack.request import canonical

NAME = "context_packs"
MAX_SHARD_BYTES = 16 * 1024 * 1024

_FILE = f"{NAME}.jsonl"
_META = f"{NAME}.meta.json"
_MANIFEST = f"{NAME}.manifest.json"
_LOCK = f"{NAME}.lock"
_SHARD = re.compile(rf"{NAME}\.part-(\d{{5}})\.jsonl")
_ID = re.compile(r"[0-9a-f]{64}")


class Shard(Struct, frozen=True):
    path: str
    bytes: int
    records: int


class Meta(Struct, frozen=True, rename="camel"):
    """What the shards hold; records that came since are in the file that is written to."""

    format_version: int
    artifact: str
    max_shard_bytes: int
    shards: tuple[Shard, ...]


class Manifest(Struct, frozen=True, rename="camel"):
    """Where to begin: what is here, in which version, and which files tell more."""

    format_version: int
    schema: str
    schema_version: str
    current: str
    meta: str


class _Head(Struct, frozen=True, rename="camel"):
    """What of a record is there in every version."""

    format_version: int
    pack_id: str


class Records:
    def __init__(self, folder: Path, max_shard_bytes: int = MAX_SHARD_BYTES) -> None:
        self._folder = folder
        self._max = max_shard_bytes

    def write(self, pack: ContextPack) -> None:
        """Keep a pack, with what surrounds it; one that is kept already stays as it was first written."""
        line = canonical(pack) + b"\n"
        try:
            with self._locked():
                if self._line(pack.pack_id) is None:
                    self._append(line)
                else:  # by one that may have been killed before it could be sure
                    self._settle()
        except OSError as error:
            raise _refused(self._folder, error) from error

    def read(self, pack_id: str) -> ContextPack:
        if not _ID.fullmatch(pack_id):
            raise InvalidInput(f"pack_id: {pack_id!r} is no pack's id", "It has 64 hexadecimal digits.")
        line = self._line(pack_id)
        if line is None:
            raise NotFound(f"no pack {pack_id} was written here", "Make it with context_pack_create and write=true.")
        head = msgspec.json.decode(line, type=_Head)
        if head.format_version != FORMAT_VERSION:
            raise StoreNewer(f"pack {pack_id} has format {head.format_version}, and this Clew reads {FORMAT_VERSION}")
        return msgspec.json.decode(line, type=ContextPack)

    def _line(self, pack_id: str) -> bytes | None:
        """A record as it was written. The current file comes first: it may become a shard while we look."""
        wanted = f'"packId":"{pack_id}"'.encode()
        return next((found for path in self._files() if (found := _find(path, wanted, pack_id))), None)

    def _files(self) -> Iterator[Path]:
        yield self._folder / _FILE
        yield from self._shards()

    def _settle(self) -> None:
        with suppress(FileNotFoundError), (self._folder / _FILE).open("ab") as file:
            os.fsync(file.fileno())

    def _append(self, line: bytes) -> None:
        path = self._folder / _FILE
        if path.exists() and path.stat().st_size + len(line) > self._max:
            self._roll(path)
        is_new = not path.exists()
        with path.open("ab") as file:
            before = file.tell()
            torn = before > 0 and _last_byte(path) != b"\n"
            try:
                file.write((b"\n" if torn else b"") + line)
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                with suppress(OSError):  # nothing was acknowledged: leave no half of it
                    os.truncate(path, before)
                raise
        if is_new:
            _sync(self._folder)

    def _roll(self, path: Path) -> None:
        """What is full becomes a shard. If we are killed here, the next one to roll tells it in the sidecar, too."""
        shards = self._shards()
        number = int(_number(shards[-1])) + 1 if shards else 0
        path.replace(self._folder / f"{NAME}.part-{number:05}.jsonl")
        _sync(self._folder)
        told = tuple(_shard(one) for one in self._shards())
        _put(self._folder / _META, Meta(FORMAT_VERSION, NAME, self._max, told))
        _put(self._folder / _MANIFEST, Manifest(FORMAT_VERSION, SCHEMA, SCHEMA_VERSION, _FILE, _META))

    def _shards(self) -> list[Path]:
        return sorted(path for path in self._folder.glob(f"{NAME}.part-*.jsonl") if _SHARD.fullmatch(path.name))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """The system lets go of it when the process ends, however it ends."""
        with (self._folder / _LOCK).open("ab") as file:
            _lock(file.fileno())
            yield


def _find(path: Path, wanted: bytes, pack_id: str) -> bytes | None:
    """The line of a file that is a pack's; what only quotes its id is passed over, and so is a torn line."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
            at = text.find(wanted)
            while at >= 0:
                start, end = text.rfind(b"\n", 0, at) + 1, text.find(b"\n", at)
                line = text[start : end if end >= 0 else len(text)]
                if end >= 0 and _is_of(line, pack_id):
                    return line
                at = text.find(wanted, at + 1)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # an empty file cannot be mapped
        return None
    return None


def _is_of(line: bytes, pack_id: str) -> bool:
    try:
        return msgspec.json.decode(line, type=_Head).pack_id == pack_id
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return False


def _shard(path: Path) -> Shard:
    data = path.read_bytes()
    return Shard(path.name, len(data), data.count(b"\n"))


def _number(path: Path) -> str:
    found = _SHARD.fullmatch(path.name)
    return found[1] if found else "0"


def _last_byte(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1)


def _put(path: Path, value: Struct) -> None:
    """Whole or not at all."""
    part = path.with_name(f"{path.name}.part")
    with part.open("wb") as file:
        file.write(canonical(value) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
    _sync(path.parent)


def _sync(folder: Path) -> None:
    """That a file is there must be on the disk too; not every system can say so of a folder."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _lock(number: int) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(number, msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined]  # known on Windows alone
    else:
        fcntl.flock(number, fcntl.LOCK_EX)


def _refused(folder: Path, error: OSError) -> DiskFull | StoreReadOnly:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"the disk that holds {folder} is full")
    return StoreReadOnly(f"{folder} cannot be written: {error.strerror}", f"Make {folder} writable.")
