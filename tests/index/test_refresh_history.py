"""What commits say is read beside the questions that notice them."""

import pytest

from clew.engine import Engine
from clew.model.search import Query
from tests.conftest import Repository


@pytest.fixture
def committed(repository: Repository, backend: str) -> Repository:
    """An index, and a commit that it does not know of."""
    repository.write("auth.py", "def validate_token(token):\n    return token\n")
    repository.commit()
    with Engine.open(repository.root) as engine:
        engine.index()
    repository.write("auth.py", "def validate_token(token):\n    return token + token\n")
    repository.commit(message="okapi")
    return repository


def test_what_a_commit_says_is_read_beside(committed: Repository) -> None:
    with Engine.open(committed.root) as engine:
        found = engine.search(Query("okapi", 5))

        assert (found.hits, found.freshness.refreshed, found.freshness.history) == ((), 1, True)
        assert engine.runs.linker
        assert engine.runs.linker.wait(60) == 0
    with Engine.open(committed.root) as engine:
        found = engine.search(Query("okapi", 5))
        assert ([hit.label for hit in found.hits], found.freshness.history) == (["validate_token"], False)


def test_where_no_run_is_wanted_it_is_only_told(committed: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_BOOTSTRAP_ENABLED", "false")
    with Engine.open(committed.root) as engine:
        assert engine.search(Query("okapi", 5)).freshness.history
        assert engine.runs.linker is None
