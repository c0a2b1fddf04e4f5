"""What clients send for arguments, and what is meant by it."""

import json
from typing import Any

import pytest

from clew.model.errors import InvalidInput
from clew.tools.registry import find


def parsed(name: str, /, **arguments: object) -> Any:
    return find(name).parse(arguments)


def test_null_is_what_was_left_out() -> None:
    """Clients that fill in every field of a schema send it."""
    nothing = {"agent_id": None, "types": None, "entities": None, "limit": None, "since": None, "project": None}
    nested = parsed("query_context", query="x", scope={"paths": None}, filters={"min_score": None, "max_tokens": 9})

    assert parsed("episode_recall", query="x", **nothing) == parsed("episode_recall", query="x")
    assert nested == parsed("query_context", query="x", scope={}, filters={"max_tokens": 9})
    with pytest.raises(InvalidInput, match=r"got `null` - at `\$.query`"):
        parsed("episode_recall", query=None)


@pytest.mark.parametrize(
    ("tool", "sent", "meant"),
    [
        ("episode_recall", {"limit": "3", "include_sensitive": "true"}, {"limit": 3, "include_sensitive": True}),
        ("episode_recall", {"limit": 3.0}, {"limit": 3}),
        ("episode_recall", {"types": "decision", "entities": "a.py"}, {"types": ["DECISION"], "entities": ["a.py"]}),
        ("episode_recall", {"types": '["edit", "test-result"]'}, {"types": ["EDIT", "TEST_RESULT"]}),
        ("query_context", {"scope": '{"excludePatterns": "a/*"}'}, {"scope": {"exclude_patterns": ["a/*"]}}),
        ("query_context", {"filters": {"minScore": "0.5"}}, {"filters": {"min_score": 0.5}}),
    ],
)
def test_what_is_plainly_meant_is_taken(tool: str, sent: dict[str, object], meant: dict[str, object]) -> None:
    assert parsed(tool, query="x", **sent) == parsed(tool, query="x", **meant)


def test_words_are_taken_in_other_letters_and_steps_as_json() -> None:
    sent = parsed("task_update", task_id="T", status="In Progress", plan='["a", {"text": "b", "state": "DONE"}]')

    assert sent == parsed("task_update", task_id="T", status="in_progress", plan=["a", {"text": "b", "state": "done"}])
    assert parsed("semantic_slice", symbol="f", context="WITH_DEPS").context == "with-deps"


def test_a_text_stays_a_text_whatever_it_looks_like() -> None:
    sent = parsed("episode_add", type="OBSERVATION", content='["not", "a list"]', task_id="null", key="3")

    assert (sent.content, sent.task_id, sent.key) == ('["not", "a list"]', "null", "3")
    assert parsed("task_update", task_id="T", plan=['{"text": "b"}']).plan == ('{"text": "b"}',)


@pytest.mark.parametrize("deep", [150, 330, 900])
def test_what_is_nested_without_end_is_refused(deep: int) -> None:
    metadata: dict[str, object] = {}
    for _ in range(deep):
        metadata = {"a": metadata}
    for sent in (metadata, json.dumps(metadata)):
        with pytest.raises(InvalidInput, match="nested more than 100 deep"):
            parsed("episode_add", type="error", content="x", metadata=sent)


@pytest.mark.parametrize("metadata", ["[1]", "{" * 100_000, "text", 5, ["a"]])
def test_what_cannot_be_meant_is_refused(metadata: object) -> None:
    with pytest.raises(InvalidInput, match=r"Expected `object`.* at `\$.metadata`"):
        parsed("episode_add", type="error", content="x", metadata=metadata)


def test_an_error_is_of_what_is_wrong_and_not_of_what_was_understood() -> None:
    with pytest.raises(InvalidInput, match="Expected `int` >= 1"):
        parsed("episode_recall", query="x", agent_id=None, limit="0")
    with pytest.raises(InvalidInput, match="it may be failure, partial, success"):
        parsed("episode_add", type="error", content="x", outcome="fine")
    with pytest.raises(InvalidInput, match=r"it may be .*done"):
        parsed("task_update", task_id="T", steps={"1": "finished"})


@pytest.mark.parametrize(
    ("tool", "sent", "told"),
    [
        (
            "query_context",
            {"query": "x", "scope": {"paths": ["*a"] * 200_000}},
            "`paths` has 200,000 elements; at most",
        ),
        ("query_context", {"query": "x", "scope": {"paths": ["a" * 4097]}}, "more than 4,096 characters|<= 4096"),
        ("task_update", {"task_id": "T-1", "title": "x", "plan": ["step"] * 500_000}, "`plan` has 500,000 elements"),
        ("task_update", {"task_id": "T-1", "title": "x", "plan": json.dumps(["s"] * 1001)}, "1,001 elements"),
        ("task_update", {"task_id": "T-1", "title": "x", "plan": ["x" * 2001]}, "2,?000"),
        ("task_update", {"task_id": "T-1", "steps": {str(n): "done" for n in range(1001)}}, "`steps` has 1,001"),
        ("episode_add", {"metadata": {"a": [[1] * 500] * 100}}, "more than 20,000 values"),
        ("episode_add", {"metadata": {"a": ["x" * 20_001]}}, "more than 20,000 characters"),
        ("impact_analyze", {"diff": "x" * 12_000_001}, "more than 12,000,000 characters"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_more_than_is_accepted_is_refused_by_its_limit(tool: str, sent: dict[str, object], told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        parsed(tool, **sent)
