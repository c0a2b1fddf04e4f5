"""Fresh on read: before an answer the tree is swept by its stats, and the few files that changed are indexed."""

import logging
import math
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from msgspec import structs

from clew.index.disk import scan_state as sight
from clew.index.disk.scan_state import UNPROVEN, Doubts, ScanState, Stat, StatScan, doubts_about
from clew.index.history.head_commit import read_tip
from clew.index.index_lease import Clock, IndexLease
from clew.index.rules import are_foreign, boundary_of, has_newer_parsers, is_taken_over, rules_of
from clew.index.working_tree import WorkingTree
from clew.model.errors import Busy, ClewError
from clew.model.run import LINK, REFRESH
from clew.model.search import Freshness
from clew.runtime.asking import asked_at, look_again, tell
from clew.store import heads
from clew.store.background_runs import Runs
from clew.store.checkouts import Checkouts, CheckoutState
from clew.store.database import Database, Durability
from clew.store.files import Files, Known
from clew.store.histories import Histories
from clew.store.leases import INDEXING, Leases, this_process
from clew.store.together import together
from clew.store.transactions import Transactions

if TYPE_CHECKING:
    from clew.index.disk.change_detection import ChangeReport, RunPart, UnchangedFile
    from clew.model.run import Progress

MOST_FILES, MOST_BYTES = 32, 1_500_000  # that are indexed before an answer; more is left to a run of its own
NEWEST = 4  # of more than these, that are indexed before the answer all the same
WAIT_SECONDS = 0.25  # for another process that indexes
REFRESH_SECONDS = 2.0  # for those that refresh, as this one would: to ask again would cost an agent more
RETRY_SECONDS = 0.01
ONE_BY_ONE = 64  # files that the store is asked about singly; to ask for all of django's takes 25 ms

log = logging.getLogger(__name__)


