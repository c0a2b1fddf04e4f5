"""Recency and churn rank files where the question asks for them, and nowhere else."""

from collections.abc import Iterator

import pytest

from clew.engine import Engine
from clew.model.search import Query
from clew.text.past_questions import TimeSignal, time_signal
from tests.conftest import DAY, DAY_1, Repository

LOGIN = "def login_{name}(user, password):\n    return check(user, password) + {body}\n"


@pytest.fixture
def engine(repository: Repository, backend: str) -> Iterator[Engine]:
    """Three files alike: one changed often and long ago, one lately, one never again."""
    day = 0

    def change(name: str, body: int) -> None:
        nonlocal day
        repository.write(f"auth/{name}.py", LOGIN.format(name="user", body=body))
        repository.commit(DAY_1 + day * DAY, "work")
        day += 1

    for name in ("b_still", "a_often", "c_lately"):
        change(name, 0)
    for body in range(1, 6):
        change("a_often", body)
    for number in range(60):
        repository.write("other.txt", f"{number}\n")
        repository.commit(DAY_1 + day * DAY, "notes")
        day += 1
    change("c_lately", 1)
    with Engine.open(repository.root) as opened:
        opened.index()
        yield opened


def ranked(engine: Engine, text: str) -> list[tuple[str, str]]:
    hits = engine.search(Query(text, 10)).hits
    reasons = [next((one.detail for one in hit.reasons if one.retriever == "git_history"), "") for hit in hits]
    return [(hit.path, reason) for hit, reason in zip(hits, reasons, strict=True) if hit.path.startswith("auth/")]


def test_what_changed_lately_or_often_comes_first_where_it_is_asked_for(engine: Engine) -> None:
    plain = ranked(engine, "login of a user with a password")
    assert plain[0][0] == "auth/a_often.py"  # all alike, so by path
    assert not any("ago" in reason or "often" in reason for _, reason in plain)
    recent = ranked(engine, "recent changes to the login of a user with a password")
    assert recent[0] == ("auth/c_lately.py", "its file changed in the newest commit")
    often = ranked(engine, "login of a user with a password that changes often")
    assert often[0][0] == "auth/a_often.py"
    assert "changes often (6 commits)" in often[0][1]


@pytest.mark.parametrize(
    ("text", "signal"),
    [
        ("recent changes to authentication", TimeSignal.RECENCY),
        ("what has changed in the parser lately", TimeSignal.RECENCY),
        ("which files change most often", TimeSignal.CHURN),
        ("hotspots of the storage layer", TimeSignal.CHURN),
        ("where is the retry limit", None),
        ("change the retry limit", None),
    ],
)
def test_a_question_asks_for_a_signal_by_its_words(text: str, signal: TimeSignal | None) -> None:
    assert time_signal(text) is signal
