"""The composition root: opens a project and wires its parts. No logic of its own."""

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Self

from msgspec import structs
from msgspec.structs import replace

from clew.index.disk import boundary_record
from clew.index.rules import refuse_foreign
from clew.index.working_tree import WorkingTree
from clew.model.errors import Busy, ClewError, NotFound
from clew.model.run import Mode, Progress, RunReport, unheard
from clew.model.search import NO_SEARCHES, Coverage, Freshness, Query, Results, SearchCounts
from clew.model.time import NOW, to_iso
from clew.runtime import progress as call_progress
from clew.runtime.asking import past_damage
from clew.runtime.clock import new_id as new_id
from clew.runtime.clock import now as now
from clew.runtime.encryption import agents_cipher
from clew.runtime.keys import variable
from clew.runtime.place import ProjectPaths, find_place, part_of
from clew.runtime.settings import NO_MODEL, OWN
from clew.store import heads
from clew.store.background_runs import Runs
from clew.store.checkouts import Checkouts
from clew.store.database import Where
from clew.store.extracts import Extracts
from clew.store.files import Files
from clew.store.following import Follower
from clew.store.graph import Nodes
from clew.store.ground import Ground
from clew.store.histories import Histories
from clew.store.leases import BEGINNING, INDEXING, Leases, this_process
from clew.store.links import Links
from clew.store.opening import Store, open_store, open_to_read
from clew.store.transactions import Author, Transactions
from clew.store.usage import Usage, UsageLog
from clew.store.vectors import Vectors

if TYPE_CHECKING:
    from clew.coordinate.fleet import Fleet
    from clew.graph.community_keeper import Communities, CommunityKeeper
    from clew.graph.full_graph import FullGraph, ImportEdge, Wholes
    from clew.graph.summary_cache import SummaryCache
    from clew.graph.walk_graph import Webs
    from clew.history.compact import CompactionReport
    from clew.history.git_import import ImportReport, ImportRequest
    from clew.history.views import PastState, PastStates
    from clew.index.refresh import Refresher
    from clew.index.watch_state import WatchStatus
    from clew.index.watcher import TreeWatcher
    from clew.knowledge.knowledge import Knowledge
    from clew.memory.memory import Memory
    from clew.model.fleet import Claim
    from clew.pack.artifact import ContextPack
    from clew.pack.briefing import Briefer
    from clew.pack.matching import Matcher
    from clew.pack.memories import Gatherer
    from clew.pack.packer import Packer
    from clew.pack.records import Records
    from clew.retrieve.meaning import Meaning
    from clew.retrieve.retriever import RetrieverSources
    from clew.retrieve.search import Searcher
    from clew.runtime.clock import Ticker
    from clew.services.knowledge_graph import KnowledgeGraph
    from clew.services.reader import Repositories, ServiceReader, SourceReader
    from clew.store.corpus import Corpora, Corpus
    from clew.store.episodes import Episodes
    from clew.store.jobs import FileErrors, Jobs
    from clew.store.learnings import Learnings
    from clew.store.personal import Personal
    from clew.text.secrets.scrubber import Scrubbing

PATIENCE = 600.0  # seconds to wait while another process indexes the same tree
COMMITS_WAIT = 2.0  # likewise, before new commits are read for a question
# Settings of one project that are no settings of the repositories beside it.
_NAMES = ("project.id", "project.checkout", "project.part")
_OF_ONE_PROJECT = frozenset(map(variable, (*_NAMES, "storage.db_path", "services.repositories", "services.folders")))
PAST = "past"  # the lease of who makes a past state
FIRST_LOOK, LOOK = 5.0, 60.0  # seconds until it is first seen whether to look back, and then between two such looks


def opened_place(place: ProjectPaths) -> tuple[ProjectPaths, Store]:
    """A place and its store, made if it is not there."""
    return place, open_store(place, create=True, now=now(), new_id=new_id)


class Viewpoint(threading.local):
    """The time at which the call of this thread asks a past state: one state may serve many times."""

    label = ""
    at = NOW


