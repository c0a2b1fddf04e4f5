"""Questions about the past, answered from git: commits with their lines, and authors."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.engine import Engine
from clew.history.answers import HistoryQuestion, question_of, topic_of
from tests.conftest import DAY, DAY_1, Repository
from tests.tools.asking import Ask, asking

RETRY = "RETRY_LIMIT = 3\n\n\ndef retry(call):\n    return [call() for _ in range(RETRY_LIMIT)]\n"
PARSER = "def parse(tokens):\n    return [token for token in tokens if token]\n"


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    made = Repository(tmp_path)
    made.git("init", "-q", "-b", "main")
    people = iter(["Ada", "Grace", "Ada", "Grace", "Grace"])

    def commit(day: int, message: str) -> None:
        made.git("add", "-A")
        who = next(people)
        made.git("commit", "-qm", message, f"--author={who} <{who.lower()}@example.org>", at=DAY_1 + day * DAY)

    made.write("retry.py", RETRY)
    commit(0, "Add retries")
    made.write("parser.py", PARSER)
    commit(10, "Parse tokens")
    made.write("retry.py", RETRY.replace("= 3", "= 5"))
    commit(400, "Tune for slow networks\n\nThree was too few on trains.")
    made.write("parser.py", PARSER.replace("if token", "if token is not None"))
    commit(500, "Keep empty tokens")
    made.write("auth.py", "def authenticate(user):\n    return user.password\n")
    commit(510, "Authenticate users")
    with Engine.open(made.root) as engine:
        engine.index()
    return made


@pytest.fixture
def ask(shop: Repository) -> Iterator[Ask]:
    with asking(shop.root) as asked:
        yield asked


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("recent changes to authentication", HistoryQuestion.RECENT),
        ("when did the retry limit change?", HistoryQuestion.WHEN),
        ("which commit introduced the retry limit", HistoryQuestion.WHEN),
        ("who knows the parser", HistoryQuestion.WHO),
        ("Who wrote parse()?", HistoryQuestion.WHO),
        ("why is the retry limit five", HistoryQuestion.WHY),
        ("regression: empty tokens are kept", HistoryQuestion.WHY),
        ("login fails since the last release", HistoryQuestion.WHY),
        ("where are tokens validated?", None),
        ("how does the parser work", None),
        ("return the author of a book", None),
        ("reject expired tokens", None),
    ],
)
def test_a_question_says_what_of_the_past_it_asks(text: str, asked: HistoryQuestion | None) -> None:
    assert question_of(text) == asked


def test_the_topic_is_what_is_left() -> None:
    assert topic_of("when did the retry limit change?") == "the retry limit"


def test_when_a_value_changed_is_told_with_its_lines(ask: Ask) -> None:
    data = ask("history_search", query="when did the retry limit change?", profile="debug")["data"]
    best = data["commits"][0]
    assert best["subject"] == "Tune for slow networks"
    assert {(one["sign"], one["text"]) for one in best["lines"]} >= {("-", "RETRY_LIMIT = 3"), ("+", "RETRY_LIMIT = 5")}
    assert best["files"] == ["retry.py"]


def test_recent_changes_come_first_where_they_are_asked_for(ask: Ask) -> None:
    data = ask("history_search", query="recent changes to the parser tokens", profile="debug")["data"]
    assert [one["subject"] for one in data["commits"]][:2] == ["Keep empty tokens", "Parse tokens"]


def test_who_knows_something_is_who_changed_it(ask: Ask) -> None:
    envelope = ask("history_search", query="who knows the parser", profile="debug")
    assert envelope["data"]["authors"][0]["author"] == "Grace"
    assert envelope["data"]["authors"][0]["files"] == ["parser.py"]
    assert "Grace knows it best" in envelope["summary"]
    assert ask("history_search", query="retry", kind="who")["data"]["authors"][0]["author"] == "Ada"


def test_a_search_shows_commits_beside_its_hits_only_if_asked(ask: Ask) -> None:
    data = ask("query_context", query="when did the retry limit change?", profile="debug")["data"]
    assert data["commits"][0]["subject"] == "Tune for slow networks"
    assert data["hits"]
    assert "commits" not in ask("query_context", query="where is the retry limit?", profile="debug")["data"]


@pytest.mark.parametrize("form", ["markdown", "xml", "text", "json"])
def test_a_pack_has_facts_of_history_where_the_task_asks(ask: Ask, shop: Repository, form: str) -> None:
    told = json.dumps(ask("context_pack", task="why is the retry limit five", format=form, max_tokens=3000)["data"])
    commit = shop.git("log", "-1", "--format=%h", "--abbrev=10", "--grep=Tune")
    assert commit in told
    assert "Tune for slow networks" in told
    without = ask("context_pack", task="retry limit five", format=form, max_tokens=3000)["data"]
    assert commit not in json.dumps(without)


def test_a_secret_in_a_changed_line_is_replaced(ask: Ask, shop: Repository) -> None:
    secret = "ghp_" + "a1B2" * 9
    shop.write("retry.py", f'{RETRY}RETRY_TOKEN = "{secret}"\n')
    shop.commit(DAY_1 + 600 * DAY, "Retry with a token")
    assert secret not in json.dumps(ask("history_search", query="when did the retry token change", profile="debug"))


def test_without_commits_it_says_so(tmp_path: Path) -> None:
    root = tmp_path / "new"
    root.mkdir()
    Repository(root).git("init", "-q")
    (root / "pay.py").write_text(PARSER, encoding="utf-8")
    with Engine.open(root) as engine:
        engine.index()
    with asking(root) as ask:
        assert ask("history_search", query="who knows the parser")["errorCode"] == "CLEW_E_UNAVAILABLE"
