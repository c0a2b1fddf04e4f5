"""BM25 over fields, on the corpus' own postings. Pure: the same corpus and terms give the same scores, to the bit.

The score is based on the share of the question's information that a chunk holds: each term weighs by its rarity and
is saturated by its frequency, so that the sum over the terms stays between 0 and 1 for every question. The score is
its square root: half of the information, which is a good answer to a long question, makes 0.7.

Documents are scored; a chunk has the score of its best one: the whole, or one of its passages.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from clew.retrieve.impacts import Places, impacts
from clew.retrieve.question import Word, lexicon
from clew.retrieve.retriever import ChunkPlace
from clew.store.corpus import Corpus, CorpusPart
from clew.store.postings import Field
from clew.store.snapshot import FIELD_BITS, Array, Postings

MOST = 0.95  # of a question's information: words alone leave some doubt, which what else is known decides

_FIELD_MASK = (1 << FIELD_BITS) - 1
_FIELDS = {field.value: field for field in Field}


class Term(Struct, frozen=True):
    """One term of a question: the word it comes from, and where it stands."""

    word: Word
    at: Places


class Scored(Struct, frozen=True, eq=False):
    """By part, the scores of chunks, and of the documents that they come from; and the words that stand nowhere."""

    corpus: Corpus
    chunks: tuple[Array, ...]
    documents: tuple[Array, ...]
    unknown: tuple[str, ...]

    def passage(self, place: ChunkPlace) -> int:
        """Which passage of a chunk scores best; 0 is the whole, if none is better."""
        first, end = self.corpus.parts[place.part].postings.document_of[place.chunk : place.chunk + 2]
        return int(np.argmax(self.documents[place.part][first:end]))


def look_up(corpus: Corpus, question: Mapping[str, Word]) -> list[Term]:
    """The terms of a question, which come with their words."""
    return [_look_up(corpus, text, word) for text, word in question.items()]


def score(corpus: Corpus, terms: Sequence[Term], delta: float = 0.0) -> Scored:
    """All chunks, for terms in a fixed order. `delta` is BM25+'s lower bound for any mention, however long the text."""
    scores = tuple(np.zeros(part.postings.documents) for part in corpus.parts)
    of_term = impacts(corpus, delta).of
    possible, unknown = 0.0, dict[str, None]()
    for term in terms:
        held = of_term(term.at)
        if not held.frequency:
            unknown.update({} if term.word.is_other else {term.word.text: None})
            continue
        rarity = term.word.weight * math.log(1 + (corpus.chunks - held.frequency + 0.5) / (held.frequency + 0.5))
        possible += 0.0 if term.word.is_other else rarity
        for by_document, documents, shares in zip(scores, held.documents, held.shares, strict=True):
            np.add.at(by_document, documents.astype(np.intp), rarity * shares)
    best = [_best(part.postings, one) / (possible or 1.0) for part, one in zip(corpus.parts, scores, strict=True)]
    for one in best:
        np.minimum(one, MOST, out=one)
        np.sqrt(one, out=one)
    return Scored(corpus, tuple(best), scores, tuple(unknown))


def matching_terms(
    corpus: Corpus, terms: Sequence[Term], place: ChunkPlace, passage: int
) -> list[tuple[str, tuple[Field, ...]]]:
    """Which words of the question a chunk holds, or one of its passages, and in which fields."""
    found = []
    document = int(corpus.parts[place.part].postings.document_of[place.chunk]) + passage
    edges = np.array([document << FIELD_BITS, (document + 1) << FIELD_BITS], np.uint32)  # as places are: no copies
    for term in terms:
        places = term.at.places[place.part]
        low, high = places.searchsorted(edges).tolist()
        if high > low:
            fields = tuple(_FIELDS[at & _FIELD_MASK] for at in places[low:high].tolist())
            found.append((lexicon().part(term.word.text, term.at.term), fields))
    return found


def range_of(part: CorpusPart, text: str) -> slice:
    """Where the places of a term lie."""
    number = part.postings.terms.find(text)
    return slice(int(part.postings.at[number]), int(part.postings.at[number + 1])) if number >= 0 else slice(0, 0)


def _best(postings: Postings, scores: Array) -> Array:
    """The score of each chunk, from those of its documents."""
    if not postings.has_passages:
        return scores
    best: Array = scores[postings.is_whole]
    np.maximum.at(best, postings.passages_in, scores.take(postings.passages))
    return best


def _look_up(corpus: Corpus, text: str, word: Word) -> Term:
    pairs = [(part.postings, range_of(part, text)) for part in corpus.parts]
    places = tuple(postings.places[where] for postings, where in pairs)
    return Term(word, Places(text, places, tuple(postings.frequencies[where] for postings, where in pairs)))
