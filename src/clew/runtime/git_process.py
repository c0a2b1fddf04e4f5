"""The one place that starts git. A repository is data: nothing that it configures is executed, nothing is fetched.

Hooks, signature programs, fsmonitor, helpers and pagers are switched off by options that override every configuration
file, transports by the environment. Filters have any name, so callers use only commands that apply none.
"""

import os
import re
import shutil
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO

from clew.runtime import lent_objects
from clew.runtime.deadline import check
from clew.runtime.plain import read_plain

TIMEOUT_S = 60.0
_LOOK_S = 0.2  # between looks at whether the request is to end
MOST_OUTPUT = 512 * 1024 * 1024  # bytes; a few compressed kilobytes may become more than the memory holds
MOST_SAID = 64 * 1024  # bytes of its messages
FAILED = 128  # git's own exit code
MOST_ENTRIES = 1_000_000  # of a repository, that are looked at before git is started
_WORK_TREE = re.compile(r"^[ \t]*worktree[ \t]*=(.*)$", re.MULTILINE | re.IGNORECASE)
_PART = 64 * 1024  # bytes of output that are read at once
_MOST_POINTER = 64 * 1024  # bytes of a file that leads to another

# Every one overrides what the repository's configuration says. Empty means none.
_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,
    "core.excludesFile": os.devnull,  # the user's is named where it counts
    "mailmap.file": "",
    "blame.ignoreRevsFile": "",
    "core.pager": "cat",
    "core.askPass": "",
    "core.sshCommand": "false",
    "core.editor": "false",
    "core.alternateRefsCommand": "false",
    "credential.helper": "",
    "diff.external": "",
    "diff.orderFile": os.devnull,
    "gc.auto": "0",
    "gpg.program": "false",
    "gpg.openpgp.program": "false",
    "gpg.ssh.program": "false",
    "gpg.x509.program": "false",
    "log.mailmap": "false",
    "log.showSignature": "false",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "submodule.recurse": "false",
    "uploadpack.packObjectsHook": "",
}
_INERT = tuple(part for key, value in _SETTINGS.items() for part in ("-c", f"{key}={value}"))

