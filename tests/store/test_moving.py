"""A project moves between engines as a whole or not at all; both sides stay usable."""

import os
import shutil
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from clew import projects
from clew.coordinate.claims import Wish
from clew.coordinate.tasks import Edit
from clew.engine import Engine
from clew.graph.view import graph_hash
from clew.model.agents import Identity
from clew.model.errors import ClewError, Conflict, IndexMissing, InvalidInput, StoreDenied, StoreLost
from clew.model.fleet import TaskStatus
from clew.model.memory import AgentNote, EpisodeDraft, EpisodeType, Learning, NoteScope, Subject
from clew.store import migrations, moving
from clew.store.postgres import Postgres
from clew.store.sqlite import SQLite
from clew.store.usage import Use
from clew.store.vectors import Embedded
from tests.cluster import HAS_POSTGRESQL, Cluster, temporary_cluster
from tests.conftest import DAY_2, PROJECT, Repository, clew
from tests.store.claiming import ANN, BEN
from tests.views import current_view, search, tables

pytestmark = pytest.mark.needs(postgresql=HAS_POSTGRESQL)

FILE = {"CLEW_PROJECT_ID": PROJECT}
EVERY_TABLE = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%project INTEGER NOT NULL%'"


def server(url: str) -> dict[str, str]:
    return {"CLEW_STORAGE_URL": url, **FILE}


def unheard(done: int, total: int) -> None:
    pass


@pytest.fixture
def indexed(repository: Repository) -> Repository:
    """With a past: two versions of a file, one that is gone, a question that was asked, a run."""
    repository.write("a.py", "def login(): ...\n")
    repository.write("b.py", "import a\n")
    repository.write("gone.py", "x = 1\n")
    repository.commit()
    with Engine.open(repository.root, environ=FILE) as engine:
        engine.index()
        repository.write("a.py", "def login(user): ...\n")
        repository.delete("gone.py")
        repository.commit(at=DAY_2)
        engine.index()
        engine.usage.put([a_use("asked")])
        engine.vectors.put("m", {i.to_bytes(16): b"vector" for i in range(600)})
        engine.vectors.mark("m", [Embedded(1, 1, bytes(16))])
        who, subjects = Identity("planner", "s1"), (Subject("a.py::login", b"then"),)
        engine.episodes.add("e1", who, EpisodeDraft(EpisodeType.OBSERVATION, "login takes a user"), subjects, DAY_2)
        engine.memory.notebook.keep(AgentNote("n1", NoteScope.SHARED, who, "run the tests with make", "tests"), DAY_2)
        engine.learnings.learn(
            Learning("l1", "a.py", "hotspot", "a.py changes", 0.8, ("e1",), subjects=subjects), DAY_2
        )
    return repository


def test_what_agents_share_moves_along_and_stays_held(indexed: Repository, database_url: str) -> None:
    with Engine.open(indexed.root, environ=FILE) as engine:
        engine.fleet.board.update(ANN, "T1", Edit(title="Log in", feature="login", status=TaskStatus.IN_PROGRESS))
        engine.fleet.desk.claim(ANN, Wish("a.py"))
        before = engine.fleet.lookout.overview()
        marks = engine.ground.marks()

    projects.move(indexed.root, database_url, unheard, FILE)

    with Engine.open(indexed.root, environ=server(database_url)) as engine:
        assert engine.ground.marks() == marks
        assert engine.fleet.lookout.overview().held == before.held
        assert engine.fleet.desk.claim(BEN, Wish("a.py")).conflicts
        assert [len(change.fields) > 1 for change in engine.fleet.lookout.tasks.changes("T1")] == [True]
        assert [one.id for one in engine.fleet.features.all()] == ["login"]


def test_what_a_server_cannot_hold_does_not_stop_the_move(indexed: Repository, database_url: str) -> None:
    who = Identity("planner", "s1")
    with Engine.open(indexed.root, environ=FILE) as engine:
        engine.episodes.add("e2", who, EpisodeDraft(EpisodeType.OBSERVATION, "it prints \0"), (), DAY_2)

    projects.move(indexed.root, database_url, unheard, FILE)

    with Engine.open(indexed.root, environ=server(database_url)) as engine:
        assert [one.draft.content for one in engine.episodes.latest(1)] == ["it prints \ufffd"]


def test_a_claim_that_ends_meanwhile_stops_the_move(indexed: Repository, database_url: str) -> None:
    with Engine.open(indexed.root, environ=FILE) as engine:
        engine.fleet.desk.claim(ANN, Wish("a.py"))

    def release(done: int, total: int) -> None:
        with Engine.open(indexed.root, environ=FILE) as other:
            for one in other.fleet.desk.open():
                other.fleet.desk.release(ANN, one.claim.id)

    with pytest.raises(Conflict, match="meanwhile"):
        projects.move(indexed.root, database_url, release, FILE)


