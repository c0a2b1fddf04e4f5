"""An index run: scan, read changed files, store them in short transactions, link, renew the snapshot.

The process may be killed at any moment: committed data is consistent, and the next run continues from there.
"""

import gc
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from msgspec import structs

from clew.index import pool
from clew.index.affected_files import ExportDiff, VisibleChange
from clew.index.disk import scan_state
from clew.index.disk.change_detection import RunPart
from clew.index.disk.scan import Scan, scan
from clew.index.file_reader import UnreadFile
from clew.index.history.commit_history import CommitHistory
from clew.index.index_lease import Clock, IndexLease
from clew.index.link_stage import LINKS_AT_ONCE, FileChanges, LinkStage
from clew.index.rules import BEGUN, are_foreign, boundary_of, refuse_newer, rules_of
from clew.index.run_plan import UNSEEN, ContentHistory, RunPlan, estimate_of, plan_run
from clew.index.stage_times import StageTimes
from clew.index.worker_protocol import Answer, Setup
from clew.index.working_tree import WorkingTree
from clew.languages import plugins
from clew.model.code import Reading
from clew.model.errors import Busy, Conflict, StoreLost, Unavailable
from clew.model.run import REFRESH, FileFailure, Mode, Progress, RunReport, RunStage
from clew.store import heads, seeding
from clew.store.checkouts import BEHIND, LINKED, UNSETTLED, Checkouts, CheckoutState
from clew.store.database import Database, Durability
from clew.store.extracts import Extracts
from clew.store.files import FileNumbering, Files, Known, Stamp, Totals
from clew.store.graph import Faces, Nodes
from clew.store.histories import Histories
from clew.store.jobs import FileErrors
from clew.store.leases import Lease, Leases, this_process
from clew.store.links import Links
from clew.store.outage import Uninterrupted
from clew.store.together import together
from clew.store.transactions import Author, Transaction, Transactions

# The request for an index run.


@dataclass(frozen=True, slots=True)
class IndexRequest:
    """The mode, the requester, and how long to wait while another process runs.

    The transaction, "" for a new one; and the part of the tree, if not all of it. `may_lag`: in a large tree, only the
    files that a change affects most are linked; the caller sees to it that the rest is linked later.
    """

    mode: Mode = Mode.INCREMENTAL
    author: Author = field(default_factory=Author)
    wait_seconds: float = 600.0
    transaction: str = ""
    part: RunPart | None = None
    may_lag: bool = False

    @property
    def type(self) -> str:
        """As the record names the run."""
        return REFRESH if self.part else f"{self.mode}_rebuild"


# The stored state of files that are about to be replaced, read for all of them at once.


class PreviousVersion(NamedTuple):
    """Of one file, its symbols, and its facts if they are to be compared."""

    symbols: Faces
    facts: tuple[bytes, ...]


NOTHING = PreviousVersion({}, ())


def previous_versions(
    db: Database, nodes: Nodes, extracts: Extracts, files: Mapping[str, int], *, compared: bool
) -> dict[str, PreviousVersion]:
    """By path."""
    if not files:
        return {}
    numbers = list(files.values())
    wanted = numbers if compared else []
    symbols, facts = together(db, partial(nodes.faces_later, numbers), partial(extracts.facts_if_stored_later, wanted))
    return {
        path: PreviousVersion(symbols[file], (facts[file],) if file in facts else ()) for path, file in files.items()
    }


# The counters of a run.


@dataclass(slots=True)
class RunTally:
    read: int = 0
    unchanged: int = 0
    deleted: int = 0
    redacted: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    failed: list[FileFailure] = field(default_factory=list)
    flawed: list[FileFailure] = field(default_factory=list)  # read, with problems

    def count(self, reading: Reading) -> None:
        self.read += 1
        self.redacted += len(reading.redactions)
        if reading.problems:
            self.flawed.append(FileFailure(reading.path, "; ".join(reading.problems)))

    def report_counts(self) -> dict[str, Any]:
        """As a report has them."""
        return {
            "read": self.read,
            "unchanged": self.unchanged,
            "deleted": self.deleted,
            "skipped": dict(sorted(self.skipped.items())),
            "failed": tuple(sorted(self.failed, key=lambda failure: failure.path)),
            "problems": len(self.flawed),
            "flawed": tuple(sorted(self.flawed, key=lambda failure: failure.path)),
            "redacted": self.redacted,
        }

    def counts(self) -> dict[str, int]:
        """As a transaction's record keeps them."""
        counts = {"read": self.read, "unchanged": self.unchanged, "deleted": self.deleted, "failed": len(self.failed)}
        return {**counts, **{f"skipped_{reason}": n for reason, n in self.skipped.items()}}


