"""Every tool is declared once, described in full, and offered by toolset."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import jsonschema  # type: ignore[import-untyped]  # it carries no types; the MCP SDK brings it
import msgspec
import pytest
from msgspec import Meta

from clew.engine import Engine
from clew.model.errors import InvalidInput, NotFound
from clew.tools import TOOLS, Tool, registry
from clew.tools.registry import CORE, MODULES, TOOLSETS, Effect, find, select, tool

FOLDER = Path(registry.__file__).parent

every_tool = pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)


class Noted(msgspec.Struct, frozen=True):
    note: str

    def summary(self) -> str:
        return f"Noted: {self.note}."


def keep_note(engine: Engine, note: Annotated[str, Meta(description="What to keep.")]) -> Noted:
    """Keep a note."""
    return Noted(note)


@pytest.fixture
def writer() -> Iterator[Tool]:
    """A tool that writes, for as long as the test runs."""
    tool(Effect.WRITE)(keep_note)
    yield TOOLS["keep_note"]
    del TOOLS["keep_note"]


def descriptions(schema: dict[str, object]) -> Iterator[tuple[str, bool]]:
    """Every parameter of a schema, nested ones too, and whether it is described."""
    properties = schema.get("properties", {})
    assert isinstance(properties, dict)
    for name, about in properties.items():
        yield name, any("description" in one for one in (about, *about.get("anyOf", ())))
    definitions = schema.get("$defs", {})
    assert isinstance(definitions, dict)
    for definition in definitions.values():
        yield from descriptions(definition)


@every_tool
def test_a_limit_of_results_states_its_default(tool: Tool) -> None:
    for name, about in tool.brief["properties"].items():
        if name in ("k", "limit", "n_results", "max_nodes"):
            assert about.get("default") or "default" in about["description"].lower(), name


@every_tool
def test_every_parameter_is_described(tool: Tool) -> None:
    assert [name for name, described in descriptions(tool.schema) if not described] == []


@every_tool
def test_every_summary_fits_one_line(tool: Tool) -> None:
    assert len(tool.about.splitlines()) == 1
    assert len(tool.about) <= 100


@every_tool
def test_every_schema_is_json_schema_that_refuses_what_it_does_not_know(tool: Tool) -> None:
    jsonschema.Draft202012Validator.check_schema(tool.schema)

    assert tool.schema["type"] == "object"
    assert tool.schema["additionalProperties"] is False
    assert {"project", "profile", "max_tokens"} <= tool.schema["properties"].keys()


@every_tool
def test_a_brief_schema_has_the_same_parameters_in_fewer_bytes(tool: Tool) -> None:
    jsonschema.Draft202012Validator.check_schema(tool.brief)

    paged = {"offset"} if tool.shape.pages else set()
    unlisted = {"project", "profile", "repeat", *paged, *({"as_of", "known_as_of"} & tool.schema["properties"].keys())}
    assert tool.schema["properties"].keys() - tool.brief["properties"].keys() == unlisted
    assert tool.brief.get("required", []) == tool.schema.get("required", [])
    assert [name for name, described in descriptions(tool.brief) if not described] == []
    assert len(json.dumps(tool.brief)) < len(json.dumps(tool.schema))


# Tools that read and answer of no time: two compare times that they take as since and until, one returns a pack as it
# was written, one reports a running job, two list and call tools, one names the project, two serve a session or an edit
# that begins now.
TIMELESS = frozenset(
    "diff_since service_changes context_pack_get get_rebuild_status tools_search tools_call graph_set_workspace prime "
    "edit_context".split()
)


def test_every_reading_tool_answers_about_the_past() -> None:
    reading = {name: tool for name, tool in TOOLS.items() if tool.effect is Effect.READ}
    git_alone = {
        "transactions",
        "history_search",
        "symbol_history",
        "symbol_blame",
    }  # git has one clock, a run likewise

    def taking(time: str) -> set[str]:
        return {name for name, tool in reading.items() if time in tool.schema["properties"]}

    assert reading.keys() - taking("as_of") == TIMELESS & reading.keys()
    assert taking("as_of") - taking("known_as_of") == git_alone


def test_a_schema_and_the_check_of_arguments_agree() -> None:
    schema = TOOLS["query_context"].schema
    good = {"query": "token", "k": 3, "scope": {"paths": ["a"]}, "filters": {"min_score": 0.5, "max_tokens": 9}}

    jsonschema.validate(good, schema)
    TOOLS["query_context"].parse(good)
    for bad in ({**good, "k": 0}, {**good, "scope": {"path": []}}, {"k": 3}, {**good, "profile": "huge"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, schema)
        with pytest.raises(InvalidInput):
            TOOLS["query_context"].parse(bad)


def test_core_is_what_the_design_names_as_far_as_it_exists() -> None:
    assert [tool.name for tool in select(("core",), read_only=False)] == [
        "context_pack",
        "query_context",
        "semantic_slice",
        "code_explain",
        "impact_analyze",
        "diff_since",
        "episode_add",
        "episode_recall",
        "agent_claim",
        "agent_release",
        "tools_search",
        "tools_call",
    ]
    assert {tool.name for tool in select(("core",), read_only=False)} <= set(CORE)


def test_toolsets_add_up_and_all_is_everything() -> None:
    code = {tool.name for tool in select(("code",), read_only=False)}
    context = {tool.name for tool in select(("context",), read_only=False)}

    assert code == {
        "code_explain",
        "query_graph_neighborhood",
        "hybrid_search",
        "graph_query",
        "community_list",
        "project_map",
        "graph_rebuild",
        "graph_health",
        "graph_set_workspace",
        "diff_since",
        "symbol_history",
        "symbol_blame",
        "transactions",
        "history_search",
    }
    assert context == {
        "prime",
        "edit_context",
        "context_pack",
        "context_pack_create",
        "context_pack_get",
        "cancel_rebuild",
        "get_context_stats",
        "get_rebuild_status",
        "rebuild_context",
        "refresh_context",
        "summarize_code",
        "query_context",
        "semantic_slice",
    }
    assert {tool.name for tool in select(("code", "context"), read_only=False)} == code | context
    assert {tool.name for tool in select(("all",), read_only=False)} == set(TOOLS)


def test_every_module_that_declares_a_tool_is_loaded_and_every_toolset_has_its_place() -> None:
    declaring = {file.stem for file in FOLDER.glob("*.py") if "\n@tool(" in file.read_text("utf-8")}

    assert declaring == set(MODULES)
    assert {tool.toolset for tool in TOOLS.values()} == set(TOOLSETS)


def test_tools_come_in_the_same_order_whichever_was_asked_for_first() -> None:
    code = "from clew.tools import TOOLS; TOOLS[{!r}]; print(*TOOLS)"
    first, second = (
        subprocess.run([sys.executable, "-c", code.format(name)], capture_output=True, text=True, check=True).stdout
        for name in ("query_context", "code_explain")
    )

    assert first == second
    assert first.split()[0] == "code_explain"


def test_finding_a_tool_loads_no_more_than_it_needs() -> None:
    code = "import sys; from clew.tools import find; find('query_context'); print('clew.tools.code' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"


def test_an_unknown_toolset_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="cide") as caught:
        select(("core", "cide"), read_only=False)

    assert "code, context, core" in caught.value.hint


def test_reading_only_drops_what_writes(writer: Tool) -> None:
    assert writer in select(("all",), read_only=False)
    assert writer not in select(("all",), read_only=True)
    assert writer in select((writer.toolset,), read_only=False)


def test_a_tool_that_is_declared_twice_fails(writer: Tool) -> None:
    with pytest.raises(ValueError, match="keep_note"):
        tool(Effect.WRITE)(keep_note)


def test_a_tool_that_says_nothing_of_itself_fails() -> None:
    def silent(engine: Engine) -> Noted:
        return Noted("")

    with pytest.raises(ValueError, match="silent"):
        tool(Effect.READ)(silent)
    assert "silent" not in TOOLS


def test_an_unknown_tool_is_answered_with_the_near_ones() -> None:
    with pytest.raises(NotFound) as caught:
        find("query_contxt")

    assert "query_context" in caught.value.hint


def test_a_tool_that_is_like_no_other_leads_to_the_search() -> None:
    with pytest.raises(NotFound) as caught:
        find("zzz")

    assert "tools_search" in caught.value.hint


def test_bad_arguments_name_the_tool_and_the_field() -> None:
    with pytest.raises(InvalidInput, match=r"query_context: .*\$\.scope\.kinds") as caught:
        find("query_context").parse({"query": "token", "scope": {"kinds": 5}})
    assert caught.value.hint.startswith("kinds: "), "what it is for"

    with pytest.raises(InvalidInput, match=r"query_context: .*missing required field") as caught:
        find("query_context").parse({})
    assert caught.value.hint.startswith("Arguments of query_context: query, [k]")


def test_a_text_that_is_empty_or_too_long_is_told_as_such() -> None:
    for text, said in (
        ("", "query_context: `query` is empty"),
        ("x" * 1_000_001, "has more than 1,000,000 characters"),
    ):
        with pytest.raises(InvalidInput, match=said) as caught:
            find("query_context").parse({"query": text})
        assert caught.value.hint.startswith("query: "), "what it is for"


def test_an_unknown_argument_is_answered_with_the_near_one() -> None:
    with pytest.raises(InvalidInput, match=r"`querry`.*did you mean `query`"):
        find("query_context").parse({"querry": "token"})


def test_camel_case_is_read_at_every_depth() -> None:
    tool = find("query_context")
    camel = {"query": "t", "maxTokens": 9, "scope": {"excludePatterns": ["x"]}, "filters": {"minScore": 0.5}}
    snake = {"query": "t", "max_tokens": 9, "scope": {"exclude_patterns": ["x"]}, "filters": {"min_score": 0.5}}

    assert tool.parse(camel) == tool.parse(snake)


def test_one_argument_in_two_spellings_is_refused() -> None:
    with pytest.raises(InvalidInput, match="'max_tokens' is given twice"):
        find("query_context").parse({"query": "t", "max_tokens": 9, "maxTokens": 9})


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("semantic_slice", {"context": "whole"}, "at `$.context`; it may be body, full, signature, with-deps"),
        ("query_context", {"query": "x", "profile": "tiny"}, "at `$.profile`; it may be balanced, compact, debug"),
        ("episode_recall", {"query": "x", "types": ["edits", "EDIT"]}, "at `$.types[0]`; it may be DECISION, EDIT, "),
        ("query_context", {"query": "x", "filters": {"max_tokns": 9}}, "at `$.filters`; did you mean `max_tokens`?"),
    ],
)
def test_a_value_that_is_none_of_a_few_is_told_which_it_may_be(
    name: str, arguments: dict[str, object], said: str
) -> None:
    with pytest.raises(InvalidInput) as raised:
        find(name).parse(arguments)

    assert said in raised.value.message
