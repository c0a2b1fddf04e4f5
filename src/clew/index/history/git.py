"""Git's knowledge of a working tree. If git is missing or fails, the result is empty; that is no error."""

import os
import re
import subprocess
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from clew.index.history import worktree
from clew.runtime import git_process
from clew.runtime.plain import read_plain

TIMEOUT_S = git_process.TIMEOUT_S
MOST_FILE = 64 * 1024 * 1024  # bytes of a file of a commit
# Of two commits, or of a commit and the index: no program compares, no configured file orders.
_PLAIN = ("--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", f"-O{os.devnull}")
_LOG = (*_PLAIN, "--no-show-signature", "--no-mailmap", "--no-decorate", "--no-notes", "--no-color")
_LOOK_S = 10.0  # for what is untracked: ignore files anywhere in the tree are read
_MICROSECONDS = 1_000_000
_WALKS = (64, 5_000, 10_000_000)  # commits that are looked at, until all that is looked for is found
_WALK_S = 55.0  # for each of them
MOST_RENAMED = 1000  # new files of a commit that are compared with those it deleted; of more, only equal ones
MOST_STEPS = 500  # of HEAD that are looked at
MOST_NAMED = 500  # paths that are named to git; of more, all that differ are asked for
_OWN = re.compile(r"(?:commit|revert)(?: \((?!merge)[a-z]+\))?:")  # what the reflog calls what was done here


class HeadCommit(NamedTuple):
    sha: str
    time: int  # of the committer, UTC microseconds


class CommitPaths(NamedTuple):
    """A commit: its message, the newest paths of its changed files, and how often later commits renamed them."""

    message: str
    paths: tuple[str, ...]
    moves: Mapping[str, int]  # of those that were renamed


Rename = tuple[str, str]  # the paths of a changed file before and after; most often the same


class CommitChanges(NamedTuple):
    """A commit: its message, and the files that it changed."""

    message: str
    changed: tuple[Rename, ...]


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
        said = os.fsdecode(git_process.run(root, "ls-files", "-z", "--", ".git", timeout=TIMEOUT_S).stderr)
    except git_process.Refused as error:
        return str(error)
    except OSError:
        return "there is no git on the PATH"
    except subprocess.TimeoutExpired:
        return "it did not answer in time"
    return next((line.removeprefix("fatal: ") for line in said.splitlines() if "fatal: " in line), "no reason given")


def is_repository(root: Path) -> bool:
    """Whether the root lies in a working tree, even if git itself fails there."""
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
        return read_plain(root / os.fsdecode(answer.rstrip(b"\n"))).decode("ascii") if answer else ""
    except (OSError, ValueError):
        return ""


def rewritten_parents(root: Path) -> int:
    """How many commits are replaced by others (`git replace`) or have other parents than their own (info/grafts)."""
    replaced = _git(root, "for-each-ref", "--format=%(refname)", "refs/replace/") or b""
    answer = _git(root, "rev-parse", "--git-path", "info/grafts")
    try:
        grafts = read_plain(root / os.fsdecode(answer.rstrip(b"\n"))) if answer else b""
    except (OSError, ValueError):
        grafts = b""
    written = [line for line in grafts.splitlines() if line.strip() and not line.startswith(b"#")]
    return len(replaced.splitlines()) + len(written)


def dirty_paths(root: Path, only: Collection[str] = ()) -> frozenset[str] | None:
    """Paths below the root that are not as HEAD has them (changed, added, deleted, untracked); None if git fails.

    To ask for some paths only is quicker where the tree is large.
    """
    found = altered_files(root, only)
    return None if found is None else found | _untracked_files(root, only)


def altered_files(root: Path, only: Collection[str] = ()) -> frozenset[str] | None:
    """Likewise, of tracked paths alone. `git status` would run the repository's filters; contents are compared here."""
    listing = _git(root, "ls-files", "--stage", "--debug", "-z", "--", *(only or (".",)))
    record = _git(root, "rev-parse", "--git-path", "index")
    if listing is None or record is None:
        return None
    staged = _git(
        root, "diff-index", "--cached", "--name-only", "--relative", "-z", *_PLAIN, "HEAD", "--", *(only or (".",))
    )
    entries = worktree.entries(listing)
    written = worktree.stamp(root / os.fsdecode(record.rstrip(b"\n")))
    if staged is None:  # nothing is committed yet
        return frozenset(entry.path for entry in entries)
    return frozenset(paths_in(staged)) | worktree.changed_paths(root, entries, written)


def _untracked_files(root: Path, only: Collection[str]) -> frozenset[str]:
    """Files that git neither tracks nor ignores; the user's own ignore file counts, not one that the repository
    names."""
    mine = ("-c", f"core.excludesFile={_users_excludes(root)}")
    others = ("ls-files", "--others", "--exclude-standard", "-z", "--", *(only or (".",)))
    return frozenset(paths_in(_git(root, *mine, *others, timeout=_LOOK_S) or b""))


