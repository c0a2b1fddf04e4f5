"""Agents that share a project: who holds what, and how the fleet stands."""

import os.path
import re
from typing import Annotated, Literal

from msgspec import Meta, Struct, structs

from clew.coordinate.claims import ClaimState, Decision, Wish
from clew.engine import Engine
from clew.graph.elements import Elements
from clew.graph.naming import LINE, Naming, first_meant, normalize_id, unquote
from clew.model.agents import Identity
from clew.model.code import SCOPE, split_id, symbol_id
from clew.model.errors import InvalidInput, NotFound
from clew.model.fleet import Claim, ClaimKind
from clew.model.time import NOW
from clew.runtime.paths import from_root
from clew.tools.budget import Priority, Shape, grow_lists, only
from clew.tools.drift import viewpoint
from clew.tools.fleet_views import (
    CLAIM_FORMS,
    CONFLICT,
    OK,
    SAID,
    ClaimView,
    HolderView,
    claim_view,
    describe_conflicts,
    describe_redaction,
    held_claim_view,
    shortened_target,
)
from clew.tools.freshness import count_of, settle_claims
from clew.tools.handoff import AGENT_SHAPE, AgentStatus, MemberView, known_to, member
from clew.tools.params import AgentId, KnownMoment, Moment, SessionId
from clew.tools.registry import Effect, tool

# Resolves what a caller wants to claim: a path or id as written, or the one symbol with that name.

MOST_NAMED = 5
_APART = (ClaimKind.TASK, ClaimKind.FEATURE)
_DOTTED = re.compile(r"[\w$]+(?:\.[\w$]+)+")


class ClaimTarget(Struct, frozen=True):
    """`named` is what was written, if it stands for the target; `missing`: nothing is there, but perhaps `near` it."""

    target: str
    named: str = ""
    missing: bool = False
    near: tuple[str, ...] = ()


def resolve_claim_target(engine: Engine, text: str, kind: ClaimKind | None = None) -> ClaimTarget:
    """A path or an id is taken as it is written, whether it is there or not; a name alone is the symbol that has it."""
    if kind in _APART or text.strip().startswith(tuple(f"{apart}:" for apart in _APART)):
        return ClaimTarget(text)
    text = from_root(engine.place.root, unquote(text))
    wanted = text.replace("\\", "/")
    path, scope = split_id(wanted)
    there = _is_there(engine, path)
    if there and not scope:
        return ClaimTarget(text)
    if "*" in path and not there and ("/" in path or "." in path):
        raise InvalidInput(f"{text!r} is a pattern, which nobody can hold", "Claim a folder, or each file of its own.")
    place = LINE.fullmatch(wanted)
    at_line = bool(place and _is_there(engine, place["path"]))
    if not (there or at_line) and "/" in path:
        return ClaimTarget(_with_scopes(wanted), missing=True)
    return _looked_up(engine, text, wanted, kind, is_place=there) if engine.coverage().indexed else ClaimTarget(text)


def _is_there(engine: Engine, path: str) -> bool:
    return os.path.exists(engine.place.root / path)  # noqa: PTH110 - a name may be too long for a path


def _with_scopes(id: str) -> str:
    """An id whose scopes may be written with dots, as ids have them: else two could hold one thing by two spellings."""
    path, scope = split_id(id)
    return symbol_id(path, scope.replace(".", SCOPE)) if _DOTTED.fullmatch(scope) else id


def _looked_up(engine: Engine, text: str, wanted: str, kind: ClaimKind | None, *, is_place: bool) -> ClaimTarget:
    engine.refresh()
    elements = Elements(engine.files)
    naming = Naming(engine.files, engine.nodes, elements)
    if elements.get(wanted):
        return ClaimTarget(text)
    if is_place:
        spelled = _with_scopes(normalize_id(wanted))
        if elements.get(spelled):
            return ClaimTarget(spelled, named="" if spelled == normalize_id(wanted) else text)
        return ClaimTarget(spelled, missing=True, near=tuple(naming.inside(*split_id(spelled))[:MOST_NAMED]))
    found = naming.find(wanted)
    meant = found if LINE.fullmatch(wanted) else [one for one in found if split_id(one)[1]]
    meant = first_meant(elements, wanted, meant)
    if not meant or kind is ClaimKind.FILE:
        return ClaimTarget(text, missing=True, near=tuple((found or naming.near(wanted))[:MOST_NAMED]))
    if len(meant) > 1:
        more = f" and {len(meant) - MOST_NAMED} more" if len(meant) > MOST_NAMED else ""
        raise InvalidInput(
            f"{text!r} may be {len(meant)} things",
            f"Name one: {', '.join(meant[:MOST_NAMED])}{more}; or ./{wanted} for a file of that name.",
        )
    return ClaimTarget(meant[0], named=text)


