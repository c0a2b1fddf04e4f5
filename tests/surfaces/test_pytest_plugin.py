"""`pytest --clew` in a real project, in a process of its own; and the steps of the GitHub Action."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.conftest import DAY_1, Repository

HOME = Path(__file__).parents[2]


@pytest.fixture
def shop(repository: Repository) -> Repository:
    repository.write("pay.py", "def charge(n):\n    return n\n\n\ndef refund(n):\n    return -n\n")
    repository.write(
        "tests/test_pay.py",
        "import sys\nsys.path.insert(0, '.')\nimport pytest\nfrom pay import charge, refund\n\n\n"
        "@pytest.mark.parametrize('n', [1, 2])\ndef test_charge(n):\n    assert charge(n)\n\n\n"
        "def test_refund():\n    assert refund(1) == -1\n",
    )
    repository.commit(DAY_1)
    return repository


def run(root: Path, *options: str) -> str:
    command = [sys.executable, "-m", "pytest", "-p", "no:schemathesis", "-p", "clew.surfaces.pytest_plugin", "-v"]
    environ = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run([*command, *options], cwd=root, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_pytest_runs_the_selected_tests_with_all_their_parameters(shop: Repository) -> None:
    shop.write("pay.py", "def charge(n):\n    return n + 0\n\n\ndef refund(n):\n    return -n\n")

    said = run(shop.root, "--clew", "--clew-level=fast")

    assert "2 passed, 1 deselected" in said
    assert "clew: 2 of 3 collected tests run." in said


def test_all_tests_run_if_the_change_cannot_be_analyzed(shop: Repository) -> None:
    said = run(shop.root, "--clew=nowhere")

    assert "3 passed" in said
    assert "clew: all tests run: no commit 'nowhere' here" in said


def test_the_action_updates_its_comment_in_place(shop: Repository, tmp_path: Path) -> None:
    """`gh` is GitHub's own program: it is replaced by one that records how it was called and knows one comment."""
    steps = {one.get("name"): one for one in yaml.safe_load((HOME / "action.yml").read_text("utf-8"))["runs"]["steps"]}
    shop.write("pay.py", "def charge(n, currency):\n    return n\n\n\ndef refund(n):\n    return -n\n")
    shop.commit(DAY_1)
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    gh = bin_folder / "gh"
    gh.write_text('#!/bin/sh\necho "$@" >> "$CALLS"\ncase "$*" in *--paginate*) cat "$KNOWN";; esac\n', "utf-8")
    clew = bin_folder / "clew"
    clew.write_text(f'#!/bin/sh\nexec {sys.executable} -m clew "$@"\n', "utf-8")
    for file in (gh, clew):
        file.chmod(0o755)
    outputs = {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "CALLS", "KNOWN")}
    report = {"REPORT": str(tmp_path / "report"), "SINCE": "HEAD~1", "REPOSITORY": "o/r", "NUMBER": "7"}
    path = f"{bin_folder}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = {**os.environ, **outputs, **report, "PATH": path}

    def step(name: str) -> None:
        subprocess.run(["bash", "-e", "-c", steps[name]["run"]], cwd=shop.root, env=environ, check=True)

    (tmp_path / "KNOWN").write_text("", "utf-8")
    step("Impact")
    step("Comment")
    (tmp_path / "KNOWN").write_text("42\n", "utf-8")
    step("Comment")

    calls = (tmp_path / "CALLS").read_text("utf-8").splitlines()
    assert "--method POST repos/o/r/issues/7/comments" in calls[1]
    assert "--method PATCH repos/o/r/issues/comments/42" in calls[3]
    comment = (tmp_path / "report" / "comment.md").read_text("utf-8")
    assert comment.startswith("<!-- clew impact -->\n")
    assert "**Breaking:** `pay.py::charge`: parameter currency added" in comment
    assert (tmp_path / "report" / "tests.txt").read_text("utf-8").startswith("tests/test_pay.py::test_charge\n")
    assert "risk=none" in (tmp_path / "GITHUB_OUTPUT").read_text("utf-8")
