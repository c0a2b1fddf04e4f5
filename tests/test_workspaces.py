"""The projects of one connection, while the disk below them changes."""

import shutil
from pathlib import Path

from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces


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
