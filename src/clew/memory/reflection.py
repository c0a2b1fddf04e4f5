"""Looking back: the patterns of the last episodes become a reflection, and the sure ones learnings."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256

import msgspec
from msgspec import Struct

from clew.memory.contracts import files_of
from clew.memory.episodes import Journal
from clew.memory.subjects import Code
from clew.model.agents import Identity
from clew.model.memory import Episode, EpisodeDraft, EpisodeType, Learning, Outcome
from clew.store.episodes import MOST_ENTITIES, Episodes
from clew.store.learnings import Learnings
from clew.store.leases import REFLECTING, Leases
from clew.text.terms import Lexicon

# Patterns across several episodes. Pure: the same episodes give the same patterns, in the same order.

LEAST_EDITS = 3  # of one file: a hotspot
LEAST_READINGS = 3  # of the same: it is read again and again
LEAST_ERRORS = 2  # of one kind
LEAST_RUNS = 2  # of the same tests, to say how they stand
SOON = 5  # episodes: what fails so soon after a decision may be its doing
ALIKE = 0.6  # of the words of two observations, from which on they say the same

SURE = 0.95  # more is never claimed


class Pattern(Struct, frozen=True):
    """`about` is its subject, `claim` its statement; `evidence` are ids of episodes."""

    kind: str
    about: str
    claim: str
    content: str
    confidence: float
    evidence: tuple[str, ...]
    entities: tuple[str, ...] = ()


def patterns(episodes: Sequence[Episode]) -> list[Pattern]:
    """Patterns in episodes (given in the order of recording), the most certain first."""
    found = [
        *_hotspots(episodes), *_failed_decisions(episodes), *_readings(episodes), *_repeated_errors(episodes),
        *_tests(episodes),
    ]  # fmt: skip
    return sorted(found, key=lambda one: (-one.confidence, one.kind, one.about))


def _hotspots(episodes: Sequence[Episode]) -> Iterator[Pattern]:
    for file, edits in _by_file(_of(episodes, EpisodeType.EDIT)).items():
        if len(edits) >= LEAST_EDITS:
            content = f"{file} was edited {len(edits)} times: a hotspot."
            sure = _confidence(0.7, len(edits) - LEAST_EDITS)
            yield Pattern("hotspot", f"file:{file}", "hotspot", content, sure, _ids(edits), (file,))


def _failed_decisions(episodes: Sequence[Episode]) -> Iterator[Pattern]:
    """Failures soon after a decision about the same subject; more failures raise the confidence, a lack of shared
    code lowers it."""
    for at, decision in enumerate(episodes):
        if decision.draft.type is not EpisodeType.DECISION:
            continue
        failed = [one for one in episodes[at + 1 : at + 1 + SOON] if _has_failed(one) and _belongs(one, decision)]
        shared = [one for one in failed if set(one.draft.entities) & set(decision.draft.entities)]
        if failed or decision.draft.outcome is Outcome.FAILURE:
            sure = 0.9 if decision.draft.outcome is Outcome.FAILURE else _confidence(0.7, len(shared) - 1)
            sure = sure if shared or decision.draft.outcome is Outcome.FAILURE else 0.5
            title = decision.draft.metadata.get("title", decision.draft.content)
            content = f"The decision “{title}” was followed by failure: {_first(failed, decision)}"
            evidence = _ids([decision, *failed])
            yield Pattern(
                "decision_failed", f"decision:{decision.id}", "failed", content, sure, evidence, decision.draft.entities
            )


def _readings(episodes: Sequence[Episode]) -> Iterator[Pattern]:
    """Observations that say nearly the same, in groups around the first of each."""
    lexicon = Lexicon()
    groups: list[tuple[frozenset[str], list[Episode]]] = []
    for one in _of(episodes, EpisodeType.OBSERVATION):
        words = frozenset(lexicon.question(one.draft.content))
        group = next((members for first, members in groups if _share(first, words) >= ALIKE), None)
        groups.append((words, [one])) if group is None else group.append(one)
    for _, group in groups:
        if len(group) >= LEAST_READINGS:
            entities = tuple(dict.fromkeys(node for one in group for node in one.draft.entities))
            what = ", ".join(entities[:3]) or f"“{group[0].draft.content}”"
            content = f"{what} was read {len(group)} times to the same end: keep what was found."
            sure = _confidence(0.7, len(group) - LEAST_READINGS)
            yield Pattern(
                "rereading", f"reading:{group[0].draft.content}", "reread", content, sure, _ids(group), entities
            )


def _repeated_errors(episodes: Sequence[Episode]) -> Iterator[Pattern]:
    groups: dict[str, list[Episode]] = defaultdict(list)
    for one in _of(episodes, EpisodeType.ERROR):
        groups[str(one.draft.metadata.get("error_type", ""))].append(one)
    for error, group in groups.items():
        if len(group) >= LEAST_ERRORS:
            cures = [str(cure) for one in group if (cure := one.draft.metadata.get("recovery_action"))]
            met = f"; what helped last: {cures[-1]}" if cures else ""
            content = f"{error} came up {len(group)} times{met}."
            sure = _confidence(0.7 if cures else 0.6, len(group) - LEAST_ERRORS)
            entities = tuple(dict.fromkeys(node for one in group for node in one.draft.entities))
            claim = f"cured by {cures[-1]}" if cures else "comes up again"
            yield Pattern("repeated_error", f"error:{error}", claim, content, sure, _ids(group), entities)


def _tests(episodes: Sequence[Episode]) -> Iterator[Pattern]:
    """How the same tests stand after several runs: a later run that passes contradicts an earlier that failed."""
    for file, runs in _by_file(_of(episodes, EpisodeType.TEST_RESULT)).items():
        if len(runs) >= LEAST_RUNS:
            failed = [_has_failed(one) for one in runs]
            if not any(failed):
                continue
            last = 1
            while last < len(runs) and failed[-1 - last] == failed[-1]:
                last += 1
            claim = "fails" if failed[-1] else "passes"
            content = f"{file} {claim} in the last {last} of {len(runs)} runs."
            yield Pattern("tests", f"tests:{file}", claim, content, _confidence(0.6, last - 1), _ids(runs), (file,))


def _of(episodes: Iterable[Episode], type: EpisodeType) -> list[Episode]:
    return [one for one in episodes if one.draft.type is type]


def _by_file(episodes: Iterable[Episode]) -> dict[str, list[Episode]]:
    groups: dict[str, list[Episode]] = defaultdict(list)
    for one in episodes:
        for file in dict.fromkeys(files_of(one.draft)):
            groups[file].append(one)
    return groups


def _has_failed(one: Episode) -> bool:
    failed = one.draft.metadata.get("failed", 0) if one.draft.type is EpisodeType.TEST_RESULT else 0
    return one.draft.type is EpisodeType.ERROR or one.draft.outcome is Outcome.FAILURE or bool(failed)


def _belongs(one: Episode, decision: Episode) -> bool:
    same_task = bool(decision.draft.task_id) and one.draft.task_id == decision.draft.task_id
    return same_task or one.who.session_id == decision.who.session_id or bool(
        set(one.draft.entities) & set(decision.draft.entities)
    )  # fmt: skip


def _first(failed: Sequence[Episode], decision: Episode) -> str:
    return failed[0].draft.content if failed else decision.draft.content


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / (len(one | other) or 1)


def _confidence(first: float, more: int) -> float:
    """Confidence by the number of cases: the minimum for a pattern, and a third less doubt for each further case."""
    return round(min(1 - (1 - first) * (2 / 3) ** max(more, 0), SURE), 4)


def _ids(episodes: Iterable[Episode]) -> tuple[str, ...]:
    return tuple(one.id for one in episodes)


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


# Looking back by the clock: whichever process comes first does it, for the whole project.

CLOCK = Identity("clew", "clock")  # who speaks in such reflections
FEWEST, MOST = 20, 1000  # episodes to look back on


class Looking:
    def __init__(
        self, episodes: Episodes, reflector: Callable[[], Reflector], leases: Leases, holder: str, every: int
    ) -> None:
        """`every` is in microseconds; `holder` names this process."""
        self._episodes = episodes
        self._reflector = reflector
        self._leases = leases
        self._holder = holder
        self._every = every

    def look(self, now: int) -> Reflection | None:
        """Reflect on new episodes, if it is time and no other process does."""
        if not self._new(now):
            return None
        lease = self._leases.acquire(REFLECTING, self._holder, now)
        if lease is None:
            return None
        try:
            new = self._new(now)  # another one may just have done it
            span = ReflectionSpan(limit=min(max(new, FEWEST), MOST))
            return self._reflector().reflect(span, CLOCK, now) if new else None
        finally:
            self._leases.release(lease, now)

    def _new(self, now: int) -> int:
        """How many episodes came since the last time; 0 if it is too early."""
        last = next(iter(self._episodes.latest(1, agent=CLOCK.agent_id)), None)
        if last and now - last.recorded_at < self._every:
            return 0
        return self._episodes.last() - (last.number if last else 0)