# Of git's variables only these count: which files of the user and the machine configure it, and where it stops looking.
_KEPT = frozenset(
    {
        *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"),
        *("GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"),
    }
)
_DROPPED = frozenset({"SSH_ASKPASS", "PAGER", "EDITOR", "VISUAL", "LESSOPEN", "GPG_AGENT_INFO"})
_QUIET = {
    "GIT_ALLOW_PROTOCOL": ":",  # none: a name that no transport has
    "GIT_ASKPASS": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",  # no lock that an agent's own git would wait for
    "GIT_PAGER": "cat",
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_ALONE = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

_IN_A_TREE = (".gitattributes", ".gitignore", ".gitmodules", ".mailmap")
_IN_A_REPOSITORY = (
    *("HEAD", "config", "config.worktree", "index", "packed-refs", "shallow", "commondir", "gitdir", "logs/HEAD"),
    *("info/exclude", "info/attributes", "info/grafts", "info/sparse-checkout"),
)
_FOLDERS = ("refs", "reftable", "logs", "objects", "worktrees")
_MAY_BE_LINKS = (*_IN_A_REPOSITORY, *_FOLDERS, "info")
_NEVER_READ = frozenset(
    {"hooks", "description", "branches", "lfs", "annex", "svn", "rr-cache", "modules", "fsmonitor--daemon.ipc"}
)
_MOST_CONFIGURATION = 1024 * 1024  # bytes
_MOST_INCLUDES = 10  # files that include another in a row

_stuck: set[str] = set()  # repositories that git did not answer about in time; a process asks once


class Refused(OSError):
    """Git is not started on this repository."""


def run(
    root: Path,
    *arguments: str,
    timeout: float | None = TIMEOUT_S,
    most: int = MOST_OUTPUT,
    alone: bool = False,
    feed: bytes = b"",
) -> "subprocess.CompletedProcess[bytes]":
    """A git command to its end, with `feed` as its input; OSError where there is no git, or where its files are no
    regular files.

    Output of more than `most` bytes counts as a failure. `alone`: the user's own configuration does not count either.
    """
    program = _program(os.environ.get("PATH", os.defpath))
    if program is None:
        raise FileNotFoundError("there is no git on the PATH")
    key = os.path.realpath(root)
    if key in _stuck:
        raise Refused("git did not answer in time before")
    if problem := _problem(key):
        raise Refused(problem)
    tree = {} if arguments[:1] == ("init",) else _work_tree(root)  # what is made now has none yet
    command = [*_kill_with_parent(), program, "-C", str(root), *_INERT, "--no-pager", "--literal-pathspecs", *arguments]
    try:
        return _run_bounded(command, {**_environment(os.environ, alone=alone), **tree}, timeout, most, feed)
    except subprocess.TimeoutExpired:
        if timeout is not None and timeout >= TIMEOUT_S:
            _stuck.add(key)
        raise


def _run_bounded(
    command: list[str], environment: Mapping[str, str], timeout: float | None, most: int, feed: bytes
) -> "subprocess.CompletedProcess[bytes]":
    pipe = subprocess.PIPE
    source = pipe if feed else subprocess.DEVNULL
    with subprocess.Popen(command, stdin=source, stdout=pipe, stderr=pipe, env=environment) as process:
        try:
            assert process.stdout is not None and process.stderr is not None
            if process.stdin is not None:
                _Writer(process.stdin, feed)
            said, output = _Reader(process.stderr, MOST_SAID), _Reader(process.stdout, most)
            deadline = None if timeout is None else time.monotonic() + timeout
            _wait_for(output, deadline)
            if timeout is not None and output.is_alive():
                raise subprocess.TimeoutExpired(command, timeout)
            if output.too_much:
                return subprocess.CompletedProcess(command, FAILED, b"", b"fatal: its output is too long")
            process.wait(None if deadline is None else max(deadline - time.monotonic(), 0))
            said.join(timeout)
            return subprocess.CompletedProcess(command, process.returncode, output.content, said.content)
        finally:
            if process.poll() is None:  # too slow, or we are to stop
                process.kill()


def _wait_for(output: "_Reader", deadline: float | None) -> None:
    """To the end of the output, of the time, or of the request."""
    while output.is_alive() and (deadline is None or time.monotonic() < deadline):
        check()
        output.join(_LOOK_S)


class _Writer(threading.Thread):
    """Writes all of a program's input, while its output is read."""

    def __init__(self, pipe: IO[bytes], content: bytes) -> None:
        super().__init__(daemon=True)
        self._pipe, self._content = pipe, content
        self.start()

    def run(self) -> None:
        with suppress(OSError), self._pipe:  # a program that ends early says why by itself
            self._pipe.write(self._content)


class _Reader(threading.Thread):
    """Reads a pipe to its end, or to its limit: then closes it, which ends the writer."""

    def __init__(self, pipe: IO[bytes], most: int) -> None:
        super().__init__(daemon=True)
        self._pipe, self._most = pipe, most
        self.content, self.too_much = b"", False
        self.start()

    def run(self) -> None:
        parts, size = [], 0
        while size <= self._most and (part := self._pipe.read(_PART)):
            parts.append(part)
            size += len(part)
        self.too_much = size > self._most
        self.content = b"".join(parts)
        self._pipe.close()


def _environment(environ: Mapping[str, str], *, alone: bool) -> dict[str, str]:
    kept = {
        name: value
        for name, value in environ.items()
        if name not in _DROPPED and (not name.startswith("GIT_") or name in _KEPT)
    }
    return {**kept, **_safe_directories(environ), **_QUIET, **(_ALONE if alone else {})}


def _safe_directories(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment's settings that permit repositories of other owners."""
    count = environ.get("GIT_CONFIG_COUNT", "")
    pairs = [
        (environ.get(f"GIT_CONFIG_KEY_{n}", ""), environ.get(f"GIT_CONFIG_VALUE_{n}", ""))
        for n in range(min(int(count), 1000) if count.isdecimal() else 0)
    ]
    safe = [value for key, value in pairs if key.lower() == "safe.directory"]
    made = {f"GIT_CONFIG_KEY_{n}": "safe.directory" for n in range(len(safe))}
    made |= {f"GIT_CONFIG_VALUE_{n}": value for n, value in enumerate(safe)}
    return {**made, "GIT_CONFIG_COUNT": str(len(safe))} if safe else {}


@cache
def _program(path: str) -> str | None:
    """By absolute folders of the PATH alone: another one would name a folder of the repository."""
    return shutil.which("git", path=_absolute(path))


@cache
def _kill_with_parent() -> tuple[str, ...]:
    """A command prefix that makes the system end a child when this process ends; empty where that is unsupported."""
    if sys.platform != "linux":
        return ()
    program = shutil.which("setpriv", path=_absolute(os.environ.get("PATH", os.defpath)))
    if program is None:
        return ()
    quiet = subprocess.DEVNULL
    command = [program, "--pdeathsig", "KILL", "true"]
    works = subprocess.run(command, stdin=quiet, stdout=quiet, stderr=quiet, timeout=TIMEOUT_S).returncode == 0
    return (program, "--pdeathsig", "KILL") if works else ()


def _absolute(path: str) -> str:
    return os.pathsep.join(folder for folder in path.split(os.pathsep) if Path(folder).is_absolute())


@cache
def _problem(root: str) -> str:
    """Why git must not be started: a pipe or a device in the place of one of its files, which it would wait for or read
    without end; or a link or an included configuration that leads out of the repository."""
    top = _top(Path(root))
    inside = [Path(root), *([top] if top else [])]
    repositories = [*_repositories(top)] if top else [Path(root)]  # or a bare one
    rooms = [*inside, *repositories]
    links = [one for folder in repositories for one in _links(folder)]
    if out := next((one for one in links if _leads_out(one, rooms)), None):  # before what is behind it is listed
        return f"{out} leads out of the repository"
    entries = [file for folder in repositories for file in _odd_files(folder)]
    candidates = [folder / name for folder in inside for name in _IN_A_TREE]
    candidates += [folder / name for folder in repositories for name in _IN_A_REPOSITORY]
    if odd := next((one for one in (*candidates, *entries) if _is_special(one)), None):
        return f"{odd} is not a regular file"
    if out := next((one for one in entries if _leads_out(one, rooms)), None):
        return f"{out} leads out of the repository"
    if lent := next(filter(None, map(_lending_problem, repositories)), ""):
        return lent
    configurations = (folder / name for folder in repositories for name in ("config", "config.worktree"))
    if included := next(filter(None, (_outer_include(one, rooms, _MOST_INCLUDES) for one in configurations)), ""):
        return f"the configuration of the repository includes {included}, which lies outside"
    return ""


def _links(repository: Path) -> Iterator[Path]:
    """The links in the place of git's own files and folders."""
    yield from (file for name in _MAY_BE_LINKS if (file := repository / name).is_symlink())


def _lending_problem(repository: Path) -> str:
    try:
        lenders = lent_objects.lenders(repository)
    except OSError as error:
        return f"the list of repositories that lend objects cannot be read: {error.strerror or error}"
    if not lenders or lent_objects.is_permitted(repository):
        return ""
    more = f" and {len(lenders) - 1} more" if len(lenders) > 1 else ""
    return f"it takes objects from {lenders[0]}{more}, which `clew trust` accepts if the repository is yours"


def _leads_out(link: Path, rooms: Sequence[Path]) -> bool:
    return not _is_within(link, rooms) and not _is_special(link)  # which is reported as such


def _is_within(path: Path, rooms: Iterable[Path]) -> bool:
    real = os.path.realpath(path)
    tops = (os.path.realpath(room) for room in rooms)
    return any(real == top or real.startswith(f"{top.rstrip(os.sep)}{os.sep}") for top in tops)


def _outer_include(file: Path, rooms: Sequence[Path], depth: int) -> str:
    """A file that a configuration of the repository includes from elsewhere. Git itself reads that configuration here,
    without its includes. The user's own configuration files may be included: they count anyway."""
    try:
        text = read_plain(file, _MOST_CONFIGURATION)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"{file}: {error.strerror or error}"  # too large to be looked at, or not to be read
    if b"include" not in text.lower():
        return ""
    for path in _included_files(file):
        named = Path(os.path.expanduser(path))  # noqa: PTH111 - of another user's home too
        target = named if named.is_absolute() else Path(os.path.realpath(file)).parent / named
        if _is_users_configuration(target):
            continue
        if not depth or path.startswith("%") or not _is_within(target, rooms):
            return path
        if outer := _outer_include(target, rooms, depth - 1):
            return outer
    return ""


def _included_files(file: Path) -> list[str]:
    program = _program(os.environ.get("PATH", os.defpath))
    if program is None:
        return []
    asked = ("config", "--file", os.fspath(file), "--no-includes", "-z", "--get-regexp", r"^include(if\..*)?\.path$")
    environment = {**_environment(os.environ, alone=True), "GIT_DIR": os.devnull}  # of no repository
    done = _run_bounded([program, "-C", os.sep, *asked], environment, TIMEOUT_S, MOST_SAID, b"")
    return [os.fsdecode(one.partition(b"\n")[2]) for one in done.stdout.split(b"\0") if one]


def _is_users_configuration(file: Path) -> bool:
    home = Path.home()
    configured = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "git"
    is_in_home = file.parent == home and file.name.startswith(".gitconfig")
    return is_in_home or (file.is_relative_to(configured) and ".." not in file.parts)


def _repositories(top: Path) -> Iterator[Path]:
    """The folder that a working tree's `.git` is or leads to, and the one that it shares with others."""
    own = own_repository(top)
    yield own
    if (shared := shared_repository(own)) != own:
        yield shared


def repositories_of(root: Path) -> list[Path]:
    """The folders in which git keeps what it knows of a root; none if git must not be started there."""
    try:
        top = _top(root)
        return list(_repositories(top)) if top else [root] if _is_bare(root) else []
    except OSError:
        return []


def own_repository(top: Path) -> Path:
    """The folder that a working tree's `.git` is or leads to.

    One elsewhere must know the working tree, as those of submodules and linked worktrees do: else it is another
    project's, and `Refused`.
    """
    mark = top / ".git"
    if _is_special(mark):
        raise Refused(f"{mark} is not a regular file")
    own = top / _pointer(mark).removeprefix("gitdir:").strip() if mark.is_file() else mark
    if not _knows(own, top):
        raise Refused(
            f"{mark} leads to a repository that does not know this folder; if it is yours, set core.worktree there"
        )
    return own


def shared_repository(own: Path) -> Path:
    """The folder that a linked worktree's own shares with the main one; else the same."""
    if not (own / "commondir").is_file():
        return own
    shared = own / _pointer(own / "commondir")
    if own.parent.name != "worktrees" or os.path.realpath(shared) != os.path.realpath(own.parent.parent):
        raise Refused(f"{own} shares a repository that it does not belong to")
    return shared


def _knows(own: Path, top: Path) -> bool:
    here, there = os.path.realpath(top), os.path.realpath(own)
    if there == here or there.startswith(f"{here}{os.sep}"):
        return True
    with suppress(OSError):
        if own.parent.name == "worktrees" and os.path.realpath(Path(_pointer(own / "gitdir")).parent) == here:
            return True
        config = read_plain(own / "config", _MOST_POINTER).decode("utf-8", "surrogateescape")
        trees = [found[1].strip().strip('"') for found in _WORK_TREE.finditer(config)]
        return bool(trees) and os.path.realpath(own / trees[-1]) == here
    return False


def _pointer(file: Path) -> str:
    return read_plain(file, _MOST_POINTER).decode("utf-8", "surrogateescape").strip()


def _work_tree(root: Path) -> dict[str, str]:
    """The folder that has the `.git`, whatever the repository's configuration says: another would be read instead."""
    top = None if _is_bare(root) else _top(root)
    return {"GIT_WORK_TREE": os.fspath(top)} if top else {}


def _is_bare(root: Path) -> bool:
    """Whether a folder is itself a repository without a working tree, wherever it lies."""
    if os.path.lexists(root / ".git"):
        return False
    return (root / "HEAD").is_file() and (root / "objects").is_dir() and (root / "refs").is_dir()


def _top(root: Path) -> Path | None:
    real = Path(os.path.realpath(root))
    return next((folder for folder in (real, *real.parents) if _is_mark(folder / ".git")), None)


def _is_mark(mark: Path) -> bool:
    """As git sees it: a folder that holds no repository is passed over."""
    return os.path.lexists(mark / "HEAD") if mark.is_dir() else os.path.lexists(mark)


def _odd_files(repository: Path) -> Iterator[Path]:
    """Entries of git's own folders, and of the repository itself, that are neither folders nor plain files."""
    left = MOST_ENTRIES
    with suppress(OSError), os.scandir(repository) as own:
        yield from (Path(one.path) for one in own if one.name not in _NEVER_READ and _is_odd(one))
    waiting = [os.fspath(repository / name) for name in _FOLDERS]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                left -= 1
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif _is_odd(entry):
                    yield Path(entry.path)
        if left < 0:
            raise Refused(f"{repository} has more than {MOST_ENTRIES:,} files, which cannot all be checked")


def _is_odd(entry: "os.DirEntry[str]") -> bool:
    return not (entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False))


def _is_special(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
