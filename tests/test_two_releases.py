"""Two releases of Clew on one project: one that was started before an upgrade, and the upgraded one."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import clew
from clew.engine import Engine
from clew.index.rules import FORMAT
from clew.model.errors import StoreNewer
from clew.model.search import Query
from clew.store import heads
from clew.store.migrations import all_migrations
from clew.tools.answer import Caller, answer
from clew.tools.freshness import to_state
from clew.workspaces import Workspaces
from tests.conftest import Repository
from tests.conftest import clew as run_clew

UPGRADED_WHILE_IT_RUNS = """
import sys
from pathlib import Path
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces

package, root = map(Path, sys.argv[1:])
spaces = Workspaces(root)
assert answer(Caller(spaces), "query_context", {"query": "charge"}).ok
for file, text in (("__init__.py", ""), ("pack/briefing.py", "from clew.pack import nothing")):
    (package / file).unlink()
    (package / file).write_text(text)
print(answer(Caller(spaces), "context_pack", {"task": "charge"}).body.decode())
"""
ASKED = Query("charge a card", 5)
NAME, _, NUMBER = FORMAT.partition("-")
READS = ("src/clew/index/rules.py", f'"{FORMAT}"', f'"{NAME}-{int(NUMBER) + 1}"')
SNAPSHOTS = ("src/clew/store/postings.py", "snapshot-", "snapshot-9")
SCHEMA = f"src/clew/store/migrations/{all_migrations()[-1].version + 1:04}_more.sql"


@dataclass(frozen=True, slots=True)
class Release:
    """Another Clew, with its own files."""

    place: Path

    def edit(self, path: str, old: str, new: str) -> None:
        file = self.place / path
        text = file.read_text("utf-8")
        assert old in text
        file.write_text(text.replace(old, new), "utf-8")

    def run(self, root: Path, *arguments: str) -> str:
        return self.python("-m", "clew", "-C", str(root), *arguments)

    def python(self, *arguments: str) -> str:
        command = [sys.executable, *arguments]
        environ = os.environ | {"PYTHONPATH": str(self.place / "src")}
        done = subprocess.run(command, env=environ, capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def other(tmp_path: Path) -> Release:
    package = Path(clew.__file__).parent
    shutil.copytree(package, tmp_path / "other/src/clew", ignore=shutil.ignore_patterns("__pycache__"))
    return Release(tmp_path / "other")


@pytest.fixture
def running(repository: Repository, backend: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspaces]:
    """A process of this release that has the project open, and has answered."""
    monkeypatch.setenv("CLEW_BOOTSTRAP_ENABLED", "false")
    repository.write("bank.py", "def charge(card):\n    return card\n")
    repository.commit()
    spaces = Workspaces(repository.root)
    engine = spaces.get()
    engine.index()
    assert engine.search(ASKED).hits
    yield spaces
    spaces.close()


def ask(running: Workspaces, tool: str, **arguments: object) -> dict[str, object]:
    told: dict[str, object] = json.loads(answer(Caller(running), tool, arguments).body)
    return told


def test_an_older_one_that_runs_still_answers_and_says_to_restart_it(
    running: Workspaces, other: Release, repository: Repository
) -> None:
    other.edit(*READS)
    other.run(repository.root, "index", "--quiet")

    for tool, asked in (("query_context", {"query": "charge"}), ("code_explain", {"element": "charge"})):
        told = ask(running, tool, **asked)
        assert told["ok"] and "restart" in str(told["summary"])

    repository.write("bank.py", "def charge(card):\n    return card\n\n\ndef refund(card):\n    return card\n")
    other.run(repository.root, "index", "--quiet")
    told = ask(running, "query_context", query="refund")

    assert (told["errorCode"], "Restart" in str(told["hint"])) == (StoreNewer.code, True)
    assert ask(running, "graph_rebuild", mode="full")["errorCode"] == StoreNewer.code
    assert "refund" in other.run(repository.root, "search", "refund", "--json")


def test_an_older_one_that_runs_writes_nothing_into_a_newer_schema(
    running: Workspaces, other: Release, repository: Repository
) -> None:
    assert ask(running, "episode_add", type="OBSERVATION", content="cents are rounded down")["ok"]
    (other.place / SCHEMA).write_text("ALTER TABLE claim ADD COLUMN weight INTEGER NOT NULL DEFAULT 1;\n", "utf-8")
    other.run(repository.root, "index", "--quiet")
    engine = running.get()

    for tool, asked in (
        ("episode_add", {"type": "OBSERVATION", "content": "an older one writes"}),
        ("agent_claim", {"target_id": "bank.py", "agent_id": "a"}),
    ):
        told = ask(running, tool, **asked)
        assert (told["errorCode"], "Restart" in str(told["hint"])) == (StoreNewer.code, True)
    repository.write("bank.py", "def refund(card):\n    return card\n")
    with pytest.raises(StoreNewer):
        engine.index()
    assert engine.refresh().newer and not engine.refresh().refreshed
    assert ask(running, "episode_recall", query="cents")["ok"]
    assert "rounded" in other.run(repository.root, "memory", "recall", "cents", "--json")


def test_what_an_older_one_cannot_read_is_not_called_damaged(
    running: Workspaces, other: Release, repository: Repository
) -> None:
    assert ask(running, "episode_add", type="OBSERVATION", content="cents are rounded down")["ok"]
    (other.place / SCHEMA).write_text("ALTER TABLE episode RENAME COLUMN content TO said;\n", "utf-8")
    other.run(repository.root, "index", "--quiet")

    assert ask(running, "episode_recall", query="cents")["errorCode"] == StoreNewer.code


def test_releases_with_other_snapshots_leave_each_other_theirs(
    running: Workspaces, other: Release, repository: Repository
) -> None:
    engine = running.get()
    other.edit(*SNAPSHOTS)
    other.run(repository.root, "index", "--quiet")
    folder = heads.folder(engine.place.snapshots, engine.where)
    made = {file.name: file.stat().st_ino for file in folder.glob("*.snapshot")}
    assert len(made) == 2

    for _ in range(2):
        with Engine.open(repository.root) as again:
            again.index()
            assert again.search(ASKED).hits
        other.run(repository.root, "index", "--quiet")
        other.run(repository.root, "search", "charge")

    assert {file.name: file.stat().st_ino for file in folder.glob("*.snapshot")} == made


def test_one_whose_files_were_replaced_says_to_restart_it(
    running: Workspaces, other: Release, repository: Repository
) -> None:
    package = other.place / "src/clew"
    told = json.loads(other.python("-c", UPGRADED_WHILE_IT_RUNS, str(package), str(repository.root)))

    assert not told["ok"] and "restart" in told["hint"]


def test_processes_that_are_configured_otherwise_do_not_take_turns_for_ever(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def others() -> None:
        with monkeypatch.context() as settings:
            settings.setenv("CLEW_CHUNKING_PYTHON_MAX_TOKENS", "100")
            assert run_clew("index", "--quiet", root=repository.root).returncode == 0

    repository.write("bank.py", "def charge(card):\n    return card\n")
    repository.commit()
    with Engine.open(repository.root) as engine:
        engine.index()
        ours = engine.checkouts.state(engine.where).rules
        others()
        assert not engine.refresh().contested and engine.runs.children
        engine.runs.children[0].process.wait()
        assert engine.checkouts.state(engine.where).rules == ours
        engine.refresh()
        others()

        assert engine.refresh().contested and not engine.runs.are_there()
        assert "settings" in to_state(engine.refresh(), 0).unseen()
        assert engine.search(ASKED).hits
