"""What cannot be computed again leaves and comes back whole: as an export, and as a backup."""

import io
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from clew import ground_state
from clew.coordinate.claims import Wish
from clew.coordinate.tasks import Edit
from clew.engine import Engine
from clew.graph.view import graph_hash
from clew.model.agents import Identity
from clew.model.errors import ClewError, Conflict, InvalidInput, StoreNewer
from clew.model.fleet import TaskStatus
from clew.model.memory import AgentNote, EpisodeDraft, EpisodeType, Learning, NoteScope, Subject
from clew.store import export_file, moving
from clew.surfaces.cli import cli
from clew.surfaces.library import Workspace
from tests.conftest import DAY_2, PROJECT, Repository
from tests.store.claiming import ANN

WHO = Identity("planner", "s1")


@pytest.fixture
def filled(repository: Repository, backend: str) -> Repository:
    """A project in which agents have written everything that they can."""
    repository.write("a.py", "def login(): ...\n")
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        engine = workspace.engine
        engine.index()
        repository.write("a.py", "def login(user): ...\n")
        repository.commit(at=DAY_2)
        engine.index()
        subjects = (Subject("a.py::login", b"then"),)
        engine.episodes.add("e1", WHO, EpisodeDraft(EpisodeType.DECISION, "login takes a user"), subjects, DAY_2)
        engine.memory.notebook.keep(AgentNote("n1", NoteScope.SHARED, WHO, "run make", "tests"), DAY_2)
        engine.memory.notebook.keep(AgentNote("p1", NoteScope.USER, WHO, "answer briefly", "style"), DAY_2)
        engine.learnings.learn(Learning("l1", "a.py", "hotspot", "it changes", 0.8, ("e1",), subjects=subjects), DAY_2)
        engine.fleet.board.update(ANN, "T1", Edit(title="Log in", feature="login", status=TaskStatus.IN_PROGRESS))
        engine.fleet.desk.claim(ANN, Wish("a.py"))
        workspace.context_pack_create(query="login", write=True)
    return repository


def exported(root: Path, scope: str = "ground", environ: dict[str, str] | None = None) -> bytes:
    out = io.BytesIO()
    if environ is None:
        ground_state.export(root, out, scope, preferences=True)
    else:
        ground_state.export(root, out, scope, preferences=True, environ=environ)
    return out.getvalue()


def rows(export: bytes) -> list[bytes]:
    """Without the header, which has a time, and the footer, whose checksum covers it; in one order."""
    return sorted(line for line in export.splitlines()[1:-1] if b'"table":"lease"' not in line)


@pytest.fixture
def elsewhere(tmp_path: Path, filled: Repository) -> Repository:
    """A clone, which agents have not worked in."""
    filled.git("clone", "-q", str(filled.root), str(tmp_path / "clone"))
    return Repository(tmp_path / "clone")


