"""The checker of claims finds every fault that is planted, and none where there is none."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs
from tests.store.claiming import a_claim

from bench.claim_log import CONFLICT, OK, Call, faults, holds, read
from clew.model.agents import Identity
from clew.model.fleet import Claim, EndReason

FILE, FUNCTION = "src/pay.py", "src/pay.py::charge"


def claim(who: str, target: str, begin: float, end: float, id: str, fence: int, *taken: str) -> Call:
    return Call("claim", who, target, begin, end, OK, id, fence, taken)


def release(who: str, target: str, begin: float, end: float, id: str) -> Call:
    return Call("release", who, target, begin, end, OK, id)


def stored(id: str, who: str, target: str, fence: int, **values: object) -> Claim:
    agent, _, session = who.partition("/")
    return a_claim(target, id=id, fence=fence, holder=Identity(agent, session), **values)


def ended(id: str, who: str, target: str, fence: int, since: int, until: int) -> Claim:
    return stored(id, who, target, fence, since=since, ended_at=until, end_reason=EndReason.RELEASED)


GOOD = [
    claim("ann/1", FILE, 1, 2, "A", 1),
    Call("claim", "ben/1", FUNCTION, 2.5, 2.6, CONFLICT, "A"),
    release("ann/1", FILE, 3, 4, "A"),
    claim("ben/1", FUNCTION, 3.5, 5, "B", 2),
    Call("claim", "kim/1", "lib", 5, status=""),
]
STORED = {
    "A": ended("A", "ann/1", FILE, 1, 1, 3),
    "B": stored("B", "ben/1", FUNCTION, 2, since=4),
    "K": stored("K", "kim/1", "lib", 3, since=5),
}


def test_a_good_log_has_no_fault() -> None:
    assert faults(GOOD, STORED) == []


PLANTED: dict[str, tuple[list[Call], dict[str, Claim], str]] = {
    "two holders of one target": (
        [claim("ann/1", FILE, 1, 2, "A", 1), claim("ben/1", FILE, 3, 4, "B", 2)], {}, "two holders at once",
    ),
    "two holders of what meets": (
        [claim("ann/1", FILE, 1, 2, "A", 1), claim("ben/1", FUNCTION, 3, 4, "B", 2)], {}, "two holders at once",
    ),
    "two windows of one agent": (
        [claim("ann/1", FILE, 1, 2, "A", 1), claim("ann/2", FILE, 3, 4, "B", 2)], {}, "two holders at once",
    ),
    "a folder and what is in it": (
        [claim("ann/1", "src", 1, 2, "A", 1), claim("ben/1", FILE, 3, 4, "B", 2)], {}, "two holders at once",
    ),
    "the whole tree and a file": (
        [claim("ann/1", ".", 1, 2, "A", 1), claim("ben/1", FILE, 3, 4, "B", 2)], {}, "two holders at once",
    ),
    "the next holder before the release": (
        [*GOOD[:2], claim("ben/1", FUNCTION, 2.7, 2.8, "B", 2), GOOD[2]], {}, "two holders at once",
    ),
    "a number that is given out twice": (
        [claim("ann/1", "a", 1, 2, "A", 1), claim("ben/1", "b", 1, 2, "B", 1)], {}, "two claims have",
    ),
    "a number that goes back": (
        [claim("ann/1", "a", 1, 2, "A", 7), claim("ben/1", "b", 3, 4, "B", 6)], {}, "given out after 7",
    ),
    "a conflict with what had ended": (
        [*GOOD, Call("claim", "kim/1", FILE, 5, 6, CONFLICT, "A")], STORED, "for a claim that was not there",
    ),
    "a conflict with what was not yet there": (
        [Call("claim", "kim/1", FILE, 0, 0.5, CONFLICT, "A"), *GOOD], STORED, "for a claim that was not there",
    ),
    "an acknowledged claim that is lost": (GOOD, {k: v for k, v in STORED.items() if k != "B"}, "claim is lost"),
    "another holder in the store": (
        GOOD, {**STORED, "B": stored("B", "kim/1", FUNCTION, 2)}, "another than was acknowledged",
    ),
    "a claim that ended by itself": (
        GOOD, {**STORED, "B": ended("B", "ben/1", FUNCTION, 2, 4, 6)}, "that nobody ended",
    ),
    "a release that is lost": (
        GOOD, {**STORED, "A": stored("A", "ann/1", FILE, 1)}, "acknowledged to have ended",
    ),
    "a claim out of nothing": (
        GOOD, {**STORED, "X": stored("X", "eve/1", "x", 9)}, "nobody asked for the claim of eve/1",
    ),
    "a record that has two holders": (
        GOOD, {**STORED, "A": ended("A", "ann/1", FILE, 1, 1, 9)}, "by the store's record",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found(name: str) -> None:
    calls, held, told = PLANTED[name]

    assert [fault for fault in faults(calls, held) if told in fault], faults(calls, held)


def test_a_release_without_an_answer_may_or_may_not_have_ended_the_claim() -> None:
    calls = [*GOOD[:2], Call("release", "ann/1", FILE, 3, 4, "", "A", error="lost")]
    refused = Call("claim", "ben/1", FILE, 5, 6, CONFLICT, "A")
    open_still, over = {"A": stored("A", "ann/1", FILE, 1)}, {"A": STORED["A"]}

    assert faults([*calls, refused], open_still) == faults(calls, over) == []


def test_a_takeover_ends_the_hold_of_who_was_killed() -> None:
    calls = [claim("ann/1", FILE, 1, 2, "A", 1), claim("ben/1", FILE, 3, 4, "B", 2, "A")]
    held = {
        "A": structs.replace(ended("A", "ann/1", FILE, 1, 1, 3), end_reason=EndReason.TAKEN_OVER),
        "B": stored("B", "ben/1", FILE, 2, since=3),
    }

    assert faults(calls, held) == []
    assert holds(calls)["A"].until == 3


def test_a_claim_that_comes_back_is_one_hold() -> None:
    again = [claim("ann/1", FILE, 1, 2, "A", 1), claim("ann/1", FILE, 3, 4, "A", 1)]

    assert [(hold.since, hold.fence) for hold in holds(again).values()] == [(2, 1)]


def test_a_log_that_was_cut_short_is_read_to_its_last_whole_line(tmp_path: Path) -> None:
    begin = {"op": "claim", "who": "ann/1", "target": FILE, "begin": 1.0}
    end = {"end": 2.0, "status": OK, "claim": "A", "fence": 1}
    lines = [json.dumps(begin), json.dumps(end), json.dumps({**begin, "begin": 3.0}), '{"end": 4.0, "sta']
    (tmp_path / "1.log").write_text("\n".join(lines), "utf-8")

    calls = read(tmp_path)
    assert [(call.begin, call.status) for call in calls] == [(1.0, OK), (3.0, "")]


def test_what_a_call_made_that_was_made_again_is_explained() -> None:
    again = replace(claim("ann/1", FILE, 1, 9, "B", 2), met=("ConnectionResetError",))
    unacknowledged = ended("A", "ann/1", FILE, 1, 1, 3)
    acknowledged = stored("B", "ann/1", FILE, 2, since=4)
    kept = {"A": unacknowledged, "B": acknowledged}

    assert faults([again], kept) == []
    assert "nobody asked" in faults([replace(again, met=())], kept)[0]
