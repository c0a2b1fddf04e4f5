"""Every framework, client, gateway and broker that the service graph reads, each in a small service of its own."""

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import yaml

from clew.engine import Engine
from clew.model.services import EventUse
from tests.conftest import Repository

CASES: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("frameworks.yaml").read_text())


class KnownSystem:
    """What was found of all cases, which are indexed together."""

    def __init__(self, root: Path) -> None:
        with Engine.open(root, environ={}) as engine:
            engine.index()
            graph = engine.service_graph()
        self.answers: dict[str, list[str]] = defaultdict(list)
        for one in graph.system.endpoints:
            handler = graph.handler(one).rpartition("::")[2]
            self.answers[one.service].append(f"{one.method} {one.path} {handler}".strip())
        self.edges: dict[tuple[str, str], list[str]] = defaultdict(list)
        for edge in graph.system.edges:
            self.edges[edge.source, edge.target].append(f"{edge.kind} {edge.label}")
        self.events: list[EventUse] = list(graph.system.events)


def slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower())


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> KnownSystem:
    repository = Repository(tmp_path_factory.mktemp("frameworks"))
    services = {slug(name): case["files"] for name, case in (*CASES["endpoints"].items(), *CASES["inside"].items())}
    for name, case in CASES["connections"].items():
        services[f"{slug(name)}-caller"] = case["caller"]
        services[f"{slug(name)}-callee"] = case.get("callee", CASES["things"])
    for service, files in services.items():
        for path, text in files.items():
            target = f"{service.removesuffix('-caller').removesuffix('-callee')}-callee"
            repository.write(f"{service}/{path}", text.replace("TARGET", target))
    rows = "".join(f"  {service}:\n    build: {service}\n" for service in services)
    repository.write("compose.yaml", f"services:\n{rows}")
    return KnownSystem(repository.root)


@pytest.mark.parametrize("name", CASES["endpoints"])
def test_endpoints_of_a_framework_are_found_with_their_handlers(name: str, found: KnownSystem) -> None:
    assert sorted(found.answers[slug(name)]) == sorted(CASES["endpoints"][name]["answers"])


@pytest.mark.parametrize("name", CASES["connections"])
def test_a_client_gateway_or_broker_connects_two_services(name: str, found: KnownSystem) -> None:
    pair = f"{slug(name)}-caller", f"{slug(name)}-callee"
    assert sorted(found.edges[pair]) == sorted(CASES["connections"][name]["edges"])


def test_nothing_is_connected_that_is_not(found: KnownSystem) -> None:
    expected = {(f"{slug(name)}-caller", f"{slug(name)}-callee") for name in CASES["connections"]}
    assert {pair for pair, edges in found.edges.items() if edges} == expected


@pytest.mark.parametrize("name", CASES["inside"])
def test_events_within_a_process_have_both_sides(name: str, found: KnownSystem) -> None:
    event = CASES["inside"][name]["event"]
    assert {(one.service, one.publishes) for one in found.events if one.event == event} == {
        (slug(name), True),
        (slug(name), False),
    }
