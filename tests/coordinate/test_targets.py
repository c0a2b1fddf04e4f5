"""Targets: one spelling each, and which of them meet."""

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.coordinate.targets import ROOT, Meeting, overlap, parts, ranges, target, with_containers
from clew.model.errors import ClewError
from clew.model.fleet import ClaimKind

HOME = Path("/home/ann/shop")

SPELLINGS = {
    "src/pay.py": ("src/pay.py", "file"),
    "./src//pay.py": ("src/pay.py", "file"),
    "src\\pay.py": ("src/pay.py", "file"),
    "src/pay/": ("src/pay", "file"),
    "src/../lib/a.py": ("lib/a.py", "file"),
    "/home/ann/shop/src/pay.py": ("src/pay.py", "file"),
    "/home/ann/shop": (".", "file"),
    "src\\pay.py::Card::charge": ("src/pay.py::Card::charge", "function"),
    "symbol::src/pay.py::Card": ("src/pay.py::Card", "function"),
    "file::src/pay.py": ("src/pay.py", "file"),
    " src/pay.py::Card:: ": ("src/pay.py::Card", "function"),
    "task: T-1": ("task:T-1", "task"),
    "feature:checkout": ("feature:checkout", "feature"),
}
MEETING = [
    ("src", "src/pay.py"), ("src/pay.py", "src/pay.py::Card::charge"), (".", "src/pay.py::Card"),
    ("src/pay.py::Card", "src/pay.py::Card::charge"), ("task:1", "task:1"), ("a", "a"),
]  # fmt: skip
APART = [
    ("src/pay", "src/payment"), ("src/pay.py", "src/pay.py2"), ("src/pay.py::Card", "src/pay.py::Cards"),
    ("src/pay.py::Card::charge", "src/pay.py::Card::charge#2"), ("task:1", "task:12"), (".", "task:1"),
    ("task:1", "feature:1"), ("src/a.py::b", "src/a.py/b"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), SPELLINGS.items())
def test_a_target_has_one_spelling(text: str, expected: tuple[str, str]) -> None:
    found = target(text, HOME)

    assert (found.text, found.kind) == expected
    assert target(found.text, HOME) == found


@pytest.mark.parametrize("text", ["", "  ", "../other", "/etc/passwd", "/home/ann/shops", "task:", "a\nb", "::f"])
def test_what_is_no_target_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(ClewError) as refused:
        target(text, HOME)

    assert refused.value.hint


def test_a_kind_says_what_a_name_without_a_prefix_is() -> None:
    assert target("T-1", HOME, ClaimKind.TASK).text == "task:T-1"
    assert target("task:T-1", HOME, ClaimKind.TASK).text == "task:T-1"
    with pytest.raises(ClewError, match="which file"):
        target("charge", HOME, ClaimKind.FUNCTION)


@pytest.mark.parametrize(("one", "other"), MEETING)
def test_what_contains_the_other_meets_it(one: str, other: str) -> None:
    assert overlap(one, other)
    assert overlap(other, one)


@pytest.mark.parametrize(("one", "other"), APART)
def test_only_whole_components_count(one: str, other: str) -> None:
    assert not overlap(one, other)
    assert not overlap(other, one)


NAMES = st.sampled_from(["a", "b", "a.py", "ab", "a0", "A"])
CODE = st.builds(
    lambda folders, scopes: "::".join(["/".join(folders) or ROOT, *(scopes if folders else [])]),
    st.lists(NAMES, max_size=3),
    st.lists(NAMES, max_size=2),
)


@given(CODE, CODE)
def test_names_and_ranges_find_all_that_meets(one: str, other: str) -> None:
    paths, scopes = ranges(one)
    found = other in with_containers(one) or any(low <= other < high for low, high in (paths, scopes))

    assert found >= overlap(one, other)
    assert one in with_containers(one)
    assert all(overlap(one, outer) and len(parts(outer)) <= len(parts(one)) for outer in with_containers(one))


@given(st.lists(CODE | st.sampled_from(["task:1", "task:1/a", "feature:1"]), max_size=9), CODE | st.just("task:1"))
def test_things_are_found_by_what_meets_their_place(texts: list[str], one: str) -> None:
    things = Meeting((text, number) for number, text in enumerate(texts))
    assert sorted(things.at(one)) == [number for number, text in enumerate(texts) if overlap(text, one)]


def test_overlap_is_symmetric() -> None:
    texts = [text for pair in (*MEETING, *APART) for text in pair]

    assert all(overlap(a, b) == overlap(b, a) for a, b in product(texts, texts))
