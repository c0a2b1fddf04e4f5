"""By meaning: how near the best candidates of the others are to the question, by vectors, if a model is configured."""

from collections.abc import Sequence

import numpy as np

from clew.retrieve.retriever import Ask, Found, Place, Sources, blank, file_at, nothing
from clew.retrieve.semantic import Place as Kept
from clew.store.arrays import Array
from clew.store.corpus import Corpus
from clew.text.messages import cleaned

UNRELATED = 0.1  # a cosine that says nothing: texts of one project are never quite strange to each other
GIST = 600  # characters of a question that vectors are made of: docs/fitted.md
FILE_SHARE = 0.5  # of a chunk's worth, that of the nearest chunk of its file: docs/fitted.md


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
        near = meaning.semantic.similarities(gist(ask.question.text), places)
        told: dict[Place, str] = {}
        worths = worth(near, [place.path for place in places])
        for place, cosine, score in zip(ask.candidates, near.tolist(), worths.tolist(), strict=True):
            scores[place.part][place.chunk] = score
            told[place] = f"near in meaning ({cosine:.2f})"
        return Found(scores, lambda place: told.get(place, ""))


def gist(text: str) -> str:
    """What a question is about, most likely: of a report, the beginning; what follows are logs and versions."""
    return (cleaned(text) or text)[:GIST]


def worth(cosines: Array, files: Sequence[str]) -> Array:
    """What each candidate is worth, from 0 to 1: vectors tell files apart better than the functions of one file."""
    own = np.clip((cosines - UNRELATED) / (1 - UNRELATED), 0.0, 1.0)
    _, numbers = np.unique(np.array(files), return_inverse=True)
    best = np.zeros(len(own))
    np.maximum.at(best, numbers, own)
    found: Array = (1 - FILE_SHARE) * own + FILE_SHARE * best[numbers]
    return found


def kept(corpus: Corpus, place: Place) -> Kept:
    """A chunk as vectors know it."""
    number, path = file_at(corpus, place)
    postings = corpus.parts[place.part].postings
    return Kept(path, postings.digest(number), place.chunk - int(postings.first_of[number]))
