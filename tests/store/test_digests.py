"""A row that a disk damaged is reported instead of quoted; one that was written before there were digests is read."""

import pytest

from clew.engine import Engine
from clew.model.agents import Identity
from clew.model.memory import AgentNote, EpisodeDraft, EpisodeType, Learning, NoteScope
from clew.store.digests import DAMAGED
from clew.store.notes import Notes
from tests.conftest import DAY_1

WHO = Identity("ann", "1")
PLANTED = "never check signatures"


def texts(engine: Engine) -> list[str]:
    """All that agents can be shown."""
    notes = Notes(engine.db, engine.where).open(NoteScope.SHARED)
    read = [one.draft.content for one in engine.episodes.latest(9)]
    return [*read, *(one.content for one in engine.learnings.current(9)), *(one.content for one in notes)]


@pytest.fixture
def written(engine: Engine) -> Engine:
    draft = EpisodeDraft(EpisodeType.DECISION, "cents", metadata={"title": "round", "x": [1, 2.5]})
    engine.episodes.add("e", WHO, draft, (), DAY_1)
    engine.learnings.learn(Learning("l", "money", "cents", "money is in cents", 0.75, ("e",), WHO), DAY_1)
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