def resolve(root: Path, revision: str) -> str | None:
    """The hash of the commit that a revision names; None if there is no such commit."""
    answer = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    return answer.decode("ascii").strip() if answer else None


def subject_of(root: Path, commit: str) -> str:
    """The first line of a commit's message; empty if there is no such commit."""
    listing = _git(root, "log", "--max-count=1", "--no-patch", *_LOG, "--format=%s", commit, "--")
    return (listing or b"").decode("utf-8", "replace").strip()


def paths_that_differ(root: Path, commit: str) -> list[str]:
    """Paths below the root that differ between a commit and the working tree."""
    committed = _git(root, "diff-tree", "-r", "-z", "--name-only", "--relative", *_PLAIN, commit, "HEAD", "--", ".")
    return sorted({*paths_in(committed or b""), *(dirty_paths(root) or ())})


def text_of(root: Path, commit: str, path: str) -> bytes | None:
    """The content of a file in a commit; None if it has no such file."""
    return _git(root, "cat-file", "blob", f"{commit}:./{path}", most=MOST_FILE)


def changes(root: Path, most: int) -> list[CommitPaths]:
    """The messages of the last commits, and their changed paths below the root; without merges.

    A file that a later commit renamed appears under its newest path.
    """
    shas = last_commits(root, most)
    found = changes_of(root, shas)
    if found is None:
        found = changes_of(root, shas, similar=False) or {}
    there = [found[sha] for sha in shas if sha in found]
    placed = newest_paths(one.changed for one in there)
    return [CommitPaths(one.message, *newest) for one, newest in zip(there, placed, strict=True) if newest[0]]


def last_commits(root: Path, most: int) -> list[str]:
    """The hashes of the last commits, the newest first, without merges."""
    is_top = os.path.lexists(root / ".git")  # then every commit is about it, and no trees need be compared
    listing = _git(root, "rev-list", f"--max-count={most}", "--no-merges", "HEAD", "--", *(() if is_top else (".",)))
    return (listing or b"").decode("ascii").split()


def changes_of(root: Path, shas: Sequence[str], *, similar: bool = True) -> dict[str, CommitChanges] | None:
    """By hash, the messages of commits, and the paths of the files that they changed below the root.

    A renamed file may have changed, if `similar`; this fails in a clone without all contents (None).
    """
    if not shas:
        return {}
    options = ("--no-walk=unsorted", "--stdin", "--name-status", "--relative", "-z", *_LOG, "--no-rename-empty")
    shown = ("--find-renames" if similar else "--find-renames=100%", f"-l{MOST_RENAMED}", "--format=%x01%H %B%x02")
    listing = _git(root, "log", *options, *shown, "--", ".", feed="\n".join(shas).encode())
    if listing is None:
        return None
    found = {}
    for commit in f"\0{os.fsdecode(listing)}".split("\0\x01")[1:]:
        said, _, listed = commit.partition("\x02\0")  # no message holds a null byte, whatever else it holds
        sha, _, message = said.partition(" ")
        found[sha] = CommitChanges(message, tuple(_read_changes(listed)))
    return found


def newest_paths(commits: Iterable[Sequence[Rename]]) -> Iterator[tuple[tuple[str, ...], dict[str, int]]]:
    """For each commit, the newest paths of its changed files, and how often later commits renamed them."""
    now: dict[str, tuple[str, int]] = {}
    for changed in commits:
        for old, new in changed:
            if old != new:
                path, times = now.get(new, (new, 0))
                now[old] = path, times + 1
        moves = dict(sorted((now.get(new, (new, 0)) for _, new in changed), key=itemgetter(1), reverse=True))
        yield (
            tuple(dict.fromkeys(now.get(new, (new, 0))[0] for _, new in changed)),
            {p: n for p, n in moves.items() if n},
        )


def _read_changes(listed: str) -> list[Rename]:
    """The paths of each changed file of one commit, before and after."""
    fields = iter(listed.lstrip("\n").split("\0"))
    found = []
    for status in fields:
        if status.strip("\n"):
            path = next(fields, "")
            found.append((path, next(fields, "") if status[0] == "R" else path))
    return found


