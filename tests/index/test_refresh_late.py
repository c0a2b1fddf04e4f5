"""What a question had no time to look at: it says so, and it is looked at beside."""

import time

import pytest

from clew.engine import Engine
from clew.model.search import Query
from tests.conftest import Repository


@pytest.fixture
def hurried(repository: Repository, backend: str, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """Indexed, with many folders; from now on there is hardly any time."""
    repository.write("auth.py", "def validate_token(token):\n    return token\n")
    for i in range(3000):
        (repository.root / f"folders/f{i}").mkdir(parents=True)
    repository.commit()
    with Engine.open(repository.root) as engine:
        engine.index()
    monkeypatch.setenv("CLEW_QUERY_REFRESH_BUDGET_MS", "1")
    return repository


def test_a_sweep_that_runs_out_of_time_says_so_and_the_next_goes_on(hurried: Repository) -> None:
    with Engine.open(hurried.root) as engine:
        first = engine.search(Query("token", 5)).freshness
        engine.refresh()

    assert 0 < first.unchecked < 3010
    assert first.sweep_ms < 1000


def test_a_look_that_there_is_no_time_for_is_made_beside(hurried: Repository) -> None:
    """By a refresh, and not by a run on all of the tree that nobody could refresh anything beside."""
    hurried.write("okapi.py", "def okapi(): pass\n")
    with Engine.open(hurried.root) as engine:
        assert engine.search(Query("token", 20)).freshness.unchecked
        deadline = time.monotonic() + 60
        while engine.files.known_at("okapi.py") is None and time.monotonic() < deadline:
            time.sleep(0.1)

        assert [one.type for one in engine.transactions.latest(99)] == ["refresh", "incremental_rebuild"]


def test_a_folder_that_there_is_no_time_to_list_is_listed_beside(hurried: Repository) -> None:
    """Though nothing was found that would have to be judged."""
    for folder in (hurried.root / "folders").iterdir():  # it is not as it was, and has the same in it
        (folder / "brief.py").touch()
        (folder / "brief.py").unlink()
    with Engine.open(hurried.root) as engine:
        assert engine.refresh().unchecked
        assert engine.runs.linker is not None
        engine.runs.linker.wait(60)
    with Engine.open(hurried.root) as engine:
        assert engine.refresh(patient=True).unchecked == 0