def a_use(id: str) -> Use:
    return Use(id, 1, "query_context", "agent", 1, 1, 1)


def told(engine: Engine) -> tuple[object, ...]:
    history = [(v.version, v.valid_from, v.valid_to, v.known_from, v.known_to) for v in engine.files.history("a.py")]
    runs = [(t.id, t.status, t.counts) for t in engine.transactions.latest(9)]
    rows = {name: len(rows) for name, rows in tables(engine).items()}
    uses = engine.usage.latest(9)
    memory = engine.episodes.latest(9), engine.learnings.current(9)
    view = graph_hash(engine.db, engine.where), current_view(engine), search(engine, "login")
    return *view, history, runs, rows, uses, memory


def test_a_project_goes_to_a_server_and_back_with_its_past(indexed: Repository, database_url: str) -> None:
    with Engine.open(indexed.root, environ=FILE) as engine:
        before = told(engine)

    moved = projects.move(indexed.root, database_url, unheard, FILE)
    with Engine.open(indexed.root, environ=server(database_url)) as engine:
        on_server = told(engine)
        assert engine.index().read == 0, "the tree is where it was, and known"
    (indexed.root / ".clew" / "clew.db").rename(indexed.root / ".clew" / "before.db")
    projects.move(indexed.root, "sqlite", unheard, server(database_url))
    with Engine.open(indexed.root, environ=FILE) as engine:
        back = told(engine)

    assert on_server == before
    assert moved.graphs == {next(iter(moved.graphs)): before[0]}
    assert back[:3] == before[:3]
    assert back[5:] == before[5:]


def test_every_table_of_a_project_moves(tmp_path: Path) -> None:
    with SQLite(tmp_path / "clew.db") as db:
        migrations.migrate(db, migrations.all_migrations(), 1)
        names = {row["name"] for row in db._connection().run(EVERY_TABLE)}

    assert names - {"lease", "index_error", "knowledge_view", "link_input"} == {*moving.BY_KEY, *moving.BY_FILE}


def test_linked_worktrees_move_along(indexed: Repository, tmp_path: Path, database_url: str) -> None:
    indexed.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "other")
    with Engine.open(tmp_path / "linked", environ=FILE) as engine:
        engine.index()

    projects.move(indexed.root, database_url, unheard, FILE)

    for root in (indexed.root, tmp_path / "linked"):
        with Engine.open(root, environ=server(database_url)) as engine:
            assert search(engine, "login"), root


def test_a_project_that_was_made_without_a_name_moves_under_its_configured_one(
    repository: Repository, database_url: str
) -> None:
    repository.write("a.py", "def login(): ...\n")
    with Engine.open(repository.root, environ={}) as engine:
        engine.index()

    projects.move(repository.root, database_url, unheard, FILE)

    with Engine.open(repository.root, environ=server(database_url)) as engine:
        assert [hit.path for hit in search(engine, "login")] == ["a.py"]


def test_a_target_that_has_the_project_is_left_alone(indexed: Repository, database_url: str) -> None:
    projects.move(indexed.root, database_url, unheard, FILE)
    with Engine.open(indexed.root, environ=server(database_url)) as engine:
        engine.usage.put([a_use("later")])

    with pytest.raises(Conflict, match=PROJECT):
        projects.move(indexed.root, database_url, unheard, FILE)

    with Engine.open(indexed.root, environ=server(database_url)) as engine:
        assert {use.id for use in engine.usage.latest(9)} == {"asked", "later"}


def test_what_is_written_meanwhile_stops_the_move(indexed: Repository, database_url: str) -> None:
    def write(done: int, total: int) -> None:
        with Engine.open(indexed.root, environ=FILE) as other:
            other.usage.put([a_use(f"meanwhile-{done}")])

    with pytest.raises(Conflict, match="meanwhile"):
        projects.move(indexed.root, database_url, write, FILE)

    with Postgres(database_url, PROJECT) as target:
        assert not any(target.query("project_get", id=PROJECT))


def test_a_copy_that_is_not_the_same_does_not_count(
    indexed: Repository, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projects, "graph_hash", lambda db, where: f"{db.dialect}'s own")

    with pytest.raises(ClewError, match="differs"):
        projects.move(indexed.root, database_url, unheard, FILE)

    with Engine.open(indexed.root, environ=FILE) as engine:
        assert search(engine, "login"), "the source is as it was"


def test_an_interrupted_move_leaves_both_sides_usable(indexed: Repository, database_url: str) -> None:
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        projects.move(indexed.root, database_url, interrupt, FILE)

    with Engine.open(indexed.root, environ=FILE) as engine:
        assert search(engine, "login")
    projects.move(indexed.root, database_url, unheard, FILE)
    with Engine.open(indexed.root, environ=server(database_url)) as engine:
        assert search(engine, "login")


