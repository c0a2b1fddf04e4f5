"""By meaning: how near the best candidates of the others are to the question, by vectors, if a model is configured."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from clew.model.errors import Unavailable
from clew.retrieve import fusion, nearest
from clew.retrieve.meaning import VectorKey as Kept
from clew.retrieve.retriever import Ask, ChunkPlace, Retrieved, RetrieverSources, blank, file_at, no_findings
from clew.runtime.settings import OWN
from clew.store.arrays import Array
from clew.store.chunk_vectors import Bytes
from clew.store.corpus import Corpus
from clew.text.messages import clean

if TYPE_CHECKING:
    from clew.retrieve.meaning import Meaning

UNRELATED = 0.1  # a cosine that says nothing: texts of one project are never quite strange to each other
NEAREST = 0.8  # what the nearest candidate of a plain question is worth, near or not so near: docs/fitted.md
NEAREST_ALONE = 200  # chunks that are ranked where no other retriever takes part
NEAREST_OF_ALL = 20  # chunks that a plain question is compared with beside its candidates, which other words found
LEAST_NEAR = 0.4  # a cosine below which it is worth less: what is about something else entirely reaches 0.3 to 0.4
GIST = 600  # characters of a question that vectors are made of: docs/fitted.md
FILE_SHARE = 0.5  # of a chunk's worth, that of the nearest chunk of its file: docs/fitted.md


class SemanticRetriever:
    name = "semantic"
    reranks = True

    def __init__(self, sources: RetrieverSources) -> None:
        self._meaning = sources.meaning
        self._is_own = sources.config.embedding.model == OWN  # whose vectors lie in snapshots

    def retrieve(self, ask: Ask) -> Retrieved:
        meaning = self._meaning()
        if meaning is None or not (ask.candidates or ask.alone):
            return no_findings(ask.corpus)
        question = gist(ask.question.text)
        is_plain = self._is_own and (ask.question.is_plain or ask.alone)
        candidates = ask.candidates
        if ask.alone:
            candidates = tuple(
                one for one, _ in nearest_of_all(ask.corpus, meaning, question, NEAREST_ALONE, ask.allowed)
            )
        if not candidates:
            return no_findings(ask.corpus)
        if self._is_own:
            asked = meaning.semantic.asked(question)
            if is_plain and not ask.alone:
                candidates = tuple(dict.fromkeys((*candidates, *_nearest(ask, asked))))
            near = nearest.cosines(_rows(ask.corpus, candidates), asked)
        else:
            near = meaning.semantic.similarities(question, [vector_key(ask.corpus, place) for place in candidates])
        paths = [file_at(ask.corpus, place)[1] for place in candidates]
        worths = worth_to_plain(near, paths) if is_plain else worth(near, paths)
        scores = blank(ask.corpus)
        for place, score in zip(candidates, worths.tolist(), strict=True):
            scores[place.part][place.chunk] = score
        cosines = dict(zip(candidates, near.tolist(), strict=True))
        of_files = {path: cosine for cosine, path in sorted(zip(near.tolist(), paths, strict=True))}
        return Retrieved(
            scores, lambda place: _explain(cosines.get(place), of_files.get(file_at(ask.corpus, place)[1], 0.0))
        )


def _explain(cosine: float | None, of_its_file: float) -> str:
    """A chunk that is not similar itself may score by the most similar chunk of its file alone."""
    if cosine is None:
        return ""
    return (
        f"similar in meaning ({cosine:.2f})"
        if cosine > UNRELATED
        else f"its file is similar in meaning ({of_its_file:.2f})"
    )


def _rows(corpus: Corpus, places: Sequence[ChunkPlace]) -> Bytes:
    return np.stack([corpus.parts[place.part].postings.vectors[place.chunk] for place in places])


def _nearest(ask: Ask, asked: Array) -> list[ChunkPlace]:
    """The chunks in scope nearest to the question, weighted by their role shares."""
    parts = zip(ask.corpus.parts, ask.allowed, ask.shares, strict=True)
    near = [
        nearest.all_cosines(part.postings.vectors, part.postings.vector_lengths, asked) * allowed * shares[:]
        for part, allowed, shares in parts
    ]
    return [place for place, _ in fusion.best(ask.corpus, near, NEAREST_OF_ALL)]


def nearest_of_all(
    corpus: Corpus, meaning: "Meaning", question: str, limit: int, allowed: Sequence[Array]
) -> list[tuple[ChunkPlace, float]]:
    """The chunks nearest to a question by vectors alone, with their cosines; ties by path and place.

    The vectors of the bundled model are in the snapshot. Those of other models must all have been made.
    """
    asked = meaning.semantic.asked(question)
    if meaning.is_own:
        parts = zip(corpus.parts, allowed, strict=True)
        near = [
            nearest.all_cosines(part.postings.vectors, part.postings.vector_lengths, asked) * mask
            for part, mask in parts
        ]
        places = [place for place, _ in fusion.best(corpus, near, limit)]
        cosines = nearest.cosines(_rows(corpus, places), asked).tolist() if places else []
    else:
        found = meaning.everything.search(corpus, asked, limit, allowed)
        if found is None:
            raise Unavailable("not every chunk has its vector yet", "Run `clew embed`, then try again.")
        places, cosines = [ChunkPlace(one.part, one.chunk) for one in found], [one.similarity for one in found]
    ranked = zip(places, cosines, strict=True)
    return sorted(ranked, key=lambda one: (-one[1], file_at(corpus, one[0])[1], one[0].chunk))


def gist(text: str) -> str:
    """The likely subject of a question: the beginning of a report; logs and versions follow it."""
    return (clean(text) or text)[:GIST]


def worth(cosines: Array, files: Sequence[str]) -> Array:
    """The score of each candidate, from 0 to 1."""
    return _by_file(np.clip((cosines - UNRELATED) / (1 - UNRELATED), 0.0, 1.0), files)


def worth_to_plain(cosines: Array, files: Sequence[str]) -> Array:
    """The same for a plain question, relative to the nearest: no code shares its words, and all cosines are low."""
    most = max(float(cosines.max(initial=0.0)), LEAST_NEAR)
    return _by_file(NEAREST * np.clip((cosines - UNRELATED) / (most - UNRELATED), 0.0, 1.0), files)


def _by_file(own: Array, files: Sequence[str]) -> Array:
    """Vectors tell files apart better than the functions of one file."""
    _, numbers = np.unique(np.array(files), return_inverse=True)
    best = np.zeros(len(own))
    np.maximum.at(best, numbers, own)
    found: Array = (1 - FILE_SHARE) * own + FILE_SHARE * best[numbers]
    return found


def vector_key(corpus: Corpus, place: ChunkPlace) -> Kept:
    """A chunk as vectors know it."""
    number, path = file_at(corpus, place)
    postings = corpus.parts[place.part].postings
    return Kept(path, postings.digest(number), place.chunk - int(postings.first_of[number]))
