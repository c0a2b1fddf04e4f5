"""Claims and sessions at rest, on both engines."""

from dataclasses import replace

import pytest

from clew.model.agents import Identity
from clew.model.fleet import EndReason
from clew.store.claims import Claims, Sessions
from clew.store.database import Database, Where
from tests.conftest import DAY_1, DAY_2, DAY_3
from tests.store.claiming import ANN, BEN, a_claim
from tests.store.engines import ENGINE_ERRORS


@pytest.fixture
def claims(db: Database, where: Where) -> Claims:
    return Claims(db, where)


def test_a_claim_comes_back_as_it_went_in(claims: Claims) -> None:
    claim = a_claim("src/pay.py", intent="round to cents", task="T1", since=DAY_1, claimed_sha="aa", version_sha="bb")
    with claims.at_once(lambda: DAY_1):
        claims.put(claim)

    assert claims.get("src/pay.py") == claim
    assert claims.open() == [claim]
    assert claims.get("another") is None


def test_what_has_ended_stays_as_it_ended(claims: Claims) -> None:
    with claims.at_once(lambda: DAY_1):
        claims.put(a_claim("a.py"))
        claims.end("a.py", DAY_2, EndReason.RELEASED, "done")
        claims.end("a.py", DAY_3, EndReason.TAKEN_OVER, "too late")
        claims.move("a.py", "new", 9)

    ended = claims.get("a.py")
    assert ended is not None
    assert (ended.ended_at, ended.end_reason, ended.outcome) == (DAY_2, EndReason.RELEASED, "done")
    assert (ended.version_sha, claims.open()) == ("", [])


def test_fencing_numbers_only_grow(claims: Claims) -> None:
    with claims.at_once(lambda: DAY_1):
        assert claims.next_fence()() == 1
        claims.put(a_claim("a.py", fence=7))
        claims.end("a.py", DAY_2, EndReason.RELEASED, "")

    with claims.at_once(lambda: DAY_3):
        assert claims.next_fence()() == 8


def test_the_store_itself_refuses_a_second_open_claim_of_a_target(claims: Claims) -> None:
    with claims.at_once(lambda: DAY_1):
        claims.put(a_claim("a.py"))

    with pytest.raises(ENGINE_ERRORS), claims.at_once(lambda: DAY_1):
        claims.put(a_claim("a.py", id="second", fence=2, holder=BEN))
        claims.open()

    assert [claim.holder for claim in claims.open()] == [ANN]


def test_claims_are_found_by_name_and_by_range(claims: Claims) -> None:
    with claims.at_once(lambda: DAY_1):
        for fence, target in enumerate(["src", "src/pay", "src/pay.py::f", "src/pay/a.py", "src/payment", "task:1"]):
            claims.put(a_claim(target, fence=fence))

    found = claims.around(["src", "src/pay"], ("src/pay/", "src/pay0"), ("src/pay::", "src/pay:;"))()

    assert [claim.target for claim in found] == ["src", "src/pay", "src/pay/a.py"]


def test_a_session_that_comes_back_has_not_ended(db: Database, where: Where, claims: Claims) -> None:
    sessions = Sessions(db, where)
    with claims.at_once(lambda: DAY_1):
        sessions.mark_seen(replace(ANN, process="here:1:x"), DAY_1)
        sessions.mark_seen(Identity("ann", "2"), DAY_1)
    sessions.end(ANN, DAY_2)
    ended = sessions.get(ANN, DAY_2)
    with claims.at_once(lambda: DAY_3):
        sessions.mark_seen(replace(ANN, process="here:2:x"), DAY_3)
    back = sessions.get(ANN, DAY_3)

    assert ended is not None
    assert back is not None
    assert ended.ended_at < back.ended_at
    assert back.holder.process == "here:2:x"
    assert len(sessions.all(DAY_3)) == 2
