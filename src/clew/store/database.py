"""The narrow waist: all a backend must provide. Repositories are written once, on top."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, TypeVar

from clew.model.errors import StoreNewer

T = TypeVar("T")

Later = Callable[[], T]  # gives an answer that may be on its way


class Row(Protocol):
    def __getitem__(self, column: str, /) -> Any: ...


class Durability(StrEnum):
    """Guarantee for an acknowledged write: ground state survives a power cut, derived state a crash of the process."""

    GROUND = "ground"
    DERIVED = "derived"


class Where(NamedTuple):
    """The project, and the checkout of it, that a repository is bound to."""

    project: int
    checkout: int


def newer_schema(schema: int, known: int) -> StoreNewer:
    """An older Clew that still runs must not write to a newer schema."""
    return StoreNewer(f"the database has schema {schema}; this Clew knows up to {known}")


class Database(Protocol):
    """Connections to one database; any thread may use it."""

    dialect: str
    schema: int  # that this process writes for; in one that is newer, a transaction ends before it begins. 0: any

    def query(self, name: str, /, **params: object) -> Iterator[Row]:
        """Run the named query and yield its rows."""
        ...

    def later(self, name: str, /, **params: object) -> Later[list[Row]]:
        """Inside a transaction or view, send the named query; other queries may follow before its rows are read.

        Reading the rows after the view has ended waits for a server at most once.
        """
        ...

    def insist(self, name: str, refusal: str, /, **params: object) -> None:
        """Run the named write query, which must return a row: else `Busy` says why, or the next read, or the commit."""
        ...

    def execute(self, name: str, /, **params: object) -> None:
        """Run the named write query. An error may surface only at the next read or at the commit."""
        ...

    def execute_many(self, name: str, rows: Iterable[Mapping[str, object]], /) -> None:
        """Run the named write query once per row, in one batch."""
        ...

    def define(self, statement: str, /) -> None:
        """Run one statement of a migration."""
        ...

    def transaction(self, durability: Durability = Durability.GROUND) -> AbstractContextManager[None]:
        """Lock for writing, commit on success, roll back on any exception; nests as savepoints."""
        ...

    def view(self) -> AbstractContextManager[None]:
        """Reads inside see one state of the database."""
        ...

    def within(self) -> bool:
        """Whether this thread is inside of a transaction or a view."""
        ...

    def listen(self) -> AbstractContextManager[Callable[[float], bool]]:
        """A function that waits up to so many seconds for others to commit, and says whether they may have."""
        ...

    def interruptions(self) -> int:
        """How often a server was lost so far. Unsynced writes from before may be gone."""
        ...

    def check(self) -> list[str]:
        """The faults that the engine finds in its own files; none is the good answer."""
        ...

    def size(self) -> int:
        """Bytes at rest."""
        ...

    def close(self) -> None: ...
