"""From a question to hits: parse it, run the retrievers, fuse their findings into one ranking, read the text of the
best."""

import threading
import time
from collections.abc import Callable, Sequence
from contextvars import copy_context
from functools import partial
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from msgspec import Struct, structs

from clew.model.errors import ClewError, Unavailable
from clew.model.search import (
    NO_SEARCHES,
    Coverage,
    Fusion,
    Query,
    Reason,
    Results,
    RetrieverFailure,
    Scope,
    SearchCounts,
)
from clew.model.words import Kind
from clew.retrieve import file_role, fusion, retrievers
from clew.retrieve.declared import definitions_first
from clew.retrieve.diversity import COMPARED, WIDE, DiversityCandidate, diverse
from clew.retrieve.file_role import as_tests
from clew.retrieve.fusion import Weighed
from clew.retrieve.hits import Quoter, RankedChunk
from clew.retrieve.question import Question, understand
from clew.retrieve.retriever import Ask, ChunkPlace, Retrieved, Retriever, RetrieverSources
from clew.retrieve.retrievers.git_history import PastCommits
from clew.retrieve.retrievers.symbol import ASKED_FOR
from clew.retrieve.scope import masks, unmet
from clew.runtime.deadline import check
from clew.runtime.settings import OWN
from clew.store.arrays import Array
from clew.store.corpus import Corpora, Corpus
from clew.store.postings import KIND_CODES
from clew.text.past_questions import time_signal

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

SEMANTIC, SYMBOL, HISTORY = "semantic", "symbol", "git_history"
VARIETY = "variety"  # no retriever: why a hit stands below others with a lower score of their own
RERANKED = 20  # candidates that retrievers which only look at those are asked about: docs/fitted.md
RERANKED_BY_OWN = 50  # likewise, by the model whose vectors are at hand
RERANKED_FOR_PLAIN = 200  # likewise, for plain questions: much of the code that answers them has few of their words
KEPT = 32  # rankings
LOOK_SECONDS = 0.1  # between two looks at whether the request is over

T = TypeVar("T")


class Findings(Struct, frozen=True, eq=False):
    """The findings of all retrievers; `shares` is the part of its score that each chunk keeps."""

    how: Fusion
    weighed: list[Weighed]
    failed: list[RetrieverFailure]
    allowed: tuple[Array, ...]
    shares: list[file_role.RoleShares]
    scores: list[Array]  # fused, by the weights that are set
    declared: Callable[[ChunkPlace], str]  # where a definition is declared, if that was among the best; or nothing
    dated: Callable[[ChunkPlace], str]  # when or how often its file changed, where that was asked for


class _Answer(Struct, frozen=True, eq=False):
    """A ranking, before any text is read."""

    best: tuple[RankedChunk, ...]
    total: int
    below: int
    unknown: tuple[str, ...]
    failed: tuple[RetrieverFailure, ...]
    collapsed: int


class Ranking(Struct, frozen=True, eq=False):
    """A ranking before its texts and reasons are read; `told` makes these for a place and its score."""

    corpus: Corpus
    best: tuple[DiversityCandidate, ...]
    total: int
    unknown: tuple[str, ...]
    failed: tuple[RetrieverFailure, ...]
    told: Callable[[DiversityCandidate], RankedChunk]