class Refresher:
    """Keeps the index of one tree up to date with it, as far as questions need. Any thread may use it."""

    def __init__(
        self, db: Database, tree: WorkingTree, runs: Runs | None, now: Clock, new_id: Callable[[], str]
    ) -> None:
        """`runs` starts background processes for work that would delay an answer; None if the store is read-only."""
        self._db = db
        self._tree = tree
        self._runs = runs
        self._now = now
        self._new_id = new_id
        self._files = Files(db, tree.where)
        self._histories = Histories(db, tree.where)
        self._leases = Leases(db, tree.where)
        self._checkouts = Checkouts(db)
        self._lock = threading.Lock()
        self._swept_at = -math.inf
        self._left = Freshness()
        self._waited_for = ""
        self._others = b""  # rules that we had the index made anew from,
        self._was_ours = False  # and whether it has been made by ours since
        self._memory = _Memory(db, tree, start=now(), may_write=runs is not None)

    def refresh(self, *, patient: bool = False) -> Freshness:
        """Index changes since the last sweep. A sweep that began after the question was asked serves it as well.

        If `patient`, wait until everything has been checked.
        """
        asked = asked_at()
        with self._lock:
            if self._swept_at >= asked and not (patient and self._left.unchecked):
                return self._left
            self._swept_at = time.monotonic()
            fresh = None
            with suppress(Busy), _log_failures():
                fresh = self._sweep(math.inf if patient else self._tree.config.query.refresh_budget_ms / 1000)
            fresh = self._to_link(fresh or Freshness(unchecked=self._memory.size()))  # to hide that would be a lie
            fresh = self._to_remember(fresh)
            self._left = structs.replace(fresh, refreshed=0, sweep_ms=0.0, refresh_ms=0.0)
            return fresh

    def again(self, paths: Iterable[str]) -> Freshness:
        """Index files that are about to be quoted and have changed: at once, or if there are many, not at all."""
        if self._runs is None:
            return Freshness()
        with self._lock, suppress(Busy), _log_failures():
            started = time.perf_counter()
            part = self._part_of(paths)
            if _is_much(part):
                self._index_in_background()
            elif part.only and self._index(part):
                return self._to_link(Freshness(len(part.only), refresh_ms=_ms_since(started)))
        return Freshness()

    def _part_of(self, paths: Iterable[str]) -> "RunPart":
        """What of some files has changed, whatever their stats say."""
        from clew.index.disk.change_detection import detect_changes

        doubts = doubts_about(self._tree.root, paths)
        seen = self._memory.scan_state(self._memory.state())
        others = {path: stat for path, stat in seen.files.items() if path not in doubts.files}
        doubted = structs.replace(seen, files=others)  # as their size and time stamp may be the same
        return detect_changes(self._tree, self._memory.known_files(doubts), doubted, doubts, math.inf).part

    def _index_newest(self, changed: "RunPart") -> int:
        """Of many changed files, index those at once that were written last: whoever asks has most likely written
        them. Returns how many."""
        known = self._memory.scan_state(self._memory.state()).files
        found = [one for one in changed.scan.files if one.path in changed.only and one.path in known]
        newest = sorted(found, key=lambda one: (-one.mtime_ns, one.path))[:NEWEST]
        part = self._part_of([one.path for one in newest])
        with suppress(Busy):
            if part.only and not _is_much(part) and self._index(part):
                return len(part.only)
        return 0

    def _to_link(self, fresh: Freshness) -> Freshness:
        """Start the linking that answers do not wait for."""
        state = self._memory.state()
        if state.behind and state.rules == rules_of(self._tree.config) and self._runs is not None and not state.newer:
            self._runs.link()
        return structs.replace(fresh, linking=not state.linked)

    def _to_remember(self, fresh: Freshness) -> Freshness:
        """Start reading commit messages in another process."""
        behind = self._histories.is_behind(read_tip(self._tree.root))
        if behind:
            self._finish_in_background()
        return structs.replace(fresh, history=behind)

    def note_commits(self) -> None:
        """See how far the history reaches after somebody read new commits."""
        with self._lock:
            look_again()
            behind = self._histories.is_behind(read_tip(self._tree.root))
            self._left = structs.replace(self._left, history=behind)

    def _sweep(self, budget: float) -> Freshness:
        """If another process holds the lease, sweep again after it: it may have indexed our changes."""
        began, fresh = time.monotonic(), None
        while fresh is None:
            fresh = self._sweep_once(began, budget)
        return fresh

    def _sweep_once(self, began: float, budget: float) -> Freshness | None:
        """None if another process just took the lease, and there is time to wait for it.

        `budget` is the time for the stats in seconds, and the same again for checking the doubtful ones.
        """
        look_again()
        self._glance()
        busy = self._runs is not None and not self._is_free(began)
        started = time.perf_counter()
        state = self._memory.state()
        sound = (state.linked or state.behind) and state.rules == rules_of(self._tree.config) and not state.newer
        self._was_ours |= bool(self._others) and state.rules == rules_of(self._tree.config)
        if not (busy or sound):
            return self._refuse_refresh(state)
        seen = self._memory.scan_state(state)
        doubts = self._memory.stat_scan(seen).scan(time.perf_counter() + budget)
        if busy:  # who runs will see to it
            return Freshness(unchecked=doubts.count, sweep_ms=_ms_since(started))
        if doubts.unfinished:
            self._finish_in_background()
        if not doubts.any:
            return Freshness(unchecked=doubts.unchecked, sweep_ms=_ms_since(started))
        return self._index_changes(self._detect_changes(seen, doubts, budget), _ms_since(started), began)

    def _glance(self) -> None:
        """Read the common inputs of every question at once."""
        where, leases, histories, checkouts = self._tree.where, self._leases, self._histories, self._checkouts
        held, tip, state = together(
            self._db,
            lambda: leases.is_held_later(INDEXING, self._now()),
            histories.tip_later,
            lambda: checkouts.state_later(where),
        )
        for key, answer in ((leases.key(INDEXING), held), (histories.key(), tip), (checkouts.key(where), state)):
            tell(key, answer)

    def _finish_in_background(self) -> None:
        """Check the rest in the background, and read commit messages, if enabled."""
        if self._runs is not None and self._tree.config.bootstrap.enabled:
            self._runs.link()

    def _index_in_background(self) -> None:
        """Index beside this process, if that is wanted."""
        if self._runs is not None and self._tree.config.bootstrap.enabled:
            self._runs.start()

    def _refuse_refresh(self, state: CheckoutState) -> Freshness:
        """Every file must be read or linked again; where nothing was ever indexed, nothing is to be kept fresh."""
        files = len(self._memory.scan_state(state).files)
        newer = is_taken_over(state) or has_newer_parsers(state.rules)
        back = self._was_ours and state.rules == self._others
        if not (newer or back) and (files or are_foreign(state.rules)):
            if state.rules != rules_of(self._tree.config):
                self._others, self._was_ours = state.rules, False
            self._index_in_background()
        return Freshness(unchecked=files, newer=newer, contested=back)  # to take turns for ever would help nobody

    def _detect_changes(self, seen: ScanState, doubts: Doubts, budget: float) -> "ChangeReport":
        from clew.index.disk.change_detection import (
            detect_changes,  # what a walk needs is loaded where there is something to look at
        )

        return detect_changes(self._tree, self._memory.known_files(doubts), seen, doubts, time.perf_counter() + budget)

    def _index_changes(self, found: "ChangeReport", sweep_ms: float, began: float) -> Freshness | None:
        started = time.perf_counter()
        changed = len(found.part.only)
        fresh = Freshness(pending=changed, unchecked=found.unchecked, sweep_ms=sweep_ms)
        if found.late:
            self._finish_in_background()
        if not found.whole:
            return fresh
        if changed and self._runs is None:
            return fresh
        if _is_much(found.part):
            newest = self._index_newest(found.part)
            self._index_in_background()
            return structs.replace(fresh, refreshed=newest, pending=changed - newest, refresh_ms=_ms_since(started))
        settled = self._confirm_stats(found.settled)
        if changed:
            try:
                done = self._index(found.part)
            except Busy:
                return None if time.monotonic() - began < REFRESH_SECONDS else fresh
            if not done:
                return fresh
            return structs.replace(fresh, refreshed=changed, pending=0, refresh_ms=_ms_since(started))
        seen = found.part.scan.seen
        self._memory.keep_scan_state(structs.replace(seen, files={**seen.files, **settled}) if settled else seen)
        return fresh

    def _index(self, part: "RunPart") -> bool:
        """An index run on these files alone, with the code of every run: the result is the same as a full one.

        Raises `Busy` if another process has the lease.
        """
        from clew.index import pipeline  # parsers are heavy, and mostly nothing has changed

        request = pipeline.IndexRequest(wait_seconds=0.0, part=part)
        done = False
        with _log_failures():
            pipeline.run_index(self._db, self._tree, request, _unheard, self._now, self._new_id)
            done = True
            self._glance()
            folder = heads.folder(self._tree.snapshots, self._tree.where)
            if heads.is_crowded(folder, self._memory.state(), len(part.scan.seen.files)):
                self._index_in_background()
        return done

    def _confirm_stats(self, checked: "Sequence[UnchangedFile]") -> dict[str, Stat]:
        """Store the stats of unchanged files, so that they need not be compared again."""
        if not checked or self._runs is None:
            return {one.path: (one.size, one.mtime_ns) for one in checked}
        turn = IndexLease(self._db, self._tree.where, this_process(self._new_id()), self._now)
        with suppress(Busy), turn.hold(0) as lease, self._db.transaction(Durability.DERIVED):
            self._leases.renew(lease, self._now())
            for one in checked:
                self._files.record_stat(one.known.file, one.path, one.size, one.mtime_ns, one.checked_ns)
            return {one.path: (one.size, one.mtime_ns) for one in checked}
        return {}

    def _is_free(self, began: float) -> bool:
        """Wait a moment for the holder of the lease, but only once for each: a long holder is a long run."""
        if not self._leases.is_held(INDEXING, self._now()):
            return True
        look_again()
        while holder := self._leases.holder(INDEXING, self._now()):
            waited = time.monotonic() - began
            if holder == self._waited_for or (waited >= WAIT_SECONDS and not self._is_worth(waited)):
                self._waited_for = holder
                return False
            time.sleep(RETRY_SECONDS)
        return True

    def _is_worth(self, waited: float) -> bool:
        """Whether to wait longer: only if the recent runs were as short as ours."""
        latest = Transactions(self._db, self._tree.where).latest(1)
        return waited < REFRESH_SECONDS and any(one.type in (REFRESH, LINK) for one in latest)


