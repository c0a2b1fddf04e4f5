"""A schema of the newest version, made once and lent to test after test: to make it takes a tenth of a second.

A test that changed a definition leaves it to nobody. One that must find nothing asks for `database_url`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from clew.store import migrations
from tests.cluster import Sandbox
from tests.store.engines import opened

SMALL = 1 << 17  # bytes up to which rows are deleted; beyond that a table is made anew

# All that can be defined, each by which transaction wrote it.
DEFINED = """
WITH mine AS (SELECT oid, relname FROM pg_class WHERE relnamespace = %(schema)s::regnamespace),
defined AS (
    SELECT 'class', oid, xmin::text FROM pg_class WHERE oid IN (SELECT oid FROM mine)
    UNION ALL SELECT 'column', attrelid, xmin::text FROM pg_attribute WHERE attrelid IN (SELECT oid FROM mine)
    UNION ALL SELECT 'index', indexrelid, xmin::text FROM pg_index WHERE indrelid IN (SELECT oid FROM mine)
    UNION ALL SELECT 'rule', oid, xmin::text FROM pg_constraint WHERE conrelid IN (SELECT oid FROM mine)
    UNION ALL SELECT 'policy', oid, xmin::text FROM pg_policy WHERE polrelid IN (SELECT oid FROM mine)
    UNION ALL SELECT 'trigger', oid, xmin::text FROM pg_trigger WHERE tgrelid IN (SELECT oid FROM mine)
    UNION ALL SELECT 'right', oid, nspacl::text FROM pg_namespace WHERE nspacl IS NOT NULL
    UNION ALL SELECT 'version', version, xmin::text FROM schema_version
    UNION ALL SELECT 'owned', objid, deptype::text FROM pg_shdepend
        WHERE refobjid = %(role)s::regrole AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
)
SELECT md5(string_agg(defined::text, ' ' ORDER BY defined::text)) FROM defined
"""
TABLES = """
SELECT quote_ident(relname), reltuples >= 0 OR pg_table_size(oid) > %(small)s FROM pg_class
WHERE relnamespace = %(schema)s::regnamespace AND relkind = 'r' AND relname <> 'schema_version' ORDER BY relname
"""
STATISTICS = "DELETE FROM pg_statistic USING pg_class c WHERE starelid = c.oid AND relnamespace = %s::regnamespace"


@dataclass(slots=True)
class Ready:
    """What is lent has another name each time: who was left over from another test finds nothing under the old one."""

    sandbox: Sandbox
    schema: str = ""
    defined: str = ""

    def lend(self) -> str:
        if not self._is_there():
            self._make()
        before, self.schema = self.schema, self.sandbox.unused()
        self.sandbox.admin.execute(f"ALTER SCHEMA {before} RENAME TO {self.schema}")
        return self.sandbox.url(self.schema)

    def _make(self) -> None:
        self.schema = self.sandbox.unused()
        self._run(f"CREATE SCHEMA {self.schema} AUTHORIZATION {self.sandbox.name}")
        db = opened(self.sandbox.url(self.schema), "nobody")
        migrations.migrate(db, migrations.all_migrations(), 0)
        db.close()
        self.defined = self._defined()

    def take_back(self) -> None:
        if not self._is_there():
            return
        self.sandbox.end_sessions()
        if self._defined() != self.defined:
            self.sandbox.clear()
            return
        self._empty()
        self.defined = self._defined()

    def _empty(self) -> None:
        admin = self.sandbox.admin
        found = admin.execute(TABLES, {"schema": self.schema, "small": SMALL}).fetchall()
        small, large = ([name for name, is_large in found if is_large is which] for which in (False, True))
        with admin.transaction():
            self._run(
                f"LOCK {', '.join(name for name, _ in found)}",  # until whoever was ended has gone
                *(f"DELETE FROM {name}" for name in small),
                *([f"TRUNCATE {', '.join(large)}"] if large else []),
                "SELECT setval('project_number', 1, false)",
            )
            admin.execute(STATISTICS, [self.schema])

    def _run(self, *statements: str) -> None:
        self.sandbox.admin.execute(f"SET search_path = {self.schema}; {'; '.join(statements)}".encode())

    def _defined(self) -> str:
        self._run()
        said = self.sandbox.admin.execute(DEFINED, {"schema": self.schema, "role": self.sandbox.name}).fetchone()
        assert said is not None
        return str(said[0])

    def _is_there(self) -> bool:
        found = self.sandbox.admin.execute("SELECT count(*) FROM pg_namespace WHERE nspname = %s", [self.schema])
        return found.fetchone() == (1,)


@pytest.fixture(scope="session")
def ready(sandbox: Sandbox) -> Ready:
    return Ready(sandbox)


@pytest.fixture
def ready_url(ready: Ready) -> Iterator[str]:
    """A database that has the newest schema and no row, which any process can open."""
    yield ready.lend()
    ready.take_back()
