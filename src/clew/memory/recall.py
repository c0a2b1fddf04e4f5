"""Finding episodes again: by words or meaning, by age, and by the code that they are about."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import nlargest
from typing import NamedTuple

import numpy as np
from msgspec import Struct, structs

from clew.memory import ranking
from clew.memory.archive import Archive
from clew.memory.contracts import SUPERSEDES
from clew.memory.copies import Archives
from clew.memory.ranking import MEASURED, MemoryQuestion, MemoryWeights, best, bm25, norms, rarity
from clew.model.errors import ClewError
from clew.model.memory import Episode, EpisodeType
from clew.model.time import NOW, AsOf
from clew.store.arrays import Array
from clew.store.episodes import Episodes

# Relevance feedback: terms of the first hits beside the question's own raise other episodes with these terms. Pure.

# Chosen on LoCoMo, where all in their neighbourhood find more too (docs/memory.md).
FROM = 10  # hits that have a say; of whom the question names, if one of the best FAR is
FAR = 40
TERMS = 10  # of theirs that are looked for
RARE = 2.0  # from this rarity on: terms of an eighth of all episodes at most
WORTH = 0.3  # of an episode that has all of them

Hit = tuple[int, Mapping[str, int]]  # a row, and how often it has each of its terms


class _Scale(NamedTuple):
    norm: Array
    seen: Array


def first_hits(archive: Archive, question: MemoryQuestion, evidence: Array) -> list[int]:
    """Rows, best first."""
    rows = best(evidence, evidence > 0, FAR)
    named = rows[archive.agent.all[rows] == question.agent]
    return [int(row) for row in (named if len(named) else rows)[:FROM]]


def farther(archive: Archive, question: MemoryQuestion, evidence: Array, hits: Sequence[Hit], seen: Array) -> Array:
    """The evidence with the second hop; rows without evidence stay without, and rows outside of `seen` have no
    influence."""
    norm = norms(archive, seen)
    terms = _frequent_terms(archive, question, evidence, hits, _Scale(norm, seen))
    if not terms:
        return evidence
    found, possible = np.zeros(len(archive)), 0.0
    for term, weight in terms.items():
        rows, frequency = archive.seen_in(term, seen)
        rare = rarity(int(seen.sum()), len(rows))
        found[rows] += weight * bm25(rare, frequency, norm[rows])
        possible += weight * rare
    further: Array = evidence + WORTH * found / possible * (evidence > 0)
    return further


def _frequent_terms(
    archive: Archive, question: MemoryQuestion, evidence: Array, hits: Sequence[Hit], scale: _Scale
) -> dict[str, float]:
    """The most frequent terms of the hits, weighted by their evidence; only terms that other episodes share."""
    weights: dict[str, float] = {}
    episodes = int(scale.seen.sum())
    known = {term: _count_seen(archive, term, scale.seen, episodes) for _, counts in hits for term in counts}
    for row, counts in hits:
        for term, frequency in counts.items():
            rare = rarity(episodes, known[term])
            if known[term] > 1 and rare >= RARE and term not in question.terms:
                share = float(evidence[row]) * rare * frequency / (frequency + float(scale.norm[row]))
                weights[term] = weights.get(term, 0.0) + share
    return {term: weights[term] for term in nlargest(TERMS, weights, key=lambda term: (weights[term], term))}


def _count_seen(archive: Archive, term: str, seen: Array, episodes: int) -> int:
    """The number of visible rows with a term; for terms that are common in any case, of all rows, which is cheap."""
    held = archive.count_rows(term)
    hidden = len(seen) - episodes
    if not hidden or (held > hidden and rarity(episodes, held - hidden) < RARE):
        return held
    return len(archive.seen_in(term, seen)[0])


REPEATS = 4  # so many times as many as are asked for are looked at: some may say the same
MOST_MEANT = 1000  # episodes, the newest, that the bundled model compares with a question whose words say little
CANDIDATES = 200  # of these, an embedder is asked: enough that hardly anything is lost (docs/memory.md)

log = logging.getLogger(__name__)

Near = Callable[[str, Sequence[str]], Array]


class RecallQuery(Struct, frozen=True):
    """`since` and `now` are times; a `now` of 0 is that of the newest episode, so that answers do not age.

    `paraphrases`: whether the bundled model looks for episodes that have few words of the question.
    `at`: only what had happened and was recorded by then is found.
    """

    text: str
    agent_id: str = ""
    task_id: str = ""
    types: tuple[EpisodeType, ...] = ()
    entities: tuple[str, ...] = ()
    limit: int = 5
    since: int = 0
    now: int = 0
    include_sensitive: bool = False
    weights: MemoryWeights = MEASURED
    paraphrases: bool = True
    at: AsOf = NOW


class Recalled(Struct, frozen=True):
    """An episode, its score, and the parts of the score, each from 0 to 1.

    `words` are those of the question that it says itself: others are found by what stands beside them, or is near.
    `superseded_by` is the decision that took its place; `repeated` counts further episodes that say the same.
    """

    episode: Episode
    score: float
    similarity: float
    recency: float
    proximity: float
    words: tuple[str, ...] = ()
    superseded_by: str = ""
    repeated: int = 0


class _Found(Struct, frozen=True):
    """Rows of the archive, best first, with the evidence for each, and the question without names."""

    rows: Array
    evidence: Array
    recency: Array
    proximity: Array
    question: str


class Recall:
    """Over all episodes of a project. Any thread may use it."""

    def __init__(
        self,
        episodes: Episodes,
        archives: Archives,
        near: Callable[[], Near | None],
        faint: Callable[[], Near | None] = lambda: None,
    ) -> None:
        """`near` says how near texts are in meaning to a question, where a model is configured; `faint` likewise, by
        the bundled model, which ranks conversations worse than words do."""
        self._episodes = episodes
        self._archives = archives
        self._near = near
        self._faint = faint

    def find(self, query: RecallQuery) -> list[Recalled]:
        """The best episodes, best first; of equal ones, the earlier recorded. Current ones come before superseded
        ones."""
        near = self._near()
        with self._archives.lock:
            archive = self._archives.current()
            found = self._rank(archive, query, max(CANDIDATES, query.limit) if near else 0)
        ordered = self._at(found.rows)
        scored = _score(ordered, _nearer(found, ordered, near), query.weights)
        hits = _distinct([hit for hit in scored if _is_known(hit.episode, query.at)])[: query.limit]
        later = self.find_superseding((hit.episode for hit in hits), query.at)
        with self._archives.lock:
            told = [
                structs.replace(
                    hit,
                    words=_matching_words(archive, query.text, hit.episode),
                    superseded_by=later.get(hit.episode.id, ""),
                )
                for hit in hits
            ]
        return sorted(told, key=lambda hit: bool(hit.superseded_by))

    def in_conversations(self, episodes: Iterable[Episode]) -> set[str]:
        """Ids of episodes whose session has several authors: there, an answer rarely repeats the question's words."""
        with self._archives.lock:
            archive = self._archives.current()
            found = set()
            spoken: dict[str, bool] = {}
            for one in episodes:
                session = one.who.session_id
                if session not in spoken:
                    rows = archive.session.all == archive.sessions.find(session)
                    spoken[session] = len(np.unique(archive.agent.all[rows])) > 1
                if spoken[session]:
                    found.add(one.id)
            return found

    def frequencies(
        self, terms: Iterable[str], at: AsOf = NOW, *, include_sensitive: bool = False
    ) -> tuple[dict[str, int], int]:
        """In how many of the episodes that may be answered each term is, and how many these are."""
        with self._archives.lock:
            archive = self._archives.current()
            seen = self._visible(archive, at, include_sensitive=include_sensitive)
            return {term: len(archive.seen_in(term, seen)[0]) for term in terms}, int(seen.sum())

    def find_superseding(self, episodes: Iterable[Episode], at: AsOf = NOW) -> dict[str, str]:
        """Those that a decision took the place of, by id, and the id of the last that did."""
        with self._archives.lock:
            archive = self._archives.current()
            rows = {int(row) for one in episodes for row in archive.rows_with_all(one.id)}
        decided = [one for one in self._at(sorted(rows)) if not one.draft.sensitive and _is_known(one, at)]
        return {str(one.draft.metadata.get(SUPERSEDES)): one.id for one in decided if SUPERSEDES in one.draft.metadata}

    def _rank(self, archive: Archive, query: RecallQuery, candidates: int) -> _Found:
        """Without `candidates`, as many as requested; else so many, also without matching words: an embedder may rank
        them."""
        asked = ranking.parse(archive, query.text)
        seen = self._visible(archive, query.at, include_sensitive=query.include_sensitive)
        evidence = self._farther(archive, asked, ranking.evidence(archive, asked, seen), seen)
        near = ranking.proximity(archive, query.entities)
        age = ranking.recency(archive, query.now or _newest(archive, seen))
        eligible = seen & _mask(archive, query)
        if query.paraphrases and not candidates:
            evidence = self._paraphrases(asked.text, evidence, eligible, query.limit)
        if not candidates:
            eligible &= (evidence > 0) | (near > 0)
        scores = _sum(query.weights, ranking.similarity(evidence), age, near)
        scores = np.where(archive.automatic.all, ranking.AUTOMATIC * scores, scores)
        rows = ranking.best(scores, eligible, candidates or REPEATS * query.limit)
        return _Found(rows, evidence[rows], age[rows], near[rows], asked.text)

    def _visible(self, archive: Archive, at: AsOf, *, include_sensitive: bool) -> Array:
        seen = np.ones(len(archive), np.bool_) if include_sensitive else ~archive.sensitive.all
        if at != NOW:
            seen &= archive.occurred.all <= at.valid
            seen[self._episodes.recorded_by(at.known) :] = False
        return seen

    def _farther(self, archive: Archive, asked: ranking.MemoryQuestion, evidence: Array, seen: Array) -> Array:
        first = first_hits(archive, asked, evidence)
        counted = [archive.term_counts(one) for one in self._at(first)]
        return farther(archive, asked, evidence, list(zip(first, counted, strict=True)), seen)

    def _paraphrases(self, question: str, evidence: Array, eligible: Array, limit: int) -> Array:
        """The evidence with that of the bundled model, unless enough episodes have more than it could add."""
        weak = np.flatnonzero(eligible & (evidence < ranking.FAINTNESS))[-MOST_MEANT:]
        if not len(weak) or (eligible & (evidence >= ranking.FAINTNESS)).sum() >= limit:
            return evidence
        near = self._faint()
        if near is None:
            return evidence
        cosines = near(question, [episode.draft.content for episode in self._at(weak)])
        raised = evidence.copy()
        raised[weak] = np.maximum(evidence[weak], ranking.faint_evidence(cosines))
        return raised

    def _at(self, rows: Iterable[int]) -> list[Episode]:
        numbers = [int(row) + 1 for row in rows]
        found = {one.number: one for one in self._episodes.some(numbers)}
        return [found[number] for number in numbers]


