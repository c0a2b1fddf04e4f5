"""Commits, trees and blobs, read from git's objects without a checkout. Paths are relative to the project's root."""

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from clew.index.history import git
from clew.model.errors import InvalidInput, NotFound, Unavailable
from clew.runtime import git_process

BLOBS_AT_ONCE = 256
LARGEST_BLOB = 4 * 1024 * 1024  # bytes; larger files hold data, and are compared by their hash alone
TIMEOUT_S = 600.0
_MICROSECONDS = 1_000_000
_FILE_MODES = ("100644", "100755")
_ABSENT = "0"
# No program compares, no configured file orders, and nothing but what is asked for is printed.
_PLAIN = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all", f"-O{os.devnull}")
_LOG = (*_PLAIN, "--no-show-signature", "--no-mailmap", "--no-decorate", "--no-notes", "--no-color")
_FORMAT = "%H%x00%P%x00%at%x00%ct%x00%an%x00%ae%x00%B%x00"


class CommitInfo(Struct, frozen=True):
    """A commit with its parents. Times are UTC microseconds."""

    sha: str
    parents: tuple[str, ...]
    authored: int
    time: int  # of the committer
    author: str
    email: str
    message: str

    @property
    def subject(self) -> str:
        return self.message.partition("\n")[0]


class TreeChange(NamedTuple):
    """A path with different content in two trees. A blob is empty on the side without such a file."""

    path: str
    old_blob: str
    new_blob: str


class MainlineCommit(NamedTuple):
    """A commit of the first-parent line, and the files that differ from its first parent. Time is UTC microseconds."""

    sha: str
    time: int
    parent: str
    changes: tuple[TreeChange, ...]


class LoggedCommit(NamedTuple):
    """A commit in a log: author, time, message, and changed paths. Time is UTC microseconds."""

    sha: str
    time: int
    author: str
    message: str
    paths: tuple[str, ...]

    @property
    def subject(self) -> str:
        return self.message.partition("\n")[0]


class Touch(NamedTuple):
    """A commit of a path's simplified history: its parents there, and the path's blob before and after.

    A merge that differs from all of its parents has no blobs here.
    """

    sha: str
    parents: tuple[str, ...]
    old_blob: str
    new_blob: str


def commit_named(root: Path, revision: str) -> str:
    """The hash of the commit that a revision names; raises with the reason if there is none."""
    found = git.resolve(root, revision)
    if found is not None:
        return found
    require_commits(root)
    if git.shallow_boundary(root):
        raise NotFound(
            f"no commit {revision!r} here: this clone is shallow", "Fetch the rest with `git fetch --unshallow`."
        )
    raise NotFound(f"no commit {revision!r} here", "Name a commit, a tag, a branch, or HEAD~3.")


def require_commits(root: Path) -> None:
    """Raise where there is no history to read."""
    if not git.is_repository(root) and git.head(root) is None:
        raise Unavailable(f"{root.name} is in no git repository", "Run `git init` and commit, or name a time instead.")
    if git.head(root) is None:
        try:
            git_process.run(root, "version")
        except git_process.Refused as error:
            raise Unavailable("git is not started on this repository", f"{error}.") from error
        raise Unavailable("this repository has no commits", "Commit something first.")


def commit_at(root: Path, moment: int, tip: str = "HEAD") -> str:
    """The last commit on the first-parent line up to `tip` that is not later than a time; empty if none is."""
    seconds = moment // _MICROSECONDS
    listing = _read(root, "rev-list", "--first-parent", "--max-count=1", f"--before={seconds}", tip, "--")
    return listing.decode("ascii").strip()


def infos(root: Path, shas: Sequence[str]) -> dict[str, CommitInfo]:
    """Commits by their hashes."""
    if not shas:
        return {}
    feed = "".join(f"{sha}\n" for sha in dict.fromkeys(shas)).encode("ascii")
    listing = _read(root, "log", *_LOG, "--no-walk=unsorted", "--stdin", "-z", f"--format={_FORMAT}", feed=feed)
    return {one.sha: one for one in _infos(listing)}


def mainline(root: Path, tip: str, most: int, since: int = 0) -> list[CommitInfo]:
    """The commits on the first-parent line up to `tip`, the newest first: at most `most`, none before a time."""
    options = ["--first-parent", f"--max-count={most}", "-z", f"--format={_FORMAT}"]
    options += [f"--since={since // _MICROSECONDS}"] if since else []
    return list(_infos(_read(root, "log", *_LOG, *options, tip, "--")))


