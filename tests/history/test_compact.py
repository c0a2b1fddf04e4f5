"""Compaction: the record begins later; the present, and what agents wrote, stay to the byte."""

import pytest

from clew.engine import Engine, now
from clew.graph.view import graph_hash
from clew.history.git_import import ImportRequest
from clew.model.run import Mode
from clew.model.time import NOW, AsOf
from tests.conftest import DAY, DAY_1, Repository
from tests.history.test_git_import import FUTURE, recorded, walked
from tests.tools.asking import asking


@pytest.fixture
def imported(engine: Engine) -> tuple[Engine, list[tuple[str, int]]]:
    walk = walked(Repository(engine.place.root), 31)
    engine.index()
    engine.import_history(ImportRequest())
    return engine, walk.commits


def test_what_ended_goes_and_the_rest_stays(imported: tuple[Engine, list[tuple[str, int]]]) -> None:
    engine, commits = imported
    cutoff = commits[len(commits) // 2][1]
    before = graph_hash(engine.db, engine.where)
    later = {at: recorded(engine, at) for _, at in commits if at >= cutoff}
    runs = engine.transactions.count()

    planned = engine.compact(cutoff, dry_run=True)
    assert planned.versions > 0
    assert {at: recorded(engine, at) for at in later} == later
    done = engine.compact(cutoff, dry_run=False)
    assert (done.versions, done.files, done.texts) == (planned.versions, planned.files, planned.texts)

    assert graph_hash(engine.db, engine.where) == before
    assert {at: recorded(engine, at) for at in later} == later
    assert recorded(engine, commits[0][1]) != recorded(engine, commits[-1][1])
    assert engine.transactions.count() == runs + 1
    assert engine.transactions.latest(1)[0].type == "compaction"
    assert engine.compact(cutoff, dry_run=False).versions == 0


def test_texts_that_nothing_else_has_are_freed(engine: Engine) -> None:
    repository = Repository(engine.place.root)
    for number in range(3):
        repository.write("pay.py", f"def charge():\n    return {number}\n")
        repository.commit(DAY_1 + number * DAY)
    engine.index()
    engine.import_history(ImportRequest())
    assert engine.compact(DAY_1 + 2 * DAY, dry_run=True).texts == 2
    engine.compact(DAY_1 + 2 * DAY, dry_run=False)
    assert len(engine.files.history("pay.py")) == 1


def test_runs_go_on_after_it(imported: tuple[Engine, list[tuple[str, int]]]) -> None:
    engine, commits = imported
    engine.compact(now(), dry_run=False)
    assert recorded(engine, commits[0][1]).keys() <= recorded(engine, commits[-1][1]).keys()
    repository = Repository(engine.place.root)
    repository.write("pkg/new.py", "def new():\n    return 1\n")
    repository.write("side.py", "def again():\n    return 2\n")
    engine.index()
    after = graph_hash(engine.db, engine.where)
    engine.index(Mode.FULL)
    assert graph_hash(engine.db, engine.where) == after
    engine.import_history(ImportRequest())
    assert engine.files.get("side.py", NOW) is not None


def test_what_agents_wrote_is_never_removed(repository: Repository, backend: str) -> None:
    repository.write("pay.py", "def charge():\n    return 1\n")
    repository.commit(DAY_1)
    with asking(repository.root) as ask, Engine.open(repository.root) as engine:
        engine.index()
        decided = {
            "title": "Once", "rationale": "simple", "tradeoffs": ["none"], "affected_files": ["pay.py"],
        }  # fmt: skip
        added = ask(
            "episode_add", type="DECISION", content="Charge once", entities=["pay.py::charge"], metadata=decided
        )
        assert added["ok"], added
        repository.write("pay.py", "def charge():\n    return 2\n")
        repository.commit(DAY_1 + DAY)
        engine.index()
        engine.compact(now(), dry_run=False)
        assert "Charge once" in str(ask("decision_query", query="charge")["data"])
        assert engine.files.get("pay.py", AsOf(DAY_1, FUTURE)) is None
