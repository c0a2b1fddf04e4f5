"""The projects of one connection, while the disk below them changes."""

import json
import shutil
import threading
from pathlib import Path

import pytest

from clew import workspaces
from clew.model.errors import ConfigError
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces
from tests.conftest import clew


def test_what_is_written_after_the_database_was_deleted_is_kept_in_a_new_one(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def login(): ...\n", "utf-8")
    serving = Workspaces(tmp_path)
    serving.get().index()
    shutil.rmtree(tmp_path / ".clew")  # as `git clean -dx` does
    added = answer(Caller(serving), "episode_add", {"type": "OBSERVATION", "content": "an okapi grazes here"})
    later = Workspaces(tmp_path)
    found = answer(Caller(later), "episode_recall", {"query": "okapi"})

    assert added.ok
    assert b"an okapi grazes here" in found.body
    assert serving.get().project_id == later.get().project_id
    serving.close()
    later.close()


def test_a_database_that_stays_is_opened_once(tmp_path: Path) -> None:
    workspaces = Workspaces(tmp_path)
    engine = workspaces.get()

    assert workspaces.get() is engine
    assert workspaces.get(engine.project_id) is engine
    assert workspaces.get(str(tmp_path)) is engine
    workspaces.close()


def test_a_project_is_opened_anew_when_it_is_configured_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else each question would have it indexed anew, by what it is configured like now, and not look at anything."""
    (tmp_path / "a.py").write_text("def login(): ...\n", "utf-8")
    serving = Workspaces(tmp_path, follow=True)
    before = serving.get()
    before.index()
    (tmp_path / "context.toml").write_text("[chunking.python]\nmax_tokens = 100\n", "utf-8")
    assert clew("index", root=tmp_path).returncode == 0
    (tmp_path / "a.py").write_text("def logout(): ...\n", "utf-8")
    found = answer(Caller(serving), "query_context", {"query": "logout"})

    data = json.loads(found.body)["data"]
    assert [(hit["file_path"], hit["label"]) for hit in data["hits"]] == [("a.py", "logout")]
    assert "unchecked" not in data["freshness"]
    assert serving.get() is not before
    (tmp_path / "context.toml").write_text("[chunking.python]\nmost = 100\n", "utf-8")
    assert answer(Caller(serving), "query_context", {"query": "logout"}).status == ConfigError.status
    (tmp_path / "context.toml").unlink()
    assert answer(Caller(serving), "query_context", {"query": "logout"}).ok
    serving.close()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts what Linux tells")
def test_what_was_left_open_is_closed_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_text("def login(): ...\n", "utf-8")
    monkeypatch.setattr(workspaces, "LONGEST_CALL", 0.0)
    serving = Workspaces(tmp_path, follow=True)
    open_files, threads = [], []
    for _ in range(4):
        serving.get().index()
        open_files.append(len(list(Path("/proc/self/fd").iterdir())))
        threads.append(threading.active_count())
        shutil.rmtree(tmp_path / ".clew")
    serving.close()

    assert open_files[-1] <= open_files[1] and threads[-1] <= threads[0], (open_files, threads)
