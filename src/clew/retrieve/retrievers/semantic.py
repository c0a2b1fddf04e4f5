"""By meaning: how near the best candidates of the others are to the question, by vectors, if a model is configured."""

import numpy as np

from clew.retrieve.retriever import Ask, Found, Place, Sources, blank, file_at, nothing
from clew.retrieve.semantic import Place as Kept
from clew.store.corpus import Corpus

UNRELATED = 0.1  # a cosine that says nothing: texts of one project are never quite strange to each other


class Semantic:
    name = "semantic"
    reranks = True

    def __init__(self, sources: Sources) -> None:
        self._meaning = sources.meaning

    def retrieve(self, ask: Ask) -> Found:
        meaning = self._meaning()
        if meaning is None or not ask.candidates:
            return nothing(ask.corpus)
        scores = blank(ask.corpus)
        places = [kept(ask.corpus, place) for place in ask.candidates]
        near = meaning.semantic.similarities(ask.question.text, places)
        told: dict[Place, str] = {}
        for place, cosine in zip(ask.candidates, near.tolist(), strict=True):
            scores[place.part][place.chunk] = np.clip((cosine - UNRELATED) / (1 - UNRELATED), 0.0, 1.0)
            told[place] = f"near in meaning ({cosine:.2f})"
        return Found(scores, lambda place: told.get(place, ""))


def kept(corpus: Corpus, place: Place) -> Kept:
    """A chunk as vectors know it."""
    number, path = file_at(corpus, place)
    postings = corpus.parts[place.part].postings
    return Kept(path, postings.digest(number), place.chunk - int(postings.first_of[number]))
