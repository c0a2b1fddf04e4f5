"""Records claims and tasks in memory: the outcome of a release as an episode, a closed task as a decision."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from clew.coordinate.hooks import Closing, Seams
from clew.coordinate.targets import ROOT
from clew.memory.reflection import ReflectionSpan
from clew.model.code import split_id
from clew.model.fleet import Claim, ClaimKind, EndReason, TaskStatus
from clew.model.memory import EpisodeDraft, EpisodeType, Outcome
from clew.store.episodes import MOST_ENTITIES

if TYPE_CHECKING:
    from clew.memory.memory import Memory

_MOST = MOST_ENTITIES // 2  # that a decision is about: each may lie in a file that counts, too
_CODE = (ClaimKind.FILE, ClaimKind.FUNCTION)
_OUTCOMES = {TaskStatus.COMPLETED: Outcome.SUCCESS, TaskStatus.FAILED: Outcome.FAILURE}


def seams(memory: "Callable[[], Memory]") -> Seams:
    """It is asked for only when there is something to remember."""

    def on_release(claim: Claim) -> None:
        if claim.end_reason == EndReason.RELEASED and claim.outcome.strip():
            memory().journal.add(_outcome_episode(claim), claim.holder, claim.ended_at)

    def on_closed(closing: Closing) -> None:
        if closing.task.status in _OUTCOMES:
            memory().notebook.page_out_task(closing.task.id, closing.at)
            memory().reflector.reflect(ReflectionSpan(task_id=closing.task.id), closing.by, closing.at)
            memory().journal.add(_decision_episode(closing), closing.by, closing.at)

    return Seams(on_release, on_closed)


def _outcome_episode(claim: Claim) -> EpisodeDraft:
    """Includes target and intent: outcomes are as short as "done"."""
    intent = f" ({claim.intent})" if claim.intent else ""
    return EpisodeDraft(
        EpisodeType.OBSERVATION,
        f"{claim.target}{intent}: {claim.outcome}",
        entities=_entities([claim]),
        task_id=claim.task,
        metadata={"claim_id": claim.id, "target": claim.target, "intent": claim.intent},
        key=f"claim-{claim.id}",
    )


def _decision_episode(closing: Closing) -> EpisodeDraft:
    task = closing.task
    entities = tuple(dict.fromkeys([*task.files, *_entities(closing.claims)]))[:_MOST]
    why = next(filter(str.strip, (closing.note, task.description, task.title)))
    left = "; ".join(step.text for step in task.plan if step.is_open)
    told = [f"{task.title}: {task.status}.", f"Steps left open: {left}." if left else "", closing.note]
    return EpisodeDraft(
        EpisodeType.DECISION,
        " ".join(filter(None, told)),
        entities=entities,
        task_id=task.id,
        outcome=_OUTCOMES[task.status],
        metadata={
            "title": task.title,
            "rationale": why,
            "tradeoffs": [],
            "affected_files": sorted({split_id(one)[0] for one in entities}),
        },
        key=f"task-{task.id}-{task.revision}",
    )


def _entities(claims: Sequence[Claim]) -> tuple[str, ...]:
    return tuple(claim.target for claim in claims if claim.kind in _CODE and claim.target != ROOT)
