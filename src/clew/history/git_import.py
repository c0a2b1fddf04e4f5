"""Imports the past of a project from git: versions of files and symbols, valid since the times of their commits.

Only versions before the first known one of a file are added. The index of the present does not change.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from blake3 import blake3
from msgspec import Struct
from msgspec.structs import replace

from clew.history.named_links import NamedLinks, last_name
from clew.index import pool
from clew.index.disk.boundary import Boundary
from clew.index.disk.survey import survey
from clew.index.file_reader import FileReader, PastFile
from clew.index.history import git, objects
from clew.index.index_lease import Clock, IndexLease
from clew.index.worker import answer
from clew.index.worker_protocol import Setup
from clew.index.working_tree import WorkingTree
from clew.model.code import Reading, symbol_id
from clew.model.run import Progress
from clew.store.database import Database
from clew.store.files import Earliest, FileNumbering, Files, Stamp
from clew.store.graph import Nodes
from clew.store.leases import this_process
from clew.store.links import Links
from clew.store.transactions import Author, Transaction, Transactions

IMPORT = "history_import"  # the type of its transactions
WINDOW = 200  # commits that are read from git and stored together
PATHS_AT_ONCE = 400
FILES_STORED_AT_ONCE = 24  # in one transaction: about 50 ms
READ_HERE_BYTES = 200_000  # below this, starting processes takes longer than reading
EVERYTHING = 10_000_000  # commits
MEGABYTE = 1024 * 1024
_SKEW = 1_000_000  # microseconds that a commit may lie behind an older one before it is mentioned


class ImportRequest(Struct, frozen=True):
    """How much to import: the newest commits of the first-parent line, none before a time; 0 is no bound."""

    commits: int = 0
    since: int = 0
    seconds: float = 0.0
    megabytes: float = 0.0
    author: Author = Author()
    wait_seconds: float = 600.0


class ImportReport(Struct, frozen=True):
    """`oldest` is the oldest commit with its tree in the record; `stopped` gives the reason for an early end."""

    transaction: str
    commits: int
    commits_total: int
    files: int
    versions: int
    oldest: str
    oldest_time: int
    seconds: float
    megabytes: float
    stopped: str = ""
    notes: tuple[str, ...] = ()


class _Touch(NamedTuple):
    """A commit that changed a path; a blob is empty where there was no such file."""

    time: int
    old: str
    new: str


@dataclass(slots=True)
class _Version:
    """A content and when it held; without a reading, it is one that is known already."""

    number: int
    begin: int
    end: int
    blob: str
    is_provisional: bool = False


@dataclass(slots=True)
class _Tally:
    files: set[str] = field(default_factory=set)
    versions: int = 0
    commits: int = 0
    skewed: int = 0

    def counts(self) -> dict[str, int]:
        return {"commits": self.commits, "files": len(self.files), "versions": self.versions}


class _Stopped(Exception):
    """A bound of time or size was reached."""


Report = Callable[[Progress], None]


class GitImport:
    """Reads commits from the newest to the oldest. After an interruption, stored versions stay and are not read
    again."""

    def __init__(self, db: Database, tree: WorkingTree, now: Clock, new_id: Callable[[], str]) -> None:
        self._db = db
        self._tree = tree
        self._now = now
        self._new_id = new_id
        self._files = Files(db, tree.where)
        self._nodes = Nodes(db, tree.where)
        self._transactions = Transactions(db, tree.where)
        self._turn = IndexLease(db, tree.where, this_process(new_id()), now)

    def run(self, request: ImportRequest, report: Report) -> ImportReport:
        """The index must hold the present already."""
        root = self._tree.root
        objects.require_commits(root)
        tip = objects.commit_named(root, "HEAD")
        total = objects.count_mainline(root, tip, request.commits or EVERYTHING, request.since)
        with self._turn.hold(request.wait_seconds):
            record = self._transactions.start(self._new_id(), IMPORT, tip, request.author, self._now())
        run = _Run(self, request, record, tip, total, report)
        status = "interrupted"
        try:
            stopped = run.work()
            status = "completed"
        finally:
            counts = run.tally.counts() | {"wanted": request.commits or EVERYTHING}
            self._transactions.end(record.id, status, int(run.seconds * 1_000_000), counts)
        return ImportReport(
            record.id,
            run.tally.commits,
            total,
            len(run.tally.files),
            run.tally.versions,
            run.oldest,
            run.oldest_time,
            round(run.seconds, 2),
            round(max(0, self._db.size() - run.size) / MEGABYTE, 2),
            stopped,
            tuple(run.notes()),
        )


class _Run:
    """One import, under its transaction."""

    def __init__(
        self, owner: GitImport, request: ImportRequest, record: Transaction, tip: str, total: int, report: Report
    ) -> None:
        self._db = owner._db
        self._tree = owner._tree
        self._root = owner._tree.root
        self._files = owner._files
        self._nodes = owner._nodes
        self._turn = owner._turn
        self._request = request
        self._stamp = Stamp(record.tx, record.started_at)
        self._tip = tip
        self._total = total
        self._report = report
        self._started = time.monotonic()
        self.size = self._db.size()
        self.tally = _Tally()
        self.oldest, self.oldest_time = tip, 0
        self._earliest = self._files.earliest()
        config = self._tree.config
        self._boundary: Boundary = survey(self._root, config.watcher, config.indexing, config.storage.db_path).boundary
        self._at_tip = objects.tree(self._root, tip)
        self._setup = Setup.of(self._root, config)
        self._touched: set[str] = set()
        self._links = Links(owner._db, owner._tree.where)
        self._ids = self._ids_by_name()
        self._linker = self._named_links()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    def notes(self) -> Iterator[str]:
        if git.shallow_boundary(self._root):
            yield "This clone is shallow: commits before its end cannot be imported."
        if odd := objects.odd_history(self._root):
            yield odd
        if self.tally.skewed:
            yield f"{self.tally.skewed} commits are dated after a later commit; the order of the branch was kept."
        if objects.submodules(self._root, self._tip):
            yield "Submodules are not imported."

    def work(self) -> str:
        """Why it ended early; empty if it did not."""
        try:
            for window, base, base_time in self._windows():
                self._import(window, base_time)
                self.tally.commits += len(window)
                self.oldest, self.oldest_time = base, base_time
                self._report(Progress(self.tally.commits, self._total, ""))
        except _Stopped as stop:
            self._anchor()
            return str(stop)
        self._anchor()
        return ""

    def _windows(self) -> Iterator[tuple[list[objects.MainlineCommit], str, int]]:
        """Commits, each time earlier than that of the next newer one; and the commit before them, with its time."""
        cursor, left, before = self._tip, self._total, 0
        while cursor and left > 0:
            found = objects.mainline_changes(self._root, cursor, min(WINDOW, left) + 1, self._request.since)
            timed = []
            for commit in found:
                at = commit.time if not before else min(commit.time, before - 1)
                self.tally.skewed += at < commit.time - _SKEW
                timed.append(commit._replace(time=at))
                before = at
            window = timed[: min(WINDOW, left)]
            if not window:
                return
            before = window[-1].time
            rest = timed[len(window) :]
            parent = window[-1].parent
            base_time = rest[0].time if rest else self._time_before(parent, before)
            yield window, parent or window[-1].sha, base_time
            left -= len(window)
            cursor = parent

    def _time_before(self, parent: str, before: int) -> int:
        """The time of the commit before the oldest one; its own, if there is none."""
        if not parent:
            return before
        known = objects.infos(self._root, [parent]).get(parent)  # None where a shallow clone ends
        return min(known.time, before - 1) if known else before

    def _import(self, window: Sequence[objects.MainlineCommit], base_time: int) -> None:
        touches: dict[str, list[_Touch]] = {}
        for commit in window:
            for change in commit.changes:
                if self._belongs(change.path):
                    touches.setdefault(change.path, []).append(_Touch(commit.time, change.old_blob, change.new_blob))
        if not self._touched.issuperset(touches):
            self._touched.update(touches)
            self._linker = self._named_links()
        paths = iter(sorted(touches))
        while some := list(islice(paths, PATHS_AT_ONCE)):
            self._check_bounds()
            self._import_paths({path: touches[path] for path in some}, base_time)

    def _belongs(self, path: str) -> bool:
        """Whether its past belongs to the project: files in the tree that are not indexed do not."""
        if path in self._earliest:
            return True
        return path not in self._at_tip and self._boundary.admits_by_name(path)

    def _check_bounds(self) -> None:
        if self._request.seconds and self.seconds > self._request.seconds:
            raise _Stopped(f"it reached its limit of {self._request.seconds:g} s")
        if self._request.megabytes and self._db.size() - self.size > self._request.megabytes * MEGABYTE:
            raise _Stopped(f"it reached its limit of {self._request.megabytes:g} MB")

    def _ids_by_name(self) -> dict[str, set[str]]:
        """All symbols that the record has."""
        paths, found = self._files.paths(), dict[str, set[str]]()
        for one in self._nodes.record():
            found.setdefault(last_name(one.scope), set()).add(symbol_id(paths[one.file], one.scope))
        return found

    def _note_ids(self, path: str, reading: Reading) -> None:
        for one in reading.defined:
            self._ids.setdefault(last_name(one.scope), set()).add(symbol_id(path, one.scope))

    def _named_links(self) -> NamedLinks:
        """By all paths that are known so far."""
        return NamedLinks([*self._earliest, *self._at_tip, *self._touched], self._ids)

    def _import_paths(self, touches: Mapping[str, list[_Touch]], base_time: int) -> None:
        open_touches = {path: some for path, some in touches.items() if self._may_add(path, some)}
        first = {path: self._first_blob(path, some) for path, some in open_touches.items()}
        digests = {
            blob: blake3(content).digest() for blob, content in objects.blobs(self._root, filter(None, first.values()))
        }
        plans = {
            path: _versions(self._earliest.get(path), some, digests.get(first[path], b""), base_time)
            for path, some in open_touches.items()
        }
        wanted = {(one.blob, path) for path, some in plans.items() for one in some if one.blob}
        readings = self._read(wanted)
        changed = [path for path in sorted(plans) if plans[path]]
        for (_, path), reading in readings.items():
            self._note_ids(path, reading)
        with self._turn.hold(self._request.wait_seconds):
            numbering = FileNumbering(self._files)
            for at in range(0, len(changed), FILES_STORED_AT_ONCE):
                with self._db.transaction():
                    for path in changed[at : at + FILES_STORED_AT_ONCE]:
                        self._store(path, plans[path], readings, numbering)

    def _may_add(self, path: str, touches: Sequence[_Touch]) -> bool:
        known = self._earliest.get(path)
        return known is None or touches[-1].time <= known.valid_from

    def _first_blob(self, path: str, touches: Sequence[_Touch]) -> str:
        """The content that the first known version may be."""
        known = self._earliest.get(path)
        return next((one.new for one in touches if known and one.time <= known.valid_from and one.new), "")

    def _read(self, wanted: set[tuple[str, str]]) -> dict[tuple[str, str], Reading]:
        """By blob and path; each content is parsed once for all paths of one name."""
        groups: dict[tuple[str, str], list[str]] = {}
        for blob, path in sorted(wanted):
            groups.setdefault((blob, path.rpartition("/")[2]), []).append(path)
        contents: dict[bytes, list[tuple[str, str]]] = {}
        blobs: dict[str, list[tuple[str, str]]] = {}
        for key in groups:
            blobs.setdefault(key[0], []).append(key)
        past = []
        for blob, content in objects.blobs(self._root, blobs):
            for key in blobs[blob]:
                past.append(PastFile(groups[key][0], content))
                contents.setdefault(blake3(content).digest(), []).append(key)
        found: dict[tuple[str, str], Reading] = {}
        for reading in self._readings(past):
            for key in contents.get(reading.digest, ()):
                if groups[key][0] == reading.path:
                    found |= {(key[0], path): reading._replace(path=path) for path in groups[key]}
        return found

    def _readings(self, past: list[PastFile]) -> Iterator[Reading]:
        batches = pool.past_batches(past)
        risky = any(pool.may_have_no_end(one.path, one.content) for one in past)
        if sum(len(one.content) for one in past) < READ_HERE_BYTES and not risky:
            reader = FileReader(self._root, self._tree.config, self._setup.plugins)
            for batch in batches:
                yield from answer(reader, batch).readings
            return
        workers = self._tree.config.bootstrap.parallel_workers or os.cpu_count() or 1
        with closing(pool.read_in_workers(self._setup, batches, workers)) as answers:
            for answered in answers:
                self._check_bounds()
                yield from answered.readings

    def _store(
        self,
        path: str,
        planned: Sequence[_Version],
        readings: Mapping[tuple[str, str], Reading],
        numbering: FileNumbering,
    ) -> None:
        known = self._earliest.get(path)
        if known:
            file, first = known.file, known.version
        else:
            file, first = numbering.next(path, None).file, 1
            if any((one.blob, path) in readings for one in planned):
                self._files.record_stat(file, path, 0, 0, 0)
        number, symbols, links = first, [], []
        last: tuple[int, bytes, int] | None = None
        for one in planned:
            if not one.blob:  # the first known version, whose beginning is known now
                self._files.refine(file, first, one.begin, self._stamp)
                last = first, known.digest if known else b"", one.begin
                continue
            reading = readings.get((one.blob, path))
            if reading is None:
                continue
            number -= 1
            self._files.keep([reading])
            self._files.precede(file, number, reading, (one.begin, one.end), self._stamp)
            symbols.append((number, reading.defined))
            links.append((number, self._linker.link(path, reading.named)))
            last = number, reading.digest, one.begin
            self.tally.versions += 1
        self._nodes.precede(file, first, symbols)
        self._links.precede(file, links, self._stamp.known)
        if last:
            self.tally.files.add(path)
            self._earliest[path] = Earliest(file, last[0], last[1], True, last[2])

    def _anchor(self) -> None:
        """Files of the oldest tree that no imported commit changed are valid since that tree's time at least."""
        if not self.oldest_time:
            return
        tree = objects.tree(self._root, self.oldest)
        late = {path: one for path, one in self._earliest.items() if path in tree and one.valid_from > self.oldest_time}
        if not late:
            return
        unsure = [path for path, one in late.items() if path in self._touched or not one.committed]
        digests = {
            blob: blake3(content).digest() for blob, content in objects.blobs(self._root, [tree[p] for p in unsure])
        }
        same = [p for p in late if p not in unsure or digests.get(tree[p]) == late[p].digest]
        added = {
            path: [_Version(0, self.oldest_time, late[path].valid_from, tree[path])]
            for path in late
            if not late[path].committed and path not in self._touched and path not in same
        }
        readings = self._read({(some[0].blob, path) for path, some in added.items()})
        with self._turn.hold(self._request.wait_seconds):
            numbering = FileNumbering(self._files)
            for at in range(0, len(same), 500):
                with self._db.transaction():
                    for path in same[at : at + 500]:
                        self._files.refine(late[path].file, late[path].version, self.oldest_time, self._stamp)
            with self._db.transaction():
                for path, planned in added.items():
                    self._store(path, planned, readings, numbering)


