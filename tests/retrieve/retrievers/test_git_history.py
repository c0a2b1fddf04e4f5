"""By what was said when files changed."""

import pytest

from tests.conftest import DAY, DAY_1, Repository
from tests.retrieve.retrievers.asking import seen
from tests.retrieve.retrievers.conftest import Made


@pytest.fixture
def past(repository: Repository) -> Repository:
    """Three files, each with what was said of it; then a commit of two."""
    commits = [
        ("Start", ("a.py", "b.py", "c.py")),
        ("Expire tokens after a day", ("a.py",)),
        ("Tokens expire sooner for guests", ("a.py",)),
        ("Print invoices", ("b.py",)),
        ("Mail tokens to customers", ("b.py", "c.py")),
    ]
    for number, (message, paths) in enumerate(commits):
        for path in paths:
            repository.write(path, f"def f{number}(): ...\n")
        repository.commit(DAY_1 + number * DAY, message)
    return repository


def scores(made: Made, question: str) -> dict[str, float]:
    return {name.partition("::")[0]: one.score for name, one in seen(made({}), "git_history", question).items()}


def test_commits_that_say_the_like_speak_for_what_they_changed(made: Made, past: Repository) -> None:
    found = scores(made, "tokens expire")

    assert next(iter(found)) == "a.py"
    assert found["a.py"] > found["b.py"] == found["c.py"] > 0


def test_a_commit_of_many_files_says_less_of_each(made: Made, past: Repository) -> None:
    assert scores(made, "invoices")["b.py"] > scores(made, "customers")["b.py"]


def test_it_tells_how_many(made: Made, past: Repository) -> None:
    found = seen(made({}), "git_history", "tokens expire")

    assert found["a.py::f2"].detail == "2 commits to its file with similar messages"
    assert found["c.py::f4"].detail == "1 commit to its file with similar messages"


def test_a_commit_speaks_for_every_chunk_of_its_file(made: Made, past: Repository) -> None:
    found = seen(made({"a.py": "def one(): ...\n\n\nclass Two: ...\n"}), "git_history", "expire")

    assert {*found} == {"a.py::one", "a.py::Two"}
    assert len({one.score for one in found.values()}) == 1


def test_a_commit_says_less_of_a_file_that_was_renamed_since(made: Made, past: Repository) -> None:
    past.git("mv", "c.py", "d.py")
    past.commit(DAY_1 + 9 * DAY, "Away")

    found = scores(made, "customers")

    assert [*found] == ["b.py", "d.py"]
    assert found["d.py"] < found["b.py"]


def test_files_that_are_gone_are_not_found(made: Made, past: Repository) -> None:
    past.delete("a.py")
    past.commit(DAY_1 + 9 * DAY, "Away")

    assert {*scores(made, "tokens expire")} == {"b.py", "c.py"}


def test_the_next_commit_counts_at_once(made: Made, past: Repository) -> None:
    made({})
    past.write("c.py", "def g(): ...\n")
    past.commit(DAY_1 + 9 * DAY, "Zebra stripes")

    assert {*scores(made, "zebra")} == {"c.py"}


def test_what_was_never_said_finds_nothing(made: Made, past: Repository) -> None:
    assert scores(made, "elephant") == {}


def test_without_commits_nothing_is_found(made: Made) -> None:
    assert seen(made({"a.py": "def f(): ...\n"}), "git_history", "tokens") == {}
