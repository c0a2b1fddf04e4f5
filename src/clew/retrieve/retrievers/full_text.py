"""By words: BM25 over the fields of each chunk."""

from clew.retrieve import lexical
from clew.retrieve.retriever import Ask, ChunkPlace, Retrieved, RetrieverSources
from clew.store.corpus import Corpus
from clew.store.postings import Field

MOST_WORDS = 6  # named per field; a long question would else explain more than it answers


class FullTextRetriever:
    name = "full_text"
    reranks = False

    def __init__(self, sources: RetrieverSources) -> None:
        self._delta = sources.config.providers.full_text.delta

    def retrieve(self, ask: Ask) -> Retrieved:
        terms = lexical.look_up(ask.corpus, ask.question.terms)
        scored = lexical.score(ask.corpus, terms, self._delta)
        return Retrieved(
            scored.chunks,
            lambda place: _matching_words(ask.corpus, terms, scored, place),
            scored.passage,
            scored.unknown,
        )


def _matching_words(corpus: Corpus, terms: list[lexical.Term], scored: lexical.Scored, place: ChunkPlace) -> str:
    """The words that a chunk holds, by field."""
    by_field: dict[Field, dict[str, None]] = {}
    for word, fields in lexical.matching_terms(corpus, terms, place, scored.passage(place)):
        for field in fields:
            by_field.setdefault(field, {})[word] = None
    return "; ".join(f"{field.name.lower()}: {' '.join([*by_field[field]][:MOST_WORDS])}" for field in sorted(by_field))
