"""Leases: one holder at a time, none that outlives its process; where a server has a clock, no other counts."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest

from clew.model.errors import Busy
from clew.store.database import Database, Where
from clew.store.leases import Lease, Leases, this_process
from clew.store.usage import Usage, Use
from tests.conftest import DAY, POSTGRES, PROJECT

HERE = this_process("here")
ELSEWHERE = "another-host:1:there"
SHORT = 60_000  # microseconds
DECADE = 3650 * DAY


@pytest.fixture
def leases(db: Database, where: Where) -> Leases:
    return Leases(db, where)


@pytest.fixture
def short(db: Database, where: Where) -> Leases:
    """Leases that a test can wait out."""
    return Leases(db, where, SHORT)


def now() -> int:
    return time.time_ns() // 1000


def take(leases: Leases, holder: str, name: str = "index") -> Lease:
    lease = leases.acquire(name, holder, now())
    assert lease is not None
    return lease


def run_out() -> None:
    time.sleep(1.5 * SHORT / 1e6)


def the_dead() -> str:
    """The name of a holder on this host whose process has ended."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return HERE.replace(f":{os.getpid()}:", f":{ended.pid}:")


def test_a_second_holder_is_refused(leases: Leases) -> None:
    take(leases, HERE)

    assert leases.acquire("index", ELSEWHERE, now()) is None
    assert leases.holder("index", now()) == HERE


def test_leases_of_other_names_and_checkouts_are_free(db: Database, leases: Leases, where: Where) -> None:
    take(leases, HERE)

    assert take(leases, ELSEWHERE, "watch").fence == 1
    assert take(Leases(db, where._replace(checkout=2)), ELSEWHERE).fence == 1


def test_a_lease_that_was_given_back_is_free(leases: Leases) -> None:
    leases.release(take(leases, HERE), now())

    assert leases.holder("index", now()) == ""
    assert take(leases, ELSEWHERE).fence == 2


def test_a_lease_runs_out(short: Leases, leases: Leases) -> None:
    take(short, ELSEWHERE)
    run_out()

    assert short.holder("index", now()) == ""
    assert take(leases, HERE).fence == 2


def test_renewing_keeps_a_lease_from_running_out(short: Leases, leases: Leases) -> None:
    lease = take(short, ELSEWHERE)
    leases.renew(lease, now())
    run_out()

    assert leases.acquire("index", HERE, now()) is None


def test_a_lease_that_ran_out_and_that_nobody_took_is_still_ones_own(short: Leases) -> None:
    lease = take(short, HERE)
    run_out()
    short.renew(lease, now())

    assert short.holder("index", now()) == HERE


def test_a_lease_ends_with_its_process_on_this_host(leases: Leases) -> None:
    take(leases, the_dead())

    assert leases.holder("index", now()) == ""
    assert take(leases, HERE).fence == 2


@pytest.mark.parametrize("part", [0, 1], ids=["host", "boot"])
def test_the_number_of_a_process_elsewhere_says_nothing(leases: Leases, part: int) -> None:
    """On another host, or before this one was started again, the number was somebody else's."""
    here, _, rest = the_dead().partition(":")
    marks = here.split("/")
    marks[part] = "another"
    take(leases, f"{'/'.join(marks)}:{rest}")

    assert leases.acquire("index", HERE, now()) is None


def test_a_lease_of_before_the_clock_was_set_back_is_free(leases: Leases, db: Database) -> None:
    """Else who ended without a word would keep others waiting until then. A server's clock is no business of ours."""
    leases.acquire("index", ELSEWHERE, now() + DAY)

    assert leases.holder("index", now()) == ("" if db.dialect == "sqlite" else ELSEWHERE)


def test_every_change_of_holder_grows_the_fence(leases: Leases) -> None:
    fences = []
    for holder in (HERE, ELSEWHERE, HERE):
        lease = take(leases, holder)
        leases.release(lease, now())
        fences.append(lease.fence)

    assert fences == [1, 2, 3]


def test_a_holder_may_take_its_own_lease_again_with_a_higher_fence(leases: Leases) -> None:
    """Who lost the server with its answer must not wait for itself; what it began before is fenced off."""
    first, again = take(leases, HERE), take(leases, HERE)

    assert (first.fence, again.fence) == (1, 2)
    with pytest.raises(Busy):
        leases.renew(first, now())
    leases.renew(again, now())