def _versions(known: Earliest | None, touches: Iterable[_Touch], digest: bytes, base_time: int) -> list[_Version]:
    """Versions before the first known one, the newest first; one without a blob is that first known one itself."""
    found: list[_Version] = []
    begin = known.valid_from if known else None
    held: str | None = None  # the content of the oldest version so far
    is_first = True  # nothing is known of the first version's blob yet
    for touch in touches:
        if begin is not None and touch.time > begin and not (found and found[-1].is_provisional):
            continue
        if touch.new:
            if begin is None:
                return []  # it is there after all, and no run has seen it yet
            if is_first and known and digest == known.digest:
                if touch.time < known.valid_from or not known.committed:
                    found.append(_Version(known.version, touch.time, 0, ""))
            elif not is_first and held == touch.new and found:
                found[-1].begin, found[-1].is_provisional = touch.time, False
            elif touch.time < begin:
                found.append(_Version(0, touch.time, begin, touch.new))
            begin = touch.time
        is_first = False
        if touch.old:
            end = touch.time
            held = touch.old
            found.append(_Version(0, min(base_time, end - 1), end, touch.old, is_provisional=True))
            begin = found[-1].begin
        else:
            held = None
            begin = touch.time
    return found


def is_imported(root: Path, transactions: Transactions, commits: int) -> bool:
    """Whether an import of so many commits up to HEAD is recorded, or there is nothing to import."""
    head = git.resolve(root, "HEAD")
    if head is None:
        return True
    done = [one for one in transactions.of_type(IMPORT, 20) if one.commit == head and one.status == "completed"]
    return any(one.counts.get("wanted", 0) >= commits for one in done)


def with_bounds(request: ImportRequest, seconds: float, megabytes: float) -> ImportRequest:
    """The same with the bounds of the settings, where it names none."""
    return replace(request, seconds=request.seconds or seconds, megabytes=request.megabytes or megabytes)
