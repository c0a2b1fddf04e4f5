"""Interrupted and killed runs: real processes, stopped at random moments; the index stays whole."""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from clew.engine import Engine
from clew.model.errors import IndexMissing
from clew.model.time import FOREVER
from tests.conftest import Repository, clew
from tests.views import current_view, faults, ranked, search

FILES = 400
KILLS = 6
TRIES = 5
SEED = 20260101
LONGEST_RUN = 1.5  # seconds within which a run is killed; an undisturbed one takes about as long
PATIENCE = 60.0


@pytest.fixture
def large(repository: Repository) -> Repository:
    """Enough files for runs with worker processes and several batches."""
    for i in range(FILES):
        body = f"import pkg{i % 7}.m{i % 40:03}\n\n\ndef function_{i}(x):\n    return helper_{i % 13}(x)\n"
        repository.write(f"pkg{i % 7}/m{i:03}.py", f"# {'filler ' * 600}\n{body}")
    repository.commit()
    return repository


@contextmanager
def running(root: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A `clew index` in a session of its own, so that what it started can be ended with it."""
    command = [sys.executable, "-m", "clew", "-C", str(root), "index", "--quiet"]
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a child of a job in the background would ignore it too
        signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


AS_IT_IS = {"CLEW_QUERY_REFRESH": "false"}  # else questions would finish what was cut short


def stored(root: Path) -> int:
    """How many files the index holds now, as another process sees it."""
    database = root / ".clew" / "clew.db"
    if not database.exists():
        return 0
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as raw:
        try:
            query = f"SELECT COUNT(*) FROM file_version WHERE valid_to = {FOREVER} AND known_to = {FOREVER}"
            return int(raw.execute(query).fetchone()[0])
        except sqlite3.OperationalError:  # the schema is not there yet
            return 0


def wait_until_some_is_stored(root: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not stored(root):
        assert time.monotonic() < deadline, "the run stores nothing"
        time.sleep(0.005)


def assert_whole_and_searchable(root: Path) -> None:
    database = root / ".clew" / "clew.db"
    if not database.exists():
        return
    assert faults(database) == []
    with Engine.open(root, environ=AS_IT_IS) as engine:
        try:
            hits = search(engine, "function_7")
        except IndexMissing:
            assert stored(root) == 0
            return
        for hit in hits:
            assert hit.stale or (root / hit.path).read_bytes()[hit.start : hit.end].decode() == hit.text


def assert_equals_an_undisturbed_index(root: Path, place: Path) -> None:
    questions = ("function_7", "helper", "import filler", "return x")
    with Engine.open(root, environ={}) as disturbed:
        found = current_view(disturbed), ranked(disturbed, *questions)
    with Engine.open(root, environ={"CLEW_STORAGE_DB_PATH": str(place / "clew.db")}) as engine:
        engine.index()
        assert found == (current_view(engine), ranked(engine, *questions))


def interrupted(root: Path, stop: signal.Signals) -> tuple[int, bytes]:
    """How a run ends that is stopped while it stores; one that had stored all before, on a busy machine, is no case."""
    for _ in range(TRIES):
        with running(root) as process:
            wait_until_some_is_stored(root)
            process.send_signal(stop)
            _, errors = process.communicate(timeout=PATIENCE)
        if stored(root) < FILES:
            break
        shutil.rmtree(root / ".clew")
    return process.returncode, errors


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_what_it_did_and_the_next_goes_on(
    large: Repository, tmp_path: Path, stop: signal.Signals
) -> None:
    code, errors = interrupted(large.root, stop)

    assert code == 130
    assert "interrupted" in errors.decode()
    assert "Traceback" not in errors.decode()
    kept = stored(large.root)
    assert 0 < kept < FILES
    assert_whole_and_searchable(large.root)
    with Engine.open(large.root, environ={}) as engine:
        assert [tx.status for tx in engine.transactions.latest(9)] == ["interrupted"]
        report = engine.index()
        assert (report.read, report.unchanged) == (FILES - kept, kept)
    assert_equals_an_undisturbed_index(large.root, tmp_path / "fresh")


def groups_of_workers(process: "subprocess.Popen[bytes]") -> set[int]:
    """The process groups of the workers that a run has started; waits until there are some."""
    deadline = time.monotonic() + PATIENCE
    while True:
        listed = subprocess.run(["ps", "-A", "-o", "ppid=,pgid=,args="], capture_output=True, check=True).stdout
        rows = (line.split(None, 2) for line in listed.splitlines())
        found = {int(row[1]) for row in rows if int(row[0]) == process.pid and b"clew.index.worker" in row[-1]}
        if found:
            return found
        assert time.monotonic() < deadline, "no worker was started"


def test_ctrl_c_reaches_the_run_and_none_of_its_workers(large: Repository) -> None:
    """A worker that is just starting would answer it with a traceback."""
    with running(large.root) as process:
        groups = groups_of_workers(process)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all that run in front
        _, errors = process.communicate(timeout=PATIENCE)

    assert process.pid not in groups
    assert errors.decode().strip() == "interrupted: what was done is kept; run the command again to go on"


def test_killed_runs_leave_a_whole_index_that_ends_equal_to_an_undisturbed_one(
    large: Repository, tmp_path: Path
) -> None:
    chance = random.Random(SEED)
    for _ in range(KILLS):
        with running(large.root):
            time.sleep(chance.uniform(0.1, LONGEST_RUN))
        assert_whole_and_searchable(large.root)
        for _ in range(3):  # so that there is always something to do
            number = chance.randrange(FILES)
            large.write(f"pkg{number % 7}/m{number:03}.py", f"def function_{number}():\n    {chance.random()}\n")

    done = clew("index", root=large.root)

    assert done.returncode == 0
    # A slow machine may have killed every run before its first index was complete: the last run announces it.
    assert all(line.startswith("Initial indexing") for line in done.stderr.splitlines()), done.stderr
    assert stored(large.root) == FILES
    assert_equals_an_undisturbed_index(large.root, tmp_path / "fresh")


def test_the_record_of_a_killed_run_says_interrupted(large: Repository) -> None:
    with running(large.root) as process:
        wait_until_some_is_stored(large.root)
        os.killpg(process.pid, signal.SIGKILL)

    with Engine.open(large.root, environ={}) as engine:
        engine.index()
        assert [tx.status for tx in engine.transactions.latest(9)] == ["completed", "interrupted"]
