"""Messages and paths of commits, packed and opened again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.store.commits import Commits, pack_commits

words = st.lists(st.sampled_from(["token", "card", "mail", "order"]), max_size=5).map(" ".join)
paths = st.lists(st.sampled_from(["a.py", "b.py", "c/d.py"]), max_size=3, unique=True)
histories = st.lists(st.tuples(words, paths), max_size=8)


def opened(*history: tuple[str, list[str]], most: int = 50) -> Commits:
    return Commits(pack_commits([(message, changed, {}) for message, changed in history], most))


def saying(commits: Commits, term: str) -> dict[int, int]:
    """Which commits say a term, and how often."""
    number = commits.terms[term]
    where = slice(int(commits.at[number]), int(commits.at[number + 1]))
    return dict(zip(commits.commits[where].tolist(), commits.frequencies[where].tolist(), strict=True))


def paths_of(commits: Commits, commit: int) -> list[str]:
    where = slice(int(commits.path_at[commit]), int(commits.path_at[commit + 1]))
    return [commits.paths[file] for file in commits.files[where].tolist()]


def test_terms_are_those_of_questions() -> None:
    commits = opened(("Validates tokens of TokenStore", ["a.py"]))

    assert {"valid", "token", "tokenstore"} <= commits.terms.keys()
    assert saying(commits, "token") == {0: 2}


def test_commits_keep_their_order_and_their_paths() -> None:
    commits = opened(("newest", ["b.py", "a.py"]), ("oldest", ["a.py"]))

    assert len(commits) == 2
    assert paths_of(commits, 0) == ["b.py", "a.py"]
    assert paths_of(commits, 1) == ["a.py"]
    assert commits.paths == ["a.py", "b.py"]
    assert (saying(commits, "newest"), saying(commits, "oldest")) == ({0: 1}, {1: 1})


def test_commits_of_no_files_or_of_too_many_are_left_out() -> None:
    commits = opened(("nothing", []), ("sweep", ["a", "b", "c"]), ("fine", ["a", "b"]), most=2)

    assert [*commits.terms] == ["fine"]
    assert len(commits) == 1


def test_what_was_written_by_habit_is_not_kept() -> None:
    assert [*opened(("token (#12)\n\nSigned-off-by: Ann", ["a.py"])).terms] == ["token"]


def test_a_count_has_an_end_and_so_has_a_message() -> None:
    often = opened(("token " * 1000, ["a.py"]))
    long = opened((" ".join(f"w{i}x" for i in range(5000)), ["a.py"]))

    assert saying(often, "token") == {0: 255}
    assert len(long.terms) < 2000


def test_paths_that_are_no_text_are_kept_as_far_as_they_are() -> None:
    commits = opened(("token", ["a.py", "\udcff.py"]))

    assert paths_of(commits, 0) == ["a.py", "?.py"]


def test_no_history_is_no_commits() -> None:
    commits = opened()

    assert (len(commits), commits.terms, commits.paths) == (0, {}, [])


@given(histories)
def test_nothing_is_lost(history: list[tuple[str, list[str]]]) -> None:
    commits = opened(*history)
    kept = [(message, changed) for message, changed in history if changed]

    assert [paths_of(commits, i) for i in range(len(commits))] == [changed for _, changed in kept]
    for term in commits.terms:
        counted = {i: message.split().count(term) for i, (message, _) in enumerate(kept)}
        assert saying(commits, term) == {i: count for i, count in counted.items() if count}
    assert np.array_equal(commits.lengths, [len(message.split()) for message, _ in kept])


@given(histories)
def test_the_same_history_is_the_same_bytes(history: list[tuple[str, list[str]]]) -> None:
    some: list[tuple[str, list[str], dict[str, int]]] = [(message, changed, {}) for message, changed in history]
    assert pack_commits(some, 50) == pack_commits(list(some), 50)


@pytest.mark.parametrize("message", ["", "   ", "\n\n", "🔐", "令牌"])
def test_a_message_may_say_next_to_nothing(message: str) -> None:
    assert len(opened((message, ["a.py"]))) == 1
