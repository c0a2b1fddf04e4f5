"""Two projects in one database: a query asks for its own rows, and on PostgreSQL a session gets no others."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.errors import InsufficientPrivilege

from clew.model.agents import Identity
from clew.model.code import Defined, Redaction
from clew.model.errors import StoreDenied
from clew.model.fleet import Feature, Task
from clew.model.jobs import Job, JobOptions, JobResult, JobStatus, JobType
from clew.model.knowledge import KnowledgeBody, KnowledgeKind, KnowledgeRecord
from clew.model.memory import AgentNote, EpisodeDraft, EpisodeType, Learning, NoteScope, Subject
from clew.model.run import FileFailure
from clew.model.time import NOW
from clew.model.words import Kind
from clew.store.checkouts import Checkouts
from clew.store.claims import Claims, Sessions
from clew.store.database import Database, Where
from clew.store.episodes import Episodes
from clew.store.extracts import Extracts
from clew.store.files import Files, Stamp
from clew.store.graph import Nodes
from clew.store.histories import NO_HISTORY, Histories
from clew.store.jobs import FileErrors, Jobs
from clew.store.knowledge import KnowledgeLog
from clew.store.learnings import Learnings
from clew.store.leases import Leases
from clew.store.links import Links
from clew.store.notes import Notes
from clew.store.packing import pack
from clew.store.tasks import Features, Tasks
from clew.store.transactions import Author, Transactions
from clew.store.usage import Usage, Use
from clew.store.vectors import Embedded, Vectors
from tests.conftest import DAY_1, POSTGRES
from tests.store.claiming import a_claim
from tests.store.readings import a_reading, begin

ONE, TWO = "one", "two"

only_postgres = pytest.mark.parametrize("address", [POSTGRES], indirect=True)

# The tables that hold rows of projects. Asked of the engine, so that a later one cannot be forgotten.
TABLES = """
SELECT relname, relrowsecurity, relforcerowsecurity,
    (SELECT count(*) FROM pg_policy WHERE polrelid = pg_class.oid AND polcmd = '*' AND polpermissive)
FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'project' AND NOT attisdropped
WHERE relkind IN ('r', 'p') AND relnamespace = CAST(current_schema() AS regnamespace)
ORDER BY relname
"""


@dataclass(frozen=True, slots=True)
class Tenant:
    """A project, and the database as it was opened for it."""

    name: str
    db: Database
    where: Where

    def seen(self, where: Where) -> dict[str, object]:
        """What its session gets when it asks for the rows of `where`."""
        db = self.db
        files = Files(db, where)
        digest = a_reading("app.py", self.text).text_digest
        return {
            "known": set(files.current()), "version": files.get("app.py", NOW), "text": files.text(digest),
            "layout": files.packed_layout(1, 1), "redactions": files.redactions(1, 1), "totals": files.totals().files,
            "nodes": Nodes(db, where).counts(), "links": Links(db, where).current(), "tip": Histories(db, where).tip(),
            "settled": Links(db, where).global_summary(), "inputs": Links(db, where).inputs(),
            "words": Extracts(db, where).words(1), "transactions": [t.id for t in Transactions(db, where).latest(9)],
            "episodes": Episodes(db, where).latest(9), "learnings": Learnings(db, where).current(9),
            "vectors": Vectors(db, where).counts(), "embedded": Vectors(db, where).embedded_files("m"),
            "holder": Leases(db, where).holder("index", DAY_1), "uses": [use.id for use in Usage(db, where).latest(9)],
            "claims": Claims(db, where).open(), "sessions": [one.holder for one in Sessions(db, where).all(DAY_1)],
            "tasks": Tasks(db, where).all(), "features": Features(db, where).all(),
            "changes": Tasks(db, where).changes("t"), "notes": Notes(db, where).open(NoteScope.SHARED),
            "jobs": [job.id for job in Jobs(db, where).latest(9)], "errors": FileErrors(db, where).all(),
        }  # fmt: skip

    @property
    def text(self) -> bytes:
        return f"of {self.name}\n".encode()


def nothing(seen: dict[str, object]) -> bool:
    return not any(seen.values())


@pytest.fixture
def tenants(db: Database, reopened: Callable[[str], Database]) -> tuple[Tenant, Tenant]:
    """Both have rows in every table, of the same numbers and names as far as may be."""
    one, two = (settle(name, reopened(name)) for name in (ONE, TWO))
    return one, two


def settle(name: str, db: Database) -> Tenant:
    where = Checkouts(db).ensure(name, "", "main", DAY_1).where
    tenant = Tenant(name, db, where)
    reading = a_reading("app.py", tenant.text, redactions=(Redaction(1, 0, 1),))
    tx = Transactions(db, where).start(f"tx-{name}", "t", "", Author(), DAY_1)
    with db.transaction():
        file = begin(Files(db, where), reading, DAY_1, Stamp(tx.tx, DAY_1))
        Extracts(db, where).put(file, reading)
        Nodes(db, where).define(file, 1, [Defined(name, name, Kind.FUNCTION, b"1")])
        Links(db, where).show(file, 1, pack(name), None, DAY_1)
        Histories(db, where).put(name, NO_HISTORY)
        Links(db, where).settle(name.encode())
        Links(db, where).put_inputs([(file, name.encode())])
    Vectors(db, where).put("m", {bytes(16): name.encode()})
    Vectors(db, where).mark("m", [Embedded(file, 1, bytes(16))])
    subjects = (Subject(name, b"1"),)
    Episodes(db, where).add(name, Identity(name), EpisodeDraft(EpisodeType.ERROR, name), subjects, DAY_1)
    Learnings(db, where).learn(Learning(name, name, "claim", name, 0.8, (name,), subjects=subjects), DAY_1)
    Usage(db, where).put([Use(name, DAY_1, "search", "", 1, 1, 1)])
    Leases(db, where).acquire("index", f"host:1:{name}", DAY_1)
    with Claims(db, where).at_once(lambda: DAY_1):
        Claims(db, where).put(a_claim("app.py", id=name))
        Sessions(db, where).mark_seen(Identity(name, "1"), DAY_1)
        Tasks(db, where).put(Task("t", name), Identity(name, "1"), {}, "")
        Features(db, where).put(Feature("f", name, (), DAY_1))
        Notes(db, where).put(AgentNote(name, NoteScope.SHARED, Identity(name), name))
        FileErrors(db, where).note([FileFailure("app.py", name)], (), DAY_1)
    log = KnowledgeLog(db, where)
    record = KnowledgeRecord(name, KnowledgeKind.ENTITY, KnowledgeBody(name=name), Identity(name), number=1)
    log.at_once(lambda: log.put([record]))
    log.keep_view(name, name, DAY_1)
    job = JobType.REFRESH, JobStatus.QUEUED, (), JobOptions(), name, "", "", 0, 0, "", DAY_1, 0, 0, "", JobResult(), ()
    Jobs(db, where).put(Job(name, *job))
    return tenant


def test_each_project_gets_its_own_rows(tenants: tuple[Tenant, Tenant]) -> None:
    for tenant in tenants:
        seen = tenant.seen(tenant.where)

        assert (seen["text"], seen["uses"], seen["transactions"]) == (tenant.text, [tenant.name], [f"tx-{tenant.name}"])
        assert seen["holder"] == f"host:1:{tenant.name}"
        assert [name for name, value in seen.items() if not value] == []


def test_the_text_of_another_project_is_not_found_by_its_digest(tenants: tuple[Tenant, Tenant]) -> None:
    one, two = tenants

    assert Files(one.db, one.where).text(a_reading("app.py", two.text).text_digest) == b""


@only_postgres
def test_the_number_of_another_project_gets_nothing(tenants: tuple[Tenant, Tenant]) -> None:
    one, two = tenants

    assert nothing(one.seen(two.where))
    assert nothing(two.seen(one.where))
    assert Checkouts(one.db).find(TWO, "main") is None


@only_postgres
def test_a_repository_cannot_write_under_the_number_of_another_project(tenants: tuple[Tenant, Tenant]) -> None:
    one, two = tenants
    before = two.seen(two.where)

    with pytest.raises(StoreDenied):
        Usage(one.db, two.where).put([Use("forged", DAY_1, "search", "", 1, 1, 1)])
    with pytest.raises(StoreDenied):
        Leases(one.db, two.where).acquire("index", "host:1:thief", DAY_1)
    with pytest.raises(StoreDenied):
        Checkouts(one.db).ensure("three", "", "main", DAY_1)
    one.db.execute("tx_abandon", id="", **two.where._asdict())
    Checkouts(one.db).change(two.where, "forged", 1)

    assert two.seen(two.where) == before
    assert Checkouts(two.db).state(two.where).stamp == ""
    assert Transactions(two.db, two.where).get("tx-two").status == "running"


@pytest.fixture
def session(address: str, tenants: tuple[Tenant, Tenant]) -> Iterator[psycopg.Connection[Any]]:
    """A session of the first project with no query of ours: the ordinary role, whose tables they are."""
    with psycopg.connect(address, autocommit=True) as raw:
        raw.execute("SELECT set_config('clew.project', %s, false)", [ONE])
        yield raw


def tables(session: psycopg.Connection[Any]) -> list[str]:
    return [name for name, *_ in session.execute(TABLES)]


def ask(session: psycopg.Connection[Any], text: str, table: str, *values: object) -> psycopg.Cursor[Any]:
    """Run a statement on a table, which stands for `{}`."""
    statement = sql.SQL(text).format(sql.Identifier(table))
    return session.execute(statement, values)


def contents(address: str, project: str) -> dict[str, list[Any]]:
    """All that a project has, as it sees it itself."""
    with psycopg.connect(address) as raw:
        raw.execute("SELECT set_config('clew.project', %s, false)", [project])
        return {table: ask(raw, "SELECT * FROM {} AS own ORDER BY own", table).fetchall() for table in tables(raw)}


@only_postgres
def test_every_table_of_projects_is_locked_even_for_its_owner(session: psycopg.Connection[Any]) -> None:
    found = session.execute(TABLES).fetchall()

    assert len(found) >= 13
    assert [table for table, *lock in found if lock != [True, True, 1]] == []


@only_postgres
def test_both_projects_have_rows_in_every_table(
    session: psycopg.Connection[Any], address: str, tenants: tuple[Tenant, Tenant]
) -> None:
    """Else what follows would prove nothing."""
    for name in (ONE, TWO):
        assert [table for table, rows in contents(address, name).items() if not rows] == []


@only_postgres
def test_rows_of_another_project_are_not_seen(session: psycopg.Connection[Any], tenants: tuple[Tenant, Tenant]) -> None:
    one, _ = tenants
    for table in tables(session):
        assert set(ask(session, "SELECT DISTINCT project FROM {}", table)) == {(one.where.project,)}


@only_postgres
def test_rows_of_another_project_are_neither_changed_nor_deleted(
    session: psycopg.Connection[Any], tenants: tuple[Tenant, Tenant], address: str
) -> None:
    _, two = tenants
    before = contents(address, TWO)

    for table in tables(session):
        number = two.where.project
        assert ask(session, "UPDATE {} SET project = project WHERE project = %s", table, number).rowcount == 0
        assert ask(session, "DELETE FROM {} WHERE project = %s", table, number).rowcount == 0
        ask(session, "DELETE FROM {}", table)

    assert contents(address, TWO) == before
    assert not any(contents(address, ONE).values())


@only_postgres
def test_rows_for_another_project_are_refused(
    session: psycopg.Connection[Any], tenants: tuple[Tenant, Tenant], address: str
) -> None:
    _, two = tenants
    before = contents(address, ONE), contents(address, TWO)
    forged = f'{{"project": {two.where.project}, "id": "three"}}'
    copied = "INSERT INTO {0} SELECT (jsonb_populate_record(own, %s)).* FROM {0} AS own"
    given_away = "UPDATE {0} SET id = 'three'", "UPDATE {0} SET project = %s"

    for table in tables(session):
        with pytest.raises(InsufficientPrivilege, match="row-level security"):
            ask(session, copied, table, forged)
        with pytest.raises(InsufficientPrivilege, match="row-level security"):
            ask(session, f"{copied} ON CONFLICT DO NOTHING", table, forged)
        with pytest.raises(InsufficientPrivilege, match="row-level security"):
            if table == "project":
                ask(session, given_away[0], table)
            else:
                ask(session, given_away[1], table, two.where.project)

    assert (contents(address, ONE), contents(address, TWO)) == before


@only_postgres
@pytest.mark.parametrize("setting", [None, ""], ids=["none", "empty"])
def test_a_session_for_no_project_sees_and_writes_nothing(
    address: str, tenants: tuple[Tenant, Tenant], setting: str | None
) -> None:
    with psycopg.connect(address, autocommit=True) as raw:
        if setting is not None:
            raw.execute("SELECT set_config('clew.project', %s, false)", [setting])
        for table in tables(raw):
            assert ask(raw, "SELECT * FROM {}", table).fetchall() == []
            assert ask(raw, "DELETE FROM {}", table).rowcount == 0
        for number in (1, 2, 3):
            with pytest.raises(InsufficientPrivilege):
                raw.execute("INSERT INTO project VALUES (%s, %s, 1)", [number + 10, f"new-{number}"])
            with pytest.raises(InsufficientPrivilege):
                raw.execute("INSERT INTO blob VALUES (%s, '', '')", [number])

    assert all(contents(address, ONE).values())


@only_postgres
@pytest.mark.parametrize("name", ["a b", "a\\b", "it's", 'a "b"', "ä/ß", "-c x=1", "one%20two", "$1", "ONE"])
def test_a_project_may_have_any_name(reopened: Callable[[str], Database], tenants: object, name: str) -> None:
    tenant = settle(name, reopened(name))

    assert tenant.seen(tenant.where)["uses"] == [name]
    assert Checkouts(tenant.db).find(name, "main") is not None
    assert Checkouts(tenant.db).find(ONE, "main") is None
