"""All knowledge of one project: the catalog in memory, kept level with the log, and writes to it."""

from collections.abc import Callable, Iterable
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, TypeVar

import msgspec
from blake3 import blake3
from msgspec import structs

from clew.knowledge.catalog import KnowledgeCatalog, KnowledgeReader
from clew.knowledge.writing import KnowledgeBatch, KnowledgeWritten, WriteContext
from clew.model.errors import NotFound
from clew.model.knowledge import KnowledgeKind, KnowledgeRecord, KnowledgeScope
from clew.model.memory import Subject
from clew.model.time import NOW, AsOf
from clew.store.episodes import Episodes
from clew.store.knowledge import KnowledgeLog

if TYPE_CHECKING:
    from clew.knowledge.passage_names import PassageNames
    from clew.knowledge.recall import KnowledgeRecall
    from clew.knowledge.search import KnowledgeSearch
    from clew.knowledge.views import KnowledgeView

T = TypeVar("T")

VIEWS_KEPT = 256  # by handle, in this process


class Knowledge:
    """Any thread may use it."""

    def __init__(self, log: KnowledgeLog, episodes: Episodes, new_id: Callable[[], str]) -> None:
        self.log = log
        self._episodes = episodes
        self._new_id = new_id
        self._lock = RLock()
        self._catalog = KnowledgeCatalog()
        self._recent: dict[str, KnowledgeView] = {}  # by handle

    @cached_property
    def search(self) -> "KnowledgeSearch":
        from clew.knowledge.search import KnowledgeSearch  # numpy is heavy, and who only writes needs none

        return KnowledgeSearch()

    @cached_property
    def passage_names(self) -> "PassageNames":
        from clew.knowledge.passage_names import PassageNames  # few questions need it

        return PassageNames(self._episodes)

    @cached_property
    def recall(self) -> "KnowledgeRecall":
        from clew.knowledge.recall import KnowledgeRecall  # as above

        return KnowledgeRecall(self.search)

    def keep_view(self, view: "KnowledgeView", now: int, *, writable: bool) -> str:
        """A handle under which later calls find a view: in this process, and in the store for others."""
        data = msgspec.json.encode(view)
        handle = f"view-{blake3(data).hexdigest()[:16]}"
        with self._lock:
            self._recent.pop(handle, None)
            self._recent[handle] = view
            while len(self._recent) > VIEWS_KEPT:
                del self._recent[next(iter(self._recent))]
        if writable:
            self.log.keep_view(handle, data.decode(), now)
        return handle

    def find_view(self, handle: str, now: int) -> "KnowledgeView":
        from clew.knowledge.views import KnowledgeView

        with self._lock:
            if handle in self._recent:
                return self._recent[handle]
        data = self.log.view(handle, now)
        if not data:
            raise NotFound(
                f"the handle {handle!r} is not known, or has expired",
                "Handles expire after an hour: call entity_lookup, temporal_expand or causal_expand again.",
            )
        return msgspec.json.decode(data, type=KnowledgeView)

    def read(self, work: Callable[[KnowledgeCatalog], T]) -> T:
        """Ask the catalog, level with all rows that are committed."""
        with self._lock:
            self._catch_up()
            return work(self._catalog)

    def about_code(self, at: int, known: int = NOW.known) -> list[tuple[Subject, KnowledgeRecord]]:
        """Public knowledge about code: facts valid at a time, and causes."""

        def find(catalog: KnowledgeCatalog) -> list[tuple[Subject, KnowledgeRecord]]:
            past = catalog.at(AsOf(at, known))
            pairs = past.about_code(KnowledgeReader(), at)
            found = [(Subject(one.body.code, bytes.fromhex(one.body.digest)), about) for one, about in pairs]
            return [(subject, about) for subject, about in found if about.scope is KnowledgeScope.PROJECT]

        return self.read(find)

    def write(self, context: WriteContext, work: Callable[[KnowledgeBatch, str], KnowledgeWritten]) -> KnowledgeWritten:
        """Record what `work` adds, all or nothing. The same key again is the same write.

        `work` gets the id of its main record, so that a commit whose answer was lost is not repeated.
        """
        main = self._new_id()
        with self._lock:
            try:
                return self.log.at_once(lambda: self._write(context, work, main))
            except BaseException:
                self._catalog = KnowledgeCatalog()  # it may hold rows that were rolled back
                raise

    def _write(
        self, context: WriteContext, work: Callable[[KnowledgeBatch, str], KnowledgeWritten], main: str
    ) -> KnowledgeWritten:
        self._catch_up()
        if main in self._catalog.current:
            return _as_known(self._catalog.current[main])
        earlier = self.log.by_key(context.reader.who.agent_id, context.key)
        if earlier:
            return _as_known(self._catalog.rows(earlier[-1].id)[-1])
        batch = KnowledgeBatch(self._catalog, context, self._new_id)
        written = work(batch, main)
        self.log.put(_with_key(batch.rows, written.id, context, self._catalog))
        return written

    def write_all(self, context: WriteContext, work: Callable[[KnowledgeBatch], T]) -> T:
        """Record all that `work` adds, or nothing; it may be repeated after an outage, so it must know its own rows."""

        def run() -> T:
            self._catch_up()
            batch = KnowledgeBatch(self._catalog, context, self._new_id)
            done = work(batch)
            self.log.put(batch.rows)
            return done

        with self._lock:
            try:
                return self.log.at_once(run)
            except BaseException:
                self._catalog = KnowledgeCatalog()  # as above
                raise

    def undo(self, reason: str, context: WriteContext) -> list[str]:
        """Take back every change of one reason, where it is still the latest of its record."""

        def work(batch: KnowledgeBatch) -> list[str]:
            changed = [
                rows for rows in map(self._catalog.rows, self._catalog.all_ids()) if rows[-1].body.reason == reason
            ]
            readable = [rows for rows in changed if context.reader.may_read(rows[-1])]
            for rows in readable:
                batch.take_back(rows[-1], rows[-2] if len(rows) > 1 else None, f"undone: {reason}")
            return [rows[-1].id for rows in readable]

        return self.write_all(context, work)

    def forget(self, id: str, context: WriteContext, reason: str) -> list[str]:
        """End a record with what hangs on it; it stays readable as of earlier times."""

        def work(batch: KnowledgeBatch, main: str) -> KnowledgeWritten:
            record = self._catalog.current.get(id)
            if record is None or not context.reader.may_read(record):
                raise NotFound(f"no knowledge has the id {id!r}", "semantic_search and entity_lookup list ids.")
            done = batch.end(record, reason)
            return KnowledgeWritten(id, record.kind, created=False, links=tuple(done))

        scoped = self.read(lambda catalog: catalog.current.get(id))
        if scoped is not None:
            context = structs.replace(context, scope=scoped.scope, sensitive=scoped.sensitive)
        return list(self.write(context, work).links)

    def clear(self, reader: KnowledgeReader) -> int:
        """Remove all records that the caller may read; how many rows."""

        def work() -> int:
            self._catch_up()
            gone = [one for one in self._catalog.all_ids() if reader.may_read(self._catalog.rows(one)[-1])]
            return self.log.remove(gone)

        with self._lock:
            try:
                return self.log.at_once(work)
            finally:
                self._catalog = KnowledgeCatalog()

    def restore(self, records: Iterable[KnowledgeRecord]) -> int:
        """Add the rows of an export again, under new numbers; records that are there are left as they are."""

        def work() -> int:
            self._catch_up()
            there = set(self._catalog.all_ids())
            new = [one for one in records if one.id not in there]
            numbered = [structs.replace(one, number=self._catalog.last + at) for at, one in enumerate(new, 1)]
            self.log.put(numbered)
            return len(numbered)

        with self._lock:
            return self.log.at_once(work)

    def _catch_up(self) -> None:
        last = self.log.last()
        if last < self._catalog.last:  # the log was erased or replaced
            self._catalog = KnowledgeCatalog()
        if last == self._catalog.last:
            return
        rows = list(self.log.after(self._catalog.last))
        if self._catalog.last and any(row.kind is KnowledgeKind.PURGE for row in rows):
            self._catalog = KnowledgeCatalog()
            rows = list(self.log.after(0))
        for row in rows:
            self._catalog.take(row)


def _with_key(
    rows: list[KnowledgeRecord], main: str, context: WriteContext, catalog: KnowledgeCatalog
) -> list[KnowledgeRecord]:
    """The rows, the caller's key on one of the main record; a confirmation that changed nothing is a row as well."""
    if not context.key:
        return rows
    at = next((place for place, row in enumerate(rows) if row.id == main), None)
    if at is None:
        known = catalog.current[main]
        if known.who.agent_id != context.reader.who.agent_id:
            return rows
        again = structs.replace(
            known, revision=known.revision + 1, number=catalog.last + 1, known_from=context.now, key=context.key
        )
        catalog.take(again)
        return [*rows, again]
    if rows[at].who.agent_id != context.reader.who.agent_id:
        return rows
    return [*rows[:at], structs.replace(rows[at], key=context.key), *rows[at + 1 :]]


def _as_known(record: KnowledgeRecord) -> KnowledgeWritten:
    return KnowledgeWritten(record.id, record.kind, created=False, valid_to=record.valid_to)
