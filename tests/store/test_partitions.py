"""The tables may be partitioned by project, and distributed so: no query changes, and every key begins with it."""

import pytest

from clew.engine import Engine
from clew.model.run import Mode
from clew.store import migrations
from clew.store.database import Database
from clew.store.postgres import Postgres
from tests.cluster import HAS_POSTGRESQL
from tests.conftest import DAY_1, PROJECT, Repository
from tests.views import current_view, ranked, search

pytestmark = pytest.mark.needs(postgresql=HAS_POSTGRESQL)

EVERYWHERE = {"project", "schema_version"}  # small tables that every shard would have
UNIQUE = """
SELECT tablename, indexname, indexdef FROM pg_indexes
WHERE schemaname = current_schema() AND indexdef LIKE 'CREATE UNIQUE%'
"""


@pytest.fixture
def partitioned(database_url: str) -> str:
    """The same schema, with every table of projects in two parts."""
    with Postgres(database_url, PROJECT) as db, db.transaction():
        for migration in migrations.all_migrations():
            for statement in migration.statements(db.dialect):
                _define(db, statement)
            db.execute("schema_version_put", version=migration.version, applied_at=DAY_1)
    return database_url


def _define(db: Database, statement: str) -> None:
    lines = [line for line in statement.splitlines() if not line.startswith("--")]
    words = " ".join(lines).split()
    if words[:2] != ["CREATE", "TABLE"] or words[2] in EVERYWHERE:
        db.define(statement)
        return
    db.define(f"{statement} PARTITION BY HASH (project)")
    for part in range(2):
        options = f"FOR VALUES WITH (MODULUS 2, REMAINDER {part})"
        db.define(f"CREATE TABLE {words[2]}_{part} PARTITION OF {words[2]} {options}")


def test_every_unique_key_begins_with_the_project(database_url: str) -> None:
    import psycopg

    with Postgres(database_url, PROJECT) as db:
        migrations.migrate(db, migrations.all_migrations(), DAY_1)
    with psycopg.connect(database_url) as raw:
        keys = {index: text for table, index, text in raw.execute(UNIQUE) if table not in EVERYWHERE}

    assert keys
    assert {index for index, text in keys.items() if "(project" not in text} == set()


def test_everything_works_on_partitions(repository: Repository, partitioned: str) -> None:
    repository.write("a.py", "def login(): ...\n")
    repository.write("b.py", "import a\n")
    server = {"CLEW_STORAGE_URL": partitioned, "CLEW_PROJECT_ID": PROJECT}
    with Engine.open(repository.root, environ=server) as engine, Engine.open(repository.root, environ={}) as plain:
        for one in (engine, plain):
            one.index()
        repository.write("a.py", "def login(user): ...\n\n\ndef logout(): ...\n")
        repository.delete("b.py")
        for one in (engine, plain):
            one.index()
            one.index(Mode.FULL)

        assert current_view(engine) == current_view(plain)
        assert ranked(engine, "login", "logout user") == ranked(plain, "login", "logout user")
        assert [hit.path for hit in search(engine, "logout")] == ["a.py"]
        assert engine.db.check() == []
