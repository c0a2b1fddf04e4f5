"""Gathers memories for a task's pack: by the task's words, by matching code, and by the task itself; each as a note."""

from collections.abc import Callable, Sequence
from heapq import nsmallest
from typing import NamedTuple

from msgspec import structs

from clew.coordinate import claims
from clew.coordinate.fleet import Fleet
from clew.coordinate.handoff import next_step
from clew.coordinate.overview import current_task
from clew.coordinate.progress import waits_for
from clew.coordinate.targets import Meeting, overlap
from clew.graph.walk_graph import Web
from clew.memory.memory import Memory
from clew.memory.ranking import AUTOMATIC, MEASURED
from clew.memory.recall import Recalled, RecallQuery
from clew.memory.reflection import SURE_ENOUGH
from clew.memory.subjects import Drift, SubjectState
from clew.model.fleet import Claim, ClaimKind, StepState, Task
from clew.model.knowledge import KnowledgeRecord
from clew.model.memory import Episode, EpisodeType, Learning, Subject
from clew.model.time import NOW, AsOf, to_iso
from clew.pack.around import short
from clew.pack.items import Fate, FromMemory, Memories, Note, Section
from clew.store.episodes import Episodes
from clew.store.ground import Marks
from clew.store.learnings import Learnings

ABANDONED = str(claims.ClaimState.ABANDONED)
LONGEST_TITLE = 160  # characters of a line
NAMED = 2  # of the code that has changed, that a line names

# What a memory is worth whose code is no longer what it was: it may still hold, or not.
WORTH = {Drift.CURRENT: 1.0, Drift.UNKNOWN: 1.0, Drift.MOVED: 0.75, Drift.CHANGED: 0.5, Drift.GONE: 0.25}
_SECTIONS = {EpisodeType.DECISION: Section.DECISIONS, EpisodeType.LEARNING: Section.LEARNINGS}
_MARKS = {StepState.DONE: "x", StepState.SKIPPED: "-", StepState.IN_PROGRESS: ">", StepState.PENDING: " "}


def worth(standings: Sequence[SubjectState]) -> float:
    """The average weight of its subjects, by their drift."""
    return sum(WORTH[one.drift] for one in standings) / len(standings) if standings else 1.0


def of_episode(episode: Episode, standings: Sequence[SubjectState], reason: str, score: float) -> Note:
    draft = episode.draft
    decided = draft.type is EpisodeType.DECISION
    title = str(draft.metadata.get("title") or draft.content) if decided else draft.content
    line, text = in_line(title), _decision(episode) if decided else draft.content
    return Note(
        id=episode.id,
        section=_SECTIONS.get(draft.type, Section.EPISODES),
        kind=draft.type,
        title=line,
        text="" if text == line else text,
        reason=reason,
        state=_state(standings),
        fates=tuple(map(Fate.of, standings)),
        score=score,
        agent_id=episode.who.agent_id,
        session_id=episode.who.session_id,
        task_id=draft.task_id,
        at=episode.occurred_at,
        outcome=str(draft.outcome),
    )


def of_learning(learning: Learning, standings: Sequence[SubjectState], beside: str, score: float) -> Note:
    line = in_line(learning.content)
    return Note(
        id=learning.id,
        section=Section.LEARNINGS,
        kind=EpisodeType.LEARNING,
        title=line,
        text="" if line == learning.content else learning.content,
        reason=f"{learning.confidence:.2f} sure",
        state=_state(standings),
        fates=tuple(map(Fate.of, standings)),
        score=score,
        agent_id=learning.who.agent_id,
        task_id=learning.task_id,
        at=learning.known_from,
        beside=beside,
    )


def of_knowledge(record: KnowledgeRecord, standings: Sequence[SubjectState], beside: str, score: float) -> Note:
    """A fact or a cause that is about code in the pack."""
    when = f"since {to_iso(record.valid_from)[:10]}, " if record.valid_from else ""
    return Note(
        id=record.id,
        section=Section.LEARNINGS,
        kind=str(record.kind).upper(),
        title=in_line(record.title),
        reason=f"{when}{record.body.confidence:.2f} sure",
        state=_state(standings),
        fates=tuple(map(Fate.of, standings)),
        score=score,
        agent_id=record.who.agent_id,
        at=record.known_from,
        beside=beside,
    )


