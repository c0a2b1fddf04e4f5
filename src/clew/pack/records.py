"""Packs that were written: one JSON record a line, in `context_packs.jsonl` and, as that grows, in shards beside it.

Ground state: a record is on the disk before it is acknowledged, and only `clew forget` takes one out again. Many
processes may write at once, one at a time by a lock; who is killed while writing leaves a torn line, which the next one
closes and readers pass over. The files lie in the project's `.clew/`, also where its database is a server.
"""

import errno
import mmap
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from clew.model.errors import ClewError, DiskFull, InvalidInput, NotFound, StoreCorrupt, StoreNewer, StoreReadOnly
from clew.pack.artifact import FORMAT_VERSION, SCHEMA, SCHEMA_VERSION, ContextPack
from clew.pack.request import canonical
from clew.runtime.encryption import SealedFile
from clew.runtime.plain import map_own, open_as_it_is, open_own, read_own

NAME = "context_packs"
MAX_SHARD_BYTES = 16 * 1024 * 1024

_FILE = f"{NAME}.jsonl"
_META = f"{NAME}.meta.json"
_MANIFEST = f"{NAME}.manifest.json"
_LOCK = f"{NAME}.lock"
_SHARD = re.compile(rf"{NAME}\.part-(\d{{5}})\.jsonl")
WHOLE = 64  # digits of an id
SHORTEST = 8  # of the beginning of one
_ID = re.compile(rf"[0-9a-f]{{{SHORTEST},{WHOLE}}}")


class Shard(Struct, frozen=True):
    path: str
    bytes: int
    records: int


class Meta(Struct, frozen=True, rename="camel"):
    """The contents of the shards; newer records are in the file that is being written."""

    format_version: int
    artifact: str
    max_shard_bytes: int
    shards: tuple[Shard, ...]


class Manifest(Struct, frozen=True, rename="camel"):
    """The entry point: the artifact, its version, and the files with the details."""

    format_version: int
    schema: str
    schema_version: str
    current: str
    meta: str


class _Head(Struct, frozen=True, rename="camel"):
    """The fields that a record has in every version."""

    format_version: int
    pack_id: str
    schema: str = ""
    schema_version: str = ""


class Records:
    def __init__(self, folder: Path, max_shard_bytes: int = MAX_SHARD_BYTES) -> None:
        self._folder = folder
        self._max = max_shard_bytes

    def write(self, pack: ContextPack) -> None:
        """Write a pack record; an existing record of the same pack is left as it is."""
        line = canonical(pack) + b"\n"
        try:
            with self._lock_records():
                if not self._is_readable(pack.pack_id):
                    self._append(line)
                else:  # by one that may have been killed before it could be sure
                    self._settle()
        except OSError as error:
            raise _disk_error(self._folder, error) from error

    def read(self, pack_id: str) -> ContextPack:
        """By its id, or by the beginning of it that answers show."""
        if not _ID.fullmatch(pack_id):
            raise InvalidInput(
                f"pack_id: {pack_id!r} is no pack's id", f"It has {SHORTEST} to {WHOLE} hexadecimal digits."
            )
        ids = self._ids(pack_id)
        if not ids:
            raise NotFound(f"no pack {pack_id} was written here", "Make it with context_pack_create and write=true.")
        if len(ids) > 1:
            several = ", ".join(sorted(ids)[:3])
            raise InvalidInput(f"pack_id: {pack_id} is the beginning of {len(ids)} ids", f"Name one: {several}.")
        return self._read(ids.pop())

    def every(self) -> Iterator[ContextPack]:
        """All packs that can be read, each once, the oldest first."""
        ids = dict.fromkeys(
            found[1].decode()
            for path in (*self._shards(), self._folder / _FILE)
            for found in _matches(path, re.compile(rb'"packId":"([0-9a-f]{%d})"' % WHOLE))
        )
        for pack_id in ids:
            with suppress(ClewError):
                yield self._read(pack_id)

    def remove(self, is_unwanted: Callable[[bytes], bool]) -> int:
        """Erase records by their lines; returns how many. The only way in which a record is ever taken out."""
        removed = 0
        if not any(path.exists() for path in self._files()):
            return 0
        with self._lock_records():
            for path in self._files():
                with suppress(FileNotFoundError):
                    lines = read_own(path).splitlines(keepends=True)
                    kept = [line for line in lines if not is_unwanted(line)]
                    if len(kept) < len(lines):
                        removed += len(lines) - len(kept)
                        _replace(path, b"".join(kept))
        return removed

    def _read(self, pack_id: str) -> ContextPack:
        """The first record of it that can be read: one may have been damaged, and written again."""
        problem: ClewError | None = None
        for line in self._lines(pack_id):
            try:
                return _decode_record(line, pack_id)
            except ClewError as error:
                problem = problem or error
        raise problem or _make_damage_error(pack_id, "its record is incomplete")

    def _is_readable(self, pack_id: str) -> bool:
        for line in self._lines(pack_id):
            try:
                return bool(_decode_record(line, pack_id))
            except StoreNewer:
                return True
            except ClewError:
                continue
        return False

    def _ids(self, beginning: str) -> set[str]:
        wanted = re.compile(rb'"packId":"(' + beginning.encode() + rb"[0-9a-f]{%d})\"" % (WHOLE - len(beginning)))
        return {found[1].decode() for path in self._files() for found in _matches(path, wanted)}

    def _lines(self, pack_id: str) -> Iterator[bytes]:
        """Records as they were written. The current file comes first: it may become a shard while we look."""
        wanted = re.compile(rb'"packId":"' + pack_id.encode() + rb'"')
        for path in self._files():
            for found in _matches(path, wanted):
                yield found.string

    def _files(self) -> Iterator[Path]:
        yield self._folder / _FILE
        yield from self._shards()

    def _settle(self) -> None:
        with suppress(FileNotFoundError), open_own(self._folder / _FILE, "r+b") as file:
            os.fsync(file.fileno())

    def _append(self, line: bytes) -> None:
        path = self._folder / _FILE
        if path.exists() and path.stat().st_size + len(line) > self._max:
            self._roll(path)
        is_new = not path.exists()
        with open_own(path, "ab") as file:
            before = file.tell()
            torn = before > 0 and _last_byte(path) != b"\n"
            try:
                file.write((b"\n" if torn else b"") + line)
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                if not isinstance(file, SealedFile):  # which does so itself
                    with suppress(OSError):  # nothing was acknowledged: leave no half of it
                        os.truncate(path, before)
                raise
        if is_new:
            _sync(self._folder)

    def _roll(self, path: Path) -> None:
        """Turn a full file into a shard. If the process is killed here, the next roll adds the shard to the sidecar."""
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
    def _lock_records(self) -> Iterator[None]:
        """The system lets go of it when the process ends, however it ends."""
        with open_as_it_is(self._folder / _LOCK, "ab") as file:
            _lock(file.fileno())
            yield