@pytest.mark.parametrize("scope", ["agents", "ground", "all"])
def test_an_export_comes_back_without_loss_on_the_other_engine(
    filled: Repository, elsewhere: Repository, backend: str, scope: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    file = tmp_path / "project.jsonl"
    file.write_bytes(exported(filled.root, scope))
    other = {"CLEW_PROJECT_ID": PROJECT, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    if backend == "sqlite":
        other["CLEW_STORAGE_URL"] = request.getfixturevalue("ready_url")

    ground_state.import_file(elsewhere.root, file, environ=other)

    assert rows(exported(elsewhere.root, scope, other)) == rows(file.read_bytes())


def test_what_is_derived_is_made_again_after_an_import(
    filled: Repository, elsewhere: Repository, tmp_path: Path
) -> None:
    file = tmp_path / "project.jsonl"
    file.write_bytes(exported(filled.root))
    with Engine.open(filled.root) as engine:
        before = graph_hash(engine.db, engine.where), {one.version for one in engine.files.history("a.py")}
    environ = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}

    ground_state.import_file(elsewhere.root, file, environ=environ)
    with Engine.open(elsewhere.root, environ=environ) as engine:
        engine.index()
        after = graph_hash(engine.db, engine.where), {one.version for one in engine.files.history("a.py")}
        found = engine.episodes.latest(1)

    assert (after[0], after[1] & before[1]) == before, "the past is still known"
    assert [one.draft.content for one in found] == ["login takes a user"]


def test_a_project_in_which_agents_wrote_is_replaced_on_request_only(filled: Repository, tmp_path: Path) -> None:
    file = tmp_path / "project.jsonl"
    file.write_bytes(exported(filled.root))
    with Engine.open(filled.root) as engine:
        engine.episodes.add("e2", WHO, EpisodeDraft(EpisodeType.ERROR, "later"), (), DAY_2)

    with pytest.raises(Conflict, match="2 of episode"):
        ground_state.import_file(filled.root, file)
    ground_state.import_file(filled.root, file, replace=True)

    with Engine.open(filled.root) as engine:
        assert [one.id for one in engine.episodes.latest(9)] == ["e1"]
    ground_state.import_file(filled.root, ground_state.find_backup(filled.root).path, replace=True)
    with Engine.open(filled.root) as engine:
        assert [one.id for one in engine.episodes.latest(9)] == ["e1", "e2"], "what was replaced is in a backup"


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda data: data[:-20], InvalidInput),
        (lambda data: data.replace(b"takes a user", b"takes a loser"), InvalidInput),
        (lambda data: data.replace(b'"version":1', b'"version":2', 1), StoreNewer),
        (lambda data: data.replace(b'"table":"note"', b'"table":"poem"', 1), StoreNewer),
        (lambda data: b"{}\n", InvalidInput),
    ],
)
def test_a_damaged_export_changes_nothing(
    repository: Repository, tmp_path: Path, change: Callable[[bytes], bytes], error: type[ClewError]
) -> None:
    with Engine.open(repository.root) as engine:
        engine.episodes.add("e1", WHO, EpisodeDraft(EpisodeType.DECISION, "login takes a user"), (), DAY_2)
        engine.memory.notebook.keep(AgentNote("n1", NoteScope.SHARED, WHO, "run make", "tests"), DAY_2)
    before = exported(repository.root)
    (tmp_path / "bad.jsonl").write_bytes(change(before))

    with pytest.raises(error):
        ground_state.import_file(repository.root, tmp_path / "bad.jsonl", replace=True)

    assert rows(exported(repository.root)) == rows(before)


def test_an_export_of_the_first_version_is_read_forever(repository: Repository) -> None:
    ground_state.import_file(repository.root, Path(__file__).parent / "store" / "data" / "export_v1.jsonl")

    with Engine.open(repository.root) as engine:
        assert [one.draft.content for one in engine.episodes.latest(9)] == ["login takes a user"]
        assert [one.content for one in engine.memory.notebook.readable(WHO, [NoteScope.SHARED])] == ["run make"]


def test_backups_are_made_when_they_are_due_and_the_newest_are_kept(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_STORAGE_BACKUP_ENABLED", "true")
    monkeypatch.setenv("CLEW_STORAGE_BACKUP_KEEP", "2")
    with Engine.open(repository.root) as engine:
        assert export_file.is_due(engine.place)
        assert ground_state.back_up_if_due(repository.root)
        assert not ground_state.back_up_if_due(repository.root)
        made = [ground_state.back_up(repository.root).name for _ in range(3)]

        assert [one.name for one in export_file.list_backups(engine.place)] == made[:0:-1]


def test_a_damaged_backup_is_reported(filled: Repository) -> None:
    made = ground_state.back_up(filled.root)
    data = bytearray(made.path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    made.path.write_bytes(data)

    with pytest.raises(InvalidInput):
        ground_state.verify(made.path)


def test_the_commands_export_import_and_back_up(repository: Repository, tmp_path: Path) -> None:
    with Engine.open(repository.root) as engine:
        engine.episodes.add("e1", WHO, EpisodeDraft(EpisodeType.DECISION, "login takes a user"), (), DAY_2)
    place, file = ["-C", str(repository.root)], str(tmp_path / "out.jsonl")

    def run(*arguments: str) -> bytes:
        done = CliRunner().invoke(cli, [*place, *arguments], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout_bytes

    run("export", file)
    assert rows(run("export")) == rows(Path(file).read_bytes())
    (made,) = [msgspec.json.decode(run("backup", "--json"))]
    assert b"whole: " in run("backup", "verify", made["name"])
    assert made["name"].encode() in run("backup", "list")
    assert b"restored" in run("backup", "restore", "--yes")
    assert b"restored" in run("import", "--replace", file)


def test_every_column_of_every_table_travels(tmp_path: Path) -> None:
    with Engine.open(tmp_path) as engine, closing(sqlite3.connect(engine.place.database)) as db:
        for table in moving.ALL:
            known = {row[1] for row in db.execute(f"PRAGMA table_info({table})")} - {"project"}
            assert known == set(export_file.columns(table)), table
