"""The schema's history: versions, applied forward, each in one transaction.

A version is `0001_name.sql`, or `0001_name.postgres.sql` where only one engine needs something.
"""

import re
from functools import cache
from pathlib import Path

from msgspec import Struct

from clew.model.errors import Unavailable
from clew.model.time import FOREVER
from clew.store.database import Database, newer_schema

# Where the engines spell a type or a storage option differently.
_SPELLINGS = {
    "sqlite": {"{bytes}": "BLOB", "{text}": "TEXT", "{clustered}": "WITHOUT ROWID", "{open}": str(FOREVER)},
    "postgres": {"{bytes}": "BYTEA", "{text}": 'TEXT COLLATE "C"', "{clustered}": "", "{open}": str(FOREVER)},
}
_NAME = re.compile(r"(\d{4})_[a-z_]+(?:\.(sqlite|postgres))?\.sql")


class Migration(Struct, frozen=True):
    """`only` is the dialect that it is for; empty: all."""

    version: int
    text: str
    only: str = ""

    def statements(self, dialect: str) -> list[str]:
        if self.only not in ("", dialect):
            return []
        text = self.text
        for mark, spelling in _SPELLINGS[dialect].items():
            text = text.replace(mark, spelling)
        return [statement for part in text.split(";\n") if (statement := part.strip())]


@cache  # an upgrade may put others in their place while we run
def all_migrations() -> list[Migration]:
    """Every migration that this Clew has, oldest first."""
    files = [(file, _NAME.fullmatch(file.name)) for file in Path(__file__).parent.iterdir()]
    found = [Migration(int(name[1]), file.read_text(encoding="utf-8"), name[2] or "") for file, name in files if name]
    return sorted(found, key=lambda migration: migration.version)


def migrate(db: Database, migrations: list[Migration], now: int) -> None:
    """Bring the schema up to date. Two processes or hosts may try at once: the second finds it done."""
    latest = migrations[-1].version
    if _version(db) != latest:
        _bring(db, migrations, now)
    db.schema = latest


def _bring(db: Database, migrations: list[Migration], now: int) -> None:
    with db.transaction():
        any(db.query("schema_lock"))
        version = _version(db)
        if version > migrations[-1].version:
            raise newer_schema(version, migrations[-1].version)
        for migration in migrations:
            if migration.version > version:
                for statement in migration.statements(db.dialect):
                    db.define(statement)
                db.execute("schema_version_put", version=migration.version, applied_at=now)


def verify(db: Database, migrations: list[Migration]) -> None:
    """For read-only use: the schema must be the one that this Clew has."""
    version, latest = _version(db), migrations[-1].version
    if version > latest:
        raise newer_schema(version, latest)
    if version < latest:
        raise Unavailable(
            f"the database has schema {version} and must be brought to {latest}",
            "Run `clew index` where the database can be written.",
        )
    db.schema = latest


def _version(db: Database) -> int:
    if not any(db.query("schema_exists")):
        return 0
    return next((row["version"] for row in db.query("schema_version")), 0)