def _mask(archive: Archive, query: RecallQuery) -> Array:
    wanted = np.ones(len(archive), np.bool_)
    if query.agent_id:
        wanted &= archive.agent.all == archive.agents.find(query.agent_id)
    if query.task_id:
        wanted &= archive.task.all == archive.tasks.find(query.task_id)
    if query.types:
        wanted &= np.isin(archive.type.all, [archive.types.find(one) for one in query.types])
    return wanted & (archive.occurred.all >= query.since) if query.since else wanted


def _is_known(episode: Episode, at: AsOf) -> bool:
    """Whether it had happened and was recorded at a time."""
    return episode.occurred_at <= at.valid and episode.recorded_at <= at.known


def _matching_words(archive: Archive, question: str, episode: Episode) -> tuple[str, ...]:
    """The words of a question that an episode says, each as it is asked."""
    has = archive.term_counts(episode)
    return tuple(dict.fromkeys(word for term, word in archive.question(question).items() if term in has))


def _newest(archive: Archive, seen: Array) -> int:
    return int(archive.occurred.all[seen].max(initial=0))


def _nearer(found: _Found, episodes: Sequence[Episode], near: Near | None) -> _Found:
    """The same with the scores of an embedder; if it fails, words alone decide."""
    if near is None or not episodes:
        return found
    try:
        cosines = near(found.question, [episode.draft.content for episode in episodes])
    except ClewError as error:
        log.warning("episodes are ranked by words alone: %s", error.message)
        return found
    added = ranking.nearness(cosines, [episode.who.session_id for episode in episodes])
    return structs.replace(found, evidence=found.evidence + added)


