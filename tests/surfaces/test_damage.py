"""Database files that were cut or overwritten: each command says so, and what it says to do mends it."""

import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import clew

from .processes import clew as run
from .processes import mcp_on_pipes

PAGE = 4096


@pytest.fixture(autouse=True)
def nobody_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_BOOTSTRAP_ENABLED", "false")


@pytest.fixture
def known(project: Path) -> Path:
    """A project about which something is known."""
    with clew.open(project) as opened:
        for n in range(40):
            opened.episode_add("OBSERVATION", f"cents are rounded {n}", entities=["vault.py"])
        opened.task_update("T-1", title="round to cents")
        opened.agent_claim("vault.py", intent="round")
    return project


def cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size * 9 // 10)


def behead(file: Path) -> None:
    with file.open("r+b") as raw:
        raw.write(os.urandom(PAGE))


def blank_all_pages_of_the_code(file: Path) -> None:
    """Of what is derived, large enough to have pages of its own."""
    data = bytearray(file.read_bytes())
    packed = b"\x28\xb5\x2f\xfd"
    for start in range(PAGE, len(data), PAGE):
        if packed in data[start : start + PAGE]:
            data[start : start + PAGE] = bytes(PAGE)
    file.write_bytes(data)


def blank_one_page_that_nobody_needs_today(file: Path) -> None:
    """Nothing that a question or a run with nothing to do would meet."""
    with sqlite3.connect(file) as raw:
        try:
            (page,) = raw.execute("SELECT MAX(pageno) FROM dbstat WHERE name = 'task_change'").fetchone()
        except sqlite3.OperationalError:
            pytest.skip("this SQLite cannot tell its pages")
    raw.close()
    with file.open("r+b") as opened:
        opened.seek((page - 1) * PAGE)
        opened.write(bytes(PAGE))


def graph_hash(project: Path) -> str:
    return str(run("tool", "graph_health", "--with-hash", "true", "--json", cwd=project).json["data"]["graph_hash"])


def knowledge(project: Path) -> tuple[Any, ...]:
    with clew.open(project) as opened:
        episodes = {one.draft.content for one in opened.engine.episodes.latest(100)}
        return episodes, len(opened.progress_query().tasks), [one.target for one in opened.engine.fleet.claims.open()]


@pytest.mark.parametrize("damage", [behead, blank_all_pages_of_the_code])
def test_a_rebuild_mends_a_damaged_database_and_loses_nothing(known: Path, damage: Callable[[Path], None]) -> None:
    file = known / ".clew" / "clew.db"
    before, whole = knowledge(known), graph_hash(known)
    damage(file)
    damaged = file.read_bytes()

    asked = run("search", "vault", "--json", cwd=known)
    assert (asked.code, asked.json["errorCode"]) == (6, "CLEW_E_STORE_CORRUPT")
    assert "clew rebuild" in asked.json["hint"]
    assert run("index", "--json", cwd=known).json["errorCode"] == "CLEW_E_STORE_CORRUPT"
    mended = run("rebuild", cwd=known)

    assert mended.code == 0
    assert "clew.db.damaged-1" in mended.err
    assert file.with_name("clew.db.damaged-1").read_bytes() == damaged
    assert (knowledge(known), graph_hash(known)) == (before, whole)
    again = run("rebuild", cwd=known)
    assert (again.code, again.err) == (0, "")


def test_of_two_that_mend_at_once_one_does(known: Path) -> None:
    before = knowledge(known)
    behead(known / ".clew" / "clew.db")

    with ThreadPoolExecutor(2) as both:
        done = list(both.map(lambda _: run("rebuild", cwd=known), range(2)))

    assert {0} <= {one.code for one in done} <= {0, 4}  # refused, if it came while the other one ran
    assert [one.name for one in (known / ".clew").glob("*.damaged-?")] == ["clew.db.damaged-1"]
    assert knowledge(known) == before


def test_a_run_with_nothing_to_do_tells_damage_that_nobody_has_met(known: Path) -> None:
    blank_one_page_that_nobody_needs_today(known / ".clew" / "clew.db")

    assert run("search", "vault", cwd=known).code == 0
    said = run("index", "--json", cwd=known)
    assert (said.code, said.json["errorCode"]) == (6, "CLEW_E_STORE_CORRUPT")
    assert run("rebuild", cwd=known).code == 0
    assert run("index", cwd=known).code == 0