class Engine:
    """One checkout of one project, opened. Any thread may use it."""

    def __init__(self, place: ProjectPaths, store: Store) -> None:
        where = store.identity.where
        self.place = place
        self.config = place.settings.config
        self.project_id = store.identity.project_id
        self.where = where
        self.writable = store.refusal is None
        self.db = store.db
        self.checkouts = Checkouts(self.db)
        self.files = Files(self.db, where)
        self.files.summaries = lambda: self.summary_cache.all()
        self.nodes = Nodes(self.db, where)
        self.links = Links(self.db, where)
        self.histories = Histories(self.db, where)
        self.extracts = Extracts(self.db, where)
        self.transactions = Transactions(self.db, where)
        self.leases = Leases(self.db, where)
        self.usage = Usage(self.db, where)
        self.usage_log = UsageLog(self.usage)
        self.vectors = Vectors(self.db, where)
        self.ground = Ground(self.db, where)
        self._refusal = store.refusal
        self._counted = ("", 0)  # the stamp, and how many files there were
        self.runs = Runs(place, self.transactions, self.leases, now, new_id)
        self._viewpoint = Viewpoint()
        self._present = self  # of a past state, and of a part, the engine that agents write with
        self._owner: Engine | None = None  # the whole workspace, if it is open only because of this part
        self._past: dict[str, Engine] = {}
        self._parts: dict[str, Engine] = {}
        self._opening_part = Lock()
        self._follower: Follower | None = None
        self._ticker: Ticker | None = None
        self._watcher: TreeWatcher | None = None

    @classmethod
    def open(
        cls, start: Path, *, read_only: bool = False, create: bool = True, environ: Mapping[str, str] = os.environ
    ) -> "Engine":
        """Open the project that holds `start`; where nothing can be written, an index that is there can be read."""
        place = find_place(start, environ)
        if place.whole:
            whole = cls._open_at(place.whole, read_only=read_only, create=create)
            part = whole.part(place.part)
            part._owner = whole
            return part
        return cls._open_at(place, read_only=read_only, create=create)

    @classmethod
    def _open_at(cls, place: ProjectPaths, *, read_only: bool, create: bool) -> "Engine":
        if read_only:
            return cls(place, open_to_read(place))
        return cls(place, open_store(place, create=create, now=now(), new_id=new_id))

    def part(self, name: str) -> "Engine":
        """One of the projects that `[projects]` names: it has an index of its own, and shares what agents write."""
        with self._opening_part:
            if name not in self._parts:
                place = part_of(self.place, name)
                part = self._open_at(place, read_only=not self.writable, create=True)
                part._present = self
                self._parts[name] = part
            part = self._parts[name]
            if self.writable and self.transactions.count() and not part.transactions.count():
                part.index(may_lag=True)  # which begins with what the whole workspace has read
            return part

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    @property
    def whole(self) -> "Engine":
        """The whole workspace, of which this may be a part."""
        return self._present if self.place.part else self

    def follow(self) -> None:
        """Keep the data for questions current while other processes commit; for long-lived processes."""
        if self._follower is None:
            self._follower = Follower(self.db, lambda: self._corpora.refresh() if "_corpora" in vars(self) else None)
        every = 60 * self.config.memory.reflect_every_minutes
        if self.config.storage.backup_enabled or self.config.jobs.scan_every_hours:
            every = min(every or LOOK, LOOK)
        if self._ticker is None and self.writable and every:
            from clew.runtime.clock import Ticker  # most projects have no clock

            self._ticker = Ticker(self.look_back, min(every, FIRST_LOOK), min(every, LOOK))

    def watch(self, report: "Callable[[WatchStatus], None]" = lambda status: None) -> "TreeWatcher":
        """Keep the index current as files change, unless another process does; takes over when that one ends."""
        if self._watcher is None:
            self.be_writable()
            from clew.index.refresh import Refresher  # most processes do not watch
            from clew.index.watcher import TreeWatcher, WatchedTree

            watcher, folder = self.config.watcher, heads.folder(self.place.snapshots, self.where)
            debounce = watcher.debounce_ms / 1000
            tree = WatchedTree(self.place.root, folder, watcher.ignore_patterns, debounce, watcher.polling)
            sweeper = self._refresher or Refresher(self.db, self.working_tree, self.runs, now, new_id)
            self._watcher = TreeWatcher(tree, lambda: self._settle(sweeper.refresh(patient=True)), report)
        return self._watcher

    def watch_status(self) -> "WatchStatus":
        """The state of the watcher of this tree, in whichever process it runs."""
        from clew.index import watch_state  # few ask

        return watch_state.read(heads.folder(self.place.snapshots, self.where))

    def look_back(self) -> None:
        """Periodic work: reflect on new episodes, archive the notes of sessions that are gone, make backups."""
        self.back_up_apart()
        self.scan_apart()
        if self.config.memory.reflect_every_minutes:
            self.page_out_gone()
            self.memory.scheduled_reflection.look(now())

    def scan_apart(self) -> None:
        """Index in the background if the configuration wants a scan by now."""
        hours, latest = self.config.jobs.scan_every_hours, self.transactions.latest(1)
        if hours and self.writable and latest and now() - latest[0].started_at > hours * 3_600_000_000:
            self.runs.start()

    def back_up_apart(self) -> None:
        """Make a backup in a process of its own if the configuration wants one by now."""
        from clew.store import export_file  # most projects have no schedule

        if self.writable and export_file.is_due(self.place):
            from clew.runtime.detached_process import Apart

            Apart(self.place.root, "backup", "--background")

    def unfollow(self) -> None:
        for thread in (self._watcher, self._follower, self._ticker):
            if thread is not None:
                thread.close()

    def close(self) -> None:
        if owner := self._owner:
            self._owner = None
            owner.close()  # which closes this one, too
            return
        self.unfollow()
        for part in self._parts.values():
            part.close()
        for past in self._past.values():
            vars(past).pop("repositories", None)
            past.close()
        if self.writable:
            with suppress(ClewError):  # how often a question was asked is not worth failing its answer
                self.usage_log.flush()
            if "fleet" in vars(self) and not self.place.part:
                self.fleet.close()
        if "_personal" in vars(self):
            self._personal.close()
        if "repositories" in vars(self):
            self.repositories.close()
        self.db.close()

    def index(
        self,
        mode: Mode = Mode.INCREMENTAL,
        report: Callable[[Progress], None] = unheard,
        author: Author | None = None,
        patience: float = PATIENCE,
        transaction: str = "",
        *,
        may_lag: bool = False,
    ) -> RunReport:
        """Bring the index up to date with the tree; `transaction` is the id that the run's record is to have.

        `may_lag`: a large tree is not linked whole, which `catch_up` does.
        """
        from clew.index import pipeline  # parsers are heavy, and most processes only ask

        self.be_writable()
        request = pipeline.IndexRequest(mode, author or Author(), patience, transaction, may_lag=may_lag)
        done = pipeline.run_index(self.db, self.working_tree, request, _also_to_surface(report), now, new_id)
        with suppress(OSError):  # a full disk: the next run records it
            boundary_record.note(self.place.folder, self.place.named_tree, self.config, to_iso(now()))
        self._settle_claims()
        return done

    def index_part(
        self, paths: Sequence[str], report: Callable[[Progress], None] = unheard, author: Author | None = None
    ) -> RunReport:
        """Read all files below some paths again, changed or not, after an index run."""
        from clew.index import partial, pipeline  # seldom asked for

        self.be_writable()
        part = partial.select_part(self.db, self.working_tree, paths)
        request = pipeline.IndexRequest(Mode.FULL, author or Author(), PATIENCE, part=part)
        done = pipeline.run_index(self.db, self.working_tree, request, _also_to_surface(report), now, new_id)
        self._settle_claims()
        return done

    def import_history(self, request: "ImportRequest", report: Callable[[Progress], None] = unheard) -> "ImportReport":
        """Add the past of the files from git, after an index run."""
        from clew.history.git_import import GitImport, with_bounds  # seldom asked for

        self.be_writable()
        self.index(author=request.author)
        bounds = self.config.history
        whole = with_bounds(request, bounds.import_seconds, bounds.import_megabytes)
        return GitImport(self.db, self.working_tree, now, new_id).run(whole, report)

    def compact(self, cutoff: int, *, dry_run: bool) -> "CompactionReport":
        """Remove what ended before a time from the record; never what agents wrote, nor what holds now."""
        from clew.history.compact import compact  # seldom asked for

        if not dry_run:
            self.be_writable()
        return compact(self.db, self.working_tree, cutoff, now, new_id, dry_run=dry_run)

    def import_history_apart(self) -> None:
        """The same in the background, as far as the settings want it and it is not done."""
        wanted = self.config.history.import_commits
        if not (wanted and self.writable):
            return
        from clew.history.git_import import is_imported

        if not is_imported(self.place.root, self.transactions, wanted):
            from clew.runtime.detached_process import Apart

            Apart(self.place.root, "history", "import", "--commits", str(wanted), "--background", part=self.place.part)

    def at(self, as_of: str = "", known_as_of: str = "") -> "Engine":
        """An engine over the tree of another time, with all of it linked; this one, if the present is meant."""
        state = self.past_states.find(as_of, known_as_of) if as_of or known_as_of else None
        if state is None:
            return self
        past = self.past_engine(state)
        past.catch_up()
        return past

    def past_engine(self, state: "PastState") -> "Engine":
        """An engine over the tree of another time, which is indexed if it is not; of a large one, a process of its own
        links what its answers do not wait for."""
        key = self.past_states.key(state)
        if not self.past_states.is_ready(key):
            self._make_past(state, key)
        self.past_states.used(key)
        if key not in self._past:
            self.past_states.renew_refs(key)
            self._past[key] = Engine(*opened_place(self.past_states.place(key)))
            self._past[key]._present = self
            self._past[key].repositories = self.repositories  # as they are now
        past = self._past[key]
        past._viewpoint.label, past._viewpoint.at = state.label, state.at
        return past

    @property
    def as_of(self) -> str:
        """Which past state this is, as people read it; empty if it is the present."""
        return self._viewpoint.label

    def _make_past(self, state: "PastState", key: str) -> None:
        """One process at a time; another one may have made it meanwhile."""
        from clew.index.index_lease import IndexLease  # seldom asked for

        self.be_writable()
        turn = IndexLease(self.db, self.where, this_process(new_id()), now, PAST)
        with turn.hold(PATIENCE):
            if self.past_states.is_ready(key):
                return
            if key in self._past:
                self._past.pop(key).close()
            try:
                with Engine(*opened_place(self.past_states.write(state, key))) as engine:
                    engine.index(may_lag=True)
                    lags = engine.checkouts.state(engine.where).behind
                self.past_states.finish(state, key)
            except BaseException:
                self.past_states.drop(key)
                raise
        if lags:
            from clew.runtime.detached_process import Apart  # as above

            Apart(self.place.root, "history", "settle", key, part=self.place.part)

    def settle_past(self, key: str) -> None:
        """Link the rest of a past state, as `past_engine` began it."""
        if self.past_states.is_ready(key):
            with Engine(*opened_place(self.past_states.place(key))) as past:
                past.catch_up()

    @cached_property
    def past_states(self) -> "PastStates":
        from clew.history.views import PastStates  # seldom asked for

        return PastStates(self.place, self.files, self.transactions, now)

    def be_writable(self) -> None:
        if self._refusal is not None:
            raise self._refusal

    def new_scrubbing(self) -> "Scrubbing":
        """For the texts that an agent is about to write."""
        from clew.text.secrets.scrubber import Scrubbing  # as above

        return Scrubbing(self.config.security)

    def embed(self, report: Callable[[Progress], None] = unheard) -> bool:
        """Make the vectors that are missing; whether all are there now, which another process may have prevented."""
        self.be_writable()
        return bool(self.meaning and self.meaning.fill(self._corpora.current, this_process(new_id()), report))

    def embed_apart(self) -> None:
        """The same in a process of its own, which outlives this one; an embedder that lacks something says so."""
        if self.config.embedding.model in (NO_MODEL, OWN):  # without loading it: its vectors lie in snapshots
            return
        quick = self.meaning is None or self.meaning.semantic.is_quick
        if not quick and self.writable and self.config.embedding.cache_enabled:
            from clew.runtime.detached_process import Apart  # most projects have no model

            Apart(self.place.root, "embed", "--background", part=self.place.part)

    def refresh(self, *, patient: bool = False) -> Freshness:
        """Index recent changes before a question; if the store is read-only, only report them."""
        if self._refresher is None:
            return Freshness(linking=not self.checkouts.state(self.where).linked)
        return self._settle(self._refresher.refresh(patient=patient))

    def catch_up(self, patience: float = PATIENCE, *, whole: bool = False) -> bool:
        """Finish the linking that questions did not wait for; if `whole`, sweep and read commits, too. Returns
        whether all is linked."""
        if self.writable and (whole or self.checkouts.state(self.where).behind):
            from clew.index.catchup import CatchUp  # seldom needed

            CatchUp(self.db, self.working_tree, now, new_id).run(patience, self.refresh if whole else None)
        return self.checkouts.state(self.where).linked

    def read_new_commits(self) -> None:
        """Before an answer with a signature of the newest commit; while another process indexes, it may lag behind."""
        if self._refresher is not None and self.refresh().history and self.writable:
            from clew.index.catchup import CatchUp  # seldom needed

            with suppress(Busy):
                CatchUp(self.db, self.working_tree, now, new_id).read_commits(COMMITS_WAIT)
            self._refresher.note_commits()

    def refresh_again(self, paths: Iterable[str]) -> Freshness:
        """Index files that are about to be quoted and are not as they were."""
        return self._settle(self._refresher.again(paths)) if self._refresher else Freshness()

    def _settle(self, fresh: Freshness) -> Freshness:
        """Reconcile claims with the files that were just indexed."""
        if fresh.refreshed:
            self._settle_claims()
        return fresh

    def _settle_claims(self) -> None:
        """Where nobody holds any, as is most often so, nothing of claims is even loaded."""
        with suppress(ClewError):  # a run that is done stays done: the next one settles
            if self.ground.marks().claims:
                self.fleet.settle_claims()

    def keeps_fresh(self) -> bool:
        """Whether questions index changes; they do not index a project from nothing."""
        return self.writable and self._refresher is not None and self.transactions.count() > 0

    def search_counts(self) -> SearchCounts:
        """The counts of all questions to this project, in all processes."""
        if self.writable:
            self.usage_log.flush()
        return self.usage.search_counts().plus(self.searcher.counts if "searcher" in vars(self) else NO_SEARCHES)

    def take_search_counts(self) -> SearchCounts:
        """The counts of this process since the last call, for the record."""
        return self.searcher.take_counts() if "searcher" in vars(self) else NO_SEARCHES

    def search(self, query: Query) -> Results:
        return past_damage(lambda: self._search(query))

    def _search(self, query: Query) -> Results:
        self.config.require_search()
        fresh = self.refresh()
        results = self.searcher.search(query, self.require_index())
        if results.stale:  # changed between the sweep and the answer
            late = self.refresh_again(results.stale)
            if late.refreshed:
                fresh = fresh.and_then(late)
                results = self.searcher.search(query, self.coverage())
        return replace(results, freshness=fresh)

    def require_index(self) -> Coverage:
        """How much is; raises if nothing ever was."""
        coverage = self.coverage()
        if coverage.indexed or coverage.indexing:
            return coverage
        if not self.transactions.latest(1) and self.leases.is_held(BEGINNING, now()):
            return structs.replace(coverage, indexing=True)
        self.transactions.require(self.place.root)
        return coverage

    def coverage(self) -> Coverage:
        """How much of the tree is indexed, and whether a run is under way."""
        indexing = self.runs.are_there() or self.leases.is_held(INDEXING, now())
        state = self.checkouts.state(self.where)
        if not state.stamp or self._counted[0] != state.stamp:
            self._counted = state.stamp, self.files.totals().files
        indexed = self._counted[1]
        return Coverage(indexed, max(indexed, state.files_seen), indexing)

    def corpus(self) -> "Corpus":
        """The current data for questions."""
        self.refresh()
        return self._corpora.current()

    def graph(self) -> "FullGraph":
        """The current full graph, for queries beyond the edges of a few nodes."""
        self.refresh()
        return self._wholes.current()

    def communities(self) -> "Communities":
        """The current communities of files."""
        return self._community_keeper.current()

    @cached_property
    def _community_keeper(self) -> "CommunityKeeper":
        from clew.graph.community_keeper import CommunityKeeper  # seldom asked for
        from clew.store.heads import folder

        where = folder(self.place.snapshots, self.where) if self.writable else None
        return CommunityKeeper(where, self.graph, self._last_full)

    @cached_property
    def summary_cache(self) -> "SummaryCache":
        """Summaries that a model wrote."""
        from clew.graph.summary_cache import SummaryCache
        from clew.store.heads import folder

        return SummaryCache(folder(self.place.snapshots, self.where))

    def _last_full(self) -> str:
        """The id of the last full rebuild; of the first run, if there was none."""
        full = next(iter(self.transactions.of_type(f"{Mode.FULL}_rebuild", 1)), None) or self.transactions.first()
        return full.id if full else ""

    @cached_property
    def _refresher(self) -> "Refresher | None":
        if not self.config.query.refresh:
            return None
        from clew.index.refresh import Refresher

        return Refresher(self.db, self.working_tree, self.runs if self.writable else None, now, new_id)

    @property
    def working_tree(self) -> WorkingTree:
        return WorkingTree(self.place.root, self.config, self.where, self.place.snapshots)

    @cached_property
    def _corpora(self) -> "Corpora":
        from clew.store.corpus import Corpora  # numpy is heavy, and most commands do not rank

        return Corpora(self.db, self.where, self.place.snapshots, refuse_foreign)

    @cached_property
    def _wholes(self) -> "Wholes":
        from clew.graph.full_graph import Wholes  # as above

        return Wholes(self._corpora, self.files, self.nodes, self.histories)

    @cached_property
    def meaning(self) -> "Meaning | None":
        """The configured embedding model; None without one."""
        if self.config.embedding.model == NO_MODEL:
            return None
        from clew.retrieve.meaning import make_meaning  # as above

        keeps, held = self.writable and self.config.embedding.cache_enabled, self._sources.held
        return make_meaning(self.config.embedding, self.db, self.where, self.place.snapshots, held, keeps, now)

    @cached_property
    def fleet(self) -> "Fleet":
        """Claims and tasks, and the effects of index runs on them."""
        from clew.coordinate.fleet import Fleet  # most commands only ask about code
        from clew.coordinate.remembering import seams

        if self.place.part:
            return self._present.fleet
        kept = seams(lambda: self.memory)
        return Fleet(self.db, self.where, self.place.root, self.config.fleet, now, new_id, kept)

    def open_claims(self) -> "list[Claim]":
        """Open claims, now or at the time of a past state."""
        at = self._viewpoint.at
        return self._present.fleet.claims.open(at) if at != NOW or self.ground.marks().claims else []

    @cached_property
    def searcher(self) -> "Searcher":
        from clew.retrieve.search import Searcher  # as above

        return Searcher(self._sources, self._corpora)

    @cached_property
    def packer(self) -> "Packer":
        from clew.pack.packer import Packer  # as above

        return Packer(self._matcher)

    @cached_property
    def _matcher(self) -> "Matcher":
        from clew.pack.matching import Matcher  # as above

        return Matcher(self._sources, self._corpora, self.searcher, self.webs)

    @cached_property
    def webs(self) -> "Webs":
        from clew.graph.walk_graph import Webs  # as above

        return Webs(self.histories)

    @cached_property
    def packs(self) -> "Records":
        """The packs that were written: files in the project's folder, whichever database it has."""
        from clew.pack.records import Records  # as above

        return Records(self.place.folder)

    def keep_pack(self, pack: "ContextPack") -> None:
        """Write a pack for good, with the project and the place that it was made of."""
        self.be_writable()
        self.place.prepare_home()
        made_of = structs.replace(pack.request, repo_id=self.project_id, index_root=self.place.root.as_posix())
        self.packs.write(structs.replace(pack, request=made_of))

    def index_signature(self) -> str:
        """The SHA-256 of everything besides the question that answers depend on: see `pack/signature.py`."""
        self.refresh()
        return self.packer.index_signature()

    @cached_property
    def _sources(self) -> "RetrieverSources":
        from clew.retrieve.retriever import Holder, RetrieverSources  # as above

        held = Holder(self.files)
        return RetrieverSources(self.place.root, self.config, self.files, held, self.histories, lambda: self.meaning)

    @cached_property
    def jobs(self) -> "Jobs":
        from clew.store.jobs import Jobs  # few ask

        return Jobs(self.db, self.where)

    @cached_property
    def file_errors(self) -> "FileErrors":
        from clew.store.jobs import FileErrors  # as above

        return FileErrors(self.db, self.where)

    @cached_property
    def episodes(self) -> "Episodes":
        from clew.store.episodes import Episodes  # most commands only ask about code

        key = self.config.memory.agent_key
        return Episodes(self.db, self.where, lambda: agents_cipher(key))

    @cached_property
    def learnings(self) -> "Learnings":
        from clew.store.learnings import Learnings  # as above

        return Learnings(self.db, self.where)

    @cached_property
    def _personal(self) -> "Personal":
        from clew.store.personal import Personal  # as above

        return Personal(self.place, self.place.url, now, writable=self.writable)

    @cached_property
    def knowledge(self) -> "Knowledge":
        """Entities, events, concepts, causes and facts that agents recorded."""
        from clew.knowledge.knowledge import Knowledge  # as above
        from clew.store.knowledge import KnowledgeLog

        if self._present is not self:
            return self._present.knowledge
        return Knowledge(KnowledgeLog(self.db, self.where), self.episodes, new_id)

    def name_of_user(self, user: str) -> str:
        """The name under which the private records of a user lie; empty: of the user who runs Clew."""
        return self._present._personal.name_of(user)

    @cached_property
    def memory(self) -> "Memory":
        from clew.memory.memory import Means, Memory, MemoryStores  # as above
        from clew.memory.notes import Books
        from clew.store.claims import Sessions
        from clew.store.notes import Notes

        source = self._present  # of which this reads, and writes, all but the code
        copies = source.place.snapshots if source.writable else None
        words_alone = self.config.embedding.model == OWN  # which finds episodes worse than words do: docs/memory.md
        near = lambda: None if words_alone else source.meaning and source.meaning.semantic.near  # noqa: E731 - made when asked
        faint = lambda: source.meaning.semantic.near if words_alone and source.meaning else None  # noqa: E731 - likewise
        means = Means(copies, str(source.where.project), near, faint, new_id, self.config.memory)
        books = Books(Notes(source.db, source.where), source._personal, Sessions(source.db, source.where))
        leases = Leases(source.db, Where(source.where.project, 0))  # of the project, whichever the checkout
        return Memory(MemoryStores(source.episodes, source.learnings, books, leases, self.files, self.nodes), means)

    def page_out_gone(self) -> None:
        """Turn the working notes of sessions that are gone into episodes."""
        for one in self.fleet.find_gone(self.memory.notebook.holders()):
            self.memory.notebook.page_out(one, now())

    @cached_property
    def services(self) -> "ServiceReader":
        """The services of the project and of the repositories that belong to its system, and how they talk."""
        from clew.services.discovery import DeclaredService  # most projects have none
        from clew.services.reader import ReaderSettings, ServiceReader
        from clew.services.supplied import SuppliedInputs

        settings = self.config.services
        pairs = (one.partition("=") for one in settings.folders)
        declared = tuple(DeclaredService(name.strip(), path.strip()) for name, _, path in pairs)
        reading = ReaderSettings(self.place.root.name, declared, settings.asyncapi == "literal")
        inputs = SuppliedInputs(self.place.folder)
        return ServiceReader(self.service_sources, reading, self.repositories.current, inputs, self.imports)

    def imports(self) -> "list[ImportEdge]":
        """The edges of imports of the current graph."""
        from clew.graph.full_graph import import_edges  # numpy is heavy

        return import_edges(self.corpus())

    @cached_property
    def service_sources(self) -> "SourceReader":
        """The service findings of this repository."""
        from clew.services.reader import SourceReader  # as above
        from clew.store.heads import folder

        kept = folder(self.place.snapshots, self.where) if self.writable else None
        return SourceReader(self.files, kept, lambda: self.checkouts.state(self.where).stamp)

    @cached_property
    def repositories(self) -> "OtherRepositories":
        """The other repositories of the system."""
        return OtherRepositories(self.place.root, self.config.services.repositories, read_only=not self.writable)

    def service_graph(self) -> "KnowledgeGraph":
        """Services and code as one graph, as of the files that are indexed."""
        from clew.model.errors import Unavailable
        from clew.services.knowledge_graph import KnowledgeGraph  # as above

        if not self.config.services.enabled:
            raise Unavailable("the service graph is disabled", "Set enabled to true under [services].")
        owned, whole = self.services.current(), self.services.whole(self.graph)
        return self.services.join_with_code(owned, whole, lambda: KnowledgeGraph(owned.system, owned.owner, whole))

    @cached_property
    def briefer(self) -> "Briefer":
        from clew.pack.briefing import Briefer  # as above

        return Briefer(self._matcher, self._present.ground, (self.nodes, self.links), lambda: self._gatherer)

    @cached_property
    def _gatherer(self) -> "Gatherer":
        from clew.pack.memories import Gatherer  # as above

        source = self._present
        return Gatherer(
            source.episodes,
            source.learnings,
            self.memory,
            lambda: source.fleet,
            lambda: self._viewpoint.at,
            lambda at: source.knowledge.about_code(at.valid, at.known),
        )


