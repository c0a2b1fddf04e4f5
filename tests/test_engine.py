"""The composition root: opening, read-only, coverage, and the projects of one connection."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.engine import Engine, now
from clew.model.errors import Denied, IndexMissing, NotFound, StoreReadOnly, Unavailable
from clew.model.search import Query
from clew.store.leases import INDEXING
from clew.workspaces import Workspaces


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "tokens.py").write_text("def validate_token(token): ...\n", "utf-8")
    with Engine.open(root, environ={}) as engine:
        engine.index()
    return root


@pytest.fixture
def other(tmp_path: Path) -> Path:
    root = tmp_path / "other"
    root.mkdir()
    return root


@pytest.fixture
def workspaces(project: Path) -> Iterator[Workspaces]:
    workspaces = Workspaces(project)
    yield workspaces
    workspaces.close()


def test_a_project_keeps_its_id(project: Path) -> None:
    with Engine.open(project, environ={}) as first, Engine.open(project, environ={}) as second:
        assert first.project_id == second.project_id


def test_a_configured_id_is_the_project_s(other: Path) -> None:
    with Engine.open(other, environ={"CLEW_PROJECT_ID": "ours"}) as engine:
        assert engine.project_id == "ours"


def test_reading_only_needs_an_index(project: Path, other: Path) -> None:
    with Engine.open(project, read_only=True, environ={}) as engine:
        assert engine.search(Query("token", 3)).hits
        with pytest.raises(StoreReadOnly):
            engine.index()
    with pytest.raises(IndexMissing):
        Engine.open(other, read_only=True, environ={})
    assert not (other / ".clew").exists()


def test_nothing_can_be_found_before_the_first_run(other: Path) -> None:
    with Engine.open(other, environ={}) as engine, pytest.raises(IndexMissing):
        engine.search(Query("token", 3))


def test_while_a_run_is_under_way_answers_say_so(other: Path) -> None:
    with Engine.open(other, environ={}) as engine:
        engine.leases.acquire(INDEXING, "elsewhere:1:x", now())
        results = engine.search(Query("token", 3))

    assert results.hits == ()
    assert (results.coverage.indexed, results.coverage.indexing) == (0, True)


RETRIEVERS = {
    f"CLEW_PROVIDERS_{name}_ENABLED": "false" for name in ("FULL_TEXT", "SYMBOL", "PATH", "GIT_HISTORY", "SEMANTIC")
}


@pytest.mark.parametrize("environ", [{"CLEW_ENABLED": "false"}, RETRIEVERS])
def test_what_is_switched_off_does_not_answer(project: Path, environ: dict[str, str]) -> None:
    with Engine.open(project, environ=environ) as engine, pytest.raises(Unavailable, match="search is disabled"):
        engine.search(Query("token", 3))


def test_any_thread_may_ask(project: Path) -> None:
    found: list[int] = []
    with Engine.open(project, environ={}) as engine:
        threads = [
            threading.Thread(target=lambda: found.append(len(engine.search(Query("token", 3)).hits))) for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert found == [found[0]] * 8
    assert found[0] > 0


def test_a_project_is_opened_once_for_all_threads(project: Path) -> None:
    workspaces = Workspaces(project)
    opened: list[Engine] = []
    threads = [threading.Thread(target=lambda: opened.append(workspaces.get())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    workspaces.close()

    assert len(opened) == 8
    assert len(set(map(id, opened))) == 1


def test_the_default_has_several_names(workspaces: Workspaces, project: Path) -> None:
    default = workspaces.get()

    assert workspaces.get(str(project)) is default
    assert workspaces.get(default.project_id) is default


def test_another_project_is_named_by_its_path_and_then_by_its_id(workspaces: Workspaces, other: Path) -> None:
    engine = workspaces.get(str(other))

    assert engine.place.root == other
    assert workspaces.get(engine.project_id) is engine
    assert workspaces.get() is not engine


def test_a_project_can_be_named_where_the_default_is_none(project: Path) -> None:
    workspaces = Workspaces(Path("/"))
    with pytest.raises(Denied):
        workspaces.get()
    assert workspaces.get(str(project)).place.root == project
    workspaces.close()


@pytest.mark.parametrize("name", ["nowhere", "/nowhere/at/all", "~nobody-of-this-name", "a\0b"])
def test_an_unknown_project_is_not_found(workspaces: Workspaces, name: str) -> None:
    with pytest.raises(NotFound):
        workspaces.get(name)


def test_the_default_can_be_moved(workspaces: Workspaces, other: Path) -> None:
    assert workspaces.select(str(other)) is workspaces.get()
    assert workspaces.get().place.root == other


def test_where_one_project_is_served_no_other_opens(project: Path, other: Path) -> None:
    workspaces = Workspaces(project, roots=())
    with pytest.raises(NotFound):  # as if it did not exist: a server does not tell what is on its disk
        workspaces.get(str(other))
    with pytest.raises(Denied):
        workspaces.select(str(other))
    assert workspaces.get(str(project)).place.root == project
    workspaces.close()

    assert not (other / ".clew").exists()


def test_after_closing_nothing_opens_again(workspaces: Workspaces) -> None:
    workspaces.close()

    with pytest.raises(Unavailable, match="closed"):
        workspaces.get()
