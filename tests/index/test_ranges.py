"""Ranges: what is left of them, cut, put together; no byte is lost and none is there twice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.syntax.ranges import clip_ranges, cut, group_ranges, join, length, strip_range, subtract
from clew.text.tokens import CHARACTERS_PER_TOKEN

places = st.lists(st.integers(0, 40), unique=True).map(sorted)


@pytest.mark.parametrize(
    ("holes", "left"),
    [
        ([], [(0, 10)]),
        ([(0, 10)], []),
        ([(2, 4), (6, 8)], [(0, 2), (4, 6), (8, 10)]),
        ([(0, 3), (3, 5)], [(5, 10)]),
        ([(8, 12)], [(0, 8)]),
    ],
)
def test_what_is_left_of_a_range_lies_between_the_holes(
    holes: list[tuple[int, int]], left: list[tuple[int, int]]
) -> None:
    assert subtract((0, 10), holes) == left


@given(st.tuples(st.integers(0, 20), st.integers(1, 20)), places)
def test_cutting_loses_nothing(where: tuple[int, int], at: list[int]) -> None:
    whole = (where[0], where[0] + where[1])
    parts = cut(whole, at)

    assert [i for start, end in parts for i in range(start, end)] == list(range(*whole))
    assert {start for start, _ in parts[1:]} == {i for i in at if whole[0] < i < whole[1]}


@given(places, st.integers(1, 5))
def test_neighbours_are_put_together_up_to_the_limit(at: list[int], limit: int) -> None:
    parts = cut((0, 50), at)
    groups = group_ranges(parts, limit)

    assert length(groups) == length(parts)
    for group in groups:
        assert group in parts or length([group]) <= limit * CHARACTERS_PER_TOKEN


def test_blank_lines_are_stripped_but_an_indent_stays() -> None:
    source = b"a\n\n    b\n  c\n\n"

    assert source[slice(*strip_range(source, (1, len(source))))] == b"    b\n  c"


def test_what_lies_within_is_clipped() -> None:
    assert clip_ranges([(0, 4), (6, 8), (10, 12)], (2, 8)) == [(2, 4), (6, 8)]
    assert join(b"abcdefgh", [(2, 4), (6, 8)]) == b"cd\ngh"
