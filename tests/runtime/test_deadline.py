"""A request ends at its deadline, wherever it is."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.model.errors import TimedOut, Unavailable
from clew.runtime import git_process
from clew.runtime.deadline import Deadline, check, in_time, limit
from clew.store.sqlite import SQLite

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"


@pytest.fixture
def soon() -> Iterator[Deadline]:
    deadline = Deadline(0.2)
    with limit(deadline):
        yield deadline


def test_without_a_request_nothing_ends() -> None:
    check()


def test_a_loop_ends_at_its_deadline(soon: Deadline) -> None:
    with pytest.raises(TimedOut, match=r"longer than 0.2 seconds"):
        sum(1 for _ in in_time(iter(int, 1)))


def test_a_loop_ends_when_it_is_cancelled() -> None:
    deadline = Deadline(3600)
    with limit(deadline), pytest.raises(Unavailable, match="gone"):
        for _ in in_time(iter(int, 1)):
            deadline.cancel()


def test_a_statement_ends_at_its_deadline_and_the_database_goes_on(soon: Deadline, tmp_path: Path) -> None:
    with SQLite(tmp_path / "clew.db") as db:
        with pytest.raises(TimedOut):
            db.define(ENDLESS)
        with limit(Deadline(3600)):
            db.define("SELECT 1")


def test_a_transaction_is_rolled_back_at_its_deadline(tmp_path: Path) -> None:
    with SQLite(tmp_path / "clew.db") as db:
        db.define("CREATE TABLE kept (x)")
        with limit(Deadline(0.2)), pytest.raises(TimedOut), db.transaction():
            db.define("INSERT INTO kept VALUES (1)")
            db.define(ENDLESS)
        with db.transaction():
            db.define("INSERT INTO kept SELECT count(*) + 10 FROM kept")
        db.close()
    import sqlite3

    with sqlite3.connect(tmp_path / "clew.db") as raw:
        assert raw.execute("SELECT x FROM kept").fetchall() == [(10,)]


def test_a_process_of_git_ends_with_its_request(soon: Deadline, tmp_path: Path) -> None:
    asked = f"import os, time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    with pytest.raises(TimedOut):
        git_process._run_bounded([sys.executable, "-c", asked], dict(os.environ), 60, 100, b"")

    if (tmp_path / "pid").exists():
        with pytest.raises(ProcessLookupError):
            os.kill(int((tmp_path / "pid").read_text()), signal.SIGCONT)