def test_a_database_that_was_cut_is_whole_again_but_for_what_was_cut_off(known: Path) -> None:
    whole = graph_hash(known)
    cut(known / ".clew" / "clew.db")

    assert run("rebuild", cwd=known).code == 0
    assert graph_hash(known) == whole
    assert run("memory", "list", "--json", cwd=known).code == 0


def test_an_agent_that_has_only_tools_has_it_mended_and_goes_on(known: Path, tmp_path: Path) -> None:
    with mcp_on_pipes(known, tmp_path / "log", "--toolsets", "all") as pipes:
        pipes.greet()
        assert pipes.call("query_context", query="vault")["ok"]
        behead(known / ".clew" / "clew.db")
        (known / "vault.py").write_text("def okapi(): ...\n", "utf-8")
        assert pipes.call("graph_rebuild", mode="full")["ok"]
        deadline = time.monotonic() + 30
        while not (known / ".clew" / "clew.db.damaged-1").exists():  # until then what was read before may do
            assert time.monotonic() < deadline
            time.sleep(0.05)
        while not (kept := pipes.call("episode_add", type="OBSERVATION", content="zebra"))["ok"]:
            assert kept["errorCode"] in ("CLEW_E_STORE_CORRUPT", "CLEW_E_UNAVAILABLE")  # until it is mended
            assert time.monotonic() < deadline
            time.sleep(0.2)

    assert run("index", cwd=known).code == 0
    assert len(knowledge(known)[0]) == 41


def test_a_snapshot_that_is_cut_under_a_server_does_not_end_it(known: Path, tmp_path: Path) -> None:
    with mcp_on_pipes(known, tmp_path / "log") as pipes:
        pipes.greet()
        before = pipes.call("query_context", query="validate token")["data"]["hits"]
        for file in (known / ".clew" / "snapshots").rglob("*.snapshot"):
            os.truncate(file, 100)
        assert pipes.call("query_context", query="validate token", repeat=True)["data"]["hits"] == before
        assert pipes.call("query_context", query="expire")["data"]["hits"]


def test_a_snapshot_of_another_project_is_not_taken_for_ones_own(known: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "zebra.py").write_text("def validate_zebra(): ...\n", "utf-8")
    assert run("index", cwd=other).code == 0
    (foreign,) = (other / ".clew" / "snapshots").rglob("*.snapshot")
    before = run("search", "validate", "--json", cwd=known).json["data"]["hits"]
    (own,) = (known / ".clew" / "snapshots").rglob("*.snapshot")
    own.write_bytes(foreign.read_bytes())

    assert run("search", "validate", "--json", cwd=known).json["data"]["hits"] == before


@pytest.mark.parametrize("loss", ["deleted", "emptied", "replaced"])
def test_a_database_that_lost_all_of_memory_is_not_begun_anew_in_silence(
    known: Path, tmp_path: Path, loss: str
) -> None:
    run("memory", "add", "observation", "the vault is in cents", cwd=known)
    file, backup = known / ".clew" / "clew.db", tmp_path / "backup.db"
    with closing(sqlite3.connect(file)) as raw, closing(sqlite3.connect(backup)) as copy:
        raw.backup(copy)
    for side in ("", "-wal", "-shm"):
        (known / ".clew" / f"clew.db{side}").unlink(missing_ok=True)
    if loss == "emptied":
        file.touch()
    if loss == "replaced":
        (tmp_path / "fresh").mkdir()
        run("-C", str(tmp_path / "fresh"), "index", cwd=tmp_path)
        shutil.copy(tmp_path / "fresh" / ".clew" / "clew.db", file)
    for command in (("index",), ("search", "cents"), ("memory", "recall", "cents"), ("rebuild",)):
        done = run(*command, "--json", cwd=known)
        assert (done.code, done.json["errorCode"]) == (6, "CLEW_E_MEMORY_MISSING"), command
        assert "backup" in done.json["hint"]
    shutil.copy(backup, file)

    assert "the vault is in cents" in run("memory", "list", cwd=known).out


def test_a_page_of_a_snapshot_that_was_changed_changes_no_answer(known: Path) -> None:
    asked = ("search", "vault tokens", "--json")
    before = run(*asked, cwd=known).json["data"]["hits"]
    (file,) = (known / ".clew" / "snapshots").glob("*/*.snapshot")
    seen = file.stat()
    content = bytearray(file.read_bytes())
    for at in range(len(content) // 8, len(content) - 64, 64):  # of every section
        content[at] ^= 0x55
    file.write_bytes(content)
    os.utime(file, ns=(seen.st_atime_ns, seen.st_mtime_ns))

    assert run(*asked, cwd=known).json["data"]["hits"] == before
