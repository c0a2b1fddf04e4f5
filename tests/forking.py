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

ZYGOTE = Path(__file__).with_name("zygote.py")
LONGEST = 100_000  # characters of a command that goes into one message
AT_THE_START = ("PYTHON", "LC_", "LANG", "LD_")  # what Python asks for once


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
        (theirs_in, ours_in), (out, theirs_out), (err, theirs_err), (told, theirs_told) = (os.pipe() for _ in range(4))
        message = json.dumps({"arguments": list(arguments), "cwd": str(cwd), "environ": dict(environ)})
        theirs = [theirs_in, theirs_out, theirs_err, theirs_told]
        with self._sending:
            socket.send_fds(self._asked, [message.encode()], theirs)
        for file in theirs:
            os.close(file)
        with ThreadPoolExecutor(3) as pool, os.fdopen(told) as ends:
            limit = threading.Timer(timeout, os.kill, (int(ends.readline()), signal.SIGKILL))
            limit.start()
            said = [pool.submit(_read, file) for file in (out, err)]
            pool.submit(_write, ours_in, stdin)
            code = int(ends.readline())
            written = [one.result() for one in said]
            limit.cancel()
        return subprocess.CompletedProcess(["clew", *arguments], code, *written)


@cache
def zygote() -> Zygote:
    return Zygote()


def _asked_once(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if name.startswith(AT_THE_START)}


def _read(file: int) -> str:
    with os.fdopen(file, encoding="utf-8") as lines:
        return lines.read()


def _write(file: int, text: str) -> None:
    with suppress(BrokenPipeError), os.fdopen(file, "w", encoding="utf-8") as lines:
        lines.write(text)