def test_a_late_writer_writes_nothing(short: Leases, leases: Leases, db: Database, where: Where) -> None:
    late = take(short, HERE)
    run_out()
    take(leases, ELSEWHERE)

    with pytest.raises(Busy, match="index"), db.transaction():
        write(db, where, "late")
        leases.renew(late, now())

    assert written(db, where) == []


def test_giving_back_late_does_not_end_the_next_holders_lease(short: Leases, leases: Leases) -> None:
    late = take(short, HERE)
    run_out()
    take(leases, ELSEWHERE)
    leases.release(late, now())

    assert leases.holder("index", now()) == ELSEWHERE


def write(db: Database, where: Where, id: str) -> None:
    Usage(db, where).put([Use(id, now(), "search", "", 1, 1, 1)])


def written(db: Database, where: Where) -> list[str]:
    return [use.id for use in Usage(db, where).latest(9)]


def test_who_takes_over_between_the_renewal_and_the_commit_waits_for_the_commit(
    short: Leases, db: Database, where: Where, reopened: Callable[[str], Database]
) -> None:
    """Else the old holder's rows would appear under the new one's eyes."""
    other = reopened(PROJECT)
    late = take(short, HERE)
    seen: list[str] = []

    def take_over() -> None:
        while Leases(other, where).acquire("index", ELSEWHERE, now()) is None:
            pass  # it was renewed since it was looked at
        seen.extend(written(other, where))

    taker = threading.Thread(target=take_over)
    with db.transaction():
        short.renew(late, now())
        run_out()
        taker.start()
        taker.join(0.3)
        assert taker.is_alive()
        write(db, where, "in time")
    taker.join()

    assert seen == ["in time"]
    with pytest.raises(Busy), db.transaction():
        write(db, where, "late")
        short.renew(late, now())
    assert written(db, where) == ["in time"]


def test_who_renews_while_another_takes_over_waits_and_then_writes_nothing(
    short: Leases, db: Database, where: Where, reopened: Callable[[str], Database]
) -> None:
    other = reopened(PROJECT)
    late = take(short, HERE)
    run_out()
    outcome: list[str] = []

    def write_late() -> None:
        try:
            with other.transaction():
                Leases(other, where).renew(late, now())
                write(other, where, "late")
        except Busy as error:
            outcome.append(str(error))

    writer = threading.Thread(target=write_late)
    with db.transaction():
        take(short, ELSEWHERE)
        writer.start()
        writer.join(0.3)
        assert writer.is_alive()
    writer.join()

    assert outcome == ["another process took over the lease 'index'"]
    assert written(db, where) == []


def test_of_many_that_try_at_once_one_gets_it(db: Database, where: Where, reopened: Callable[[str], Database]) -> None:
    got: list[Lease | None] = []
    hosts = [Leases(reopened(PROJECT), where) for _ in range(6)]
    start = threading.Barrier(len(hosts))

    def try_it(number: int) -> None:
        start.wait()
        got.append(hosts[number].acquire("index", f"host-{number}:1:x", now()))

    threads = [threading.Thread(target=try_it, args=(number,)) for number in range(len(hosts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [lease.fence for lease in got if lease] == [1]
    assert len(got) == len(hosts)


@pytest.mark.parametrize("address", [POSTGRES], indirect=True)
@pytest.mark.parametrize("error", [-DECADE, DECADE], ids=["slow", "fast"])
def test_a_host_with_a_wrong_clock_cannot_steal_a_lease(leases: Leases, error: int) -> None:
    take(leases, ELSEWHERE)

    assert leases.acquire("index", HERE, now() + error) is None
    assert leases.holder("index", now() + error) == ELSEWHERE


@pytest.mark.parametrize("address", [POSTGRES], indirect=True)
@pytest.mark.parametrize("error", [-DECADE, DECADE], ids=["slow", "fast"])
def test_a_holder_with_a_wrong_clock_holds_as_long_as_any(short: Leases, leases: Leases, error: int) -> None:
    lease = leases.acquire("index", ELSEWHERE, now() + error)
    assert lease is not None
    assert leases.acquire("index", HERE, now()) is None

    short.renew(lease, now() + error)
    run_out()
    assert take(leases, HERE).fence == 2


def test_a_holders_name_says_where_it_runs() -> None:
    host, pid, nonce = this_process("here").split(":")

    assert (host.split("/")[0], pid, nonce) == (socket.gethostname(), str(os.getpid()), "here")