MUCH_TO_READ = 100  # files
READ_HERE_BYTES = 1_500_000  # below this, starting processes takes longer than reading
MOST_RESTARTS = 3  # of a run that lost the server; each waits for it first

Report = Callable[[Progress], None]


def run_index(
    db: Database, tree: WorkingTree, request: IndexRequest, report: Report, now: Clock, new_id: Callable[[], str]
) -> RunReport:
    """Bring the index of a tree up to date; waits while another process does so.

    A run that loses the server goes on where it stopped when that is back.
    """
    turn = IndexLease(db, tree.where, this_process(new_id()), now)
    for _ in range(MOST_RESTARTS):
        with suppress(StoreLost):
            return _attempt(db, tree, request, report, turn, now, new_id)
        request = replace(request, transaction="")  # that one's record says that it was interrupted
    return _attempt(db, tree, request, report, turn, now, new_id)


def _attempt(
    db: Database,
    tree: WorkingTree,
    request: IndexRequest,
    report: Report,
    turn: IndexLease,
    now: Clock,
    new_id: Callable[[], str],
) -> RunReport:
    started = time.monotonic()
    with turn.hold(request.wait_seconds) as lease:
        history = ContentHistory(tree.root, request.part.only if request.part else ())
        transactions = Transactions(db, tree.where)
        if request.transaction and transactions.has(request.transaction):
            raise Conflict(f"transaction {request.transaction} has run already", "Omit its id.")
        commit = history.head.sha if history.head else ""
        record = transactions.start(request.transaction or new_id(), request.type, commit, request.author, now())
        run, status = _Run(db, tree, lease, record, history, report, now, new_id), "interrupted"
        try:
            run.work(request.mode, request.part, may_lag=request.may_lag)
            status = "completed"
        except StoreLost:
            status = ""  # nobody to tell; the next run says that this one was interrupted
            raise
        except Exception:
            status = "failed"
            raise
        finally:
            if status:
                transactions.end(record.id, status, int((time.monotonic() - started) * 1_000_000), run.tally.counts())
        run.uninterrupted.check()  # the record of the end has waited for the disk, and so has all before it
    return run.result(request.mode, time.monotonic() - started, counted=request.part is None)


def _free_memory() -> None:
    """Return what linking left behind to the system, before a snapshot needs as much."""
    gc.collect()
    if sys.platform == "linux":
        import ctypes  # only here, where it takes less than what follows

        with suppress(OSError, AttributeError):  # a C library without it
            ctypes.CDLL(None).malloc_trim(0)


