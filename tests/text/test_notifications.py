"""What the user reads while a project is indexed for the first time."""

import pytest

from clew.text import notifications


@pytest.mark.parametrize(
    ("done", "total", "left", "expected"),
    [
        (1234, 10_000, 540.0, "Indexed 1,234 / 10,000 files (12%). Estimated 9 minutes remaining."),
        (1, 2, 0.2, "Indexed 1 / 2 files (50%). Estimated 1 second remaining."),
        (0, 0, None, "Indexed 0 / 0 files (0%)."),
        (1, 100_000, 8_640.0, "Indexed 1 / 100,000 files (0%). Estimated 2 hours remaining."),
    ],
)
def test_progress_is_told_with_an_estimate(done: int, total: int, left: float | None, expected: str) -> None:
    assert notifications.advances(done, total, left) == expected


def test_the_estimate_follows_the_files_so_far() -> None:
    assert notifications.seconds_left(1_000, 4_000, 10.0) == 30.0
    assert notifications.seconds_left(0, 4_000, 10.0) is None
