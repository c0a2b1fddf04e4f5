"""An agent's knowledge about its work, or about one task, for its successor."""

from msgspec import Struct

from clew.coordinate.handoff import UnansweredQuestion, next_step, open_questions
from clew.coordinate.overview import RECENT, AgentReport, Member
from clew.engine import Engine
from clew.model.agents import Identity
from clew.model.fleet import Claim, ClaimKind, Task
from clew.model.memory import Episode, EpisodeType
from clew.model.time import NOW, AsOf
from clew.tools.budget import Priority, Shape, grow_lists
from clew.tools.drift import seen_now, states
from clew.tools.fleet_views import (
    OWN_CLAIM_FORMS,
    TASK_FORMS,
    ClaimView,
    HolderView,
    TaskView,
    claim_view,
    held_claim_view,
    holder_view,
    task_view,
)
from clew.tools.freshness import count_of

LOOKED_BACK = 200  # the last episodes, of which decisions and what is open are told
_CHANGED = ("current", "unknown")


class MemberView(Struct, frozen=True, omit_defaults=True):
    agent_id: str
    claim_count: int
    session_id: str = ""
    last_seen: int = 0
    gone: bool = False


class EpisodeLine(Struct, frozen=True, omit_defaults=True):
    """`drifted` is the code that it is about and that is no longer what it was: `id: changed since`."""

    episode_id: str
    type: str
    content: str
    at: int
    task_id: str = ""
    outcome: str = ""
    drifted: tuple[str, ...] = ()


class OpenQuestion(Struct, frozen=True, omit_defaults=True):
    """`kind`: an error that nothing helped against, failing_tests, what failed, or a question that was asked."""

    kind: str
    content: str
    episode_id: str
    at: int


class AgentStatus(Struct, frozen=True, omit_defaults=True):
    """With a task, all but `sessions` is of that task alone."""

    agent: HolderView
    active_claims: tuple[ClaimView, ...]
    next_step: str = ""
    open_questions: tuple[OpenQuestion, ...] = ()
    decisions: tuple[EpisodeLine, ...] = ()
    tasks: tuple[TaskView, ...] = ()
    current_task: str = ""
    recent_episodes: tuple[EpisodeLine, ...] = ()
    recent_claims: tuple[ClaimView, ...] = ()
    sessions: tuple[MemberView, ...] = ()
    of_task: str = ""

    def summary(self) -> str:
        if not (self.sessions or self.active_claims or self.recent_episodes):
            return f"Nothing is known of {self.agent.briefly()}{f' on {self.of_task}' if self.of_task else ''}."
        claims, tasks = count_of(len(self.active_claims), "claim", "claims"), count_of(len(self.tasks), "task", "tasks")
        gone = " It is gone." if self.sessions and all(one.gone for one in self.sessions) else ""
        if self.of_task:
            decisions = count_of(len(self.decisions), "decision", "decisions")
            questions = count_of(len(self.open_questions), "open question", "open questions")
            return f"{self.agent.briefly()} on {self.of_task}: {claims}, {decisions}, {questions}.{gone}"
        current = f"; now at {self.current_task}" if self.current_task else ""
        return f"{self.agent.briefly()} holds {claims} and has {tasks}{current}.{gone}"


_LISTS = ("active_claims", "open_questions", "decisions", "tasks", "sessions", "recent_episodes", "recent_claims")
_FORMS = {"active_claims": OWN_CLAIM_FORMS, "tasks": TASK_FORMS, "recent_claims": OWN_CLAIM_FORMS}
AGENT_SHAPE = Shape(
    {
        "recent_claims": Priority.MEDIUM,
        "recent_episodes": Priority.MEDIUM,
        "sessions": Priority.MEDIUM,
        "tasks": Priority.HIGH,
        "decisions": Priority.HIGH,
        "open_questions": Priority.HIGH,
        "next_step": Priority.HIGH,
    },
    grow_lists(*_LISTS, forms=_FORMS),
    pages=_LISTS,
    in_sequence=True,
)


def member(one: Member) -> MemberView:
    return MemberView(one.holder.agent_id, one.claims, one.holder.session_id, one.last_seen, one.gone)


def known_to(engine: Engine, asked: Identity, task_id: str, at: AsOf = NOW) -> AgentStatus:
    """Of all that an agent works on, or of one task; as it is, or was at a time."""
    name = task_id.strip().removeprefix(f"{ClaimKind.TASK}:").strip()
    found = engine.fleet.lookout.agent(asked, at)
    tasks = {task.id: task for task in engine.fleet.lookout.tasks.all(at)}
    episodes = engine.episodes.latest(LOOKED_BACK, task=name, agent=asked.agent_id, at=at)
    decided = [one for one in episodes if one.draft.type is EpisodeType.DECISION][-RECENT:]
    if at == NOW:
        seen_now(engine, [subject.id for one in (*decided, *episodes[-RECENT:]) for subject in one.subjects])
    current = tasks.get(name or found.current_task)
    ended = engine.fleet.claims.of_task(name, at)[::-1] if name else found.ended
    return AgentStatus(
        agent=holder_view(asked),
        active_claims=tuple(held_claim_view(one) for one in found.held if _is_for(one.claim, name)),
        next_step=next_step(current) if current else "",
        open_questions=tuple(map(_question, open_questions(episodes)[:RECENT])),
        decisions=_lines(engine, decided, at),
        tasks=tuple(task_view(task, tasks) for task in _tasks(found, tasks, name)),
        current_task=found.current_task,
        recent_episodes=_lines(engine, episodes[-RECENT:], at),
        recent_claims=tuple(claim_view(one) for one in ended if _has_ended(one, asked))[:RECENT],
        sessions=tuple(member(one) for one in found.members),
        of_task=name,
    )


def _tasks(found: AgentReport, tasks: dict[str, Task], name: str) -> list[Task]:
    if name:
        return [tasks[name]] if name in tasks else []
    return list(found.tasks)


def _is_for(claim: Claim, task: str) -> bool:
    return not task or task == claim.task or claim.target == f"{ClaimKind.TASK}:{task}"


def _has_ended(claim: Claim, asked: Identity) -> bool:
    return not claim.is_open and claim.holder.agent_id == asked.agent_id


def _lines(engine: Engine, episodes: list[Episode], at: AsOf) -> tuple[EpisodeLine, ...]:
    """The newest first."""
    return tuple(_line(engine, one, at) for one in reversed(episodes))


def _line(engine: Engine, one: Episode, at: AsOf) -> EpisodeLine:
    draft = one.draft
    fates = [state for state in states(engine, one.subjects, at) if state.state not in _CHANGED]
    drifted = tuple(f"{fate.id}: {fate.state}{f' {fate.now}' if fate.now else ''}" for fate in fates)
    return EpisodeLine(one.id, draft.type, draft.content, one.occurred_at, draft.task_id, str(draft.outcome), drifted)


def _question(one: UnansweredQuestion) -> OpenQuestion:
    return OpenQuestion(one.kind, one.content, one.episode.id, one.episode.occurred_at)
