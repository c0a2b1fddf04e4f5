"""A repository's past, read by git. Nothing is written to it."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from clew.index.history import git
from clew.model.errors import InvalidInput, NotFound, Unavailable
from clew.runtime import git_process

_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)
_PLAIN = ("--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", f"-O{os.devnull}")
_LOG = (*_PLAIN, "--no-show-signature", "--no-mailmap", "--no-decorate", "--no-notes")


class CommitFile(NamedTuple):
    """One file's change in a commit: `M` modified, `A` added, `D` deleted."""

    status: str
    path: str


class Commit(NamedTuple):
    sha: str
    time: int  # of the committer, seconds
    message: str
    changes: tuple[CommitFile, ...]


class Hunk(NamedTuple):
    """Lines of the old side that were changed; if there are none, something was added behind `first`."""

    first: int
    lines: int


class History:
    """The git history of the repository that contains a folder, or of a bare repository."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._own = _directory(folder, "--absolute-git-dir")
        self._top = _directory(folder, "--show-cdup")  # of a bare one, its folder
        self.shared = _directory(folder, "--git-common-dir")  # with all linked worktrees: where the objects are
        if self._ask("rev-parse", "--is-shallow-repository").strip() == b"true":
            raise InvalidInput(
                f"{folder} is a shallow clone: its past is cut off",
                "Run `git fetch --unshallow` there, or name a full clone with --repo.",
            )

    @property
    def is_bare(self) -> bool:
        """Read from the configuration if another working tree surrounds it: git takes that one for its own."""
        if self._folder.resolve().is_relative_to(self._own):
            return self._run("config", "--type=bool", "--get", "core.bare").stdout.strip() == b"true"
        return self._ask("rev-parse", "--is-bare-repository").strip() == b"true"

    @property
    def object_format(self) -> str:
        return self._ask("rev-parse", "--show-object-format").decode().strip()

    def resolve(self, revision: str) -> str:
        """The hash of the commit that a revision names."""
        done = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        if done.returncode and revision == "HEAD":
            raise NotFound(f"{self._folder} has no commits", "Commit something first, or name another repository.")
        if done.returncode:
            raise NotFound(f"no commit {revision!r}", "Name a commit, a tag or a branch of the repository.")
        return done.stdout.decode().strip()

    def line(self, tip: str) -> list[str]:
        """The commits that lead to one, newest first, along first parents."""
        return self._ask("rev-list", "--first-parent", tip).decode().split()

    def merges(self, base: str, tip: str) -> int:
        return int(self._ask("rev-list", "--merges", "--count", f"{base}..{tip}"))

    def commits(self, base: str, tip: str) -> list[Commit]:
        """All commits of the tip that the base does not have, merges aside; the oldest first."""
        form = ("--format=%x01%H %ct%n%B%x02", "--encoding=UTF-8", "--name-status", "-z", "--no-merges")
        listing = self._ask("log", *form, *_LOG, f"{base}..{tip}")
        return sorted(map(_commit, listing.split(b"\x01")[1:]), key=lambda commit: (commit.time, commit.sha))

    def paths(self, revision: str) -> frozenset[str]:
        """The files of a commit's tree."""
        return frozenset(git.paths_in(self._ask("ls-tree", "-r", "-z", "--full-tree", "--name-only", revision)))

    def before(self, sha: str, path: str) -> bytes:
        """A file as it was before a commit."""
        return self._ask("cat-file", "blob", f"{sha}^:{path}")

    def hunks(self, sha: str, path: str) -> Iterator[Hunk]:
        """Where a commit changed a file, on the old side."""
        diff = self._ask("diff-tree", "-p", "-U0", "--no-commit-id", *_PLAIN, sha, "--", path)
        for first, count in _HUNK.findall(diff):
            yield Hunk(int(first), int(count or 1))

    def _ask(self, *arguments: str) -> bytes:
        done = self._run(*arguments)
        if done.returncode:
            raise Unavailable(f"git {arguments[0]} failed: {_last_line(done.stderr)}", "Run `git fsck` there.")
        return done.stdout

    def _run(self, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
        """From the top, since git takes paths from the folder in which it starts."""
        return git_process.run(self._top, f"--git-dir={self._own}", *arguments, timeout=None)


def _directory(folder: Path, which: str) -> Path:
    if not folder.is_dir():
        raise NotFound(f"{folder} does not exist", "Name a directory that exists.")
    try:
        done = git_process.run(folder, "rev-parse", which)
    except OSError as error:
        raise Unavailable("git cannot be started", "Install git: an evaluation reads its history.") from error
    if done.returncode:
        why = _last_line(done.stderr)
        raise NotFound(f"{folder} has no history: {why}", "Name a git repository with --repo; a bare mirror will do.")
    return (folder / os.fsdecode(done.stdout.rstrip(b"\n"))).resolve()


def _commit(entry: bytes) -> Commit:
    head, _, rest = entry.partition(b"\x02")
    facts, _, message = head.partition(b"\n")
    sha, seconds = facts.decode("ascii").split()
    listed = git.paths_in(rest.lstrip(b"\0\n"))
    changes = tuple(map(CommitFile, listed[::2], listed[1::2]))
    return Commit(sha, int(seconds), message.decode("utf-8", "replace"), changes)


def _last_line(said: bytes) -> str:
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].removeprefix("fatal: ") if lines else "no reason given"
