"""Claims, holders and tasks as answers show them."""

from collections.abc import Sequence

from msgspec import Struct

from clew.coordinate.claims import ClaimState, ClaimWithState
from clew.coordinate.progress import waits_for
from clew.model.agents import Identity
from clew.model.fleet import Claim, Task
from clew.model.time import FOREVER, to_iso
from clew.tools.budget import Form, Row, only
from clew.tools.freshness import count_of

OK, CONFLICT = "ok", "CONFLICT"
SESSION_SAID = 12  # characters; longer ones, such as those made per connection, are named by their first few
_FIRST_FEW = 8


class HolderView(Struct, frozen=True, omit_defaults=True):
    agent_id: str
    session_id: str = ""

    def __str__(self) -> str:
        return f"{self.agent_id}/{self.session_id}" if self.session_id else self.agent_id

    def briefly(self) -> str:
        """In a sentence, which no budget may shorten: sessions that connections make are dear in tokens."""
        known = len(self.session_id) <= SESSION_SAID
        return str(self if known else HolderView(self.agent_id, f"{self.session_id[:_FIRST_FEW]}…"))


class StepView(Struct, frozen=True):
    text: str
    state: str


SAID = 80  # characters of a target or an intent that are repeated in a summary


class ClaimView(Struct, frozen=True, omit_defaults=True):
    """`standing` is active, stale or abandoned; of a claim that has ended, `end_reason` says why.

    Only its target is told in any case: a small budget leaves out the rest first, rather than other claims.
    """

    target: str
    claim_id: str = ""
    kind: str = ""
    holder: HolderView = HolderView("")
    since: int = 0
    fence: int = 0
    intent: str = ""
    task_id: str = ""
    target_version_sha: str = ""
    standing: str = ""
    ended_at: int = 0
    end_reason: str = ""
    outcome: str = ""


class TaskView(Struct, frozen=True, omit_defaults=True):
    """`waits_for` are dependencies that are not completed."""

    task_id: str
    title: str
    status: str
    description: str = ""
    feature: str = ""
    assignee: HolderView | None = None
    priority: int = 0
    dependencies: tuple[str, ...] = ()
    waits_for: tuple[str, ...] = ()
    plan: tuple[StepView, ...] = ()
    files: tuple[str, ...] = ()
    created_at: int = 0
    changed_at: int = 0
    revision: int = 0


def _briefly(row: Row) -> Row:
    """The target, its holder, and its state if not active; claims are queried, taken over and released by target."""
    holder = {"agent_id": row["holder"]["agent_id"]}
    return {"target": row["target"], "holder": holder, **_if_not_active(row)}


def _with_reason(row: Row) -> Row:
    return {**_briefly(row), **only("intent", "task_id")(row)}


def _own(row: Row) -> Row:
    return {"target": row["target"], **_if_not_active(row)}


def _own_with_reason(row: Row) -> Row:
    return {**_own(row), **only("intent", "task_id")(row)}


def _if_not_active(row: Row) -> Row:
    return {} if row.get("standing", ClaimState.ACTIVE) == ClaimState.ACTIVE else {"standing": row["standing"]}


CLAIM_FORMS: tuple[Form, ...] = (_briefly, _with_reason)
OWN_CLAIM_FORMS: tuple[Form, ...] = (_own, _own_with_reason)  # of one agent, who is told beside
TASK_FORMS: tuple[Form, ...] = (only("task_id", "title", "status"),)


def holder_view(who: Identity) -> HolderView:
    return HolderView(who.agent_id, who.session_id)


def claim_view(claim: Claim, standing: str = "") -> ClaimView:
    return ClaimView(
        claim_id=claim.id,
        target=claim.target,
        kind=claim.kind,
        holder=holder_view(claim.holder),
        since=claim.since,
        fence=claim.fence,
        intent=claim.intent,
        task_id=claim.task,
        target_version_sha=claim.version_sha,
        standing=standing,
        ended_at=0 if claim.ended_at == FOREVER else claim.ended_at,
        end_reason=claim.end_reason,
        outcome=claim.outcome,
    )


def held_claim_view(one: ClaimWithState) -> ClaimView:
    return claim_view(one.claim, one.standing)


def task_view(task: Task, tasks: dict[str, Task]) -> TaskView:
    return TaskView(
        task_id=task.id,
        title=task.title,
        status=task.status,
        description=task.description,
        feature=task.feature,
        assignee=holder_view(task.assignee) if task.assignee.agent_id else None,
        priority=task.priority,
        dependencies=task.dependencies,
        waits_for=waits_for(task, tasks),
        plan=tuple(StepView(step.text, step.state) for step in task.plan),
        files=task.files,
        created_at=task.created_at,
        changed_at=task.changed_at,
        revision=task.revision,
    )


def describe_conflicts(conflicts: Sequence[ClaimView]) -> str:
    """Who holds what, since when and why, and what can be done about it."""
    first = conflicts[0]
    why = f": {first.intent}" if 0 < len(first.intent) <= SAID else ""
    more = f" {count_of(len(conflicts) - 1, 'other', 'others')} too." if len(conflicts) > 1 else ""
    free = all(one.standing != ClaimState.ACTIVE for one in conflicts)
    hint = f" It is {first.standing}: takeover=true takes it over." if free else ""
    since = f"{first.holder.briefly()} since {to_iso(first.since)}"
    return f"{shortened_target(first.target)} is held by {since}{why}.{more}{hint}"


def describe_redaction(secrets: int) -> str:
    """What is said of secrets that were not written."""
    were = "was" if secrets == 1 else "were"
    return f" {count_of(secrets, 'secret', 'secrets')} {were} replaced before it was kept." if secrets else ""


def shortened_target(target: str) -> str:
    """A target in a sentence, which no budget may shorten."""
    return target if len(target) <= SAID else "the target"
