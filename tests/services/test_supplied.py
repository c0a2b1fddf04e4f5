"""Facts that other programs supply, builds that are kept, summaries as nodes, and what builders and reviewers get."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from clew.engine import Engine
from clew.services.supplied import FILE
from clew.surfaces.service_client import ServiceGraphClient
from tests.conftest import Repository, clew
from tests.services.shop import FILES
from tests.services.test_services import data
from tests.surfaces.processes import CLEW
from tests.tools.asking import Ask, asking

INTERFACES = {
    "orders": {
        "endpoints": [
            {"method": "DELETE", "path": "/api/orders/{id}", "handler": "forget", "file_path": "orders/events.py"}
        ],
        "events_published": [{"event_name": "orders.archived", "channel": "archive"}],
        "events_consumed": ["payments.settled"],
    },
    "billing": {"endpoints": [{"method": "GET", "path": "/invoices"}], "events_published": ["payments.settled"]},
}
SERVICE_MAP = {
    "services": [
        {"name": "billing", "domain": "finance", "description": "Writes invoices.", "stack": {"language": "python"}},
        {"name": "orders", "domain": "sales", "estimated_loc": 1200},
    ]
}
DOMAIN_MODEL = {
    "entities": [
        {"name": "Invoice", "owning_service": "billing", "fields": [{"name": "id", "type": "string"}, "total"]},
        {"name": "Order", "owning_service": "orders", "description": "What a customer buys."},
    ],
    "relationships": [
        {"source_entity": "Invoice", "target_entity": "Order", "relationship_type": "REFERENCES", "cardinality": "1:1"}
    ],
}
CONTRACTS = [
    {
        "id": "c-1",
        "type": "openapi",
        "version": "2.1.0",
        "service_name": "billing",
        "status": "deprecated",
        "spec": {"openapi": "3.1.0", "info": {"title": "billing"}, "paths": {"/invoices/{id}": {"get": {}}}},
    },
    {"id": "c-2", "type": "asyncapi", "service_name": "billing", "spec": "{"},
]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    made = Repository(tmp_path_factory.mktemp("shop"))
    for path, text in FILES.items():
        made.write(path, text)
    with Engine.open(made.root, environ={}) as engine:
        engine.index()
    return made


@pytest.fixture(scope="module")
def ask(shop: Repository) -> Iterator[Ask]:
    with asking(shop.root) as asked:
        yield asked


@pytest.fixture
def supplied(ask: Ask) -> Iterator[dict[str, Any]]:
    inputs = {
        "service_interfaces_json": INTERFACES,
        "service_map_json": SERVICE_MAP,
        "domain_model_json": DOMAIN_MODEL,
        "contracts_json": CONTRACTS,
    }
    yield data(ask("build_knowledge_graph", **{name: json.dumps(value) for name, value in inputs.items()}))
    data(ask("build_knowledge_graph", **dict.fromkeys(inputs, "{}")))


def test_supplied_facts_are_joined_with_the_code(ask: Ask, supplied: dict[str, Any]) -> None:
    assert supplied["errors"] == ["contracts_json: the specification of c-2 is not readable."]
    assert "billing" in supplied["services_indexed"]
    orders = data(ask("get_service_context", service_name="orders"))
    rows = {(one["method"], one["path"], one["handler"]) for one in orders["provided_endpoints"]}
    assert rows >= {("DELETE", "/api/orders/{id}", "forget"), ("POST", "/api/orders", "place")}
    assert ("billing", "orders", "event", "payments.settled") in {
        (one["source"], one["target"], one["kind"], one["label"]) for one in data(ask("service_edges"))["edges"]
    }
    billing = data(ask("get_service_context", service_name="billing"))
    assert {(one["path"], one["contract_id"]) for one in billing["provided_endpoints"]} == {
        ("/invoices", "billing"),
        ("/invoices/{id}", "c-1"),
    }
    assert billing["owned_entities"] == [{"name": "Invoice", "fields": ["id: string", "total"]}]


def test_nodes_have_the_attributes_of_their_type(ask: Ask, supplied: dict[str, Any]) -> None:
    around = data(ask("query_graph_neighborhood", node_id="service::billing", radius=2))
    nodes = {one["id"]: one for one in [around["center_node"], *around["nodes"]]}
    service, contract = nodes["service::billing"], nodes["contract::c-1"]
    assert (service["domain"], service["description"]) == ("finance", "Writes invoices.")
    assert (contract["contract_type"], contract["version"], contract["status"]) == ("openapi", "2.1.0", "deprecated")
    endpoint = nodes["endpoint::billing::GET::/invoices/{id}"]
    assert (endpoint["method"], endpoint["path"], endpoint["service_name"]) == ("GET", "/invoices/{id}", "billing")
    assert json.loads(nodes["domain_entity::Invoice"]["fields_json"]) == ["id: string", "total"]
    assert all(one["community_id"] >= 0 for one in nodes.values())
    relations = {(one["source"], one["target"]): one["relation"] for one in around["edges"]}
    assert relations["domain_entity::Invoice", "domain_entity::Order"] == "DOMAIN_RELATIONSHIP"
    found = data(ask("query_graph_neighborhood", node_id="endpoint::orders::DELETE::/api/orders/{id}", radius=1))
    assert "symbol::orders/events.py::forget" in {one["id"] for one in found["nodes"]}


def test_an_unreadable_input_is_named_and_the_others_count(ask: Ask, shop: Repository) -> None:
    built = data(
        ask("build_knowledge_graph", service_interfaces_json="{not json", service_map_json='[{"name": "extra"}]')
    )
    (error,) = built["errors"]
    assert error.startswith("service_interfaces_json is not readable as JSON")
    assert "extra" in built["services_indexed"]
    assert (shop.root / ".clew" / FILE).is_file()
    built = data(ask("build_knowledge_graph", service_interfaces_json="{}", service_map_json="[]"))
    assert built["errors"] == []
    assert "extra" not in built["services_indexed"]


def test_a_recent_build_is_answered_again_only_if_asked_for(ask: Ask, shop: Repository) -> None:
    first = data(ask("build_knowledge_graph"))
    shop.write("extra/package.json", '{"name": "extra"}')
    shop.write("extra/server.js", "app.get('/extra', (request, response) => 1);\napp.listen(80);\n")
    again = data(ask("build_knowledge_graph", force_rebuild=False))
    assert again == {**first, "from_snapshot": True}
    assert "extra" in data(ask("build_knowledge_graph"))["services_indexed"]
    for path in ("extra/package.json", "extra/server.js"):
        shop.delete(path)


def test_a_build_older_than_300_seconds_is_made_anew(ask: Ask, shop: Repository) -> None:
    data(ask("build_knowledge_graph"))
    (kept,) = (shop.root / ".clew").rglob("services-build.json")
    build = json.loads(kept.read_bytes())
    kept.write_text(json.dumps({**build, "built_at": build["built_at"] - 301 * 1_000_000}))
    assert "from_snapshot" not in data(ask("build_knowledge_graph", force_rebuild=False))


def test_summaries_of_services_and_communities_are_nodes(ask: Ask) -> None:
    found = data(ask("query_graph_neighborhood", node_id="ctx::service::orders", radius=1))
    assert "## Graph RAG Context: orders" in found["center_node"]["summary"]
    assert [one["id"] for one in found["nodes"]] == ["service::orders"]
    hits = data(ask("hybrid_search", query="orders placed", node_types="service_context"))["results"]
    assert {"ctx::service::orders", "ctx::service::mailer"} <= {one["node_id"] for one in hits}
    hits = data(ask("hybrid_search", query="community files of orders", node_types="community_summary"))["results"]
    assert hits
    assert all("Key files:" in one["summary"] and "Relationships:" in one["summary"] for one in hits)
    hits = data(ask("hybrid_search", query="orders placed"))["results"]
    assert not [one for one in hits if one["node_id"].startswith("ctx::")]


def test_builders_get_the_context_of_their_service(ask: Ask, shop: Repository, tmp_path: Path) -> None:
    contexts = {one["service_name"]: one for one in data(ask("get_builder_contexts"))["contexts"]}
    assert set(contexts) == {"inventory", "mailer", "orders", "payments", "web"}
    assert "| POST | /payments | payments |" in contexts["orders"]["graph_rag_context"]
    target = tmp_path / "AGENTS.md"
    target.write_text("# Rules\n\nBe kind.\n")
    for _ in range(2):  # the second one replaces the section of the first
        assert clew("services", "builder", "orders", "--into", str(target), root=shop.root).returncode == 0
    assert target.read_text().startswith(
        "# Rules\n\nBe kind.\n\n<!-- clew:service orders -->\n## Graph RAG Context: orders"
    )
    assert target.read_text().count("Graph RAG Context") == 1


def test_dead_events_and_contracts_that_others_use_are_suppressed(ask: Ask, shop: Repository, tmp_path: Path) -> None:
    violations = [
        {"code": "ADV-001", "event_name": "orders.placed", "service_name": "mailer", "file_path": "mailer/app.rb"},
        {"code": "ADV-001", "file_path": "mailer/app.rb", "line": 5},  # orders.cancelled, which nobody publishes
        {"code": "ADV-002", "contract_id": "orders", "priority": "P2"},
        {"code": "ADV-002", "contract_id": "web"},
        {"code": "ADV-009", "file_path": "orders/models.py", "priority": "P2"},
    ]
    rows = data(ask("review_violations", violations=violations))["reviewed"]
    assert [one["suppressed"] for one in rows] == [True, False, True, False, False]
    assert rows[0]["reason"] == "orders publishes orders.placed."
    assert rows[2]["reason"] == "payments, web use orders."
    reached = rows[4]["total_impacted_nodes"]
    assert rows[4]["dependents"] == ["orders/main.py"]
    assert rows[4].get("raised", False) == (reached > 10)
    assert rows[4]["priority"] == ("P1" if reached > 10 else "P2")
    assert f"affects {reached} nodes, in other services:" in rows[4]["action"]
    file = tmp_path / "findings.json"
    file.write_text(json.dumps({"violations": violations}))
    done = clew("services", "review", str(file), root=shop.root)
    assert done.returncode == 7
    assert "3 left, 2 suppressed" in done.stdout


def test_a_wide_reach_raises_the_priority(ask: Ask, shop: Repository) -> None:
    calls = "".join(f"\n\ndef step_{number}():\n    return shared()\n" for number in range(12))
    shop.write("orders/shared_step.py", f"def shared():\n    return 1\n{calls}")
    (row,) = data(
        ask("review_violations", violations=[{"code": "X", "file_path": "orders/shared_step.py", "priority": "P1"}])
    )["reviewed"]
    assert (row["raised"], row["priority"]) == (True, "P0")
    shop.delete("orders/shared_step.py")


class BrokenSession:
    """Fails in the ways of a connection."""

    def __init__(self, errors: list[Exception]) -> None:
        self.errors = errors
        self.calls = 0

    async def call_tool(self, name: str, arguments: dict[str, Any], /) -> Any:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        envelope = {"ok": True, "data": {"total_events": 7}}
        return type("Result", (), {"content": [type("Text", (), {"text": json.dumps(envelope)})]})


def test_a_client_goes_on_without_the_graph() -> None:
    off = ServiceGraphClient(None)
    assert not off.is_available
    assert anyio.run(off.contexts) == {}
    switched_off = ServiceGraphClient(BrokenSession([]), enabled=False)
    assert anyio.run(switched_off.check_cross_service_events)["match_rate"] == 1.0
    failing = ServiceGraphClient(BrokenSession([ValueError("no such tool")]))
    found = anyio.run(failing.get_service_context, "orders")
    assert (found["service_name"], found["context_text"], found["error"]) == ("orders", "", "ValueError: no such tool")


def test_a_client_tries_again_if_the_connection_fails() -> None:
    session = BrokenSession([ConnectionError("reset"), TimeoutError("late")])
    assert anyio.run(ServiceGraphClient(session).check_cross_service_events)["total_events"] == 7
    assert session.calls == 3
    session = BrokenSession([ConnectionError("reset")] * 9)
    assert anyio.run(ServiceGraphClient(session).check_cross_service_events)["error"] == "ConnectionError: reset"
    assert session.calls == 3


def test_a_client_reads_the_contexts_of_all_services_over_mcp(shop: Repository) -> None:
    async def contexts() -> tuple[dict[str, str], dict[str, Any]]:
        environment = {**os.environ, "CLEW_BOOTSTRAP_ENABLED": "false"}
        server = StdioServerParameters(command=CLEW[0], args=[*CLEW[1:], "-C", str(shop.root), "mcp"], env=environment)
        async with Client(stdio_client(server)) as session:
            client = ServiceGraphClient(session)
            return await client.contexts(), await client.get_service_context("nobody")

    found, unknown = anyio.run(contexts)
    assert "### APIs This Service Must Consume" in found["orders"]
    assert "there is no service 'nobody'" in unknown["error"]
