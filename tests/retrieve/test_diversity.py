"""Answers that say different things."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.retrieve.diversity import LEAST_WORDS, SAME_FILE, WIDE, DiversityCandidate, alike, diverse, left_of
from clew.retrieve.retriever import ChunkPlace

LONG = frozenset(b"word %d" % i for i in range(LEAST_WORDS))

words = st.frozensets(st.sampled_from([b"login", b"token", b"user", b"card", b"pay"]), max_size=5)
candidates = st.lists(st.tuples(st.floats(0.01, 1), st.integers(1, 3), st.booleans(), words), max_size=8).map(
    lambda rows: [
        DiversityCandidate(ChunkPlace(0, i), score, (0, file), is_file, own)
        for i, (score, file, is_file, own) in enumerate(sorted(rows, key=lambda row: -row[0]))
    ]
)


def candidate(
    number: int, score: float, file: int = 0, own: frozenset[bytes] = frozenset(), *, is_file: bool = False
) -> DiversityCandidate:
    """In a file of its own, unless one is named."""
    return DiversityCandidate(ChunkPlace(0, number), score, (0, file or 1000 + number), is_file, own)


def order(found: list[DiversityCandidate]) -> list[int]:
    return [one.place.chunk for one in found]


@given(candidates, st.integers(1, 10))
def test_relevance_alone_keeps_the_order(some: list[DiversityCandidate], limit: int) -> None:
    assert order(diverse(some, limit, 1.0)[0]) == [*range(len(some))][:limit]


@given(candidates, st.integers(1, 10), st.floats(0, 1), st.booleans())
def test_scores_without_their_deductions_never_rise(
    some: list[DiversityCandidate], limit: int, relevance: float, by_file: bool
) -> None:
    chosen, _ = diverse(some, limit, relevance, by_file=by_file)
    left = [round(one.score - one.deduction, 6) for one in chosen] if relevance else []

    assert left == sorted(left, reverse=True)
    assert all(0 <= one.deduction <= one.score for one in chosen)


@given(candidates, st.integers(1, 10), st.floats(0, 1))
def test_nothing_is_lost_added_or_told_twice(some: list[DiversityCandidate], limit: int, relevance: float) -> None:
    chosen, collapsed = diverse(some, limit, relevance)

    assert len({*order(chosen)}) == len(chosen) == min(limit, len(some))
    assert collapsed == 0  # short ones are alike and yet others


@given(candidates, st.integers(1, 8), st.floats(0, 1))
def test_fewer_are_the_first_of_more(some: list[DiversityCandidate], limit: int, relevance: float) -> None:
    assert order(diverse(some, limit, relevance)[0]) == order(diverse(some, 10, relevance)[0])[:limit]


@given(candidates, st.floats(0, 1))
def test_the_best_comes_first_while_relevance_counts(some: list[DiversityCandidate], relevance: float) -> None:
    chosen, _ = diverse(some, 3, relevance)

    assert order(chosen)[:1] == ([0] if some else [])


@given(candidates, st.integers(1, 10), st.floats(0, 1))
def test_each_is_the_best_of_those_that_are_left(some: list[DiversityCandidate], limit: int, relevance: float) -> None:
    left, expected = [*some], list[DiversityCandidate]()
    while left and len(expected) < limit:
        nearest = [max((alike(one, other) for other in expected), default=0.0) for one in left]
        kept = [left_of(one, sum(one.file == other.file for other in expected), 1 - relevance) for one in left]
        worth = [
            relevance * one.score * share - (1 - relevance) * near
            for one, share, near in zip(left, kept, nearest, strict=True)
        ]
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
    some = [candidate(0, 0.9, 1), candidate(1, 0.89, 1), candidate(2, 0.88, 2)]

    assert order(diverse(some, 3, 0.9)[0]) == [0, 2, 1]


def test_the_more_a_file_has_answered_the_longer_it_waits() -> None:
    some = [*(candidate(i, 0.9 - i / 1000, 1) for i in range(20)), candidate(20, 0.7, 2), candidate(21, 0.6, 3)]
    first = order(diverse(some, 10, 0.9)[0])

    assert first[:3] == [0, 1, 2]
    assert {20, 21} < {*first}


def test_where_all_of_a_file_is_wanted_it_waits_no_longer_than_for_being_one_file() -> None:
    some = [*(candidate(i, 0.9 - i / 1000, 1) for i in range(9)), candidate(9, 0.7, 2)]

    assert order(diverse(some, 10, 0.9, by_file=False)[0]) == [*range(10)]


def test_a_file_waits_for_others_once_a_part_of_it_has_answered() -> None:
    some = [candidate(0, 0.9, 1), candidate(1, 0.89, 1, is_file=True), candidate(2, 0.5, 2)]

    assert order(diverse(some, 3, 0.9)[0]) == [0, 2, 1]
    assert order(diverse(some, 3, 1.0)[0]) == [0, 1, 2]


def test_a_much_better_one_waits_for_nobody() -> None:
    some = [candidate(0, 0.9, 1), candidate(1, 0.8, 1), candidate(2, 0.3, 2)]

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


def test_beyond_those_that_are_chosen_from_all_follow_as_they_are() -> None:
    some = [candidate(i, 1 - i / 1000, 1) for i in range(WIDE + 5)]
    chosen, _ = diverse(some, WIDE + 5, 0.5)

    assert order(chosen)[WIDE:] == [*range(WIDE, WIDE + 5)]


@given(words, words)
def test_likeness_is_the_same_either_way(one: frozenset[bytes], other: frozenset[bytes]) -> None:
    a, b, c = candidate(0, 1, 1, one), candidate(1, 1, 2, other), candidate(2, 1, 1, other)

    assert alike(a, b) == alike(b, a) <= alike(a, c) <= 1
    assert alike(a, c) >= SAME_FILE


def test_where_there_are_vectors_meaning_decides_what_is_alike() -> None:
    """In other words the same, and in the same words something else."""
    first = DiversityCandidate(ChunkPlace(0, 0), 0.9, (0, 0), False, frozenset({b"pay"}), 0, (1.0, 0.9, 0.0))
    same = DiversityCandidate(ChunkPlace(0, 1), 0.8, (0, 1), False, frozenset(), 1, (0.9, 1.0, 0.0))
    other = DiversityCandidate(ChunkPlace(0, 2), 0.7, (0, 2), False, frozenset({b"pay"}), 2, (0.0, 0.0, 1.0))

    assert (alike(first, same), alike(first, other)) == (0.9, 0.0)
    assert order(diverse([first, same, other], 3, 0.5)[0]) == [0, 2, 1]
