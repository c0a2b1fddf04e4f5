"""The service graph of a shop of five services: what is found, and what the tools answer."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.engine import Engine
from tests.conftest import Repository, clew
from tests.services.shop import FILES
from tests.tools.asking import Ask, asking


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


def data(envelope: dict[str, Any]) -> dict[str, Any]:
    assert envelope.get("ok", True), envelope
    found: dict[str, Any] = envelope["data"]
    return found


def edges(ask: Ask, **arguments: object) -> dict[tuple[str, str, str, str], tuple[str, int]]:
    rows = data(ask("service_edges", **arguments))["edges"]
    return {
        (one["source"], one["target"], one["kind"], one["label"]): (one["evidence"]["path"], one["evidence"]["line"])
        for one in rows
    }


def test_services_are_found_with_their_folder_and_role(ask: Ask) -> None:
    rows = {one["name"]: one for one in data(ask("service_list"))["services"]}
    assert {name: (one["path"], one["role"]) for name, one in rows.items()} == {
        "db": ("", "database"),
        "inventory": ("inventory", "service"),
        "kafka": ("", "broker"),
        "mailer": ("mailer", "service"),
        "orders": ("orders", "service"),
        "payments": ("payments", "service"),
        "web": ("web", "service"),
    }
    assert rows["orders"]["evidence"] == {"path": "compose.yaml", "line": 7, "kind": "compose"}
    assert rows["orders"]["stack"] == ["python", "fastapi"]


def test_requests_lead_to_the_endpoints_that_answer_them(ask: Ask) -> None:
    found = edges(ask, kinds=["http"])
    assert found == {
        ("web", "orders", "http", "POST /api/orders"): ("web/src/client.ts", 6),
        ("web", "orders", "http", "GET /api/orders/{order_id}"): ("web/src/client.ts", 10),
        ("orders", "payments", "http", "POST /payments"): ("orders/main.py", 22),
        ("payments", "orders", "http", "GET /api/orders/{order_id}"): (
            "payments/src/main/java/shop/OrderClient.java",
            6,
        ),
    }


def test_remote_calls_name_the_method_and_the_line(ask: Ask) -> None:
    assert edges(ask, kinds=["grpc"]) == {
        ("orders", "inventory", "grpc", "shop.Inventory/Reserve"): ("orders/main.py", 20)
    }


def test_a_topic_in_another_file_connects_publisher_and_consumer(ask: Ask) -> None:
    found = edges(ask, kinds=["event"])
    assert found == {("orders", "mailer", "event", "orders.placed"): ("orders/events.py", 11)}


def test_databases_and_brokers_are_found_by_their_addresses(ask: Ask) -> None:
    found = {key[:3] for key in edges(ask, kinds=["database", "messaging"])}
    assert found == {
        ("orders", "db", "database"),
        ("orders", "kafka", "messaging"),
        ("mailer", "kafka", "messaging"),
    }


def test_tests_are_no_part_of_the_system(ask: Ask) -> None:
    assert not [key for key in edges(ask) if key[0] == "mailer" and key[1] == "payments"]


def test_the_context_of_a_service_tells_both_sides(ask: Ask) -> None:
    found = data(ask("get_service_context", service_name="orders"))
    provided = {(one["method"], one["path"], one["handler"]) for one in found["provided_endpoints"]}
    assert provided == {("POST", "/api/orders", "place"), ("GET", "/api/orders/{order_id}", "show")}
    assert {(one["method"], one["path"], one["provider_service"]) for one in found["consumed_endpoints"]} == {
        ("GRPC", "/shop.Inventory/Reserve", "inventory"),
        ("POST", "/payments", "payments"),
    }
    assert found["depended_on_by"] == ["payments", "web"]
    assert [one["name"] for one in found["owned_entities"]] == ["Order"]
    assert "| POST | /payments | payments |" in found["context_text"]
    assert "- mailer consumes orders.placed: keep its payload stable." in found["context_text"]


def test_the_context_text_keeps_its_budget_and_whole_lines(ask: Ask) -> None:
    whole = data(ask("get_service_context", service_name="orders", context_tokens=5000))["context_text"]
    for budget in (100, 150, 250, 400):
        text = data(ask("get_service_context", service_name="orders", context_tokens=budget))["context_text"]
        assert len(text) <= budget * 4 + 200
        assert "Depends on" in text
        lines = [one for one in text.splitlines() if one and not one.endswith(("more)", "."))]
        assert set(lines) <= set(whole.splitlines())


def test_an_unknown_service_gets_a_hint(ask: Ask) -> None:
    answer = ask("get_service_context", service_name="ordes")
    assert not answer["ok"]
    assert "orders" in answer["hint"]


def test_events_without_a_counterpart_are_reported(ask: Ask) -> None:
    found = data(ask("check_cross_service_events"))
    assert [one["event_name"] for one in found["orphaned_events"]] == ["orders.forgotten"]
    assert [one["event_name"] for one in found["unmatched_consumers"]] == ["orders.cancelled"]
    assert [(one["publishers"], one["consumers"]) for one in found["matched_events"]] == [(["orders"], ["mailer"])]
    assert (found["total_events"], found["match_rate"]) == (3, 0.3333)


def test_a_changed_function_affects_the_callers_of_its_endpoint(ask: Ask) -> None:
    found = data(ask("find_cross_service_impact", node_id="orders/models.py::Order"))
    assert {one["service_name"] for one in found["impacted_services"]} == {"payments", "web"}
    found = data(ask("find_cross_service_impact", node_id="symbol::orders/main.py::show"))
    services = {one["service_name"]: one["impact_paths"] for one in found["impacted_services"]}
    endpoint = "endpoint::orders::GET::/api/orders/{order_id}"
    assert services["web"] == [["symbol::orders/main.py::show", endpoint, "service::web"]]
    assert set(services) == {"payments", "web"}


def test_a_function_that_is_called_by_a_handler_affects_the_consumers_of_its_event(ask: Ask) -> None:
    found = data(ask("find_cross_service_impact", node_id="orders/events.py::announce"))
    services = {one["service_name"] for one in found["impacted_services"]}
    assert "mailer" in services  # by the event
    assert "web" in services  # by the endpoint whose handler calls it


def test_the_graph_counts_its_nodes_and_edges(ask: Ask) -> None:
    found = data(ask("build_knowledge_graph"))
    assert found["success"]
    assert found["services_indexed"] == ["db", "inventory", "kafka", "mailer", "orders", "payments", "web"]
    assert found["node_types"]["service"] == 7
    assert found["edge_types"]["PUBLISHES_EVENT"] == 2
    assert found["edge_types"]["CONSUMES_EVENT"] == 2
    assert found["edge_types"]["HANDLES_ENDPOINT"] >= 4


def test_boundaries_count_services_and_coupling(ask: Ask) -> None:
    found = data(ask("validate_service_boundaries"))
    assert 0 <= found["alignment_score"] <= 1
    assert {(one["service_a"], one["service_b"]) for one in found["service_coupling"]} >= {("orders", "payments")}


def test_the_command_line_prints_what_programs_read(shop: Repository) -> None:
    done = clew("services", "edges", "--kind", "event", "--json", root=shop.root)
    assert done.returncode == 0, done.stderr
    (edge,) = json.loads(done.stdout)["data"]["edges"]
    assert (edge["source"], edge["target"], edge["label"]) == ("orders", "mailer", "orders.placed")
    assert edge["evidence"]["path"] == "orders/events.py"
    listed = json.loads(clew("services", "list", "--json", root=shop.root).stdout)["data"]["services"]
    assert {"name", "path", "stack", "evidence"} <= listed[0].keys()
    assert clew("services", "check", root=shop.root).returncode == 7
    sarif = json.loads(clew("services", "check", "--format", "sarif", root=shop.root).stdout)
    assert sarif["runs"][0]["results"]


def test_the_map_is_drawn_with_every_service(shop: Repository, tmp_path: Path) -> None:
    target = tmp_path / "map.svg"
    assert clew("services", "draw", "-o", str(target), root=shop.root).returncode == 0
    picture = target.read_text()
    for name in ("web", "orders", "payments", "inventory", "mailer", "db", "kafka"):
        assert f">{name}</text>" in picture


def test_the_map_as_text_names_services_and_what_they_use(shop: Repository, ask: Ask) -> None:
    done = clew("services", "draw", "--text", root=shop.root)
    rows = done.stdout.splitlines()
    assert "orders (service, python, fastapi, in orders)" in rows
    assert "  -> mailer: event orders.placed" in rows
    assert "  -> orders: http GET /api/orders/{order_id}, POST /api/orders" in rows
    pack = data(ask("context_pack", task="Which services call the endpoints of orders?"))
    assert "## Services" in pack["text"]
    assert "-> mailer: event orders.placed" in pack["text"]
    assert "## Services" not in data(ask("context_pack", task="Rename the class Order"))["text"]
    page = clew("map", "--max-tokens", "5000", root=shop.root).stdout
    assert "## Services\n" in page
    assert "  -> mailer: event orders.placed\n" in page


def test_an_edit_is_seen_and_leaves_the_same_graph_as_a_fresh_build(repository: Repository, backend: str) -> None:
    for path, text in FILES.items():
        repository.write(path, text)
    with Engine.open(repository.root) as engine:
        engine.index()
        before = engine.services.current().system
        repository.write("mailer/app.rb", FILES["mailer/app.rb"].replace("orders.cancelled", "orders.forgotten"))
        engine.index()
        after = engine.services.current().system
    assert len(before.edges) + 1 == len(after.edges)
    with Engine.open(repository.root) as engine:
        for kept in (repository.root / ".clew").rglob("services-*.msgpack"):
            kept.unlink()
        assert engine.services.current().system == after


def test_a_damaged_file_of_findings_is_made_anew(repository: Repository) -> None:
    for path, text in FILES.items():
        repository.write(path, text)
    with Engine.open(repository.root, environ={}) as engine:
        engine.index()
        expected = engine.services.current().system
    (kept,) = (repository.root / ".clew").rglob("services-*.msgpack")
    kept.write_bytes(kept.read_bytes()[:-10] + b"0123456789")
    with Engine.open(repository.root, environ={}) as engine:
        assert engine.services.current().system == expected


def test_a_broken_compose_file_is_reported(repository: Repository) -> None:
    repository.write("compose.yaml", "services:\n  web: [\n")
    with Engine.open(repository.root, environ={}) as engine:
        engine.index()
    with asking(repository.root) as ask:
        assert "compose.yaml is not readable as YAML." in ask("service_list")["summary"]


def test_hints_of_the_command_line_name_commands(shop: Repository) -> None:
    done = clew("services", "context", "nobody", root=shop.root)
    assert done.returncode == 3
    assert "`clew services list` lists the services" in done.stderr
    assert "node_id is empty" in clew("services", "impact", " ", root=shop.root).stderr


def test_a_project_without_services_says_so(repository: Repository, backend: str) -> None:
    repository.write("lib.py", "def add(a, b):\n    return a + b\n")
    with Engine.open(repository.root) as engine:
        engine.index()
    with asking(repository.root) as ask:
        answer = ask("service_list")
        assert answer["data"]["services"] == []
        assert "[services] folders" in answer["summary"]
        assert data(ask("check_cross_service_events"))["match_rate"] == 1.0


def test_services_may_be_named_in_the_settings_and_switched_off(repository: Repository) -> None:
    repository.write("backend/billing/run.py", "x = 1\n")
    repository.configure('[services]\nfolders = ["billing=backend/billing"]\n')
    with Engine.open(repository.root, environ={}) as engine:
        engine.index()
    with asking(repository.root) as ask:
        (one,) = data(ask("service_list"))["services"]
        assert (one["name"], one["path"]) == ("billing", "backend/billing")
    repository.configure("[services]\nenabled = false\n")
    with asking(repository.root) as ask:
        answer = ask("service_list")
        assert not answer["ok"]
        assert "enabled" in answer["hint"]


def test_the_neighborhood_of_a_service_shows_its_parts(ask: Ask) -> None:
    found = data(
        ask("query_graph_neighborhood", node_id="service::orders", radius=1, filter_node_types="service,event")
    )
    assert {one["id"] for one in found["nodes"]} == {
        "event::orders.forgotten",
        "event::orders.placed",
        *(f"service::{name}" for name in ("db", "inventory", "kafka", "mailer", "payments", "web")),
    }
    relations = {(one["source"], one["target"]): one["relation"] for one in found["edges"]}
    assert relations["service::orders", "event::orders.placed"] == "PUBLISHES_EVENT"
    assert relations["service::mailer", "event::orders.placed"] == "CONSUMES_EVENT"
    assert not ask("query_graph_neighborhood", node_id="service::orders", filter_edge_types="KNOWS")["ok"]
    assert not ask("query_graph_neighborhood", node_id="service::nobody")["ok"]


TOOLS: dict[str, dict[str, object]] = {
    "build_knowledge_graph": {},
    "get_service_context": {"service_name": "orders"},
    "query_graph_neighborhood": {"node_id": "service::orders"},
    "hybrid_search": {"query": "orders", "service_name": "orders"},
    "find_cross_service_impact": {"node_id": "orders/main.py"},
    "validate_service_boundaries": {},
    "check_cross_service_events": {},
    "service_list": {},
    "service_edges": {},
    "get_builder_contexts": {},
    "review_violations": {"violations": [{"code": "X", "file_path": "orders/main.py"}]},
}


@pytest.mark.parametrize("profile", ["compact", "balanced"])
@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_answers_in_a_small_room(tool: str, profile: str, ask: Ask) -> None:
    answer = ask(tool, **TOOLS[tool], profile=profile)
    assert answer["ok"], answer
    assert answer["data"]


def test_the_search_finds_endpoints_and_keeps_to_a_service(ask: Ask) -> None:
    found = data(ask("hybrid_search", query="orders endpoint", node_types="endpoint"))["results"]
    assert found[0]["node_id"].startswith("endpoint::orders::")
    assert {one["node_type"] for one in found} == {"endpoint"}
    found = data(ask("hybrid_search", query="announce the order", service_name="orders"))["results"]
    assert "symbol::orders/events.py::announce" in {one["node_id"] for one in found}
    assert all(one.get("file_path", "").startswith("orders/") or one["node_type"] != "symbol" for one in found)
    assert not ask("hybrid_search", query="x", service_name="nobody")["ok"]


CONTRACT = """\
openapi: 3.1.0
info: {title: payments, version: "1"}
paths:
  /payments/{id}:
    get:
      responses:
        "200":
          content:
            application/json:
              schema:
                type: object
                required: [id]
                properties:
                  id: {type: string}
                  total: {type: integer}