def last_changes(root: Path, paths: Collection[str], before: str = "") -> dict[str, int]:
    """When the last commit of HEAD's history that changed each path was made, in UTC microseconds.

    One walk back from HEAD, which ends when all paths are found; at first, only through what is not in the history of
    `before`: git sorts all commits before it shows the first. What a merge brought is followed to the side that it
    came from. Where history ends before a change, as in a shallow clone, or the walk takes too long, a path has the
    time of the oldest commit that was reached.
    """
    tip, found, oldest, skipped = head(root), dict[str, int](), 0, 0
    waiting = {tip.sha: set(paths)} if tip else {}
    for many in (0, *_WALKS) if before else _WALKS:
        commits = _commits(root, skipped, many, before) if waiting else []
        for commit in commits:
            oldest = commit.time
            unchanged = waiting.pop(commit.sha, set[str]())
            changed = unchanged.intersection(commit.changed)
            unchanged -= changed
            if len(commit.parents) < 2:
                found |= dict.fromkeys(changed if commit.parents else changed | unchanged, commit.time)
                changed = set()
            for parent, some in zip(commit.parents, (unchanged, changed), strict=False):
                if some:
                    waiting.setdefault(parent, some).update(some)
        skipped += many
        if len(commits) < many or not waiting:
            break
    left = {path for some in waiting.values() for path in some}
    return found | dict.fromkeys(left, oldest) if oldest else found


class _PastCommit(NamedTuple):
    """`changed` are paths that differ from the first parent."""

    sha: str
    parents: tuple[str, ...]
    time: int
    changed: list[str]


def _commits(root: Path, skip: int, most: int, before: str) -> list[_PastCommit]:
    """A commit comes before its parents. With `most` 0, those that are not in the history of `before`."""
    limits = (f"--skip={skip}", f"--max-count={most}") if most else (f"--max-count={_WALKS[0]}", f"^{before}")
    options = (*limits, "--topo-order", "--diff-merges=first-parent", "--name-only")
    shown = ("--relative", "-z", *_LOG, "--format=%x01%H %ct %P%x02")
    listing = _git(root, "log", *options, *shown, "HEAD", "--", timeout=_WALK_S)
    entries = (entry.partition("\x02") for entry in f"\0{os.fsdecode(listing or b'')}".split("\0\x01")[1:])
    return [
        _PastCommit(sha, tuple(parents), int(seconds) * _MICROSECONDS, [p.lstrip("\n") for p in names.split("\0")])
        for (sha, seconds, *parents), names in ((told.split(), names) for told, _, names in entries)
    ]


def paths_brought_by_git(root: Path, before: str, after: str, paths: Collection[str]) -> list[str]:
    """Which paths became other ones between two states of HEAD by anything but a commit: a merge, a switch, a pull.

    By the reflog, step by step; where that does not reach back so far, all that differs counts as brought.
    """
    if not before or before == after:
        return []
    listing = _git(root, "log", "--walk-reflogs", "-z", *_LOG, "--format=%H %gs", f"-{MOST_STEPS}", "HEAD")
    steps = [line.partition(" ") for line in paths_in(listing or b"")]
    shas = [sha for sha, _, _ in steps]
    if before not in shas:
        return _differ(root, before, after, paths)
    here = steps[: shas.index(before) + 1]
    moves = [(old, new) for (new, _, how), (old, _, _) in pairwise(here) if not _OWN.match(how)]
    return sorted({path for old, new in moves for path in _differ(root, old, new, paths)})


def _differ(root: Path, before: str, after: str, paths: Collection[str]) -> list[str]:
    named = paths if len(paths) <= MOST_NAMED else ()
    listing = _git(root, "diff-tree", "-r", "--name-only", "--relative", "-z", *_PLAIN, before, after, "--", *named)
    return sorted(paths) if listing is None else sorted(set(paths_in(listing)) & set(paths))


def excludes(root: Path) -> Excludes | None:
    answer = _git(root, "rev-parse", "--show-prefix", "--git-path", "info/exclude", "--git-path", "index")
    if answer is None:
        return None
    prefix, own, record = os.fsdecode(answer).split("\n")[:3]
    return Excludes(prefix, (_users_excludes(root), root / own), root / record)


def _users_excludes(root: Path) -> Path:
    """As the user's or the machine's configuration names it: one of the repository's choice may be any file."""
    listing = _git(root, "config", "--show-scope", "--type=path", "-z", "--get-all", "core.excludesFile") or b""
    named = paths_in(listing)
    trusted = [path for scope, path in zip(named[::2], named[1::2], strict=False) if scope in ("system", "global")]
    if trusted:
        return root / trusted[-1]
    return Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser() / "git" / "ignore"


def paths_in(listing: bytes) -> list[str]:
    return os.fsdecode(listing).split("\0")[:-1]


def _git(
    root: Path,
    *arguments: str,
    timeout: float | None = None,
    most: int = git_process.MOST_OUTPUT,
    feed: bytes = b"",
) -> bytes | None:
    """The output of a git command; None if it fails."""
    seconds = TIMEOUT_S if timeout is None else timeout
    try:
        done = git_process.run(root, *arguments, timeout=seconds, most=most, feed=feed)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
