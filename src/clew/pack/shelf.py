"""From a node of the graph, or a chunk's uid, to the unit that shows it, as the current view holds it."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from clew.model.code import SCOPE, Chunk, Redaction, chunk_uid, split_id, symbol_id
from clew.model.words import Kind
from clew.pack.elision import Unit
from clew.retrieve import excerpt
from clew.retrieve.retriever import ChunkPlace, file_at
from clew.retrieve.source_cache import CachedFile, Holder, changed_to
from clew.store.corpus import Corpus
from clew.store.files import Files, IndexedFile
from clew.store.postings import KIND_CODES

PROSE = (Kind.SECTION, Kind.PARAGRAPH)
_PROSE_CODES = frozenset(KIND_CODES[kind] for kind in PROSE)
_UID = re.compile(r"(?P<path>.+)#(?P<ordinal>\d+)@[0-9a-f]+")


class Standing(Struct, frozen=True):
    """A chunk in its file. `symbol` is empty if the chunk lies between symbols."""

    uid: str
    path: str
    symbol: str
    ordinal: int
    language: str
    opened: CachedFile
    chunk: Chunk

    @property
    def held(self) -> IndexedFile:
        return self.opened.held

    @property
    def id(self) -> str:
        """Of the node that it shows."""
        return self.symbol or self.path

    @property
    def label(self) -> str:
        return self.chunk.label or self.path.rpartition("/")[2]

    @property
    def title(self) -> str:
        return f"{self.chunk.kind} {self.label}"

    @property
    def size(self) -> int:
        """Bytes of its text."""
        return self.chunk.span.end - self.chunk.span.start

    def holds(self, other: "Standing") -> bool:
        """Whether another chunk lies inside of this one."""
        own, its = self.chunk.span, other.chunk.span
        return self.path == other.path and own.start <= its.start and its.end <= own.end

    def unit(self, best: int = 0) -> Unit:
        """With its text; `best` is the passage that is wanted first."""
        return Unit(self.opened.text(self.chunk.span.end), self.held.chunks, self.ordinal, best)

    def file_text(self) -> bytes:
        """Of its file, up to where the last chunk ends."""
        return self.opened.text(max(chunk.span.end for chunk in self.held.chunks))

    def utf16(self, source: bytes) -> tuple[int, int]:
        """Where it begins and ends in the file, in UTF-16 code units; of a secret that was replaced, in bytes."""
        span = self.chunk.span
        return _utf16(source, span.start, self.held.redactions), _utf16(source, span.end, self.held.redactions)


class Shelf:
    """Chunks of one corpus. Each file is opened once, and compared with its current state once."""

    def __init__(self, root: Path, corpus: Corpus, held: Holder, files: Files) -> None:
        self._root = root
        self._corpus = corpus
        self._holder = held
        self._files = files
        self._open: dict[str, CachedFile | None] = {}
        self._now: dict[str, bytes | None] = {}
        self._prose: dict[str, bool] = {}

    def chunk_of(self, id: str) -> Standing | None:
        """The chunk that shows a node: its own, or the one that contains it; for a file, the text between symbols."""
        path, scope = split_id(id)
        opened = self._open_file(path)
        if opened is None or not opened.held.chunks:
            return None
        held = opened.held
        ordinal = _of_scope(held, scope) if scope else _own(held)
        if ordinal < 0 and (place := self._starts_at(held, scope)) >= 0:
            ordinal = _around(held, place)
        return _to_standing(opened, ordinal) if ordinal >= 0 else None

    def all_at(self, places: Sequence[ChunkPlace]) -> list[Standing]:
        parts = [self._corpus.parts[place.part].postings for place in places]
        files = [file_at(self._corpus, place) for place in places]
        self._holder.fetch([(path, part.digest(number)) for part, (number, path) in zip(parts, files, strict=True)])
        return [
            _to_standing(self._holder.opened(path, part.digest(number)), place.chunk - int(part.first_of[number]))
            for place, part, (number, path) in zip(places, parts, files, strict=True)
        ]

    def in_file(self, of: Standing) -> list[Standing]:
        """All chunks of a chunk's file, in order."""
        return [_to_standing(of.opened, ordinal) for ordinal in range(len(of.held.chunks))]

    def behind(self, one: Standing) -> Iterator[Standing]:
        """The chunks behind a chunk in its file, in order; first those that lie in it."""
        return (_to_standing(one.opened, ordinal) for ordinal in range(one.ordinal + 1, len(one.held.chunks)))

    def chunk(self, uid: str) -> Standing | None:
        """The chunk of a uid, if its content is unchanged."""
        told = _UID.fullmatch(uid)
        opened = self._open_file(told["path"]) if told else None
        if told is None or opened is None or int(told["ordinal"]) >= len(opened.held.chunks):
            return None
        found = _to_standing(opened, int(told["ordinal"]))
        return found if found.uid == uid else None

    def is_stale(self, one: Standing) -> bool:
        """Whether its file is no longer as it was indexed."""
        return self._current_bytes(one) is not None

    def still_stands(self, one: Standing) -> bool:
        """Whether the file still has this text, wherever it stands now."""
        now = self._current_bytes(one)
        return now is None or excerpt.whole(one.unit().source, one.chunk).encode() in now

    def _current_bytes(self, one: Standing) -> bytes | None:
        if one.path not in self._now:
            self._now[one.path] = changed_to(self._root, one.path, one.held.known)
        return self._now[one.path]

    def is_prose(self, path: str) -> bool:
        """Whether a file is, without opening it: all of one is, or nothing."""
        if path not in self._prose:
            self._prose[path] = self._is_prose(path)
        return self._prose[path]

    def _is_prose(self, path: str) -> bool:
        for part in self._corpus.parts:
            number = part.postings.paths.find(path)
            if number >= 0 and part.files[number]:
                first, end = part.postings.first_of[number : number + 2].tolist()
                return first < end and int(part.postings.kinds[first]) in _PROSE_CODES
        return False

    def _open_file(self, path: str) -> CachedFile | None:
        if path not in self._open:
            self._open[path] = self._read(path)
        return self._open[path]

    def _read(self, path: str) -> CachedFile | None:
        for part in self._corpus.parts:
            number = part.postings.paths.find(path)
            if number >= 0 and part.files[number]:
                return self._holder.opened(path, part.postings.digest(number))
        return None

    def _starts_at(self, held: IndexedFile, scope: str) -> int:
        """Where a symbol without a chunk begins; -1 if there is none."""
        symbols = self._files.symbols_in(held.content.file, held.content.version)
        return next((symbol.span.start for symbol in symbols if symbol.scope == scope), -1)


