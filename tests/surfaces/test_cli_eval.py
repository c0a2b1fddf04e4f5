"""`clew eval` as people run it."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.conftest import DAY, DAY_1, Repository
from tests.evaluate.pasts import make, misleading, truthful
from tests.trusting import copied, own

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


BASE = ("--base", "main~64")


@pytest.fixture(scope="module")
def misled_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("pasts") / "misled", misleading())


@pytest.fixture
def misled(misled_once: Path, tmp_path: Path) -> Path:
    """A project whose past leads astray."""
    return copied(misled_once, tmp_path / "misled")


def test_tuning_says_what_was_done_and_is_shown_and_undone(misled: Path) -> None:
    done = clew("eval", "--tune", *BASE, cwd=misled)

    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert "fitted to the earlier 38 (2026-" in lines[0]
    assert "reported on the later 26 (2026-" in lines[0]
    titles = {"weights", "files, 26 later cases", "functions, 26 later cases"}
    assert titles <= set(lines)
    assert [line.split()[0] for line in lines if line.startswith(("before", "after", "difference"))] == [
        *("before", "after", "difference"), *("before", "after", "difference")
    ]  # fmt: skip
    assert f"Kept in {misled / '.clew' / 'weights.json'}." in done.out

    shown = clew("config", "providers.git_history", cwd=misled).out
    assert "(tuned weights)" in shown
    overridden = clew("config", "--json", cwd=misled, env={"CLEW_PROVIDERS_GIT_HISTORY_WEIGHT": "0.6"}).json
    (entry,) = [one for one in overridden if one["key"] == "providers.git_history.weight"]
    assert (entry["value"], entry["origin"]) == (0.6, "environment CLEW_PROVIDERS_GIT_HISTORY_WEIGHT")

    assert "removed" in clew("eval", "--untune", cwd=misled).out
    assert clew("eval", "--untune", "--json", cwd=misled).json == {"removed": False}
    assert "tuned" not in clew("config", cwd=misled).out


def test_json_of_a_tuning_has_the_weights_and_both_parts(misled: Path) -> None:
    done = clew("eval", "--tune", "--json", *BASE, cwd=misled)

    assert done.code == 0, done.err
    by_name = {one["retriever"]: one for one in done.json["weights"]}
    assert by_name["git_history"]["after"] < by_name["git_history"]["before"]
    assert done.json["fitted"]["last"] < done.json["reported"]["first"]
    assert done.json["gain"]["files"]["mrr"]["low"] > 0
    assert done.json["stored"] == str(misled / ".clew" / "weights.json")


def test_weights_that_do_not_move_are_told_and_not_kept(tmp_path: Path) -> None:
    root = make(tmp_path / "truthful", truthful())
    done = clew("eval", "--tune", *BASE, cwd=root)

    assert done.code == 0, done.err
    assert "The weights stay as they are by default" in done.out
    assert not (root / ".clew").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--tune",), 3, "30 are needed"),
        (("--tune", "--task", "docstrings"), 2, "fitted to commits"),
        (("--tune", "--untune"), 2, "exclude each other"),
        (("--tune", "--repo", "bare.git"), 2, "no working tree"),
        (("--tune", "--repo", "nowhere"), 3, "does not exist"),
    ],
)
def test_what_cannot_be_tuned_is_an_error_with_a_way_out(
    past: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    subprocess.run(["git", "clone", "-q", "--bare", str(past), str(past / "bare.git")], check=True)
    done = clew("eval", *arguments, cwd=past)
    as_json = clew("eval", "--json", *arguments, cwd=past)

    assert (done.code, as_json.code) == (code, code)
    assert said in done.err
    assert "hint:" in done.err
    assert as_json.json["errorCode"].startswith("CLEW_E_")
    assert not (past / ".clew").exists()


def test_an_interrupted_tuning_leaves_the_weights_as_they_were(misled: Path, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    environment = {**os.environ, "TMPDIR": str(scratch)}
    command = [*CLEW, "eval", "--tune", *BASE]
    process = subprocess.Popen(command, cwd=misled, env=environment, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + PATIENCE
    while not list(scratch.glob("clew-eval-*/.clew/clew.db")) and time.monotonic() < deadline:
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)

    assert process.returncode == 130, said
    assert "interrupted" in said
    assert list(scratch.iterdir()) == []
    assert not (misled / ".clew").exists()


def test_broken_weights_are_a_warning(past: Path) -> None:
    (own(past) / ".clew" / "weights.json").write_text("{", "utf-8")
    done = clew("config", "providers", cwd=past)

    assert done.code == 0
    assert "weights.json is left out" in done.err
