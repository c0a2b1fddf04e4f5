"""When the question at hand was asked: whoever has looked at something since then need not look again to answer it."""

import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")

_told: ContextVar[dict[Hashable, Any] | None] = ContextVar("told", default=None)
_asked: ContextVar[float | None] = ContextVar("asked", default=None)


def asked_at() -> float:
    """By the monotonic clock; now, if nobody said that several steps are one question."""
    asked = _asked.get()
    return time.monotonic() if asked is None else asked


@contextmanager
def one_question() -> Iterator[None]:
    """All that is asked inside is asked at once, as of the outermost beginning."""
    token, told = _asked.set(asked_at()), _told.set({} if _told.get() is None else _told.get())
    try:
        yield
    finally:
        _asked.reset(token)
        _told.reset(told)


def once(key: Hashable, ask: Callable[[], T]) -> T:
    """What a store says now; within one question, what it said the first time: a server may be far away."""
    told = _told.get()
    if told is None:
        return ask()
    if key not in told:
        told[key] = ask()
    answer: T = told[key]
    return answer


def tell(key: Hashable, answer: object) -> None:
    """What a store was asked ahead of who will ask `once`."""
    if (told := _told.get()) is not None:
        told[key] = answer


def look_again() -> None:
    """What was told may be so no longer: we wrote, or waited for somebody who did."""
    if told := _told.get():
        told.clear()
