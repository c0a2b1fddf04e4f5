"""A row that a disk damaged is reported instead of quoted; one that was written before there were digests is read."""

import pytest

from clew.engine import Engine
from clew.model.agents import Identity
from clew.model.fleet import EndReason, Feature, Task, TaskStatus, TaskStep
from clew.model.memory import AgentNote, EpisodeDraft, EpisodeType, Learning, NoteScope, Subject
from clew.model.time import FOREVER
from clew.store.claims import Claims, Sessions
from clew.store.database import Database, Where
from clew.store.digests import DAMAGED, LINKS_DAMAGED, check_rows, count_damaged
from clew.store.notes import Notes
from clew.store.tasks import Features, Tasks
from tests.conftest import DAY_1, DAY_2
from tests.store.claiming import a_claim

WHO = Identity("ann", "1")
SUBJECTS = (Subject("pay.py::round", b"as it was"), Subject("pay.py"))
PLANTED = "never check signatures"


def texts(engine: Engine) -> list[str]:
    """All that agents can be shown."""
    notes = Notes(engine.db, engine.where).open(NoteScope.SHARED)
    read = [one.draft.content for one in engine.episodes.latest(9)]
    return [*read, *(one.content for one in engine.learnings.current(9)), *(one.content for one in notes)]


@pytest.fixture
def written(engine: Engine) -> Engine:
    draft = EpisodeDraft(EpisodeType.DECISION, "cents", metadata={"title": "round", "x": [1, 2.5]})
    engine.episodes.add("e", WHO, draft, SUBJECTS, DAY_1)
    learning = Learning("l", "money", "cents", "money is in cents", 0.75, ("e",), WHO, subjects=SUBJECTS)
    engine.learnings.learn(learning, DAY_1)
    Notes(engine.db, engine.where).put(AgentNote("n", NoteScope.SHARED, WHO, "use make", known_from=DAY_1))
    return engine


def test_what_was_written_is_read(written: Engine) -> None:
    assert texts(written) == ["cents", "money is in cents", "use make"]


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        *((table, "content", f"'{PLANTED}'") for table in ("episode", "learning", "note")),
        ("episode", "agent", "'root'"),
        ("episode", "metadata", "'{\"title\":'"),
        ("learning", "confidence", "1.0"),
        ("note", "subjects", "'[['"),
    ],
)
def test_a_row_that_was_changed_is_reported_and_not_quoted(
    written: Engine, table: str, column: str, value: str
) -> None:
    written.db.define(f"UPDATE {table} SET {column} = {value}")
    found = texts(written)

    assert found.count(DAMAGED) == 1 and len(found) == 3
    assert PLANTED not in found


def test_a_row_of_an_older_clew_has_no_digest_and_is_read(written: Engine) -> None:
    for table in ("episode", "learning", "note"):
        written.db.define(f"UPDATE {table} SET digest = ''")

    assert texts(written) == ["cents", "money is in cents", "use make"]


@pytest.mark.parametrize("table", ["episode", "learning"])
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE {table}_entity SET node = 'auth.py::check' WHERE node = 'pay.py'",
        "UPDATE {table}_entity SET digest = {bytes} WHERE node = 'pay.py'",
        "DELETE FROM {table}_entity WHERE node = 'pay.py'",
        "INSERT INTO {table}_entity SELECT project, link + 7, {table}, 'auth.py', digest FROM {table}_entity",
    ],
)
def test_a_changed_link_to_code_is_reported_and_not_followed(written: Engine, table: str, statement: str) -> None:
    bytes_ = "CAST('x' AS BYTEA)" if written.db.dialect == "postgres" else "CAST('x' AS BLOB)"
    written.db.define(statement.format(table=table, bytes=bytes_))
    episode, learning = written.episodes.latest(9)[0], written.learnings.current(9)[0]
    found = {"episode": (episode.draft.content, episode.subjects), "learning": (learning.content, learning.subjects)}

    content, subjects = found.pop(table)
    assert (content.splitlines()[1:], subjects) == ([LINKS_DAMAGED], ())
    assert [one[1] for one in found.values()] == [SUBJECTS]
    assert count_damaged(written.db, written.where.project) == {f"{table} links": 1}


def test_links_of_an_older_clew_are_followed_and_counted_as_unverified(written: Engine) -> None:
    assert check_rows(written.db, written.where.project).unverified == {}
    for table in ("episode", "learning"):
        written.db.define(f"UPDATE {table} SET links_digest = ''")

    assert [written.episodes.latest(9)[0].subjects, written.learnings.current(9)[0].subjects] == [SUBJECTS] * 2
    assert check_rows(written.db, written.where.project).unverified == {"episode links": 1, "learning links": 1}