class Searcher:
    def __init__(self, sources: RetrieverSources, corpora: Corpora) -> None:
        self._sources = sources
        self._corpora = corpora
        self._quoter = Quoter(sources.root, sources.held)
        self._past = PastCommits(sources.histories)
        self._made: dict[str, Retriever] = {}
        self._answers: dict[tuple[Corpus, str, Query], _Answer] = {}
        self._threads: ThreadPoolExecutor | None = None
        self._counts = NO_SEARCHES  # since they were taken
        self._counting = threading.Lock()

    def search(self, query: Query, coverage: Coverage) -> Results:
        corpus = self._corpora.current()
        answer = self._cached_answer(corpus, self._sources.histories.tip(), query)
        unknown = () if coverage.partial else answer.unknown  # a word may stand in what is still to be read
        nowhere = () if coverage.partial else unmet(corpus, query.scope)  # likewise
        hits = self._quoter.hits(corpus, answer.best)
        counts = answer.total, answer.below, unknown
        barred = "" if nowhere or answer.total + answer.below else _why_unanswerable(corpus, query)
        return Results(
            query.text, hits, *counts, coverage, answer.failed, answer.collapsed, unmet=nowhere, barred=barred
        )

    def rank(self, query: Query, corpus: Corpus | None = None) -> Ranking:
        """Ranking without text, for callers that quote few of many; in the current corpus, or another."""
        corpus = corpus or self._corpora.current()
        found = self.findings(corpus, query)
        _refuse(found)
        chosen, _ = self._choose(corpus, found, query, by_file=False)
        told = partial(_to_ranked, found)
        return Ranking(
            corpus, tuple(chosen), _count_scoring(found, query), _unknown(found, query), tuple(found.failed), told
        )

    def _cached_answer(self, corpus: Corpus, tip: str, query: Query) -> _Answer:
        """`tip` is the history's state, on which rankings depend as well. Answers with failures are not reused."""
        key = corpus, tip, query
        answer = self._answers.get(key)
        self._count(SearchCounts(1, int(answer is not None)))
        if answer is None:
            answer = self._answer(corpus, query)
            if not answer.failed:
                kept = [one for one in self._answers.items() if one[0][0] is corpus]  # nobody asks others again
                self._answers = {**dict(kept[1 - KEPT :]), key: answer}
        return answer

    def _answer(self, corpus: Corpus, query: Query) -> _Answer:
        found = self.findings(corpus, query)
        _refuse(found)
        matched = sum(int(np.count_nonzero(score > 0)) for score in found.scores)
        total = _count_scoring(found, query)
        chosen, collapsed = self._choose(corpus, found, query)
        best = tuple(
            _deducted(_to_ranked(found, one), min(one.deduction, one.score - query.min_score)) for one in chosen
        )
        return _Answer(best, total, matched - total, _unknown(found, query), tuple(found.failed), collapsed)

    def findings(self, corpus: Corpus, query: Query) -> Findings:
        """The findings behind a ranking, also for callers that weigh them differently."""
        question = understand(query.text)
        ask = Ask(question, corpus, tuple(masks(corpus, query.scope)))
        asked, unmade = self._retrievers()
        findings, failed = self._find(ask, [one for one in asked if not one.retriever.reranks])
        failed = [*unmade, *failed]
        meant = [place for one in findings for place in one.found.meant]
        kept = file_role.shares(corpus, question, meant)
        scores = fusion.fuse(self._how, findings, ask.allowed, kept)
        if findings and (later := [one for one in asked if one.retriever.reranks]):
            best = tuple(place for place, _ in fusion.best(corpus, scores, self._reach(question)))
            again = Ask(question, corpus, ask.allowed, best, tuple(kept))
            more, late = self._find(again, later)
            scores = fusion.fuse_again(self._how, scores, findings, more, ask.allowed, kept)
            findings, failed = [*findings, *more], [*failed, *late]
        elif not failed and (later := [one for one in asked if one.name == SEMANTIC]):
            findings, failed = self._find(Ask(question, corpus, ask.allowed, (), tuple(kept), alone=True), later)
            scores = fusion.fuse(self._how, findings, ask.allowed, kept)
        scores = fusion.on_scale(self._how, scores, findings, ask.allowed, kept)
        scores = as_tests(corpus, self._sources.held, scores, kept, meant)
        scores, declared = definitions_first(ask, self._sources.held, scores, kept)
        scores, dated = self._by_time(corpus, query, scores)
        return Findings(self._how, findings, failed, ask.allowed, kept, scores, declared, dated)

    def _by_time(
        self, corpus: Corpus, query: Query, scores: list[Array]
    ) -> tuple[list[Array], Callable[[ChunkPlace], str]]:
        """What changed lately or often comes first, where the question asks for that."""
        signal = time_signal(query.text)
        commits = self._past.commits() if signal else None
        if signal is None or commits is None or not len(commits):
            return scores, lambda _: ""
        from clew.retrieve.recency import by_time  # few questions ask for it

        return by_time(signal, commits, corpus, scores)

    def _reach(self, question: Question) -> int:
        if self._sources.config.embedding.model != OWN:
            return RERANKED
        return RERANKED_FOR_PLAIN if question.is_plain else RERANKED_BY_OWN

    def _choose(
        self, corpus: Corpus, found: Findings, query: Query, *, by_file: bool = True
    ) -> tuple[list[DiversityCandidate], int]:
        reach = WIDE if by_file else COMPARED
        best = fusion.best(corpus, found.scores, reach + query.limit, query.min_score)
        near = [place for place, _ in best[:COMPARED]]
        words = chain(self._quoter.words(corpus, near), repeat(_UNREAD))
        meant, is_named = chain(self._similarities(corpus, near), repeat(())), _is_named(found)
        candidates = (
            DiversityCandidate(place, score, *_file(corpus, place), own, number, about, is_named(place))
            for number, ((place, score), own, about) in enumerate(zip(best, words, meant, strict=False))
        )
        return diverse(candidates, query.limit, self._sources.config.query.mmr_lambda, by_file=by_file)

    def _similarities(self, corpus: Corpus, places: list[ChunkPlace]) -> list[tuple[float, ...]]:
        """How near candidates are to each other in meaning; nothing without a model, or with one that fails.

        Those beyond the re-ranked have no vectors by our own model: to make them would take longer than the search.
        """
        config = self._sources.config
        if SEMANTIC not in config.retrievers() or config.embedding.model == OWN or not places:
            return []
        found = _guard(SEMANTIC, partial(self._alike, corpus, places))
        return [] if isinstance(found, RetrieverFailure) else [tuple(row) for row in found.tolist()]

    def _alike(self, corpus: Corpus, places: list[ChunkPlace]) -> Array:
        from clew.retrieve.retrievers.semantic import vector_key  # only with a model

        meaning = self._sources.meaning()
        return meaning.semantic.alike([vector_key(corpus, place) for place in places]) if meaning else np.zeros((0, 0))

    @property
    def _pool(self) -> "ThreadPoolExecutor":
        if self._threads is None:
            from concurrent.futures import ThreadPoolExecutor  # plug-ins are rare, and every cold start would pay

            self._threads = ThreadPoolExecutor(max_workers=4, thread_name_prefix="clew-retrieve")
        return self._threads

    @property
    def _how(self) -> Fusion:
        return Fusion(self._sources.config.providers.hybrid.fusion_strategy)

    @property
    def counts(self) -> SearchCounts:
        """Since they were taken."""
        return self._counts

    def take_counts(self) -> SearchCounts:
        """The counts, which begin anew."""
        with self._counting:
            counts, self._counts = self._counts, NO_SEARCHES
        return counts

    def _count(self, more: SearchCounts) -> None:
        with self._counting:
            self._counts = self._counts.plus(more)

    def _ask_timed(self, asked: "_Asked", ask: Ask) -> Retrieved:
        started = time.perf_counter()
        found = _retrieve(asked, ask)
        microseconds = int((time.perf_counter() - started) * 1_000_000)
        self._count(SearchCounts(spent={asked.name: (1, microseconds)}))
        return found

    def _retrievers(self) -> "tuple[list[_Asked], list[RetrieverFailure]]":
        """Those that take part; one that cannot be made is told, and tried again for the next question."""
        weights = self._sources.config.retrievers()
        failed: list[RetrieverFailure] = []
        for name in weights.keys() - self._made.keys():
            made = _guard(name, partial(retrievers.make, name, self._sources))
            if isinstance(made, RetrieverFailure):
                failed.append(made)
            else:
                self._made[name] = made
        asked = [_Asked(name, weight, self._made[name]) for name, weight in weights.items() if name in self._made]
        return asked, sorted(failed, key=lambda one: one.retriever)

    def _find(self, ask: Ask, asked: "Sequence[_Asked]") -> tuple[list[Weighed], list[RetrieverFailure]]:
        """Those of plug-ins at once, and beside them our own in turn: threads of them wait longer than they gain.

        One that fails is told, and the rest answer.
        """
        check()
        works = [partial(_guard, one.name, partial(self._ask_timed, one, ask)) for one in asked]
        is_own = [one.name in retrievers.BUILT_IN for one in asked]
        # In the context of the question: a plug-in that reads through us ends with the request that asked.
        waiting = [
            None if own else self._pool.submit(copy_context().run, work)
            for own, work in zip(is_own, works, strict=True)
        ]
        done = [work() if own else None for own, work in zip(is_own, works, strict=True)]
        found = [_await(later) if later else now for later, now in zip(waiting, done, strict=True)]
        good = [
            Weighed(one.name, one.weight, it) for one, it in zip(asked, found, strict=True) if isinstance(it, Retrieved)
        ]
        return good, [one for one in found if isinstance(one, RetrieverFailure)]


