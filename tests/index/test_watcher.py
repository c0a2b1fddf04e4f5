"""A watched tree is current without any question, and one process at a time watches it."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew.engine import Engine, now
from clew.graph.view import graph_hash
from clew.index import watch_state, watcher
from clew.index.index_lease import IndexLease
from clew.index.watch_state import WatcherState, WatchStatus
from clew.index.watcher import TreeWatcher, is_relevant
from clew.model.run import Mode
from clew.store.leases import this_process
from clew.surfaces.library import Workspace
from tests.conftest import Repository

PATIENCE = 30.0


def until(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "it never came to be"
        time.sleep(0.02)


def known(engine: Engine, path: str) -> bool:
    return path in engine.files.current()


@pytest.fixture
def seen() -> list[WatchStatus]:
    return []


@pytest.fixture
def watched(repository: Repository, seen: list[WatchStatus], monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setenv("CLEW_WATCHER_DEBOUNCE_MS", "100")
    repository.write("a.py", "def login(): ...\n")
    repository.commit()
    with Engine.open(repository.root) as engine:
        engine.index()
        engine.watch(seen.append)
        until(lambda: engine.watch_status().state is WatcherState.IDLE)
        yield engine


@pytest.mark.usefixtures("backend")
def test_an_edit_is_indexed_without_a_question(
    watched: Engine, repository: Repository, seen: list[WatchStatus]
) -> None:
    repository.write("b.py", "def logout(): ...\n")
    until(lambda: known(watched, "b.py"))
    until(lambda: watched.watch_status().state is WatcherState.IDLE and watched.watch_status().events)

    states = list(dict.fromkeys(one.state for one in seen))
    assert states[:3] == [WatcherState.REBUILDING, WatcherState.IDLE, WatcherState.DETECTING]
    assert max(one.pending for one in seen) >= 1
    assert watched.watch_status().events[-1].indexed == 1
    with Workspace.open(repository.root) as workspace:
        health = workspace.graph_health()
        assert (health.watcher_state, health.pending_changes) == ("idle", 0)
        assert health.recent_events[-1].paths == ("b.py",)


def test_files_that_are_touched_and_not_changed_cost_no_run(watched: Engine, repository: Repository) -> None:
    runs = watched.transactions.count()
    content = (repository.root / "a.py").read_text()
    for _ in range(3):
        repository.write("a.py", content, mtime_ns=time.time_ns())
    until(lambda: watched.watch_status().events)

    assert watched.transactions.count() == runs


def test_editors_that_rename_branch_switches_and_mass_deletes_are_seen(watched: Engine, repository: Repository) -> None:
    repository.git("switch", "-q", "-c", "other")
    for number in range(40):
        repository.write(f"many/f{number}.py", f"def f{number}(): ...\n")
    repository.write(".a.py.swp", "def login(user): ...\n")
    (repository.root / ".a.py.swp").rename(repository.root / "a.py")
    repository.commit()
    until(lambda: known(watched, "many/f39.py"))
    until(lambda: watched.files.history("a.py")[-1].version == 2)

    repository.git("switch", "-q", "main")
    until(lambda: not known(watched, "many/f0.py") and not known(watched, "many/f39.py"))
    until(lambda: watched.watch_status().state is WatcherState.IDLE)

    watched.catch_up()
    after = graph_hash(watched.db, watched.where)
    watched.index(Mode.FULL)
    assert graph_hash(watched.db, watched.where) == after


def test_an_edit_during_the_run_of_another_process_is_indexed_right_after_it(
    watched: Engine, repository: Repository, seen: list[WatchStatus], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watcher, "SWEEP_SECONDS", 1000.0)  # no later sweep brings it
    with IndexLease(watched.db, watched.where, this_process("another"), now).hold(0):
        repository.write("b.py", "def logout(): ...\n")
        until(lambda: any(one.state is WatcherState.DETECTING for one in seen))
        until(lambda: seen[-1].state is WatcherState.REBUILDING and seen[-1].pending)
        time.sleep(2 * watcher.BUSY_SECONDS)
        assert seen[-1].state is WatcherState.REBUILDING
    until(lambda: known(watched, "b.py"))


def test_another_process_takes_over_from_one_that_was_killed(watched: Engine, repository: Repository) -> None:
    folder = watched._watcher._tree.folder if watched._watcher else Path()
    command = [sys.executable, "-m", "clew", "-C", str(repository.root), "watch", "--json"]
    other = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert other.stderr and "waiting to take over" in other.stderr.readline()
        watched.unfollow()
        until(
            lambda: watch_state.read(folder).process == other.pid and watched.watch_status().state is WatcherState.IDLE
        )
        repository.write("c.py", "def late(): ...\n")
        assert other.stdout and '"c.py"' in other.stdout.readline()

        watched._watcher = None
        mine = watched.watch()
        other.kill()
        until(lambda: watch_state.read(folder).process == os.getpid())
        assert mine.is_active
    finally:
        other.kill()
        other.communicate()


def test_where_the_system_cannot_watch_the_tree_is_swept_and_that_is_reported(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: TreeWatcher) -> Iterator[set[str]]:
        if self:
            raise OSError("OS file watch limit reached")
        yield set()

    monkeypatch.setattr(TreeWatcher, "_native_changes", full)
    monkeypatch.setattr("clew.index.watcher.POLL_SECONDS", 0.1)
    repository.write("a.py", "x = 1\n")
    with Workspace.open(repository.root) as workspace:
        workspace.index()
        workspace.engine.watch()
        repository.write("b.py", "y = 1\n")
        until(lambda: known(workspace.engine, "b.py"))

        assert workspace.graph_health().watcher_problem == "polling: OS file watch limit reached"


def test_what_clew_and_git_write_for_themselves_is_no_reason_to_look() -> None:
    ignored = ("node_modules", "*.pyc", ".clew")

    assert [path for path in (
        "src/a.py", ".git/HEAD", ".git/refs/heads/main", ".git/index.lock", ".git/objects/ab/cd", "x/node_modules/y.js",
        "a.pyc", ".clew/clew.db-wal",
    ) if is_relevant(path, ignored)] == ["src/a.py", ".git/HEAD", ".git/refs/heads/main"]  # fmt: skip
