"""Arrays in one file."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.store.arrays import map_arrays, narrow, write_arrays


@given(st.lists(st.integers(0, 2**40)))
def test_narrow_numbers_are_the_same_numbers(numbers: list[int]) -> None:
    assert narrow(np.array(numbers, np.uint64)).tolist() == numbers


@pytest.mark.parametrize(("most", "bytes_each"), [(0, 2), (65_535, 2), (65_536, 4), (2**32, 8)])
def test_a_number_takes_no_more_room_than_the_largest(most: int, bytes_each: int, tmp_path: Path) -> None:
    write_arrays(tmp_path / "some.arrays", {"lines": narrow(np.array([1, most], np.uint64))})

    arrays = map_arrays(tmp_path / "some.arrays")

    assert arrays is not None
    assert (arrays["lines"].tolist(), arrays["lines"].itemsize) == ([1, most], bytes_each)
