"""Keeping episodes: their contracts, the code that they are about, and the chain of their session."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256

from clew.memory.contracts import SUPERSEDES, files_of, validate
from clew.memory.subjects import Code
from clew.model.agents import Identity
from clew.model.errors import Conflict, InvalidInput, NotFound
from clew.model.memory import TOLD, Episode, EpisodeDraft, EpisodeType, Learning, Subject
from clew.store.episodes import MOST_ENTITIES, Episodes
from clew.store.learnings import Learnings

TOLD_SURE = 0.8  # how sure a learning is that an agent wrote without saying so


class Journal:
    """The episodes of a project, written by any agent in any of its checkouts."""

    def __init__(self, episodes: Episodes, learnings: Learnings, code: Code, new_id: Callable[[], str]) -> None:
        self._episodes = episodes
        self._learnings = learnings
        self._code = code
        self._new_id = new_id

    def add(self, draft: EpisodeDraft, who: Identity, now: int, noted: Sequence[Subject] = ()) -> Episode:
        """Record an agent's episode. The same key again is the same episode; other content under it is refused.

        `noted` is the code that it is about in its state at the time of the note; else the current state is taken.
        """
        told = self._complete(draft, now)
        before = str(told.metadata.get(SUPERSEDES, ""))
        if before and self._episodes.get(before) is None:
            raise NotFound(f"no episode {before!r}, which this is to supersede", "decision_query tells ids.")
        subjects = tuple(noted) or self._code.subjects(told.entities)
        found = self._episodes.add(self._new_id(), who, told, subjects, now)
        if draft.key and (found.draft.type, found.draft.content) != (told.type, told.content):
            raise Conflict(
                f"the key {draft.key!r} is that of another episode, {found.id}",
                "Give each episode a key of its own, or leave it out.",
            )
        if told.type is EpisodeType.LEARNING and not told.sensitive:
            self._learnings.learn(_as_learning(found), now)
        return found

    def _complete(self, draft: EpisodeDraft, now: int) -> EpisodeDraft:
        if not draft.content.strip():
            raise InvalidInput("an episode needs content, a text", "Say in a sentence or two what happened.")
        told = replace(draft, metadata=validate(draft.type, draft.metadata), occurred_at=draft.occurred_at or now)
        entities = tuple(dict.fromkeys(filter(None, [*told.entities, *files_of(told)])))
        if len(entities) > MOST_ENTITIES:
            raise InvalidInput(f"an episode is about {MOST_ENTITIES} things at most", "Name those that matter.")
        return replace(told, entities=entities)


def _as_learning(episode: Episode) -> Learning:
    """The same words again are the same learning, and make it surer."""
    draft = episode.draft
    said = sha256(" ".join(draft.content.split()).encode("utf-8", "replace")).hexdigest()[:24]
    sure = draft.metadata.get("confidence", TOLD_SURE)
    return Learning(
        id=episode.id,
        about=f"told:{said}",
        claim=TOLD,
        content=draft.content,
        confidence=float(sure) if isinstance(sure, int | float) else TOLD_SURE,
        evidence=(episode.id,),
        who=episode.who,
        task_id=draft.task_id,
        subjects=episode.subjects,
    )
