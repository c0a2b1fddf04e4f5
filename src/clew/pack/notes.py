"""Memories as notes of a pack: in a line, in full, and with the current state of the code they refer to."""

from collections.abc import Sequence

from clew.coordinate import claims
from clew.coordinate.handoff import next_step
from clew.coordinate.progress import waits_for
from clew.memory.subjects import Drift, SubjectState
from clew.model.fleet import Claim, StepState, Task
from clew.model.memory import Episode, EpisodeType, Learning
from clew.pack.around import short
from clew.pack.items import Fate, Note, Section

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
    told = "; ".join(map(_drifted, drifted[:NAMED]))
    return f"{told}; {len(drifted) - NAMED} more" if len(drifted) > NAMED else told


def _drifted(one: SubjectState) -> str:
    if one.drift is Drift.MOVED:
        return f"{short(one.id)} {one.describe()}"
    return f"{short(one.id)} {'is ' if one.drift is Drift.GONE else ''}{one.drift}"
