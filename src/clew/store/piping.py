"""Transactions on a PostgreSQL connection that sends statements without waiting for each answer.

The driver's own pipelines wait for the server at both ends of each transaction, including nested ones; here only
reads, the ends of nested transactions, and the commit wait.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import LiteralString

import psycopg
from psycopg import Pipeline
from psycopg.errors import PipelineAborted
from psycopg.pq import TransactionStatus

from clew.store.connections import Connection

SAVEPOINT = "level"  # of the same name, the latest counts


@contextmanager
def pipelined(connection: Connection, begin: LiteralString = "BEGIN") -> Iterator[Pipeline]:
    """Commit at the end; roll back on any error."""
    try:
        with _first_failure(), connection.pipeline() as pipeline:
            connection.execute(begin, prepare=False)
            yield pipeline
            connection.execute("COMMIT", prepare=False)
    except BaseException:
        if not connection.closed and connection.info.transaction_status is not TransactionStatus.IDLE:
            with suppress(psycopg.Error):  # one that cannot be rolled back is not lent again
                connection.execute("ROLLBACK", prepare=False)
        raise


@contextmanager
def unpipelined(connection: Connection, begin: LiteralString = "BEGIN") -> Iterator[None]:
    """The same, one answer after the other: PgBouncer 1.18 may keep the session of a client that pipelines."""
    connection.execute(begin, prepare=False)
    try:
        yield
    except BaseException:
        with suppress(psycopg.Error):
            connection.execute("ROLLBACK", prepare=False)
        raise
    connection.execute("COMMIT", prepare=False)


@contextmanager
def savepoint(connection: Connection, pipeline: Pipeline | None) -> Iterator[None]:
    """A nested transaction that can fail without the rest; errors surface at its end."""
    connection.execute(f"SAVEPOINT {SAVEPOINT}", prepare=False)
    try:
        yield
        connection.execute(f"RELEASE {SAVEPOINT}", prepare=False)
        _arrive(pipeline)
    except BaseException:
        with suppress(psycopg.Error):  # of statements that were on their way
            _arrive(pipeline)
        with suppress(psycopg.Error):  # where the server is gone, so is the transaction
            connection.execute(f"ROLLBACK TO {SAVEPOINT}", prepare=False)
            connection.execute(f"RELEASE {SAVEPOINT}", prepare=False)
        raise


def _arrive(pipeline: Pipeline | None) -> None:
    """Wait until all that was sent is done."""
    if pipeline:
        pipeline.sync()


@contextmanager
def _first_failure() -> Iterator[None]:
    """Of statements that failed because one before them did, the first says why."""
    try:
        yield
    except PipelineAborted as error:
        cause = error.__context__
        if isinstance(cause, psycopg.Error):
            raise cause from None
        raise
