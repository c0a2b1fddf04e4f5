"""Episodes kept and found again, on every backend."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from clew.engine import Engine
from clew.memory.copies import Archives
from clew.memory.ranking import FORMULA
from clew.memory.recall import Recall, RecallQuery
from clew.model.agents import Identity
from clew.model.errors import Conflict, InvalidInput, Unavailable
from clew.model.memory import Episode, EpisodeType
from clew.store.arrays import Array
from tests.conftest import DAY, DAY_1

from .telling import a_draft

ANN, BOB = Identity("ann", "s1"), Identity("bob", "s2")


def tell(engine: Engine, content: str, who: Identity = ANN, at: int = DAY_1, **more: Any) -> Episode:
    return engine.memory.journal.add(a_draft(content, occurred_at=at, **more), who, at)


def found(engine: Engine, text: str, **more: object) -> list[str]:
    return [hit.episode.draft.content for hit in engine.memory.recall.find(RecallQuery(text, **more))]  # type: ignore[arg-type]  # fields


def test_what_was_told_is_found_again_after_a_restart(engine: Engine) -> None:
    tell(engine, "the cache is cleared at login")
    tell(engine, "tokens expire after an hour", BOB)

    assert found(engine, "when do tokens expire")[0] == "tokens expire after an hour"
    with Engine.open(engine.place.root) as again:
        assert found(again, "when do tokens expire") == found(engine, "when do tokens expire")


def test_what_comes_later_or_from_another_process_is_found_too(engine: Engine) -> None:
    assert found(engine, "cache") == []
    with Engine.open(engine.place.root) as other:
        tell(other, "the cache is cold")

    assert found(engine, "cache") == ["the cache is cold"]


def test_a_decision_is_found_by_its_title_and_its_reasons(engine: Engine) -> None:
    told = {"title": "Decimal for money", "rationale": "floats lose cents", "tradeoffs": ["slower sums"]}
    tell(engine, "As agreed.", type=EpisodeType.DECISION, metadata={**told, "affected_files": ["zebra.py"]})
    error = {"error_type": "KeyError", "stack_summary": "in login"}
    tell(engine, "It failed.", BOB, type=EpisodeType.ERROR, metadata=error)

    assert found(engine, "why Decimal") == found(engine, "do floats round") == found(engine, "sums") == ["As agreed."]
    assert found(engine, "KeyError at login") == ["It failed."]


def test_what_is_sensitive_is_left_out_unless_asked_for(engine: Engine) -> None:
    tell(engine, "the key lies under the mat", sensitive=True)

    assert found(engine, "key mat") == []
    assert found(engine, "key mat", include_sensitive=True) == ["the key lies under the mat"]


def test_what_is_sensitive_brings_nothing_else_up_and_makes_nothing_older(engine: Engine) -> None:
    tell(engine, "the door is green")
    tell(engine, "the fence is blue", at=DAY_1 + DAY)
    told = engine.memory.recall.find(RecallQuery("green fence"))

    tell(engine, "the key of the green door lies under the mat", at=DAY_1 + 30 * DAY, sensitive=True)

    assert found(engine, "mat") == []
    assert engine.memory.recall.find(RecallQuery("green fence")) == told


def test_a_paraphrase_is_found_without_a_common_word(engine: Engine) -> None:
    tell(engine, "credentials are stored with a slow digest", Identity("eve", "s5"))
    tell(engine, "the suite fails now and then on win32", Identity("dan", "s4"))
    tell(engine, "the shopper was billed twice", Identity("cas", "s3"))

    assert found(engine, "duplicate payment charged to customer") == ["the shopper was billed twice"]
    assert found(engine, "flaky test") == ["the suite fails now and then on win32"]
    assert found(engine, "duplicate payment charged to customer", paraphrases=False) == []


def test_words_outrank_a_paraphrase(engine: Engine) -> None:
    tell(engine, "the shopper was billed twice", BOB)
    tell(engine, "a duplicate payment is refunded", Identity("cas", "s3"))

    assert found(engine, "duplicate payment charged to customer") == [
        "a duplicate payment is refunded",
        "the shopper was billed twice",
    ]


def test_what_clew_records_by_itself_ranks_below_what_agents_wrote(engine: Engine) -> None:
    told = {"claim_id": "c1", "target": "pay.py", "intent": "retry payments"}
    tell(engine, "pay.py (retry payments): payments are retried", key="claim-c1", metadata=told)
    closed = {"title": "Retry payments", "rationale": "retries", "tradeoffs": [], "affected_files": []}
    cas, kind = Identity("cas", "s3"), EpisodeType.DECISION
    tell(engine, "Retry payments: completed.", cas, type=kind, task_id="T1", key="task-T1-2", metadata=closed)
    tell(engine, "payments are only retried with the same key, and never more than three times", BOB)

    assert found(engine, "are payments retried")[0].startswith("payments are only retried")
    assert len(found(engine, "are payments retried")) == 3


def test_filters_hold(engine: Engine) -> None:
    tell(engine, "cache one", task_id="T1")
    tell(engine, "cache two", BOB, at=DAY_1 + DAY)
    tell(engine, "cache three", BOB, at=DAY_1 + 2 * DAY, type=EpisodeType.ERROR)

    assert found(engine, "cache", agent_id="ann") == ["cache one"]
    assert found(engine, "cache", task_id="T1") == ["cache one"]
    assert found(engine, "cache", types=(EpisodeType.ERROR,)) == ["cache three"]
    assert set(found(engine, "cache", since=DAY_1 + DAY)) == {"cache two", "cache three"}
    assert found(engine, "cache", agent_id="nobody") == []
    assert len(found(engine, "cache", limit=2)) == 2


def test_of_equal_words_the_newer_wins_and_the_code_asked_about_more(engine: Engine) -> None:
    tell(engine, "login is slow", Identity("a", "1"), at=DAY_1, entities=("a.py",))
    tell(engine, "login is slow", Identity("a", "2"), at=DAY_1 + 30 * DAY)

    newer, older = engine.memory.recall.find(RecallQuery("login slow"))
    assert newer.episode.occurred_at > older.episode.occurred_at
    (near, _) = engine.memory.recall.find(RecallQuery("login slow", entities=("a.py",)))
    assert (near.proximity, near.episode.occurred_at) == (1.0, DAY_1)


def test_the_formula_is_the_weighted_sum_of_its_parts(engine: Engine) -> None:
    tell(engine, "login is slow", entities=("a.py",))
    tell(engine, "login is fast", at=DAY_1 + 10 * DAY)

    for hit in engine.memory.recall.find(RecallQuery("login", entities=("a.py",), weights=FORMULA)):
        expected = 0.5 * hit.similarity + 0.3 * hit.recency + 0.2 * hit.proximity
        assert hit.score == pytest.approx(expected, abs=1e-5)


def test_age_counts_back_from_the_newest_episode_or_from_a_given_time(engine: Engine) -> None:
    tell(engine, "login is slow")

    (hit,) = engine.memory.recall.find(RecallQuery("login"))
    (later,) = engine.memory.recall.find(RecallQuery("login", now=DAY_1 + 14 * DAY))
    assert hit.recency == 1.0
    assert later.recency == pytest.approx(0.4966, abs=1e-3)


def test_an_embedder_moves_what_is_near_in_meaning_up(engine: Engine) -> None:
    tell(engine, "login word one", Identity("a", "1"))
    tell(engine, "login word two", Identity("a", "2"))

    def near(question: str, texts: Sequence[str]) -> Array:
        return np.array([float("two" in text) for text in texts])

    recall = Recall(engine.episodes, Archives(engine.episodes, None, ""), lambda: near)
    assert recall.find(RecallQuery("login word"))[0].episode.draft.content == "login word two"


def test_an_embedder_that_fails_leaves_the_words(engine: Engine) -> None:
    tell(engine, "login word one")

    def near(question: str, texts: Sequence[str]) -> Array:
        raise Unavailable("gone")

    recall = Recall(engine.episodes, Archives(engine.episodes, None, ""), lambda: near)
    assert len(recall.find(RecallQuery("login"))) == 1


def test_the_same_sentence_is_told_once_and_counted(engine: Engine) -> None:
    for number in range(4):
        tell(engine, "tokens expire  after an hour." if number % 2 else "Tokens expire after an hour", BOB)
    tell(engine, "tokens are text")
    hits = engine.memory.recall.find(RecallQuery("when do tokens expire", limit=2))

    said = [" ".join(hit.episode.draft.content.lower().rstrip(".").split()) for hit in hits]
    assert said == ["tokens expire after an hour", "tokens are text"]
    assert [hit.repeated for hit in hits] == [3, 0]


def test_an_episode_about_the_symbol_comes_before_one_about_its_file(engine: Engine) -> None:
    tell(engine, "the cache is for the file", entities=("src/pay.py",))
    tell(engine, "the cache is for the function", entities=("src/pay.py::charge",))

    assert found(engine, "the cache", entities=("src/pay.py::charge",))[0] == "the cache is for the function"


def test_what_an_agent_learned_is_a_learning_unless_it_is_sensitive(engine: Engine) -> None:
    kept = tell(engine, "charge takes cents", type=EpisodeType.LEARNING, entities=("src/pay.py::charge",))
    tell(engine, "the password is on the wall", type=EpisodeType.LEARNING, sensitive=True)
    (learning,) = engine.learnings.current(10)

    assert (learning.content, learning.evidence) == ("charge takes cents", (kept.id,))
    assert [one.id for one in learning.subjects] == ["src/pay.py::charge"]
    tell(engine, "charge takes cents", BOB, type=EpisodeType.LEARNING)
    (stronger,) = engine.learnings.current(10)
    assert (stronger.strength, stronger.confidence > learning.confidence) == (2, True)


def test_a_key_that_is_used_for_another_episode_is_refused(engine: Engine) -> None:
    tell(engine, "one", key="k")

    assert tell(engine, "one", key="k").number == 1
    with pytest.raises(Conflict, match="'k'"):
        tell(engine, "two", key="k")


def test_an_episode_without_words_is_refused(engine: Engine) -> None:
    with pytest.raises(InvalidInput, match="content"):
        tell(engine, "  ")


def test_files_that_metadata_names_are_linked_and_unknown_ids_are_kept(engine: Engine) -> None:
    kept = tell(engine, "renamed", type=EpisodeType.EDIT, entities=("nowhere.py::f",))

    assert [(one.id, one.is_known) for one in kept.subjects] == [("nowhere.py::f", False), ("a.py", False)]