"""


def test_a_removed_endpoint_and_field_break_their_consumers(repository: Repository) -> None:
    for path, text in {**FILES, "payments/openapi.yaml": CONTRACT}.items():
        repository.write(path, text)
    repository.commit()
    repository.write("orders/main.py", FILES["orders/main.py"].replace('@router.get("/{order_id}")\n', ""))
    repository.write("orders/events.py", FILES["orders/events.py"].replace("producer.send(PLACED, order)", "pass"))
    repository.write("payments/openapi.yaml", CONTRACT.replace("                  total: {type: integer}\n", ""))
    with Engine.open(repository.root, environ={}) as engine:
        engine.index()
    with asking(repository.root) as ask:
        found = data(ask("service_changes", since="HEAD"))["changes"]
    broken = {(one["kind"], one["service"], one["subject"]): one.get("breaks", []) for one in found if one["breaking"]}
    assert broken == {
        ("endpoint removed", "orders", "GET /api/orders/{order_id}"): ["payments", "web"],
        ("event removed", "orders", "orders.placed"): ["mailer"],
        ("field removed", "payments", "GET /payments/{id}"): [],
    }
    assert clew("services", "check", "--since", "HEAD", root=repository.root).returncode == 7
    done = clew("services", "check", "--since", "HEAD", "--format", "sarif", root=repository.root)
    assert len(json.loads(done.stdout)["runs"][0]["results"]) == 3


SYSTEMS = {
    "a web server forwards requests": (
        {
            "docker-compose.yml": "services:\n  web:\n    build: web\n  users:\n    build: users\n",
            "web/Dockerfile": "FROM nginx:1\nENV USERS_HOST=users \\\n    OTHER=1\n",
            "web/default.conf.template": ("location /api/users/ {\n    proxy_pass http://${USERS_HOST}:8080/;\n}\n"),
            "users/package.json": '{"name": "users"}',
            "users/Dockerfile": "FROM node:22\n",
            "users/app.js": "app.get('/users/:id', (request, response) => response.json({}));\napp.listen(8080);\n",
        },
        [("web", "users", "http", "ANY /api/users/", "web/default.conf.template", 2)],
    ),
    "a configuration server keeps addresses of another service": (
        {
            "docker-compose.yml": (
                "services:\n  config:\n    build: config\n  orders:\n    build: orders\n"
                "  orders-db:\n    image: mongo:8\n"
            ),
            "config/pom.xml": (
                "<project><artifactId>config</artifactId><artifactId>spring-cloud-config-server</artifactId></project>"
            ),
            "config/src/main/resources/shared/orders.yml": "spring:\n  data:\n    mongodb:\n      host: orders-db\n",
            "orders/pom.xml": (
                "<project><artifactId>orders</artifactId><artifactId>spring-cloud-starter-config</artifactId></project>"
            ),
            "orders/src/main/java/Orders.java": "class Orders {\n}\n",
        },
        [
            ("orders", "config", "configuration", "spring-cloud-starter-config", "orders/pom.xml", 1),
            (
                "orders",
                "orders-db",
                "database",
                "spring.data.mongodb.host",
                "config/src/main/resources/shared/orders.yml",
                4,
            ),
        ],
    ),
    "an app host names projects and what they refer to": (
        {
            "src/Host/Program.cs": (
                "var builder = DistributedApplication.CreateBuilder(args);\n"
                'var store = builder.AddProject<Projects.Store_Api>("store-api");\n'
                'builder.AddProject<Projects.Web>("web").WithReference(store);\n'
            ),
            "src/Store.Api/Store.Api.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"></Project>\n',
            "src/Store.Api/Program.cs": (
                'var app = WebApplication.Create();\napp.MapGet("/items/{id}", Find);\napp.Run();\n'
            ),
            "src/Web/Web.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"></Project>\n',
            "src/Web/Setup.cs": 'services.AddHttpClient<StoreClient>(o => o.BaseAddress = new("https+http://store-api"));\n',
            "src/Web/StoreClient.cs": (
                "public class StoreClient(HttpClient http)\n{\n"
                '    public Task<Item> Find(int id) => http.GetFromJsonAsync<Item>($"/items/{id}");\n}\n'
            ),
        },
        [("web", "store-api", "http", "GET /items/{id}", "src/Web/StoreClient.cs", 3)],
    ),
    "a queue is named by a constant of a class": (
        {
            "docker-compose.yml": "services:\n  shop:\n    build: shop\n  mail:\n    build: mail\n",
            "shop/Dockerfile": "FROM python:3\n",
            "shop/queue.py": (
                "import pika\n\n\nclass Publisher:\n    KEY = 'orders'\n\n    def send(self, body):\n"
                "        self.channel.basic_publish(exchange='shop', routing_key=self.KEY, body=body)\n"
            ),
            "mail/Dockerfile": "FROM golang:1\n",
            "mail/main.go": (
                'package main\n\nimport amqp "example.org/amqp"\n\nfunc main() {\n\tch.Consume("orders", "", true)\n}\n'
            ),
        },
        [("shop", "mail", "event", "orders", "shop/queue.py", 8)],
    ),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_is_connected_as_it_is_deployed(name: str, repository: Repository) -> None:
    files, expected = SYSTEMS[name]
    for path, text in files.items():
        repository.write(path, text)
    with Engine.open(repository.root, environ={}) as engine:
        engine.index()
        edges = engine.services.current().system.edges
    found = [(one.source, one.target, one.kind, one.label, one.evidence.path, one.evidence.line) for one in edges]
    assert found == expected


RELATIONS = {
    "CONTAINS_FILE", "DEFINES_SYMBOL", "IMPORTS", "CALLS", "INHERITS", "IMPLEMENTS", "USES", "PROVIDES_CONTRACT",
    "EXPOSES_ENDPOINT", "HANDLES_ENDPOINT", "OWNS_ENTITY", "REFERENCES_ENTITY", "IMPLEMENTS_ENTITY", "PUBLISHES_EVENT",
    "CONSUMES_EVENT", "SERVICE_CALLS", "DOMAIN_RELATIONSHIP",
}  # fmt: skip


def test_the_graph_keeps_its_rules(shop: Repository) -> None:
    with Engine.open(shop.root, environ={}) as engine:
        graph = engine.service_graph()
    code = [one for one in graph.whole.ids if not one.startswith("external::")]
    nodes = [*graph.nodes, *(f"symbol::{one}" if "::" in one else f"file::{one}" for one in code)]
    edges = [edge for one in nodes for edge in graph.edges_from(one)]
    for node in nodes:
        known = graph.find(node)
        assert known is not None
        assert known.node_type == node.partition("::")[0]
    assert {one.relation for one in edges} <= RELATIONS
    assert {one.target for one in edges} | {one.source for one in edges} <= set(nodes)
    for node in nodes:
        relations = [one.relation for one in graph.edges_to(node)]
        assert relations.count("DEFINES_SYMBOL") == (1 if node.startswith("symbol::") else 0)
        assert relations.count("EXPOSES_ENDPOINT") == (1 if node.startswith("endpoint::") else 0)
    for service in graph.system.services:
        files = [one for one in graph.edges_from(f"service::{service.name}") if one.relation == "CONTAINS_FILE"]
        assert bool(files) == bool(service.path)
    assert all(graph.community_of[one] >= 0 for one in (*graph.nodes, *graph.owner))
    assert 0 < sum(graph.pagerank.values()) < 1
    assert sum(graph.whole.pagerank) == pytest.approx(1)


def test_a_path_between_two_services_has_two_kinds_of_edges(shop: Repository) -> None:
    with Engine.open(shop.root, environ={}) as engine:
        graph = engine.service_graph()
    between = [one for one in graph.edges_from("service::web") if one.target == "service::orders"]
    assert {one.via_endpoint for one in between} == {
        "endpoint::orders::GET::/api/orders/{order_id}",
        "endpoint::orders::POST::/api/orders",
    }
    assert {distance for distance, _ in graph.walk("service::web", 1).values()} == {0, 1}
