"""One system in several repositories: joined into one service graph, if the user has named them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.engine import Engine
from tests.conftest import Repository, clew
from tests.services.shop import FILES
from tests.services.test_services import data
from tests.tools.asking import Ask, asking
from tests.trusting import accept

NAMES = ("web", "orders", "mailer")
DEPLOYMENT = """\
services:
  web:
    build: .
    environment:
      ORDERS_URL: http://orders:8000
  orders:
    build: ../orders
    environment:
      KAFKA_BROKERS: kafka:9092
  mailer:
    image: registry.example.org/acme/mailer:2
  kafka:
    image: bitnami/kafka:3
  db:
    image: postgres:16
"""


def write_system(folder: Path) -> dict[str, Repository]:
    """Three repositories: one deploys itself and the others, all of them name both of the others."""
    repositories = {}
    for name in NAMES:
        made = repositories[name] = Repository(folder / name)
        made.root.mkdir()
        made.git("init", "-q", "-b", "main")
        for path, text in FILES.items():
            if path.startswith(f"{name}/"):
                made.write(path.removeprefix(f"{name}/"), text)
        others = "".join(f'{other} = "../{other}"\n' for other in NAMES if other != name)
        made.configure(f'[project]\nid = "{name}"\n[services.repositories]\n{others}')
        accept(made.root)
    repositories["web"].write("compose.yaml", DEPLOYMENT)
    repositories["orders"].write("compose.yaml", "services:\n  db:\n    image: postgres:16\n")
    for made in repositories.values():
        index(made)
    return repositories


def index(repository: Repository) -> None:
    with Engine.open(repository.root) as engine:
        engine.index()


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Repository]:
    return write_system(tmp_path_factory.mktemp("system"))


@pytest.fixture
def system(indexed: dict[str, Repository]) -> dict[str, Repository]:
    for made in indexed.values():
        accept(made.root)  # as the user of this test
    return indexed


@pytest.fixture
def ask(system: dict[str, Repository]) -> Iterator[Ask]:
    with asking(system["web"].root) as asked:
        yield asked


def test_services_of_other_repositories_belong_to_the_system(
    tmp_path: Path, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CLEW_PROJECT_ID", raising=False)  # each has its own
    with asking(write_system(tmp_path)["web"].root) as ask:
        services, edges = data(ask("service_list"))["services"], data(ask("service_edges", kinds=["http", "event"]))
    assert {one["name"]: one["path"] for one in services} == {
        "web": ".",
        "orders": "@orders",
        "mailer": "@mailer",
        "kafka": "",
        "db": "",
        "db@orders": "",
    }
    assert {
        (one["source"], one["target"], one["kind"], one["label"], one["evidence"]["path"]) for one in edges["edges"]
    } == {
        ("web", "orders", "http", "POST /api/orders", "src/client.ts"),
        ("web", "orders", "http", "GET /api/orders/{order_id}", "src/client.ts"),
        ("orders", "mailer", "event", "orders.placed", "@orders/events.py"),
    }


def test_a_change_affects_services_of_other_repositories(system: dict[str, Repository]) -> None:
    with asking(system["orders"].root) as ask:
        found = data(ask("find_cross_service_impact", node_id="events.py::announce"))
        assert {one["service_name"] for one in found["impacted_services"]} == {"web", "mailer"}
    with asking(system["mailer"].root) as ask:
        found = data(ask("find_cross_service_impact", node_id="@orders/main.py::show"))
        (impact,) = found["impacted_services"]
        endpoint = "endpoint::orders::GET::/api/orders/{order_id}"
        assert impact["impact_paths"] == [["symbol::@orders/main.py::show", endpoint, "service::web"]]


def test_an_edit_in_another_repository_is_seen(ask: Ask, system: dict[str, Repository]) -> None:
    assert len(data(ask("service_edges", kinds=["event"]))["edges"]) == 1
    system["mailer"].write("app.rb", FILES["mailer/app.rb"].replace("orders.placed", "orders.moved"))
    assert data(ask("service_edges", kinds=["event"]))["edges"] == []
    system["mailer"].write("app.rb", FILES["mailer/app.rb"])


def test_a_removed_endpoint_breaks_its_consumer_in_another_repository(system: dict[str, Repository]) -> None:
    orders = system["orders"]
    orders.commit()
    orders.write("main.py", FILES["orders/main.py"].replace('@router.get("/{order_id}")\n', ""))
    with asking(orders.root) as ask:
        changes = data(ask("service_changes", since="HEAD"))["changes"]
    broken = [(one["subject"], one["breaks"]) for one in changes if one["breaking"]]
    assert broken == [("GET /api/orders/{order_id}", ["web"])]
    orders.write("main.py", FILES["orders/main.py"])


def test_a_repository_that_cannot_be_read_is_named(ask: Ask, system: dict[str, Repository]) -> None:
    away = system["mailer"].root.rename(system["mailer"].root.with_name("away"))
    answer = ask("service_list")
    away.rename(system["mailer"].root)
    assert "The repository mailer (../mailer) is left out: there is no such folder." in answer["summary"]
    assert {"web", "orders"} <= {one["name"] for one in answer["data"]["services"]}


def test_a_repository_names_others_only_with_the_consent_of_the_user(system: dict[str, Repository]) -> None:
    web = system["web"]
    web.write("context.toml", '[services]\nrepositories = ["orders=../orders", "mailer=../mailer"]\n')
    with asking(web.root) as ask:
        rows = {one["name"]: one["path"] for one in data(ask("service_list"))["services"]}
    assert rows["orders"] == ""  # known from the deployment alone
    assert "services.repositories" in clew("services", "list", root=web.root).stderr
