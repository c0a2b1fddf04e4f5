"""The index of a new working tree begins with that of another one of the project, on every backend."""

import subprocess
from pathlib import Path

import pytest

import clew

FILES = {
    "base.py": "class Base:\n    def greet(self):\n        return helper()\n\n\ndef helper():\n    return ''\n",
    "user.py": "from base import Base\n\n\nclass User(Base):\n    def hello(self):\n        return self.greet()\n",
    "gone.py": "from base import helper\n\nhelper()\n",
    "guide.md": "# Guide\n\nSee `Base.greet`.\n",
}


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True)


def change(root: Path) -> None:
    (root / "gone.py").unlink()
    (root / "base.py").write_text(FILES["base.py"].replace("helper", "assistant"), "utf-8")
    (root / "new.py").write_text("from user import User\n\nUser().hello()\n", "utf-8")


@pytest.mark.parametrize("backend", ["sqlite", "postgres"])
def test_a_second_tree_reads_only_what_differs(
    backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if backend == "postgres":
        monkeypatch.setenv("CLEW_STORAGE_URL", request.getfixturevalue("ready_url"))
    monkeypatch.setenv("CLEW_PROJECT_ID", "seeding")
    main, second, fresh = tmp_path / "main", tmp_path / "second", tmp_path / "fresh"
    main.mkdir()
    git(main, "init", "-q")
    for name, text in FILES.items():
        (main / name).write_text(text, "utf-8")
    git(main, "add", "-A")
    git(main, "commit", "-qm", "begin")
    with clew.open(main) as ws:
        ws.index()
        before = ws.graph_health(with_hash=True).graph_hash
    git(main, "worktree", "add", "-q", str(second))
    git(main, "clone", "-q", ".", str(fresh))
    for root in (second, fresh):
        change(root)

    with clew.open(second) as ws:
        report = ws.index()
        seeded = ws.graph_health(with_hash=True).graph_hash
        found = [hit.path for hit in ws.search("hello user")]
    monkeypatch.setenv("CLEW_PROJECT_ID", "fresh")
    with clew.open(fresh) as ws:
        ws.index()
        expected = ws.graph_health(with_hash=True).graph_hash
        ranked = [hit.path for hit in ws.search("hello user")]
    monkeypatch.setenv("CLEW_PROJECT_ID", "seeding")
    with clew.open(main) as ws:
        assert ws.graph_health(with_hash=True).graph_hash == before

    assert (report.read, report.deleted) == (2, 1)
    assert (seeded, found) == (expected, ranked)
    assert seeded != before
