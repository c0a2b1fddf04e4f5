"""The time of the current question, and the store's answers within it: state that was read since then need not be
read again."""

import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from clew.model.errors import SnapshotDamaged

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
    """A read of the store; within one question, repeated reads return the first result: a server may be far away."""
    told = _told.get()
    if told is None:
        return ask()
    if key not in told:
        told[key] = ask()
    answer: T = told[key]
    return answer


def tell(key: Hashable, answer: object) -> None:
    """Record the result of a read in advance, for later callers of `once`."""
    if (told := _told.get()) is not None:
        told[key] = answer


def look_again() -> None:
    """Forget recorded results after a write, or after waiting for another writer."""
    if told := _told.get():
        told.clear()


def past_damage(ask: Callable[[], T]) -> T:
    """The result of a question without effects; it is asked again if a snapshot turned out to be damaged on the way,
    since that snapshot is not used any more."""
    try:
        return ask()
    except SnapshotDamaged:
        look_again()
        return ask()
