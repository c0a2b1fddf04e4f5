"""Reading apart: real processes, one of which may die over a file."""

import os
import signal
from pathlib import Path

import pytest

from clew.index.file_reader import FileToRead
from clew.index.pool import MOST_BYTES, MOST_FILES, batches, read_in_process, read_in_workers
from clew.index.worker_protocol import Answer, Batch, Setup
from clew.runtime.settings import Config

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for child processes in /proc")


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    return Setup.of(tmp_path, Config())


def write(root: Path, *names: str) -> None:
    for name in names:
        (root / name).write_text(f"def {name.partition('.')[0]}(): pass\n", "utf-8")


def batch(*names: str) -> Batch:
    return Batch([FileToRead(name, b"") for name in names])


def outcome(answers: list[Answer]) -> tuple[list[str], list[tuple[str, str]]]:
    read = sorted(reading.path for answer in answers for reading in answer.readings)
    return read, sorted((unread.path, unread.reason) for answer in answers for unread in answer.unread)


def workers() -> list[int]:
    """The reading processes that this process has started and that still run."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text("utf-8").rpartition(")")[2].split()[1])
            command = (folder / "cmdline").read_bytes()
        except OSError:  # it ended while we looked
            continue
        if parent == os.getpid() and b"clew.index.worker" in command:
            found.append(int(folder.name))
    return found


def test_here_and_apart_read_the_same(tmp_path: Path, setup: Setup) -> None:
    names = [f"f{i}.py" for i in range(10)]
    write(tmp_path, *names)
    todo = [batch(*names[:3]), batch(*names[3:6]), batch(*names[6:], "missing.py")]

    here = list(read_in_process(setup, todo))
    apart = list(read_in_workers(setup, todo, workers=2))

    assert outcome(here) == outcome(apart) == (names, [("missing.py", "vanished")])
    in_order = [reading._replace(checked_ns=0) for answer in here for reading in answer.readings]
    any_order = [reading._replace(checked_ns=0) for answer in apart for reading in answer.readings]
    assert sorted(any_order) == sorted(in_order)


@needs_proc
def test_a_file_that_kills_its_reader_has_failed_and_the_rest_is_read(tmp_path: Path, deadly: str) -> None:
    write(tmp_path, "a.py", f"b{deadly}", "b.py", "c.py")
    setup = Setup.of(tmp_path, Config())

    answers = list(read_in_workers(setup, [batch("a.py", f"b{deadly}", "b.py"), batch("c.py")], workers=1))

    assert outcome(answers) == (["a.py", "b.py", "c.py"], [(f"b{deadly}", "failed")])
    assert workers() == []


@needs_proc
def test_giving_up_ends_the_processes(tmp_path: Path, setup: Setup) -> None:
    names = [f"f{i}.py" for i in range(60)]
    write(tmp_path, *names)
    answers = read_in_workers(setup, [batch(name) for name in names], workers=2)

    next(answers)
    assert len(workers()) == 2
    answers.close()

    assert workers() == []


def test_nothing_to_read_starts_nothing(setup: Setup) -> None:
    assert list(read_in_workers(setup, [], workers=4)) == []


def test_a_batch_is_a_transactions_worth() -> None:
    small = [(FileToRead(f"{i}", b""), 1) for i in range(MOST_FILES + 1)]
    large = [(FileToRead(f"{i}", b""), MOST_BYTES // 2) for i in range(3)]
    huge = [(FileToRead("a", b""), 1), (FileToRead("b", b""), 9 * MOST_BYTES), (FileToRead("c", b""), 1)]

    assert [len(made.wanted) for made in batches(small)] == [MOST_FILES, 1]
    assert [len(made.wanted) for made in batches(large)] == [2, 1]
    assert [len(made.wanted) for made in batches(huge)] == [1, 1, 1]
    assert batches([]) == []


# Kotlin's grammar finds no end of this.
ENDLESS = """{o()
n
  ]         bank.open()
    open()
     ]   In().run()
    }

}

}

    inner class In {
        fun run() {
            go()
            this@Card.go()
        }
    }
}

class Bank {
    fun open() {}
}

fun make() {
 """


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="nothing tells how long a process has worked")
@pytest.mark.parametrize("is_here", [True, False])
def test_a_file_that_reading_finds_no_end_of_fails_alone(setup: Setup, tmp_path: Path, *, is_here: bool) -> None:
    write(tmp_path, "a.py", "b.py")
    (tmp_path / "endless.kt").write_text(ENDLESS, "utf-8")
    (tmp_path / "broken.kt").write_text("fun pay() {\n", "utf-8")
    (tmp_path / "deep.cpp").write_text("namespace a {" * 3000 + "}" * 3000, "utf-8")
    todo = [batch("a.py", "endless.kt", "broken.kt", "deep.cpp", "b.py")]
    brief = setup._replace(longest=1.0)

    answers = list(read_in_process(brief, todo) if is_here else read_in_workers(brief, todo, 1))
    read, unread = outcome(answers)

    assert read == ["a.py", "b.py", "broken.kt"]
    assert unread == [("deep.cpp", "failed"), ("endless.kt", "failed")]
    assert {one.detail for answer in answers for one in answer.unread} == {"reading it took more than 1 s"}


@needs_proc
def test_an_interruption_that_reaches_a_worker_does_not_end_it(setup: Setup, tmp_path: Path) -> None:
    names = [f"f{i}.py" for i in range(20)]
    write(tmp_path, *names)
    answers = read_in_workers(setup, [batch(name) for name in names], workers=1)
    some = [next(answers)]
    (worker,) = workers()
    os.kill(worker, signal.SIGINT)
    some += [next(answers) for _ in range(10)]

    assert workers() == [worker]
    assert outcome([*some, *answers]) == (sorted(names), [])