TargetId = Annotated[
    str,
    Meta(min_length=1, max_length=2000, description="File, folder, id (src/pay.py::f), name, task:ID or feature:ID."),
]
KindName = Literal["task", "file", "function", "feature"]
TakeOver = Annotated[bool, Meta(description="Take over an abandoned or stale claim.")]


class ClaimResult(Struct, frozen=True, omit_defaults=True):
    """With `ok`, the caller's claim; with `CONFLICT`, the first of those that are in the way, and how it stands.

    `named` is the name that stood for the target; `missing` says that nothing is there yet, but perhaps `near` it.
    """

    claim_id: str
    status: str
    holder: HolderView
    since: int
    fence: int
    target: str = ""
    intent: str = ""
    target_version_sha: str = ""
    standing: str = ""
    conflicts: tuple[ClaimView, ...] = ()
    taken_over: tuple[str, ...] = ()
    scrubbed: int = 0
    named: str = ""
    missing: bool = False
    near: tuple[str, ...] = ()

    def summary(self) -> str:
        if self.status == CONFLICT:
            return f"CONFLICT: {describe_conflicts(self.conflicts)}"
        over = f" Taken over: {count_of(len(self.taken_over), 'claim', 'claims')}." if self.taken_over else ""
        told = f"{self._describe_target()}{over}{describe_redaction(self.scrubbed)}"
        return f"{shortened_target(self.target)} is claimed by you, fencing number {self.fence}.{told}"

    def _describe_target(self) -> str:
        """The name that was resolved to the target, or that nothing has it: a misspelt claim protects nothing."""
        if self.named:
            return f" It was resolved from '{shortened_target(self.named)}'."
        near = f"; a similar name is {self.near[0]}" if self.near and len(self.near[0]) <= SAID else ""
        return f" It does not exist yet{near}." if self.missing else ""


# What was written is always told: nothing that may be long is required.
_CLAIM_SHAPE = Shape(
    {
        "conflicts": Priority.LOW,
        "taken_over": Priority.MEDIUM,
        "intent": Priority.MEDIUM,
        "near": Priority.MEDIUM,
        "named": Priority.MEDIUM,
        "target": Priority.HIGH,
        "target_version_sha": Priority.HIGH,
    }
)


@tool(Effect.WRITE, shape=_CLAIM_SHAPE, also="lock reserve own hold take file busy conflict edit")
def agent_claim(
    engine: Engine,
    who: Identity,
    target_id: TargetId,
    intent: Annotated[str, Meta(max_length=2000, description="What you intend to change.")] = "",
    claim_type: Annotated[KindName | None, Meta(description="Only if the target is ambiguous.")] = None,
    task_id: Annotated[str, Meta(max_length=200, description="The task the claim is for.")] = "",
    takeover: TakeOver = False,
    agent_id: AgentId = "",
    session_id: SessionId = "",
) -> ClaimResult:
    """Claim what you are about to change, so that no other agent does. CONFLICT names the current holder."""
    kind = ClaimKind(claim_type) if claim_type else None
    clean = engine.new_scrubbing()
    settle_claims(engine)
    wanted = resolve_claim_target(engine, target_id, kind)
    wish = Wish(wanted.target, clean.text(intent), task_id, kind, takeover)
    return _result_of_decision(engine.fleet.desk.claim(who.with_ids(agent_id, session_id), wish), wanted, clean.count)


def _result_of_decision(decision: Decision, wanted: ClaimTarget, scrubbed: int) -> ClaimResult:
    if decision.claim:
        over = tuple(one.id for one in decision.taken_over)
        told = _to_result(claim_view(decision.claim), OK)
        return structs.replace(
            told, taken_over=over, scrubbed=scrubbed, named=wanted.named, missing=wanted.missing, near=wanted.near
        )
    conflicts = tuple(held_claim_view(one) for one in decision.conflicts)
    return structs.replace(_to_result(conflicts[0], CONFLICT), conflicts=conflicts)


def _to_result(view: ClaimView, status: str) -> ClaimResult:
    return ClaimResult(
        view.claim_id, status, view.holder, view.since, view.fence, view.target, view.intent,
        view.target_version_sha, view.standing,
    )  # fmt: skip


class ReleaseResult(Struct, frozen=True, omit_defaults=True):
    claim_id: str
    end_reason: str
    ended_at: int
    target: str = ""
    outcome: str = ""
    before: bool = False
    scrubbed: int = 0

    def summary(self) -> str:
        target = shortened_target(self.target)
        return (
            f"{target} had ended before: {self.end_reason}."
            if self.before
            else f"{target} is free.{describe_redaction(self.scrubbed)}"
        )