def of_plan(task: Task, tasks: dict[str, Task]) -> Note:
    """A task with its steps; its line names the next one."""
    waiting = waits_for(task, tasks)
    steps = [f"[{_MARKS[step.state]}] {i}. {step.text}" for i, step in enumerate(task.plan, 1)]
    waits = [f"Waits for {', '.join(waiting)}."] if waiting else []
    text = "\n".join([*filter(None, [task.description]), *steps])  # what it waits for, its line says
    return Note(
        id=task.id,
        section=Section.PLAN,
        kind="task",
        title=f"{task.id}: {in_line(task.title)}",
        text=text,
        reason="; ".join([_progress(task), *waits]),
        agent_id=task.assignee.agent_id,
        session_id=task.assignee.session_id,
        task_id=task.id,
        at=task.changed_at,
        outcome=str(task.status),
        steps=task.plan,
        next_step=next_step(task),
        waits_for=waiting,
    )


def of_claim(claim: Claim, is_gone: bool, beside: str) -> Note:
    """A blocker: a claim by another agent; one of a holder that has signed off can be taken over."""
    return Note(
        id=claim.id,
        section=Section.BLOCKERS,
        kind="claim",
        title=claim.target,
        reason=in_line(claim.intent),
        state=ABANDONED if is_gone else "",
        agent_id=claim.holder.agent_id,
        session_id=claim.holder.session_id,
        task_id=claim.task,
        at=claim.since,
        beside=beside,
    )


def in_line(text: str) -> str:
    """Its first line, shortened between words."""
    line = " ".join(next(iter(text.strip().splitlines()), "").split())
    return line if len(line) <= LONGEST_TITLE else f"{line[:LONGEST_TITLE].rsplit(' ', 1)[0]} …"


def _decision(episode: Episode) -> str:
    """The decision, its rationale and its trade-offs."""
    told = episode.draft.metadata
    why, costs = str(told.get("rationale") or ""), told.get("tradeoffs")
    parts = [episode.draft.content if episode.draft.content != told.get("title") else ""]
    parts += [f"Why: {why}" if why and why != episode.draft.content else ""]
    parts += [f"Trade-offs: {'; '.join(map(str, costs))}" if isinstance(costs, list) and costs else ""]
    return "\n".join(filter(None, parts))


def _progress(task: Task) -> str:
    done = sum(not step.is_open for step in task.plan)
    steps = f", {done} of {len(task.plan)} steps done" if task.plan else ""
    following = f"; next: {in_line(step)}" if (step := next_step(task)) else ""
    return f"{task.status.replace('_', ' ')}{steps}{following}"


def _state(standings: Sequence[SubjectState]) -> str:
    """`current` if all subjects are; else the drifted ones, the first by name."""
    drifted = [one for one in standings if one.drift not in (Drift.CURRENT, Drift.UNKNOWN)]
    if not drifted:
        return str(Drift.CURRENT) if any(one.drift is Drift.CURRENT for one in standings) else ""
    told = "; ".join(map(_describe_drift, drifted[:NAMED]))
    return f"{told}; {len(drifted) - NAMED} more" if len(drifted) > NAMED else told


def _describe_drift(one: SubjectState) -> str:
    if one.drift is Drift.MOVED:
        return f"{short(one.id)} {one.describe()}"
    return f"{short(one.id)} {'is ' if one.drift is Drift.GONE else ''}{one.drift}"


Knowing = Sequence[tuple[Subject, KnowledgeRecord]]  # code, and what is known of it

MOST_DECISIONS, MOST_EPISODES = 12, 8  # that may stand in a pack
MOST_LEARNINGS = 2000  # the newest, that are looked at
MOST_BESIDE = 3  # of them, that one unit of code brings into a pack
MOST_SUBJECTS = 8  # of a memory, whose fate is told
SUPERSEDED = 0.25  # what a memory is worth that another took the place of; as one whose code is gone
MOST_SAID = 3  # words of a task that a memory says, as its reason
OF_TASK = 20  # the last episodes of a task, that belong to its pack whatever they say
SIMILAR = 0.25  # from here on, words alone speak for an episode: about a quarter of what the task says
ABOUT_CODE = 0.5  # how much it counts that an episode is about the code that matches, as for `decision_query`
LEARNED = 0.5  # what a learning about code in the pack is worth, beside words that agree
LEARNED_OF_IT = 1.0  # what one about just that symbol is worth: more than a decision about its whole file
OWN_TASK = 1.0  # what is of the task itself comes before all that is only like it

_DECISIONS = (EpisodeType.DECISION,)
_LEARNINGS = (EpisodeType.LEARNING,)
_OTHERS = tuple(one for one in EpisodeType if one not in (*_DECISIONS, *_LEARNINGS, EpisodeType.REFLECTION))


class _Held(NamedTuple):
    claim: Claim
    is_gone: bool


class _Learnt(NamedTuple):
    """The valid learnings up to a given one, in reading order, and indexed by the current location of their code."""

    upto: object = None
    all: tuple[Learning, ...] = ()
    about: Meeting[Learning] = Meeting()


