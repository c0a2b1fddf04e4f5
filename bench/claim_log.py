"""The log of claimants and its laws: no two holders of overlapping targets at one instant, and nothing lost.

A call lies between its begin and its end; what it did, it did at one instant in between. So a claim is surely held from
the end of the call that made it to the begin of the one that ended it, and that is what may never meet.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Any

from clew.coordinate.targets import with_containers
from clew.model.fleet import Claim, EndReason

NEVER = float("inf")
OK, CONFLICT, UNKNOWN = "ok", "CONFLICT", ""  # of a call without an answer nobody knows what it did


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a claimant's: `end` is NEVER and `status` UNKNOWN if it got no answer.

    `met` is what went wrong before it was made again, at another server.
    """

    op: str
    who: str
    target: str
    begin: float
    end: float = NEVER
    status: str = UNKNOWN
    claim: str = ""
    fence: int = 0
    taken_over: tuple[str, ...] = ()
    error: str = ""
    met: tuple[str, ...] = ()


@dataclass(slots=True)
class Hold:
    """A claim as the log tells it: surely held in [since, until), perhaps from `begun` on and up to `ended`."""

    claim: str
    who: str
    target: str
    fence: int
    begun: float
    since: float
    until: float = NEVER
    ended: float = NEVER
    released: bool = False
    taken: bool = False


def read(folder: Path) -> list[Call]:
    """All calls of all claimants; a line that a kill cut short is the begin of nothing."""
    return [call for log in sorted(folder.glob("*.log")) for call in _calls(log.read_text("utf-8").splitlines())]


def _calls(lines: Iterable[str]) -> Iterator[Call]:
    begun: dict[str, Any] | None = None
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if "op" in entry:
            if begun:
                yield Call(**begun)
            begun = entry
        elif begun:
            lists = {name: tuple(entry.get(name, ())) for name in ("taken_over", "met")}
            yield Call(**begun, **{**entry, **lists})
            begun = None
    if begun:
        yield Call(**begun)


def holds(calls: Iterable[Call]) -> dict[str, Hold]:
    """The claims that were acknowledged, by id."""
    found: dict[str, Hold] = {}
    ordered = sorted(calls, key=lambda call: call.begin)
    for call in (one for one in ordered if one.op == "claim" and one.status == OK):
        hold = found.setdefault(
            call.claim, Hold(call.claim, call.who, call.target, call.fence, call.begin, call.end)
        )  # fmt: skip
        hold.since = min(hold.since, call.end)
    for call in ordered:
        ended = [call.claim] if call.op == "release" else call.taken_over if call.status == OK else ()
        for hold in (found[one] for one in ended if one in found):
            hold.until = min(hold.until, call.begin)
            hold.ended = min(hold.ended, call.end if call.status == OK else NEVER)
            hold.released = hold.released or call.op == "release"
            hold.taken = hold.taken or call.op == "claim"
    return found


def faults(calls: list[Call], stored: Mapping[str, Claim]) -> list[str]:
    """Everything that is wrong with a log and what the store held at its end."""
    held = holds(calls)
    found = [*_together(held), *_fences(held), *_refusals(calls, held), *_lost(held, stored)]
    return [*found, *_unexplained(calls, held, stored), *_recorded(stored)]


def _together(held: Mapping[str, Hold]) -> Iterator[str]:
    """Two holders at one instant."""
    for one, other in _meeting(held.values()):
        if one.who != other.who and max(one.since, other.since) < min(one.until, other.until):
            yield f"two holders at once: {_told(one)} and {_told(other)}"


def _meeting(some: Iterable[Hold]) -> Iterator[tuple[Hold, Hold]]:
    """Pairs whose targets meet, each once: a target meets itself and all that contain it."""
    on: dict[str, list[Hold]] = {}
    for hold in some:
        on.setdefault(hold.target, []).append(hold)
    for target, inner in on.items():
        yield from combinations(inner, 2)
        for outer in (on.get(name, ()) for name in with_containers(target) if name != target):
            yield from product(inner, outer)


def _fences(held: Mapping[str, Hold]) -> Iterator[str]:
    """Each claim has its own number, and who came later has the higher one."""
    numbers: dict[int, str] = {}
    for hold in held.values():
        if numbers.setdefault(hold.fence, hold.claim) != hold.claim:
            yield f"two claims have the fencing number {hold.fence}"
    highest, done = 0, sorted(held.values(), key=lambda hold: hold.since)
    place = 0
    for hold in sorted(held.values(), key=lambda hold: hold.begun):
        while place < len(done) and done[place].since < hold.begun:
            highest = max(highest, done[place].fence)
            place += 1
        if hold.fence <= highest:
            yield f"the fencing number {hold.fence} was given out after {highest}"


def _refusals(calls: Iterable[Call], held: Mapping[str, Hold]) -> Iterator[str]:
    """A conflict names a claim that was, or may have been, there."""
    for call in (one for one in calls if one.status == CONFLICT):
        hold = held.get(call.claim)
        if hold and (hold.ended < call.begin or hold.begun > call.end):
            yield f"{call.who} was refused {call.target} for a claim that was not there: {_told(hold)}"


def _lost(held: Mapping[str, Hold], stored: Mapping[str, Claim]) -> Iterator[str]:
    """Acknowledged claims that the store lacks, holds otherwise, or ended without a logged reason."""
    for hold in held.values():
        claim = stored.get(hold.claim)
        if claim is None:
            yield f"an acknowledged claim is lost: {_told(hold)}"
        elif (claim.fence, claim.target, str(claim.holder)) != (hold.fence, hold.target, hold.who):
            yield f"a claim is another than was acknowledged: {_told(hold)}"
        elif not claim.is_open and not (hold.released or hold.taken or claim.end_reason == EndReason.TAKEN_OVER):
            yield f"a claim has ended that nobody ended ({claim.end_reason}): {_told(hold)}"
        elif claim.is_open and hold.ended < NEVER:
            yield f"a claim is held that was acknowledged to have ended: {_told(hold)}"


def _unexplained(calls: Iterable[Call], held: Mapping[str, Hold], stored: Mapping[str, Claim]) -> Iterator[str]:
    """Stored claims that no logged call explains; a call without an answer may have made one."""
    unsure = [call for call in calls if call.op == "claim" and (call.status == UNKNOWN or call.met)]
    asked = {(call.who, call.target) for call in unsure}
    for claim in stored.values():
        if claim.id not in held and (str(claim.holder), claim.target) not in asked:
            yield f"nobody asked for the claim of {claim.holder} on {claim.target}"


def _recorded(stored: Mapping[str, Claim]) -> Iterator[str]:
    """The store's own record tells the same story, by its own clock."""
    own = {
        claim.id: Hold(claim.id, str(claim.holder), claim.target, claim.fence, claim.since, claim.since, claim.ended_at)
        for claim in stored.values()
    }
    for fault in _together(own):
        yield f"by the store's record, {fault}"


def _told(hold: Hold) -> str:
    return f"{hold.who} on {hold.target} (#{hold.fence}, {hold.since:.6f} to {hold.until:.6f})"
