"""Words of a question that stand nowhere: what was understood instead, and what is called almost so."""

import json
from typing import Any

import pytest

from clew.tools.answer import Caller, answer


def asked(caller: Caller, query: str, tool: str = "query_context") -> dict[str, Any]:
    told = {"task": query} if tool == "context_pack" else {"query": query}
    envelope: dict[str, Any] = json.loads(answer(caller, tool, told).body)
    return envelope


@pytest.mark.parametrize(
    ("query", "word"), [("Vualt", "Vualt"), ("where is a vualt opened", "vualt"), ("validate_tokne", "validate_tokne")]
)
def test_a_misspelt_name_is_told_with_those_that_are_near(caller: Caller, query: str, word: str) -> None:
    said = asked(caller, query)

    (near,) = said["data"]["near"].items()
    assert near[0] == word
    assert f"Did you mean {' or '.join(near[1])} rather than {word}?" in said["summary"]
    assert near[1][0] in ("Vault", "vault", "validate_token")


@pytest.mark.parametrize(
    ("query", "known"), [("wie wird ein Token geprüft", "Token"), ("怎么 关闭 vault", "vault"), ("怎么 关闭", "")]
)
def test_a_question_in_another_language_says_what_was_understood(caller: Caller, query: str, known: str) -> None:
    said = asked(caller, query)

    assert said["summary"].endswith("Ask in words that the files have, or by names.")
    assert (f"Understood: {known}." in said["summary"]) == bool(known)
    assert (len(said["data"]["hits"]) > 0) == bool(known)


def test_a_word_without_end_is_in_no_sentence(caller: Caller) -> None:
    assert asked(caller, "zeppelin" * 8)["summary"] == "Nothing found."


@pytest.mark.parametrize("tool", ["query_context", "context_pack", "graph_query", "hybrid_search"])
def test_all_that_search_suggest_and_none_corrects(caller: Caller, tool: str) -> None:
    said = asked(caller, "Vualt", tool)

    assert "Did you mean Vault rather than Vualt?" in said["summary"]
    assert not any(said["data"].get(name) for name in ("hits", "items", "results"))


def test_a_long_question_is_not_looked_through_for_misspelt_words(caller: Caller) -> None:
    words = "one two three four five six seven eight nine ten eleven twelve thirteen"

    assert "near" not in asked(caller, f"a token of the vualt {words}")["data"]
