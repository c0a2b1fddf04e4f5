"""What runs have changed, and what a path ever held; on both engines."""

from clew.engine import Engine
from clew.store.changes import Changes
from tests.conftest import DAY_2, Repository


def test_the_runs_after_a_run_tell_what_they_changed(repository: Repository, engine: Engine) -> None:
    changes = Changes(engine.db, engine.where)
    assert (changes.first(), changes.last(), changes.latest(), changes.commit(0)) == (0, 0, 0, "")

    repository.write("a.py", "x = 1\n")
    repository.write("src/b.py", "y = 1\n")
    first_commit = repository.commit()
    engine.index()
    first = changes.last()
    repository.write("a.py", "x = 2\n")
    repository.delete("src/b.py")
    second_commit = repository.commit(DAY_2)
    engine.index()

    assert (changes.first(), changes.last() > first, changes.latest()) == (first, True, changes.last())
    assert (changes.commit(first), changes.commit(changes.last())) == (first_commit, second_commit)
    assert changes.since(0) == changes.since(first) == ["a.py", "src/b.py"]
    assert changes.since(changes.last()) == []
    assert (len(changes.ever_held("a.py")), len(changes.ever_held("none.py"))) == (2, 0)
    assert [path for path, _ in changes.inside("a", "b")] == ["a.py"]
    assert changes.inside("src/", "src0") == []
