"""Index runs: what is read, what is left alone, and what the report says of it."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.engine import Engine, new_id, now
from clew.index.pipeline import IndexRequest, run_index
from clew.index.working_tree import WorkingTree
from clew.model.errors import Busy, Unavailable
from clew.model.run import Mode, Progress, RunReport
from clew.store.files import RACY_NS
from clew.store.leases import LEASE, this_process
from tests.conftest import LONG_AGO_NS, Repository, clew, powerless
from tests.views import current_view, layout_of, search, tables, targets_of

BEFORE_THE_SCAN = 2  # the call of the clock that comes when the lease is held and nothing is written yet
AFTER_THE_SCAN = 3  # the call of the clock that comes when files are listed and none is read yet


def paths(engine: Engine) -> list[str]:
    return [content.path for content in engine.files.contents()]


def run_with(engine: Engine, act: Callable[[], None], at: int = AFTER_THE_SCAN) -> RunReport:
    """A run during which something happens: a run asks its clock at every step."""
    calls = 0

    def clock() -> int:
        nonlocal calls
        calls += 1
        if calls == at:
            act()
        return now()

    tree = WorkingTree(engine.place.root, engine.config, engine.where, engine.place.snapshots)
    return run_index(engine.db, tree, IndexRequest(), ignored, clock, new_id)


def ignored(progress: Progress) -> None:
    """Nobody watches."""


def test_a_first_run_reads_everything_and_says_so(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "def f(): pass\n")
    repository.write("b/c.md", "# Title\n")
    repository.write("photo.png", b"\x89PNG\r\n\x1a\n" + bytes(100))

    report = engine.index()

    assert (report.files, report.read, report.unchanged, report.deleted) == (2, 2, 0, 0)
    assert (report.symbols, report.chunks) == (2, 2)
    assert sum(report.skipped.values()) == 1
    assert (report.failed, report.problems) == ((), 0)
    assert paths(engine) == ["a.py", "b/c.md"]


def test_an_empty_tree_is_indexed_too(repository: Repository, engine: Engine) -> None:
    assert engine.index().files == 0
    assert engine.index().files == 0


def test_an_unchanged_tree_costs_no_write(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "import b\n")
    repository.write("b.py", "x = 1\n")
    repository.commit()
    engine.index()
    before = tables(engine)

    report = engine.index()

    assert (report.read, report.unchanged) == (0, 2)
    assert tables(engine) == before


def test_a_touched_file_is_read_once_and_has_no_new_version(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "x = 1\n")
    engine.index()
    repository.write("a.py", "x = 1\n", mtime_ns=LONG_AGO_NS + 10**9)

    touched, after = engine.index(), engine.index()

    assert (touched.read, touched.unchanged, after.unchanged) == (0, 1, 1)
    assert len(engine.files.history("a.py")) == 1


def test_a_change_within_the_tick_of_a_clock_is_noticed(repository: Repository, engine: Engine) -> None:
    """Same size and same time stamp as when it was read: only the content differs."""
    moment = now() * 1000
    repository.write("a.py", "x = 1\n", mtime_ns=moment)
    engine.index()
    repository.write("a.py", "x = 2\n", mtime_ns=moment)

    engine.index()

    assert current_view(engine)[0].text == b"x = 2\n"


def test_a_changed_file_alone_is_read(repository: Repository, engine: Engine) -> None:
    for name in ("a", "b", "c"):
        repository.write(f"{name}.py", f"def {name}(): pass\n")
    engine.index()
    repository.write("b.py", "def bee(): pass\n", mtime_ns=LONG_AGO_NS + 1)

    report = engine.index()

    assert (report.read, report.unchanged) == (1, 2)
    assert [hit.symbol for hit in search(engine, "bee")] == ["b.py::bee"]


def test_deleted_and_renamed_files_leave_the_present(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "def alpha(): pass\n")
    repository.write("b.py", "import a\n")
    engine.index()
    (repository.root / "a.py").rename(repository.root / "moved.py")

    report = engine.index()

    assert (report.read, report.deleted) == (1, 1)
    assert paths(engine) == ["b.py", "moved.py"]
    assert targets_of(engine, "b.py") == ["external::a"]
    assert [hit.path for hit in search(engine, "alpha")] == ["moved.py"]


def test_an_import_leads_to_the_file_once_it_is_there(repository: Repository, engine: Engine) -> None:
    repository.write("b.py", "import a\n")
    engine.index()
    repository.write("a.py", "")

    engine.index()

    assert targets_of(engine, "b.py") == ["a.py"]


def test_a_file_that_vanishes_after_the_scan_is_skipped(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "x = 1\n")
    repository.write("b.py", "x = 1\n")

    report = run_with(engine, lambda: repository.delete("b.py"))

    assert (report.files, dict(report.skipped)) == (1, {"vanished": 1})


def test_what_is_known_to_be_no_text_is_no_work_left_to_do(repository: Repository, engine: Engine) -> None:
    """Else answers would say, of a run that has nothing to do, how far it has come."""
    repository.write("one.py", "x = 1\n")
    repository.write("data", b"\0" * 50)
    time.sleep(1.1 * RACY_NS / 1e9)
    engine.index()
    asked: list[int] = []
    report = engine.index(report=lambda progress: asked.append(progress.total))

    assert (report.files, dict(report.skipped), asked) == (1, {"binary": 1}, [])
    repository.write("new", b"\1" * 50).replace(repository.root / "data")
    assert engine.index().files == 2


def test_a_file_that_became_binary_leaves_the_index(repository: Repository, engine: Engine) -> None:
    repository.write("a.dat", "words\n")
    engine.index()
    repository.write("a.dat", b"\0\1\2" * 100)

    report = engine.index()

    assert (report.files, report.deleted, dict(report.skipped)) == (0, 1, {"binary": 1})


def test_invalid_utf_8_and_syntax_errors_are_problems_and_not_failures(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", b"x = '\xff'\n")
    repository.write("b.py", "def f(:\n")

    report = engine.index()

    assert (report.files, report.problems, report.failed) == (2, 2, ())


def test_a_folder_that_cannot_be_read_keeps_its_files(repository: Repository, engine: Engine) -> None:
    repository.write("closed/a.py", "def hidden(): pass\n")
    repository.write("b.py", "x = 1\n")
    engine.index()
    repository.delete("b.py")
    (repository.root / "closed").chmod(0o000)

    done = powerless(sys.executable, "-m", "clew", "-C", str(repository.root), "index")

    (repository.root / "closed").chmod(0o755)
    assert (done.returncode, "1 unreadable" in done.stdout) == (0, True)
    assert paths(engine) == ["closed/a.py"]


def test_a_change_of_rules_reads_everything_again(repository: Repository) -> None:
    repository.write("a.py", "".join(f"name_{i} = {i}\n" for i in range(50)))
    repository.write("b.py", "def other(): pass\n")
    with Engine.open(repository.root, environ={}) as engine:
        engine.index()
        assert len(layout_of(engine, "a.py").chunks) == 1
    with Engine.open(repository.root, environ={"CLEW_CHUNKING_PYTHON_MAX_TOKENS": "20"}) as engine:
        report = engine.index()
        many = len(layout_of(engine, "a.py").chunks)
        hits = search(engine, "name_33")

        assert (report.read, engine.index().read) == (2, 0)
        assert many > 5
        assert "name_33" in hits[0].text
        assert len(hits[0].text) < 100


def test_a_parser_that_crashes_fails_one_file_and_no_other(repository: Repository, deadly: str) -> None:
    for i in range(60):
        repository.write(f"m{i:02}.py", f"# {'filler ' * 4000}\ndef f{i}(): pass\n")
    repository.write(f"z{deadly}", "x = 1\n")
    with Engine.open(repository.root, environ={"CLEW_BOOTSTRAP_PARALLEL_WORKERS": "2"}) as engine:
        report = engine.index()

        assert [(failure.path, failure.detail) for failure in report.failed] == [(f"z{deadly}", "the parser crashed")]
        assert report.files == 60


def test_fail_fast_stops_at_the_first_failure_and_keeps_the_record(repository: Repository, deadly: str) -> None:
    environ = {"CLEW_BOOTSTRAP_PARALLEL_WORKERS": "2", "CLEW_BOOTSTRAP_FAIL_FAST": "true"}
    for i in range(60):
        repository.write(f"m{i:02}.py", f"# {'filler ' * 4000}\n")
    repository.write(f"m00{deadly}", "x = 1\n")
    with Engine.open(repository.root, environ=environ) as engine:
        with pytest.raises(Unavailable, match="m00"):
            engine.index()

        assert [tx.status for tx in engine.transactions.latest(1)] == ["failed"]
        assert engine.leases.holder("index", now()) == ""


def test_a_run_waits_for_another_and_gives_up_in_time(repository: Repository, engine: Engine) -> None:
    lease = engine.leases.acquire("index", this_process("other"), now())
    assert lease is not None

    with pytest.raises(Busy, match="other"):
        engine.index(patience=0.0)

    engine.leases.release(lease, now())
    assert engine.index(patience=0.0).files == 0


def test_a_run_that_lost_its_lease_writes_no_more(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "x = 1\n")

    def take_over() -> None:
        here = {"name": "index", "now": now(), **engine.where._asdict()}
        (held,) = engine.db.query("lease_get", **here)
        seen = {"fence": held["fence"], "expires_at": held["expires_at"]}
        engine.db.execute("lease_take", holder="thief", length=LEASE, **seen, **here)

    with pytest.raises(Busy, match="took over"):
        run_with(engine, take_over, at=BEFORE_THE_SCAN)

    assert paths(engine) == []
    assert engine.leases.holder("index", now()) == "thief"


def test_a_run_has_one_record_with_its_counts(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "x = 1\n")
    commit = repository.commit()
    first, second = engine.index(), engine.index(Mode.FULL)

    latest, earlier = engine.transactions.latest(9)

    assert (earlier.id, latest.id) == (first.transaction, second.transaction)
    assert (earlier.type, latest.type) == ("incremental_rebuild", "full_rebuild")
    assert {earlier.commit, latest.commit} == {commit}
    assert (earlier.status, earlier.counts["read"]) == ("completed", 1)


def test_progress_is_told_up_to_the_end(repository: Repository, engine: Engine) -> None:
    for i in range(70):
        repository.write(f"{i}.py", "x = 1\n")
    told: list[Progress] = []

    engine.index(report=told.append)

    assert [progress.done for progress in told] == [32, 64, 70]
    assert {progress.total for progress in told} == {70}


def test_the_number_of_workers_and_the_order_leave_no_trace(repository: Repository, tmp_path: Path) -> None:
    for i in range(90):
        body = f"import d1.m01\n\ndef f{i}():\n    return g{i % 5}()\n"
        repository.write(f"d{i % 7}/m{i:02}.py", f"# {'filler ' * 3000}\n{body}")
    made = []
    for workers in ("1", "3"):
        environ = {
            "CLEW_STORAGE_DB_PATH": str(tmp_path / workers / "clew.db"),
            "CLEW_BOOTSTRAP_PARALLEL_WORKERS": workers,
        }
        with Engine.open(repository.root, environ=environ) as engine:
            engine.index()
            (snapshot,) = (tmp_path / workers / "snapshots").rglob("*.snapshot")
            made.append((current_view(engine), snapshot.name, snapshot.read_bytes()))

    assert made[0] == made[1]


def test_the_command_says_the_honest_line(repository: Repository) -> None:
    repository.write("a.py", "def f(): pass\n")

    done = clew("index", root=repository.root)

    assert done.returncode == 0
    assert done.stderr.startswith("Initial indexing of 1 file has started.\n")
    assert done.stdout.startswith("1 file, 1 symbols, 1 chunks in the index; 1 read, 0 unchanged, 0 deleted, 0 skipped")