def _to_standing(opened: CachedFile, ordinal: int) -> Standing:
    held = opened.held
    chunk, path = held.chunks[ordinal], held.content.path
    symbol = symbol_id(path, chunk.scope) if chunk.scope else ""
    return Standing(chunk_uid(path, ordinal, chunk.digest), path, symbol, ordinal, held.content.language, opened, chunk)


def _of_scope(held: IndexedFile, scope: str) -> int:
    """A symbol's own chunk, or that of the innermost thing around it that has one."""
    places = {chunk.scope: i for i, chunk in reversed([*enumerate(held.chunks)])}
    while scope and scope not in places:
        scope = scope.rpartition(SCOPE)[0]
    return places[scope] if scope else -1


def _own(held: IndexedFile) -> int:
    return next((i for i, chunk in enumerate(held.chunks) if not chunk.scope), 0)


def _around(held: IndexedFile, place: int) -> int:
    """The innermost chunk that a place lies in."""
    around = [(c.span.end - c.span.start, i) for i, c in enumerate(held.chunks) if c.span.start <= place < c.span.end]
    return min(around)[1] if around else -1


def _utf16(source: bytes, offset: int, redactions: tuple[Redaction, ...]) -> int:
    before = source[:offset]
    shift = excerpt.in_file(offset, redactions) - offset
    units = offset if before.isascii() else len(before.decode("utf-8", "replace").encode("utf-16-le")) // 2
    return units + shift


def is_prose(kind: Kind) -> bool:
    return kind in PROSE
