"""The laws of fitting: inside the budget, never less for more, required fields always, whole strings always."""

import time
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.model.errors import BudgetExceeded
from clew.text.tokens import estimate
from clew.tools.budget import Budget, Priority, Row, Shape, fit, grow_lists, only, render
from clew.tools.metering import Meter

words = st.text(max_size=40)  # any script, emoji too
ladder = Shape(
    {"note": Priority.LOW, "more": Priority.MEDIUM, "most": Priority.HIGH},
    lambda data: [{**data, "items": data["items"][:n]} for n in range(len(data["items"]) + 1)],
)
answers = st.fixed_dictionaries(
    {"answer": words, "items": st.lists(words, max_size=8), "note": words, "more": words, "most": words}
)


def enveloped(data: dict[str, Any]) -> dict[str, Any]:
    return {"ok": True, "summary": "One sentence.", "profile": "compact", "_tokenEstimate": 0, "data": data}


def fitted(data: dict[str, Any], limit: int) -> dict[str, Any] | None:
    """The data that is shown, or None where what is required does not fit."""
    try:
        body = fit(enveloped(data), ladder, Budget("compact", limit))
    except BudgetExceeded:
        return None
    shown: dict[str, Any] = msgspec.json.decode(body)["data"]
    return shown


@given(words)
def test_the_estimate_in_an_answer_is_that_of_the_answer(text: str) -> None:
    body, tokens = render(enveloped({"text": text}))

    assert msgspec.json.decode(body)["_tokenEstimate"] == tokens
    assert 0 <= tokens - estimate(body.decode()) <= 2


@given(answers, st.integers(1, 400))
def test_an_answer_never_exceeds_its_budget(data: dict[str, Any], limit: int) -> None:
    try:
        body = fit(enveloped(data), ladder, Budget("compact", limit))
    except BudgetExceeded:
        return
    assert estimate(body.decode()) <= limit


@given(answers, st.integers(1, 400), st.integers(0, 200))
@example(
    {"answer": "", "items": ["", "", "", "xx", "xxx", "xxxx", "xxxx"], "note": "", "more": "", "most": "x"}, 56, 6
)  # one more item must not cost a field
def test_more_budget_never_shows_less(data: dict[str, Any], limit: int, more: int) -> None:
    less, full = fitted(data, limit), fitted(data, limit + more)

    if less is not None:
        assert full is not None
        assert full["items"][: len(less["items"])] == less["items"]
        assert less.keys() - {"fields_left_out"} <= full.keys()


@given(answers, st.integers(1, 400))
def test_what_is_required_is_never_dropped_and_nothing_is_cut(data: dict[str, Any], limit: int) -> None:
    shown = fitted(data, limit)

    if shown is not None:
        assert shown["answer"] == data["answer"]
        assert shown["items"] == data["items"][: len(shown["items"])]
        assert all(shown[name] == data[name] for name in ("note", "more", "most") if name in shown)


def test_fields_go_in_the_order_of_their_priority() -> None:
    data = {"answer": "a", "items": [], "note": "n" * 400, "more": "m" * 400, "most": "t" * 400}
    gone = [shown.get("fields_left_out", 0) for limit in (700, 500, 350, 150) if (shown := fitted(data, limit))]

    assert gone == [0, 1, 2, 3]


@pytest.mark.parametrize(("profile", "advice"), [("compact", "balanced"), ("balanced", "debug")])
def test_what_cannot_fit_is_an_error_that_advises_a_wider_profile(profile: Any, advice: str) -> None:
    with pytest.raises(BudgetExceeded, match="5 tokens") as caught:
        fit(enveloped({"answer": "a" * 100}), Shape(), Budget(profile, 5))

    assert (caught.value.code, caught.value.status, caught.value.exit_code) == ("CLEW_E_BUDGET_EXCEEDED", 422, 2)
    assert f"profile '{advice}'" in caught.value.hint
    enough = int(caught.value.hint.partition("max_tokens=")[2].split()[0])
    assert fit(enveloped({"answer": "a" * 100}), Shape(), Budget(profile, enough))


def test_without_a_limit_everything_is_shown() -> None:
    data = {"answer": "a", "items": ["x" * 1000] * 50, "note": "n", "more": "m", "most": "t"}

    assert msgspec.json.decode(fit(enveloped(data), ladder, Budget("debug", None)))["data"] == data


def test_of_a_long_list_no_more_is_made_than_what_may_fit() -> None:
    made = []

    def steps(data: Row) -> Iterator[Row]:
        for n in range(10_000):
            made.append(n)
            yield {"items": data["items"][:n]}

    data = {"items": ["a word"] * 10_000}
    kept = msgspec.json.decode(fit(enveloped(data), Shape(steps=steps), Budget("default", 200)))["data"]["items"]
    assert 0 < len(kept) < len(made) < 300


def test_lists_grow_row_by_row_the_first_one_first() -> None:
    grown = grow_lists("claims", "tasks", "absent")({"claims": [1, 2], "tasks": [3], "other": 4})
    steps = [deepcopy(step) for step in grown]

    assert steps[0] == {"claims": [], "tasks": [], "other": 4, "claims_left_out": 2, "tasks_left_out": 1}
    assert [(step["claims"], step["tasks"]) for step in steps[1:]] == [([1], []), ([1, 2], []), ([1, 2], [3])]
    assert steps[-1] == {"claims": [1, 2], "tasks": [3], "other": 4}


values = st.one_of(words, st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False), st.just({}), st.just([]))
rows = st.one_of(values, st.dictionaries(st.sampled_from(["id", "title", "n", ""]), values, max_size=4))


@given(words, st.lists(rows, max_size=6), st.lists(rows, max_size=4), values)
def test_every_version_is_priced_as_it_is_rendered(text: str, some: list[Any], more: list[Any], other: Any) -> None:
    def brief(row: Any) -> Any:
        return {"id": row["id"]} if isinstance(row, dict) and "id" in row else row

    steps = grow_lists("some", "more", forms={"some": (brief,), "more": (brief, lambda row: {"row": row})})
    envelope = {"ok": True, "summary": text, "_tokenEstimate": 0, "data": {}, "profile": "compact"}
    meter = Meter(envelope)

    for data in steps({"text": text, "some": some, "other": other, "more": more}):
        assert meter.tokens(data) == render({**envelope, "data": data})[1]


def test_long_lists_are_fitted_in_time_that_grows_with_their_length() -> None:
    tasks = [{"task_id": f"task-{n}", "title": f"Do the thing of number {n}", "status": "open"} for n in range(8_000)]
    data = {"tasks": tasks, "counts": {"open": len(tasks)}}
    shape = Shape({"counts": Priority.MEDIUM}, grow_lists("tasks", forms={"tasks": (only("task_id"),)}))
    began = time.process_time()
    shown = msgspec.json.decode(fit(enveloped(data), shape, Budget("default", 250_000)))["data"]

    assert len(shown["tasks"]) == len(tasks)
    assert 0 < sum("title" in task for task in shown["tasks"]) < len(tasks)
    assert time.process_time() - began < 20  # two minutes and more if every version is read as a whole
