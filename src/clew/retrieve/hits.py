"""From places in the corpus to hits: text, outline and reasons, quoted only as the file stands."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from clew.model.code import Chunk, Span, chunk_uid, symbol_id
from clew.model.search import Hit, Reason
from clew.retrieve import excerpt
from clew.retrieve.retriever import ChunkPlace
from clew.retrieve.source_cache import CachedFile, Holder, changed_to
from clew.store.corpus import Corpus
from clew.text.terms import distinct_words

LONGEST_OUTLINE = 2_400  # characters
MOST_COMPARED = 4_000  # bytes of a chunk that tell whether it says what another does


class RankedChunk(Struct, frozen=True):
    """A chunk that answers: its score, its passage that does so best (0 is the whole), and the reasons."""

    place: ChunkPlace
    score: float
    passage: int
    reasons: tuple[Reason, ...]

    def explain(self) -> "RankedChunk":
        """Itself, since its reasons are known; `FoundChunk` makes them when they are read."""
        return self


_File = tuple[str, bytes]  # a path, and the digest of a text that it has or had


class Quoter:
    def __init__(self, root: Path, held: Holder) -> None:
        self._root = root
        self._held = held

    def hits(self, corpus: Corpus, best: Sequence[RankedChunk]) -> tuple[Hit, ...]:
        places = [_place(corpus, ranked.place) for ranked in best]
        self._held.fetch([file for file, _ in places])
        opened = {file: self._held.opened(*file) for file, _ in places}
        now = {file: changed_to(self._root, file[0], one.held.known) for file, one in opened.items()}
        hits = []
        for ranked, (file, ordinal) in zip(best, places, strict=True):
            hit, changed = _hit(opened[file], ordinal, ranked), now[file]
            hits.append(hit if changed is None else _as_it_stands(hit, changed))
        return tuple(hits)

    def words(self, corpus: Corpus, places: Sequence[ChunkPlace]) -> list[frozenset[bytes]]:
        """The words of chunks, as indexed; of a long one, those that it begins with."""
        found = [_place(corpus, place) for place in places]
        self._held.fetch([file for file, _ in found])
        return [self._words(*one) for one in found]

    def _words(self, file: _File, ordinal: int) -> frozenset[bytes]:
        opened = self._held.opened(*file)
        span = opened.held.chunks[ordinal].span
        end = min(span.end, span.start + MOST_COMPARED)
        return distinct_words(opened.text(end)[span.start : end])


def _place(corpus: Corpus, place: ChunkPlace) -> tuple[_File, int]:
    """The path and the digest of a chunk's file, and its number there."""
    postings = corpus.parts[place.part].postings
    number = int(postings.file_of[place.chunk])
    return (postings.paths[number], postings.digest(number)), place.chunk - int(postings.first_of[number])


def _hit(opened: CachedFile, ordinal: int, ranked: RankedChunk) -> Hit:
    held = opened.held
    content, chunk, redactions = held.content, held.chunks[ordinal], held.redactions
    text = opened.text(chunk.span.end)
    passage = chunk.passages[ranked.passage - 1] if ranked.passage else None
    indent = excerpt.indentation(text, chunk)
    outline = _outline(text, held.chunks, ordinal)
    return Hit(
        chunk_id=chunk_uid(content.path, ordinal, chunk.digest),
        path=content.path,
        symbol=symbol_id(content.path, chunk.scope),
        label=chunk.label or content.path.rpartition("/")[2],
        kind=chunk.kind,
        language=content.language,
        first_line=chunk.span.first,
        last_line=chunk.span.last,
        start=excerpt.in_file(chunk.span.start - len(indent), redactions),
        end=excerpt.in_file(chunk.span.end, redactions),
        score=round(ranked.score, 4),
        text=indent + excerpt.whole(text, chunk),
        outline=outline and indent + outline,
        passage=indent + excerpt.around(text, chunk, passage) if passage else "",
        reasons=with_lines(ranked.reasons, passage),
        stale=False,
        redacted=excerpt.is_redacted(chunk, redactions),
    )


def _outline(source: bytes, chunks: Sequence[Chunk], ordinal: int) -> str:
    """With inner units folded; of one that is long without them, too, its opening."""
    outline = excerpt.outline(source, chunks, ordinal)
    return outline if len(outline) <= LONGEST_OUTLINE else excerpt.fold(source, chunks[ordinal])


def with_lines(reasons: tuple[Reason, ...], passage: Span | None) -> tuple[Reason, ...]:
    """Which lines the words stand in, of a chunk that is long."""
    if passage is None or not reasons:
        return reasons
    first, *rest = reasons
    return (replace(first, detail=f"{first.detail}; lines {passage.first}-{passage.last}"), *rest)


def _as_it_stands(hit: Hit, now: bytes) -> Hit:
    """A hit in a file that has changed: its text where that stands now, or none, since nothing else may be quoted."""
    text = hit.text.encode()
    at = now.find(text) if text else -1
    if at < 0:
        return replace(hit, text="", outline="", passage="", stale=True)
    first = now.count(b"\n", 0, at) + 1
    last = first + hit.last_line - hit.first_line
    return replace(hit, start=at, end=at + len(text), first_line=first, last_line=last, stale=True)
