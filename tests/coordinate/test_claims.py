"""Claims: one holder at a time, whoever asks and however at once; on both engines."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from clew.coordinate.claims import ClaimState, Decision, Desk, Wish
from clew.coordinate.hooks import Seams
from clew.model.agents import Identity
from clew.model.errors import Denied, NotFound
from clew.model.fleet import Claim, EndReason
from clew.store.claims import Claims, Sessions
from clew.store.database import Database, Where
from clew.store.leases import this_process
from tests.conftest import DAY, DAY_1, POSTGRES
from tests.coordinate.desks import BEN_ELSEWHERE, Clock, a_desk
from tests.store.at_once import in_threads
from tests.store.claiming import ANN, BEN


@pytest.fixture
def clock() -> Clock:
    return Clock(DAY_1)


@pytest.fixture
def desk(db: Database, where: Where, clock: Clock) -> Desk:
    return a_desk(db, where, clock)


def held(decision: Decision) -> Claim:
    assert decision.claim is not None
    return decision.claim


def test_a_free_target_is_held_by_who_claims_it(desk: Desk) -> None:
    claim = held(desk.claim(ANN, Wish("./src\\pay.py", "round to cents", "T1")))

    assert (claim.target, claim.holder, claim.intent, claim.task) == ("src/pay.py", ANN, "round to cents", "T1")
    assert [one.claim for one in desk.open()] == [claim]
    assert desk.open()[0].standing is ClaimState.ACTIVE


def test_what_another_holds_is_a_conflict_that_says_who_and_why(desk: Desk) -> None:
    first = held(desk.claim(ANN, Wish("src/pay.py", "round to cents")))
    decision = desk.claim(BEN, Wish("src/pay.py::Card::charge"))

    assert decision.claim is None
    assert [one.claim for one in decision.conflicts] == [first]
    assert len(desk.open()) == 1


def test_two_windows_of_one_client_conflict(desk: Desk) -> None:
    desk.claim(Identity("ann", "1"), Wish("a.py"))

    assert desk.claim(Identity("ann", "2"), Wish("a.py")).conflicts


def test_ones_own_target_comes_back_as_it_is(desk: Desk) -> None:
    first = held(desk.claim(ANN, Wish("a.py")))

    assert held(desk.claim(ANN, Wish("./a.py", "again"))) == first
    assert held(desk.claim(ANN, Wish("a.py::f"))).id != first.id


def test_neighbours_do_not_meet(desk: Desk) -> None:
    held(desk.claim(ANN, Wish("src/pay")))

    assert held(desk.claim(BEN, Wish("src/payment")))
    assert desk.claim(BEN, Wish("src")).conflicts


def test_fencing_numbers_grow_with_every_claim(desk: Desk) -> None:
    fences = []
    for who in (ANN, BEN, ANN):
        claim = held(desk.claim(who, Wish("a.py")))
        fences.append(claim.fence)
        desk.release(who, claim.id)

    assert fences == sorted(set(fences))


def test_a_release_frees_the_target_and_keeps_its_outcome(desk: Desk, db: Database, where: Where) -> None:
    claim = held(desk.claim(ANN, Wish("a.py")))
    ended = desk.release(ANN, claim.id, "cents are rounded")

    assert (ended.end_reason, ended.outcome) == (EndReason.RELEASED, "cents are rounded")
    assert Claims(db, where).get(claim.id) == ended
    assert held(desk.claim(BEN, Wish("a.py")))
    assert desk.release(ANN, claim.id, "twice") == ended, "the same done twice"


def test_a_release_goes_by_target_too_and_only_of_ones_own(desk: Desk) -> None:
    desk.claim(ANN, Wish("src/a.py"))

    with pytest.raises(Denied, match=r"src/a\.py is held by ann/1, not by ben/1"):
        desk.release(BEN, "src/a.py")
    with pytest.raises(NotFound, match=r"nobody holds src itself; ann/1 holds src/a\.py"):
        desk.release(BEN, "src")
    with pytest.raises(NotFound, match=r"nobody holds src/a\.py::f itself; you hold src/a\.py"):
        desk.release(ANN, "src/a.py::f")
    with pytest.raises(NotFound, match=r"nobody holds src/b\.py"):
        desk.release(BEN, "src/b.py")
    with pytest.raises(Denied, match="held by ann/1"):
        desk.release(BEN, desk.open()[0].claim.id)
    assert desk.release(ANN, "./src/a.py").end_reason == EndReason.RELEASED


def test_what_an_active_holder_has_cannot_be_taken_over(desk: Desk) -> None:
    desk.claim(ANN, Wish("a.py"))

    assert desk.claim(BEN, Wish("a.py", takeover=True)).conflicts


def test_a_holder_whose_process_ended_can_be_taken_over_but_never_silently(desk: Desk, dead: str) -> None:
    first = held(desk.claim(replace(ANN, process=dead), Wish("src")))
    refused = desk.claim(BEN, Wish("src/a.py"))
    taken = desk.claim(BEN, Wish("src/a.py", takeover=True))

    assert [one.standing for one in refused.conflicts] == [ClaimState.ABANDONED]
    assert held(taken).fence > first.fence
    assert [(one.id, one.end_reason) for one in taken.taken_over] == [(first.id, EndReason.TAKEN_OVER)]


def test_a_takeover_takes_all_or_nothing(desk: Desk, dead: str) -> None:
    desk.claim(replace(ANN, process=dead), Wish("src/a.py"))
    desk.claim(replace(BEN, process=this_process("x")), Wish("src/b.py"))
    decision = desk.claim(BEN_ELSEWHERE, Wish("src", takeover=True))

    assert [one.standing for one in decision.conflicts] == [ClaimState.ABANDONED, ClaimState.ACTIVE]
    assert len(desk.open()) == 2


def test_a_holder_that_said_good_bye_is_gone(desk: Desk) -> None:
    desk.claim(replace(ANN, process=this_process(ANN.session_id)), Wish("a.py"))
    desk.claim(BEN, Wish("b.py"))
    desk.leave()

    assert [one.standing for one in desk.open()] == [ClaimState.ABANDONED, ClaimState.ACTIVE]


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
def test_silence_counts_only_where_a_heartbeat_is_configured(db: Database, where: Where, clock: Clock) -> None:
    """On a server its own clock counts; see below."""
    desk, strict = a_desk(db, where, clock), a_desk(db, where, clock, heartbeat=1000)
    desk.claim(ANN, Wish("a.py"))
    clock.now += 365 * DAY

    assert desk.open()[0].standing is ClaimState.ACTIVE
    assert strict.open()[0].standing is ClaimState.ABANDONED
    strict.claim(ANN, Wish("a.py"))
    assert strict.open()[0].standing is ClaimState.ACTIVE, "to claim again is a sign of life"


@pytest.mark.parametrize("address", [POSTGRES], indirect=True)
def test_silence_goes_by_the_servers_clock(db: Database, where: Where, clock: Clock) -> None:
    strict = a_desk(db, where, clock, heartbeat=60_000_000)
    strict.claim(ANN, Wish("a.py"))
    clock.now += 365 * DAY

    assert strict.open()[0].standing is ClaimState.ACTIVE


def test_what_a_seam_writes_is_written_with_the_release_or_not_at_all(db: Database, where: Where, clock: Clock) -> None:
    def fail(claim: Claim) -> None:
        Sessions(db, where).mark_seen(Identity("written", "by the seam"), clock.now)
        raise RuntimeError(claim.target)

    desk = a_desk(db, where, clock, seams=Seams(on_release=fail))
    claim = held(desk.claim(ANN, Wish("a.py")))
    with pytest.raises(RuntimeError, match=r"a\.py"):
        desk.release(ANN, claim.id)

    assert [one.claim for one in desk.open()] == [claim]
    assert [one.holder for one in Sessions(db, where).all(clock.now)] == [ANN]


def test_of_many_at_once_exactly_one_holds(db: Database, where: Where, clock: Clock) -> None:
    won: list[Identity] = []
    lock = threading.Lock()

    def fight(number: int) -> None:
        who, text = Identity("a", str(number)), ("src", "src/a.py", "src/a.py::f")[number % 3]
        decision = a_desk(db, where, clock).claim(who, Wish(text))
        with lock:
            won.extend([who] if decision.claim else [])

    assert in_threads(6, fight) == []
    assert [one.claim.holder for one in a_desk(db, where, clock).open()] == won
    assert len(won) == 1


def test_a_claim_is_there_after_a_restart(
    db: Database, where: Where, clock: Clock, reopened: Callable[[str], Database], tmp_path: Path
) -> None:
    claim = held(a_desk(db, where, clock).claim(ANN, Wish("a.py")))
    db.close()

    assert Claims(reopened("a-project"), where).open() == [claim]
