"""Calls of a server: the rights of the caller, the bytes made readable, and a thread for each call, which ends at its
deadline, or when nobody waits for it any more."""

import json
import os
import re
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TypeVar

from anyio import create_task_group, sleep_forever, to_thread
from msgspec import structs

from clew.model.errors import Denied, Interrupted
from clew.runtime.deadline import Deadline, limit, stop_soon
from clew.runtime.guard import TokenScope
from clew.tools.answer import Caller

ADMIN_TOOLS = frozenset({"rebuild_context", "cancel_rebuild", "graph_rebuild"})
_STAND_IN = "tools_call"


def limit_rights(caller: Caller, scope: TokenScope, name: str, arguments: Mapping[str, object]) -> Caller:
    """The caller with the rights of the token; raises if the tool needs more."""
    called = str(arguments.get("name", "")) if name == _STAND_IN else name
    if called in ADMIN_TOOLS and scope is not TokenScope.ADMIN:
        raise Denied(f"{called} needs a token with scope admin", "Ask whoever runs the server to call it.")
    return structs.replace(caller, read_only=True) if scope is TokenScope.READ else caller


BOM = b"\xef\xbb\xbf"

_HALF = re.compile(rb"\\u[dD][89a-fA-F]")  # of a character beyond the first 65,536, which JSON writes in two


def legible(body: bytes) -> bytes:
    """Without a byte order mark; half of a surrogate pair becomes `?`."""
    body = body.removeprefix(BOM)
    if not _HALF.search(body):
        return body
    try:
        return json.dumps(json.loads(body), ensure_ascii=False).encode("utf-8", "replace")
    except (ValueError, RecursionError):  # whoever reads it says what is wrong
        return body


T = TypeVar("T")

PATIENCE = 2  # seconds for answers under way when the server is asked to stop
MERCY = 2  # and for calls that were cancelled then


async def in_thread(call: Callable[[], T], seconds: float, gone: Callable[[], Awaitable[object]] = sleep_forever) -> T:
    """Run a call in a thread and return its result; `gone` returns once the client has hung up. Cancellation ends the
    call likewise."""
    deadline = Deadline(seconds)
    async with create_task_group() as beside:
        beside.start_soon(_cancel_when, gone, deadline)
        result = await to_thread.run_sync(partial(_call_within, deadline, call))
        beside.cancel_scope.cancel()
    return result


async def _cancel_when(gone: Callable[[], Awaitable[object]], deadline: Deadline) -> None:
    try:
        await gone()
    finally:  # also if the call is cancelled, which its thread does not notice
        deadline.cancel()


def _call_within(deadline: Deadline, call: Callable[[], T]) -> T:
    with limit(deadline):
        return call()


def end_in_time() -> None:
    """After a request to stop, exit within five seconds: acknowledged writes are on the disk."""
    threading.Thread(target=stop_soon, args=(PATIENCE, _exit, MERCY), name="clew-end", daemon=True).start()


def _exit() -> None:
    sys.stderr.flush()
    os._exit(Interrupted.exit_code)
