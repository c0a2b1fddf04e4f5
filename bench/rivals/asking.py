"""Our side of asking another tool: its process is started in its own environment, and given so much time."""

import json
import os
import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from bench.rivals.talk import Found

HERE = Path(__file__).resolve().parents[2]
LAST_WORDS = 200  # characters of what a tool said before it failed


class Tool(NamedTuple):
    """`module` is what asks it, `python` the interpreter that has it installed."""

    name: str
    module: str
    python: Path
    environ: Mapping[str, str] = MappingProxyType({})


class Failed(Exception):
    """A tool that could not be run, and why."""


class Indexed(NamedTuple):
    seconds: float
    cpu: float
    stored: int
    note: str
    limited: bool


class Asked(NamedTuple):
    found: list[Found]
    ms: float
    cpu_ms: float


class Asking:
    """A tool that is ready."""

    def __init__(self, process: "subprocess.Popen[str]", deadline: float, errors: Path) -> None:
        self._process = process
        self._deadline = deadline
        self._errors = errors
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        said = self._next()
        self.indexed = Indexed(said["seconds"], said["cpu"], said["bytes"], said["note"], said["limited"])

    def ask(self, query: str, limit: int) -> Asked:
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps({"query": query, "limit": limit}) + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise Failed(self._last_words()) from error
        said = self._next()
        return Asked([Found(*place) for place in said["found"]], said["ms"], said["cpu_ms"])

    def _listen(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def _next(self) -> Any:
        try:
            line = self._lines.get(timeout=max(self._deadline - time.monotonic(), 0.001))
        except queue.Empty:
            raise Failed("out of time") from None
        if not line:
            raise Failed(self._last_words())
        return json.loads(line)

    def _last_words(self) -> str:
        said = self._errors.read_text("utf-8", "replace").strip().splitlines()
        return f"it ended: {said[-1][-LAST_WORDS:] if said else 'without a word'}"


@contextmanager
def asking(tool: Tool, root: Path, seconds: float) -> Iterator[Asking]:
    """Have a tool index a folder and answer; it is ended with the block, or once its time is up."""
    with tempfile.TemporaryDirectory(prefix="clew-rival-") as kept:
        scratch = Path(kept)
        errors = scratch / "errors"
        command: list[str | Path] = [tool.python, "-P", "-m", tool.module, root, scratch]
        with errors.open("w", encoding="utf-8") as err:
            process = subprocess.Popen(
                command,
                cwd=scratch,
                env=_environ(tool, scratch),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=err,
                text=True,
            )
        try:
            yield Asking(process, time.monotonic() + seconds, errors)
        finally:
            process.kill()
            process.communicate()


def _environ(tool: Tool, scratch: Path) -> dict[str, str]:
    """Nothing is fetched, nothing is left behind in a home, and the same strings have the same hashes."""
    return {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(scratch),
        "XDG_CACHE_HOME": str(scratch / "cache"),
        "PYTHONPATH": str(HERE),
        "PYTHONHASHSEED": "0",
        "HF_HUB_OFFLINE": "1",
        **tool.environ,
    }
