"""Sorted strings in one buffer: found by halves, again and again, as a list would tell."""

from bisect import bisect_left

from hypothesis import given
from hypothesis import strategies as st

from clew.store.strings import SortedStrings, strings

WORDS = st.text(st.sampled_from("aäbz/:"), max_size=4)


@given(st.sets(WORDS), st.lists(WORDS))
def test_what_is_there_is_found_and_nothing_else(some: set[str], asked: list[str]) -> None:
    ordered = sorted(some)
    words = SortedStrings(*strings("text", "at", ordered).values())
    for one in (*asked, *ordered, *asked):
        place = bisect_left(ordered, one)
        assert words.find(one) == (place if one in some else -1)
        assert words.with_prefix(one, 3) == [word for word in ordered if word.startswith(one)][:3]


def test_many_are_found() -> None:
    """More than are kept of a search by halves."""
    ordered = sorted(f"{number:x}" for number in range(5000))
    words = SortedStrings(*strings("text", "at", ordered).values())
    for _ in range(2):
        assert [words.find(one) for one in ordered] == [*range(5000)]
        assert words.find("g") == words.find("") == -1
