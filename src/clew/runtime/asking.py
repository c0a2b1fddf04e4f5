"""When the question at hand was asked: whoever has looked at something since then need not look again to answer it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_asked: ContextVar[float | None] = ContextVar("asked", default=None)


def asked_at() -> float:
    """By the monotonic clock; now, if nobody said that several steps are one question."""
    asked = _asked.get()
    return time.monotonic() if asked is None else asked


@contextmanager
def one_question() -> Iterator[None]:
    """All that is asked inside is asked at once, as of the outermost beginning."""
    token = _asked.set(asked_at())
    try:
        yield
    finally:
        _asked.reset(token)
