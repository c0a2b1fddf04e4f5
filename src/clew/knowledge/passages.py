"""Episodes beside knowledge: those that answer a question, and those that a decision goes back to."""

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from msgspec import Struct, structs

from clew.knowledge.catalog import KnowledgeCatalog
from clew.knowledge.evidence import ENOUGH, NEAR_BEST, NEAR_MISS, QuestionEvidence
from clew.knowledge.intent import Intent
from clew.knowledge.passage_names import NameHop, PassageNames
from clew.knowledge.recall import Count, KnowledgeItem, KnowledgeQuestion
from clew.knowledge.updates import outdated_by
from clew.memory.contracts import said_beside
from clew.memory.recall import Near, Recall, Recalled, RecallQuery
from clew.model.memory import Episode, EpisodeType
from clew.model.time import NOW, AsOf
from clew.store.episodes import Episodes

POOL = 40  # hits of the search that are ranked anew
LOOKED_AT = 10  # episodes that are considered for an answer
MOST_BEHIND = 2  # errors that are shown behind a decision
BEHIND = 0.9  # of the decision's evidence, for an error about the same code before it
_WHY_FIRST = (EpisodeType.DECISION, EpisodeType.ERROR)


class PassageHit(Struct, frozen=True):
    """An episode with how much of the question it answers; `behind` is the decision that it led to."""

    episode: Episode
    evidence: float
    score: float
    words: tuple[str, ...] = ()
    behind: str = ""
    superseded: bool = False
    name: str = ""  # by which other hits led to it


class PassageSources(NamedTuple):
    """Where passages come from: the search over episodes, names that lead on, and the model that compares meanings."""

    recall: Recall
    hop: PassageNames
    episodes: Episodes
    near: Near | None = None

    def counter(self, question: KnowledgeQuestion, at: AsOf) -> Count:
        """Counts the terms of a question in episodes."""
        return partial(self.recall.frequencies, at=at, include_sensitive=question.reader.sensitive)


def find_passages(
    sources: PassageSources,
    asked: QuestionEvidence,
    catalog: KnowledgeCatalog,
    question: KnowledgeQuestion,
    other_names: Sequence[str] = (),
    at: AsOf = NOW,
    limit: int = LOOKED_AT,
    *,
    cut: bool = True,
) -> list[PassageHit]:
    """The best episodes in the order of their rank, with their evidence; superseded ones only if asked for.

    Without the cut, episodes that a later one replaces are only marked.
    """
    pool = max(limit, POOL)
    query = RecallQuery(question.text, limit=pool, at=at, include_sensitive=question.reader.sensitive)
    outdated = outdated_sources(catalog, question)
    past = question.past or question.plan.asks_past
    found = {hit.episode.number: hit for hit in sources.recall.find(query)}
    ranked = sources.hop.rank(question.text, [(number, _evidence_of(hit)) for number, hit in found.items()])[:pool]
    for name in other_names:
        also = sources.recall.find(structs.replace(query, text=f"{question.text} {name}", limit=LOOKED_AT))
        ranked += [NameHop(hit.episode.number, 0.0, name) for hit in also if hit.episode.number not in found]
        found = {hit.episode.number: hit for hit in also} | found
    numbers = list(dict.fromkeys(one.number for one in ranked))
    episodes = {one.number: one for one in sources.episodes.some([one for one in numbers if one not in found])}
    episodes |= {number: hit.episode for number, hit in found.items()}
    shown = [one for one in ranked if _is_shown(episodes.get(one.number), query, one.number in found)]
    texts = [_text_of(episodes[one.number]) for one in shown]
    cosines: Sequence[float | None] = [None] * len(texts)
    if sources.near is not None and texts:
        contents = [episodes[one.number].draft.content for one in shown]
        cosines = [float(one) for one in sources.near(question.text, contents)]
    rated = [asked.of(text, cosine) for text, cosine in zip(texts, cosines, strict=True)]
    rated, replaced = inherit(
        [(episodes[one.number].draft.content, episodes[one.number].occurred_at) for one in shown], rated
    )
    hits = []
    for place, (one, evidence) in enumerate(zip(shown, rated, strict=True)):
        hit, episode = found.get(one.number), episodes[one.number]
        superseded = bool(hit and hit.superseded_by) or episode.id in outdated
        if past or not (superseded or (cut and place in replaced)):
            words = hit.words if hit else ()
            old = superseded or place in replaced
            hits.append(PassageHit(episode, evidence, one.score, words, superseded=old, name=one.name))
    if question.plan.intent is Intent.WHY:
        hits += _errors_behind(sources.recall, hits, at)
    return hits


