"""`clew eval` as people run it."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.conftest import DAY, DAY_1, Repository

from .processes import CLEW, PATIENCE, clew
from .test_cli_terminal import on_a_terminal

CARD = '''def charge(amount):
    """Take an amount of money from the owner."""
    return amount


def refund(amount):
    return -amount
'''
CASES = 2


@pytest.fixture
def past(tmp_path: Path) -> Path:
    """A repository with two cases in its past."""
    made = Repository(tmp_path / "past")
    made.root.mkdir()
    made.git("init", "-q", "-b", "main")
    for number, (message, text) in enumerate(
        [
            ("The first commit", CARD),
            ("Charge twice the amount", CARD.replace("return amount", "return 2 * amount")),
            ("Release 1.0", CARD),
            ("Refund twice the amount", CARD.replace("-amount", "-2 * amount")),
        ]
    ):
        made.write("card.py", text)
        made.write("vault.py", "def keep(token):\n    return token\n")
        made.commit(DAY_1 + number * DAY, message)
    return made.root


def test_figures_are_tables_of_plain_text_in_a_pipe(past: Path) -> None:
    done = clew("eval", cwd=past)

    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0].startswith(f"commits: {CASES} cases (only {CASES} of 100 asked for) after ")
    assert f"files, {CASES} cases" in lines
    assert f"functions, {CASES} cases" in lines
    assert any(line.startswith("docstrings: 1 case (only 1 of 100 asked for) at ") for line in lines)
    rows = [line.split()[0] for line in lines if line[:4] in ("clew", "ripg", "bm25")]
    assert rows[:4] == ["clew", "clew", "ripgrep", "bm25"]
    assert "\x1b" not in done.out


def test_what_was_left_out_is_told_when_asked_for(past: Path) -> None:
    assert "left out" not in clew("eval", cwd=past).out
    assert "1  release" in clew("eval", "--explain", cwd=past).out


def test_json_has_every_case_with_its_ranks_and_all_that_was_left_out(past: Path) -> None:
    done = clew("eval", "--json", "--task", "commits", "--cases", "50", cwd=past)

    assert done.code == 0, done.err
    (task,) = done.json["tasks"]
    assert task["task"] == "commits"
    assert task["wanted"] == 50
    assert task["left_out"] == {"release": 1}
    assert [one["case"]["functions"] for one in task["cases"]] == [["card.py::charge"], ["card.py::refund"]]
    assert task["cases"][0]["ranks"]["clew"] == {"files": [1], "functions": [1]}
    assert {"mean", "low", "high"} == task["leads"][0]["files"]["mrr"].keys()


def test_another_repository_can_be_named_a_bare_one_too(past: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "clone", "-q", "--bare", str(past), str(tmp_path / "bare.git")], check=True)
    done = clew("eval", "--repo", "bare.git", "--json", "--query", "subject", cwd=tmp_path)

    assert done.code == 0, done.err
    assert len(done.json["tasks"][0]["cases"]) == CASES


def test_nothing_is_left_behind_but_what_is_kept(past: Path, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    for keep in ((), ("--keep", str(tmp_path / "kept"))):
        assert clew("eval", "--quiet", *keep, cwd=past, env={"TMPDIR": str(scratch)}).code == 0

    assert list(scratch.iterdir()) == []
    assert (tmp_path / "kept" / ".clew").is_dir()
    assert not (past / ".clew").exists()


def test_an_interrupted_run_removes_its_checkout(past: Path, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    environment = {**os.environ, "TMPDIR": str(scratch)}
    process = subprocess.Popen([*CLEW, "eval"], cwd=past, env=environment, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + PATIENCE
    while not list(scratch.glob("clew-eval-*/.git/clew-eval")) and time.monotonic() < deadline:
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)

    assert process.returncode == 130, said
    assert "interrupted" in said
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--repo", "plain"), 3, "has no history"),
        (("--repo", "nowhere"), 3, "does not exist"),
        (("--repo", "shallow"), 2, "shallow"),
        (("--repo", "past", "--base", "nowhere"), 3, "no commit 'nowhere'"),
        (("--repo", "past", "--base", "HEAD"), 3, "makes a case"),
        (("--repo", "past", "--keep", "past"), 2, "not empty"),
    ],
)
def test_what_cannot_be_measured_is_an_error_with_a_way_out(
    past: Path, tmp_path: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    (tmp_path / "plain").mkdir()
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{past}", str(tmp_path / "shallow")], check=True)
    done = clew("eval", *arguments, cwd=tmp_path)
    as_json = clew("eval", "--json", *arguments, cwd=tmp_path)

    assert (done.code, as_json.code) == (code, code)
    assert said in done.err
    assert "hint:" in done.err
    assert as_json.json["ok"] is False
    assert as_json.json["errorCode"].startswith("CLEW_E_")


def test_on_a_terminal_there_are_drawn_tables(past: Path) -> None:
    seen = on_a_terminal("eval", cwd=past, env={"COLUMNS": "160"})

    assert "┃" in seen
    assert "asking" in seen
    assert "bm25" in seen
