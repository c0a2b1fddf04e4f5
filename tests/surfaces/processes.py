"""Clew as people run it: a command, a server, an MCP client on plain pipes. No traceback is ever an answer."""

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from clew.tools.registry import select
from tests.forking import Forked, zygote

CLEW = (sys.executable, "-m", "clew")
Process = subprocess.Popen[bytes] | Forked
PATIENCE = 30.0  # seconds until a process that does not answer is taken for stuck

# Root may read everything: without these capabilities it is held to permissions as anybody is.
HELD_TO_PERMISSIONS = (
    ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all") if os.geteuid() == 0 else ()
)


def offered(*toolsets: str, read_only: bool = False) -> list[str]:
    """The names of the tools that a server of some toolsets lists."""
    return [tool.name for tool in select(toolsets, read_only=read_only)]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def clew(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, under: tuple[str, ...] = (), stdin: str = ""
) -> Outcome:
    """Run one command to its end in a process that need not load it, unless `under` is what starts it."""
    environ = os.environ | dict(env or {})
    if under or not zygote().can(arguments, environ):
        return started(*under, *CLEW, *arguments, cwd=cwd, env=env, stdin=stdin)
    return _outcome(zygote().run(arguments, cwd, environ, stdin, 2 * PATIENCE))


def started(*command: str, cwd: Path, env: Mapping[str, str] | None = None, stdin: str = "") -> Outcome:
    """Start a command as a shell does, and wait for its end."""
    done = subprocess.run(
        command, cwd=cwd, env=os.environ | dict(env or {}), input=stdin, capture_output=True, encoding="utf-8",
        timeout=2 * PATIENCE,
    )  # fmt: skip
    return _outcome(done)


def _outcome(done: "subprocess.CompletedProcess[str]") -> Outcome:
    assert "Traceback" not in done.stderr, done.stderr
    return Outcome(done.returncode, done.stdout, done.stderr)


@dataclass(frozen=True, slots=True)
class Server:
    """A `clew serve` that listens."""

    process: Process
    url: str
    log: Path

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def client(self, **headers: str) -> httpx.Client:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return httpx.Client(base_url=self.url, headers=named, timeout=PATIENCE, verify=False)

    def post(self, tool: str, arguments: Mapping[str, object], **headers: str) -> httpx.Response:
        with self.client(**headers) as client:
            return client.post(f"/tools/{tool}", json=arguments)

    def get(self, path: str, **headers: str) -> httpx.Response:
        with self.client(**headers) as client:
            return client.get(path)

    def resident_bytes(self) -> int:
        """The most memory that the server ever held."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text("utf-8").splitlines()
        peak = next(line for line in lines if line.startswith("VmHWM:"))
        return int(peak.split()[1]) * 1024


@contextmanager
def serving(
    root: Path,
    log: Path,
    *options: str,
    env: Mapping[str, str] | None = None,
    clew: Sequence[str] = CLEW,
    stops: bool = False,
) -> Iterator[Server]:
    """A server of the project, on a free port of this machine, until the block ends, unless it `stops` before."""
    process = _background(clew, ["-C", str(root), "serve", "--port", "0", *options], log, os.environ | dict(env or {}))
    try:
        yield Server(process, _address(process, log), log)
    finally:
        ended_by_itself = process.poll()
        process.terminate()
        process.wait(PATIENCE)
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()
    said = log.read_text("utf-8")
    assert stops or ended_by_itself is None, f"exit {ended_by_itself}: {said}"
    assert "Traceback" not in said, said


def _background(clew: Sequence[str], arguments: Sequence[str], log: Path, environ: Mapping[str, str]) -> Process:
    """A server on pipes, in a process that need not load Clew unless another command than our own starts it."""
    with log.open("wb") as stderr:
        code = clew[2] if clew[:2] == (sys.executable, "-c") else ""
        if (code or clew == CLEW) and zygote().can(arguments, environ):
            return zygote().start(arguments, Path.cwd(), environ, stderr.fileno(), code)
        pipe = subprocess.PIPE
        return subprocess.Popen([*clew, *arguments], stdin=pipe, stdout=pipe, stderr=stderr, env=dict(environ))


def _address(process: Process, log: Path) -> str:
    """Where the server listens, once it does."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        said = log.read_text("utf-8")
        if "serving on " in said:
            url = said.partition("serving on ")[2].split()[0]
            try:
                httpx.get(f"{url}/", timeout=PATIENCE, verify=False)
            except httpx.ConnectError:
                pass
            else:
                return url
        time.sleep(0.05)
    raise AssertionError(f"no server: {log.read_text('utf-8')}")


class Pipes:
    """An MCP client that writes lines and reads lines, and knows nothing else."""

    def __init__(self, process: Process) -> None:
        assert process.stdin and process.stdout
        self.process = process
        self._stdin = process.stdin
        self._stdout = process.stdout
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._last = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def greet(self) -> dict[str, Any]:
        client = {"name": "pipes", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        welcome = self.ask("initialize", params)
        self.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode())
        return welcome

    def ask(self, method: str, params: Mapping[str, object] | None = None) -> dict[str, Any]:
        self._last += 1
        message = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params or {}}
        self.write(json.dumps(message).encode())
        while (answer := json.loads(self._lines.get(timeout=PATIENCE))).get("id") != self._last:
            pass
        result: dict[str, Any] = answer["result"]
        return result

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """The envelope of a tool's answer."""
        reply = self.ask("tools/call", {"name": tool, "arguments": arguments})
        envelope: dict[str, Any] = json.loads(reply["content"][0]["text"])
        assert envelope["ok"] is not reply.get("isError", False)
        return envelope

    def write(self, line: bytes) -> None:
        self._stdin.write(line + b"\n")
        self._stdin.flush()

    def close(self) -> int:
        """Hang up; returns the exit code of the server, which ends by itself."""
        self._stdin.close()
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        self._stdout.close()
        return code

    def _read(self) -> None:
        for line in self._stdout:
            self._lines.put(line)


@contextmanager
def mcp_on_pipes(root: Path, log: Path, *options: str, clew: Sequence[str] = CLEW) -> Iterator[Pipes]:
    """An MCP server of the project, until the block ends."""
    pipes = Pipes(_background(clew, ["-C", str(root), "mcp", *options], log, os.environ))
    try:
        yield pipes
    finally:
        if pipes.process.poll() is None:
            pipes.close()
    assert "Traceback" not in log.read_text("utf-8"), log.read_text("utf-8")