def mainline_changes(root: Path, tip: str, most: int, since: int = 0) -> list[MainlineCommit]:
    """The first-parent line up to `tip`, the newest first, with the files that each commit changed."""
    options = ["--first-parent", "-m", "--root", "--raw", "--no-abbrev", "--no-renames", "--relative", "-z"]
    options += [f"--max-count={most}", "--format=%x01%H%x00%ct%x00%P%x00"]
    options += [f"--since={since // _MICROSECONDS}"] if since else []
    listing = _read(root, "log", *_LOG, *options, tip, "--")
    found = []
    for entry in os.fsdecode(listing).split("\x01")[1:]:
        sha, seconds, parents, rest = entry.split("\0", 3)
        changes = tuple(one for one in _raw(rest.lstrip("\n\0").split("\0")) if one.old_blob != one.new_blob)
        found.append(MainlineCommit(sha, int(seconds) * _MICROSECONDS, parents.partition(" ")[0], changes))
    return found


def count_mainline(root: Path, tip: str, most: int, since: int = 0) -> int:
    """How many commits the first-parent line has, up to `most`."""
    options = ["--first-parent", "--count", f"--max-count={most}"]
    options += [f"--since={since // _MICROSECONDS}"] if since else []
    return int(_read(root, "rev-list", *options, tip, "--"))


def log_commits(root: Path, tip: str, most: int, since: int = 0) -> list[LoggedCommit]:
    """The newest commits up to `tip` that changed files below the root; merges aside."""
    options = [f"--max-count={most}", "--no-merges", "--name-only", "--relative", "-z"]
    options += [f"--since={since // _MICROSECONDS}"] if since else []
    listing = _read(root, "log", *_LOG, *options, "--format=%x01%H%x00%ct%x00%an%x00%B%x02", tip, "--", ".")
    found = []
    for entry in listing.decode("utf-8", "replace").split("\x01")[1:]:
        head, _, listed = entry.partition("\x02")
        sha, seconds, author, message = head.split("\0", 3)
        paths = tuple(name for path in listed.split("\0") if (name := path.strip("\n")))
        found.append(LoggedCommit(sha, int(seconds) * _MICROSECONDS, author, message.strip(), paths))
    return found


def touching_words(root: Path, tip: str, pattern: str, paths: Sequence[str], most: int) -> list[str]:
    """Commits that added or removed lines of these paths that match a pattern, the newest first."""
    if not paths:
        return []
    options = ("--no-merges", "--extended-regexp", "--regexp-ignore-case", f"-G{pattern}", f"--max-count={most}")
    return _read(root, "log", *_LOG, *options, "--format=%H", tip, "--", *paths).decode("ascii").split()


def changed_lines(root: Path, shas: Sequence[str]) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """The lines that each commit added and removed: path, sign, text."""
    if not shas:
        return
    options = ("--no-walk=unsorted", "--stdin", "-p", "-U0", "--no-renames", "--relative", "--format=%x01%H")
    feed = "".join(f"{sha}\n" for sha in shas).encode("ascii")
    listing = _read(root, "log", *_LOG, *options, feed=feed).decode("utf-8", "replace")
    for entry in listing.split("\x01")[1:]:
        sha, _, diff = entry.partition("\n")
        path, found = "", []
        for line in diff.split("\n"):
            if line.startswith(("+++ b/", "--- a/")):
                path = line[6:].rstrip("\t")
            elif line.startswith(("+++ ", "--- ", "@@", "diff ", "index ")):
                continue
            elif line[:1] in ("+", "-"):
                found.append((path, line[0], line[1:]))
        yield sha, found


def tree(root: Path, commit: str) -> dict[str, str]:
    """The blobs of a commit's files, by path; links and submodules are left out."""
    found = {}
    for line in git.paths_in(_read(root, "ls-tree", "-r", "-z", commit, "--", ".")):
        head, _, path = line.partition("\t")
        mode, _, blob = head.split(" ")
        if mode in _FILE_MODES:
            found[path] = blob
    return found


def tree_identity(root: Path, commit: str) -> str:
    """The hash of a commit's tree, and the root's folder in it."""
    return os.fsdecode(_read(root, "rev-parse", f"{commit}^{{tree}}", "--show-prefix")).strip()


def submodules(root: Path, commit: str) -> list[str]:
    """The paths of a commit's submodules; their content is not part of it."""
    lines = git.paths_in(_read(root, "ls-tree", "-r", "-z", commit, "--", "."))
    return [line.partition("\t")[2] for line in lines if line.startswith("160000 ")]


def odd_history(root: Path) -> str:
    """A sentence about commits that are replaced or grafted: history is read as git shows it; empty without any."""
    count = git.rewritten_parents(root)
    some = "1 commit is" if count == 1 else f"{count} commits are"
    return f"{some} replaced or grafted here: history is read as `git log` shows it." if count else ""


