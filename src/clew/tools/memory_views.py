"""Memory in the fields of a briefing: decisions, learnings, episodes, the plan, and conflicting claims."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

from clew.model.time import to_iso
from clew.pack.items import CURRENT, Fate, Note, Noted, Section
from clew.tools.fleet_views import CONFLICT, OK, HolderView, StepView

if TYPE_CHECKING:
    from clew.coordinate.claims import Decision

_LISTS = {
    "decisions": Section.DECISIONS,
    "learnings": Section.LEARNINGS,
    "episodes": Section.EPISODES,
    "active_blockers": Section.BLOCKERS,
}


class MemoryView(Struct, frozen=True, omit_defaults=True):
    """A decision, learning or episode. `state` is what became of its code in a few words, `entities` of each part.

    Beside a text, only its id, and its state where the code is no longer what it was.
    """

    id: str
    state: str = ""
    type: str = ""
    content: str = ""
    reason: str = ""
    score: float = 0.0
    agent_id: str = ""
    session_id: str = ""
    task_id: str = ""
    occurred_at: str = ""
    outcome: str = ""
    about: str = ""
    entities: tuple[Fate, ...] = ()


class Blocker(Struct, frozen=True, omit_defaults=True):
    """Another agent's claim on code of the pack or on its task; `abandoned` if the holder has ended.

    Beside a text, only the target and the agent.
    """

    target: str
    holder: HolderView
    claim_id: str = ""
    since: int = 0
    intent: str = ""
    task_id: str = ""
    standing: str = ""


class PlanView(Struct, frozen=True, omit_defaults=True):
    """The task's plan; beside a text, only whose it is."""

    task_id: str
    status: str = ""
    title: str = ""
    next_step: str = ""
    assignee: HolderView | None = None
    steps: tuple[StepView, ...] = ()
    waits_for: tuple[str, ...] = ()


class ClaimOutcome(Struct, frozen=True, omit_defaults=True):
    """Result of `claim`: with CONFLICT, `active_blockers` names the holder."""

    status: str
    target: str
    claim_id: str = ""
    fence: int = 0


def memory_view(noted: Noted, *, beside_text: bool) -> MemoryView | Blocker | PlanView:
    """A note as a field; beside a text, only what that does not say in a form that programs read."""
    note = noted.note
    if note.section is Section.BLOCKERS:
        return _blocker(note, beside_text=beside_text)
    if note.section is Section.PLAN:
        return PlanView(note.id) if beside_text else _plan(noted)
    if beside_text:
        return MemoryView(note.id, "" if note.state == CURRENT else note.state)
    return MemoryView(
        id=note.id,
        state=note.state,
        type=str(note.kind),
        content="\n".join(filter(None, [note.title, note.text if noted.full else ""])),
        reason=note.reason,
        score=note.score,
        agent_id=note.agent_id,
        session_id=note.session_id,
        task_id=note.task_id,
        occurred_at=to_iso(note.at),
        outcome=note.outcome,
        about=note.beside,
        entities=note.fates,
    )


def memory_fields(shown: Iterable[Noted], *, beside_text: bool) -> dict[str, object]:
    """The memory fields of a briefing, by name."""
    notes: dict[Section, list[object]] = {section: [] for section in Section}
    for one in shown:
        notes[one.section].append(memory_view(one, beside_text=beside_text))
    lists = {name: tuple(notes[section]) for name, section in _LISTS.items()}
    return {**lists, "plan": next(iter(notes[Section.PLAN]), None)}


def claim_outcome(decision: "Decision") -> ClaimOutcome:
    claim = decision.claim
    if claim is None:
        return ClaimOutcome(CONFLICT, decision.target)
    return ClaimOutcome(OK, decision.target, claim.id, claim.fence)


def _blocker(note: Note, *, beside_text: bool) -> Blocker:
    if beside_text:
        return Blocker(note.title, HolderView(note.agent_id), standing=note.state)
    holder = HolderView(note.agent_id, note.session_id)
    return Blocker(note.title, holder, note.id, note.at, note.reason, note.task_id, note.state)


def _plan(noted: Noted) -> PlanView:
    note = noted.note
    steps = tuple(StepView(step.text, step.state) for step in note.steps) if noted.full else ()
    holder = HolderView(note.agent_id, note.session_id) if note.agent_id else None
    return PlanView(note.id, note.outcome, note.title, note.next_step, holder, steps, note.waits_for)
