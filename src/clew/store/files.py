"""Files at rest: their record on both clocks, their text, and where everything stands in them."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from operator import attrgetter, itemgetter
from typing import NamedTuple

import msgspec
from msgspec import Raw, Struct

from clew.model.code import Chunk, FileVersion, Layout, Reading, Redaction, Symbol
from clew.model.time import AsOf
from clew.store.database import Database, Later, Row, Where
from clew.store.packing import pack, unpack, unpack_opening, unpack_text
from clew.store.together import together

# A file whose time stamp is this near to when it was read may have been written again within the same tick.
RACY_NS = 2_000_000_000
FILES_AT_ONCE = 500


def changed_ns(status: os.stat_result) -> int:
    """When anything was done to a file last, which nobody can set back; 0 where that is not told."""
    return status.st_ctime_ns if os.name == "posix" else 0


_MOST_NS = 2**63 - 1


def storable(nanoseconds: int) -> int:
    """A time as a database can hold it, up to the year 2262: a clock may be wrong by centuries."""
    return min(max(nanoseconds, -_MOST_NS), _MOST_NS)


class Known(Struct, frozen=True):
    """The stored state of a file in the current view."""

    file: int
    version: int
    size: int
    mtime_ns: int
    checked_ns: int
    digest: bytes
    committed: bool
    valid_from: int

    def is_as_seen(self, size: int, mtime_ns: int, changed_ns: int = 0) -> bool:
        """Whether a stat proves the content; not if it was read so soon that a second write may have the same stamp.

        Nor if something was done to the file since: one that is moved to its place brings its own time along.
        """
        is_same = (size, storable(mtime_ns)) == (self.size, self.mtime_ns)
        is_same = is_same and storable(changed_ns) <= self.checked_ns
        return is_same and self.checked_ns - self.mtime_ns > RACY_NS


class Stamp(Struct, frozen=True):
    """When and by which transaction a write is known."""

    tx: int
    known: int


class Earliest(Struct, frozen=True):
    """The first known version of a file."""

    file: int
    version: int
    digest: bytes
    committed: bool
    valid_from: int


class Content(Struct, frozen=True):
    """A file of the current view, as ranking needs to know it."""

    path: str
    file: int
    version: int
    text: bytes
    digest: bytes
    language: str


class IndexedFile(Struct, frozen=True):
    """One content of a file with all that is needed to quote it; `known` tells whether the file still is so."""

    content: Content
    known: Known
    chunks: tuple[Chunk, ...]
    redactions: tuple[Redaction, ...]
    packed: bytes

    def first_bytes(self, length: int) -> bytes:
        """The first bytes of the text as stored."""
        return unpack_opening(self.packed, length)

    @property
    def whole(self) -> bytes:
        """The text as stored."""
        return unpack_text(self.packed)


class Sheet(Struct, frozen=True):
    """A file of the current view with all that is needed to quote any part of it; `text` has its secrets replaced."""

    version: FileVersion
    known: Known
    layout: Layout
    redactions: tuple[Redaction, ...]
    text: bytes


class _Chunks(NamedTuple):
    """A `Layout` with undecoded symbols."""

    symbols: Raw
    chunks: tuple[Chunk, ...]


class _Symbols(NamedTuple):
    """A `Layout` with undecoded chunks."""

    symbols: tuple[Symbol, ...]
    chunks: Raw


class Totals(Struct, frozen=True):
    """Totals of the current view; `last_known` is the time when its newest version became known."""

    files: int
    lines: int
    chunks: int
    last_known: int


class Files:
    def __init__(self, db: Database, where: Where) -> None:
        self.summaries: Callable[[], Mapping[str, str]] = dict  # better ones than those derived from code, by key
        self._db = db
        self._where = where._asdict()

    def current(self) -> dict[str, Known]:
        """The current view by path."""
        return together(self._db, self.known_later)[0]

    def known_later(self) -> Later[dict[str, Known]]:
        """Joined here: a server that has no statistics yet would compare all with all."""
        current, all_stats = (self._db.later(name, **self._where) for name in ("file_current", "file_all"))

        def current_files() -> dict[str, Known]:
            rows, stats = current(), {row["file"]: row for row in all_stats()}
            return {stats[row["file"]]["path"]: _to_known(stats[row["file"]], row) for row in rows}

        return current_files

    def known_at(self, path: str) -> Known | None:
        for row in self._db.query("file_known_at", path=path, **self._where):
            return _to_known(row, row)
        return None

    def known_among(self, paths: Iterable[str]) -> dict[str, Known]:
        """The paths that are in the current view, among a few."""
        names = list(paths)
        if not names:
            return {}
        rows = self._db.query("file_known_among", names=msgspec.json.encode(names).decode(), **self._where)
        found = {row["path"]: _to_known(row, row) for row in rows}
        return {path: found[path] for path in names if path in found}

    def alike(self, digest: bytes) -> list[str]:
        """The paths of the files that are, to the byte, as the digest says."""
        return [row["path"] for row in self._db.query("file_alike", digest=digest, **self._where)]

    def contents(self) -> list[Content]:
        """The current view, in path order."""
        return together(self._db, self.contents_later)[0]

    def contents_later(self) -> Later[list[Content]]:
        current, all_paths = (self._db.later(name, **self._where) for name in ("file_current", "file_paths"))

        def contents() -> list[Content]:
            paths = {row["file"]: row["path"] for row in all_paths()}
            found = [_to_content(row, paths[row["file"]]) for row in current()]
            return sorted(found, key=attrgetter("path"))  # code points sort as their UTF-8 bytes do

        return contents

    def lengths(self) -> dict[int, int]:
        """The lines of each file of the current view, by its number."""
        return {row["file"]: row["lines"] for row in self._db.query("file_lengths", **self._where)}

    def paths(self) -> dict[int, str]:
        """Paths of all files that ever existed, by number."""
        return {row["file"]: row["path"] for row in self._db.query("file_paths", **self._where)}

    def follows(self, file: int) -> tuple[int, int]:
        """The last version of a file, and the time that the next must begin after."""
        row = next(iter(self._db.query("file_version_last", file=file, **self._where)))
        return row["version"], row["after"]

    def find_text(self, path: str, text: bytes) -> IndexedFile:
        """The newest version of a path that has this text, whether or not it is still the current one."""
        return _to_held(next(iter(self._db.query("file_holding", path=path, text_digest=text, **self._where))))

    def holding_now(self, paths: Iterable[str]) -> list[IndexedFile]:
        """The current versions of a few paths."""
        names = msgspec.json.encode(list(paths)).decode()
        return [_to_held(row) for row in self._db.query("file_holding_now", names=names, **self._where)]

    def sheet(self, path: str) -> Sheet | None:
        """Everything about a file of the current view, in one read."""
        for row in self._db.query("file_sheet", path=path, **self._where):
            layout, text = unpack(row["layout"], Layout), unpack_text(row["text"])
            return Sheet(_to_version(row), _to_known(row, row), layout, _to_redactions(row), text)
        return None

    def get(self, path: str, at: AsOf) -> FileVersion | None:
        for row in self._db.query("file_version_get", path=path, **_view(at), **self._where):
            return _to_version(row)
        return None

    def versions_at(self, at: AsOf) -> dict[str, tuple[int, int]]:
        """The number of each file that there was, and of its version then, by path."""
        rows = list(self._db.query("file_versions_at", **_view(at), **self._where))
        paths = self.paths()
        return {paths[row["file"]]: (row["file"], row["version"]) for row in rows}

    def history(self, path: str) -> list[FileVersion]:
        return [_to_version(row) for row in self._db.query("file_history", path=path, **self._where)]

    def keep(self, readings: Iterable[Reading]) -> None:
        """Store their texts; in one order everywhere, so that two checkouts that store the same ones never deadlock."""
        project = self._where["project"]
        texts = {reading.text_digest: reading.text for reading in readings}
        rows = [{"project": project, "digest": digest, "data": texts[digest]} for digest in sorted(texts)]
        self._db.execute_many("blob_put", rows)

    def begin(self, file: int, version: int, reading: Reading, period: tuple[int, bool], stamp: Stamp) -> None:
        """Add a version that holds from now on; `period` is when it began, and whether a commit says so. See `keep`."""
        valid_from, committed = period
        self.record_stat(file, reading.path, reading.size, reading.mtime_ns, reading.checked_ns)
        self._db.execute(
            "file_version_put", file=file, version=version, known_from=stamp.known, valid_from=valid_from,
            tx=stamp.tx, digest=reading.digest, text_digest=reading.text_digest, language=reading.language,
            lines=reading.lines, chunks=reading.chunks, committed=int(committed), **self._where,
        )  # fmt: skip
        self._db.execute("layout_put", file=file, version=version, data=reading.layout, **self._where)
        if reading.redactions:
            data = pack(reading.redactions)
            self._db.execute("redaction_put", file=file, version=version, data=data, **self._where)

    def earliest(self) -> dict[str, Earliest]:
        """The first known version of each path."""
        found = {}
        for row in self._db.query("file_earliest", **self._where):
            known = Earliest(row["file"], row["version"], row["digest"], bool(row["committed"]), row["valid_from"])
            found[row["path"]] = known
        return found

    def precede(self, file: int, version: int, reading: Reading, valid: tuple[int, int], stamp: Stamp) -> None:
        """Add a version that held in a period before the first one that is known. See `keep`."""
        self._db.execute(
            "file_version_past", file=file, version=version, known_from=stamp.known, valid_from=valid[0],
            valid_to=valid[1], tx=stamp.tx, digest=reading.digest, text_digest=reading.text_digest,
            language=reading.language, lines=reading.lines, chunks=reading.chunks, **self._where,
        )  # fmt: skip
        self._db.execute("layout_put", file=file, version=version, data=reading.layout, **self._where)
        if reading.redactions:
            data = pack(reading.redactions)
            self._db.execute("redaction_put", file=file, version=version, data=data, **self._where)

    def refine(self, file: int, version: int, valid_from: int, stamp: Stamp) -> None:
        """Record that a version has been valid since a commit; earlier knowledge is kept."""
        key = {"file": file, "version": version, "known_from": stamp.known, **self._where}
        self._db.execute("file_version_since", valid_from=valid_from, **key)
        self._db.execute("file_version_refine", valid_from=valid_from, tx=stamp.tx, **key)
        self._db.execute("file_version_supersede", **key)

    def end(self, file: int, valid_to: int, stamp: Stamp) -> None:
        """Record from now on that the current version was valid only up to `valid_to`; earlier knowledge is kept."""
        self._restate("file_version_end", file, stamp, valid_to=valid_to)

    def commit(self, file: int, valid_from: int, stamp: Stamp) -> None:
        """Record that uncommitted content was committed: the same content, valid since the commit's time."""
        self._restate("file_version_restate", file, stamp, valid_from=valid_from)

    def record_stat(self, file: int, path: str, size: int, mtime_ns: int, checked_ns: int) -> None:
        """Remember what a stat said, so that the file is not read again until it says otherwise."""
        self._db.execute(
            "file_put",
            file=file,
            path=path,
            size=size,
            mtime_ns=storable(mtime_ns),
            checked_ns=storable(checked_ns),
            **self._where,
        )

    def layout(self, file: int, version: int) -> Layout:
        data = self.packed_layout(file, version)
        return unpack(data, Layout) if data else Layout((), ())

    def symbols_in(self, file: int, version: int) -> tuple[Symbol, ...]:
        """Symbols of one version of a file, without its chunks."""
        data = self.packed_layout(file, version)
        return unpack(data, _Symbols).symbols if data else ()

    def symbols(self, files: Sequence[int]) -> Iterator[tuple[int, tuple[Symbol, ...]]]:
        """Symbols of many current files, in batches."""
        for start in range(0, len(files), FILES_AT_ONCE):
            numbers = msgspec.json.encode(files[start : start + FILES_AT_ONCE]).decode()
            for row in self._db.query("layout_of", numbers=numbers, **self._where):
                yield row["file"], unpack(row["data"], _Symbols).symbols

    def packed_layout(self, file: int, version: int) -> bytes:
        rows = self._db.query("layout_get", file=file, version=version, **self._where)
        return next((row["data"] for row in rows), b"")

    def all_redactions(self) -> list[tuple[str, tuple[Redaction, ...]]]:
        """Redactions of the files of the current view, in path order."""
        rows = self._db.query("redaction_current", **self._where)
        found = ((row["path"], unpack(row["data"], tuple[Redaction, ...])) for row in rows)
        return sorted(found, key=itemgetter(0))

    def redactions(self, file: int, version: int) -> tuple[Redaction, ...]:
        for row in self._db.query("redaction_get", file=file, version=version, **self._where):
            return unpack(row["data"], tuple[Redaction, ...])
        return ()

    def text(self, digest: bytes) -> bytes:
        """The text as stored, secrets replaced."""
        for row in self._db.query("blob_get", project=self._where["project"], digest=digest):
            return unpack_text(row["data"])
        return b""

    def totals(self) -> "Totals":
        row = next(iter(self._db.query("file_counts", **self._where)))
        return Totals(row["files"], row["lines"], row["chunks"], row["last_known"])

    def languages(self) -> dict[str, tuple[int, int]]:
        """Files and chunks by language."""
        rows = self._db.query("file_languages", **self._where)
        return {row["language"]: (row["files"], row["chunks"]) for row in rows}

    def _restate(self, statement: str, file: int, stamp: Stamp, **times: int) -> None:
        """Insert the new belief, then end the old one: nothing that was believed is overwritten."""
        self._db.execute(statement, file=file, known_from=stamp.known, tx=stamp.tx, **times, **self._where)
        self._db.execute("file_version_forget", file=file, known_from=stamp.known, **self._where)


