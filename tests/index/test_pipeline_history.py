"""The record of time: what runs write on both clocks, and what they leave as it was."""

from itertools import pairwise
from pathlib import Path

from clew.engine import Engine, now
from clew.model.code import FileVersion
from clew.model.run import Mode
from clew.model.time import FOREVER, NOW, AsOf
from tests.conftest import DAY, DAY_1, DAY_2, DAY_3, DAY_4, Repository
from tests.views import current_view, tables

ONE = "def kept():\n    return 1\n\n\ndef changed():\n    return 1\n"
TWO = "def kept():\n    return 1\n\n\ndef changed():\n    return 2\n"


def text_at(engine: Engine, valid: int, known: int = NOW.known) -> str | None:
    found = engine.files.get("a.py", AsOf(valid, known))
    return engine.files.text(found.text).decode() if found else None


def believed(engine: Engine) -> list[FileVersion]:
    """What we hold true of a.py now, in order of time."""
    record = [version for version in engine.files.history("a.py") if version.known_to == FOREVER]
    return sorted(record, key=lambda version: version.valid_from)


def assert_time_runs_forward(engine: Engine) -> None:
    """No period is empty or negative, and no two that we believe at once overlap."""
    for version in engine.files.history("a.py"):
        assert version.valid_from < version.valid_to
        assert version.known_from < version.known_to
    record = believed(engine)
    for earlier, later in pairwise(record):
        assert earlier.valid_to <= later.valid_from


def test_a_changed_symbol_supersedes_its_version_and_its_neighbour_keeps_its_own(
    repository: Repository, engine: Engine
) -> None:
    repository.write("a.py", ONE)
    engine.index()
    repository.write("a.py", TWO, mtime_ns=DAY_2 * 1000)
    engine.index()

    kept, changed = engine.nodes.versions("a.py", "kept"), engine.nodes.versions("a.py", "changed")

    assert [(version.born, version.current) for version in kept] == [(1, True)]
    assert [(version.born, version.died) for version in changed] == [(1, 2), (2, FOREVER)]


