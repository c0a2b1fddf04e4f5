"""Several questions to the store at once: the answers are of one moment, and a server is waited for once."""

from collections.abc import Callable
from typing import Any, TypeVar, overload

from clew.store.database import Database, Later
from clew.store.outage import outlast

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")


@overload
def together(db: Database, one: Callable[[], Later[A]], /) -> tuple[A]: ...


@overload
def together(db: Database, one: Callable[[], Later[A]], two: Callable[[], Later[B]], /) -> tuple[A, B]: ...


@overload
def together(
    db: Database, one: Callable[[], Later[A]], two: Callable[[], Later[B]], three: Callable[[], Later[C]], /
) -> tuple[A, B, C]: ...


def together(db: Database, *asked: Callable[[], Later[Any]]) -> tuple[Any, ...]:
    """Each callable sends its query when called, and returns a function that reads the answer."""

    def ask() -> tuple[Any, ...]:
        with db.view():
            answers = [one() for one in asked]
        return tuple(answer() for answer in answers)

    return outlast(db, ask)
