"""Memory tied to code, and what it says when the code moves on."""

from clew.engine import Engine
from clew.memory.subjects import Drift
from tests.conftest import Repository

FIRST = "def login(user):\n    return user\n\n\ndef logout(user):\n    return None\n"


def test_a_subject_is_current_until_it_changes(engine: Engine, repository: Repository) -> None:
    repository.write("a.py", FIRST)
    engine.index()
    login, logout, file = engine.memory.code.subjects(["a.py::login", "a.py::logout", "a.py"])

    assert [engine.memory.code.standing(one).drift for one in (login, logout, file)] == [Drift.CURRENT] * 3

    repository.write("a.py", FIRST.replace("return user", "return user.name"))
    engine.index()

    drifts = [engine.memory.code.standing(one).drift for one in (login, logout, file)]
    assert drifts == [Drift.CHANGED, Drift.CURRENT, Drift.CHANGED]


def test_a_subject_is_followed_where_it_moves(engine: Engine, repository: Repository) -> None:
    repository.write("a.py", FIRST)
    repository.write("other.py", "x = 1\n")
    engine.index()
    login, file = engine.memory.code.subjects(["a.py::login", "a.py"])
    repository.delete("a.py")
    repository.write("deep/a.py", FIRST)
    engine.index()

    assert engine.memory.code.standing(login).said() == "moved to deep/a.py::login"
    assert engine.memory.code.standing(file).said() == "moved to deep/a.py"


def test_a_file_that_is_renamed_and_edited_is_followed(engine: Engine, repository: Repository) -> None:
    repository.write("a.py", FIRST)
    engine.index()
    login, logout, file = engine.memory.code.subjects(["a.py::login", "a.py::logout", "a.py"])
    repository.delete("a.py")
    repository.write("b.py", FIRST.replace("return user", "return user.name"))
    engine.index()

    assert engine.memory.code.standing(login).said() == "moved to b.py::login, changed"
    assert engine.memory.code.standing(logout).said() == "moved to b.py::logout"
    assert engine.memory.code.standing(file).said() == "moved to b.py, changed"


def test_the_difference_is_told_as_a_diff(engine: Engine, repository: Repository) -> None:
    repository.write("a.py", FIRST)
    engine.index()
    login, logout, file = engine.memory.code.subjects(["a.py::login", "a.py::logout", "a.py"])
    repository.write("a.py", FIRST.replace("return user", "return user.name"))
    engine.index()

    changed = engine.memory.differences.of(login).splitlines()
    assert changed[-2:] == ["-    return user", "+    return user.name"]
    assert engine.memory.differences.of(logout) == ""
    assert "+    return user.name" in engine.memory.differences.of(file)

    repository.write("a.py", "x = 1\n")
    engine.index()
    assert "-def login(user):" in engine.memory.differences.of(login)


def test_a_subject_that_is_nowhere_is_gone(engine: Engine, repository: Repository) -> None:
    repository.write("a.py", FIRST)
    engine.index()
    (login,) = engine.memory.code.subjects(["a.py::login"])
    repository.write("a.py", "x = 1\n")
    engine.index()

    assert engine.memory.code.standing(login).drift is Drift.GONE


def test_an_id_that_was_never_known_says_so(engine: Engine) -> None:
    (one,) = engine.memory.code.subjects(["nowhere.py::f"])

    assert engine.memory.code.standing(one).drift is Drift.UNKNOWN
