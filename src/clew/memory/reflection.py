"""Looking back: the patterns of the last episodes become a reflection, and the sure ones learnings."""

from collections.abc import Callable, Sequence
from hashlib import sha256

import msgspec
from msgspec import Struct

from clew.memory.episodes import Journal
from clew.memory.patterns import Pattern, patterns
from clew.memory.subjects import Code
from clew.model.agents import Identity
from clew.model.memory import Episode, EpisodeDraft, EpisodeType, Learning
from clew.store.episodes import MOST_ENTITIES, Episodes
from clew.store.learnings import Learnings

SURE_ENOUGH = 0.7  # from here on, a pattern is a learning
_OWN = (EpisodeType.REFLECTION, EpisodeType.LEARNING)  # what reflecting itself makes is nothing to reflect on


class ReflectionSpan(Struct, frozen=True):
    """Which episodes to look back on: the last ones, of a task or an agent if one is named."""

    task_id: str = ""
    agent_id: str = ""
    limit: int = 20


class Reflection(Struct, frozen=True):
    """No id: there was nothing to look back on. Of the learnings, so many are `new`; the others were known before."""

    id: str
    insight: str
    patterns: tuple[Pattern, ...]
    learnings: tuple[Learning, ...]
    looked_at: int
    new: int = 0


class Reflector:
    def __init__(
        self, episodes: Episodes, learnings: Learnings, journal: Journal, code: Code, new_id: Callable[[], str]
    ):
        self._episodes = episodes
        self._learnings = learnings
        self._journal = journal
        self._code = code
        self._new_id = new_id

    def reflect(self, span: ReflectionSpan, who: Identity, now: int) -> Reflection:
        """Idempotent: the same episodes give the same reflection and no second learning."""
        latest = self._episodes.latest(span.limit * 2, task=span.task_id, agent=span.agent_id)
        looked_at = [one for one in latest if one.draft.type not in _OWN][-span.limit :]
        if not looked_at:
            return Reflection("", "There are no episodes to look back on.", (), (), 0)
        found = patterns(looked_at)
        insight = " ".join(one.content for one in found) or f"Nothing stands out in {len(looked_at)} episodes."
        sure = [self._to_learning(one, span, who) for one in found if one.confidence >= SURE_ENOUGH]
        learned = tuple(self._learnings.learn(one, now) for one in sure)
        new = {one.id for one in sure} & {one.id for one in learned}
        kept = self._journal.add(_draft(looked_at, found, insight, span), who, now)
        return Reflection(kept.id, insight, tuple(found), learned, len(looked_at), len(new))

    def _to_learning(self, pattern: Pattern, span: ReflectionSpan, who: Identity) -> Learning:
        return Learning(
            id=self._new_id(),
            about=pattern.about,
            claim=pattern.claim,
            content=pattern.content,
            confidence=pattern.confidence,
            evidence=pattern.evidence,
            who=who,
            task_id=span.task_id,
            subjects=self._code.subjects(pattern.entities),
        )


def _draft(looked_at: Sequence[Episode], found: Sequence[Pattern], insight: str, span: ReflectionSpan) -> EpisodeDraft:
    sources = [one.id for one in looked_at]
    return EpisodeDraft(
        type=EpisodeType.REFLECTION,
        content=insight,
        entities=tuple(dict.fromkeys(node for one in found for node in one.entities))[:MOST_ENTITIES],
        task_id=span.task_id,
        metadata={"source_episode_ids": sources, "patterns": msgspec.to_builtins(found)},
        occurred_at=max(one.occurred_at for one in looked_at),
        key=f"reflection-{sha256(' '.join(sources).encode()).hexdigest()[:24]}",
    )
