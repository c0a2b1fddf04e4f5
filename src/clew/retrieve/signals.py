"""The separate scores of each retriever for the best chunks of a question, so that a ranking can be weighed anew."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from msgspec import Struct

from clew.model.code import symbol_id
from clew.model.search import Fusion, Query, RetrieverFailure
from clew.model.words import Kind
from clew.retrieve import fusion
from clew.retrieve.file_role import RoleShares
from clew.retrieve.file_support import with_support_by
from clew.retrieve.fusion import Weighed
from clew.retrieve.question import understand
from clew.retrieve.retriever import ChunkPlace, ChunkScores, Retrieved, file_at
from clew.retrieve.search import Findings, Searcher
from clew.store.arrays import Array
from clew.store.corpus import Corpus
from clew.store.files import Files

MOST = 1500  # chunks, of all retrievers together: what other weights could bring to the front
MOST_OF_EACH = 300


class ScoredChunk(Struct, frozen=True):
    path: str
    symbol: str
    kind: Kind


class Signals(Struct, frozen=True, eq=False):
    """By chunk, in order of path and place; `scores` by retriever, as `weights` is."""

    how: Fusion
    chunks: tuple[ScoredChunk, ...]
    weights: Mapping[str, float]
    scores: Mapping[str, Array]
    shares: Array
    is_report: bool  # then no file supports its hits
    failed: tuple[RetrieverFailure, ...]

    def fuse(self, weights: Mapping[str, float]) -> Array:
        """The score of each chunk by other weights; weights that are not named stay. A weight of 0 leaves a retriever
        out."""
        weighed = {**self.weights, **weights}
        findings = [
            Weighed(name, weighed[name], _as_retrieved(one)) for name, one in self.scores.items() if weighed[name]
        ]
        allowed, shares = [np.ones(len(self.chunks), np.bool_)], [self.shares]
        fused = fusion.fuse(self.how, findings, allowed, shares)
        scores = fusion.on_scale(self.how, fused, findings, allowed, shares)[0]
        return scores if self.is_report else with_support_by([one.path for one in self.chunks], scores)


class Signaller:
    def __init__(self, searcher: Searcher, current: Callable[[], Corpus], files: Files) -> None:
        self._searcher = searcher
        self._current = current
        self._files = files
        self._known: dict[tuple[str, bytes], list[ScoredChunk]] = {}

    def __call__(self, text: str) -> Signals:
        corpus = self._current()
        found = self._searcher.findings(corpus, Query(text, MOST))
        places = _places(corpus, found)
        chunks = tuple(self._chunk(corpus, place) for place in places)
        return Signals(
            found.how,
            chunks,
            {one.name: one.weight for one in found.weighed},
            {one.name: at(one.found.scores, places) for one in found.weighed},
            at(found.shares, places),
            understand(text).is_report,
            tuple(found.failed),
        )

    def _chunk(self, corpus: Corpus, place: ChunkPlace) -> ScoredChunk:
        number, path = file_at(corpus, place)
        postings = corpus.parts[place.part].postings
        file = path, postings.digest(number)
        if file not in self._known:
            held = self._files.find_text(*file).chunks
            self._known[file] = [ScoredChunk(path, symbol_id(path, one.scope), one.kind) for one in held]
        return self._known[file][place.chunk - int(postings.first_of[number])]


def _places(corpus: Corpus, found: Findings) -> list[ChunkPlace]:
    """The best of all and of each, in order of path and place."""
    best = fusion.best(corpus, found.scores, MOST)
    for one in found.weighed:
        kept = zip(one.found.scores, found.allowed, found.shares, strict=True)
        best += fusion.best(corpus, [scores[:] * mask * share[:] for scores, mask, share in kept], MOST_OF_EACH)
    return sorted({place for place, _ in best}, key=lambda place: (file_at(corpus, place)[1], place.chunk))


def at(by_part: "Sequence[ChunkScores | RoleShares]", places: Sequence[ChunkPlace]) -> Array:
    return np.array([by_part[place.part][place.chunk] for place in places], np.float64)


def _as_retrieved(scores: Array) -> Retrieved:
    return Retrieved((scores,), lambda _: "")
