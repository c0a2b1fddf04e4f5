"""Tasks made of issues: SWE-bench instances outside of Lite, each with its base commit checked out and indexed once.

The instances are read from a clone of SWE-bench/swe-bench-tasks, and the repositories from bare mirrors: nothing is
fetched. What was checked out is kept, with its index, so that it can be measured again in seconds.
"""

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import clew
from bench.pack_lines import outermost_functions, symbols_of
from clew.evaluate.history import History, Hunk
from clew.evaluate.stage import APART, checkout
from clew.model.code import symbol_id
from clew.surfaces.library import Workspace
from clew.text.paths import is_test_path

LITE = "SWE-bench/SWE-bench_Lite"
LEAST_TEXT = 80  # characters of an issue: shorter ones say too little
_FIELD = re.compile(r"^(base_commit|created_at|repo): '?([^'\n]+)'?$", re.MULTILINE)
_OLD_FILE = re.compile(r"^--- a/(.+)$")
_HUNK = re.compile(r"^@@ -(\d+)")
READY = "clew-bench-ready"  # in the .git of a checkout whose index is complete


class Instance(NamedTuple):
    id: str
    repo: str
    base: str
    created: str


class IssueTask(NamedTuple):
    """An issue's text, and the functions that its fix changed, by id; `files` has all the changed ones of the base."""

    id: str
    text: str
    files: tuple[str, ...]
    functions: tuple[str, ...]


class Instances:
    """The instances in a clone of their repository, which may be bare."""

    def __init__(self, clone: Path) -> None:
        self._clone = clone

    def of(self, repo: str) -> list[Instance]:
        """Outside of Lite, the oldest first."""
        prefix = repo.replace("/", "__")
        ids = [path.removeprefix("tasks/") for path in self._git("ls-tree", "--name-only", "HEAD", "tasks/").split()]
        found = []
        for name in ids:
            if name.rpartition("-")[0] == prefix:
                text = self._text(name, "task.yaml")
                fields = dict(_FIELD.findall(text))
                if LITE not in text:
                    found.append(Instance(name, repo, fields["base_commit"], fields["created_at"]))
        return sorted(found, key=lambda one: (one.created, one.id))

    def issue(self, id: str) -> str:
        return self._text(id, "problem_statement.md")

    def hunks(self, id: str) -> dict[str, list[Hunk]]:
        """What the fix changed, on the old side, by path."""
        return dict(hunks_of(self._text(id, "gold.patch")))

    def _text(self, id: str, name: str) -> str:
        return self._git("show", f"HEAD:tasks/{id}/{name}")

    def _git(self, *arguments: str) -> str:
        done = subprocess.run(["git", "-C", self._clone, *arguments], capture_output=True, check=True)
        return done.stdout.decode("utf-8", "replace")


def spread(instances: Sequence[Instance], count: int) -> list[Instance]:
    """So many of them, evenly over time."""
    step = max(len(instances) / count, 1)
    return [instances[int(number * step)] for number in range(min(count, len(instances)))]


def opened(
    instances: Instances, chosen: Sequence[Instance], mirror: Path, keep: Path
) -> Iterator[tuple[Workspace, IssueTask]]:
    """Each with its checkout, indexed; those that change no function of the base are left out."""
    history = History(mirror)
    os.environ.update(APART)
    for one in chosen:
        with checkout(history, one.base, keep / one.id) as root, clew.open(root) as workspace:
            ready = root / ".git" / READY
            if not ready.exists():
                workspace.index()
                ready.touch()
            task = _task(workspace, one, instances)
            if task.functions and len(task.text) >= LEAST_TEXT:
                yield workspace, task


def _task(workspace: Workspace, instance: Instance, instances: Instances) -> IssueTask:
    hunks = instances.hunks(instance.id)
    functions = [
        symbol_id(path, function.scope)
        for path, places in hunks.items()
        if not is_test_path(path)
        for function in outermost_functions(symbols_of(workspace, path))
        if any(_touches(function.span.first, function.span.last, place) for place in places)
    ]
    return IssueTask(instance.id, instances.issue(instance.id), tuple(hunks), tuple(functions))


def _touches(first: int, last: int, hunk: Hunk) -> bool:
    if not hunk.lines:
        return first <= hunk.first < last  # both neighbours of what was added are inside
    return first <= hunk.first + hunk.lines - 1 and hunk.first <= last


def hunks_of(patch: str) -> Iterator[tuple[str, list[Hunk]]]:
    path, old, places = "", 0, list[Hunk]()
    for line in patch.splitlines():
        if begins := _OLD_FILE.match(line):
            if places:
                yield path, places
            path, places = begins[1], []
        elif at := _HUNK.match(line):
            old = int(at[1])
        elif line.startswith(("diff ", "--- ")):
            if places:
                yield path, places
            path, places = "", []
        elif path and line.startswith("-"):
            places.append(Hunk(old, 1))
            old += 1
        elif path and line.startswith("+") and not line.startswith("+++"):
            places.append(Hunk(old - 1, 0))
        elif line.startswith(" ") or not line:
            old += 1
    if places:
        yield path, places