class _Run:
    """One run, under its lease and its transaction record."""

    def __init__(
        self,
        db: Database,
        tree: WorkingTree,
        lease: Lease,
        record: Transaction,
        history: ContentHistory,
        report: Report,
        now: Clock,
        new_id: Callable[[], str],
    ) -> None:
        self._db = db
        self._tree = tree
        self._lease = lease
        self._record = record
        self._stamp = Stamp(record.tx, record.started_at)
        self._history = history
        self._report = report
        self._now = now
        self._new_id = new_id
        self.uninterrupted = Uninterrupted(db)
        self._checkouts = Checkouts(db)
        self._leases = Leases(db, tree.where)
        self._files = Files(db, tree.where)
        self._numbering = FileNumbering(self._files)
        self._nodes = Nodes(db, tree.where)
        self._links = Links(db, tree.where)
        self._extracts = Extracts(db, tree.where)
        self.tally = RunTally()
        self._times = StageTimes()
        self._known: dict[str, Known] = {}
        self._paths: set[str] = set()
        self._changed: set[str] = set()
        self._again: set[str] = set()  # what was read, changed or not; the rest cannot be opened if it is foreign
        self._faces = ExportDiff(by_scope=False)
        self._was_unsettled = False  # an earlier change may have changed the solution
        self._at, self._files_seen = "", 0  # the stamp, and how many files the store says there are, as we left them
        self._stats: dict[str, scan_state.Stat] = {}  # of what was read
        self._vain: dict[str, int] = {}  # when files were read that gave nothing
        self._closed: set[str] = set()  # of these, what may not be read: permissions change without the content
        self._unread: set[str] = set()  # of these, what may be text; what is known of one stays
        self._warnings: tuple[str, ...] = ()

    def work(self, mode: Mode, part: RunPart | None, *, may_lag: bool = False) -> None:
        config, rules = self._tree.config, rules_of(self._tree.config)
        self._faces = ExportDiff(by_scope=may_lag or part is not None)
        db_path = config.storage.db_path
        with self._times.measure(RunStage.SCAN):
            found = part.scan if part else scan(self._tree.root, config.watcher, config.indexing, db_path)
        self.tally.skipped.update(skipped.reason.value for skipped in found.skipped)
        self._warnings = found.warnings if part else (*found.warnings, *plugins.warnings(plugins.offered_languages()))
        state = self._load_state()
        if not (self._known or part) and mode is not Mode.FULL and self._seed(rules):
            state = self._load_state()
        if mode is not Mode.FULL:
            refuse_newer(state.rules)
        stale = bool(self._known) and state.rules != rules
        foreign = self._faces.skip_foreign(stale and not part and are_foreign(state.rules))
        if foreign or not self._known:
            self._follow(BEGUN if foreign else rules)
        within = {path: self._known[path] for path in part.only & self._known.keys()} if part else self._known
        everything = stale or mode is Mode.FULL
        before = UNSEEN if part or everything else self._previous_scan_state()
        with self._times.measure(RunStage.SCAN):
            todo = plan_run(self._tree.root, found, within, config.bootstrap, everything=everything, before=before)
        self.tally.unchanged = todo.unchanged
        self.tally.skipped.update("binary" for _ in todo.binary)
        self._vain |= todo.binary
        self._narrow_history(todo, within)
        if len(todo.wanted) > MUCH_TO_READ:  # those who ask meanwhile are told how far it is
            self._note_files(len(found.files) - len(todo.binary))
        with self._times.measure(RunStage.READ):
            self._read_files(todo)
            self._remove(sorted(self._paths & self._known.keys() - self._again) if foreign else todo.gone)
            self._confirm_commits(within)
        anew = mode is Mode.FULL or stale or not (state.linked or (state.behind if part else state.unsettled))
        moved = self._paths != self._known.keys() or (state.behind and not state.unsettled)
        with self._times.measure(RunStage.LINK):
            self._was_unsettled = state.unsettled
            self._link_files(anew=anew, moved=moved, unsettled=state.unsettled or self._faces.changed)
        if not part:  # else it would keep an answer waiting
            with self._times.measure(RunStage.HISTORY):
                self._remember_history()
            with self._times.measure(RunStage.SNAPSHOT):
                self._renew_snapshot(state.changed)
        if self._files_there() != self._files_seen:
            self._note_files(self._files_there())
        is_whole = not (part or self._unread & self._known.keys() or todo.cut)
        if stale and (foreign or is_whole):  # only now, and if every file does
            self._follow(rules)
        self._note_errors(part)
        if not todo.cut and not found.lacks_git:
            self._write_scan_state(found)

    def _narrow_history(self, todo: RunPlan, within: Mapping[str, Known]) -> None:
        loose = {path for path, known in within.items() if not known.committed}
        last_commit = Histories(self._db, self._tree.where).tip().partition(" ")[0]
        self._history.narrow(loose.union((one.path for one, _ in todo.wanted), todo.gone), last_commit)

    def _load_state(self) -> CheckoutState:
        state_later = partial(self._checkouts.state_later, self._tree.where)
        state, self._known = together(self._db, state_later, self._files.known_later)
        self._at, self._files_seen = state.stamp, state.files_seen
        self._paths = set(self._known)
        return state

    def _seed(self, rules: bytes) -> bool:
        """Begin with the index of another tree of the project, if there is one."""
        source = seeding.find_source(self._db, self._tree.where, rules)
        if source is None:
            return False
        try:
            with self._derived_transaction():
                if not seeding.seed(self._db, self._tree.where, source, self._stamp, rules):
                    raise Busy("the other tree is being indexed")
                self._checkouts.settle(self._tree.where)
        except Busy:
            return False
        folders = (heads.folder(self._tree.snapshots, one) for one in (source.where, self._tree.where))
        heads.share(*folders)
        return True

    def _previous_scan_state(self) -> scan_state.ScanState:
        """The state of the last walk, if its rules were the same."""
        kept = scan_state.read_state(heads.folder(self._tree.snapshots, self._tree.where)) or UNSEEN
        return kept if kept.boundary == boundary_of(self._tree.root, self._tree.config) else UNSEEN

    def _write_scan_state(self, found: Scan) -> None:
        """Store the state of the tree, so that stats can show later changes."""
        left = self._vain.keys() - self._paths
        may_open = {path: scan_state.stamp_at(str(self._tree.root / path)) for path in self._closed}
        left -= may_open.keys()
        passed = {
            path: scan_state.stat_if_unreadable(size, at, self._vain[path])
            for path, size, at, _ in found.files
            if path in left
        }
        stats = {path: scan_state.as_known(one) for path, one in self._known.items()} | self._stats
        kept = structs.replace(
            found.seen,
            transaction=self._record.id,
            stamp=self._at,
            files={path: stat for path, stat in stats.items() if path in self._paths},
            boundary=boundary_of(self._tree.root, self._tree.config),
            passed={**found.seen.passed, **passed},
            watched={**found.seen.watched, **may_open},
            unread=found.seen.unread.union(self._unread) - self._paths,
            binary={path: self._vain[path] for path in left - self._unread},
            failed=found.seen.failed.union(one.path for one in self.tally.failed) - (self._paths - self._unread),
        )
        scan_state.write_state(heads.folder(self._tree.snapshots, self._tree.where), kept)

    def result(self, mode: Mode, seconds: float, *, counted: bool) -> RunReport:
        totals = self._files.totals() if counted else Totals(len(self._paths), 0, 0, 0)  # nobody is told of a refresh
        return RunReport(
            transaction=self._record.id,
            mode=mode,
            files=totals.files,
            symbols=sum(self._nodes.counts().values()) if counted else 0,
            chunks=totals.chunks,
            seconds=seconds,
            warnings=self._warnings,
            stages=self._times.all(),
            **self.tally.report_counts(),
        )

    def _note_errors(self, part: RunPart | None) -> None:
        """Record which files failed, and which no longer do."""
        if part and not (self.tally.failed or part.scan.seen.failed):
            return
        errors, failed = FileErrors(self._db, self._tree.where), {one.path for one in self.tally.failed}
        settled = {one.path for one in errors.all() if not part or one.path in part.only} - failed
        if settled or failed:
            with self._derived_transaction():
                errors.note(self.tally.failed, settled, self._now())

    def _note_files(self, files: int) -> None:
        with self._derived_transaction():
            self._checkouts.mark_seen(self._tree.where, files)
        self._files_seen = files

    def _follow(self, rules: bytes) -> None:
        with self._derived_transaction():
            self._checkouts.follow(self._tree.where, rules)

    def _read_files(self, todo: RunPlan) -> None:
        done, total = 0, len(todo.wanted)
        if estimate := estimate_of(todo, self._tree.config.bootstrap.parallel_workers or os.cpu_count() or 1):
            self._report(Progress(0, total, "", estimate))
        with closing(self._answers(todo)) as answers:
            for answer in answers:
                self._store(answer)
                done += len(answer.readings) + len(answer.unread)
                self._report(Progress(done, total, answer.readings[-1].path if answer.readings else ""))

    def _answers(self, todo: RunPlan) -> Generator[Answer]:
        setup = Setup.of(self._tree.root, self._tree.config)
        batches = pool.batches(todo.wanted)
        workers = self._tree.config.bootstrap.parallel_workers or os.cpu_count() or 1
        few = sum(size for _, size in todo.wanted) < READ_HERE_BYTES or workers == 1
        if few and not plugins.is_outdated(setup.plugins):
            return pool.read_in_process(setup, batches)
        return pool.read_in_workers(setup, batches, workers)

    def _store(self, answer: Answer) -> None:
        with self._derived_transaction():
            already = len(self._changed)
            fresh = [reading for reading in answer.readings if not self._holds(reading)]
            self._files.keep(answer.readings)  # what a disk lost of a text that is known is there again
            files = {one.path: self._known[one.path].file for one in fresh if one.path in self._known}
            was = previous_versions(self._db, self._nodes, self._extracts, files, compared=self._faces.needs_more_files)
            for reading in fresh:
                self._store_reading(reading, was.get(reading.path, NOTHING))
            for unread in answer.unread:
                self._pass_over(unread)
            if changed := len(self._changed) - already:
                self._change(changed)

    def _change(self, files: int) -> None:
        self._at = self._new_id()
        self._checkouts.change(self._tree.where, self._at, files)

    def _holds(self, reading: Reading) -> bool:
        """Count a reading, and say whether the store has all of it already."""
        self._again.add(reading.path)
        self.tally.count(reading)
        known = self._known.get(reading.path)
        if known is None or not self._is_same(known, reading):
            return False
        self._check(known.file, reading)
        return True

    def _check(self, file: int, read: Reading | UnreadFile) -> None:
        self._files.record_stat(file, read.path, read.size, read.mtime_ns, read.checked_ns)
        self._stats[read.path] = scan_state.as_read(read.size, read.mtime_ns, read.checked_ns)

    def _store_reading(self, reading: Reading, was: PreviousVersion) -> None:
        file, version, after = self._numbering.next(reading.path, self._known.get(reading.path))
        period = self._history.valid_since(reading.path, reading.mtime_ns, after, self._stamp.known)
        if reading.path in self._known:
            self._files.end(file, period[0], self._stamp)
        self._files.begin(file, version, reading, period, self._stamp)
        self._nodes.define(file, version, reading.defined, was.symbols)
        self._faces.compare(reading.path, was.facts, reading.facts)
        self._extracts.put(file, reading)
        self._stats[reading.path] = scan_state.as_read(reading.size, reading.mtime_ns, reading.checked_ns)
        self._paths.add(reading.path)
        self._changed.add(reading.path)

    def _is_same(self, known: Known, reading: Reading) -> bool:
        """A rebuild without changes keeps the version of every symbol."""
        return (
            known.digest == reading.digest
            and self._files.packed_layout(known.file, known.version) == reading.layout
            and self._extracts.holds(known.file, reading)
        )

    def _pass_over(self, unread: UnreadFile) -> None:
        known = self._known.get(unread.path)
        if unread.reason == "unchanged" and known:
            self.tally.unchanged += 1
            self._check(known.file, unread)
            return
        if unread.reason == "unreadable":
            self._closed.add(unread.path)
        self._vain[unread.path] = unread.checked_ns or self._stamp.known * 1000
        self._unread.update([unread.path] if unread.reason in ("failed", "unreadable") else ())
        if unread.reason in ("failed", "unreadable"):  # what was known of it stays
            self.tally.failed.append(FileFailure(unread.path, unread.detail))
            if self._tree.config.bootstrap.fail_fast:
                raise Unavailable(f"{unread.path}: {unread.detail}", "Set bootstrap.fail_fast to false to go on.")
            return
        self.tally.skipped[unread.reason] += 1
        if known:
            self._end(unread.path, known)

    def _remove(self, gone: list[str]) -> None:
        for some in (gone[at : at + pool.MOST_FILES] for at in range(0, len(gone), pool.MOST_FILES)):
            with self._derived_transaction():
                self._change(len(some))
                for path in some:
                    self._end(path, self._known[path])

    def _end(self, path: str, known: Known) -> None:
        self._files.end(known.file, self._history.valid_until(path, known.valid_from, self._stamp.known), self._stamp)
        self._nodes.end(known.file, known.version + 1)
        self._links.end(known.file, known.version + 1)
        self._extracts.drop(known.file)
        self.tally.deleted += 1
        self._paths.discard(path)
        self._changed.add(path)

    def _confirm_commits(self, within: Mapping[str, Known]) -> None:
        """Content that was uncommitted when it was read, and is committed unchanged now, is valid since the commit."""
        loose = {p: k for p, k in within.items() if not k.committed and p not in self._changed}
        settled = [(path, known) for path, known in loose.items() if self._history.is_committed(path)]
        if settled and self._history.head:
            with self._derived_transaction():
                for path, known in settled:
                    since = max(self._history.committed_at(path), known.valid_from)  # not before what was there
                    self._files.commit(known.file, since, self._stamp)

    def _renew_snapshot(self, began: int) -> None:
        folder = heads.folder(self._tree.snapshots, self._tree.where)
        if not heads.is_due(folder, self._checkouts.state(self._tree.where), len(self._known), began):
            return
        from clew.store.corpus import Corpora  # numpy is heavy, and most runs change little

        if (
            len(self._changed) > LINKS_AT_ONCE
        ):  # a few leave little behind, and the search goes through all of the process
            _free_memory()
        with self._derived_transaction():
            self._checkouts.settle(self._tree.where)
        try:
            Corpora(self._db, self._tree.where, self._tree.snapshots).renew()
        except OSError as error:  # the index is whole without it; questions make do, and the next run tries again
            self._warnings = (*self._warnings, f"the snapshot could not be written: {error.strerror}")

    def _remember_history(self) -> None:
        """Once per commit."""
        if self._history.head:
            past = CommitHistory(self._tree.root, Histories(self._db, self._tree.where), self._tree.config)
            past.remember(self._history.head.sha, frozenset(self._paths), self._derived_transaction)

    def _link_files(self, *, anew: bool, moved: bool, unsettled: bool) -> None:
        """Link the changed files; all, if there is no state to start from, or if interfaces changed.

        Questions do not wait for a large tree: the most affected files are linked now, and the rest later.
        """
        if not (anew or moved or unsettled or self._changed):
            return
        writing, workers = (
            self._derived_transaction,
            self._tree.config.bootstrap.parallel_workers or os.cpu_count() or 1,
        )
        linkage = LinkStage(self._db, self._extracts, self._links, writing, self._change, self._times, workers)
        contents, known, stands, config = self._files.contents(), self._stamp.known, LINKED, self._tree.config
        after = None
        if self._faces.before and not (anew or moved or self._was_unsettled):
            after = linkage.state_after_hidden(contents, self._faces.before)
        moved, unsettled = moved or (self._faces.shown and not after), unsettled and not after
        may_lag = self._faces.by_scope and config.bootstrap.enabled and len(contents) > config.query.link_at_once
        if (
            may_lag
            and not anew
            and (moved or unsettled)
            and linkage.link_affected(contents, self._what_changed(), known)
        ):
            stands = BEHIND if moved else UNSETTLED
        elif anew:
            linkage.link_all(contents, self._changed, known)
        elif moved or unsettled:
            changes = FileChanges(self._known.keys(), self._changed, self._faces.visible, self._faces.before)
            linkage.link_dependents(contents, changes, known)
        else:
            linkage.link_changed(contents, self._changed, known, after)
        self._warnings += linkage.warnings
        linkage.finish(partial(self._count_linked, stands))

    def _count_linked(self, stands: int) -> None:
        self._checkouts.link(self._tree.where, stands)
        self._files_seen = self._files_there()
        self._checkouts.mark_seen(self._tree.where, self._files_seen)

    def _files_there(self) -> int:
        return len(self._paths.union(one.path for one in self.tally.failed))

    def _what_changed(self) -> VisibleChange:
        read = frozenset(self._changed & self._paths)
        gone, came = frozenset(self._changed - read), frozenset(self._paths - self._known.keys())
        return VisibleChange(read, gone, came, frozenset(self._faces.names), self._faces.altered)

    @contextmanager
    def _derived_transaction(self) -> Iterator[None]:
        """One short transaction, only while the lease is ours, and all that was written before is there."""
        with self._db.transaction(Durability.DERIVED):
            self.uninterrupted.check()
            self._leases.renew(self._lease, self._now())
            yield
