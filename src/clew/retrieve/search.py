"""From a question to hits: `Searcher.search` shows the stages, `Searcher.findings` those that score the chunks."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple, ParamSpec, TypeVar

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
from clew.retrieve.file_support import Support, with_support
from clew.retrieve.fusion import Weighed
from clew.retrieve.hits import Quoter, RankedChunk
from clew.retrieve.question import Question, understand
from clew.retrieve.retriever import Ask, ChunkPlace, ChunkScores, Retrieved, Retriever, RetrieverSources
from clew.retrieve.retrievers.git_history import FilePast, PastCommits, by_time
from clew.retrieve.retrievers.symbol import ASKED_FOR
from clew.retrieve.scope import masks
from clew.retrieve.scope import unmet as unmet_by_files
from clew.runtime.deadline import check
from clew.runtime.settings import OWN
from clew.store.arrays import Array
from clew.store.corpus import Corpora, Corpus
from clew.store.postings import KIND_CODES
from clew.text.past_questions import time_signal

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor


SEMANTIC, SYMBOL, HISTORY, SUMMARY = "semantic", "symbol", "git_history", "summary"
FILE = "file"  # no retriever: further hits in the file of a hit
VARIETY = "variety"  # no retriever: why a hit stands below others with a lower score of their own
RERANKED = 20  # candidates that retrievers which only look at those are asked about: docs/fitted.md
RERANKED_BY_OWN = 50  # likewise, by the model whose vectors are at hand
RERANKED_FOR_PLAIN = 200  # likewise, for plain questions: much of the code that answers them has few of their words
KEPT = 32  # rankings
LOOK_SECONDS = 0.1  # between two looks at whether the request is over

P = ParamSpec("P")
T = TypeVar("T")


class Retrieval(NamedTuple):
    """The findings of some retrievers, and those that failed."""

    weighed: list[Weighed]
    failed: list[RetrieverFailure]


class Findings(Struct, frozen=True, eq=False):
    """The findings of all retrievers; `shares` is the part of its score that each chunk keeps."""

    how: Fusion
    weighed: list[Weighed]
    failed: list[RetrieverFailure]
    allowed: tuple[Array, ...]
    shares: list[file_role.RoleShares]
    scores: list[Array]  # fused, by the weights that are set
    declared: Mapping[ChunkPlace, str]  # where a definition is declared, if that was among the best
    past: "FilePast | None"  # when or how often files changed, where that was asked for
    support: Mapping[ChunkPlace, Support]  # what further hits of its file add to the best chunk of a file


class _Answer(Struct, frozen=True, eq=False):
    """A ranking with its reasons, before any text is read."""

    best: tuple[RankedChunk, ...]
    total: int
    below: int
    unknown: tuple[str, ...]
    failed: tuple[RetrieverFailure, ...]
    collapsed: int


class FoundChunk(NamedTuple):
    """A chunk of a ranking; its reasons are made when they are read."""

    corpus: Corpus
    findings: Findings
    candidate: DiversityCandidate

    @property
    def place(self) -> ChunkPlace:
        return self.candidate.place

    @property
    def score(self) -> float:
        return self.candidate.score

    def explain(self) -> RankedChunk:
        return _explain(self.corpus, self.findings, self.candidate)


class Ranking(Struct, frozen=True, eq=False):
    """The best chunks, before their texts and reasons are read."""

    best: tuple[FoundChunk, ...]
    unknown: tuple[str, ...]
    failed: tuple[RetrieverFailure, ...]


class Searcher:
    def __init__(self, sources: RetrieverSources, corpora: Corpora) -> None:
        self._sources = sources
        self._corpora = corpora
        self._quoter = Quoter(sources.root, sources.held)
        self._past = PastCommits(sources.histories)
        self._made: dict[str, Retriever] = {}
        self._answers: dict[tuple[Corpus, str, Query], _Answer] = {}
        self._written: Mapping[str, str] = {}  # the summaries that these answers depend on
        self._threads: ThreadPoolExecutor | None = None
        self._counts = NO_SEARCHES  # since they were taken
        self._counting = threading.Lock()

    def search(self, query: Query, coverage: Coverage) -> Results:
        """Score, choose and explain, unless the answer is at hand; then read the texts."""
        corpus, key = self._corpora.current(), self._sources.histories.tip()
        answer = self._find_answer(corpus, key, query)
        if answer is None:
            findings = self.findings(corpus, query)
            _require_retriever(findings)
            chosen, collapsed = self._choose(corpus, findings, query)
            answer = _to_answer(corpus, findings, query, chosen, collapsed)
            self._keep(corpus, key, query, answer)
        hits = self._quoter.hits(corpus, answer.best)
        unknown = () if coverage.partial else answer.unknown  # a word may stand in what is still to be read
        unmet = () if coverage.partial else unmet_by_files(corpus, query.scope)  # likewise
        barred = "" if unmet or answer.total + answer.below else _why_unanswerable(corpus, query)
        return Results(
            query.text,
            hits,
            answer.total,
            answer.below,
            unknown,
            coverage,
            answer.failed,
            answer.collapsed,
            unmet=unmet,
            barred=barred,
        )

    def rank(self, query: Query, corpus: Corpus) -> Ranking:
        """Ranking without text, for callers that quote few of many."""
        findings = self.findings(corpus, query)
        _require_retriever(findings)
        chosen, _ = self._choose(corpus, findings, query, by_file=False)
        best = tuple(FoundChunk(corpus, findings, one) for one in chosen)
        return Ranking(best, _unknown(findings, query), tuple(findings.failed))

    def findings(self, corpus: Corpus, query: Query) -> Findings:
        """Retrieve, fuse, rerank, scale, adjust: one score for each chunk, and the findings behind it."""
        question = understand(query.text)
        ask = Ask(question, corpus, tuple(masks(corpus, query.scope)))
        participants, not_made = self._participants()
        weighed, failed = self._retrieve(ask, [one for one in participants if not one.retriever.reranks])
        meant = [place for one in weighed for place in one.found.meant]
        shares = file_role.shares(corpus, question, meant)
        scores = fusion.fuse(self._how, weighed, ask.allowed, shares)
        retrieved = Retrieval(weighed, [*not_made, *failed])
        scores, retrieved = self._rerank(ask, retrieved, scores, shares, participants)
        scores = fusion.on_scale(self._how, scores, retrieved.weighed, ask.allowed, shares)
        scores = as_tests(corpus, self._sources.held, scores, shares, meant)
        scores, declared = definitions_first(ask, self._sources.held, scores, shares)
        scores, past = self._by_past(corpus, query, scores)
        scores, support = (scores, {}) if question.is_report else with_support(corpus, scores)
        return Findings(self._how, *retrieved, ask.allowed, shares, scores, declared, past, support)

    def _find_answer(self, corpus: Corpus, tip: str, query: Query) -> _Answer | None:
        """`tip` is the state of the git history, on which rankings depend as well."""
        written = self._sources.files.summaries() if SUMMARY in self._sources.config.retrievers() else self._written
        if written is not self._written:
            self._written, self._answers = written, {}
        answer = self._answers.get((corpus, tip, query))
        self._count(SearchCounts(1, int(answer is not None)))
        return answer

    def _keep(self, corpus: Corpus, tip: str, query: Query, answer: _Answer) -> None:
        """Answers with failures are not reused."""
        if not answer.failed:
            kept = [one for one in self._answers.items() if one[0][0] is corpus]  # nobody asks others again
            self._answers = {**dict(kept[1 - KEPT :]), (corpus, tip, query): answer}

    def _rerank(
        self,
        ask: Ask,
        first: Retrieval,
        scores: list[Array],
        shares: list[file_role.RoleShares],
        participants: "Sequence[_Participant]",
    ) -> tuple[list[Array], Retrieval]:
        """Ask the rerankers about the best. Where no other retriever takes part, the model ranks all chunks."""
        later = [one for one in participants if one.retriever.reranks]
        alone = [one for one in participants if one.name == SEMANTIC]
        if first.weighed and later:
            best = tuple(place for place, _ in fusion.best(ask.corpus, scores, self._reach(ask.question)))
            again = structs.replace(ask, candidates=best, shares=tuple(shares))
            more = self._retrieve(again, later)
            scores = fusion.fuse_again(self._how, scores, first.weighed, more.weighed, ask.allowed, shares)
            return scores, Retrieval([*first.weighed, *more.weighed], [*first.failed, *more.failed])
        if alone and not first.failed:
            found = self._retrieve(structs.replace(ask, shares=tuple(shares), alone=True), alone)
            return fusion.fuse(self._how, found.weighed, ask.allowed, shares), found
        return scores, first

    def _by_past(self, corpus: Corpus, query: Query, scores: list[Array]) -> "tuple[list[Array], FilePast | None]":
        """Files that changed lately or often come first, where the question asks for that."""
        signal = time_signal(query.text)
        commits = self._past.commits() if signal else None
        if signal is None or commits is None or not len(commits):
            return scores, None
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
        similar, named = chain(self._similarities(corpus, near), repeat(())), _name_scores(found)
        candidates = (
            DiversityCandidate(place, score, *_file(corpus, place), own, number, about, _is_named(named, place))
            for number, ((place, score), own, about) in enumerate(zip(best, words, similar, strict=False))
        )
        return diverse(candidates, query.limit, self._sources.config.query.mmr_lambda, by_file=by_file)

    def _similarities(self, corpus: Corpus, places: list[ChunkPlace]) -> list[tuple[float, ...]]:
        """How near candidates are to each other in meaning; nothing without a model, or with one that fails.

        Those beyond the re-ranked have no vectors by our own model: to make them would take longer than the search.
        """
        config = self._sources.config
        if SEMANTIC not in config.retrievers() or config.embedding.model == OWN or not places:
            return []
        found = _guard(SEMANTIC, self._alike, corpus, places)
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

    def _participants(self) -> "tuple[list[_Participant], list[RetrieverFailure]]":
        """The retrievers that take part; one that cannot be made is reported, and tried again for the next question."""
        weights = self._sources.config.retrievers()
        failed: list[RetrieverFailure] = []
        for name in weights.keys() - self._made.keys():
            made = _guard(name, retrievers.make, name, self._sources)
            if isinstance(made, RetrieverFailure):
                failed.append(made)
            else:
                self._made[name] = made
        there = [_Participant(name, weight, self._made[name]) for name, weight in weights.items() if name in self._made]
        return there, sorted(failed, key=lambda one: one.retriever)

    def _retrieve(self, ask: Ask, participants: "Sequence[_Participant]") -> Retrieval:
        """Plug-ins work in threads, our own retrievers meanwhile in this one: threads of them would gain nothing.

        One that fails is reported, and the others answer.
        """
        check()
        plugins = [one for one in participants if one.name not in retrievers.BUILT_IN]
        # In the context of the question: a plug-in that reads through us ends with the request that asked.
        waiting = {one.name: self._pool.submit(copy_context().run, self._ask, one, ask) for one in plugins}
        found = {one.name: self._ask(one, ask) for one in participants if one.name not in waiting}
        found |= {name: _await(later) for name, later in waiting.items()}
        weighed, failed = list[Weighed](), list[RetrieverFailure]()
        for one in participants:
            own = found[one.name]
            if isinstance(own, RetrieverFailure):
                failed.append(own)
            else:
                weighed.append(Weighed(one.name, one.weight, own))
        return Retrieval(weighed, failed)

    def _ask(self, participant: "_Participant", ask: Ask) -> Retrieved | RetrieverFailure:
        started = time.perf_counter()
        found = _guard(participant.name, _retrieve, participant, ask)
        if isinstance(found, Retrieved):
            microseconds = int((time.perf_counter() - started) * 1_000_000)
            self._count(SearchCounts(spent={participant.name: (1, microseconds)}))
        return found


_LEAST = float(np.nextafter(0, 1))
_UNREAD = frozenset[bytes]()
_WHOLE = KIND_CODES[Kind.MODULE]


def _name_scores(found: Findings) -> Sequence[ChunkScores] | None:
    return next((one.found.scores for one in found.weighed if one.name == SYMBOL), None)


def _is_named(scores: Sequence[ChunkScores] | None, place: ChunkPlace) -> bool:
    """Whether the question is the name of something, or points at it."""
    return scores is not None and bool(scores[place.part][place.chunk] >= ASKED_FOR)


def _file(corpus: Corpus, place: ChunkPlace) -> tuple[tuple[int, int], bool]:
    """The file of a chunk, and whether the chunk is all of it."""
    postings = corpus.parts[place.part].postings
    return (place.part, int(postings.file_of[place.chunk])), int(postings.kinds[place.chunk]) == _WHOLE


class _Participant(NamedTuple):
    """A retriever under the name that the configuration has for it."""

    name: str
    weight: float
    retriever: Retriever


def _guard(name: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | RetrieverFailure:
    """The result, or how the retriever failed."""
    try:
        return work(*args, **kwargs)
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


def _retrieve(participant: _Participant, ask: Ask) -> Retrieved:
    """The retriever's findings, validated: a score from 0 to 1 for every chunk."""
    found = participant.retriever.retrieve(ask)
    if participant.name in retrievers.BUILT_IN:  # our tests hold it; to look at a million scores takes milliseconds
        return found
    if [len(scores) for scores in found.scores] != [part.postings.chunks for part in ask.corpus.parts]:
        raise ValueError("it must give a score for each chunk of each part")
    if not all(scores[:].min(initial=0.0) >= 0 and scores[:].max(initial=0.0) <= 1 for scores in found.scores):
        raise ValueError("scores must be from 0 to 1")
    return found


