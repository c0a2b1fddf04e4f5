"""`clew doctor` finds what is unsafe or damaged, says what is shared, and makes nothing."""

import os
from pathlib import Path

import pytest

from clew.engine import Engine
from clew.health import examine
from clew.model.health import HealthState
from clew.model.memory import EpisodeDraft, EpisodeType
from clew.repairs import repair
from clew.runtime import ownership, user_key
from clew.store import heads
from clew.store.digests import DAMAGED
from tests.conftest import DAY_1, POSTGRES, Repository, clew
from tests.store.claiming import ANN

WRONG = {HealthState.WARNING, HealthState.FAULT}


@pytest.fixture
def indexed(engine: Engine, repository: Repository) -> Engine:
    repository.write("a.py", "def login(): ...\n")
    repository.commit()
    engine.index()
    engine.episodes.add("e", ANN, EpisodeDraft(EpisodeType.DECISION, "cents"), (), DAY_1)
    return engine


def wrong(root: Path) -> dict[str, str]:
    """Warnings and faults, without git, whose version is the machine's."""
    return {one.name: one.finding for one in examine(root) if one.state in WRONG and one.name != "git"}


def test_a_sound_project_has_no_fault(indexed: Engine) -> None:
    assert wrong(indexed.place.root) == {}


def test_nothing_is_made(repository: Repository) -> None:
    before = sorted(repository.root.rglob("*"))
    done = clew("doctor", "--json", root=repository.root)

    assert done.returncode == 0
    assert "does not exist yet" in done.stdout
    assert sorted(repository.root.rglob("*")) == before


def test_damage_is_found_on_both_engines(indexed: Engine) -> None:
    indexed.db.define("UPDATE episode SET content = 'dollars'")
    snapshot = next(indexed.place.snapshots.glob(f"*/*{heads.SUFFIX}"))
    content = bytearray(snapshot.read_bytes())
    content[len(content) // 2] ^= 1
    snapshot.write_bytes(content)

    assert wrong(indexed.place.root) == {
        "damaged rows": "1 of episode: what is stored does not match its checksum",
        "snapshot": "it is not as it was written; questions are answered without it",
    }
    assert [one.draft.content for one in indexed.episodes.latest(9)] == [DAMAGED]
    done = clew("doctor", "--quiet", root=indexed.place.root)
    assert done.returncode == 6
    assert "fault   damaged rows: 1 of episode" in done.stdout


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_files_that_others_can_write_are_found(
    indexed: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = indexed.place.user_data
    modes = {data / user_key.KEY: 0o644, indexed.place.folder: 0o777, indexed.place.database: 0o664}
    before = {file: file.stat().st_mode for file in modes}
    for file, mode in modes.items():
        file.chmod(mode)
    try:
        assert {name: finding.partition("(")[2] for name, finding in wrong(indexed.place.root).items()} == {
            "key": "mode 644) can be read or written by other users of this machine",
            "folder": "mode 777) can be written by other users of this machine",
            "database file": "mode 664) can be written by its group",
        }
    finally:
        for file, mode in before.items():
            file.chmod(mode)


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_what_a_repository_brings_is_named(indexed: Engine, repository: Repository) -> None:
    repository.write("context.toml", '[engine]\nhost = "0.0.0.0"\n')
    (indexed.place.folder / ownership.MARKER).unlink()
    found = wrong(indexed.place.root)

    assert sorted(found) == ["marker", "settings"]
    assert "engine.host" in found["settings"]
    assert ownership.FOREIGN in found["marker"]


@pytest.mark.parametrize("backend", [POSTGRES], indirect=True)
def test_what_sharing_a_role_means_is_said_plainly(indexed: Engine) -> None:
    (said,) = [one for one in examine(indexed.place.root) if one.name == "database role"]
    role = next(iter(indexed.db.query("session_role")))["role"]

    assert said.state is HealthState.NOTE
    for consequence in ("open every project", "under any agent name", "preferences of all users", f"as {role}"):
        assert consequence in said.finding
    assert "docs/fleet.md" in said.hint


def test_an_address_without_a_token_is_a_fault(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_ENGINE_HOST", "0.0.0.0")
    assert "no token is set" in wrong(repository.root)["clew serve"]
    monkeypatch.setenv("CLEW_SERVER_TOKEN", "x" * 20)
    found = {one.name: one for one in examine(repository.root, os.environ)}

    assert found["clew serve"].state is HealthState.NOTE
    assert "user_tokens" in found["clew serve"].hint


def test_repairs_are_made_and_listed(indexed: Engine) -> None:
    root, snapshots = indexed.place.root, indexed.place.snapshots
    snapshot = next(snapshots.glob(f"*/*{heads.SUFFIX}"))
    snapshot.write_bytes(snapshot.read_bytes()[:-9] + b"otherwise")
    indexed.db.define("UPDATE graph_tx SET status = 'running'")
    left = snapshots / "head.json.1.part"
    left.write_text("half", "utf-8")
    os.utime(left, (0, 0))
    (root / ".clew").chmod(0o777)
    assert set(wrong(root)) >= {"folder", "index", "snapshot"}

    done = {one.name: one for one in repair(root)}
    assert {"folder", "index", "leftovers"} <= done.keys()
    assert all(one.done for one in done.values())
    assert "the snapshot was damaged" in done["index"].finding
    assert not left.exists()
    assert wrong(root) == {}
    assert repair(root) == ()
    assert [one.draft.content for one in indexed.episodes.latest(9)] == ["cents"]
