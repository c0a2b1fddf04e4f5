"""Leases: one holder at a time, and none that outlives its process."""

import os
import socket
import subprocess
import sys

import pytest

from clew.model.errors import Busy
from clew.store.database import Database, Where
from clew.store.leases import LEASE, Leases, this_process
from tests.conftest import DAY_1

HERE = this_process("here")
ELSEWHERE = "another-host:1:there"


@pytest.fixture
def leases(db: Database, where: Where) -> Leases:
    return Leases(db, where)


def the_dead() -> str:
    """The name of a holder on this host whose process has ended."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return f"{socket.gethostname()}:{ended.pid}:dead"


def test_a_second_holder_is_refused(leases: Leases) -> None:
    assert leases.acquire("index", HERE, DAY_1) is not None
    assert leases.acquire("index", ELSEWHERE, DAY_1) is None
    assert leases.holder("index", DAY_1) == HERE


def test_leases_of_other_names_and_checkouts_are_free(db: Database, leases: Leases, where: Where) -> None:
    leases.acquire("index", HERE, DAY_1)

    assert leases.acquire("watch", ELSEWHERE, DAY_1) is not None
    assert Leases(db, where._replace(checkout=2)).acquire("index", ELSEWHERE, DAY_1) is not None


def test_a_lease_that_was_given_back_is_free(leases: Leases) -> None:
    lease = leases.acquire("index", HERE, DAY_1)
    assert lease is not None
    leases.release(lease, DAY_1)

    assert leases.holder("index", DAY_1) == ""
    assert leases.acquire("index", ELSEWHERE, DAY_1) is not None


def test_a_lease_runs_out(leases: Leases) -> None:
    leases.acquire("index", ELSEWHERE, DAY_1)

    assert leases.acquire("index", HERE, DAY_1 + LEASE - 1) is None
    assert leases.holder("index", DAY_1 + LEASE) == ""
    assert leases.acquire("index", HERE, DAY_1 + LEASE) is not None


def test_renewing_keeps_a_lease_from_running_out(leases: Leases) -> None:
    lease = leases.acquire("index", ELSEWHERE, DAY_1)
    assert lease is not None
    leases.renew(lease, DAY_1 + LEASE - 1)

    assert leases.acquire("index", HERE, DAY_1 + LEASE) is None


def test_a_lease_ends_with_its_process_on_this_host(leases: Leases) -> None:
    leases.acquire("index", the_dead(), DAY_1)

    assert leases.holder("index", DAY_1) == ""
    assert leases.acquire("index", HERE, DAY_1) is not None


def test_the_number_of_a_process_on_another_host_says_nothing(leases: Leases) -> None:
    elsewhere = the_dead().replace(socket.gethostname(), "another-host")
    leases.acquire("index", elsewhere, DAY_1)

    assert leases.acquire("index", HERE, DAY_1) is None


def test_every_change_of_holder_grows_the_fence(leases: Leases) -> None:
    fences = []
    for turn in range(3):
        lease = leases.acquire("index", HERE, DAY_1 + turn * LEASE)
        assert lease is not None
        fences.append(lease.fence)

    assert fences == [1, 2, 3]


def test_a_late_writer_writes_nothing(leases: Leases) -> None:
    late = leases.acquire("index", HERE, DAY_1)
    assert late is not None
    leases.acquire("index", ELSEWHERE, DAY_1 + LEASE)

    with pytest.raises(Busy, match="index"):
        leases.renew(late, DAY_1 + LEASE)


def test_a_late_writer_of_the_same_name_is_fenced_too(leases: Leases) -> None:
    late = leases.acquire("index", HERE, DAY_1)
    assert late is not None
    leases.acquire("index", HERE, DAY_1 + LEASE)

    with pytest.raises(Busy):
        leases.renew(late, DAY_1 + LEASE)


def test_giving_back_late_does_not_end_the_next_holders_lease(leases: Leases) -> None:
    late = leases.acquire("index", HERE, DAY_1)
    assert late is not None
    leases.acquire("index", ELSEWHERE, DAY_1 + LEASE)
    leases.release(late, DAY_1 + LEASE)

    assert leases.holder("index", DAY_1 + LEASE) == ELSEWHERE


def test_a_holders_name_says_where_it_runs() -> None:
    assert this_process("here") == f"{socket.gethostname()}:{os.getpid()}:here"