@pytest.mark.parametrize("column", ["agent", "process", "since", "seen_at", "ended_at"])
def test_a_changed_session_is_reported_and_does_not_count_as_gone(db: Database, where: Where, column: str) -> None:
    sessions, claims = Sessions(db, where), Claims(db, where)
    with claims.at_once(lambda: DAY_1) as now:
        sessions.mark_seen(Identity("ann", "1", "here:1:x"), now)
        sessions.mark_seen(Identity("ben", "1", "here:2:x"), now)
    sessions.end(Identity("ben", "1"), DAY_2)
    assert count_damaged(db, where.project) == {}
    assert [one.ended_at < FOREVER for one in sessions.all(DAY_2)] == [False, True]
    value = f"'{PLANTED}'" if column in ("agent", "process") else "1"
    db.define(f"UPDATE agent_session SET {column} = {value} WHERE agent = 'ann'")
    found = next(one for one in sessions.all(DAY_2) if one.holder.agent_id != "ben")

    assert count_damaged(db, where.project) == {"agent_session": 1}
    assert PLANTED not in (found.holder.agent_id, found.holder.process)
    assert found.ended_at == FOREVER
    with claims.at_once(lambda: DAY_2) as now:
        sessions.mark_seen(Identity("ann", "1", "here:1:x"), now)
    mended = {"process", "seen_at", "ended_at"}  # a sign of life writes them anew
    assert count_damaged(db, where.project) == ({} if column in mended else {"agent_session": 1})


@pytest.fixture
def fleet(db: Database, where: Where) -> tuple[Database, Where]:
    """A task with its change, a feature, and two claims of which one has ended."""
    tasks, claims = Tasks(db, where), Claims(db, where)
    task = Task("T1", "Pay", "by card", "checkout", TaskStatus.BLOCKED, WHO, plan=(TaskStep("write"),), files=("a.py",))
    with claims.at_once(lambda: DAY_1):
        tasks.put(task, WHO, {"title": "Pay"}, "a note")
        Features(db, where).put(Feature("checkout", "Checkout", ("a.py",), DAY_1))
        claims.put(a_claim("a.py", intent="round to cents", fence=1))
        claims.put(a_claim("b.py", intent="done soon", fence=2))
        claims.end("b.py", DAY_2, EndReason.RELEASED, "it is done")
        claims.move("a.py", "another version", 7)
    return db, where


def said(fleet: tuple[Database, Where]) -> list[str]:
    """All that other agents can be shown of the fleet."""
    tasks, features, claims = Tasks(*fleet), Features(*fleet), Claims(*fleet)
    of_tasks = [text for task in tasks.all() for text in (task.title, task.description, *(s.text for s in task.plan))]
    changes = [text for change in tasks.changes("T1") for text in (change.note, *map(str, change.fields.values()))]
    held = [text for claim in claims.latest(9) for text in (claim.intent, claim.outcome)]
    return [text for text in (*of_tasks, *changes, *(one.title for one in features.all()), *held) if text]


WRITTEN = ["Pay", "by card", "write", "a note", "Pay", "Checkout", "done soon", "it is done", "round to cents"]


def test_the_fleet_is_read_as_it_was_written(fleet: tuple[Database, Where]) -> None:
    assert said(fleet) == WRITTEN
    assert count_damaged(fleet[0], fleet[1].project) == {}


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        *(("task", column, f"'{PLANTED}'") for column in ("title", "description", "agent", "status")),
        ("task", "plan", f'\'[{{"text": "{PLANTED}"}}]\''),
        ("task", "files", "'[['"),
        ("task_change", "note", f"'{PLANTED}'"),
        ("task_change", "fields", f'\'{{"title": "{PLANTED}"}}\''),
        ("feature", "title", f"'{PLANTED}'"),
        ("claim", "intent", f"'{PLANTED}'"),
        ("claim", "kind", f"'{PLANTED}'"),
    ],
)
def test_a_changed_row_of_the_fleet_is_reported_and_not_quoted(
    fleet: tuple[Database, Where], table: str, column: str, value: str
) -> None:
    db, where = fleet
    db.define(f"UPDATE {table} SET {column} = {value}")
    found = said(fleet)

    assert DAMAGED in found
    assert PLANTED not in found
    assert list(count_damaged(db, where.project)) == [table]


def test_the_end_of_a_claim_has_a_digest_of_its_own(fleet: tuple[Database, Where]) -> None:
    db, where = fleet
    db.define(f"UPDATE claim SET outcome = '{PLANTED}' WHERE fence = 2")
    ended, held = Claims(db, where).latest(9)

    assert (ended.outcome, ended.intent, ended.is_open) == (DAMAGED, "done soon", False)
    assert (held.intent, held.version_sha) == ("round to cents", "another version")
    assert count_damaged(db, where.project) == {"claim": 1}


def test_a_damaged_claim_still_holds_its_target(fleet: tuple[Database, Where]) -> None:
    db, where = fleet
    db.define(f"UPDATE claim SET intent = '{PLANTED}' WHERE fence = 1")

    assert [(one.target, one.holder) for one in Claims(db, where).open()] == [("a.py", WHO)]


def test_rows_of_an_older_clew_are_read(fleet: tuple[Database, Where]) -> None:
    for table in ("task", "task_change", "feature", "claim"):
        fleet[0].define(f"UPDATE {table} SET digest = ''")
    fleet[0].define("UPDATE claim SET end_digest = ''")
    assert check_rows(fleet[0], fleet[1].project).unverified["claim"] == 2

    assert said(fleet) == WRITTEN
