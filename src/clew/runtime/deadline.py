"""The deadline of a request, and whether its client still waits.

A thread cannot be stopped from outside, so long-running code calls `check` regularly: every statement of a store,
every file and every process of git, and loops that grow with a project or with a request.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event
from typing import TypeVar

from clew.model.errors import ClewError, TimedOut, Unavailable

T = TypeVar("T")

_EVERY = 256  # of a loop's steps

_stopping = Event()  # the process is to end


class Deadline:
    """Deadline of one request. `cancel` is thread-safe and may be called repeatedly."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._cancelled = False

    def cancel(self) -> None:
        self._cancelled = True

    @property
    def problem(self) -> ClewError | None:
        """Why the request is to end now, if it is."""
        if self._cancelled:
            return Unavailable("the client that asked this is gone")
        if _stopping.is_set():
            return Unavailable("this server is shutting down")
        if time.monotonic() > self._end:
            return TimedOut(f"this took longer than {self._seconds:g} seconds")
        return None


_deadline: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


@contextmanager
def limit(deadline: Deadline) -> Iterator[None]:
    """Work inside, including threads that inherit the context, ends with the deadline."""
    token = _deadline.set(deadline)
    try:
        yield
    finally:
        _deadline.reset(token)


def current() -> Deadline | None:
    """The deadline of the request at hand, for threads that watch over it."""
    return _deadline.get()


def check() -> None:
    """Raises if the request at hand is to end; without a request nothing ends."""
    if problem := reason_to_end():
        raise problem


def reason_to_end() -> ClewError | None:
    """Why the request at hand is to end."""
    deadline = _deadline.get()
    return deadline.problem if deadline is not None else None


def is_over() -> bool:
    return reason_to_end() is not None


def in_time(values: Iterable[T], every: int = _EVERY) -> Iterator[T]:
    """The values, as long as the request may go on; `every` so many are checked."""
    for number, value in enumerate(values):
        if not number % every:
            check()
        yield value


def stop_all() -> None:
    """Every request of this process ends at its next check."""
    _stopping.set()


def stop_soon(patience: float, force: Callable[[], None], mercy: float = 1.0) -> None:
    """Let running requests end by themselves, then at their next check; the rest is ended by `force`."""
    time.sleep(patience)
    stop_all()
    time.sleep(mercy)
    force()
