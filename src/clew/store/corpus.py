"""The current view for ranking: the newest snapshot without its outdated entries, and an overlay of newer files."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from clew.runtime.asking import look_again, past_damage
from clew.store import heads, overlays, snapshot
from clew.store.arrays import Array
from clew.store.checkouts import Checkouts, CheckoutState
from clew.store.database import Database, Later, Where
from clew.store.extracts import FILES_AT_ONCE, Extracts
from clew.store.files import Content, Files
from clew.store.heads import Head
from clew.store.links import Links
from clew.store.outage import outlast
from clew.store.postings import Field, snapshot_name
from clew.store.snapshot import NO_LINKS, Postings, Source

SWEEP_AGE = 10.0  # seconds; a process that is about to open an old snapshot has done so by then

# A query that would lay more than this over the last snapshot makes a new one of its work: while a first run is under
# way, the next query then starts from there.
LAID_OVER_BY_QUERY = 256
SHARE_BY_QUERY = 0.25

_LEAST_AVERAGE = 1e-9  # of a field that no chunk has; it divides


class CorpusPart(Struct, frozen=True, eq=False):
    """Postings, and which of their chunks still hold."""

    postings: Postings
    live: Array
    files: Array  # likewise, by file


class Corpus(Struct, frozen=True, eq=False):
    """The parts together hold each chunk of the current view once; `averages` is the mean length by field.

    Both count chunks as wholes: passages change no statistics.
    """

    stamp: str
    parts: tuple[CorpusPart, ...]
    chunks: int
    averages: Array


class Corpora:
    """Opens the corpus of one checkout and keeps it until the store has moved on.

    `admit` raises where the rules that a checkout was indexed by are none that its contents can be opened by.
    """

    def __init__(
        self, db: Database, where: Where, directory: Path, admit: Callable[[bytes], None] = lambda rules: None
    ) -> None:
        self._db = db
        self._where = where
        self._directory = heads.folder(directory, where)
        self._checkouts = Checkouts(db)
        self._files = Files(db, where)
        self._extracts = Extracts(db, where)
        self._links = Links(db, where)
        self._lock = threading.Lock()
        self._corpus: Corpus | None = None
        self._base: _Base | None = None
        self._damaged: tuple[int, ...] = ()  # the mark of a file with a damaged section
        self._admit = admit

    def current(self) -> Corpus:
        stamp = self._checkouts.state(self._where).stamp
        with self._lock:
            if self._base and not self._is_usable(self._base):
                self._base = self._corpus = None
            if self._corpus is None or self._corpus.stamp != stamp:
                self._corpus = past_damage(lambda: outlast(self._db, lambda: self._open(stamp)))
                if self._corpus.stamp != stamp:  # it is of a later state than we were told
                    look_again()
            return self._corpus

    def refresh(self) -> None:
        """Have the current corpus at hand, if one was ever asked for."""
        if self._corpus is not None:
            self.current()

    def renew(self) -> None:
        """Make a snapshot of the current view."""
        with self._db.view():
            state = self._checkouts.state(self._where)
            present = self._present_later()()
            arrays = snapshot.invert(self._sources(present))
        self._keep(present, arrays, state)

    def _open(self, stamp: str) -> Corpus:
        """`stamp` is the state that was announced; if the state has moved on, file states are read again."""
        head = heads.read(self._directory)
        base = self._load(head)
        kept = self._find_cached(base, head, stamp) if base and stamp else None
        if kept is not None and self._is_still(stamp):
            return kept
        with self._db.view():
            asked = self._checkouts.state_later(self._where), self._present_later()
            state, present = asked[0](), asked[1]()
            self._admit(state.rules)
            fresh, parts = _difference(base, present)
            much = len(fresh) > max(LAID_OVER_BY_QUERY, SHARE_BY_QUERY * len(present))
            todo = present if much else fresh
            few = self._sources_later(todo) if len(todo) <= FILES_AT_ONCE else None
            arrays = {} if few else snapshot.invert(self._sources(todo))
        if few:
            arrays = snapshot.invert(iter(few()))
        if much:
            with suppress(OSError):  # where it cannot be kept, it serves this process alone
                self._keep(present, arrays, state)
            return _corpus(state.stamp, (_whole(Postings(arrays)),))
        if parts and state.stamp:
            overlays.keep(self._directory, head.name, state.stamp, parts[0].files, arrays)
        return _corpus(state.stamp, (*parts, _whole(Postings(arrays))) if fresh else parts)

    def _find_cached(self, base: Postings, head: Head, stamp: str) -> Corpus | None:
        """The cached corpus of a state, if there is one."""
        if stamp == head.stamp:
            return _corpus(stamp, (_whole(base),))
        laid = overlays.read(self._directory, head.name, stamp)
        if laid is None:
            return None
        over = (_whole(laid.postings),) if laid.postings.chunks else ()  # nothing, if files only went
        return _corpus(stamp, (_live_part(base, laid.holds), *over))

    def _is_still(self, stamp: str) -> bool:
        state = self._checkouts.state(self._where)
        self._admit(state.rules)
        return state.stamp == stamp

    def _present_later(self) -> "Later[list[_Present]]":
        links, contents = self._links.current_later(), self._files.contents_later()

        def present() -> list[_Present]:
            digests = links()
            return [_Present(content, digests.get(content.file, NO_LINKS)) for content in contents()]

        return present

    def _keep(self, present: "list[_Present]", arrays: dict[str, Array], state: CheckoutState) -> None:
        name = snapshot_name(snapshot.signature((p.content.path, p.state, p.content.language) for p in present))
        snapshot.write(self._directory, name, arrays)
        heads.write(self._directory, Head(name, state.stamp, state.changed))
        snapshot.sweep(self._directory, {name, heads.read(self._directory).name}, time.time() - SWEEP_AGE)

    def _is_usable(self, base: "_Base") -> bool:
        """Whether the file of a snapshot is still the one that was mapped, and no section of it is damaged."""
        if base.postings.is_damaged:
            self._damaged = base.mark
        return base.mark != self._damaged and base.mark == heads.mark(base.file)

    def _load(self, head: Head) -> Postings | None:
        """The snapshot, unless it is known to be damaged. Its sections are verified as they are read."""
        if not head.name:
            return None
        file = self._directory / f"{head.name}{snapshot.SUFFIX}"
        if self._base is None or self._base.file != file or not self._is_usable(self._base):
            self._base = None
            mark = heads.mark(file)
            loaded = snapshot.load(file) if mark != self._damaged else None
            if loaded is None:
                return None
            self._base = _Base(file, mark, loaded)
        return self._base.postings

    def _sources(self, present: "list[_Present]") -> Iterator[Source]:
        for start in range(0, len(present), FILES_AT_ONCE):
            yield from self._sources_later(present[start : start + FILES_AT_ONCE])()

    def _sources_later(self, present: "list[_Present]") -> Later[list[Source]]:
        files = [one.content.file for one in present]
        words, links = self._extracts.words_later(files), self._links.each_later(files)
        return lambda: [
            Source(one.path, one.text, one.language, said, shown, link_digest)
            for (one, link_digest), said, shown in zip(present, words(), links(), strict=True)
        ]


class _Base(NamedTuple):
    """A snapshot that is mapped, and which file it was."""

    file: Path
    mark: tuple[int, ...]
    postings: Postings


class _Present(NamedTuple):
    """A file of the current view, and the digest of its links."""

    content: Content
    links: bytes

    @property
    def state(self) -> bytes:
        return self.content.text + self.links


def _corpus(stamp: str, parts: tuple[CorpusPart, ...]) -> Corpus:
    """Lengths are summed as integers over the chunks that hold now, so that laying over changes no mean."""
    totals = np.zeros(len(Field), np.int64)
    for part in parts:
        wholes = part.postings.document_of[:-1][part.live]
        totals += part.postings.lengths[wholes].sum(axis=0, dtype=np.int64)
    chunks = sum(int(part.live.sum()) for part in parts)
    return Corpus(stamp, parts, chunks, np.maximum(totals / max(chunks, 1), _LEAST_AVERAGE))


def _whole(postings: Postings) -> CorpusPart:
    return CorpusPart(postings, np.ones(postings.chunks, np.bool_), np.ones(len(postings.paths), np.bool_))


def _live_part(postings: Postings, files: Array) -> CorpusPart:
    """The part with its current files only."""
    return CorpusPart(postings, files[postings.file_of], files)


def _difference(base: Postings | None, present: list[_Present]) -> tuple[list[_Present], tuple[CorpusPart, ...]]:
    """The files that the snapshot lacks or has in another state, and the snapshot's part that is still current."""
    if base is None:
        return present, ()
    if base.paths.equal([one.content.path for one in present]):  # mostly: files change more often than they come or go
        now = np.frombuffer(b"".join(one.state for one in present), np.uint8).reshape(base.digests.shape)
        same = (now == base.digests).all(axis=1)
        return [present[i] for i in np.flatnonzero(~same)], (_live_part(base, same),)
    held = {path: i for i, path in enumerate(base.paths)}
    same = np.zeros(len(base.paths), np.bool_)
    fresh: list[_Present] = []
    for one in present:
        i = held.get(one.content.path)
        if i is not None and base.digests[i].tobytes() == one.state:
            same[i] = True
        else:
            fresh.append(one)
    return fresh, (_live_part(base, same),)
