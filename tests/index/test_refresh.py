"""Fresh on read: a question sees the files as they are, or says which it could not see so."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec import structs

from clew.engine import Engine, new_id, now
from clew.index.disk import scan_state
from clew.index.index_lease import IndexLease
from clew.index.refresh import MOST_FILES, NEWEST, WAIT_SECONDS
from clew.model.run import REFRESH
from clew.model.search import Query, Results
from clew.runtime.asking import one_question
from clew.store import heads
from clew.store.transactions import Author
from tests.conftest import LONG_AGO_NS, Repository, powerless
from tests.views import targets_of

PLENTY = {"CLEW_QUERY_REFRESH_BUDGET_MS": "60000"}  # a busy machine is no reason to see less
SMALL = {"CLEW_INDEXING_MAX_FILE_SIZE_MB": "0.02"}


@pytest.fixture(autouse=True)
def plenty_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**PLENTY, **SMALL}.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def ask(repository: Repository, backend: str) -> Iterator[Callable[[str], Results]]:
    """Each question comes from somebody who has just come: nothing was swept a moment ago."""
    with Engine.open(repository.root) as engine:
        repository.write("auth.py", "def validate_token(token):\n    return token\n")
        repository.write("pkg/vault.py", "import auth\n\n\ndef keep(token):\n    return token\n")
        repository.commit()
        engine.index()

    def asked(text: str) -> Results:
        with Engine.open(repository.root) as engine:
            return engine.search(Query(text, 20))

    yield asked
    with Engine.open(repository.root) as engine:
        assert engine.db.check() == []


def labels(results: Results) -> list[str]:
    assert not any(hit.stale for hit in results.hits)
    return sorted(hit.label for hit in results.hits)


def runs(root: Path) -> list[str]:
    with Engine.open(root) as engine:
        return [tx.type for tx in engine.transactions.latest(99)]


def test_nothing_changed_costs_no_write(repository: Repository, ask: Callable[[str], Results]) -> None:
    found = ask("token")

    assert (found.freshness.refreshed, found.freshness.pending, found.freshness.unchecked) == (0, 0, 0)
    assert found.freshness.sweep_ms > 0
    assert runs(repository.root) == ["incremental_rebuild"]


def test_an_edit_is_seen_by_the_next_question(repository: Repository, ask: Callable[[str], Results]) -> None:
    repository.write("auth.py", "def zebra(token):\n    return token\n")

    found = ask("zebra")

    assert labels(found) == ["zebra"]
    assert found.freshness.refreshed == 1
    assert found.freshness.refresh_ms > 0
    assert labels(ask("validate")) == []
    assert runs(repository.root) == ["refresh", "incremental_rebuild"]


def test_an_edit_of_the_same_size_within_the_same_tick_is_seen(
    repository: Repository, ask: Callable[[str], Results]
) -> None:
    moment = now() * 1000
    repository.write("auth.py", "def zebra(token):\n    return token\n", mtime_ns=moment)
    assert labels(ask("zebra")) == ["zebra"]
    repository.write("auth.py", "def horse(token):\n    return token\n", mtime_ns=moment)

    assert labels(ask("horse")) == ["horse"]
    assert labels(ask("zebra")) == []


def test_a_binary_file_that_was_written_a_moment_ago_is_no_change(
    repository: Repository, ask: Callable[[str], Results]
) -> None:
    """Nothing of it is indexed, before or after: as in a tree that was cloned and indexed at once."""
    blob = repository.root / "blob.dat"
    blob.write_bytes(bytes(range(256)) * 60)
    with Engine.open(repository.root) as engine:
        engine.index()
    before = runs(repository.root)
    first = ask("token").freshness
    blob.write_bytes(bytes(range(256)) * 70)
    second = ask("token").freshness

    assert (first.pending, first.refreshed, second.pending, second.refreshed) == (0, 0, 0, 0)
    assert runs(repository.root) == before, "nothing was read for it"


def test_a_file_that_was_compared_and_is_the_same_is_not_compared_for_ever(
    repository: Repository, ask: Callable[[str], Results]
) -> None:
    repository.write("auth.py", (repository.root / "auth.py").read_text(), mtime_ns=LONG_AGO_NS + 1)

    ask("token")

    with Engine.open(repository.root) as engine:
        known = engine.files.known_at("auth.py")
        assert known is not None
        assert known.is_as_seen((repository.root / "auth.py").stat().st_size, LONG_AGO_NS + 1)
        assert len(engine.files.history("auth.py")) == 1
    assert runs(repository.root) == ["incremental_rebuild"], "nothing was indexed"


def test_new_deleted_and_renamed_files_are_seen(repository: Repository, ask: Callable[[str], Results]) -> None:
    repository.write("deep/er/new.py", "def okapi(): pass\n")
    assert labels(ask("okapi")) == ["okapi"]

    (repository.root / "deep").rename(repository.root / "moved")
    assert [hit.path for hit in ask("okapi").hits] == ["moved/er/new.py"]

    repository.delete("moved/er/new.py")
    assert labels(ask("okapi")) == []

    shutil.rmtree(repository.root / "pkg")
    assert labels(ask("keep")) == []


def test_a_switch_of_branches_is_seen(repository: Repository, ask: Callable[[str], Results]) -> None:
    repository.git("checkout", "-q", "-b", "other")
    repository.write("auth.py", "def zebra(): pass\n")
    repository.write("only_here.py", "def okapi(): pass\n")
    repository.commit()
    assert labels(ask("zebra okapi")) == ["okapi", "zebra"]

    repository.git("checkout", "-q", "main")

    assert labels(ask("zebra okapi")) == []
    assert labels(ask("validate")) == ["validate_token"]


def test_edges_into_what_is_new_are_there(repository: Repository, ask: Callable[[str], Results]) -> None:
    repository.write("user.py", "import later\n")
    ask("token")
    repository.write("later.py", "x = 1\n")
    ask("token")

    with Engine.open(repository.root) as engine:
        assert targets_of(engine, "user.py") == ["later.py"]


def test_what_is_ignored_from_now_on_is_gone_and_comes_back(
    repository: Repository, ask: Callable[[str], Results]
) -> None:
    repository.write("drafts/note.py", "def okapi(): pass\n")
    assert labels(ask("okapi")) == ["okapi"]
    repository.write(".gitignore", "drafts/\n")
    assert labels(ask("okapi")) == []

    repository.git("add", "-f", "drafts/note.py")
    assert labels(ask("okapi")) == ["okapi"], "git tracks it now"
    repository.git("rm", "-q", "--cached", "drafts/note.py")
    assert labels(ask("okapi")) == []

    repository.delete(".gitignore")
    assert labels(ask("okapi")) == ["okapi"]
    repository.write(".contextignore", "note.py\n")
    assert labels(ask("okapi")) == []


def test_a_file_that_outgrows_its_limit_is_gone_and_comes_back(
    repository: Repository, ask: Callable[[str], Results]
) -> None:
    repository.write("auth.py", "def zebra(): pass\n" + "# filler\n" * 3000)
    assert labels(ask("zebra")) == []
    (repository.root / "auth.py").write_text("def zebra(): pass\n")
    assert labels(ask("zebra")) == ["zebra"]


def test_a_file_that_holds_no_text_takes_no_run_until_it_does(
    repository: Repository, ask: Callable[[str], Results]
) -> None:
    repository.write("data.x", b"\0\1\2\3" * 50)
    ask("token")
    ask("token")
    assert runs(repository.root) == ["incremental_rebuild"]

    repository.write("data.x", "okapi\n")
    assert [hit.path for hit in ask("okapi").hits] == ["data.x"]
    repository.write("data.x", b"\0\1\2\3" * 60)
    assert labels(ask("okapi")) == []


def test_what_is_a_link_or_a_repository_of_its_own_now_is_gone(
    repository: Repository, ask: Callable[[str], Results]
) -> None:
    repository.write("a/one.py", "def okapi(): pass\n")
    repository.write("b/two.py", "def tapir(): pass\n")
    assert labels(ask("okapi tapir")) == ["okapi", "tapir"]

    shutil.move(repository.root / "a", repository.root / ".hidden")
    (repository.root / "a").symlink_to(".hidden")
    subprocess.run(["git", "init", "-q", repository.root / "b"], check=True)
    assert labels(ask("okapi tapir")) == []

    shutil.rmtree(repository.root / "b" / ".git")
    assert labels(ask("okapi tapir")) == ["tapir"]


def test_what_a_closed_folder_holds_is_not_gone(repository: Repository, ask: Callable[[str], Results]) -> None:
    (repository.root / "pkg").chmod(0)
    try:
        done = powerless(sys.executable, "-m", "clew", "-C", str(repository.root), "search", "--json", "keep")
    finally:
        (repository.root / "pkg").chmod(0o755)

    said = json.loads(done.stdout)
    assert [(hit["file_path"], hit["stale"]) for hit in said["data"]["hits"]] == [("pkg/vault.py", True)]
    assert said["data"]["freshness"]["unchecked"] > 0
    assert "not checked" in said["summary"]
    assert labels(ask("keep")) == ["keep"]


def test_many_changed_files_are_left_to_a_run_beside(repository: Repository, ask: Callable[[str], Results]) -> None:
    for i in range(MOST_FILES + 1):
        repository.write(f"many/m{i}.py", f"def okapi_{i}(): pass\n")
    with Engine.open(repository.root) as engine:
        found = engine.search(Query("okapi", 5))

        assert (found.hits, found.freshness.pending, found.freshness.refreshed) == ((), MOST_FILES + 1, 0)
        assert found.coverage.indexing
        (child,) = engine.runs.children
        assert child.process.wait(60) == 0
    assert len(ask("okapi").hits) == 20


def test_of_many_changed_files_those_that_were_written_last_are_seen_at_once(
    repository: Repository, ask: Callable[[str], Results]
) -> None:
    for i in range(MOST_FILES + 1):
        repository.write(f"many/m{i}.py", f"def okapi_{i}(): pass\n")
    repository.commit()
    ask("okapi")
    with Engine.open(repository.root) as engine:
        engine.index()
        for i in range(MOST_FILES + 1):
            moment = LONG_AGO_NS + (10**9 if i == 7 else i) * 10**9
            repository.write(f"many/m{i}.py", f"def zebra_{i}(): pass\n", mtime_ns=moment)
        found = engine.search(Query("zebra_7", 1))

        assert [hit.path for hit in found.hits] == ["many/m7.py"]
        assert (found.freshness.refreshed, found.freshness.pending) == (NEWEST, MOST_FILES + 1 - NEWEST)
        assert engine.runs.children[0].process.wait(60) == 0
    assert len(ask("zebra").hits) == 20


def test_no_run_is_started_where_none_is_wanted(
    repository: Repository, ask: Callable[[str], Results], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_BOOTSTRAP_ENABLED", "false")
    for i in range(MOST_FILES + 1):
        repository.write(f"many/m{i}.py", f"def okapi_{i}(): pass\n")
    with Engine.open(repository.root) as engine:
        assert engine.search(Query("okapi", 5)).freshness.pending == MOST_FILES + 1
        assert engine.runs.children == []


def test_while_another_process_has_the_turn_hits_are_marked(
    repository: Repository, ask: Callable[[str], Results]
) -> None:
    repository.write("auth.py", "def zebra(token):\n    return token\n")
    with Engine.open(repository.root) as other, IndexLease(other.db, other.where, "other:1:x", now).hold(0):
        found = ask("validate token")

    (hit,) = [hit for hit in found.hits if hit.path == "auth.py"]
    assert (hit.stale, hit.text) == (True, "")
    assert (found.freshness.refreshed, found.freshness.unchecked > 0) == (0, True)
    assert labels(ask("zebra")) == ["zebra"]


def test_whoever_may_only_read_indexes_nothing_and_says_what_changed(
    repository: Repository, ask: Callable[[str], Results]
) -> None:
    with Engine.open(repository.root, read_only=True) as engine:
        place = heads.folder(engine.place.snapshots, engine.where)
        before = scan_state.state_mark(place)
        assert engine.search(Query("zebra", 5)).freshness.pending == 0
        repository.write("auth.py", "def zebra(token):\n    return token\n")
        repository.write("new.py", "def okapi(): pass\n")
        found = engine.search(Query("validate", 5))
        missed = engine.search(Query("zebra", 5))

    assert [hit.stale for hit in found.hits] == [True]
    assert (missed.hits, missed.freshness.refreshed, missed.freshness.pending) == ((), 0, 2)
    assert scan_state.state_mark(place) == before, "nothing was written"
    assert runs(repository.root) == ["incremental_rebuild"]


def test_refreshing_can_be_switched_off(
    repository: Repository, ask: Callable[[str], Results], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_QUERY_REFRESH", "false")
    repository.write("auth.py", "def zebra(token):\n    return token\n")

    assert ask("zebra").hits == ()
    assert [hit.stale for hit in ask("validate").hits] == [True]


def test_an_edit_right_after_an_answer_is_seen(repository: Repository, ask: Callable[[str], Results]) -> None:
    with Engine.open(repository.root) as engine:
        for word in ("zebra", "okapi", "tapir"):
            assert engine.search(Query(word, 5)).hits == ()
            repository.write("auth.py", f"def {word}(token):\n    return token\n")
            assert labels(engine.search(Query(word, 5))) == [word]


def test_one_question_sweeps_once(repository: Repository, ask: Callable[[str], Results]) -> None:
    with Engine.open(repository.root) as engine, one_question():
        swept = [engine.refresh().sweep_ms, engine.refresh().sweep_ms]
        assert swept[0] > 0
        assert engine.search(Query("token", 5)).freshness.sweep_ms == 0
    assert swept[1] == 0


def test_those_who_ask_during_a_sweep_share_the_next(repository: Repository, ask: Callable[[str], Results]) -> None:
    with Engine.open(repository.root) as engine, ThreadPoolExecutor(8) as threads:
        engine.refresh()
        with Engine.open(repository.root) as other, IndexLease(other.db, other.where, "other:1:x", now).hold(0):
            fresh = [one.result() for one in [threads.submit(engine.refresh) for _ in range(8)]]

    assert sum(one.sweep_ms > 0 for one in fresh) <= 2


def test_another_s_refresh_is_waited_for_longer_than_another_s_run(
    repository: Repository, ask: Callable[[str], Results]
) -> None:
    repository.write("auth.py", "def zebra(token):\n    return token\n")
    seen_after = []
    with Engine.open(repository.root) as other, ThreadPoolExecutor(1) as threads:
        for run in ("incremental_rebuild", REFRESH):
            with IndexLease(other.db, other.where, f"other:1:{run}", now).hold(0):
                other.transactions.start(new_id(), run, "", Author(), now())
                later = threads.submit(ask, "zebra")
                time.sleep(4 * WAIT_SECONDS)
            found = later.result()
            seen_after.append(([hit.label for hit in found.hits], found.freshness.unchecked > 0))

    assert seen_after == [([], True), (["zebra"], False)]


def test_a_look_that_fails_is_no_look(repository: Repository, ask: Callable[[str], Results]) -> None:
    """As where the index is of a newer release: what was not looked at is told."""
    with Engine.open(repository.root) as engine:
        engine.checkouts.follow(engine.where, b"read-99999 ")
        assert engine.refresh().unchecked > 0


def test_a_store_that_knows_nothing_of_the_last_walk_is_not_believed(
    repository: Repository, ask: Callable[[str], Results], tmp_path: Path
) -> None:
    """As after a backup was brought back: the walk is newer than the index."""
    with Engine.open(repository.root) as engine:
        place = heads.folder(engine.place.snapshots, engine.where)
    kept = scan_state.read_state(place)
    repository.write("new.py", "def okapi(): pass\n")
    assert labels(ask("okapi")) == ["okapi"]
    newer = scan_state.read_state(place)
    assert kept is not None and newer is not None
    assert kept.transaction != newer.transaction
    scan_state.write_state(place, structs.replace(newer, transaction=new_id()))

    repository.write("newer.py", "def tapir(): pass\n")

    assert labels(ask("tapir")) == ["tapir"]