@tool(Effect.WRITE, shape=Shape({"outcome": Priority.LOW, "target": Priority.HIGH}), also="unlock free finished done")
def agent_release(
    engine: Engine,
    who: Identity,
    claim_id: Annotated[str, Meta(min_length=1, max_length=2000, description="A claim's id, or its target.")],
    outcome: Annotated[str, Meta(max_length=20_000, description="Result of the work.")] = "",
    agent_id: AgentId = "",
    session_id: SessionId = "",
) -> ReleaseResult:
    """Release a claim, and record the outcome."""
    clean = engine.new_scrubbing()
    told = clean.text(outcome)
    claim = _release_claim(engine, who.with_ids(agent_id, session_id), claim_id, told)
    before = claim.outcome != told or claim.end_reason != "released"
    return ReleaseResult(claim.id, claim.end_reason, claim.ended_at, claim.target, claim.outcome, before, clean.count)


def _release_claim(engine: Engine, who: Identity, name: str, outcome: str) -> Claim:
    """By the same name that it was claimed by."""
    try:
        return engine.fleet.desk.release(who, name, outcome)
    except NotFound:
        wanted = resolve_claim_target(engine, name)
        if wanted.target == name:
            raise
        return engine.fleet.desk.release(who, wanted.target, outcome)


@tool(Effect.READ, shape=AGENT_SHAPE, also="handoff hand over resume session working doing")
def agent_status(
    engine: Engine,
    who: Identity,
    agent_id: AgentId = "",
    session_id: SessionId = "",
    task_id: Annotated[str, Meta(max_length=200, description="Only for this task, to take it over.")] = "",
    as_of: Moment = "",
    known_as_of: KnownMoment = "",
) -> AgentStatus:
    """Show an agent's claims, decisions, open questions and next steps; default: your own."""
    at = viewpoint(engine, as_of, known_as_of)
    if at == NOW:
        settle_claims(engine)
    asked = Identity(agent_id, session_id) if agent_id else who.with_ids("", session_id)
    return known_to(engine, asked, task_id, at)


class ConflictPair(Struct, frozen=True):
    one: ClaimView
    other: ClaimView


class CoordinationOverview(Struct, frozen=True, omit_defaults=True):
    """`conflicts` are open claims of different holders that meet, of which there should be none.

    `unseen` is what of the working tree could not be checked: claims on it may be stale.
    """

    total_claims: int
    active_claims: tuple[ClaimView, ...]
    stale_claims: tuple[ClaimView, ...] = ()
    abandoned_claims: tuple[ClaimView, ...] = ()
    conflicts: tuple[ConflictPair, ...] = ()
    agent_summary: tuple[MemberView, ...] = ()
    tasks: dict[str, int] = {}
    unseen: str = ""

    def summary(self) -> str:
        left = [(self.stale_claims, "stale"), (self.abandoned_claims, "abandoned"), (self.conflicts, "in conflict")]
        told = "".join(f", {len(some)} {word}" for some, word in left if some)
        agents = len({(one.agent_id, one.session_id) for one in self.agent_summary if one.claim_count})
        holders = count_of(agents, "holder", "holders")
        tasks = f" Tasks: {', '.join(f'{n} {status}' for status, n in self.tasks.items())}." if self.tasks else ""
        unseen = f" {self.unseen}" if self.unseen else ""
        return f"{count_of(len(self.active_claims), 'claim', 'claims')} active{told}, by {holders}.{tasks}{unseen}"


_NOT_RECORDED = "Which of them were stale or abandoned then is not recorded."
_STANDINGS = ("abandoned_claims", "stale_claims", "active_claims")
_FORMS = {**dict.fromkeys(_STANDINGS, CLAIM_FORMS), "agent_summary": (only("agent_id", "claim_count", "gone"),)}
_OVERVIEW_SHAPE = Shape(
    {"agent_summary": Priority.MEDIUM, "tasks": Priority.MEDIUM, "unseen": Priority.LOW},
    grow_lists("conflicts", *_STANDINGS, "agent_summary", forms=_FORMS),
    pages=("conflicts", *_STANDINGS, "agent_summary"),
    in_sequence=True,
)


@tool(Effect.READ, shape=_OVERVIEW_SHAPE, also="agents working busy team locked files active who")
def coordination_overview(engine: Engine, as_of: Moment = "", known_as_of: KnownMoment = "") -> CoordinationOverview:
    """Show all agents: their claims, which claims are stale or abandoned, and when each was last active."""
    at = viewpoint(engine, as_of, known_as_of)
    unseen = settle_claims(engine) if at == NOW else ""
    found = engine.fleet.lookout.overview(at)
    if at != NOW and found.held:
        unseen = _NOT_RECORDED
    by_standing = {
        standing: tuple(held_claim_view(one) for one in found.held if one.standing is standing)
        for standing in ClaimState
    }
    return CoordinationOverview(
        total_claims=found.total_claims,
        active_claims=by_standing[ClaimState.ACTIVE],
        stale_claims=by_standing[ClaimState.STALE],
        abandoned_claims=by_standing[ClaimState.ABANDONED],
        conflicts=tuple(ConflictPair(claim_view(one), claim_view(other)) for one, other in found.conflicts),
        agent_summary=tuple(member(one) for one in found.members),
        tasks=found.tasks,
        unseen=unseen,
    )
