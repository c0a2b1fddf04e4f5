"""The store's share of an index run: the same readings, in the run's own batches, with nobody reading or scanning."""

from collections.abc import Iterator
from contextlib import contextmanager

from clew.engine import Engine, new_id, now
from clew.index import pool
from clew.index.disk.scan import scan
from clew.index.link_stage import LinkStage
from clew.index.run_plan import plan_run
from clew.index.worker_protocol import Answer, Setup
from clew.model.code import Reading
from clew.store.corpus import Corpora
from clew.store.database import Durability
from clew.store.files import FileNumbering, Stamp
from clew.store.leases import INDEXING, Lease
from clew.store.transactions import Author

NAME = "bench"  # of who holds the lease
WORKERS = 2


def read(engine: Engine) -> list[Answer]:
    """Read every file of the tree as a first run does, in the order of the plan."""
    config, root = engine.config, engine.place.root
    todo = plan_run(root, scan(root, config.watcher, config.indexing), {}, config.bootstrap, everything=True)
    order = {wanted.path: number for number, (wanted, _) in enumerate(todo.wanted)}
    answers = list(pool.read_in_workers(Setup.of(root, config), pool.batches(todo.wanted), WORKERS))
    return sorted(answers, key=lambda answer: min((order[one.path] for one in answer.readings), default=0))


class Feed:
    """One load into an empty store; the steps in this order."""

    def __init__(self, engine: Engine) -> None:
        lease = engine.leases.acquire(INDEXING, NAME, now())
        assert lease is not None
        record = engine.transactions.start(new_id(), NAME, "", Author(), now())
        self._engine = engine
        self._lease: Lease = lease
        self._record = record
        self._stamp = Stamp(record.tx, record.started_at)

    def store(self, answers: list[Answer]) -> None:
        engine, numbering = self._engine, FileNumbering(self._engine.files)
        for answer in answers:
            with engine.db.transaction(Durability.DERIVED):
                engine.leases.renew(self._lease, now())
                engine.files.keep(answer.readings)
                for reading in answer.readings:
                    self._put(numbering, reading)
                engine.checkouts.change(engine.where, new_id(), len(answer.readings))

    def link(self) -> None:
        engine = self._engine
        contents = engine.files.contents()
        linkage = LinkStage(engine.db, engine.extracts, engine.links, self._derived, lambda files: None)
        linkage.link_all(contents, {one.path for one in contents}, self._stamp.known)
        linkage.finish(lambda: engine.checkouts.link(engine.where))

    @contextmanager
    def _derived(self) -> Iterator[None]:
        with self._engine.db.transaction(Durability.DERIVED):
            self._engine.leases.renew(self._lease, now())
            yield

    def settle(self) -> None:
        """The snapshot, and what a run does before it."""
        engine = self._engine
        with engine.db.transaction(Durability.DERIVED):
            engine.checkouts.settle(engine.where)
        Corpora(engine.db, engine.where, engine.place.snapshots).renew()

    def end(self) -> None:
        self._engine.transactions.end(self._record.id, "completed", 0, {})
        self._engine.leases.release(self._lease, now())

    def _put(self, numbering: FileNumbering, reading: Reading) -> None:
        file, version, _ = numbering.next(reading.path, None)
        self._engine.files.begin(file, version, reading, (reading.mtime_ns // 1000, False), self._stamp)
        self._engine.nodes.define(file, version, reading.defined)
        self._engine.extracts.put(file, reading)
