"""From findings to one ranking: laws that hold whatever the retrievers say."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.model.search import Fusion
from clew.model.words import Kind
from clew.retrieve import fusion
from clew.retrieve.fusion import RANK_CONSTANT, Weighed, best, fuse, fuse_again, shares_of
from clew.retrieve.retriever import ByFile, ChunkPlace, Retrieved
from clew.store.arrays import Array
from tests.retrieve.corpora import corpus, weighed

CHUNKS = 6
ALL = (np.ones(CHUNKS, np.bool_),)
WHOLE = (np.ones(CHUNKS),)

scores = st.lists(st.floats(0, 1), min_size=CHUNKS, max_size=CHUNKS)
weights = st.floats(0.01, 2)
some = st.lists(st.tuples(weights, scores), min_size=1, max_size=4)
ways = pytest.mark.parametrize("how", list(Fusion))


def findings(rows: list[tuple[float, list[float]]]) -> list[Weighed]:
    return [weighed(f"retriever {i}", weight, found) for i, (weight, found) in enumerate(rows)]


def fused(how: Fusion, rows: list[tuple[float, list[float]]]) -> Array:
    (found,) = fuse(how, findings(rows), ALL, WHOLE)
    return found


@ways
@given(rows=some)
def test_scores_are_from_0_to_1(how: Fusion, rows: list[tuple[float, list[float]]]) -> None:
    found = fused(how, rows)

    assert (found >= 0).all()
    assert (found <= 1 + 1e-12).all()


@ways
@given(rows=some)
def test_what_nobody_found_is_not_found(how: Fusion, rows: list[tuple[float, list[float]]]) -> None:
    unfound = np.array([found for _, found in rows]).max(axis=0) == 0

    assert (fused(how, rows)[unfound] == 0).all()


@given(some, st.integers(0, CHUNKS - 1), st.floats(0, 1))
def test_more_evidence_never_counts_less(rows: list[tuple[float, list[float]]], chunk: int, more: float) -> None:
    weight, found = rows[0]
    better = [*found]
    better[chunk] = max(found[chunk], more)

    before, after = fused(Fusion.EVIDENCE, rows), fused(Fusion.EVIDENCE, [(weight, better), *rows[1:]])

    assert after[chunk] >= before[chunk]
    assert (np.delete(after, chunk) == np.delete(before, chunk)).all()


@given(some)
def test_evidence_does_not_depend_on_who_is_asked_first(rows: list[tuple[float, list[float]]]) -> None:
    found = fused(Fusion.EVIDENCE, rows)

    for other in permutations(rows):
        assert fused(Fusion.EVIDENCE, list(other)) == pytest.approx(found, abs=1e-12)


@given(some, st.lists(st.sampled_from(range(3)), min_size=CHUNKS, max_size=CHUNKS), st.integers(1, 7))
def test_evidence_is_the_same_in_blocks_of_any_size_and_told_by_file(
    rows: list[tuple[float, list[float]]], files: list[int], at_once: int
) -> None:
    by_file = [(weight, found[:3]) for weight, found in rows]
    spread = [(weight, [found[file] for file in files]) for weight, found in by_file]
    told = [
        Weighed(f"by file {i}", weight, Retrieved((ByFile(np.array(found), np.array(files)),), lambda _: ""))
        for i, (weight, found) in enumerate(by_file)
    ]
    expected = np.ones(CHUNKS)
    for weight, found in [*rows, *spread]:
        expected = expected * (1 - np.minimum(weight * np.array(found), 1.0))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fusion, "AT_ONCE", at_once)
        (got,) = fuse(Fusion.EVIDENCE, [*findings(rows), *told], ALL, WHOLE)

    assert got.tolist() == (1 - expected).tolist()


@ways
@given(rows=some, late=st.integers(0, 3))
def test_what_is_found_later_counts_as_if_it_was_there_at_once(
    how: Fusion, rows: list[tuple[float, list[float]]], late: int
) -> None:
    every, mask = findings(rows), (np.array([True, True, False] * (CHUNKS // 3)),)
    kept = (np.array([1.0, 0.7, 0.5, 1.0, 0.7, 0.0]),)
    first, later = every[: len(every) - late], every[len(every) - late :]

    (got,) = fuse_again(how, fuse(how, first, mask, kept), first, later, mask, kept)

    assert got.tolist() == fuse(how, [*first, *later], mask, kept)[0].tolist()


@ways
def test_what_is_told_by_file_ranks_as_what_is_told_by_chunk(how: Fusion) -> None:
    files, found = np.array([0, 0, 1, 1, 1, 2]), np.array([0.7, 0.0, 0.2])
    by_file = Weighed("some", 0.5, Retrieved((ByFile(found, files),), lambda _: ""))
    (expected,) = fuse(how, [weighed("some", 0.5, found[files].tolist())], ALL, WHOLE)

    assert fuse(how, [by_file], ALL, WHOLE)[0].tolist() == expected.tolist()


@given(
    st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.5, 0.9]), max_size=60), st.integers(1, 9), st.sampled_from([0.0, 0.2])
)
def test_the_best_are_those_of_all_in_order(found: list[float], limit: int, least: float) -> None:
    world = corpus({f"{i:02}.py": [Kind.FUNCTION] for i in range(len(found))})
    wanted = sorted((-score, i) for i, score in enumerate(found) if score > 0 and score >= least)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fusion, "RUN", 3)
        got = best(world, [np.array(found, np.float64)], limit, least)

    assert [(-score, place.chunk) for place, score in got] == wanted[:limit]


def test_evidence_adds_up_as_chances_do() -> None:
    rows = [(1.0, [0.5, 0.5, 0, 0, 0, 0]), (0.5, [0.5, 0, 0.5, 0, 0, 0])]

    assert fused(Fusion.EVIDENCE, rows).tolist() == [1 - 0.5 * 0.75, 0.5, 0.25, 0, 0, 0]


def test_one_retriever_alone_is_taken_as_it_is() -> None:
    alone = [0.9, 0.1, 0, 0.3, 1.0, 0.2]

    assert fused(Fusion.EVIDENCE, [(1.0, alone)]) == pytest.approx(alone)


@given(some)
def test_rrf_is_the_sum_of_reciprocal_ranks(rows: list[tuple[float, list[float]]]) -> None:
    most = sum(weight for weight, _ in rows) / (RANK_CONSTANT + 1)
    expected = np.zeros(CHUNKS)
    for weight, found in rows:
        order = sorted((i for i in range(CHUNKS) if found[i] > 0), key=lambda i: (-found[i], i))
        for rank, chunk in enumerate(order, 1):
            expected[chunk] += weight / (RANK_CONSTANT + rank)

    assert fused(Fusion.RRF, rows) == pytest.approx(expected / most)


def test_a_cascade_puts_what_the_first_finds_before_all_that_only_later_ones_find() -> None:
    first, second = [0.9, 0.6, 0, 0, 0, 0], [0.1, 0, 1.0, 0.6, 0.2, 0]
    found = fused(Fusion.CASCADE, [(0.5, second), (1.0, first)])

    assert np.argsort(-found, kind="stable").tolist()[:5] == [0, 1, 2, 3, 4]
    assert found[5] == 0


def test_a_cascade_keeps_what_only_the_first_finds_and_not_well() -> None:
    first, second = [0.9, 0.4, 0.3, 0, 0, 0], [0, 0, 0, 0.1, 0, 0]
    found = fused(Fusion.CASCADE, [(0.5, second), (1.0, first)])

    assert found[0] > found[1] > found[2] > found[4] == 0


def test_an_average_is_weighted() -> None:
    found = fused(Fusion.WEIGHTED, [(3.0, [1.0, 0, 0.5, 0, 0, 0]), (1.0, [0, 1.0, 0.5, 0, 0, 0])])

    assert found.tolist() == pytest.approx([0.75, 0.25, 0.5, 0, 0, 0])


@ways
@given(rows=some)
def test_what_is_not_allowed_is_left_out_and_costs_the_rest_nothing_in_evidence(
    how: Fusion, rows: list[tuple[float, list[float]]]
) -> None:
    mask = np.array([True, False] * (CHUNKS // 2))
    (found,) = fuse(how, findings(rows), (mask,), WHOLE)

    assert (found[~mask] == 0).all()
    if how is Fusion.EVIDENCE:
        assert (found[mask] == fused(how, rows)[mask]).all()


@ways
@given(rows=some)
def test_a_chunk_keeps_its_share(how: Fusion, rows: list[tuple[float, list[float]]]) -> None:
    kept = np.array([1.0, 0.7, 0.5, 1.0, 0.7, 0.0])
    (found,) = fuse(how, findings(rows), ALL, (kept,))

    assert found == pytest.approx(fused(how, rows) * kept)


@given(some, st.integers(0, CHUNKS - 1))
def test_shares_sum_to_the_score(rows: list[tuple[float, list[float]]], chunk: int) -> None:
    score = float(fused(Fusion.EVIDENCE, rows)[chunk])
    shares = shares_of(findings(rows), ChunkPlace(0, chunk), score)

    assert sum(shares.values()) == pytest.approx(score)
    assert all(share >= 0 for share in shares.values())


def test_who_says_more_has_the_larger_share_and_who_says_nothing_none() -> None:
    rows = [(1.0, [0.8, 0.0, 0.0, 0.0, 0.0, 0.0]), (1.0, [0.2, 0.0, 0.0, 0.0, 0.0, 0.0]), (1.0, [0.0] * CHUNKS)]
    shares = shares_of(findings(rows), ChunkPlace(0, 0), 0.84)

    assert [*shares] == ["retriever 0", "retriever 1"]
    assert shares["retriever 0"] > shares["retriever 1"] > 0


TWO_PARTS = corpus(
    {"b.py": [Kind.FUNCTION] * 2, "d.py": [Kind.FUNCTION]}, {"a.py": [Kind.FUNCTION], "c.py": [Kind.FUNCTION]}
)


def test_ties_go_by_path_and_place_whichever_part_they_are_in() -> None:
    found = best(TWO_PARTS, [np.full(3, 0.5), np.full(2, 0.5)], 5)

    assert [place for place, _ in found] == [
        ChunkPlace(1, 0),
        ChunkPlace(0, 0),
        ChunkPlace(0, 1),
        ChunkPlace(1, 1),
        ChunkPlace(0, 2),
    ]


@given(st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.9]), min_size=5, max_size=5), st.integers(1, 6))
def test_fewer_of_the_best_are_the_first_of_more(values: list[float], limit: int) -> None:
    parts = [np.array(values[:3]), np.array(values[3:])]
    every = best(TWO_PARTS, parts, 10)

    assert best(TWO_PARTS, parts, limit) == every[:limit]
    assert len(every) == sum(value > 0 for value in values)
    assert [score for _, score in every] == sorted((score for _, score in every), reverse=True)


def test_what_scores_less_than_the_least_is_not_among_the_best() -> None:
    assert best(TWO_PARTS, [np.array([0.2, 0.5, 0.3]), np.zeros(2)], 5, least=0.3) == [
        (ChunkPlace(0, 1), 0.5),
        (ChunkPlace(0, 2), 0.3),
    ]
