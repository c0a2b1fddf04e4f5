"""What a term says is kept for words that many documents hold, and is the same as when it is made anew."""

import pytest

from clew.retrieve import lexical
from clew.retrieve.lexical import Impacts, look_up
from clew.retrieve.question import Word
from clew.store.postings import Field
from tests.retrieve.test_lexical import corpus

WORLD = corpus(*({Field.CODE: f"login token {'card ' * i}user", Field.NAME: "login" * (i % 2)} for i in range(9)))
TERMS = {one.word.text: one.at for one in look_up(WORLD, {t: Word(t, 1.0) for t in ("login", "token", "card", "user")})}


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Impacts:
    """With room for two terms that all nine hold."""
    monkeypatch.setattr(lexical, "KEPT", 2)
    return Impacts(WORLD, 0.0)


def test_a_term_that_many_hold_is_made_once(kept: Impacts) -> None:
    assert kept.of(TERMS["login"]) is kept.of(TERMS["login"])


def test_a_term_that_few_hold_is_not_kept(kept: Impacts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexical, "OFTEN", 2.0)
    rarely = Impacts(WORLD, 0.0)

    assert rarely.of(TERMS["login"]) is not rarely.of(TERMS["login"])


def test_the_last_asked_for_stay(kept: Impacts) -> None:
    login, token = kept.of(TERMS["login"]), kept.of(TERMS["token"])
    assert kept.of(TERMS["login"]) is login
    kept.of(TERMS["user"])

    assert kept.of(TERMS["login"]) is login
    assert kept.of(TERMS["token"]) is not token


def test_what_is_kept_is_what_would_be_made(kept: Impacts) -> None:
    for _ in range(2):
        for term in TERMS.values():
            held, made = kept.of(term), Impacts(WORLD, 0.0).of(term)
            assert [one.tolist() for one in held.documents] == [one.tolist() for one in made.documents]
            assert [one.tolist() for one in held.shares] == [one.tolist() for one in made.shares]
            assert held.frequency == made.frequency