def test_committed_content_is_seen_as_of_its_commits(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", ONE)
    repository.commit(at=DAY_1)
    engine.index()
    before_we_knew = now()
    repository.write("a.py", TWO, mtime_ns=DAY_2 * 1000)
    repository.commit(at=DAY_3)
    engine.index()

    assert text_at(engine, DAY_1 - 1) is None
    assert text_at(engine, DAY_1) == text_at(engine, DAY_3 - 1) == ONE
    assert text_at(engine, DAY_3) == TWO
    assert text_at(engine, DAY_4, before_we_knew) == ONE, "back then we thought that it still held"
    assert_time_runs_forward(engine)


def test_uncommitted_content_holds_since_the_file_was_written(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", ONE)
    repository.commit(at=DAY_1)
    engine.index()
    repository.write("a.py", TWO, mtime_ns=DAY_2 * 1000)
    engine.index()

    assert (text_at(engine, DAY_2 - 1), text_at(engine, DAY_2)) == (ONE, TWO)
    assert [version.committed for version in believed(engine)] == [True, False]


def test_a_commit_of_known_content_touches_the_files_record_and_what_git_says_alone(
    repository: Repository, engine: Engine
) -> None:
    repository.write("a.py", ONE, mtime_ns=DAY_1 * 1000)
    repository.write("b.py", "import a\n")
    engine.index()
    before = tables(engine)
    repository.commit(at=DAY_2)

    engine.index()

    after = tables(engine)
    assert {name for name in after if after[name] != before[name]} == {"file_version", "history"}
    assert [(v.valid_from, v.committed, v.version) for v in believed(engine)] == [(DAY_2, True, 1)]
    assert_time_runs_forward(engine)


def test_a_commit_of_known_content_is_seen_while_another_file_changes(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", ONE, mtime_ns=DAY_1 * 1000)
    engine.index()
    repository.commit(at=DAY_2)
    repository.write("b.py", "import a\n")

    engine.index()

    assert [(v.valid_from, v.committed, v.version) for v in believed(engine)] == [(DAY_2, True, 1)]
    assert_time_runs_forward(engine)


def test_a_commit_dated_before_what_it_replaces_does_not_bend_time(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", ONE)
    repository.commit(at=DAY_2)
    engine.index()
    repository.write("a.py", TWO, mtime_ns=DAY_3 * 1000)
    engine.index()
    repository.commit(at=DAY_1)

    engine.index()

    assert [version.committed for version in believed(engine)] == [True, True]
    assert_time_runs_forward(engine)


def test_a_deleted_file_can_be_read_as_of_before(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", ONE)
    repository.commit(at=DAY_1)
    engine.index()
    repository.delete("a.py")
    repository.commit(at=DAY_2)
    engine.index()

    assert (text_at(engine, DAY_2 - 1), text_at(engine, DAY_2)) == (ONE, None)
    assert current_view(engine) == []
    assert not any(version.current for version in engine.nodes.versions("a.py", "kept"))


def test_a_file_that_comes_back_goes_on_with_its_record(repository: Repository, engine: Engine) -> None:
    for day, content in ((DAY_1, ONE), (DAY_2, ""), (DAY_3, ONE)):
        if content:
            repository.write("a.py", content)
        else:
            repository.delete("a.py")
        repository.commit(at=day)
        engine.index()

    assert [version.version for version in believed(engine)] == [1, 2]
    assert (text_at(engine, DAY_1), text_at(engine, DAY_2), text_at(engine, DAY_3)) == (ONE, None, ONE)
    assert [version.born for version in engine.nodes.versions("a.py", "kept")] == [1, 2]
    assert_time_runs_forward(engine)


def test_a_revert_is_a_new_version_of_the_old_content(repository: Repository, engine: Engine) -> None:
    for day, content in ((DAY_1, ONE), (DAY_2, TWO), (DAY_3, ONE)):
        repository.write("a.py", content, mtime_ns=day * 1000)
        repository.commit(at=day)
        engine.index()

    assert [text_at(engine, day) for day in (DAY_1, DAY_2, DAY_3)] == [ONE, TWO, ONE]
    assert len({version.text for version in believed(engine)}) == 2
    assert_time_runs_forward(engine)


def test_a_rebuild_of_the_same_tree_adds_nothing(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", ONE)
    repository.commit(at=DAY_1)
    engine.index()
    repository.write("a.py", TWO, mtime_ns=DAY_2 * 1000)
    repository.write("b.md", "# Title\n")
    engine.index()
    before, record = current_view(engine), engine.files.history("a.py")

    report = engine.index(Mode.FULL)

    assert report.read == 2
    assert current_view(engine) == before
    assert engine.files.history("a.py") == record
    assert len(engine.nodes.versions("a.py", "changed")) == 2


def test_switching_to_an_older_branch_and_back_keeps_time_running_forward(
    repository: Repository, engine: Engine
) -> None:
    repository.write("a.py", ONE)
    repository.commit(at=DAY_1)
    repository.git("branch", "old")
    repository.write("a.py", TWO)
    repository.commit(at=DAY_3)
    engine.index()
    for branch in ("old", "main", "old"):
        repository.git("checkout", "-q", branch)
        engine.index()

    assert [engine.files.text(v.text).decode() for v in believed(engine)] == [TWO, ONE, TWO, ONE]
    assert text_at(engine, NOW.valid) == ONE
    assert_time_runs_forward(engine)


def test_a_commit_from_the_future_does_not_make_a_negative_period(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", ONE)
    repository.commit(at=now() // DAY * DAY + 30 * DAY)
    engine.index()
    repository.write("a.py", TWO)
    engine.index()
    repository.delete("a.py")
    engine.index()

    assert len(believed(engine)) == 2
    assert_time_runs_forward(engine)


def files_since(engine: Engine) -> dict[str, int]:
    found = ((path, engine.files.get(path, NOW)) for path in ("a.py", "b.py", "c.py"))
    return {path: version.valid_from for path, version in found if version}


def test_after_a_first_index_each_file_holds_since_the_commit_that_last_changed_it(
    repository: Repository, engine: Engine
) -> None:
    repository.write("a.py", ONE)
    repository.write("b.py", ONE)
    repository.commit(at=DAY_1)
    repository.write("b.py", TWO)
    repository.commit(at=DAY_2)
    repository.write("c.py", ONE)
    repository.commit(at=DAY_3)
    engine.index()

    assert files_since(engine) == {"a.py": DAY_1, "b.py": DAY_2, "c.py": DAY_3}


def test_what_a_merge_brought_holds_since_the_commit_on_its_branch(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", ONE)
    repository.write("b.py", ONE)
    repository.commit(at=DAY_1)
    repository.git("checkout", "-qb", "side")
    repository.write("b.py", TWO)
    repository.commit(at=DAY_2)
    repository.git("checkout", "-q", "-")
    repository.write("a.py", TWO)
    repository.commit(at=DAY_3)
    repository.git("merge", "-q", "--no-edit", "side", at=DAY_4)
    engine.index()

    assert files_since(engine) == {"a.py": DAY_3, "b.py": DAY_2}


def test_dates_are_the_same_whether_commits_are_indexed_one_by_one_or_at_once(
    repository: Repository, engine: Engine, tmp_path: Path
) -> None:
    for at, path, text in ((DAY_1, "a.py", ONE), (DAY_2, "b.py", ONE), (DAY_3, "a.py", TWO), (DAY_4, "c.py", ONE)):
        repository.write(path, text, mtime_ns=(at - DAY // 2) * 1000)
        repository.commit(at=at)
        engine.index()
    repository.git("clone", "-q", ".", str(tmp_path / "anew"))
    with Engine.open(tmp_path / "anew", environ={}) as anew:
        anew.index()

        assert files_since(anew) == files_since(engine) == {"a.py": DAY_3, "b.py": DAY_2, "c.py": DAY_4}


def test_a_commit_that_is_read_later_dates_what_it_holds(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", ONE, mtime_ns=DAY_1 * 1000)
    engine.index()
    repository.commit(at=DAY_2)
    repository.write("b.py", ONE)
    repository.commit(at=DAY_3)
    engine.index()

    assert files_since(engine) == {"a.py": DAY_2, "b.py": DAY_3}


def test_a_shallow_clone_dates_what_lies_before_it_by_its_oldest_commit(repository: Repository, tmp_path: Path) -> None:
    for at, path in ((DAY_1, "a.py"), (DAY_2, "b.py"), (DAY_3, "c.py")):
        repository.write(path, ONE)
        repository.commit(at=at)
    repository.git("clone", "-q", "--depth=2", repository.root.as_uri(), str(tmp_path / "shallow"))
    with Engine.open(tmp_path / "shallow", environ={}) as shallow:
        shallow.index()

        assert files_since(shallow) == {"a.py": DAY_2, "b.py": DAY_2, "c.py": DAY_3}
