"""Every list that an answer shortens can be read on: no tool reports a total that nobody can reach."""

from collections.abc import Iterator
from typing import Any

import pytest

from clew.engine import Engine
from clew.tools import TOOLS
from clew.tools.registry import Effect
from tests.conftest import DAY, DAY_1, Repository
from tests.tools.asking import Ask, asking

MANY = 20
SMALL = 400  # tokens

# A question to each tool that reads and lists; `symbol_blame` and others of one file answer likewise.
CALLS: dict[str, dict[str, Any]] = {
    "agent_status": {"agent_id": "ann"},
    "blocking_issues": {"limit": 100},
    "community_list": {},
    "coordination_overview": {},
    "decision_query": {"query": "payment", "limit": 100},
    "diff_since": {"since": "HEAD~1", "types": ["function"]},
    "episode_recall": {"query": "payment", "limit": 100},
    "feature_status": {"feature_id": "pay"},
    "graph_query": {"query": "callers of pay", "limit": 100},
    "history_search": {"query": "commits about payment", "limit": 100},
    "hybrid_search": {"query": "pay", "n_results": 50},
    "impact_analyze": {"symbols": ["hub.py::pay"], "limit": 100},
    "notes": {"limit": 100},
    "progress_query": {"limit": 100},
    "query_context": {"query": "pay card", "k": 100},
    "query_graph_neighborhood": {"node_id": "hub.py::pay", "max_nodes": 100},
    "semantic_slice": {"symbol": "hub.py::pay", "context": "with-deps"},
    "service_edges": {},
    "service_list": {},
    "symbol_blame": {"element": "hub.py::long"},
    "symbol_history": {"element": "hub.py::pay"},
    "test_categorize": {"limit": 100},
    "test_select": {"symbols": ["hub.py::pay"], "limit": 100},
    "transactions": {"limit": 100},
}
BESIDE = (
    "edges",
    "changed",
    "claims",
    "direct_tests",
    "transitive_tests",
)  # of the rows shown, or listed by tools of their own
# Tools that list rows and have no pages, and why.
WITHOUT = {
    "build_knowledge_graph": "counts by kind",
    "causal_expand": "the handle has all nodes; `linearize_context` shows more of them",
    "context_pack": "`left_out` names what comes next; a larger budget shows it",
    "context_pack_create": "a pack is a whole; `context_pack_get` returns its larger forms",
    "context_pack_get": "likewise",
    "edit_context": "as many lines as the budget holds; counts the others",
    "entity_lookup": "as `causal_expand`",
    "get_context_stats": "counts",
    "get_rebuild_status": "one job",
    "get_service_context": "one service; lists come whole or are counted",
    "get_statistics": "counts",
    "graph_health": "counts, and the few files that failed",
    "linearize_context": "`max_nodes` shows more",
    "prime": "as many lines as the budget holds; counts the others",
    "project_map": "one page; a larger budget shows more of each part",
    "reflect": "patterns, at most a handful",
    "subgraph_merge": "as `causal_expand`",
    "temporal_expand": "as `causal_expand`",
    "tools_call": "answers as the tool that it calls",
}


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """A project with many of everything."""
    root = tmp_path_factory.mktemp("paging")
    repository = Repository(root)
    repository.git("init", "-q")
    long = "".join(f"    step_{i} = {i}\n" for i in range(MANY))
    repository.write("hub.py", f"def pay(card):\n    return card\n\n\ndef long():\n{long}")
    for i in range(MANY):
        repository.write(f"service_{i}/Dockerfile", "FROM python\nEXPOSE 80\n")
    repository.commit(at=DAY_1, message="Add payment")
    for i in range(MANY):
        repository.write(f"part_{i}.py", f"from hub import pay\n\n\ndef pay_card_{i}(card):\n    return pay(card)\n")
        test = f"from part_{i} import pay_card_{i}\n\n\ndef test_pay_{i}():\n    assert pay_card_{i}(1)\n"
        repository.write(f"tests/test_part_{i}.py", test)
    links = [f"    depends_on: [service_{i - 1}]\n" if i else "" for i in range(MANY)]
    parts = "".join(f"  service_{i}:\n    build: ./service_{i}\n{links[i]}" for i in range(MANY))
    repository.write("compose.yaml", f"services:\n{parts}")
    repository.commit(at=DAY_1 + DAY, message="Pay everywhere")
    with Engine.open(root, environ={}) as engine:
        engine.index()
    with asking(root) as asked:
        for i in range(MANY):
            who = {"agent_id": "ann", "session_id": "s1"}
            asked("episode_add", type="OBSERVATION", content=f"payment {i} was seen", **who)
            asked("task_update", task_id=f"T{i}", title=f"Pay {i}", feature="pay", status="blocked", **who)
            asked("agent_claim", target_id=f"part_{i}.py", **who)
            asked("notes", change="keep", content=f"note {i}", name=f"n{i}", scope="shared", **who)
        yield asked


def rows(data: dict[str, Any], name: str) -> list[Any]:
    found = data.get(name, [])
    return found if isinstance(found, list) else []


def test_every_tool_that_lists_has_pages_or_a_reason() -> None:
    listing = {name for name, tool in TOOLS.items() if tool.effect is Effect.READ and not tool.shape.pages}

    assert listing - WITHOUT.keys() - {"graph_set_workspace"} == set()


@pytest.mark.parametrize("tool", sorted(CALLS))
def test_what_a_small_answer_leaves_out_is_on_later_pages(ask: Ask, tool: str) -> None:
    whole = ask(tool, **CALLS[tool])["data"]
    small = ask(tool, **CALLS[tool], max_tokens=SMALL)["data"]
    pages = TOOLS[tool].shape.pages
    cut = {name for name, value in whole.items() if 0 < len(rows(small, name)) < len(rows(whole, name))}
    assert cut - {*pages, *BESIDE} == set()
    wanted = {name: len(rows(whole, name)) for name in pages}
    seen, offset = dict.fromkeys(pages, 0), 0
    while seen != wanted:
        page = ask(tool, **CALLS[tool], max_tokens=SMALL, offset=offset)
        shown = {name: len(rows(page["data"], name)) for name in pages}
        assert sum(shown.values()), f"after {offset}: {seen} of {wanted}"
        seen = {name: min(seen[name] + shown[name], wanted[name]) for name in pages}
        offset += sum(shown.values())


def test_callers_in_a_short_explanation_are_read_on(ask: Ask) -> None:
    seen: list[str] = []
    while len(seen) < MANY:
        data = ask("code_explain", element="hub.py::pay", profile="compact", offset=len(seen))["data"]
        seen += data.get("used_by") or [f"{one['id']}:{one['line']}" for one in data["dependents"]]

    assert sorted(seen) == sorted(f"part_{i}.py::pay_card_{i}:5" for i in range(MANY))


def test_a_change_of_many_places_still_lists_what_it_affects(ask: Ask) -> None:
    parts = [f"part_{i}.py::pay_card_{i}" for i in range(MANY)]
    data = ask("impact_analyze", symbols=["hub.py::pay", *parts[1:]], profile="compact")["data"]

    assert data["impacted"] and data["direct_tests"] and data["changed"]


def test_the_summary_of_a_later_page_is_about_all(ask: Ask) -> None:
    first, later = (ask("coordination_overview", offset=offset) for offset in (0, 10))

    assert first["summary"] == later["summary"]
    assert len(first["data"]["active_claims"]) - 10 == len(later["data"]["active_claims"])
