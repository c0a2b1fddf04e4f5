"""Commands of Clew as processes that need not load it, see `tests/zygote.py`."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO, TextIO

ZYGOTE = Path(__file__).with_name("zygote.py")
LONGEST = 100_000  # characters of a command that goes into one message
AT_THE_START = ("PYTHON", "LC_", "LANG", "LD_")  # what Python asks for once
FORKED_TOO = "PYTHONPATH"  # but this a fork puts before its own path


class Forked:
    """A forked command that runs: what tests use of a `subprocess.Popen`."""

    def __init__(self, pid: int, ends: TextIO, stdin: BinaryIO | None, stdout: BinaryIO | None) -> None:
        self.pid, self.stdin, self.stdout = pid, stdin, stdout
        self.returncode: int | None = None
        self._ended = threading.Event()
        threading.Thread(target=self._await_end, args=(ends,), daemon=True).start()

    def _await_end(self, ends: TextIO) -> None:
        with ends:
            self.returncode = int(ends.readline() or -signal.SIGKILL)
        self._ended.set()

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if not self._ended.wait(timeout):
            raise subprocess.TimeoutExpired("clew", timeout or 0.0)
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class Zygote:
    """One process that has loaded Clew, and its forks; it ends with this one."""

    def __init__(self) -> None:
        self._environ = _asked_once(os.environ)
        self._asked, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._sending = threading.Lock()
        with theirs:
            command = [sys.executable, str(ZYGOTE), str(theirs.fileno())]
            quiet = subprocess.DEVNULL
            self.process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=quiet, stdout=quiet)

    def can(self, arguments: Sequence[str], environ: Mapping[str, str]) -> bool:
        """Whether a fork is what a new process would be."""
        return _asked_once(environ) == self._environ and sum(map(len, arguments)) < LONGEST

    def run(
        self, arguments: Sequence[str], cwd: Path, environ: Mapping[str, str], stdin: str, timeout: float
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end, as `subprocess.run` does; one that takes too long is killed."""
        (theirs_in, ours_in), (out, theirs_out), (err, theirs_err) = (os.pipe() for _ in range(3))
        running = self._fork(arguments, cwd, environ, [theirs_in, theirs_out, theirs_err])
        for file in (theirs_in, theirs_out, theirs_err):
            os.close(file)
        with ThreadPoolExecutor(3) as pool:
            limit = threading.Timer(timeout, running.kill)
            limit.start()
            said = [pool.submit(_read, file) for file in (out, err)]
            pool.submit(_write, ours_in, stdin)
            code = running.wait()
            written = [one.result() for one in said]
            limit.cancel()
        return subprocess.CompletedProcess(["clew", *arguments], code, *written)

    def start(
        self, arguments: Sequence[str], cwd: Path, environ: Mapping[str, str], stderr: int, code: str = ""
    ) -> Forked:
        """Start what is written to and read from while it runs: a command of Clew, or Python code with arguments."""
        (theirs_in, ours_in), (out, theirs_out) = (os.pipe() for _ in range(2))
        running = self._fork(arguments, cwd, environ, [theirs_in, theirs_out, stderr], code)
        for file in (theirs_in, theirs_out):
            os.close(file)
        running.stdin, running.stdout = os.fdopen(ours_in, "wb"), os.fdopen(out, "rb")
        return running

    def _fork(
        self, arguments: Sequence[str], cwd: Path, environ: Mapping[str, str], files: list[int], code: str = ""
    ) -> Forked:
        told, theirs_told = os.pipe()
        asked = {"arguments": list(arguments), "cwd": str(cwd), "environ": dict(environ), "code": code}
        with self._sending:
            socket.send_fds(self._asked, [json.dumps(asked).encode()], [*files, theirs_told])
        os.close(theirs_told)
        ends = os.fdopen(told, encoding="utf-8")
        return Forked(int(ends.readline()), ends, None, None)


@cache
def zygote() -> Zygote:
    return Zygote()


def _asked_once(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if name.startswith(AT_THE_START) and name != FORKED_TOO}


def _read(file: int) -> str:
    with os.fdopen(file, encoding="utf-8") as lines:
        return lines.read()


def _write(file: int, text: str) -> None:
    with suppress(BrokenPipeError), os.fdopen(file, "w", encoding="utf-8") as lines:
        lines.write(text)
