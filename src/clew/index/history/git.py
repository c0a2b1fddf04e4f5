"""What git knows of a working tree. Where git is missing or fails, nothing is known; that is no error."""

import os
import re
import subprocess
from collections.abc import Collection
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

TIMEOUT_S = 60.0
# A hook that starts Clew hands down its own repository and index.
_FOREIGN = frozenset(
    {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"}
)
# No lock that an agent's own git would wait for, no question, no messages in another language.
_QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
_MICROSECONDS = 1_000_000
MOST_STEPS = 500  # of HEAD that are looked at
MOST_NAMED = 500  # paths that are named to git; of more, all that differ are asked for
_OWN = re.compile(r"(?:commit|revert)(?: \((?!merge)[a-z]+\))?:")  # what the reflog calls what was done here


class HeadCommit(NamedTuple):
    sha: str
    time: int  # of the committer, UTC microseconds


class CommitChange(NamedTuple):
    """A commit: its message, and the paths that it changed."""

    message: str
    paths: tuple[str, ...]


class Excludes(NamedTuple):
    """Where git's rules outside of the root stand; `prefix` leads from the working tree's top to the root."""

    prefix: str
    files: tuple[Path, ...]  # the user's, then the repository's: the later one wins
    record: Path  # where git keeps what it tracks


def tracked_paths(root: Path, only: Collection[str] = ()) -> frozenset[str] | None:
    """Paths that git tracks below the root, or which of some; none if the root is in no repository."""
    listing = list_tracked(root, only)
    return None if listing is None else frozenset(paths_in(listing))


def list_tracked(root: Path, only: Collection[str] = ()) -> bytes | None:
    return _git(root, "ls-files", "-z", "--", *only)


def refusal_by_git(root: Path) -> str:
    """Why git has nothing to say of a repository, in its own words."""
    try:
        said = os.fsdecode(run(root, "ls-files", "-z", "--", ".git", timeout=TIMEOUT_S).stderr)
    except OSError:
        return "there is no git on the PATH"
    except subprocess.TimeoutExpired:
        return "it did not answer in time"
    return next((line.removeprefix("fatal: ") for line in said.splitlines() if "fatal: " in line), "it did not say why")


def is_repository(root: Path) -> bool:
    """Whether the root lies in a working tree, whatever git itself can say of it."""
    marks = [folder / ".git" for folder in (root, *root.parents)]
    return any(mark.is_file() or (mark / "HEAD").exists() for mark in marks)


def head(root: Path) -> HeadCommit | None:
    line = _git(root, "rev-list", "--max-count=1", "--timestamp", "HEAD", "--")
    if not line:
        return None
    seconds, sha = line.decode("ascii").split()
    return HeadCommit(sha, int(seconds) * _MICROSECONDS)


def shallow_boundary(root: Path) -> str:
    """Where a history ends that was not fetched whole; empty if it was."""
    answer = _git(root, "rev-parse", "--git-path", "shallow")
    try:
        return (root / os.fsdecode(answer.rstrip(b"\n"))).read_text("ascii") if answer else ""
    except OSError:
        return ""


def dirty_paths(root: Path, only: Collection[str] = ()) -> frozenset[str] | None:
    """Paths below the root that are not as HEAD has them (changed, added, deleted, untracked); None if git fails.

    To ask for some paths only is quicker where the tree is large.
    """
    prefix = _git(root, "rev-parse", "--show-prefix")
    options = ("--porcelain", "-z", "-uall", "--no-renames", "--ignore-submodules=all")
    listing = _git(root, "status", *options, "--", *(only or (".",)))
    if prefix is None or listing is None:
        return None
    cut = len(os.fsdecode(prefix.rstrip(b"\n"))) + len("XY ")
    return frozenset(entry[cut:] for entry in paths_in(listing))


def resolve(root: Path, revision: str) -> str | None:
    """The hash of the commit that a revision names; None if there is no such commit."""
    answer = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    return answer.decode("ascii").strip() if answer else None


def paths_that_differ(root: Path, commit: str) -> list[str]:
    """Paths below the root that differ between a commit and the working tree."""
    committed = _git(
        root, "diff-tree", "-r", "-z", "--no-renames", "--name-only", "--relative", commit, "HEAD", "--", "."
    )
    return sorted({*paths_in(committed or b""), *(dirty_paths(root) or ())})


def text_of(root: Path, commit: str, path: str) -> bytes | None:
    """The content of a file in a commit; None if it has no such file."""
    return _git(root, "cat-file", "blob", f"{commit}:./{path}")


def changes(root: Path, most: int) -> list[CommitChange]:
    """What each of the last commits said, and the paths that it changed below the root; merges aside."""
    options = (f"--max-count={most}", "--no-merges", "--no-renames", "--name-only", "--relative", "-z")
    listing = _git(root, "log", *options, "--format=%x01%B%x02", "HEAD", "--", ".")
    found = []
    for commit in f"\0{os.fsdecode(listing or b'')}".split("\0\x01"):
        message, _, listed = commit.partition("\x02\0")  # no message holds a null byte, whatever else it holds
        paths = tuple(path.lstrip("\n") for path in listed.split("\0") if path.strip("\n"))
        found += [CommitChange(message, paths)] if paths else []
    return found


def paths_brought_by_git(root: Path, before: str, after: str, paths: Collection[str]) -> list[str]:
    """Which paths became other ones between two states of HEAD by anything but a commit: a merge, a switch, a pull.

    By the reflog, step by step; where that does not reach back so far, all that differs counts as brought.
    """
    if not before or before == after:
        return []
    listing = _git(root, "log", "--walk-reflogs", "-z", "--format=%H %gs", f"-{MOST_STEPS}", "HEAD")
    steps = [line.partition(" ") for line in paths_in(listing or b"")]
    shas = [sha for sha, _, _ in steps]
    if before not in shas:
        return _differ(root, before, after, paths)
    here = steps[: shas.index(before) + 1]
    moves = [(old, new) for (new, _, how), (old, _, _) in pairwise(here) if not _OWN.match(how)]
    return sorted({path for old, new in moves for path in _differ(root, old, new, paths)})


def _differ(root: Path, before: str, after: str, paths: Collection[str]) -> list[str]:
    named = paths if len(paths) <= MOST_NAMED else ()
    listing = _git(root, "diff", "--name-only", "--no-renames", "--relative", "-z", before, after, "--", *named)
    return sorted(paths) if listing is None else sorted(set(paths_in(listing)) & set(paths))


def excludes(root: Path) -> Excludes | None:
    answer = _git(root, "rev-parse", "--show-prefix", "--git-path", "info/exclude", "--git-path", "index")
    if answer is None:
        return None
    prefix, own, record = os.fsdecode(answer).split("\n")[:3]
    return Excludes(prefix, (_users_excludes(root), root / own), root / record)


def _users_excludes(root: Path) -> Path:
    named = _git(root, "config", "--type=path", "--get", "core.excludesFile")
    if named:
        return root / os.fsdecode(named.rstrip(b"\n"))
    return Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser() / "git" / "ignore"


def paths_in(listing: bytes) -> list[str]:
    return os.fsdecode(listing).split("\0")[:-1]


def _git(root: Path, *arguments: str) -> bytes | None:
    """The output of a git command; a repository's own fsmonitor program is never run."""
    try:
        done = run(root, *arguments, timeout=TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def run(root: Path, *arguments: str, timeout: float | None = None) -> "subprocess.CompletedProcess[bytes]":
    """A git command to its end; OSError where there is no git."""
    return subprocess.run(
        ["git", "-C", str(root), "-c", "core.fsmonitor=false", "--literal-pathspecs", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=timeout,
        env={name: value for name, value in os.environ.items() if name not in _FOREIGN} | _QUIET,
    )
