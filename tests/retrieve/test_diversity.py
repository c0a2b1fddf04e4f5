"""Answers that say different things."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.retrieve.diversity import COMPARED, LEAST_WORDS, SAME_FILE, Candidate, alike, diverse
from clew.retrieve.retriever import Place

LONG = frozenset(b"word %d" % i for i in range(LEAST_WORDS))

words = st.frozensets(st.sampled_from([b"login", b"token", b"user", b"card", b"pay"]), max_size=5)
candidates = st.lists(st.tuples(st.floats(0.01, 1), st.sampled_from("abc"), words), max_size=8).map(
    lambda rows: [
        Candidate(Place(0, i), score, f"{file}.py", own)
        for i, (score, file, own) in enumerate(sorted(rows, key=lambda row: -row[0]))
    ]
)


def candidate(number: int, score: float, file: str = "", own: frozenset[bytes] = frozenset()) -> Candidate:
    return Candidate(Place(0, number), score, file or f"{number}.py", own)


def order(found: list[Candidate]) -> list[int]:
    return [one.place.chunk for one in found]


@given(candidates, st.integers(1, 10))
def test_relevance_alone_keeps_the_order(some: list[Candidate], limit: int) -> None:
    assert order(diverse(some, limit, 1.0)[0]) == [*range(len(some))][:limit]


@given(candidates, st.integers(1, 10), st.floats(0, 1))
def test_nothing_is_lost_added_or_told_twice(some: list[Candidate], limit: int, relevance: float) -> None:
    chosen, collapsed = diverse(some, limit, relevance)

    assert len({*order(chosen)}) == len(chosen) == min(limit, len(some))
    assert collapsed == 0  # short ones are alike and yet others


@given(candidates, st.integers(1, 8), st.floats(0, 1))
def test_fewer_are_the_first_of_more(some: list[Candidate], limit: int, relevance: float) -> None:
    assert order(diverse(some, limit, relevance)[0]) == order(diverse(some, 10, relevance)[0])[:limit]


@given(candidates, st.floats(0, 1))
def test_the_best_comes_first_while_relevance_counts(some: list[Candidate], relevance: float) -> None:
    chosen, _ = diverse(some, 3, relevance)

    assert order(chosen)[:1] == ([0] if some else [])


@given(candidates, st.integers(1, 10), st.floats(0, 1))
def test_each_is_the_best_of_those_that_are_left(some: list[Candidate], limit: int, relevance: float) -> None:
    left, expected = [*some], list[Candidate]()
    while left and len(expected) < limit:
        nearest = [max((alike(one, other) for other in expected), default=0.0) for one in left]
        worth = [relevance * one.score - (1 - relevance) * near for one, near in zip(left, nearest, strict=True)]
        expected.append(left.pop(worth.index(max(worth))))

    assert order(diverse(some, limit, relevance)[0]) == order(expected)


def test_what_resembles_what_is_chosen_waits() -> None:
    some = [
        candidate(0, 0.9, own=frozenset({b"login", b"user"})),
        candidate(1, 0.88, own=frozenset({b"login", b"user"})),
        candidate(2, 0.85, own=frozenset({b"card"})),
    ]

    assert order(diverse(some, 3, 0.9)[0]) == [0, 2, 1]


def test_results_span_files() -> None:
    some = [candidate(0, 0.9, "a.py"), candidate(1, 0.89, "a.py"), candidate(2, 0.88, "b.py")]

    assert order(diverse(some, 3, 0.9)[0]) == [0, 2, 1]


def test_a_much_better_one_waits_for_nobody() -> None:
    some = [candidate(0, 0.9, "a.py"), candidate(1, 0.8, "a.py"), candidate(2, 0.3, "b.py")]

    assert order(diverse(some, 3, 0.9)[0]) == [0, 1, 2]


@pytest.mark.parametrize("relevance", [0.5, 1.0])
def test_of_near_duplicates_the_first_stays(relevance: float) -> None:
    some = [candidate(0, 0.9, own=LONG), candidate(1, 0.8, own=LONG), candidate(2, 0.7, own=LONG | {b"one more"})]
    chosen, collapsed = diverse(some, 3, relevance)

    assert (order(chosen), collapsed) == ([0], 2)


def test_what_has_few_words_is_no_duplicate() -> None:
    few = frozenset([*LONG][1:])
    chosen, collapsed = diverse([candidate(0, 0.9, own=few), candidate(1, 0.8, own=few)], 2, 1.0)

    assert (order(chosen), collapsed) == ([0, 1], 0)


def test_beyond_the_compared_all_follow_as_they_are() -> None:
    some = [candidate(i, 1 - i / 1000, "a.py") for i in range(COMPARED + 5)]
    chosen, _ = diverse(some, COMPARED + 5, 0.5)

    assert order(chosen)[COMPARED:] == [*range(COMPARED, COMPARED + 5)]


@given(words, words)
def test_likeness_is_the_same_either_way(one: frozenset[bytes], other: frozenset[bytes]) -> None:
    a, b, c = candidate(0, 1, "a.py", one), candidate(1, 1, "b.py", other), candidate(2, 1, "a.py", other)

    assert alike(a, b) == alike(b, a) <= alike(a, c) <= 1
    assert alike(a, c) >= SAME_FILE


def test_where_there_are_vectors_meaning_decides_what_is_alike() -> None:
    """In other words the same, and in the same words something else."""
    first = Candidate(Place(0, 0), 0.9, "a.py", frozenset({b"pay"}), 0, (1.0, 0.9, 0.0))
    same = Candidate(Place(0, 1), 0.8, "b.py", frozenset(), 1, (0.9, 1.0, 0.0))
    other = Candidate(Place(0, 2), 0.7, "c.py", frozenset({b"pay"}), 2, (0.0, 0.0, 1.0))

    assert (alike(first, same), alike(first, other)) == (0.9, 0.0)
    assert order(diverse([first, same, other], 3, 0.5)[0]) == [0, 2, 1]