def _require_retriever(found: Findings) -> None:
    """Raises if no retriever could answer."""
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


def _to_answer(
    corpus: Corpus, found: Findings, query: Query, chosen: Sequence[DiversityCandidate], collapsed: int
) -> _Answer:
    matched = sum(int(np.count_nonzero(score > 0)) for score in found.scores)
    total = _count_scoring(found, query)
    best = tuple(
        _deduct(_explain(corpus, found, one), min(one.deduction, one.score - query.min_score)) for one in chosen
    )
    return _Answer(best, total, matched - total, _unknown(found, query), tuple(found.failed), collapsed)


def _explain(corpus: Corpus, found: Findings, chosen: DiversityCandidate) -> RankedChunk:
    """The reasons for a chunk, and the passage of it that answers best. A retriever that fails to explain counts."""
    place, score = chosen.place, chosen.score
    support = found.support.get(place)
    shares = fusion.shares_of(found.weighed, place, score - (support.gain if support else 0.0))
    details: dict[str, str] = {}
    for one in found.weighed:
        if one.name in shares:
            detail = _guard(one.name, one.found.explain, place)
            details[one.name] = detail if isinstance(detail, str) else ""
    if location := found.declared.get(place):
        details[SYMBOL] = "; ".join(filter(None, [details.get(SYMBOL, ""), f"declared in {location}"]))
        shares.setdefault(SYMBOL, max(score - sum(shares.values()), 0.0))
    if found.past and (changed := found.past.explain(corpus, place)):
        details[HISTORY] = "; ".join(filter(None, [details.get(HISTORY, ""), changed]))
        shares.setdefault(HISTORY, 0.0)
    if support and round(support.gain, 4) > 0:
        details[FILE] = str(support)
        shares[FILE] = support.gain
    reasons = tuple(Reason(name, details[name], round(share, 4)) for name, share in shares.items())
    passage = next((one.found.passage(place) for one in found.weighed if one.found.passage), 0)
    return RankedChunk(place, score, passage, reasons)


def _deduct(ranked: RankedChunk, deduction: float) -> RankedChunk:
    """By the score that its place in the list is of, with the difference as a reason."""
    if round(deduction, 4) <= 0:
        return ranked
    reason = Reason(VARIETY, "similar to a hit above it, or in the same file", -round(deduction, 4))
    return structs.replace(ranked, score=ranked.score - deduction, reasons=(*ranked.reasons, reason))
