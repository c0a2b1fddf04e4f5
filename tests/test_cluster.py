"""The server that the tests themselves rely on."""

from collections.abc import Callable, Iterator

import psycopg
import pytest

from clew.store import migrations
from tests.cluster import HAS_POSTGRESQL, Cluster, Sandbox, temporary_cluster
from tests.ready import Ready

pytestmark = pytest.mark.needs(postgresql=HAS_POSTGRESQL)

POWERS = "SELECT rolsuper, rolbypassrls, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = current_user"


def tables(url: str) -> list[str]:
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT relname FROM pg_class WHERE relkind = 'r' AND pg_table_is_visible(oid)")
        return sorted(name for (name,) in found if not name.startswith(("pg_", "sql_")))


def make_table(url: str, name: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute(f"CREATE TABLE {name} (id integer)")


def test_an_ordinary_role_makes_and_uses_its_database(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        connection.execute("CREATE TABLE thing (name text)")
        connection.execute("INSERT INTO thing VALUES ('one')")
    with psycopg.connect(database_url) as connection:
        assert connection.execute("SELECT name FROM thing").fetchall() == [("one",)]
        assert connection.execute(POWERS).fetchall() == [(False, False, False, False)]


def test_databases_of_one_test_do_not_see_each_other(new_database: Callable[[], str]) -> None:
    one, other = new_database(), new_database()
    make_table(one, "thing")

    assert (tables(one), tables(other)) == (["thing"], [])


def test_nothing_of_one_test_reaches_the_next(sandbox: Sandbox) -> None:
    with psycopg.connect(sandbox.fresh()) as left_open:
        left_open.execute("CREATE TABLE thing (id integer)")
        left_open.execute("CREATE SCHEMA aside CREATE TABLE hidden (id integer)")
        left_open.commit()
        left_open.execute("LOCK thing")
        sandbox.clear()
        with pytest.raises(psycopg.OperationalError):
            left_open.execute("SELECT 1")

    made = f"SELECT nspname FROM pg_namespace WHERE nspowner = '{sandbox.name}'::regrole"
    assert sandbox.cluster.sql(made, sandbox.name) == []


LATEST = migrations.all_migrations()[-1].version
VERSION = "SELECT max(version) FROM schema_version"
NEW_PROJECT = """
    SET clew.project = 'a';
    INSERT INTO project (project, id, created_at) VALUES (nextval('project_number'), 'a', 0);
    ANALYZE project;
"""


@pytest.fixture
def readied(sandbox: Sandbox) -> Iterator[Ready]:
    """A schema to lend, of this test's own."""
    yield Ready(sandbox)
    sandbox.clear()


def test_a_schema_that_was_lent_is_empty_for_the_next_who_gets_it(readied: Ready) -> None:
    urls = []
    for _ in range(3):
        urls.append(readied.lend())
        with psycopg.connect(urls[-1]) as left_open:
            assert left_open.execute(
                "SELECT count(*) FROM pg_stats WHERE schemaname = current_schema()"
            ).fetchone() == (0,)
            assert left_open.execute(VERSION).fetchone() == (LATEST,)
            left_open.execute(NEW_PROJECT)
            assert left_open.execute("SELECT project FROM project").fetchall() == [(1,)]
            left_open.commit()
            left_open.execute("LOCK project")
            readied.take_back()
            with pytest.raises(psycopg.OperationalError):
                left_open.execute("SELECT 1")

    assert [tables(url) for url in urls[:-1]] == [[], []]


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TABLE thing (id integer)",
        "CREATE SCHEMA aside",
        "CREATE INDEX more ON project (created_at)",
        "ALTER TABLE project ADD COLUMN colour text",
        "ALTER TABLE project ALTER COLUMN created_at DROP NOT NULL",
        "ALTER TABLE project DISABLE ROW LEVEL SECURITY",
        "DROP POLICY own ON project",
        "GRANT SELECT ON project TO public",
        "INSERT INTO schema_version VALUES (9999, 0)",
        "DELETE FROM schema_version",
    ],
)
def test_a_schema_that_was_changed_is_lent_to_nobody(readied: Ready, change: str) -> None:
    with psycopg.connect(readied.lend()) as connection:
        connection.execute(change.encode())
    changed = readied.schema
    readied.take_back()

    assert readied.sandbox.admin.execute("SELECT to_regnamespace(%s)", [changed]).fetchone() == (None,)
    with psycopg.connect(readied.lend()) as connection:
        assert connection.execute(VERSION).fetchone() == (LATEST,)


def test_a_wrong_password_is_refused(cluster: Cluster, sandbox: Sandbox) -> None:
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(cluster.url(sandbox.name, sandbox.name, "guessed"))


def test_text_is_sorted_by_language_as_on_most_servers(cluster: Cluster) -> None:
    assert cluster.sql("SELECT 'a' < 'B', 'a' < 'B' COLLATE \"C\"") == [(True, False)]


def test_a_server_comes_back_where_it_was_with_all_it_held() -> None:
    with temporary_cluster() as server:
        server.create_role("owner", "p@ss/word")
        server.create_database("books", "owner")
        url = server.url("books", "owner", "p@ss/word")
        make_table(url, "before_restart")
        server.restart()
        make_table(url, "before_crash")
        server.crash()
        with pytest.raises(psycopg.OperationalError, match="refused"):
            psycopg.connect(url)
        server.start()

        assert tables(url) == ["before_crash", "before_restart"]
        server.drop_database("books")

    assert not server.directory.exists()
