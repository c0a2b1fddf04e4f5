"""Chunks by place or by id, with their text as it is indexed; a file that has changed since is told."""

from pathlib import Path

from msgspec import Struct

from clew.model.code import Chunk, chunk_uid, split_id, symbol_id
from clew.pack.elision import Unit
from clew.retrieve import excerpt
from clew.retrieve.freshness import changed_to
from clew.retrieve.retriever import Holder, Place, file_at
from clew.store.corpus import Corpus
from clew.store.files import Held


class Quoted(Struct, frozen=True):
    """A chunk of a file as indexed."""

    held: Held
    ordinal: int

    @property
    def path(self) -> str:
        return self.held.content.path

    @property
    def chunk(self) -> Chunk:
        return self.held.chunks[self.ordinal]

    @property
    def id(self) -> str:
        return symbol_id(self.path, self.chunk.scope)

    @property
    def uid(self) -> str:
        return chunk_uid(self.path, self.ordinal, self.chunk.digest)

    @property
    def label(self) -> str:
        return self.chunk.label or self.path.rpartition("/")[2]

    def unit(self, best: int = 0) -> Unit:
        return Unit(self.held.opening(self.chunk.span.end), self.held.chunks, self.ordinal, best)

    def holds(self, other: "Quoted") -> bool:
        """Whether another chunk lies inside of this one."""
        own, its = self.chunk.span, other.chunk.span
        return self.path == other.path and own.start <= its.start and its.end <= own.end


class Quotes:
    """Of one corpus, for one answer: each file is looked at once."""

    def __init__(self, root: Path, held: Holder, corpus: Corpus) -> None:
        self._root = root
        self._held = held
        self._corpus = corpus
        self._now: dict[str, bytes | None] = {}

    def at(self, place: Place) -> Quoted:
        postings = self._corpus.parts[place.part].postings
        number, path = file_at(self._corpus, place)
        held = self._held.holding(path, postings.digest(number))
        return Quoted(held, place.chunk - int(postings.first_of[number]))

    def of(self, id: str) -> Quoted | None:
        """What shows a node; a file is shown by nothing but its place."""
        path, scope = split_id(id)
        held = self._holding(path) if scope else None
        if held is None:
            return None
        return next((Quoted(held, i) for i, chunk in enumerate(held.chunks) if chunk.scope == scope), None)

    def still_stands(self, quoted: Quoted) -> bool:
        """Whether the file still has this text, wherever it stands now."""
        now = self._changed(quoted)
        return now is None or excerpt.whole(quoted.unit().source, quoted.chunk).encode() in now

    def is_stale(self, quoted: Quoted) -> bool:
        return self._changed(quoted) is not None

    def _changed(self, quoted: Quoted) -> bytes | None:
        if quoted.path not in self._now:
            self._now[quoted.path] = changed_to(self._root, quoted.path, quoted.held.known)
        return self._now[quoted.path]

    def _holding(self, path: str) -> Held | None:
        for part in self._corpus.parts:
            number = part.postings.paths.find(path)
            if number >= 0 and part.files[number]:
                return self._held.holding(path, part.postings.digest(number))
        return None
