"""Where an answer of `episode_recall` ends: at the last episode that answers the question."""

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import structs

from clew.engine import Engine, now
from clew.knowledge import names
from clew.knowledge.catalog import KnowledgeReader
from clew.knowledge.evidence import ENOUGH, NEAR_BEST, NEAR_MISS
from clew.knowledge.extraction import find_aliases
from clew.knowledge.intent import plan
from clew.knowledge.passages import PassageSources, inherit
from clew.knowledge.recall import KnowledgeQuestion
from clew.memory.contracts import said_beside
from clew.tools.knowledge_search import near_of

if TYPE_CHECKING:
    from clew.memory.recall import Recalled, RecallQuery

# Of the best hit's evidence, what a turn of a conversation needs: there an answer rarely says what was asked, so that
# nearly all is kept (docs/memory.md).
SPOKEN = 0.4
MOST_READ = 2000  # characters of an episode that are read for other names
MOST_NAMES = 3


def cut_episodes(
    engine: Engine, query: "RecallQuery", hits: "Sequence[Recalled]"
) -> "tuple[list[Recalled], list[Recalled], float | None]":
    """The hits that answer, the others, and the best evidence; None if only turns of conversations were found."""
    also = _names_beside(query.text, hits)
    if also:
        wider = structs.replace(
            query, text=" ".join([query.text, *(name for names_ in also.values() for name in names_)])
        )
        known = {hit.episode.id for hit in hits}
        hits = [*hits, *(hit for hit in engine.memory.recall.find(wider) if hit.episode.id not in known)]
    texts = [" ".join([hit.episode.draft.content, *said_beside(hit.episode.draft)]) for hit in hits]
    planned = plan(query.text)
    question = KnowledgeQuestion(query.text, planned, KnowledgeReader(sensitive=query.include_sensitive), now())
    near = near_of(engine)
    sources = PassageSources(engine.memory.recall, engine.knowledge.passage_names, engine.episodes, near)
    count = sources.counter(question, query.at)
    asked = engine.knowledge.read(lambda catalog: engine.knowledge.recall.read_question(catalog, question, count, also))
    cosines: Sequence[float | None] = [None] * len(texts)
    if near is not None:
        cosines = [float(one) for one in near(query.text, [hit.episode.draft.content for hit in hits])]
    rated = [asked.of(text, cosine) for text, cosine in zip(texts, cosines, strict=True)]
    rated, replaced = inherit([(hit.episode.draft.content, hit.episode.occurred_at) for hit in hits], rated)
    spoken = engine.memory.recall.in_conversations(hit.episode for hit in hits)
    most = max(_strength(hit) for hit in hits)
    noted = [value for hit, value in zip(hits, rated, strict=True) if hit.episode.id not in spoken]
    least = max(ENOUGH, NEAR_BEST * max(noted, default=0.0))
    shown: list[tuple[float, Recalled]] = []
    missed: list[tuple[float, Recalled]] = []
    decided = {hit.episode.id for hit in hits}
    for place, (hit, value) in enumerate(zip(hits, rated, strict=True)):
        is_old = (place in replaced or hit.superseded_by in decided) and not planned.asks_past
        answers = _strength(hit) >= SPOKEN * most if hit.episode.id in spoken else value >= least
        if is_old and place in replaced:
            hit = structs.replace(hit, superseded_by=hit.superseded_by or hits[replaced[place]].episode.id)
        (shown if (answers or hit.proximity > 0) and not is_old else missed).append((value, hit))
    in_order = [hit for _, hit in shown]
    if not spoken:
        in_order = [
            hit for _, hit in sorted(shown, key=lambda one: (-round(one[0], 2), -one[1].score, one[1].episode.number))
        ]
    return in_order, [hit for value, hit in missed if value >= NEAR_MISS], max(noted) if noted and not spoken else None


def _names_beside(question: str, hits: "Sequence[Recalled]") -> dict[str, list[str]]:
    """Names in a question with the other names that the hits state of the same things."""
    asked = f" {names.fold(question)} "
    found: dict[str, list[str]] = {}
    for hit in hits:
        for sentence in re.split(r"(?<=[.!?])\s+|\n", hit.episode.draft.content[:MOST_READ]):
            for said in find_aliases(sentence.rstrip(".!; ")):
                for one, other in (said, said[::-1]):
                    if f" {names.fold(one)} " in asked and len(found) < MOST_NAMES:
                        found.setdefault(one, []).append(other)
    return found


def _strength(hit: "Recalled") -> float:
    """The evidence of the search that a similarity stands for."""
    return -math.log(max(1e-9, 1 - min(hit.similarity, 0.999999)))
