"""The backends under test, for any process to open. Light, since children import it."""

import sqlite3
from pathlib import Path

import psycopg

from clew.store.database import Database
from clew.store.postgres import Postgres
from clew.store.sqlite import SQLite

ENGINE_ERRORS = (sqlite3.Error, psycopg.Error)  # a fault of ours comes as the engine said it


def opened(address: str, project: str) -> Database:
    """The database at a URL or in a file; a file does not ask on whose behalf."""
    return Postgres(address, project) if address.startswith("postgresql://") else SQLite(Path(address))
