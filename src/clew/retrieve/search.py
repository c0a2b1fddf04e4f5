"""From a question to hits: terms, ranking, and the text and reasons of what ranked best."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from msgspec import Struct

from clew.model.code import Span, chunk_uid, symbol_id
from clew.model.search import Coverage, Hit, Query, Reason, Results
from clew.retrieve import excerpt, lexical
from clew.retrieve.freshness import changed_to
from clew.retrieve.scope import allowed
from clew.store.corpus import Corpora, Corpus
from clew.store.files import Files, Held
from clew.store.postings import Field
from clew.text.terms import Lexicon

RETRIEVER = "full_text"
MOST_REASONS = 6  # words named per field; a long question would else explain more than it answers


class _Quoted(Struct, frozen=True):
    """A file that hits lie in: its text, at least as far as they reach."""

    held: Held
    text: bytes
    now: bytes | None  # what the file holds, if that is no longer this


class Searcher:
    def __init__(self, root: Path, corpora: Corpora, files: Files) -> None:
        self._root = root
        self._corpora = corpora
        self._files = files
        self._lexicon = Lexicon()

    def search(self, query: Query, coverage: Coverage) -> Results:
        corpus = self._corpora.current()
        terms = lexical.look_up(corpus, self._lexicon.question(query.text))
        ranking = lexical.rank(corpus, terms, allowed(corpus, query.scope), query.limit, query.min_score)
        hits = self._hits(corpus, terms, ranking.best)
        unknown = () if coverage.partial else ranking.unknown  # a word may stand in what is still to be read
        return Results(query.text, hits, ranking.total, ranking.below, unknown, coverage)

    def _hits(self, corpus: Corpus, terms: Sequence[lexical.Term], best: Sequence[lexical.Ranked]) -> tuple[Hit, ...]:
        places = [_place(corpus, ranked) for ranked in best]
        ordinals: dict[tuple[str, bytes], list[int]] = {}
        for file, ordinal in places:
            ordinals.setdefault(file, []).append(ordinal)
        quoted = {file: self._quoted(*file, ordinals[file]) for file in ordinals}
        hits = []
        for ranked, (file, ordinal) in zip(best, places, strict=True):
            passage = _passage(quoted[file], ordinal, ranked.passage)
            reason = _reason(lexical.held(corpus, terms, ranked), ranked.score, passage)
            hit = _hit(quoted[file], ordinal, passage, reason)
            now = quoted[file].now
            hits.append(hit if now is None else _as_it_stands(hit, now))
        return tuple(hits)

    def _quoted(self, path: str, digest: bytes, ordinals: list[int]) -> _Quoted:
        held = self._files.holding(path, digest)
        text = held.opening(max(held.chunks[ordinal].span.end for ordinal in ordinals))
        return _Quoted(held, text, changed_to(self._root, path, held.known))


def _place(corpus: Corpus, ranked: lexical.Ranked) -> tuple[tuple[str, bytes], int]:
    """The path and the digest of a chunk's file, and its number there."""
    postings = corpus.parts[ranked.part].postings
    number = int(postings.file_of[ranked.chunk])
    return (postings.paths[number], postings.digest(number)), ranked.chunk - int(postings.first_of[number])


def _passage(quoted: _Quoted, ordinal: int, number: int) -> Span | None:
    return quoted.held.chunks[ordinal].passages[number - 1] if number else None


def _hit(quoted: _Quoted, ordinal: int, passage: Span | None, reason: Reason) -> Hit:
    held, text = quoted.held, quoted.text
    content, chunk, redactions = held.content, held.chunks[ordinal], held.redactions
    return Hit(
        chunk_id=chunk_uid(content.path, ordinal, chunk.digest),
        path=content.path,
        symbol=symbol_id(content.path, chunk.scope),
        label=chunk.label or content.path.rpartition("/")[2],
        kind=chunk.kind,
        language=content.language,
        first_line=chunk.span.first,
        last_line=chunk.span.last,
        start=excerpt.in_file(chunk.span.start, redactions),
        end=excerpt.in_file(chunk.span.end, redactions),
        score=reason.share,
        text=excerpt.whole(text, chunk),
        outline=excerpt.outline(text, held.chunks, ordinal),
        passage=excerpt.around(text, chunk, passage) if passage else "",
        reasons=(reason,),
        stale=False,
        redacted=excerpt.is_redacted(chunk, redactions),
    )


def _as_it_stands(hit: Hit, now: bytes) -> Hit:
    """A hit in a file that has changed: its text where that stands now, or none, since nothing else may be quoted."""
    text = hit.text.encode()
    at = now.find(text) if text else -1
    if at < 0:
        return replace(hit, text="", outline="", passage="", stale=True)
    first = now.count(b"\n", 0, at) + 1
    last = first + hit.last_line - hit.first_line
    return replace(hit, start=at, end=at + len(text), first_line=first, last_line=last, stale=True)


def _reason(held: list[tuple[str, tuple[Field, ...]]], score: float, passage: Span | None) -> Reason:
    by_field: dict[Field, dict[str, None]] = {}
    for word, fields in held:
        for field in fields:
            by_field.setdefault(field, {})[word] = None
    details = [f"{field.name.lower()}: {' '.join([*by_field[field]][:MOST_REASONS])}" for field in sorted(by_field)]
    if passage:
        details.append(f"lines {passage.first}-{passage.last}")
    return Reason(RETRIEVER, "; ".join(details), round(score, 4))
