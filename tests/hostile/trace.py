"""Runs a program under strace, and says what it did that it must not."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

_CHANGING = (
    *("rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir", "symlink", "symlinkat"),
    *("link", "linkat", "chmod", "fchmodat", "chown", "fchownat", "truncate", "mknod", "mknodat", "utimensat"),
)
_OPENING = ("open", "openat", "openat2", "creat")
_SENDING = ("connect", "bind", "sendto", "sendmsg", "sendmmsg")
_TRACED = ",".join(f"?{call}" for call in (*_CHANGING, *_OPENING, *_SENDING, "execve", "execveat"))
_CALL = re.compile(r"(?P<name>\w+)\((?P<arguments>.*)\)\s+= (?P<result>-?\d+|\?)(?:<(?P<opened>.*)>)?")
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
_FOLDER = re.compile(r"(?:AT_FDCWD|\d+)<([^>]*)>")
_WRITING = re.compile(r"O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)")
_PROGRAMS = re.compile(r"python[\d.]*|git|setpriv|true|unshare")


class Sandbox(NamedTuple):
    """What a program may do: read and change some folders, and read others. All else is a finding."""

    base: Path
    changes: Sequence[re.Pattern[str]]
    reads: Sequence[re.Pattern[str]]


@cache
def is_there() -> bool:
    """Whether this machine lets us trace a process."""
    strace = shutil.which("strace")
    return bool(strace) and not subprocess.run([str(strace), "-f", "true"], capture_output=True).returncode


@cache
def without_network() -> tuple[str, ...]:
    """What starts a program without routes to anywhere; nothing, where that is not permitted."""
    for command in (("unshare", "-n"), ("unshare", "-rn")):
        if shutil.which("unshare") and not subprocess.run([*command, "true"], capture_output=True).returncode:
            return command
    return ()


def run(command: Sequence[str], folder: Path, environ: Mapping[str, str], timeout: float) -> None:
    """To its end, with one file of system calls for each of its processes in the folder."""
    folder.mkdir()
    strace = ["strace", "-ff", "-y", "-s", "4096", "-e", f"trace={_TRACED}", "-o", str(folder / "calls")]
    if _has_seccomp():
        strace.insert(1, "--seccomp-bpf")
    done = subprocess.run(
        [*strace, *without_network(), *command],
        env=environ,
        capture_output=True,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
    )
    assert not done.returncode, done.stderr.decode("utf-8", "replace")


@cache
def _has_seccomp() -> bool:
    command = ["strace", "-f", "--seccomp-bpf", "-o", os.devnull, "true"]
    return not subprocess.run(command, capture_output=True).returncode


def findings(folder: Path, sandbox: Sandbox) -> list[str]:
    """What the processes did that they must not, each as strace says it."""
    found = {f"{why}: {call}" for file in sorted(folder.iterdir()) for why, call in _findings(file, sandbox)}
    return sorted(found)


def _findings(file: Path, sandbox: Sandbox) -> Iterator[tuple[str, str]]:
    for call in file.read_text("utf-8", "replace").splitlines():
        if (parsed := _CALL.match(call)) and parsed["result"] != "-1" and (why := _fault(parsed, sandbox)):
            yield why, call
        elif parsed and parsed["name"] == "connect" and "AF_INET" in call:  # also where there is no route
            yield "sent", call


def _fault(call: re.Match[str], sandbox: Sandbox) -> str:
    name, arguments = call["name"], call["arguments"]
    if name in _SENDING:
        return "sent" if "AF_INET" in arguments else ""
    if name.startswith("execve"):
        program = _paths(arguments)[0]
        good = _PROGRAMS.fullmatch(Path(program).name) and not program.startswith(str(sandbox.base))
        return "" if good else "executed"
    if name in _OPENING:
        path = _plain(call["opened"] or "")
        if name == "creat" or _WRITING.search(arguments):
            return "" if _is_among(path, sandbox.changes) else "written"
        return "" if _is_among(path, sandbox.changes) or _may_read(path, sandbox) else "read"
    return "" if all(_is_among(path, sandbox.changes) for path in _paths(arguments)) else "changed"


def _may_read(path: str, sandbox: Sandbox) -> bool:
    if Path(path).is_relative_to(sandbox.base):
        return _is_among(path, sandbox.reads)
    return path.startswith(_system()) or path in _DEVICES or bool(_OF_PROCESSES.fullmatch(path))


_OF_PROCESSES = re.compile(r"/proc/(?:self|\d+)/(?:stat(?:us|m)?|cgroup|mountinfo|mounts|maps|fd|task)(?:/.*)?")
_DEVICES = ("/dev/null", "/dev/urandom", "/dev/random", "/")


@cache
def _system() -> tuple[str, ...]:
    """Where programs are, and what the system says of itself; of processes, not what their environment holds."""
    ours = Path(__file__).parents[2]
    packages = Path(msgspec.__file__).parents[1]
    folders = {sys.prefix, sys.base_prefix, str(packages), *sysconfig.get_paths().values()}
    python = folders | {os.path.realpath(folder) for folder in folders}
    kernel = ("/proc/meminfo", "/proc/cpuinfo", "/proc/sys/", "/proc/filesystems", "/sys/")
    return ("/usr/", "/lib", "/etc/", "/bin/", f"{ours}/src", f"{ours}/tests", *kernel, *python)


def _is_among(path: str, allowed: Sequence[re.Pattern[str]]) -> bool:
    return any(pattern.match(path) for pattern in allowed)


def _paths(arguments: str) -> list[str]:
    """The paths of a call, each with the folder that it starts from."""
    folders = _FOLDER.findall(arguments)
    texts = _TEXT.findall(arguments)
    starts = [*folders, *folders[-1:], *folders[-1:], "", ""]
    return [
        os.path.normpath(f"{start}/{text}" if text[:1] != "/" else text)
        for start, text in zip(starts, map(_plain, texts[:2]), strict=False)
    ]


def _plain(text: str) -> str:
    """As the name is, of the escapes of strace."""
    return re.sub(r"\\([0-7]{1,3})", lambda found: chr(int(found[1], 8)), text)
