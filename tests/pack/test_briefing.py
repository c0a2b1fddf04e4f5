"""A task's briefing: what stands in it, why, and what a larger budget may never lose."""

import json
from collections import Counter
from typing import get_args
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from clew.model.errors import BudgetExceeded, NotFound
from clew.pack.render import Format
from clew.surfaces.library import Workspace
from clew.text.tokens import estimate
from clew.tools.briefing_views import Briefing, PackItem

TASK = "reject a bearer token that is expired"

tasks = st.sampled_from([TASK, "audit", "令牌 token 🔐", "bundle token function", "zeppelin", "load from a file"])
formats = st.sampled_from(get_args(Format))
intents = st.sampled_from(["answer", "refactor", "impact", "summarize"])
on_one_index = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)


def packed(workspace: Workspace, task: str = TASK, **asked: object) -> Briefing:
    pack: Briefing = workspace.context_pack(task=task, **asked)
    return pack


def test_it_says_where_to_start_and_why_each_item_is_there(workspace: Workspace) -> None:
    pack = packed(workspace, max_tokens=2000)

    assert pack.entry_point == pack.items[0].symbol
    assert pack.summary().startswith(f"Start at {pack.entry_point}: ")
    assert {"tokens.py::is_expired", "tokens.py::validate_token"} <= {item.symbol for item in pack.items}
    assert all(item.reason for item in pack.items)
    for item in pack.items:
        assert f"{item.path}:{item.first_line}-{item.last_line}" in pack.text
        assert item.reason in pack.text


def test_who_calls_the_best_match_stands_around_it(workspace: Workspace) -> None:
    items = {item.symbol: item for item in packed(workspace, "is_expired", max_tokens=4000).items}

    assert items["gate.py::open_gate"].reason == "calls is_expired"
    assert items["gate.py::open_gate"].section == "dependencies"
    assert items["gate.py::open_gate"].ppr_score > 0


def test_an_interface_comes_with_what_implements_it(workspace: Workspace) -> None:
    items = {item.symbol: item for item in packed(workspace, "abstract Store", max_tokens=4000).items}

    assert "store.py::DiskStore" in items


def test_code_is_shown_once(workspace: Workspace) -> None:
    text = packed(workspace, "Store load save", max_tokens=8000).text

    assert text.count("self.files[token] = token") == 1


@pytest.mark.parametrize("focus", ["login.py::sign_in", "sign_in", "login.py:7"])
def test_what_the_request_names_comes_first(workspace: Workspace, focus: str) -> None:
    pack = packed(workspace, max_tokens=2000, focus=focus)

    assert pack.entry_point == "login.py::sign_in"
    assert pack.items[0].reason == "named in the request"


def test_a_file_can_be_named_and_what_is_not_there_is_said(workspace: Workspace) -> None:
    assert packed(workspace, max_tokens=2000, focus="gate.py").items[0].path == "gate.py"
    with pytest.raises(NotFound, match="sign_out"):
        packed(workspace, focus="sign_out")


def test_a_long_function_is_elided_by_whole_lines_and_says_how_many(workspace: Workspace) -> None:
    (item,) = (
        one for one in packed(workspace, "audit_token weigh", max_tokens=3000).items if one.label == "audit_token"
    )

    assert item.form == "elided"
    lines = item.code.splitlines()
    source = {line for text in [_source("audit.py")] for line in text.splitlines()}
    marks = [line for line in lines if line.startswith("… ")]
    assert all(line in source for line in lines if line not in marks)
    assert sum(int(mark.split()[1]) for mark in marks) + len(lines) - len(marks) == item.last_line - item.first_line + 1


def _source(name: str) -> str:
    from tests.pack.conftest import FILES

    return FILES[name]


def test_what_was_left_out_is_counted_with_its_price(workspace: Workspace) -> None:
    small, all_of_it = packed(workspace, max_tokens=300), packed(workspace, max_tokens=1_000_000)

    assert small.left_out.items + len(small.items) == len(all_of_it.items)
    assert small.left_out.tokens > 10_000
    assert f"Left out: {small.left_out.items} more items" in small.text
    assert (all_of_it.left_out.items, all_of_it.left_out.tokens) == (0, 0)
    assert "Left out" not in all_of_it.text