def _also_to_surface(report: Callable[[Progress], None]) -> Callable[[Progress], None]:
    """The caller of a tool may watch its progress, too."""

    def pass_on(progress: Progress) -> None:
        report(progress)
        call_progress.report(progress.done, progress.total, progress.path)

    return pass_on


class OtherRepositories:
    """The repositories that `[services] repositories` names, each opened as the indexed project that it is."""

    def __init__(self, root: Path, named: Iterable[str], *, read_only: bool) -> None:
        self._root = root
        self._named = tuple(one.partition("=")[::2] for one in named)
        self._read_only = read_only
        self._open: dict[str, Engine] = {}
        self._lock = Lock()

    def current(self) -> "Repositories":
        """The usable repositories, with recent changes indexed, and the reasons why others cannot be used."""
        from clew.services.reader import Repositories, Repository  # most projects have no services

        found, problems = [], []
        for name, folder in sorted(self._named):
            try:
                engine = self._open_other(name, folder)
                engine.refresh()
                engine.require_index()
            except ClewError as error:
                problems.append(f"The repository {name} ({folder}) is left out: {error.message}.")
                continue
            found.append(Repository(name, engine.place.root, engine.service_sources, engine.graph, engine.imports))
        return Repositories(self._root, tuple(found), tuple(problems))

    def _open_other(self, name: str, folder: str) -> Engine:
        with self._lock:
            if name not in self._open:
                path = Path(folder).expanduser()
                path = path if path.is_absolute() else self._root / path
                if not path.is_dir():
                    raise NotFound("there is no such folder", "Correct it under [services] repositories.")
                own = {key: value for key, value in os.environ.items() if key not in _OF_ONE_PROJECT}
                self._open[name] = Engine.open(path.resolve(), read_only=self._read_only, create=False, environ=own)
            return self._open[name]

    def close(self) -> None:
        for one in self._open.values():
            one.close()
        self._open.clear()
