"""Progress of a long call, for surfaces that show it. Work reports; without a listener nothing happens."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

ProgressListener = Callable[[int, int, str], None]  # done, of how many (0: unknown), and what is worked on

_listener: ContextVar[ProgressListener | None] = ContextVar("progress", default=None)


@contextmanager
def listen(listener: ProgressListener) -> Iterator[None]:
    """Reports of the work inside, and of threads that inherit the context, go to the listener."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report(done: int, total: int = 0, what: str = "") -> None:
    if listener := _listener.get():
        listener(done, total, what)