def test_a_task_that_nothing_matches_says_so(workspace: Workspace) -> None:
    pack = packed(workspace, "zeppelin")

    assert (pack.items, pack.entry_point) == ((), "")
    assert pack.summary() == "Nothing here matches the task. Nowhere in this project: zeppelin."
    assert pack.unknown_words == ("zeppelin",)


@on_one_index
@given(tasks, st.integers(50, 100_000), formats, intents)
@example(TASK, 50, "markdown", "answer")
@example(TASK, 50, "xml", "answer")
def test_no_pack_exceeds_its_budget(workspace: Workspace, task: str, budget: int, format: Format, intent: str) -> None:
    pack = packed(workspace, task, max_tokens=budget, format=format, intent=intent)

    assert estimate(pack.text) == pack.token_estimate <= budget


@on_one_index
@given(tasks, st.integers(50, 6000), st.integers(0, 6000), formats, intents)
def test_a_larger_budget_never_loses_an_item(
    workspace: Workspace, task: str, budget: int, more: int, format: Format, intent: str
) -> None:
    small = packed(workspace, task, max_tokens=budget, format=format, intent=intent)
    large = packed(workspace, task, max_tokens=budget + more, format=format, intent=intent)

    assert [item.symbol for item in large.items[: len(small.items)]] == [item.symbol for item in small.items]


@on_one_index
@given(tasks, st.integers(50, 6000), st.integers(0, 6000), formats, intents)
@example(TASK, 400, 150, "markdown", "answer")
def test_a_larger_budget_never_loses_a_line_of_code(
    workspace: Workspace, task: str, budget: int, more: int, format: Format, intent: str
) -> None:
    small = packed(workspace, task, max_tokens=budget, format=format, intent=intent)
    large = packed(workspace, task, max_tokens=budget + more, format=format, intent=intent)

    for one, other in zip(small.items, large.items, strict=False):
        assert lines_of(one) <= lines_of(other)


def lines_of(item: PackItem) -> Counter[str]:
    """How often it shows which line of code."""
    return Counter(line for line in item.code.splitlines() if not line.lstrip().startswith("… "))


def test_too_little_for_even_an_empty_pack_is_said(workspace: Workspace) -> None:
    with pytest.raises(BudgetExceeded):
        packed(workspace, max_tokens=3)


@on_one_index
@given(tasks, st.integers(100, 20_000))
def test_xml_can_be_parsed_and_holds_the_code(workspace: Workspace, task: str, budget: int) -> None:
    pack = packed(workspace, task, max_tokens=budget, format="xml")
    root = ElementTree.fromstring(pack.text)

    assert root.tag == "project_context"
    told = {(s.get("path"), s.get("lines"), s.get("label")): s.text or "" for s in root.iter("snippet")}
    for item in pack.items:
        shown = item.code or item.signature
        assert told[item.path, f"{item.first_line}-{item.last_line}", item.label].strip() == shown.strip()


def test_in_xml_a_file_s_snippets_stand_together(workspace: Workspace) -> None:
    root = ElementTree.fromstring(packed(workspace, max_tokens=4000, format="xml").text)
    paths = [snippet.get("path") for snippet in root.iter("snippet")]

    assert len([a for a, b in zip([None, *paths], paths, strict=False) if a != b]) == len({*paths})


def test_json_is_an_object_a_line(workspace: Workspace) -> None:
    pack = packed(workspace, max_tokens=2000, format="json")
    first, *rest, last = [json.loads(line) for line in pack.text.splitlines()]

    assert first == {"summary": pack.summary()}
    assert {row["symbol"] for row in rest} == {item.symbol for item in pack.items}
    assert "left_out" in last


def test_markdown_fences_are_longer_than_those_in_the_code(workspace: Workspace) -> None:
    text = packed(workspace, "prüfe_token 令牌", max_tokens=2000).text

    assert "`````python\ndef prüfe_token" in text


def test_a_plain_question_is_answered_by_code_more_than_by_what_is_around_it(workspace: Workspace) -> None:
    asked = "how is it that a bearer token that is expired is rejected"

    def around(task: str) -> float:
        items = packed(workspace, task, max_tokens=720).items
        return sum(item.section == "dependencies" for item in items) / len(items)

    assert 0 < around(asked) <= around(asked.removeprefix("how is it that ")) < 0.25
