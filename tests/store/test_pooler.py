"""PgBouncer between: projects that share a session keep apart, and what a pooler cannot do is told."""

import json
from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest

from clew.model.errors import ConfigError, StoreDenied, StoreLost, StoreReadOnly
from clew.store import migrations
from clew.store.postgres import Postgres
from clew.store.usage import Usage, Use
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces
from tests.cluster import HAS_POSTGRESQL, Cluster, temporary_cluster
from tests.conftest import DAY_1, PROJECT, Repository
from tests.pooler import HAS_POOLER, pooled
from tests.store.at_once import in_threads
from tests.store.test_isolation import ONE, TWO, Tenant, nothing, settle

pytestmark = pytest.mark.needs(postgresql=HAS_POSTGRESQL, pgbouncer=HAS_POOLER)

LEFT = """
SELECT COALESCE(current_setting('clew.project', true), '') AS project, (SELECT count(*) FROM pg_prepared_statements),
    (SELECT count(*) FROM pg_listening_channels()), (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory')
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    with temporary_cluster() as cluster:
        cluster.create_role("tester", "a pass'word")
        yield cluster


@pytest.fixture
def direct(server: Cluster) -> Iterator[str]:
    server.create_database("books", "tester")
    yield server.url("books", "tester", "a pass'word")
    server.drop_database("books")


@pytest.fixture(params=["session", "transaction"])
def url(direct: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """Sessions cannot be shared at the same time, so that there are more of them."""
    with pooled(direct, request.param, default_pool_size=1 if request.param == "transaction" else 20) as there:
        yield there


def opened(url: str, name: str) -> Tenant:
    db = Postgres(url, name)
    migrations.migrate(db, migrations.all_migrations(), DAY_1)
    return settle(name, db)


def test_projects_that_share_a_session_see_nothing_of_each_other(url: str) -> None:
    one, two = opened(url, ONE), opened(url, TWO)
    with closing(one.db), closing(two.db):
        own = {tenant.name: tenant.seen(tenant.where) for tenant in (one, two)}
        for _ in range(3):
            for mine, other in ((one, two), (two, one)):
                assert nothing(mine.seen(other.where))
                assert mine.seen(mine.where) == own[mine.name]
                with mine.db.view():
                    assert nothing(mine.seen(other.where))

        def ask(number: int) -> None:
            mine, other = ((one, two), (two, one))[number % 2]
            for _ in range(5):
                assert nothing(mine.seen(other.where))
                assert mine.seen(mine.where) == own[mine.name]

        assert in_threads(6, ask) == []


def test_a_project_cannot_write_into_another_over_the_same_session(url: str) -> None:
    one, two = opened(url, ONE), opened(url, TWO)
    with closing(one.db), closing(two.db):
        with pytest.raises(StoreDenied, match="row-level security"):
            Usage(one.db, two.where).put([Use("x", DAY_1, "search", "", 1, 1, 1)])

        assert [use.id for use in Usage(two.db, two.where).latest(9)] == [TWO]


def test_nothing_stays_behind_in_a_session(direct: str) -> None:
    with pooled(direct, "transaction") as url:
        tenant = opened(url, ONE)
        with closing(tenant.db), tenant.db.listen() as news:
            for _ in range(10):  # so often that the driver would prepare it
                assert not nothing(tenant.seen(tenant.where))
            assert not news(0.1)
            with psycopg.connect(url, autocommit=True, prepare_threshold=None) as raw:
                assert raw.execute(LEFT).fetchone() == ("", 0, 0, 0)
                assert raw.execute("SELECT count(*) FROM usage").fetchone() == (0,)


def test_who_opened_to_read_writes_nothing(direct: str) -> None:
    with pooled(direct, "transaction") as url:
        tenant = opened(url, ONE)
        with closing(tenant.db), Postgres(url, ONE, read_only=True) as db:
            assert [use.id for use in Usage(db, tenant.where).latest(9)] == [ONE]
            with pytest.raises(StoreReadOnly):
                Usage(db, tenant.where).put([Use("x", DAY_1, "search", "", 1, 1, 1)])


def test_agents_work_over_a_pooler(url: str, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_STORAGE_URL", url)
    monkeypatch.setenv("CLEW_PROJECT_ID", PROJECT)
    monkeypatch.setenv("CLEW_BOOTSTRAP_ENABLED", "false")
    repository.write("shop/pay.py", "def pay(card): ...\n")
    spaces = Workspaces(repository.root, follow=True)
    spaces.get().index()
    repository.write("shop/refund.py", "def refund(card): ...\n")
    said = [
        told(spaces, "query_context", query="refund"),
        told(spaces, "agent_claim", target_id="shop/pay.py", agent_id="a"),
        told(spaces, "episode_add", type="OBSERVATION", content="cents are rounded"),
        told(spaces, "episode_recall", query="cents"),
    ]
    refused = json.loads(answer(Caller(spaces), "agent_claim", {"target_id": "shop/pay.py", "agent_id": "b"}).body)
    spaces.close()

    (hit,) = json.loads(said[0])["data"]["hits"]
    assert (hit["file_path"], hit["label"]) == ("shop/refund.py", "refund")
    assert "cents are rounded" in said[3]
    assert refused["data"]["status"] == "CONFLICT"


def told(spaces: Workspaces, tool: str, **arguments: object) -> str:
    said = answer(Caller(spaces), tool, arguments).body.decode()
    assert json.loads(said)["ok"], said
    return said


@pytest.mark.parametrize("ignored", ["", "options"])
def test_options_that_a_pooler_does_not_hand_on_are_told(direct: str, ignored: str) -> None:
    with pooled(direct, "transaction", ignore_startup_parameters=ignored) as url, pytest.raises(ConfigError) as caught:
        Postgres(f"{url}?options=-csearch_path%3Dpublic", ONE)

    assert "options" in caught.value.message
    assert "ALTER ROLE" in caught.value.hint


def test_a_pooler_of_single_statements_is_told(direct: str) -> None:
    with pooled(direct, "statement") as url, pytest.raises(StoreDenied) as caught:
        Postgres(url, ONE)

    assert "transactions" in caught.value.hint


def test_a_pooler_whose_server_is_gone_is_waited_for(
    server: Cluster, direct: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.store.postgres.OPENING_PATIENCE", 0.2)
    with pooled(direct, "transaction", query_wait_timeout=1) as url, Postgres(url, ONE) as db:
        migrations.migrate(db, migrations.all_migrations(), DAY_1)
        server.stop()
        try:
            with pytest.raises(StoreLost):
                Postgres(url, ONE)
        finally:
            server.start()
        assert list(db.query("schema_version"))
