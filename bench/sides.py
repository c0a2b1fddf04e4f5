"""The two engines side by side on one working tree, each with a database and snapshots of its own."""

import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.cluster import Cluster, temporary_cluster

from clew.engine import Engine
from clew.runtime.place import SNAPSHOTS

SQLITE, POSTGRESQL = "SQLite", "PostgreSQL"
NAME = "bench"  # of the role, of its database and of the project


@dataclass(frozen=True, slots=True)
class Side:
    """One engine. What it keeps in files lies in `home`, outside of the tree; `cluster` is None where that is all."""

    name: str
    tree: Path
    home: Path
    password: str
    cluster: Cluster | None = None

    @property
    def environ(self) -> dict[str, str]:
        """What a process needs that works on this side; no other setting of Clew's, whatever the caller's are."""
        given = {name: text for name, text in os.environ.items() if not name.startswith("CLEW_")}
        given["CLEW_STORAGE_DB_PATH"] = str(self.home / "clew.db")
        if self.cluster is not None:
            given |= {"CLEW_STORAGE_URL": self.cluster.url(NAME, NAME, self.password), "CLEW_PROJECT_ID": NAME}
        return given

    def open(self) -> Engine:
        return Engine.open(self.tree, environ=self.environ)

    def clear(self) -> None:
        """Leave nothing: no database, no snapshot."""
        shutil.rmtree(self.home, ignore_errors=True)
        if self.cluster is not None:
            self.cluster.drop_database(NAME)
            self.cluster.create_database(NAME, NAME)

    def drop_snapshots(self) -> None:
        shutil.rmtree(self.home / SNAPSHOTS, ignore_errors=True)  # of few files, a search makes none

    def rows(self) -> int:
        """Of all tables together."""
        if self.cluster is not None:
            tables = self.cluster.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", NAME)
            counts = [self.cluster.sql(f"SELECT COUNT(*) FROM {table}".encode(), NAME) for (table,) in tables]
            return sum(count for ((count,),) in counts)
        with closing(sqlite3.connect(self.home / "clew.db")) as raw:
            tables = raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            return sum(raw.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0] for (table,) in tables)


@contextmanager
def both(tree: Path, scratch: Path) -> Iterator[tuple[Side, Side]]:
    """SQLite and a PostgreSQL of our own, which syncs to disk as installed; its role is an ordinary one."""
    with temporary_cluster(durable=True) as cluster:
        password = secrets.token_urlsafe()
        cluster.create_role(NAME, password)
        yield (
            Side(SQLITE, tree, scratch / "sqlite", password),
            Side(POSTGRESQL, tree, scratch / "postgresql", password, cluster),
        )
