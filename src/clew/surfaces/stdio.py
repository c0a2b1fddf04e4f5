"""Standard streams: a message a line, for clients that keep to JSON-RPC's letter and for those that do not."""

import io
import json
import math
import os
import threading
from collections import Counter
from collections.abc import AsyncIterable, AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

import anyio
import mcp_types as types
from anyio import from_thread
from anyio.abc import ObjectSendStream
from anyio.lowlevel import EventLoopToken, current_token
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError
from typing_extensions import Buffer

from clew.surfaces.calls import legible
from clew.surfaces.greeting import Greeted

Read = SessionMessage | Exception
Line = bytes | int  # or, of one that is longer than that, the limit


@asynccontextmanager
async def streams(
    longest: int, greeted: Greeted
) -> AsyncIterator[tuple[MemoryObjectReceiveStream[Read], MemoryObjectSendStream[SessionMessage]]]:
    """The streams from and to the client; the first ends once all requests are answered. `longest` is how many bytes a
    line may have; `greeted` was read and answered before."""
    nothing = anyio.wrap_file(io.StringIO())  # what the SDK is to read: it would wait for a line through Ctrl-C
    async with stdio_server(nothing) as (_, write), anyio.create_task_group() as beside:
        asked, received = anyio.create_memory_object_stream[Read]()
        answers, answered = anyio.create_memory_object_stream[SessionMessage]()
        wire = _Wire(answers.clone(), greeted.answered)
        beside.start_soon(wire.take, _lines(longest, greeted.unread), asked)
        beside.start_soon(wire.give, answered, write)
        yield received, answers


def _lines(longest: int, unread: bytes) -> MemoryObjectReceiveStream[Line]:
    """Of standard input, by a thread that nobody waits for."""
    read, lines = anyio.create_memory_object_stream[Line](math.inf)
    threading.Thread(target=_read, args=(_own_input(unread), longest, read, current_token()), daemon=True).start()
    return lines


class _ResumedInput(io.RawIOBase):
    """Standard input from where the greeting has left it."""

    def __init__(self, descriptor: int, unread: bytes) -> None:
        self._descriptor = descriptor
        self._unread = unread

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        view = memoryview(buffer)
        taken = self._unread[: len(view)] or os.read(self._descriptor, len(view))
        self._unread = self._unread[len(taken) :]
        view[: len(taken)] = taken
        return len(taken)


def _own_input(unread: bytes) -> io.BufferedReader:
    """Standard input under a descriptor of its own: child processes must not read the client's messages."""
    own = os.dup(0)
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    return io.BufferedReader(_ResumedInput(own, unread))


def _read(wire: io.BufferedReader, longest: int, read: MemoryObjectSendStream[Line], token: EventLoopToken) -> None:
    with suppress(RuntimeError, anyio.BrokenResourceError):  # the loop has ended while we waited
        for line in _bounded_lines(wire, longest):
            from_thread.run_sync(read.send_nowait, line, token=token)
        from_thread.run_sync(read.close, token=token)


def _bounded_lines(wire: io.BufferedReader, longest: int) -> Iterator[Line]:
    """Each line; in place of one that is too long, the limit: it is read past and never held as a whole."""
    while line := wire.readline(longest + 1):
        if len(line) <= longest or line.endswith(b"\n"):
            yield line
            continue
        while (rest := wire.readline(longest + 1)) and not rest.endswith(b"\n"):
            pass
        yield longest


class _Writing(Protocol):
    async def send(self, item: SessionMessage, /) -> None: ...
    async def aclose(self) -> None: ...


class _Wire:
    """The connection, and its pending requests."""

    def __init__(self, answers: ObjectSendStream[SessionMessage], known: frozenset[types.RequestId]) -> None:
        self._answers = answers
        self._known = set(known)  # requests whose answer was sent before
        self._open: Counter[types.RequestId] = Counter()  # some clients give a number twice
        self._answered = anyio.Event()

    async def take(self, lines: AsyncIterable[Line], asked: ObjectSendStream[Read]) -> None:
        """A client that closes its end still expects answers, as in `clew mcp < requests`."""
        async with asked, self._answers:
            async for line in lines:
                for message in _messages(line):
                    if isinstance(message, SessionMessage):
                        self._note(message.message)
                        await asked.send(message)
                    else:
                        await self._answers.send(SessionMessage(message))
            while self._open:
                self._answered = anyio.Event()
                await self._answered.wait()

    async def give(self, answered: AsyncIterable[SessionMessage], write: _Writing) -> None:
        try:
            async for one in answered:
                if not self._is_known(one.message):
                    await write.send(one)
                if isinstance(one.message, types.JSONRPCResponse | types.JSONRPCError):
                    self._forget_call(one.message.id)
        finally:
            await write.aclose()

    def _is_known(self, message: types.JSONRPCMessage) -> bool:
        if not isinstance(message, types.JSONRPCResponse | types.JSONRPCError) or message.id not in self._known:
            return False
        self._known.discard(message.id)
        return True

    def _note(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCRequest):
            self._open[message.id] += 1
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._forget_call((message.params or {}).get("requestId"))  # it will not be answered

    def _forget_call(self, number: object) -> None:
        asked = _id(number)
        if asked is not None and self._open[asked]:
            self._open[asked] -= 1
            if not self._open[asked]:
                del self._open[asked]  # a server may answer for days
            self._answered.set()


def _messages(line: Line) -> Iterator[SessionMessage | types.JSONRPCError]:
    """The messages of a line, which may be a list; else an error to be sent."""
    if isinstance(line, int):
        told = f"the line has more than {line} bytes; server.max_body_mb is the limit"
        yield _refusal(None, types.INVALID_REQUEST, told)
        return
    text = legible(line).decode("utf-8", "replace").strip()
    if not text:
        return
    with suppress(ValidationError):
        message = _message(text)
        if not isinstance(message.message, types.JSONRPCNotification):  # the SDK takes one with an odd id for such
            yield message
            return
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        yield _refusal(None, types.PARSE_ERROR, f"the line is not JSON: {error}")
        return
    for part in value if isinstance(value, list) and value else [value]:
        if isinstance(part, dict) and "id" in part and "method" in part:
            part["id"] = _id(part["id"])
            if part["id"] is None:
                yield NO_ID
                continue
        try:
            yield _message(json.dumps(part))
        except ValidationError:
            told = 'a message is an object with jsonrpc: "2.0" and a method; its params, if any, are an object'
            yield _refusal(part, types.INVALID_REQUEST, told)


def _message(text: str) -> SessionMessage:
    return SessionMessage(types.jsonrpc_message_adapter.validate_json(text, by_name=False))


def _refusal(asked: Any, code: int, message: str) -> types.JSONRPCError:
    """With the id of the request, if it has one: the client waits for it."""
    number = _id(asked.get("id")) if isinstance(asked, dict) else None
    return types.JSONRPCError(jsonrpc="2.0", id=number, error=types.ErrorData(code=code, message=message))


NO_ID = _refusal(None, types.INVALID_REQUEST, "a request's id is a string or a whole number")


def has_odd_id(body: bytes) -> bool:
    """Whether it is a request with an id that the SDK rejects, and so takes for a notification."""
    with suppress(ValueError, RecursionError):
        value = json.loads(body)
        is_request = isinstance(value, dict) and "id" in value and "method" in value
        return is_request and (isinstance(value["id"], float) or _id(value["id"]) is None)
    return False


def _id(value: object) -> types.RequestId | None:
    """The id for an answer: 1.0 is 1, and an invalid id is null, as in JSON-RPC."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None
