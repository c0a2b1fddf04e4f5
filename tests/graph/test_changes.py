"""Diffs are read as git and diff write them, and changed lines lead to the symbols that they belong to."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.graph.changes import FileChange, Run, Seed, compare, merge_seeds, parse_diff, seeds_of
from clew.model.errors import InvalidInput
from tests.conftest import Repository

OLD = "import os\n\n\ndef charge(card):\n    return card\n\n\ndef refund(card):\n    return card\n"
NEW = "import os\n\n\ndef charge(card):\n    check(card)\n    return card\n\n\ndef refund(card):\n    return -card\n"


class Text:
    """A file whose functions begin at `def` and reach to the next blank line."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()

    def lines(self) -> Sequence[str]:
        return self._lines

    def at(self, line: int) -> str:
        scope = ""
        for one in self._lines[:line]:
            if one.startswith("def "):
                scope = one[4:].partition("(")[0]
            elif not one.strip():
                scope = ""
        return scope


def git_diff(tmp_path: Path, old: str, new: str, *options: str) -> str:
    for name, text in (("old", old), ("new", new)):
        (tmp_path / name).write_text(text)
    command = ["git", "diff", "--no-index", "--no-color", *options, "old", "new"]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout


@pytest.mark.parametrize("context", ["-U0", "-U1", "-U3"])
def test_runs_of_a_diff_are_those_of_the_two_texts(tmp_path: Path, context: str) -> None:
    (change,) = parse_diff(git_diff(tmp_path, OLD, NEW, context))

    assert change.runs == compare("new", OLD, NEW).runs
    assert change.runs == (
        Run(4, 5, (), ("    check(card)",)),
        Run(9, 10, ("    return card",), ("    return -card",)),
    )


@pytest.mark.parametrize("is_applied", [True, False])
def test_changed_lines_lead_to_functions_whether_the_diff_is_applied_or_not(is_applied: bool) -> None:
    seeds = seeds_of(compare("pay.py", OLD, NEW), Text(NEW if is_applied else OLD))

    assert {(one.id, one.probability) for one in seeds} == {("pay.py::charge", 1.0), ("pay.py::refund", 1.0)}


def test_an_added_function_does_not_change_its_neighbours() -> None:
    new = OLD.replace("def refund", "def cancel(card):\n    return None\n\n\ndef refund")

    seeds = merge_seeds(seeds_of(compare("pay.py", OLD, new), Text(OLD)))

    assert [one.id for one in seeds] == ["pay.py"]
    assert seeds[0].probability < 0.5


def test_comments_and_blank_lines_change_nothing() -> None:
    new = OLD.replace("    return card\n\n", "    # as it is\n\n    return card\n\n", 1)

    assert list(seeds_of(compare("pay.py", OLD, new), Text(new))) == []


def test_a_changed_import_hardly_counts() -> None:
    (seed,) = seeds_of(compare("pay.py", OLD, OLD.replace("import os", "import sys")), Text(OLD))

    assert seed == Seed("pay.py", 0.1, 1)


def test_git_names_renamed_deleted_and_quoted_files(repository: Repository) -> None:
    for name in ("old.py", "gone.py", 'odd "name"\n.py', "früh.py"):
        repository.write(name, f"# {name!r} {name * 20!r}\n{OLD}")
    repository.commit()
    repository.git("mv", "old.py", "new.py")
    repository.delete("gone.py")
    repository.write('odd "name"\n.py', NEW)
    repository.write("früh.py", NEW)
    repository.write("more.py", "MORE = 1\n")
    repository.git("add", "-A")

    changes = parse_diff(repository.git("diff", "--cached", "-M"))

    assert {(one.old_path, one.path) for one in changes} == {
        ("old.py", "new.py"),
        ("gone.py", ""),
        ('odd "name"\n.py', 'odd "name"\n.py'),
        ("früh.py", "früh.py"),
        ("", "more.py"),
    }


def test_a_diff_without_git_is_read() -> None:
    text = "--- pay.py\t2026-01-01\n+++ pay.py\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n"

    assert parse_diff(text) == (FileChange("pay.py", "pay.py", (Run(1, 1, ("a",), ("b",)),)),)


def test_removed_lines_that_look_like_a_head_are_lines() -> None:
    text = "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n--- a comment\n+-- another\n select\n"

    assert parse_diff(text)[0].runs == (Run(1, 1, ("-- a comment",), ("-- another",)),)


def test_what_is_no_diff_is_refused() -> None:
    with pytest.raises(InvalidInput, match="not a unified diff"):
        parse_diff("please review")


@given(st.lists(st.sampled_from("abc\n"), max_size=30), st.lists(st.sampled_from("abc\n"), max_size=30))
def test_runs_turn_one_text_into_the_other(old: list[str], new: list[str]) -> None:
    before, after = "\n".join(old), "\n".join(new)
    lines = before.splitlines()

    for run in reversed(compare("x", before, after).runs):
        start = run.old_first - 1 if run.removed else run.old_first
        assert lines[start : start + len(run.removed)] == list(run.removed)
        lines[start : start + len(run.removed)] = run.added

    assert lines == after.splitlines()
