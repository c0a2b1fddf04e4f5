"""Only a line feed ends a line."""

from hypothesis import given
from hypothesis import strategies as st

from clew.index.syntax.ranges import LineIndex


@given(st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\x0b", b"\x0c", "ü".encode(), b" "])).map(b"".join))
def test_a_place_is_in_the_line_behind_the_line_feeds_before_it(source: bytes) -> None:
    lines = LineIndex(source)
    assert [lines.at(place) for place in range(len(source) + 1)] == [
        source.count(b"\n", 0, place) + 1 for place in range(len(source) + 1)
    ]