def inherit(texts: Sequence[tuple[str, int]], rated: Sequence[float]) -> tuple[list[float], dict[int, int]]:
    """The ratings of texts with their times, where a text that replaces another answers what that one answered; and
    the places of those that are replaced, with the places of what replaces them."""
    replaced = outdated_by(texts)
    passed = list(rated)
    for early in sorted(replaced, key=lambda place: (texts[place][1], place)):
        late = replaced[early]
        passed[late] = max(passed[late], passed[early])
    return passed, replaced


def _is_shown(episode: Episode | None, query: RecallQuery, is_hit: bool) -> bool:
    return episode is not None and (is_hit or _may_show(episode, query))


def cut_passages(
    hits: Sequence[PassageHit], items: Sequence[KnowledgeItem]
) -> tuple[list[PassageHit], list[PassageHit]]:
    """Episodes with as much evidence as the best of all, without those that an item was taken from; and near misses."""
    best = max([one.evidence for one in hits] + [one.evidence for one in items], default=0.0)
    least = max(ENOUGH, NEAR_BEST * best)
    quoted = {one.record.body.origin.episode for one in items} - {""}
    enough = [one for one in hits if one.evidence >= least and one.episode.id not in quoted]
    ordered = sorted(enough, key=lambda one: (-round(one.evidence, 2), -one.score, one.episode.number))
    chosen = {one.episode.id for one in ordered} | quoted
    return ordered, [one for one in hits if one.episode.id not in chosen and one.evidence >= NEAR_MISS]


def outdated_sources(catalog: KnowledgeCatalog, question: KnowledgeQuestion) -> set[str]:
    """Episodes of which facts were taken, none of which holds any more."""
    ended: set[str] = set()
    holding: set[str] = set()
    for record in catalog.facts_with_source():
        episode = record.body.origin.episode
        holds = record.valid_from <= question.at < record.valid_to
        (holding if holds or not question.reader.may_read(record) else ended).add(episode)
    return ended - holding


def _errors_behind(recall: Recall, hits: Sequence[PassageHit], at: AsOf) -> list[PassageHit]:
    """Errors about the code of the best decision, from before it."""
    decided = next((one for one in hits if one.episode.draft.type is EpisodeType.DECISION), None)
    if decided is None or decided.evidence < ENOUGH or not decided.episode.subjects:
        return []
    about = tuple(one.id for one in decided.episode.subjects)
    query = RecallQuery(decided.episode.draft.content, types=(EpisodeType.ERROR,), entities=about, at=at)
    known = {one.episode.id for one in hits if one.evidence >= ENOUGH}
    found = [
        hit
        for hit in recall.find(query)
        if hit.proximity > 0 and hit.episode.id not in known and hit.episode.occurred_at <= decided.episode.occurred_at
    ]
    evidence = round(BEHIND * decided.evidence, 6)
    return [PassageHit(hit.episode, evidence, hit.score, hit.words, decided.episode.id) for hit in found[:MOST_BEHIND]]


def _text_of(episode: Episode) -> str:
    names = [subject.id for subject in episode.subjects]
    return " ".join([episode.draft.content, *said_beside(episode.draft), *names, episode.who.agent_id])


def _evidence_of(hit: Recalled) -> float:
    """The evidence that a similarity stands for."""
    return -math.log(max(1e-9, 1 - min(hit.similarity, 0.999999)))


def _may_show(episode: Episode, query: RecallQuery) -> bool:
    known = episode.occurred_at <= query.at.valid and episode.recorded_at <= query.at.known
    return known and (query.include_sensitive or not episode.draft.sensitive)
