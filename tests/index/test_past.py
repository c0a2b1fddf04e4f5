"""What git's history tells, remembered once per head."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from clew.engine import Engine
from clew.index.history.commit_history import MOST_FILES, CommitHistory
from clew.runtime.settings import Config, GitHistorySettings, Providers
from clew.store.commits import Commits
from clew.store.histories import ReadCommits
from clew.store.packing import unpack
from tests.conftest import DAY, DAY_1, DAY_2, DAY_3, Repository
from tests.views import search


def told(engine: Engine) -> dict[str, list[str]]:
    """By term, the paths of commits that say it; the newest first."""
    data = engine.histories.commits()
    commits = Commits(data)
    found = {}
    for term, number in commits.terms.items():
        saying = commits.commits[commits.at[number] : commits.at[number + 1]].tolist()
        places = [slice(commits.path_at[one], commits.path_at[one + 1]) for one in saying]
        found[term] = [commits.paths[file] for where in places for file in commits.files[where].tolist()]
    return found


def test_what_was_said_is_kept_with_what_was_changed(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "x = 1\n")
    repository.commit(DAY_1, "Sign tokens")
    repository.write("b.py", "x = 1\n")
    repository.commit(DAY_2, "Send mail\n\nfor tokens too")
    engine.index()

    kept = told(engine)
    assert {term: kept[term] for term in ("sign", "token", "send", "mail")} == {
        "sign": ["a.py"],
        "token": ["b.py", "a.py"],
        "send": ["b.py"],
        "mail": ["b.py"],
    }


def test_it_goes_on_with_the_next_commit(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "x = 1\n")
    repository.commit(DAY_1, "Sign tokens")
    engine.index()
    before = engine.histories.tip()
    repository.write("a.py", "x = 2\n")
    repository.commit(DAY_2, "Sign cookies")
    engine.index()

    assert engine.histories.tip() != before
    assert told(engine)["cooki"] == ["a.py"]


def test_nothing_is_read_while_the_head_is_the_same(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "x = 1\n")
    head = repository.commit(DAY_1, "Sign tokens")
    engine.index()

    written: list[str] = []

    @contextmanager
    def writing() -> Iterator[None]:
        written.append(head)
        yield

    CommitHistory(Path("/nowhere"), engine.histories, Config()).remember(head, frozenset({"a.py"}), writing)

    assert written == []


def test_only_so_many_commits_are_read(repository: Repository, engine: Engine) -> None:
    for number, word in enumerate(("oldest", "middle", "newest")):
        repository.write("a.py", f"x = {number}\n")
        head = repository.commit(DAY_1 + number * DAY, word)
    few = replace(Config(), providers=Providers(git_history=GitHistorySettings(max_commits=2)))
    CommitHistory(repository.root, engine.histories, few).remember(head, frozenset({"a.py"}), engine.db.transaction)

    assert {*told(engine)} == {"middl", "newest"}


def test_secrets_in_messages_are_not_kept(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "x = 1\n")
    repository.commit(DAY_1, "Use key AKIAIOSFODNN7EXAMPLE for mail")
    engine.index()

    assert "mail" in told(engine)
    assert "akiaiosfodnn7exampl" not in "".join(told(engine))


def test_a_sweep_is_about_nothing_in_particular(repository: Repository, engine: Engine) -> None:
    for number in range(MOST_FILES + 1):
        repository.write(f"m{number}.py", "x = 1\n")
    repository.commit(DAY_1, "Reformat everything")
    repository.write("m0.py", "x = 2\n")
    repository.commit(DAY_2, "Sign tokens")
    engine.index()

    assert {*told(engine)} == {"sign", "token"}


def test_a_renamed_file_keeps_its_past(repository: Repository, engine: Engine) -> None:
    repository.write("old/a.py", "def sign():\n    return 1\n\n\ndef check():\n    return 2\n")
    repository.commit(DAY_1, "Sign tokens")
    repository.git("mv", "old", "new")
    repository.write("new/a.py", "def sign():\n    return 1\n\n\ndef check():\n    return 3\n")
    repository.commit(DAY_2, "Move")
    repository.write("old/a.py", "y = 1\n")
    repository.commit(DAY_3, "Mail")
    engine.index()

    assert {term: told(engine)[term] for term in ("sign", "move", "mail")} == {
        "sign": ["new/a.py"],
        "move": ["new/a.py"],
        "mail": ["old/a.py"],
    }
    commits = Commits(engine.histories.commits())
    assert [*zip(commits.paths, commits.moves.tolist(), strict=True)] == [
        ("new/a.py", 0),
        ("new/a.py", 1),
        ("old/a.py", 0),
    ]


def test_merges_say_nothing(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "x = 1\n")
    repository.commit(DAY_1, "Start")
    repository.git("checkout", "-qb", "side")
    repository.write("b.py", "x = 1\n")
    repository.commit(DAY_2, "Sign tokens")
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "-m", "Zebra merge", "side", at=DAY_3)
    engine.index()

    assert {*told(engine)} == {"start", "sign", "token"}


def test_without_git_there_is_no_past(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def sign(): ...\n", "utf-8")
    with Engine.open(tmp_path) as engine:
        engine.index()

        assert engine.histories.commits() == b""
        assert search(engine, "sign")


@pytest.mark.parametrize("message", [b"caf\xe9 sign", "über sign 令牌".encode(), b"sign \x01 and \x02 more"])
def test_messages_may_be_in_any_encoding(repository: Repository, engine: Engine, message: bytes) -> None:
    repository.write("a.py", "x = 1\n")
    (repository.root / "../message").write_bytes(message)
    repository.git("add", "-A")
    repository.git("commit", "-q", "-F", str(repository.root / "../message"))
    engine.index()

    assert told(engine)["sign"] == ["a.py"]


def test_paths_may_be_no_text(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "x = 1\n")
    (repository.root / b"\xff.py".decode("utf-8", "surrogateescape")).write_text("x = 1\n", "utf-8")
    repository.commit(DAY_1, "Sign tokens")
    engine.index()

    assert "a.py" in told(engine)["sign"]
    assert search(engine, "sign tokens")


def co_changing(engine: Engine) -> set[str]:
    return set(engine.histories.together())


def test_a_file_that_comes_back_changed_together_with_others(repository: Repository, engine: Engine) -> None:
    """At the same head: which files are there is a part of what the history tells."""
    for n in range(4):
        repository.write("a.py", f"x = {n}\n")
        repository.write("b.py", f"y = {n}\n")
        repository.commit(DAY_1 + n * DAY)
    repository.delete("b.py")
    repository.commit(DAY_1 + 5 * DAY)
    engine.index()
    assert co_changing(engine) == set()

    repository.write("b.py", "y = 3\n")
    engine.index()

    assert co_changing(engine) == {"a.py", "b.py"}


def test_a_history_that_was_fetched_whole_later_is_told_whole(repository: Repository, tmp_path: Path) -> None:
    for n, said in enumerate(("Sign tokens", "Send mail", "Land zeppelins")):
        repository.write("a.py", f"x = {n}\n")
        repository.commit(DAY_1 + n * DAY, said)
    clone = Repository(tmp_path / "clone")
    repository.git("clone", "-q", "--depth", "1", f"file://{repository.root}", str(clone.root))
    with Engine.open(clone.root, environ={}) as engine:
        engine.index()
        before = told(engine)
        clone.git("fetch", "-q", "--unshallow")
        engine.index()
        after = told(engine)

    assert "sign" not in before
    assert "sign" in after


def test_what_is_a_secret_from_now_on_is_taken_out_of_what_was_said(repository: Repository) -> None:
    repository.write("a.py", "x = 1\n")
    repository.commit(DAY_1, "Use zeppelin as the password")
    with Engine.open(repository.root, environ={}) as engine:
        engine.index()
        before = told(engine)
    repository.write("context.toml", '[security]\nsecret_patterns = ["zeppelin"]\n')
    with Engine.open(repository.root, environ={}) as engine:
        engine.index()
        after = told(engine)

    assert "zeppelin" in before
    assert "zeppelin" not in after


def test_reading_new_commits_alone_gives_the_same_history(repository: Repository, engine: Engine) -> None:
    words = ("sign", "token", "mail", "zebra", "cookie")
    for number, word in enumerate(words):
        for file in "ab":
            repository.write(f"{file}.py", f"x = {number}\n")
        repository.commit(DAY_1 + number * DAY, word)
        engine.index()
    repository.git("rm", "-q", "b.py")
    head = repository.commit(DAY_1 + len(words) * DAY, "Drop b")
    engine.index()
    kept = engine.histories.last()
    few = replace(Config(), providers=Providers(git_history=GitHistorySettings(max_commits=3)))

    for config in (few, Config()):  # with other settings all commits are read again
        CommitHistory(repository.root, engine.histories, config).remember(
            head, frozenset({"a.py"}), engine.db.transaction
        )
    assert engine.histories.last() == kept
    assert len(unpack(kept.read, ReadCommits).commits) == len(words) + 1
