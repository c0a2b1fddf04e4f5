"""Episodes beside knowledge: those that answer a question, and those that a decision goes back to."""

import math
from collections.abc import Sequence

from msgspec import Struct

from clew.knowledge.catalog import KnowledgeCatalog
from clew.knowledge.intent import Intent
from clew.knowledge.passage_names import PassageNames
from clew.knowledge.recall import ENOUGH_SAID, NEAR_BEST, KnowledgeItem, KnowledgeQuestion, KnowledgeRecall
from clew.memory.contracts import said_beside
from clew.memory.recall import Recall, Recalled, RecallQuery
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


def find_passages(
    recall: Recall,
    hop: PassageNames,
    episodes: Episodes,
    knowledge: KnowledgeRecall,
    catalog: KnowledgeCatalog,
    question: KnowledgeQuestion,
    at: AsOf = NOW,
    limit: int = LOOKED_AT,
) -> list[PassageHit]:
    """The best episodes in the order of their rank, with their evidence; superseded ones only if asked for."""
    query = RecallQuery(question.text, limit=max(limit, POOL), at=at, include_sensitive=question.reader.sensitive)
    outdated = outdated_sources(catalog, question)
    past = question.past or question.plan.asks_past
    found = {hit.episode.number: hit for hit in recall.find(query)}
    ranked = hop.rank(question.text, [(number, _evidence_of(hit)) for number, hit in found.items()])[: 2 * limit]
    others = {one.number: one for one in episodes.some([one.number for one in ranked if one.number not in found])}
    hits = []
    for one in ranked:
        hit, episode = found.get(one.number), others.get(one.number)
        if hit is None and (episode is None or not _may_show(episode, query)):
            continue
        shown = hit.episode if hit else episode
        assert shown is not None
        superseded = bool(hit and hit.superseded_by) or shown.id in outdated
        if past or not superseded:
            evidence = knowledge.text_evidence(catalog, question, _text_of(shown))
            hits.append(
                PassageHit(shown, evidence, one.score, hit.words if hit else (), superseded=superseded, name=one.name)
            )
    hits = hits[:limit]
    if question.plan.intent is Intent.WHY:
        hits += _errors_behind(recall, hits, at)
    return hits


def cut_passages(
    hits: Sequence[PassageHit], items: Sequence[KnowledgeItem]
) -> tuple[list[PassageHit], list[PassageHit]]:
    """Episodes with as much evidence as the best of all, without those that an item was taken from; and near misses."""
    best = max([one.evidence for one in hits] + [one.evidence for one in items], default=0.0)
    least = max(ENOUGH_SAID, NEAR_BEST * best)
    quoted = {one.record.body.origin.episode for one in items} - {""}
    enough = [one for one in hits if one.evidence >= least and one.episode.id not in quoted]
    ordered = sorted(enough, key=lambda one: (-round(one.evidence, 2), -one.score, one.episode.number))
    chosen = {one.episode.id for one in ordered} | quoted
    return ordered, [one for one in hits if one.episode.id not in chosen and one.evidence > 0]


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
    if decided is None or decided.evidence < ENOUGH_SAID or not decided.episode.subjects:
        return []
    about = tuple(one.id for one in decided.episode.subjects)
    query = RecallQuery(decided.episode.draft.content, types=(EpisodeType.ERROR,), entities=about, at=at)
    known = {one.episode.id for one in hits if one.evidence >= ENOUGH_SAID}
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