class _Knowledge(NamedTuple):
    """Facts and causes about code up to a given row of the log, indexed by the current location of their code."""

    upto: object = None
    about: Meeting[tuple[Subject, KnowledgeRecord]] = Meeting()


class _View:
    """The current state of the code that memories refer to, resolved once per state of the checkout."""

    def __init__(self, web: Web, memory: Memory) -> None:
        self.web = web
        self._memory = memory
        self._known: dict[Subject, SubjectState] = {}
        self._learnt = _Learnt()
        self._knowledge = _Knowledge()

    def fates(self, subjects: Sequence[Subject]) -> tuple[SubjectState, ...]:
        told = subjects[:MOST_SUBJECTS]
        for subject in told:
            if subject not in self._known:
                self._known[subject] = self._memory.code.state_of(subject)
        return tuple(self._known[subject] for subject in told)

    def learnings_about(self, marks: Marks, learnings: Learnings, at: AsOf) -> _Learnt:
        """All that is sure enough."""
        if self._learnt.upto != (marks.learning, at):
            sure = [one for one in learnings.current_at(MOST_LEARNINGS, at) if one.confidence >= SURE_ENOUGH]
            about = Meeting((self._where(one), each) for each in sure for one in each.subjects[:MOST_SUBJECTS])
            self._learnt = _Learnt((marks.learning, at), tuple(sure), about)
        return self._learnt

    def knowledge_about(self, marks: Marks, knowledge: Callable[[AsOf], Knowing], at: AsOf) -> _Knowledge:
        """Facts and causes about code."""
        if self._knowledge.upto != (marks.knowledge, at):
            pairs = knowledge(at)[:MOST_LEARNINGS]
            self._knowledge = _Knowledge((marks.knowledge, at), Meeting((self._where(one[0]), one) for one in pairs))
        return self._knowledge

    def fact_note(self, subject: Subject, record: KnowledgeRecord, beside: str, *, exactly: bool) -> Note:
        standings = self.fates([subject])
        score = (LEARNED_OF_IT if exactly else LEARNED) * record.body.confidence * worth(standings)
        return of_knowledge(record, standings, beside, round(score, 4))

    def note(self, learning: Learning, beside: str = "", *, exactly: bool = False) -> Note:
        standings = self.fates(learning.subjects)
        share = learning.confidence * (AUTOMATIC if learning.is_automatic else 1.0)
        score = (LEARNED_OF_IT if exactly else LEARNED) * share * worth(standings)
        return of_learning(learning, standings, beside, round(score + (0.0 if beside else OWN_TASK), 4))

    def _where(self, subject: Subject) -> str:
        """The current id of a subject; searched for only if it is no longer in its place."""
        if self.web.numbering.find(subject.id) >= 0:
            return subject.id
        return self.fates([subject])[0].now or subject.id


class Gatherer:
    """Of one project, seen from one checkout; `at` says as of when."""

    def __init__(
        self,
        episodes: Episodes,
        learnings: Learnings,
        memory: Memory,
        fleet: Callable[[], Fleet],
        at: Callable[[], AsOf],
        knowledge: Callable[[AsOf], Knowing],
    ) -> None:
        self._at = at
        self._knowledge = knowledge
        self._episodes = episodes
        self._learnings = learnings
        self._memory = memory
        self._fleet = fleet
        self._view: _View | None = None

    def gather(self, asked: FromMemory, text: str, seeds: Sequence[str], web: Web, marks: Marks) -> Memories:
        """`seeds` are the ids of the best matches."""
        view, at = self._view, self._at()
        if view is None or view.web is not web:
            self._view = view = _View(web, self._memory)
        task_id, task, plan = self._task(asked, marks, at)
        decisions, episodes, told = [], [], []
        if marks.episode[0]:
            entities = tuple(dict.fromkeys([*seeds, *(task.files if task else ())]))
            own = self._episodes.latest(OF_TASK, task=task_id, at=at) if task_id else []
            best = _Best(view, text, entities, own, task_id, self._memory, at)
            decisions = best.of(_DECISIONS, MOST_DECISIONS) if asked.decisions else []
            episodes = best.of(_OTHERS, MOST_EPISODES) if asked.episodes else []
            told = best.of(_LEARNINGS, MOST_BESIDE) if asked.learnings else []
        learnt = (
            view.learnings_about(marks, self._learnings, at) if marks.learning[0] and asked.learnings else _Learnt()
        )
        known = (
            view.knowledge_about(marks, self._knowledge, at) if marks.knowledge[0] and asked.learnings else _Knowledge()
        )
        held = self._claims_of_others(asked, marks, at) if marks.claims or at != NOW else Meeting()
        return Memories(
            plan=(*plan, *(of_claim(*one, "") for one in held.at(f"{ClaimKind.TASK}:{task_id}") if task_id)),
            decisions=tuple(decisions),
            episodes=tuple(episodes),
            learned=(*(view.note(one) for one in learnt.all if task_id and one.task_id == task_id), *told),
            code=_CodeNotes(view, learnt, held, known),
        )

    def _task(self, asked: FromMemory, marks: Marks, at: AsOf) -> tuple[str, Task | None, tuple[Note, ...]]:
        """The one that is named, or that the caller works on; one may be named that nobody has described."""
        named = asked.task_id.strip().removeprefix(f"{ClaimKind.TASK}:").strip()
        if not marks.task[0]:
            return named, None, ()
        tasks = {one.id: one for one in self._fleet().lookout.tasks.all(at)}
        task = tasks.get(named) if named else current_task(tasks.values(), asked.who)
        return (task.id, task, (of_plan(task, tasks),)) if task else (named, None, ())

    def _claims_of_others(self, asked: FromMemory, marks: Marks, at: AsOf) -> Meeting[_Held]:
        gone = {claim for claim, is_gone in marks.claims if is_gone and at == NOW}
        others = [one for one in self._fleet().claims.open(at) if one.holder != asked.who]
        return Meeting((one.target, _Held(one, one.id in gone)) for one in others)


