"""The books that every run and question writes: transactions, checkouts, usage."""

import threading
from collections.abc import Callable

import pytest
from msgspec import structs

from clew.model.errors import Denied
from clew.store.checkouts import Checkouts
from clew.store.database import Database, Where
from clew.store.transactions import Author, Transactions
from clew.store.usage import MOST_WAITING, Usage, UsageLog, Use
from tests.conftest import DAY_1, DAY_2, PROJECT


def a_use(number: int, *, op: str = "search") -> Use:
    return Use(f"use-{number:04}", DAY_1 + number, op, "agent", 1000 * number, number, 1)


def test_a_transaction_comes_back_as_it_went_in(db: Database, where: Where) -> None:
    transactions = Transactions(db, where)
    started = transactions.start("tx", "full_rebuild", "abc", Author("agent", "session"), DAY_1)
    transactions.end("tx", "completed", 42, {"read": 2, "deleted": 1})

    ended = transactions.get("tx")

    assert (started.status, ended.status) == ("running", "completed")
    assert (ended.author, ended.commit, ended.started_at) == (Author("agent", "session"), "abc", DAY_1)
    assert (ended.duration, ended.counts) == (42, {"read": 2, "deleted": 1})


def test_transactions_are_numbered_and_later_than_those_before_even_if_the_clock_was_set_back(
    db: Database, where: Where
) -> None:
    transactions = Transactions(db, where)

    first = transactions.start("a", "t", "", Author(), DAY_2)
    second = transactions.start("b", "t", "", Author(), DAY_1)

    assert (first.tx, second.tx) == (1, 2)
    assert second.started_at > first.started_at
    assert [tx.id for tx in transactions.latest(9)] == ["b", "a"]


def test_what_a_killed_run_left_open_was_interrupted(db: Database, where: Where) -> None:
    transactions = Transactions(db, where)
    transactions.start("done", "t", "", Author(), DAY_1)
    transactions.end("done", "completed", 1, {})
    transactions.start("killed", "t", "", Author(), DAY_1)
    other = Transactions(db, where._replace(checkout=2))
    other.start("elsewhere", "t", "", Author(), DAY_1)

    transactions.start("next", "t", "", Author(), DAY_1)

    assert {name: transactions.get(name).status for name in ("done", "killed", "elsewhere")} == {
        "done": "completed",
        "killed": "interrupted",
        "elsewhere": "running",
    }


def test_a_checkout_is_made_once(db: Database) -> None:
    checkouts = Checkouts(db)

    first = checkouts.ensure("", PROJECT, "main", DAY_1)
    again = checkouts.ensure("", "another", "main", DAY_2)
    beside = checkouts.ensure("", "another", "worktree:x", DAY_2)

    assert first == again
    assert first.project_id == beside.project_id == PROJECT
    assert (beside.where.project, beside.where.checkout) == (first.where.project, first.where.checkout + 1)


def test_projects_of_other_names_lie_beside_each_other(db: Database, reopened: Callable[[str], Database]) -> None:
    ones, twos = Checkouts(reopened("one")), Checkouts(reopened("two"))

    one = ones.ensure("one", "", "main", DAY_1)
    two = twos.ensure("two", "", "main", DAY_1)

    assert one.where.project != two.where.project
    assert (ones.find("one", "main"), twos.find("two", "main")) == (one, two)
    assert twos.find("three", "main") is None


def test_a_change_leaves_links_in_doubt_until_they_are_made(db: Database, where: Where) -> None:
    checkouts = Checkouts(db)
    checkouts.change(where, "first", 3)
    checkouts.change(where, "second", 2)
    changed = checkouts.state(where)
    checkouts.link(where)

    assert (changed.stamp, changed.linked, changed.changed) == ("second", False, 5)
    assert checkouts.state(where) == structs.replace(changed, linked=True)


def test_usage_sums_up_by_operation(db: Database, where: Where) -> None:
    usage = Usage(db, where)
    usage.put([a_use(1), a_use(3), a_use(5, op="other")])

    summary = usage.summary("search")

    assert (summary.calls, summary.latency, summary.tokens) == (2, 2000.0, 2.0)
    assert usage.summary("never").calls == 0


def test_a_use_that_is_told_twice_counts_once(db: Database, where: Where) -> None:
    usage = Usage(db, where)
    usage.put([a_use(1)])
    usage.put([a_use(1)])

    assert usage.latest(9) == [a_use(1)]


def test_uses_are_written_in_batches_and_at_closing(db: Database, where: Where) -> None:
    usage = Usage(db, where)
    log = UsageLog(usage)
    for number in range(MOST_WAITING - 1):
        log.add(a_use(number))
    assert usage.latest(99) == []

    log.add(a_use(MOST_WAITING))
    assert len(usage.latest(99)) == MOST_WAITING

    log.add(a_use(MOST_WAITING + 1))
    log.flush()
    assert len(usage.latest(99)) == MOST_WAITING + 1


def test_uses_from_many_threads_are_all_kept(db: Database, where: Where) -> None:
    usage = Usage(db, where)
    log = UsageLog(usage)

    def work(thread: int) -> None:
        for i in range(50):
            log.add(a_use(100 * thread + i))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log.flush()

    assert len(usage.latest(999)) == 200


@pytest.mark.parametrize("name", ["user:ann", "USER:root/ann", " user:x"])
def test_only_a_users_own_store_has_a_reserved_id(db: Database, name: str) -> None:
    checkouts = Checkouts(db)
    for project, new in ((name, ""), ("", name)):
        with pytest.raises(Denied, match="user:"):
            checkouts.ensure(project, new, "main", DAY_1)

    assert not any(db.query("project_get", id=name))
