"""Two clocks, in integers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.model.time import FOREVER, NOW, Period, from_iso, to_iso

moments = st.integers(0, FOREVER)


def test_a_period_holds_its_start_and_not_its_end() -> None:
    period = Period(10, 20)

    assert [moment in period for moment in (9, 10, 19, 20)] == [False, True, True, False]


def test_the_present_is_in_every_open_period() -> None:
    assert NOW.valid in Period(0)
    assert NOW.known in Period(FOREVER - 1)


def test_a_time_without_an_offset_is_utc() -> None:
    assert from_iso("2026-01-01") == from_iso("2026-01-01T00:00:00Z") == from_iso("2026-01-01T01:00:00+01:00")


def test_the_end_that_has_not_come_is_the_last_moment_of_the_calendar() -> None:
    assert from_iso("9999-12-31T23:59:59.999999Z") == FOREVER


@pytest.mark.parametrize("text", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00"])
def test_a_time_that_no_year_of_utc_has_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="outside"):
        from_iso(text)


def test_what_was_kept_of_no_year_is_told_as_the_nearest_time() -> None:
    assert to_iso(FOREVER + 1) == to_iso(FOREVER)
    assert to_iso(-(10**18)) == "0001-01-01T00:00:00Z"


@given(moments)
def test_a_time_that_was_spelled_comes_back(moment: int) -> None:
    assert from_iso(to_iso(moment)) == moment


@given(moments, moments, moments)
def test_periods_that_meet_share_no_moment(start: int, middle: int, moment: int) -> None:
    assert not (moment in Period(start, middle) and moment in Period(middle))