_LEAST = float(np.nextafter(0, 1))
_UNREAD = frozenset[bytes]()
_WHOLE = KIND_CODES[Kind.MODULE]


def _is_named(found: Findings) -> Callable[[ChunkPlace], bool]:
    """Whether the question is the name of something, or points at it."""
    by_name = next((one.found.scores for one in found.weighed if one.name == SYMBOL), None)
    return lambda place: by_name is not None and bool(by_name[place.part][place.chunk] >= ASKED_FOR)


def _file(corpus: Corpus, place: ChunkPlace) -> tuple[tuple[int, int], bool]:
    """The file of a chunk, and whether the chunk is all of it."""
    postings = corpus.parts[place.part].postings
    return (place.part, int(postings.file_of[place.chunk])), int(postings.kinds[place.chunk]) == _WHOLE


class _Asked(NamedTuple):
    """A retriever under the name that the configuration has for it."""

    name: str
    weight: float
    retriever: Retriever


def _guard(name: str, work: Callable[[], T]) -> T | RetrieverFailure:
    try:
        return work()
    except ClewError as error:
        check()  # the request itself is over
        return RetrieverFailure(name, str(error))
    except Exception as error:  # noqa: BLE001 - a plug-in's mistake must not cost the answer
        return RetrieverFailure(name, f"{type(error).__name__}: {error}")


