"""Memory tied to code, and what it says when the code moves on."""

from clew.engine import Engine
from clew.memory.subjects import Drift
from tests.conftest import Repository

FIRST = "def login(user):\n    return user\n\n\ndef logout(user):\n    return None\n"


def test_a_subject_is_current_until_it_changes(engine: Engine, repository: Repository) -> None:
    repository.write("a.py", FIRST)
    engine.index()
    login, logout, file = engine.memory.code.subjects(["a.py::login", "a.py::logout", "a.py"])

    assert [engine.memory.code.state_of(one).drift for one in (login, logout, file)] == [Drift.CURRENT] * 3

    repository.write("a.py", FIRST.replace("return user", "return user.name"))
    engine.index()

    drifts = [engine.memory.code.state_of(one).drift for one in (login, logout, file)]
    assert drifts == [Drift.CHANGED, Drift.CURRENT, Drift.CHANGED]


def test_a_subject_is_followed_where_it_moves(engine: Engine, repository: Repository) -> None:
    repository.write("a.py", FIRST)
    repository.write("other.py", "x = 1\n")
    engine.index()
    login, file = engine.memory.code.subjects(["a.py::login", "a.py"])
    repository.delete("a.py")
    repository.write("deep/a.py", FIRST)
    engine.index()

    assert engine.memory.code.state_of(login).describe() == "moved to deep/a.py::login"
    assert engine.memory.code.state_of(file).describe() == "moved to deep/a.py"


def test_a_file_that_is_renamed_and_edited_is_followed(engine: Engine, repository: Repository) -> None:
    repository.write("a.py", FIRST)
    engine.index()
    login, logout, file = engine.memory.code.subjects(["a.py::login", "a.py::logout", "a.py"])
    repository.delete("a.py")
    repository.write("b.py", FIRST.replace("return user", "return user.name"))
    engine.index()

    assert engine.memory.code.state_of(login).describe() == "moved to b.py::login, changed"
    assert engine.memory.code.state_of(logout).describe() == "moved to b.py::logout"
    assert engine.memory.code.state_of(file).describe() == "moved to b.py, changed"


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

    assert engine.memory.code.state_of(login).drift is Drift.GONE


def test_an_id_that_was_never_known_says_so(engine: Engine) -> None:
    (one,) = engine.memory.code.subjects(["nowhere.py::f"])

    assert engine.memory.code.state_of(one).drift is Drift.UNKNOWN


LONG = "def {name}(order, rate):\n    total = sum(line.price for line in order)\n    return round(total * rate, 2)\n"


def moved(engine: Engine, repository: Repository, node: str, *turns: dict[str, str]) -> str:
    """What is said of a node after some changes, each indexed."""
    (subject,) = engine.memory.code.subjects([node])
    assert subject.is_known
    for files in turns:
        for path, text in files.items():
            if text:
                repository.write(path, text)
            else:
                repository.delete(path)
        engine.index()
    return engine.memory.code.state_of(subject).describe()


def test_a_symbol_under_another_name_is_followed(engine: Engine, repository: Repository) -> None:
    repository.write("a.py", LONG.format(name="charge") + "\n\n" + FIRST)
    engine.index()

    renamed = {"a.py": LONG.format(name="bill") + "\n\n" + FIRST}
    assert moved(engine, repository, "a.py::charge", renamed) == "moved to a.py::bill"


def test_renamed_changed_moved_and_renamed_again_it_is_followed(engine: Engine, repository: Repository) -> None:
    repository.write("a.py", LONG.format(name="charge") + "\n\n" + FIRST)
    engine.index()
    turns: list[dict[str, str]] = [
        {"a.py": LONG.format(name="bill").replace("2)", "3)") + "\n\n" + FIRST},
        {"a.py": FIRST, "deep/b.py": LONG.format(name="bill").replace("2)", "3)")},
        {"deep/b.py": LONG.format(name="invoice").replace("2)", "3)")},
    ]

    said = moved(engine, repository, "a.py::charge", *turns)

    assert said == "moved to deep/b.py::invoice, changed"
    (subject,) = engine.memory.code.subjects(["deep/b.py::invoice"])
    assert engine.memory.code.state_of(subject).describe() == "current"


def test_methods_go_with_their_class(engine: Engine, repository: Repository) -> None:
    text = (
        "class {0}:\n    rate = 1\n\n    def charge(self):\n        return self.rate\n\n    def x(self):\n        {1}\n"
    )
    repository.write("a.py", text.format("Till", "return 1"))
    engine.index()
    (charge, x, till) = engine.memory.code.subjects(["a.py::Till::charge", "a.py::Till::x", "a.py::Till"])
    repository.write("a.py", text.format("Register", "return [n for n in range(9) if n % 2]"))
    engine.index()

    said = [engine.memory.code.state_of(one).describe() for one in (charge, x, till)]
    assert said == ["moved to a.py::Register::charge", "moved to a.py::Register::x, changed", "moved to a.py::Register"]


def test_what_says_little_is_not_taken_for_something_of_another_name(engine: Engine, repository: Repository) -> None:
    repository.write("a.py", "def login(): ...\n")
    engine.index()

    assert moved(engine, repository, "a.py::login", {"a.py": "def pay(): ...\n"}) == "gone"


def test_a_name_that_comes_back_is_its_own_again(engine: Engine, repository: Repository) -> None:
    repository.write("a.py", LONG.format(name="charge"))
    engine.index()
    turns = [{"a.py": LONG.format(name="bill")}, {"a.py": LONG.format(name="bill") + LONG.format(name="charge")}]

    assert moved(engine, repository, "a.py::charge", *turns) == "current"


def test_a_file_that_was_renamed_and_then_rewritten_is_followed(engine: Engine, repository: Repository) -> None:
    repository.write("a.py", LONG.format(name="charge") + "\n\n" + FIRST)
    engine.index()
    later = LONG.format(name="charge").replace("2)", "3)") + "\n\ndef other():\n    return [3, 4, 5]\n"
    turns = [{"a.py": "", "b.py": LONG.format(name="charge") + "\n\n" + FIRST}, {"b.py": later}]

    assert moved(engine, repository, "a.py", *turns) == "moved to b.py, changed"
