"""The one place that starts a project's tests: the command that the user configured or accepted, never one of a caller.

No shell is involved. The command gets no input, runs in the project's root, and ends with its time or with the request.
"""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from clew.model.errors import Unavailable
from clew.runtime.deadline import check

_LOOK_S = 0.05


class ProcessResult(Struct, frozen=True):
    """`output` is the end of what was written, at most so many bytes; `cut` if there was more. Without an exit code,
    the time was over."""

    exit_code: int | None
    output: bytes
    cut: bool
    seconds: float


def run_tests(command: Sequence[str], root: Path, timeout: float, most_output: int) -> ProcessResult:
    """Run a command to its end, or to the end of its time."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                list(command),
                cwd=root,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise Unavailable(
                f"{command[0]} cannot be started: {error.strerror}", "Correct `command` under [tests]."
            ) from error
        try:
            exit_code = _wait(process, began + timeout)
        finally:
            _end(process)
        size = output.seek(0, os.SEEK_END)
        output.seek(max(0, size - most_output))
        return ProcessResult(exit_code, output.read(), size > most_output, time.monotonic() - began)


def _wait(process: "subprocess.Popen[bytes]", end: float) -> int | None:
    while (code := process.poll()) is None:
        if time.monotonic() > end:
            return None
        check()
        time.sleep(_LOOK_S)
    return code


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the process with all that it started."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        elif process.poll() is None:
            process.kill()
    process.wait()
