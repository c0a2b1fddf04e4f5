"""A short fight: a few processes, a few seconds, some kills; the long one is `make stress-claims`."""

from pathlib import Path

import pytest
from tests.cluster import HAS_POSTGRESQL

from bench.claims import Fight, fight, file_ring, server_ring

SHORT = Fight(processes=4, seconds=2.0, kills=2, seed=6)


def test_no_two_hold_at_once_in_a_file(tmp_path: Path) -> None:
    with file_ring(tmp_path) as ring:
        result = fight(ring, SHORT)

    assert result.faults == []
    assert len({call.claim for call in result.calls if call.status == "ok"}) > 20


@pytest.mark.needs(postgresql=HAS_POSTGRESQL)
def test_no_two_hold_at_once_on_a_server(tmp_path: Path) -> None:
    with server_ring(tmp_path) as ring:
        result = fight(ring, SHORT)

    assert result.faults == []
    assert len({call.claim for call in result.calls if call.status == "ok"}) > 20