def test_a_killed_move_leaves_both_sides_usable(indexed: Repository, database_url: str) -> None:
    script = (
        "import sys, time; from pathlib import Path; from clew import projects\n"
        "projects.move(Path(sys.argv[1]), sys.argv[2], lambda done, total: (print(done, flush=True), time.sleep(60)))\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(indexed.root), database_url],
        stdout=subprocess.PIPE,
        env={**os.environ, **FILE},
    )
    assert child.stdout is not None
    with closing(child.stdout):
        assert child.stdout.readline()
        child.kill()
        child.wait()

    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:  # until the server has noticed that its client is gone
        try:
            projects.move(indexed.root, database_url, unheard, FILE)
            break
        except StoreLost:
            time.sleep(0.1)
    with Engine.open(indexed.root, environ=server(database_url)) as engine:
        assert search(engine, "login")


def test_a_server_that_goes_away_in_the_middle_leaves_nothing_half_moved(indexed: Repository) -> None:
    with temporary_cluster() as cluster:
        cluster.create_role("tester", "pw")
        cluster.create_database("clew", "tester")
        url = cluster.url("clew", "tester", "pw")

        def crash(done: int, total: int) -> None:
            cluster.restart("immediate")

        with pytest.raises(StoreLost):
            projects.move(indexed.root, url, crash, FILE)
        projects.move(indexed.root, url, unheard, FILE)
        with Engine.open(indexed.root, environ=server(url)) as engine:
            assert search(engine, "login")


@pytest.mark.parametrize("name", ["", "ci-main"])
def test_a_tree_without_its_mark_comes_back_to_its_place_or_is_told_to_be_indexed(
    indexed: Repository, database_url: str, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    projects.move(indexed.root, database_url, unheard, {**FILE, "CLEW_PROJECT_CHECKOUT": name})
    shutil.move(indexed.root / ".clew", indexed.root.parent / "aside")
    monkeypatch.setenv("CLEW_PROJECT_ID", PROJECT)
    with monkeypatch.context() as there:
        there.setenv("CLEW_STORAGE_URL", database_url)
        moved = clew("migrate", "--to", "sqlite", root=indexed.root)
    found = clew("search", "login", root=indexed.root)

    assert moved.returncode == 0, moved.stderr
    assert ("run `clew index`" in moved.stderr) == bool(name), "no host and path to know it by"
    assert (found.returncode, "a.py" in found.stdout) == ((3, False) if name else (0, True))


@pytest.mark.parametrize(
    ("to", "error"),
    [("sqlite", InvalidInput), ("postgresql://nobody:secret@127.0.0.1:1/x", StoreLost)],
)
def test_a_place_that_cannot_be_moved_to_is_said(indexed: Repository, to: str, error: type[ClewError]) -> None:
    with pytest.raises(error) as caught:
        projects.move(indexed.root, to, unheard, FILE)

    assert "secret" not in f"{caught.value.message}{caught.value.hint}"


def test_nothing_to_move_is_said(repository: Repository, database_url: str) -> None:
    with pytest.raises(IndexMissing):
        projects.move(repository.root, database_url, unheard, FILE)


def test_a_role_that_may_not_create_tables_is_told(indexed: Repository, cluster: Cluster) -> None:
    cluster.sql("DROP ROLE IF EXISTS guest")
    cluster.create_role("guest", "pw")

    with pytest.raises(StoreDenied):
        projects.move(indexed.root, cluster.url("postgres", "guest", "pw"), unheard, FILE)


def test_the_command_moves_and_says_what_to_write(
    indexed: Repository, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_PROJECT_ID", PROJECT)
    moved = clew("migrate", "--to", database_url, root=indexed.root)
    again = clew("migrate", "--to", database_url, "--json", root=indexed.root)
    wrong = clew("migrate", "--to", "mysql://x", root=indexed.root)

    assert (moved.returncode, again.returncode, wrong.returncode) == (0, 4, 2), moved.stderr
    assert "counts and graph hashes agree" in moved.stdout
    assert f'id = "{PROJECT}"' in moved.stderr
    assert database_url.partition(":")[2].partition(":")[2].partition("@")[0] not in moved.stderr, "no password"
    assert '"CLEW_E_CONFLICT"' in again.stdout
    assert "postgresql://" in wrong.stderr


def test_the_graph_command_prints_the_same_on_both(
    indexed: Repository, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_PROJECT_ID", PROJECT)
    projects.move(indexed.root, database_url, unheard, FILE)

    def graph(*options: str) -> str:
        return clew("graph", *options, root=indexed.root).stdout

    on_file = graph(), graph("--format", "hash")
    monkeypatch.setenv("CLEW_STORAGE_URL", database_url)

    assert (graph(), graph("--format", "hash")) == on_file
    assert on_file[0].count("\n") == len(on_file[0].splitlines()) > 3