def tree_changes(root: Path, old: str, new: str) -> list[TreeChange]:
    """Files that differ between two commits, by path. An empty `old` is the empty tree."""
    options = ("-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-commit-id", "--relative")
    sides = (old, new) if old else ("--root", new)
    listing = _read(root, "diff-tree", *_PLAIN, *options, *sides, "--", ".")
    return sorted(change for change in _raw(os.fsdecode(listing).split("\0")) if change.old_blob != change.new_blob)


def path_log(root: Path, tip: str, path: str) -> dict[str, Touch]:
    """The simplified history of one path up to a commit: each commit that changed it, by hash, the newest first."""
    options = ("--topo-order", "--parents", "--raw", "--no-abbrev", "--no-renames", "--full-index", "--relative")
    listing = _read(root, "log", *_LOG, *options, "-z", "--root", "--format=%x01%H %P", tip, "--", path)
    found = {}
    for entry in os.fsdecode(listing).split("\x01")[1:]:
        head, _, rest = entry.partition("\0")
        sha, *parents = head.split()
        change = next(_raw(rest.lstrip("\n").split("\0")), TreeChange(path, "", ""))
        found[sha] = Touch(sha, tuple(parents), change.old_blob, change.new_blob)
    return found


def blob_of(root: Path, commit: str, path: str) -> str:
    """The blob of a file in a commit; empty if it has no such file."""
    line = os.fsdecode(_read(root, "ls-tree", "-z", commit, "--", path)).partition("\t")[0]
    mode, _, blob = line.split(" ") if line else ("", "", "")
    return blob if mode in _FILE_MODES else ""


def blobs(root: Path, shas: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Contents by hash, in batches; missing, too large and other objects are left out."""
    wanted = list(dict.fromkeys(filter(None, shas)))
    for start in range(0, len(wanted), BLOBS_AT_ONCE):
        yield from _contents(root, _small(root, wanted[start : start + BLOBS_AT_ONCE]))


def grep(root: Path, commit: str, word: str, most: int) -> list[str]:
    """Paths of files in a commit that have a word in them."""
    options = ("-l", "-z", "-w", "-F", "-I", "--no-textconv", "--no-color", "-e", word)
    found = git_process.run(root, "grep", *options, commit, "--", ".", timeout=TIMEOUT_S).stdout
    return [path.partition(":")[2] for path in git.paths_in(found)][:most]


def _small(root: Path, shas: Sequence[str]) -> list[str]:
    feed = "".join(f"{sha}\n" for sha in shas).encode("ascii")
    found = []
    for line in _read(root, "cat-file", "--batch-check", feed=feed).decode("ascii", "replace").splitlines():
        sha, kind, *size = line.split(" ")
        if kind == "blob" and int(size[0]) <= LARGEST_BLOB:
            found.append(sha)
    return found


def _contents(root: Path, shas: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    if not shas:
        return
    listing = _read(root, "cat-file", "--batch", feed="".join(f"{sha}\n" for sha in shas).encode("ascii"))
    place = 0
    while place < len(listing):
        end = listing.index(b"\n", place)
        sha, _, *size = listing[place:end].decode("ascii").split(" ")
        place = end + 1
        if size:  # else it is missing
            yield sha, listing[place : place + int(size[0])]
            place += int(size[0]) + 1


def _raw(parts: Sequence[str]) -> Iterator[TreeChange]:
    for place in range(0, len(parts) - 1, 2):
        if not parts[place].startswith(":"):
            return
        old_mode, new_mode, old, new, _ = parts[place][1:].split(" ")
        old, new = (old if old_mode in _FILE_MODES else ""), (new if new_mode in _FILE_MODES else "")
        if old or new:
            yield TreeChange(parts[place + 1], old, new)


def _infos(listing: bytes) -> Iterator[CommitInfo]:
    fields = listing.decode("utf-8", "replace").split("\0")
    for place in range(0, len(fields) - 7, 8):
        sha, parents, authored, time, author, email, message = fields[place : place + 7]
        yield CommitInfo(
            sha.strip(), tuple(parents.split()), int(authored) * _MICROSECONDS, int(time) * _MICROSECONDS,
            author, email, message.strip(),
        )  # fmt: skip


def _read(root: Path, *arguments: str, feed: bytes = b"") -> bytes:
    """The output of a git command; raises with git's own words if it fails."""
    try:
        done = git_process.run(root, *arguments, timeout=TIMEOUT_S, feed=feed)
    except OSError:
        raise Unavailable("there is no git on the PATH", "Install git.") from None
    except subprocess.TimeoutExpired:
        raise Unavailable(f"git {arguments[0]} took longer than {TIMEOUT_S:.0f} s", "Ask for fewer commits.") from None
    if done.returncode:
        said = os.fsdecode(done.stderr).strip().splitlines()
        words = said[0].removeprefix("fatal: ") if said else f"exit code {done.returncode}"
        raise InvalidInput(f"git {arguments[0]}: {words}", "Run `git fsck` if an object is missing.")
    return done.stdout