def _matches(path: Path, wanted: re.Pattern[bytes]) -> list[re.Match[bytes]]:
    """In each line of a file that is a pack's, where its id stands. A line without its end was not acknowledged."""
    try:
        text = map_own(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # an empty file cannot be mapped
        return []
    try:
        lines = []
        at = 0
        while found := wanted.search(text, at):
            start, end = text.rfind(b"\n", 0, found.start()) + 1, text.find(b"\n", found.end())
            if end < 0:
                break
            lines.append(text[start:end])
            at = end
        return [found for line in lines if (found := wanted.search(line))]
    finally:
        found = None  # it holds the map
        if isinstance(text, mmap.mmap):
            text.close()


def _decode_record(line: bytes, pack_id: str) -> ContextPack:
    """StoreNewer, if a newer Clew wrote it; StoreCorrupt, if it is no whole pack of that id."""
    try:
        head = msgspec.json.decode(line, type=_Head)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise _make_damage_error(pack_id, str(error)) from error
    if head.format_version != FORMAT_VERSION:
        raise StoreNewer(f"pack {pack_id} has format {head.format_version}, and this Clew reads {FORMAT_VERSION}")
    if head.schema != SCHEMA or head.schema_version.partition(".")[0] != SCHEMA_VERSION.partition(".")[0]:
        written = f"{head.schema} {head.schema_version}"
        raise StoreNewer(f"pack {pack_id} has schema {written}, and this Clew reads {SCHEMA} {SCHEMA_VERSION}")
    if head.pack_id != pack_id:
        raise _make_damage_error(pack_id, f"it names pack {head.pack_id}")
    try:
        return msgspec.json.decode(line, type=ContextPack)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise _make_damage_error(pack_id, str(error)) from error


def _make_damage_error(pack_id: str, why: str) -> StoreCorrupt:
    hint = "Make it again with context_pack_create and write=true; the new record replaces the damaged one."
    return StoreCorrupt(f"the record of pack {pack_id} is damaged: {why}", hint)


def _shard(path: Path) -> Shard:
    data = read_own(path)
    return Shard(path.name, len(data), data.count(b"\n"))


def _number(path: Path) -> str:
    found = _SHARD.fullmatch(path.name)
    return found[1] if found else "0"


def _last_byte(path: Path) -> bytes:
    with open_own(path) as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1)


def _put(path: Path, value: Struct) -> None:
    _replace(path, canonical(value) + b"\n")


def _replace(path: Path, content: bytes) -> None:
    """Whole or not at all."""
    part = path.with_name(f"{path.name}.part")
    with open_own(part, "wb") as file:
        file.write(content)
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


def _disk_error(folder: Path, error: OSError) -> DiskFull | StoreReadOnly:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"the disk that holds {folder} is full")
    return StoreReadOnly(f"{folder} cannot be written: {error.strerror}", f"Make {folder} writable.")
