"""The nearest vectors: all of them looked at, or the nearest cells; always the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from clew.retrieve import nearest
from clew.retrieve.nearest import Matrix, cosines, from_arrays, matrix, quantise_question, to_arrays
from clew.store.chunk_vectors import Bytes, Floats, quantise

WIDTH = 16
rows = arrays(np.int8, st.tuples(st.integers(1, 40), st.just(WIDTH)), elements=st.integers(-127, 127))
questions = arrays(np.float32, WIDTH, elements=st.floats(-1, 1, width=32)).filter(lambda one: np.abs(one).max() > 1e-3)


def clustered(count: int, centres: int = 40) -> Bytes:
    """Vectors in bunches, as those of real texts are."""
    rng = np.random.default_rng(7)
    middles = rng.standard_normal((centres, WIDTH))
    found = middles[rng.integers(0, centres, count)] + 0.4 * rng.standard_normal((count, WIDTH))
    return quantise(found.astype(np.float32)).rows


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> Matrix:
    monkeypatch.setattr(nearest, "EXACT_UP_TO", 1000)
    return matrix(clustered(4000))


def expected(rows: Bytes, question: Floats) -> list[int]:
    scores = cosines(rows, quantise_question(question))
    there = [i for i, row in enumerate(rows) if row.any()]
    return sorted(there, key=lambda i: (-scores[i], i))


@given(rows, questions)
def test_looking_at_all_finds_what_comparing_each_finds(rows: Bytes, question: Floats) -> None:
    found = nearest.nearest(matrix(rows), quantise_question(question), 10)

    assert found.numbers.tolist() == expected(rows, question)[:10]


@given(rows, questions)
def test_a_cosine_depends_on_no_other_vector(rows: Bytes, question: Floats) -> None:
    together = cosines(rows, quantise_question(question))

    assert np.array_equal(cosines(rows[::-1], quantise_question(question)), together[::-1])
    assert [float(cosines(row[None], quantise_question(question))[0]) for row in rows] == together.tolist()
    assert (np.abs(together) <= 1 + 1e-9).all()


def test_a_cosine_is_that_of_the_vectors_nearly() -> None:
    rng = np.random.default_rng(1)
    vectors, question = rng.standard_normal((50, 384)).astype(np.float32), rng.standard_normal(384).astype(np.float32)
    exact = vectors @ question / (np.linalg.norm(vectors, axis=1) * np.linalg.norm(question))

    assert np.allclose(cosines(quantise(vectors).rows, quantise_question(question)), exact, atol=2e-3)


def test_only_what_is_allowed_is_found() -> None:
    held = clustered(500)
    allowed = np.zeros(500, np.bool_)
    allowed[::7] = True
    question = held[3].astype(np.float32)

    found = nearest.nearest(matrix(held), quantise_question(question), 10, allowed)

    assert found.numbers.tolist() == [i for i in expected(held, question) if i % 7 == 0][:10]
    assert len(nearest.nearest(matrix(held), quantise_question(question), 10, np.zeros(500, np.bool_)).numbers) == 0


def test_equal_ones_come_by_number() -> None:
    held = np.repeat(np.arange(1, WIDTH + 1, dtype=np.int8)[None], 50, axis=0)

    assert nearest.nearest(matrix(held), quantise_question(held[0].astype(np.float32)), 5).numbers.tolist() == [
        0,
        1,
        2,
        3,
        4,
    ]


def test_cells_hold_every_vector_once(many: Matrix) -> None:
    assert sorted(many.order.tolist()) == list(range(4000))
    assert (many.starts[0], many.starts[-1], len(many.starts)) == (0, 4000, len(many.centres) + 1)
    assert np.array_equal(many.rows[np.argsort(many.order)], clustered(4000))


def test_looking_into_the_nearest_cells_finds_nearly_all(many: Matrix) -> None:
    held = clustered(4000)
    recalls = []
    for i in range(0, 4000, 100):
        found = nearest.nearest(many, quantise_question(held[i].astype(np.float32)), 10, probes=12)
        best = expected(held, held[i].astype(np.float32))[:10]
        recalls.append(len({*found.numbers.tolist()} & {*best}) / 10)
        assert found.numbers[0] == best[0]

    assert np.mean(recalls) > 0.95


def test_looking_into_every_cell_is_looking_at_all(many: Matrix) -> None:
    question = clustered(4000)[5].astype(np.float32)

    found = nearest.nearest(many, quantise_question(question), 10, probes=len(many.centres))

    assert found.numbers.tolist() == expected(clustered(4000), question)[:10]


def test_the_same_vectors_give_the_same_cells(many: Matrix) -> None:
    again = matrix(clustered(4000))

    for name, array in to_arrays(many).items():
        assert np.array_equal(array, to_arrays(again)[name])
    back = from_arrays(to_arrays(many))
    assert all(one is other for one, other in zip(many, back, strict=True))
