"""A call of a server, in a thread: it ends at its deadline, or when nobody waits for it any more."""

import os
import sys
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from anyio import create_task_group, sleep_forever, to_thread

from clew.model.errors import Interrupted
from clew.runtime.deadline import Deadline, limit, stop_soon

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