def _score(episodes: Sequence[Episode], found: _Found, weights: MemoryWeights) -> list[Recalled]:
    similarity = ranking.similarity(found.evidence)
    score = _sum(weights, similarity, found.recency, found.proximity)
    automatic = np.array([episode.draft.is_automatic for episode in episodes], np.bool_)
    score = np.where(automatic, ranking.AUTOMATIC * score, score)
    parts = zip(episodes, score, similarity, found.recency, found.proximity, strict=True)
    told = [(episode, [round(float(part), 6) for part in rest]) for episode, *rest in parts]
    hits = [Recalled(episode, score, like, new, near) for episode, (score, like, new, near) in told]
    spoken_for = [hit for hit in hits if hit.similarity or hit.proximity]
    return sorted(spoken_for, key=lambda hit: (-hit.score, hit.episode.number))


def _distinct(hits: Sequence[Recalled]) -> list[Recalled]:
    """The best of those with the same words about the same code; case and a final period do not count."""
    said: dict[tuple[object, ...], list[Recalled]] = {}
    for hit in hits:
        draft = hit.episode.draft
        said.setdefault((*draft.content.casefold().rstrip(" .").split(), frozenset(draft.entities)), []).append(hit)
    return [structs.replace(best, repeated=len(others)) for best, *others in said.values()]


def _sum(weights: MemoryWeights, similarity: Array, recency: Array, proximity: Array) -> Array:
    return weights.similarity * similarity + weights.recency * recency + weights.proximity * proximity
