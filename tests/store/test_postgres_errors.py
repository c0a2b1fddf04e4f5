"""Servers and URLs that are wrong or refuse: each gets its own error, at once, and no password is ever repeated."""

import time
import traceback

import pytest

from clew.model.errors import ClewError, ConfigError, StoreDenied, StoreLost
from clew.store import migrations
from clew.store.postgres import Postgres
from tests.cluster import HAS_POSTGRESQL, Cluster, Sandbox
from tests.conftest import DAY_1, PROJECT

pytestmark = pytest.mark.needs(postgresql=HAS_POSTGRESQL)

SECRET = "s3cr3t-w0rd"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong for good need not be waited for in every test."""
    monkeypatch.setattr("clew.store.postgres.OPENING_PATIENCE", 0.2)


def refusal(url: str, kind: type[ClewError]) -> ClewError:
    """What opening says; whatever it is, no password is in it."""
    with pytest.raises(ClewError) as caught:
        Postgres(url, PROJECT).close()
    error = caught.value
    assert SECRET not in "".join([*traceback.format_exception(error), repr(error), error.hint])
    assert type(error) is kind
    return error


def test_a_server_that_is_not_there_is_told_within_seconds() -> None:
    started = time.monotonic()
    error = refusal(f"postgresql://owner:{SECRET}@127.0.0.1:1/books", StoreLost)

    assert time.monotonic() - started < 8
    assert "postgresql://127.0.0.1:1/books cannot be reached" in error.message
    assert "storage.url" in error.hint


def test_an_unknown_host_is_told(impatient: None) -> None:
    error = refusal(f"postgresql://owner:{SECRET}@nowhere.invalid/books", StoreLost)

    assert "nowhere.invalid" in error.message


def test_a_wrong_password_is_told_at_once(cluster: Cluster, sandbox: Sandbox) -> None:
    started = time.monotonic()
    error = refusal(cluster.url(sandbox.name, sandbox.name, SECRET), StoreDenied)

    assert time.monotonic() - started < 2
    assert "password authentication failed" in error.message
    assert "password in storage.url" in error.hint


def test_an_unknown_database_is_told_by_name(cluster: Cluster, sandbox: Sandbox) -> None:
    error = refusal(cluster.url("nobodys_books", sandbox.name, sandbox.password), StoreDenied)

    assert 'database "nobodys_books" does not exist' in error.message


def test_a_database_that_is_named_like_a_state_of_the_server_is_told_as_any(
    impatient: None, cluster: Cluster, sandbox: Sandbox
) -> None:
    refusal(cluster.url("recovery", sandbox.name, sandbox.password), StoreDenied)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://[::bad",
        f"postgresql://owner:{SECRET}@127.0.0.1/books?bogus=1",
        f"postgresql://owner:{SECRET}@127.0.0.1/books?connect_timeout=soon",
        f"postgresql://owner:{SECRET}%zz@127.0.0.1/books",
        f"postgresql://owner:{SECRET} x@127.0.0.1/books",
    ],
)
def test_a_malformed_url_is_a_fault_of_the_configuration(impatient: None, url: str) -> None:
    error = refusal(url, ConfigError)

    assert "storage.url" in f"{error.message} {error.hint}"


@pytest.mark.parametrize("port", ["abc", "999999"])
def test_a_port_that_is_none_is_a_fault_of_the_configuration(impatient: None, port: str) -> None:
    refusal(f"postgresql://owner:{SECRET}@127.0.0.1:{port}/books", ConfigError)


@pytest.mark.parametrize("url", ["postgresql://owner:1/{}@127.0.0.1/books", "postgresql://owner:1@{}@127.0.0.1/books"])
def test_a_password_that_was_not_encoded_is_not_repeated(impatient: None, url: str) -> None:
    refusal(url.format(SECRET), ConfigError)


def test_words_that_hold_the_password_by_chance_stay_whole(impatient: None) -> None:
    """Else whoever reads the message reads the password."""
    assert "service not known" in refusal("postgresql://owner:se@nowhere.invalid/books", StoreLost).message


def test_a_server_with_no_connection_left_says_what_to_do(impatient: None, cluster: Cluster, sandbox: Sandbox) -> None:
    name = f"crowd_{sandbox.name}"
    cluster.create_role(name, SECRET)
    cluster.sql(f"ALTER ROLE {name} CONNECTION LIMIT 0")

    error = refusal(cluster.url(sandbox.name, name, SECRET), StoreLost)

    assert "storage.pool_size" in error.hint


def test_a_role_that_may_not_make_tables_is_told_and_nothing_is_half_made(
    cluster: Cluster, sandbox: Sandbox, database_url: str
) -> None:
    name = f"weak_{sandbox.name}"
    cluster.create_role(name, SECRET)

    with Postgres(cluster.url(sandbox.name, name, SECRET), PROJECT) as db:
        with pytest.raises(StoreDenied, match="permission denied for schema public") as caught:
            migrations.migrate(db, migrations.all_migrations(), DAY_1)
        assert "the user's privileges in the database" in caught.value.hint
        assert list(db.query("schema_exists")) == []
        assert db.size() == 0


def test_a_schema_that_is_not_there_is_told(database_url: str) -> None:
    with Postgres(f"{database_url}_gone", PROJECT) as db, pytest.raises(StoreDenied):
        migrations.migrate(db, migrations.all_migrations(), DAY_1)


@pytest.mark.parametrize("project", ["a\tb", "a\nb"], ids=["tab", "newline"])
def test_a_projects_name_with_an_odd_character_is_no_setting_of_its_own(database_url: str, project: str) -> None:
    Postgres(database_url, project).close()
