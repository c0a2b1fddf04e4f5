"""Checks the clients' configuration: which of them have Clew, and whether its server starts as they would start it.

Only this Clew is started, whatever a client's configuration names: a repository cannot have another program run.
"""

import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from clew.model.health import HealthCheck, HealthState
from clew.runtime.plain import read_plain
from clew.surfaces.clients import jsonc
from clew.surfaces.clients.catalog import CLIENTS, InstallScope, InstallSite, own_command
from clew.surfaces.clients.edits import JsonHooks, JsonServer, TomlServer, is_our_server, value_at
from clew.surfaces.clients.installation import MOST_BYTES, leads_out

SECONDS = 30.0  # until a server that does not answer counts as stuck
_GREETING = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
    '"clientInfo":{"name":"clew-doctor","version":"1"}}}\n'
    '{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
    '{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n'
)


def check_clients(project: Path, environ: Mapping[str, str] = os.environ) -> Iterator[HealthCheck]:
    """A check for each file in which a client is told of Clew, and one for all if none is."""
    started: dict[tuple[str, ...], str] = {}
    known = 0
    for scope in InstallScope:
        site = InstallSite(project, Path.home(), scope, own_command(environ), sys.platform, environ)
        for client in CLIENTS:
            for path, part in client.parts(site):
                if isinstance(part, JsonServer | TomlServer) and (entry := _entry(path, part, site)) is not None:
                    known += 1
                    yield _check(f"{client.title} ({scope})", path, entry, site, started)
                elif isinstance(part, JsonHooks) and (missing := _hooks_without_clew(path, site)):
                    yield missing
    if not known:
        yield HealthCheck("clients", HealthState.NOTE, "no client is set up here", "Set one up with `clew init`.")


def _entry(path: Path, part: JsonServer | TomlServer, site: InstallSite) -> Any:
    try:
        text = _text(path, site)
        if isinstance(part, TomlServer):
            return value_at(tomllib.loads(text), tuple(part.table.split(".")))
        return value_at(jsonc.read(text), (*part.path, "clew"))
    except (OSError, ValueError, RecursionError):
        return None


def _text(path: Path, site: InstallSite) -> str:
    if leads_out(path.resolve(), site):
        raise OSError("it is a link that leads out of the project")
    return read_plain(path, MOST_BYTES).decode("utf-8-sig")


def _hooks_without_clew(path: Path, site: InstallSite) -> HealthCheck | None:
    """Hooks are silent without Clew, so that this is the only place that tells."""
    with suppress(OSError, ValueError):
        if "clew hook " in _text(path, site) and not shutil.which("clew", path=site.environ.get("PATH", "")):
            finding = f"the hooks in {path} do nothing: clew is not on the PATH"
            return HealthCheck("hooks", HealthState.WARNING, finding, "Install Clew for this user: pipx install clew.")
    return None


def _check(name: str, path: Path, entry: object, site: InstallSite, started: dict[tuple[str, ...], str]) -> HealthCheck:
    if not is_our_server(entry):
        finding = f"{path} has a server named clew that was written by hand; it is not started"
        return HealthCheck(name, HealthState.NOTE, finding)
    words = _words(entry, site)
    program = shutil.which(words[0], path=site.environ.get("PATH", ""))
    if program is None:
        hint = "Install Clew where the client finds it, or write its path: `clew init --scope user`."
        return HealthCheck(name, HealthState.WARNING, f"{path}: {words[0]} cannot be found", hint)
    if _folder_of(words) not in ("", ".", str(site.project)):
        return HealthCheck(name, HealthState.NOTE, f"{path} starts Clew in another folder, which is not tried here")
    command = _own_server(words, program, site)
    if not command:
        return HealthCheck(name, HealthState.NOTE, f"{path} starts another Clew ({program}), which is not tried here")
    if command not in started:
        started[command] = _start(command, site)
    if problem := started[command]:
        return HealthCheck(name, HealthState.FAULT, f"{path}: {problem}", f"Try it: {' '.join(words)}")
    return HealthCheck(name, HealthState.OK, f"{path}: the server starts and lists its tools")


def _words(entry: object, site: InstallSite) -> tuple[str, ...]:
    whole: Mapping[str, Any] = entry if isinstance(entry, dict) else {}
    command = whole.get("command")
    words = command if isinstance(command, list) else [command, *whole.get("args", ())]
    return tuple(str(word).replace("${workspaceFolder}", str(site.project)) for word in words)


def _folder_of(words: tuple[str, ...]) -> str:
    return words[words.index("-C") + 1] if "-C" in words else ""


def _own_server(words: tuple[str, ...], program: str, site: InstallSite) -> tuple[str, ...]:
    """The command to try, if the file that is named is ours (this interpreter with our module, or the user's own
    `clew`); else empty."""
    if "-m" in words:  # a link to the interpreter may belong to an environment with other modules
        return (program, "-P", "-m", "clew", "mcp") if Path(program) == Path(sys.executable) else ()
    own = shutil.which(own_command(site.environ)[0], path=site.environ.get("PATH", ""))
    if own is None or not Path(own).is_absolute() or Path(program).stem != "clew":
        return ()
    return (own, "mcp") if Path(own).resolve() == Path(program).resolve() else ()


def _start(command: tuple[str, ...], site: InstallSite) -> str:
    """Start the server in the project, ask for its tools, and end it; returns what went wrong."""
    quiet, pipe = {**site.environ, "CLEW_BOOTSTRAP_ENABLED": "false"}, subprocess.PIPE  # nothing is indexed for a check
    try:
        server = subprocess.Popen(
            command, cwd=site.project, env=quiet, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
        )
    except OSError as error:
        return f"it cannot be started: {error.strerror}"
    lines: queue.Queue[bytes] = queue.Queue()
    with suppress(OSError), server:  # one that has ended cannot be closed
        assert server.stdin is not None
        assert server.stdout is not None
        threading.Thread(target=_read, args=(server.stdout, lines), daemon=True).start()
        try:
            server.stdin.write(_GREETING.encode())
            server.stdin.flush()
            return _wait_for_tools(lines)
        finally:
            server.kill()
    return "the server ended at once"


def _read(source: IO[bytes], lines: "queue.Queue[bytes]") -> None:
    for line in iter(source.readline, b""):
        lines.put(line)
    lines.put(b"")


def _wait_for_tools(lines: "queue.Queue[bytes]") -> str:
    try:
        while line := lines.get(timeout=SECONDS):
            message = json.loads(line)
            if message.get("id") == 2:
                return "" if message.get("result", {}).get("tools") else "it lists no tools"
    except queue.Empty:
        return f"it did not answer within {SECONDS:.0f} seconds"
    except ValueError:
        return "it writes something that is not a message"
    return "the server ended before it listed its tools"
