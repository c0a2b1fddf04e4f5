"""From a question to hits: what it says, what the retrievers find, one ranking of that, and the text of the best."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
from msgspec import Struct

from clew.model.errors import ClewError, Unavailable
from clew.model.search import Coverage, Failure, Fusion, Query, Reason, Results
from clew.retrieve import fusion, retrievers, standing
from clew.retrieve.diversity import COMPARED, Candidate, diverse
from clew.retrieve.fusion import Weighed
from clew.retrieve.hits import Quoter, Ranked
from clew.retrieve.question import understand
from clew.retrieve.retriever import Ask, Found, Place, Retriever, Sources, file_at
from clew.retrieve.scope import allowed
from clew.store.corpus import Corpora, Corpus
from clew.store.snapshot import Array

RERANKED = 50  # candidates that retrievers which only look at those are asked about
KEPT = 32  # rankings

T = TypeVar("T")


class Findings(Struct, frozen=True, eq=False):
    """What all retrievers found in answer to a question; `shares` is how much of its score each chunk keeps."""

    how: Fusion
    weighed: list[Weighed]
    failed: list[Failure]
    allowed: tuple[Array, ...]
    shares: list[standing.Kept]
    scores: list[Array]  # fused, by the weights that are set


class _Answer(Struct, frozen=True, eq=False):
    """A ranking, before any text is read."""

    best: tuple[Ranked, ...]
    total: int
    below: int
    unknown: tuple[str, ...]
    failed: tuple[Failure, ...]
    collapsed: int


class Searcher:
    def __init__(self, sources: Sources, corpora: Corpora) -> None:
        self._sources = sources
        self._corpora = corpora
        self._quoter = Quoter(sources.root, sources.held)
        self._made: dict[str, Retriever] = {}
        self._answers: dict[tuple[Corpus, str, Query], _Answer] = {}

    def search(self, query: Query, coverage: Coverage) -> Results:
        corpus = self._corpora.current()
        answer = self._answered(corpus, self._sources.histories.tip(), query)
        unknown = () if coverage.partial else answer.unknown  # a word may stand in what is still to be read
        hits = self._quoter.hits(corpus, answer.best)
        return Results(query.text, hits, answer.total, answer.below, unknown, coverage, answer.failed, answer.collapsed)

    def _answered(self, corpus: Corpus, tip: str, query: Query) -> _Answer:
        """`tip` is of the history, which rankings depend on as well. Whoever failed is asked again the next time."""
        key = corpus, tip, query
        answer = self._answers.get(key)
        if answer is None:
            answer = self._answer(corpus, query)
            if not answer.failed:
                self._answers = {**dict([*self._answers.items()][1 - KEPT :]), key: answer}
        return answer

    def _answer(self, corpus: Corpus, query: Query) -> _Answer:
        found = self.findings(corpus, query)
        findings, scores, failed = found.weighed, found.scores, found.failed
        if failed and not findings:
            raise Unavailable(f"no retriever could answer: {failed[0].reason}", "Look at [providers] in context.toml.")
        matched = sum(int(np.count_nonzero(score > 0)) for score in scores)
        total = sum(int(np.count_nonzero(score >= query.min_score)) for score in scores) if query.min_score else matched
        chosen, collapsed = self._choose(corpus, findings, scores, query)
        unknown = tuple(word for one in findings for word in one.found.unknown)
        return _Answer(chosen, total, matched - total, unknown, tuple(failed), collapsed)

    def findings(self, corpus: Corpus, query: Query) -> Findings:
        """What a ranking is made of, for who would weigh it otherwise, too."""
        question = understand(query.text)
        ask = Ask(question, corpus, tuple(allowed(corpus, query.scope)))
        kept = standing.shares(corpus, question)
        asked, unmade = self._retrievers()
        findings, failed = self._find(ask, [one for one in asked if not one.retriever.reranks])
        failed = [*unmade, *failed]
        scores = fusion.fuse(self._how, findings, ask.allowed, kept)
        if later := [one for one in asked if one.retriever.reranks]:
            candidates = tuple(place for place, _ in fusion.best(corpus, scores, RERANKED))
            more, late = self._find(Ask(question, corpus, ask.allowed, candidates), later)
            findings, failed = [*findings, *more], [*failed, *late]
            scores = fusion.fuse(self._how, findings, ask.allowed, kept)
        return Findings(self._how, findings, failed, ask.allowed, kept, scores)

    def _choose(
        self, corpus: Corpus, findings: list[Weighed], scores: list[Array], query: Query
    ) -> tuple[tuple[Ranked, ...], int]:
        best = fusion.best(corpus, scores, COMPARED + query.limit, query.min_score)
        words = [*self._quoter.words(corpus, [place for place, _ in best[:COMPARED]]), *[_UNREAD] * len(best)]
        candidates = [
            Candidate(place, score, file_at(corpus, place)[1], own)
            for (place, score), own in zip(best, words, strict=False)
        ]
        chosen, collapsed = diverse(candidates, query.limit, self._sources.config.query.mmr_lambda)
        return tuple(_ranked(findings, one.place, one.score) for one in chosen), collapsed

    @property
    def _how(self) -> Fusion:
        return Fusion(self._sources.config.providers.hybrid.fusion_strategy)

    def _retrievers(self) -> "tuple[list[_Asked], list[Failure]]":
        """Those that take part; one that cannot be made is told, and tried again for the next question."""
        weights = self._sources.config.retrievers()
        failed: list[Failure] = []
        for name in weights.keys() - self._made.keys():
            made = _guarded(name, partial(retrievers.make, name, self._sources))
            if isinstance(made, Failure):
                failed.append(made)
            else:
                self._made[name] = made
        asked = [_Asked(name, weight, self._made[name]) for name, weight in weights.items() if name in self._made]
        return asked, sorted(failed, key=lambda one: one.retriever)

    def _find(self, ask: Ask, asked: "Sequence[_Asked]") -> tuple[list[Weighed], list[Failure]]:
        """In turn: threads wait for each other longer than they gain. One that fails is told, and the rest answer."""
        found = [_guarded(one.name, partial(_retrieve, one, ask)) for one in asked]
        good = [
            Weighed(one.name, one.weight, it) for one, it in zip(asked, found, strict=True) if isinstance(it, Found)
        ]
        return good, [one for one in found if isinstance(one, Failure)]


_UNREAD = frozenset[bytes]()


class _Asked(NamedTuple):
    """A retriever under the name that the configuration has for it."""

    name: str
    weight: float
    retriever: Retriever


def _guarded(name: str, work: Callable[[], T]) -> T | Failure:
    try:
        return work()
    except ClewError as error:
        return Failure(name, str(error))
    except Exception as error:  # noqa: BLE001 - a plug-in's mistake must not cost the answer
        return Failure(name, f"{type(error).__name__}: {error}")


def _retrieve(asked: _Asked, ask: Ask) -> Found:
    """What it finds, if that can be one: a score from 0 to 1 for every chunk."""
    found = asked.retriever.retrieve(ask)
    if asked.name in retrievers.BUILT_IN:  # of our own tests say so; to look at a million scores takes milliseconds
        return found
    if [len(scores) for scores in found.scores] != [part.postings.chunks for part in ask.corpus.parts]:
        raise ValueError("it must give a score for each chunk of each part")
    if not all(scores[:].min(initial=0.0) >= 0 and scores[:].max(initial=0.0) <= 1 for scores in found.scores):
        raise ValueError("scores must be from 0 to 1")
    return found


def _ranked(findings: list[Weighed], place: Place, score: float) -> Ranked:
    shares = fusion.shares_of(findings, place, score)
    told = {one.name: _guarded(one.name, partial(one.found.explain, place)) for one in findings if one.name in shares}
    reasons = tuple(Reason(name, _text(told[name]), round(share, 4)) for name, share in shares.items())
    passage = next((one.found.passage(place) for one in findings if one.found.passage), 0)
    return Ranked(place, score, passage, reasons)


def _text(told: str | Failure) -> str:
    """A retriever that fails to explain itself still counts."""
    return told if isinstance(told, str) else ""