def _await(later: "Future[T]") -> T:
    """The result of a plug-in, as long as the request may go on: its thread may never end."""
    from concurrent.futures import TimeoutError as StillRunning  # as above

    while True:
        try:
            return later.result(LOOK_SECONDS)
        except StillRunning:
            if later.done():  # the plug-in itself raised one
                raise
            check()


def _retrieve(asked: _Asked, ask: Ask) -> Retrieved:
    """The retriever's findings, validated: a score from 0 to 1 for every chunk."""
    found = asked.retriever.retrieve(ask)
    if asked.name in retrievers.BUILT_IN:  # of our own tests say so; to look at a million scores takes milliseconds
        return found
    if [len(scores) for scores in found.scores] != [part.postings.chunks for part in ask.corpus.parts]:
        raise ValueError("it must give a score for each chunk of each part")
    if not all(scores[:].min(initial=0.0) >= 0 and scores[:].max(initial=0.0) <= 1 for scores in found.scores):
        raise ValueError("scores must be from 0 to 1")
    return found


def _refuse(found: Findings) -> None:
    """An answer that nobody took part in is none."""
    if found.failed and not found.weighed:
        reason = found.failed[0].reason
        raise Unavailable(f"no retriever could answer: {reason}", "Look at [providers] in context.toml.")


def _why_unanswerable(corpus: Corpus, query: Query) -> str:
    """Why a question finds nothing that would find nothing anywhere, or not there."""
    question = understand(query.text)
    if not (question.terms or question.frames):
        return "it has no word that can be looked for; single letters and signs cannot"
    nowhere = query.scope != Scope() and not any(mask.any() for mask in masks(corpus, query.scope))
    return "nothing that is indexed lies in the scope" if nowhere else ""


def _count_scoring(found: Findings, query: Query) -> int:
    """How many chunks score enough."""
    return sum(int(np.count_nonzero(score >= max(query.min_score, _LEAST))) for score in found.scores)


def _unknown(found: Findings, query: Query) -> tuple[str, ...]:
    """Numbers of lines that a trace has are no words."""
    lines = {str(frame.line) for frame in understand(query.text).frames}
    return tuple(word for one in found.weighed for word in one.found.unknown if word not in lines)


def _to_ranked(found: Findings, chosen: DiversityCandidate) -> RankedChunk:
    place, score, findings = chosen.place, chosen.score, found.weighed
    shares = fusion.shares_of(findings, place, score)
    saying = [one for one in findings if one.name in shares]
    told = {one.name: _text(_guard(one.name, partial(one.found.explain, place))) for one in saying}
    if at := found.declared(place):
        told[SYMBOL] = "; ".join(filter(None, [told.get(SYMBOL, ""), f"declared in {at}"]))
        shares.setdefault(SYMBOL, max(score - sum(shares.values()), 0.0))
    if at := found.dated(place):
        told[HISTORY] = "; ".join(filter(None, [told.get(HISTORY, ""), at]))
        shares.setdefault(HISTORY, 0.0)
    reasons = tuple(Reason(name, told[name], round(share, 4)) for name, share in shares.items())
    passage = next((one.found.passage(place) for one in findings if one.found.passage), 0)
    return RankedChunk(place, score, passage, reasons)


def _deducted(ranked: RankedChunk, deduction: float) -> RankedChunk:
    """By the score that its place in the list is of, with the difference as a reason."""
    if round(deduction, 4) <= 0:
        return ranked
    reason = Reason(VARIETY, "like a hit above it, or of its file", -round(deduction, 4))
    return structs.replace(ranked, score=ranked.score - deduction, reasons=(*ranked.reasons, reason))


def _text(told: str | RetrieverFailure) -> str:
    """A retriever that fails to explain itself still counts."""
    return told if isinstance(told, str) else ""
