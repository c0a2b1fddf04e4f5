"""The first answers of `clew mcp`, from a file of the package: loading the MCP SDK takes a second, and clients wait for
the greeting and the list of tools.

Whatever is not plainly one of these requests is left to the SDK, which then reads the greeting as well; its own answer
to it is dropped. `scripts/reference.py` makes the file from the server itself.
"""

import json
import os
import select
import sys
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

FILE = "greeting.json"
FIRST_WAIT, NEXT_WAIT = 0.5, 1.0  # seconds for the first message and for further ones; meanwhile nothing is loaded
_READ = 1 << 16


class Greeted(NamedTuple):
    """What was read and not answered for good, and the ids of requests whose second answer must not be sent."""

    unread: bytes = b""
    answered: frozenset[str | int] = frozenset()


def greet(toolsets: tuple[str, ...], *, read_only: bool, most: int) -> Greeted:
    """Answer what the file answers, until something else is asked. `most` is how many bytes a message may have."""
    if sys.platform == "win32" or read_only or toolsets != ("core",):
        return Greeted()
    return _Greeting(most).run()


class _Greeting:
    def __init__(self, most: int) -> None:
        self._most = most
        self._buffer = b""
        self._kept: list[bytes] = []
        self._answered: set[str | int] = set()
        self._ready = False  # the client has confirmed the greeting

    def run(self) -> Greeted:
        wait = FIRST_WAIT
        while (line := self._next_line(wait)) and self._take(line):
            wait = NEXT_WAIT
        return Greeted(b"".join(self._kept) + self._buffer, frozenset(self._answered))

    def _next_line(self, wait: float) -> bytes:
        """The next message; nothing if none comes in time, it is too long, or the client is gone."""
        while b"\n" not in self._buffer:
            if len(self._buffer) > self._most or not select.select([0], [], [], wait)[0]:
                return b""
            read = os.read(0, _READ)
            if not read:
                return b""
            self._buffer += read
        return self._buffer[: self._buffer.index(b"\n") + 1]

    def _take(self, line: bytes) -> bool:
        """Whether the line is dealt with, and a further one may be."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return False
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return False
        method, params = message.get("method"), message.get("params", {})
        number: str | int | None = message.get("id")
        known = isinstance(params, dict) and isinstance(number, str | int) and not isinstance(number, bool)
        if method == "notifications/initialized" and "id" not in message and self._answered:
            self._ready = True
            return self._keep(line)
        if method == "initialize" and known and not self._answered and _is_greeting(params):
            _send(number, {**_read_record()["greeting"], "protocolVersion": params["protocolVersion"]})
            self._answered.add(number or 0)
            return self._keep(line)
        if method == "tools/list" and known and self._ready and not params.keys() - {"_meta"}:
            _send(number, {"tools": _read_record()["tools"]})
            self._buffer = self._buffer[len(line) :]
            return False  # time to load the SDK: the next message is most likely a call
        return False

    def _keep(self, line: bytes) -> bool:
        self._buffer = self._buffer[len(line) :]
        self._kept.append(line)
        return True


def _is_greeting(params: dict[str, Any]) -> bool:
    client = params.get("clientInfo")
    return (
        params.get("protocolVersion") in _read_record()["versions"]
        and isinstance(params.get("capabilities"), dict)
        and isinstance(client, dict)
        and isinstance(client.get("name"), str)
        and isinstance(client.get("version"), str)
    )


@cache
def _read_record() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files("clew.surfaces").joinpath(FILE).read_text("utf-8"))
    return found


def _send(number: object, result: dict[str, Any]) -> None:
    reply = json.dumps({"jsonrpc": "2.0", "id": number, "result": result}, ensure_ascii=False, separators=(",", ":"))
    left = reply.encode() + b"\n"
    while left:
        left = left[os.write(1, left) :]
