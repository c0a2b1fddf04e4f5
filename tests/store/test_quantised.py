"""Eight bits: what comes back is what went in, nearly, and always the same."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from clew.store.chunk_vectors import HIGHEST, quantise, unpack

vectors = arrays(np.float32, st.tuples(st.integers(0, 5), st.just(8)), elements=st.floats(-1, 1, width=32))


@example(np.full((1, 8), 4.6e-29, np.float32))
@given(vectors)
def test_no_number_is_off_by_more_than_half_a_step(given: np.ndarray) -> None:
    found = quantise(given)

    assert np.abs(found.rows).max(initial=0) <= HIGHEST
    assert (np.abs(found.rows * found.scales[:, None] - given) <= 0.5001 * found.scales[:, None] + 1e-30).all()


@given(vectors.filter(len))
def test_stored_and_new_are_the_same(given: np.ndarray) -> None:
    new = quantise(given)
    stored = unpack(new.pack())

    assert np.array_equal(stored.rows, new.rows)
    assert np.array_equal(stored.scales, new.scales)


def test_nothing_has_no_direction() -> None:
    assert not quantise(np.zeros((1, 4), np.float32)).rows.any()