def _view(at: AsOf) -> dict[str, int]:
    return {"valid": at.valid, "known": at.known}


def _to_known(stat: Row, row: Row) -> Known:
    return Known(
        row["file"], row["version"], stat["size"], stat["mtime_ns"], stat["checked_ns"], row["digest"],
        bool(row["committed"]), row["valid_from"],
    )  # fmt: skip


def _to_content(row: Row, path: str) -> Content:
    return Content(path, row["file"], row["version"], row["text_digest"], row["digest"], row["language"])


def _to_held(row: Row) -> IndexedFile:
    chunks = unpack(row["layout"], _Chunks).chunks
    return IndexedFile(_to_content(row, row["path"]), _to_known(row, row), chunks, _to_redactions(row), row["text"])


def _to_redactions(row: Row) -> tuple[Redaction, ...]:
    return unpack(row["redactions"], tuple[Redaction, ...]) if row["redactions"] else ()


def _to_version(row: Row) -> FileVersion:
    return FileVersion(
        path=row["path"],
        file=row["file"],
        version=row["version"],
        digest=row["digest"],
        text=row["text_digest"],
        language=row["language"],
        lines=row["lines"],
        committed=bool(row["committed"]),
        valid_from=row["valid_from"],
        known_from=row["known_from"],
        valid_to=row["valid_to"],
        known_to=row["known_to"],
        tx=row["tx"],
    )


# The numbers of files and of their versions, given out by the one run that writes: a file keeps its own for life.


class Numbers(NamedTuple):
    """A file's number, the number of its next version, and the time that this one must begin after."""

    file: int
    version: int
    after: int


class FileNumbering:
    """Assigns file numbers. It avoids `cached_property`: its lock is shared by all objects before Python 3.12."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._given: dict[str, int] | None = None  # asked for only where a path is new
        self._free: Iterator[int] = count(1)

    def next(self, path: str, known: Known | None) -> Numbers:
        """The numbers of the next version of a path, given its known state."""
        if known is not None:
            return Numbers(known.file, known.version + 1, known.valid_from)
        given = self._numbers()
        file = given.get(path)
        if file is None:
            file = given[path] = next(self._free)
            return Numbers(file, 1, 0)
        version, after = self._files.follows(file)
        return Numbers(file, version + 1, after)

    def _numbers(self) -> dict[str, int]:
        if self._given is None:
            self._given = {path: file for file, path in self._files.paths().items()}
            self._free = count(max(self._given.values(), default=0) + 1)
        return self._given