class _CodeNotes(NamedTuple):
    view: _View
    learnt: _Learnt
    held: Meeting[_Held]
    knowledge: _Knowledge = _Knowledge()

    def in_the_way(self, node: str) -> list[Note]:
        return [of_claim(*one, node) for one in self.held.at(node)]

    def about(self, node: str) -> list[Note]:
        """Learnings about exactly this node come first, then those that agents wrote, then the most confident; then
        facts and causes that are about it."""
        meeting = self.learnt.about

        def rank(one: Learning) -> tuple[bool, bool, float, int, str]:
            return not meeting.is_at(node, one), one.is_automatic, -one.confidence, -one.strength, one.id

        best = nsmallest(MOST_BESIDE, meeting.at(node), key=rank)
        told = [self.view.note(one, node, exactly=meeting.is_at(node, one)) for one in best]
        facts = self.knowledge.about
        known = sorted(facts.at(node), key=lambda one: (not facts.is_at(node, one), -one[1].body.confidence, one[1].id))
        return told + [self.view.fact_note(*one, node, exactly=facts.is_at(node, one)) for one in known[:MOST_BESIDE]]


class _Best(NamedTuple):
    """The best memories by words, by code, or by task; each scores less if its code has changed."""

    view: _View
    text: str
    entities: tuple[str, ...]
    own: Sequence[Episode]
    task: str
    memory: Memory
    at: AsOf

    def of(self, types: tuple[EpisodeType, ...], most: int) -> list[Note]:
        weights = structs.replace(MEASURED, proximity=ABOUT_CODE)
        query = RecallQuery(
            self.text,
            types=types,
            entities=self.entities,
            limit=2 * most,
            weights=weights,
            paraphrases=False,
            at=self.at,
        )
        hits = {hit.episode.id: hit for hit in self.memory.recall.find(query)}
        episodes = {key: hit.episode for key, hit in hits.items() if hit.similarity >= SIMILAR or hit.proximity}
        episodes |= {one.id: one for one in self.own if one.draft.type in types}
        later = self.memory.recall.find_superseding(episodes.values(), self.at)
        rated = [(self._note(one, hits.get(one.id), later.get(one.id, "")), one.number) for one in episodes.values()]
        return [note for note, _ in sorted(rated, key=lambda one: (-one[0].score, -one[1]))[:most]]

    def _note(self, episode: Episode, hit: Recalled | None, superseded_by: str) -> Note:
        standings = self.view.fates(episode.subjects)
        bonus = OWN_TASK * (AUTOMATIC if episode.draft.is_automatic else 1.0) if self._is_own(episode) else 0.0
        score = ((hit.score if hit else 0.0) + bonus) * worth(standings) * (SUPERSEDED if superseded_by else 1.0)
        why = f"superseded by {superseded_by}" if superseded_by else self._reason(episode, hit)
        return of_episode(episode, standings, why, round(score, 4))

    def _is_own(self, episode: Episode) -> bool:
        return bool(self.task) and episode.draft.task_id == self.task

    def _reason(self, episode: Episode, hit: Recalled | None) -> str:
        if self._is_own(episode):
            return f"of {self.task}"
        if hit and hit.proximity:
            about = (one.id for one in episode.subjects if any(overlap(one.id, seed) for seed in self.entities))
            return f"about {short(next(about, episode.subjects[0].id))}"
        return f"says {', '.join(hit.words[:MOST_SAID])}" if hit and hit.words else "beside what says it, or near it"