class _Memory:
    """The cached state of the store and the last walk, until they change."""

    def __init__(self, db: Database, tree: WorkingTree, start: int, *, may_write: bool) -> None:
        self._tree = tree
        self._may_write = may_write
        self._checkouts = Checkouts(db)
        self._files = Files(db, tree.where)
        self._transactions = Transactions(db, tree.where)
        self._directory = heads.folder(tree.snapshots, tree.where)
        self._start = start
        self._mark = (-1, -1)
        self._seen = ScanState()
        self._round: StatScan | None = None

    def state(self) -> CheckoutState:
        return self._checkouts.state(self._tree.where)

    def size(self) -> int:
        """How many files there are to look at, as far as anybody knows."""
        return max(1, len(self._seen.files))

    def scan_state(self, state: CheckoutState) -> ScanState:
        """The last walk; if none was kept that the store and the configuration know of, the root is in doubt."""
        mark = sight.state_mark(self._directory)
        if mark != self._mark:
            kept = sight.read_state(self._directory)
            boundary = boundary_of(self._tree.root, self._tree.config)
            if kept is None or kept.boundary != boundary or not self._transactions.has(kept.transaction):
                kept = ScanState(self._latest(), boundary=boundary, folders={"": UNPROVEN})
            self._mark = mark
            self._hold(kept)
        if self._seen.stamp != state.stamp:  # somebody wrote who did not get as far as to keep this
            files = {path: sight.as_known(one) for path, one in self._files.current().items()}
            gone = {sight.folder_of(path): UNPROVEN for path in self._seen.files.keys() - files.keys()}
            folders = {**self._seen.folders, **gone}  # a path that is there again would be taken for one that is met
            self.keep_scan_state(structs.replace(self._seen, stamp=state.stamp, files=files, folders=folders))
        return self._seen

    def keep_scan_state(self, seen: ScanState) -> None:
        if seen != self._seen:
            if self._may_write:
                sight.write_state(self._directory, seen)
                self._mark = sight.state_mark(self._directory)
            self._hold(seen)

    def known_files(self, doubts: Doubts) -> Mapping[str, Known]:
        """All that is indexed; where it is in doubt of a few files, the store is asked for those and their folders.

        At once, and before the time of a look begins: a server may be far away.
        """
        if len(doubts.files) > ONE_BY_ONE:
            return self._files.current()
        paths, folders = self._seen.files.keys(), frozenset(doubts.folders)
        likely = paths & doubts.files.keys()
        if folders:
            likely |= {path for path in paths if sight.folder_of(path) in folders}
        return _Records(self._files, paths, self._files.known_among(likely))

    def stat_scan(self, seen: ScanState) -> StatScan:
        if self._round is None:
            follow = self._tree.config.indexing.follow_symlinks
            self._round = StatScan(str(self._tree.root), seen, follow_links=follow, start=self._start)
        return self._round

    def _hold(self, seen: ScanState) -> None:
        self._seen = seen
        if self._round is not None:  # the next one goes on where this one stopped, more or less
            self._start, self._round = self._round.next, None

    def _latest(self) -> str:
        return next((one.id for one in self._transactions.latest(1)), "")


class _Records(Mapping[str, Known]):
    """The store's state of files; of unexpected ones, read on demand."""

    def __init__(self, files: Files, paths: Collection[str], known: dict[str, Known]) -> None:
        self._files = files
        self._paths = paths
        self._known = known

    def __getitem__(self, path: str) -> Known:
        if path not in self._known:
            if path not in self._paths:
                raise KeyError(path)
            self._known |= self._files.known_among([path])
        return self._known[path]

    def __contains__(self, path: object) -> bool:
        return path in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def _is_much(part: "RunPart") -> bool:
    """To keep an answer waiting for."""
    return len(part.only) > MOST_FILES or sum(one.size for one in part.scan.files) > MOST_BYTES


@contextmanager
def _log_failures() -> Iterator[None]:
    """Failures to refresh are logged, and do not prevent an answer."""
    try:
        yield
    except Busy:  # another process has the turn: nothing is wrong
        raise
    except ClewError as error:
        log.warning("the index could not be refreshed: %s", error.message)


def _unheard(progress: "Progress") -> None:
    """Nobody watches so short a run."""


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
