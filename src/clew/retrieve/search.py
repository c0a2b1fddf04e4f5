"""From a question to hits: terms, ranking, and the text and reasons of what ranked best."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from clew.model.code import Layout, Span, chunk_uid, symbol_id
from clew.model.search import Coverage, Hit, Query, Reason, Results
from clew.retrieve import excerpt, lexical
from clew.retrieve.freshness import is_stale
from clew.retrieve.scope import allowed
from clew.store.corpus import Corpora, Corpus
from clew.store.files import Content, Files
from clew.store.postings import Field
from clew.text.terms import Lexicon

RETRIEVER = "full_text"
MOST_KEPT = 64  # files whose text and layout stay unpacked
MOST_REASONS = 6  # words named per field; a long question would else explain more than it answers


class Searcher:
    def __init__(self, root: Path, corpora: Corpora, files: Files) -> None:
        self._root = root
        self._corpora = corpora
        self._files = files
        self._lexicon = Lexicon()
        # By version and by digest, which never change: hits often share a file, and questions their hits.
        self._layout = lru_cache(MOST_KEPT)(files.layout)
        self._text = lru_cache(MOST_KEPT)(files.text)

    def search(self, query: Query, coverage: Coverage) -> Results:
        corpus = self._corpora.current()
        terms = lexical.look_up(corpus, self._lexicon.question(query.text))
        ranking = lexical.rank(corpus, terms, allowed(corpus, query.scope), query.limit, query.min_score)
        hits = tuple(self._hit(corpus, terms, ranked) for ranked in ranking.best)
        unknown = () if coverage.partial else ranking.unknown  # a word may stand in what is still to be read
        return Results(query.text, hits, ranking.total, ranking.below, unknown, coverage)

    def _hit(self, corpus: Corpus, terms: Sequence[lexical.Term], ranked: lexical.Ranked) -> Hit:
        postings = corpus.parts[ranked.part].postings
        number = int(postings.file_of[ranked.chunk])
        content = self._files.holding(postings.paths[number], postings.digest(number))
        ordinal = ranked.chunk - int(postings.first_of[number])
        layout = self._layout(content.file, content.version)
        chunk = layout.chunks[ordinal]
        passage = chunk.passages[ranked.passage - 1] if ranked.passage else None
        reason = _reason(lexical.held(corpus, terms, ranked), ranked.score, passage)
        return self._describe(content, layout, ordinal, passage, reason)

    def _describe(self, content: Content, layout: Layout, ordinal: int, passage: Span | None, reason: Reason) -> Hit:
        chunk = layout.chunks[ordinal]
        source = self._text(content.text)
        redactions = self._files.redactions(content.file, content.version)
        known = self._files.known_at(content.path)
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
            text=excerpt.whole(source, chunk),
            outline=excerpt.outline(source, chunk, layout),
            passage=excerpt.around(source, chunk, layout, passage) if passage else "",
            reasons=(reason,),
            stale=known is None or is_stale(self._root, content.path, known),
            redacted=excerpt.is_redacted(chunk, redactions),
        )


def _reason(held: list[tuple[str, tuple[Field, ...]]], score: float, passage: Span | None) -> Reason:
    by_field: dict[Field, dict[str, None]] = {}
    for word, fields in held:
        for field in fields:
            by_field.setdefault(field, {})[word] = None
    details = [f"{field.name.lower()}: {' '.join([*by_field[field]][:MOST_REASONS])}" for field in sorted(by_field)]
    if passage:
        details.append(f"lines {passage.first}-{passage.last}")
    return Reason(RETRIEVER, "; ".join(details), round(score, 4))
