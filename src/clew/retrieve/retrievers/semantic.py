"""By meaning: how near the best candidates of the others are to the question, by vectors, if a model is configured."""

from collections.abc import Sequence

import numpy as np

from clew.retrieve.retriever import Ask, Found, Place, Sources, blank, file_at, nothing
from clew.retrieve.semantic import Place as Kept
from clew.runtime.settings import OWN
from clew.store.arrays import Array
from clew.store.corpus import Corpus
from clew.text.messages import cleaned

UNRELATED = 0.1  # a cosine that says nothing: texts of one project are never quite strange to each other
NEAREST = 0.65  # what the nearest candidate of a plain question is worth, near or not so near: docs/fitted.md
LEAST_NEAR = 0.2  # a cosine below which it is worth less, too
GIST = 600  # characters of a question that vectors are made of: docs/fitted.md
FILE_SHARE = 0.5  # of a chunk's worth, that of the nearest chunk of its file: docs/fitted.md


class Semantic:
    name = "semantic"
    reranks = True

    def __init__(self, sources: Sources) -> None:
        self._meaning = sources.meaning
        self._is_own = sources.config.embedding.model == OWN  # others take too long for many, and were not weighed so

    def retrieve(self, ask: Ask) -> Found:
        meaning = self._meaning()
        if meaning is None or not ask.candidates:
            return nothing(ask.corpus)
        scores = blank(ask.corpus)
        is_plain = self._is_own and ask.question.is_plain
        candidates = (*ask.candidates, *ask.further) if is_plain else ask.candidates
        places = [kept(ask.corpus, place) for place in candidates]
        near = meaning.semantic.similarities(gist(ask.question.text), places)
        told: dict[Place, str] = {}
        paths = [place.path for place in places]
        worths = worth_to_plain(near, paths) if is_plain else worth(near, paths)
        for place, cosine, score in zip(candidates, near.tolist(), worths.tolist(), strict=True):
            scores[place.part][place.chunk] = score
            told[place] = f"near in meaning ({cosine:.2f})"
        return Found(scores, lambda place: told.get(place, ""))


def gist(text: str) -> str:
    """What a question is about, most likely: of a report, the beginning; what follows are logs and versions."""
    return (cleaned(text) or text)[:GIST]


def worth(cosines: Array, files: Sequence[str]) -> Array:
    """What each candidate is worth, from 0 to 1."""
    return _by_file(np.clip((cosines - UNRELATED) / (1 - UNRELATED), 0.0, 1.0), files)


def worth_to_plain(cosines: Array, files: Sequence[str]) -> Array:
    """The same of a plain question, beside the nearest: no code says what it says, and all cosines are low."""
    most = max(float(cosines.max(initial=0.0)), LEAST_NEAR)
    return _by_file(NEAREST * np.clip((cosines - UNRELATED) / (most - UNRELATED), 0.0, 1.0), files)


def _by_file(own: Array, files: Sequence[str]) -> Array:
    """Vectors tell files apart better than the functions of one file."""
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
