"""Longer pasts, written in one go: trees with a file each, and messages that lead to it or astray."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.conftest import DAY, DAY_1

TREES = ("alder", "birch", "cedar", "hazel", "larch", "maple", "rowan", "willow")
DEEDS = ("prune", "water", "graft", "plant", "shake", "climb", "paint", "count")
CASES = len(TREES) * len(DEEDS)
SECOND = 1_000_000


class Written(NamedTuple):
    """A commit: when, what it says, and the files that it writes."""

    day: int
    message: str
    files: dict[str, str]

    @property
    def stream(self) -> str:
        """As `git fast-import` reads it; ASCII only."""
        said = f"data {len(self.message)}\n{self.message}\n"
        files = (f"M 100644 inline {path}\ndata {len(text)}\n{text}\n" for path, text in self.files.items())
        when = (DAY_1 + self.day * DAY) // SECOND
        return f"commit refs/heads/main\ncommitter T <t@example.org> {when} +0000\n{said}{''.join(files)}"


def make(root: Path, commits: Iterator[Written]) -> Path:
    root.mkdir(parents=True)
    git = ["git", "-C", str(root)]
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    stream = "".join(commit.stream for commit in commits)
    subprocess.run([*git, "fast-import", "--quiet"], input=stream, text=True, check=True)
    subprocess.run([*git, "reset", "-q", "--hard", "main"], check=True)
    return root


def misleading() -> Iterator[Written]:
    """Before the cases, messages about a tree touched the file of the next one; then they touch its own."""
    yield _first()
    for day, deed, tree in _deeds():
        touched = TREES[(TREES.index(tree) + 1) % len(TREES)]
        yield Written(day, f"Always {deed} the {tree} in the old garden", {_path(touched): _source(touched, day)})
    yield from truthful(CASES)


def truthful(day: int = 0, cases: int = CASES) -> Iterator[Written]:
    """Messages that lead to the file that they touch; from the first commit on, unless some precede."""
    if not day:
        yield _first()
    for number, deed, tree in list(_deeds())[:cases]:
        yield Written(day + number, f"Now {deed} the {tree} in the garden", {_path(tree): _source(tree, day + number)})


def _first() -> Written:
    return Written(0, "The first commit", {_path(tree): _source(tree, 0) for tree in TREES})


def _deeds() -> Iterator[tuple[int, str, str]]:
    pairs = ((deed, tree) for deed in DEEDS for tree in TREES)
    return ((number, *pair) for number, pair in enumerate(pairs, start=1))


def _path(tree: str) -> str:
    return f"src/part_{TREES.index(tree)}.py"


def _source(tree: str, day: int) -> str:
    """Its own tree stands in it more often than the one before."""
    at = TREES.index(tree)
    lines = [f"    leaves = {day}", f'    note = "{tree} {tree}"', f'    beside = "{TREES[at - 1]}"']
    return "\n".join([f"def grow_{at}(soil):", *lines, "    return leaves, note, beside", ""])
