"""Episodes and learnings as tools answer them: with their scores, and with the drift of their code."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from clew.engine import Engine
from clew.knowledge.reflecting import KnowledgeReflection
from clew.model.errors import InvalidInput
from clew.model.memory import Episode, Subject
from clew.model.time import NOW, from_iso, to_iso
from clew.pack.items import Fate
from clew.text.escaping import quote
from clew.tools.budget import Priority, Shape, grow_rows
from clew.tools.drift import moved_on, seen_now, states
from clew.tools.fleet_views import describe_redaction
from clew.tools.freshness import count_of
from clew.tools.notes import NoteView, matching_notes

if TYPE_CHECKING:
    from clew.memory.notes import Fitting
    from clew.memory.recall import Recalled, RecallQuery
    from clew.memory.reflection import Reflection

_SHORT = ("id", "content", "score", "superseded_by")
SAYS = "says "
MOST_SAID = 5  # words of a question that are told of each
POOL = 40  # hits that are looked at before the cut
MOST_MISSES = 3
MOST_QUOTED = 100  # characters of a near miss in a summary
MOST_OTHERS = 100  # that are counted where none is what was asked for
_DAY = 86_400_000_000


class RecalledEpisode(Struct, frozen=True, omit_defaults=True):
    """`score` is the weighted sum of its parts: similarity, recency and proximity; `why` is what it is there for.

    `repeated` counts further episodes with the same content.
    """

    id: str
    content: str
    score: float
    similarity: float
    recency: float
    proximity: float
    type: str
    agent_id: str
    session_id: str
    occurred_at: str
    task_id: str = ""
    outcome: str = ""
    entities: tuple[Fate, ...] = ()
    metadata: dict[str, Any] = {}
    sensitive: bool = False
    why: str = ""
    superseded_by: str = ""
    repeated: int = 0


class EpisodeRecall(Struct, frozen=True, omit_defaults=True):
    """`notes` are those that the question is about, each of a scope that the caller may read.

    `confidence` is how likely the evidence is among the first five. `nearest_misses` are the best episodes that do not
    answer the question, or did until a later one took their place.

    Of an answer without episodes, `only` is what was asked for alone, `others` how many more would answer but for that.
    """

    episodes: tuple[RecalledEpisode, ...]
    query: str
    notes: tuple[NoteView, ...] = ()
    only: str = ""
    others: int = 0
    nothing_yet: bool = False
    confidence: float = 0.0
    nearest_misses: tuple[RecalledEpisode, ...] = ()

    def summary(self) -> str:
        noted = f" {count_of(len(self.notes), 'note', 'notes')} on it." if self.notes else ""
        if not self.episodes:
            return f"{self._none()}{noted}"
        best = self.episodes[0]
        moved = moved_on(one.entities for one in self.episodes)
        found = count_of(len(self.episodes), "episode", "episodes")
        saying = sum(one.why.startswith(SAYS) for one in self.episodes)
        some = "" if saying == len(self.episodes) else f", {saying or 'none'} with words of the question"
        first = f"{best.type} by {best.agent_id}, {best.occurred_at[:10]} ({best.score:.2f})"
        return f"{found}{some}; best: {first}.{moved}{noted}"

    def _none(self) -> str:
        if self.nothing_yet:
            return "There are no episodes yet."
        if self.nearest_misses:
            near = quote(self.nearest_misses[0].content[:MOST_QUOTED])
            return (
                f"No episode {self.only}{' ' * bool(self.only)}answers this. The nearest: {near}; cut=false shows it."
            )
        besides = f" {count_of(self.others, 'other does', 'others do')}: ask without that." if self.others else ""
        return f"No episode {self.only}{' ' * bool(self.only)}answers this.{besides}"


RECALL_SHAPE = Shape(
    {
        "query": Priority.LOW,
        "notes": Priority.MEDIUM,
        "only": Priority.LOW,
        "others": Priority.MEDIUM,
        "nothing_yet": Priority.LOW,
        "confidence": Priority.MEDIUM,
        "nearest_misses": Priority.LOW,
    },
    grow_rows(_SHORT, "episodes"),
    pages=("episodes",),
)


class EpisodeAdded(Struct, frozen=True, omit_defaults=True):
    """`unknown_entities` are ids that nothing known has: they are kept as they are. `scrubbed` counts secrets."""

    episode_id: str
    agent_id: str
    session_id: str
    occurred_at: str
    previous_episode_id: str = ""
    unknown_entities: tuple[str, ...] = ()
    scrubbed: int = 0

    def summary(self) -> str:
        strange = f" Not known here: {', '.join(self.unknown_entities[:5])}." if self.unknown_entities else ""
        return f"Kept as {self.episode_id}.{strange}{describe_redaction(self.scrubbed)}"


ADDED_SHAPE = Shape({"unknown_entities": Priority.LOW, "previous_episode_id": Priority.MEDIUM})


class PatternSummary(Struct, frozen=True):
    kind: str
    content: str
    confidence: float
    evidence: tuple[str, ...]
    entities: tuple[str, ...]


class Reflected(Struct, frozen=True, omit_defaults=True):
    reflection_id: str
    insight: str
    learnings_created: int
    patterns: tuple[PatternSummary, ...]
    learning_ids: tuple[str, ...]
    episodes: int
    knowledge: KnowledgeReflection | None = None

    def summary(self) -> str:
        looked = f"Looked back on {count_of(self.episodes, 'episode', 'episodes')}"
        learned = count_of(self.learnings_created, "new learning", "new learnings")
        known = len(self.learning_ids) - self.learnings_created
        before = f", {known} known before" if known else ""
        patterns = f"{looked}: {count_of(len(self.patterns), 'pattern', 'patterns')}, {learned}{before}."
        return f"{patterns}{_describe_knowledge(self.knowledge)}"


def _describe_knowledge(done: KnowledgeReflection | None) -> str:
    if done is None:
        return ""
    parts = (
        (len(done.strengthened), "strengthened"), (len(done.weakened), "weakened"), (len(done.merged), "merged"),
        (len(done.contradictions), "contradictory"),
    )  # fmt: skip
    return f" Knowledge: {', '.join(f'{count} {word}' for count, word in parts if count)}; forget {done.id} undoes it."


REFLECTED_SHAPE = Shape(
    {"learning_ids": Priority.LOW, "insight": Priority.MEDIUM}, grow_rows(("kind", "content", "confidence"), "patterns")
)


def describe_added(episode: Episode, scrubbed: int) -> EpisodeAdded:
    return EpisodeAdded(
        episode_id=episode.id,
        agent_id=episode.who.agent_id,
        session_id=episode.who.session_id,
        occurred_at=to_iso(episode.occurred_at),
        previous_episode_id=episode.previous_id,
        unknown_entities=tuple(subject.id for subject in episode.subjects if not subject.is_known),
        scrubbed=scrubbed,
    )


def recall_episodes(
    engine: Engine, query: "RecallQuery", notes: "Sequence[Fitting]" = (), *, cut: bool = True
) -> EpisodeRecall:
    """What is found, beside the code as it is, or was at the time that is asked about; with `cut`, what answers."""
    hits = engine.memory.recall.find(structs.replace(query, limit=max(query.limit, POOL)) if cut else query)
    if not hits:
        return _not_recalled(engine, query, matching_notes(engine, notes, query.at))
    from clew.memory.ranking import confidence  # numpy is heavy

    sure = confidence(max(hit.similarity for hit in hits))
    missed: list[Recalled] = []
    if cut:
        from clew.tools.episode_cut import cut_episodes  # as above

        hits, missed, evidence = cut_episodes(engine, query, hits)
        hits, missed = hits[: query.limit], [*missed, *hits[query.limit :]][:MOST_MISSES]
        sure = sure if evidence is None else evidence
    if query.at == NOW:
        seen_now(engine, [subject.id for hit in (*hits, *missed) for subject in hit.episode.subjects])
    subjects = list(dict.fromkeys(subject for hit in (*hits, *missed) for subject in hit.episode.subjects))
    known = dict(zip(subjects, states(engine, subjects, query.at), strict=True))
    found, near = (tuple(_to_recalled(hit, known) for hit in group) for group in (hits, missed))
    return EpisodeRecall(found, query.text, matching_notes(engine, notes), confidence=sure, nearest_misses=near)


def _not_recalled(engine: Engine, query: "RecallQuery", notes: tuple[NoteView, ...]) -> EpisodeRecall:
    """Why: an agent that names itself wherever it can asks for its own episodes alone."""
    since = to_iso(query.since)[:10] if query.since else ""
    until = to_iso(min(query.at.valid, query.at.known))[:19] if query.at != NOW else ""
    given = (
        ("by", query.agent_id), ("of task", query.task_id), ("of type", " or ".join(query.types)), ("since", since),
        ("up to", until),
    )  # fmt: skip
    only = " ".join(f"{how} {what}" for how, what in given if what)
    wider = structs.replace(query, agent_id="", task_id="", types=(), since=0, at=NOW, limit=MOST_OTHERS)
    others = len(engine.memory.recall.find(wider)) if only else 0
    return EpisodeRecall((), query.text, notes, only, others, nothing_yet=not engine.episodes.latest(1))


def describe_reflection(reflection: "Reflection", knowledge: KnowledgeReflection | None = None) -> Reflected:
    told = [PatternSummary(p.kind, p.content, p.confidence, p.evidence, p.entities) for p in reflection.patterns]
    ids = tuple(one.id for one in reflection.learnings)
    return Reflected(
        reflection.id, reflection.insight, reflection.new, tuple(told), ids, reflection.looked_at, knowledge
    )


def moment(text: str, name: str) -> int:
    """Microseconds of an ISO 8601 time; 0 if none is given."""
    try:
        return from_iso(text) if text else 0
    except ValueError:
        raise InvalidInput(f"{name} is {text!r}, which is no time", "Write it as 2026-01-31T12:00:00Z.") from None


def past(text: str, name: str, now: int) -> int:
    """Likewise, of what has happened: a time that is to come is refused, a day's difference of clocks is not."""
    at = moment(text, name)
    if at > now + _DAY:
        raise InvalidInput(f"{name} is {text!r}, which is still to come", "Say when it happened, or leave it out.")
    return at


def _to_recalled(hit: "Recalled", known: Mapping[Subject, Fate]) -> RecalledEpisode:
    episode, draft = hit.episode, hit.episode.draft
    return RecalledEpisode(
        id=episode.id,
        content=draft.content,
        score=hit.score,
        similarity=hit.similarity,
        recency=hit.recency,
        proximity=hit.proximity,
        type=draft.type,
        agent_id=episode.who.agent_id,
        session_id=episode.who.session_id,
        occurred_at=to_iso(episode.occurred_at),
        task_id=draft.task_id,
        outcome=str(draft.outcome),
        entities=tuple(known[subject] for subject in episode.subjects),
        metadata=dict(draft.metadata),
        sensitive=draft.sensitive,
        why=_why(hit),
        superseded_by=hit.superseded_by,
        repeated=hit.repeated,
    )


def _why(hit: "Recalled") -> str:
    says = f"{SAYS}{', '.join(hit.words[:MOST_SAID])}" if hit.words else ""
    shares = "about the same code" if hit.proximity else ""
    return "; ".join(filter(None, (says, shares))) or "similar in meaning, or beside what says it"
