"""Index runs whose server crashes: what it lost of the index is made again by the same run."""

from collections.abc import Iterator

import pytest

from clew.engine import Engine, new_id, now
from clew.index.pipeline import IndexRequest, run_index
from clew.index.pool import MOST_FILES
from clew.index.working_tree import WorkingTree
from clew.model.run import Mode, Progress, RunReport
from tests.cluster import HAS_POSTGRESQL, Cluster, temporary_cluster
from tests.conftest import PROJECT, Repository
from tests.views import current_view

BATCHES = 3
FILES = BATCHES * MOST_FILES

pytestmark = pytest.mark.needs(postgresql=HAS_POSTGRESQL)


@pytest.fixture
def server() -> Iterator[Cluster]:
    """One that writes what nobody waits for as late as it may, so that a crash costs as much as it can."""
    with temporary_cluster() as server:
        server.create_role("owner", "secret")
        server.create_database("books", "owner")
        server.sql("ALTER SYSTEM SET wal_writer_delay = '10s'")
        server.restart()
        yield server


@pytest.fixture
def fleet(repository: Repository, server: Cluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setenv("CLEW_STORAGE_URL", server.url("books", "owner", "secret"))
    monkeypatch.setenv("CLEW_PROJECT_ID", PROJECT)
    for i in range(FILES):
        repository.write(f"m{i:03}.py", f"import m{i // 2:03}\n\n\ndef f{i}():\n    return m{i // 2:03}.f{i // 2}()\n")
    with Engine.open(repository.root) as engine:
        yield engine


def run_with_a_crash(engine: Engine, server: Cluster, after: int) -> RunReport:
    """A run whose server crashes once so many files are stored."""
    crashes = 0

    def report(progress: Progress) -> None:
        nonlocal crashes
        if progress.done == after and not crashes:
            crashes += 1
            server.restart("immediate")

    tree = WorkingTree(engine.place.root, engine.config, engine.where, engine.place.snapshots)
    return run_index(engine.db, tree, IndexRequest(), report, now, new_id)


@pytest.mark.parametrize("batches", [1, BATCHES])
def test_a_run_makes_again_what_the_server_lost(fleet: Engine, server: Cluster, batches: int) -> None:
    report = run_with_a_crash(fleet, server, batches * MOST_FILES)
    crashed = current_view(fleet)

    assert report.files == FILES
    fleet.index(Mode.FULL)
    assert crashed == current_view(fleet)
