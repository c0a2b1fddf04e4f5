"""A system that really runs: what its services do is what the service graph says."""

import os
import pwd
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from clew.engine import Engine
from clew.model.services import System
from tests.conftest import Repository
from tests.services.stall import CALLS, EVENTS, FILES

NAMES = ("web", "orders", "payments", "stock", "mailer")
RUNTIMES = ("node", "java", "rustc")
PATIENCE = 60.0
MISSING = [name for name in RUNTIMES if shutil.which(name) is None]


class Broker:
    """As much of NATS as the services speak: subscriptions and messages."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._subscribers: list[tuple[str, socket.socket]] = []
        self._clients: list[tuple[socket.socket, threading.Thread]] = []
        self.subscribed = threading.Event()
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            serving = threading.Thread(target=self._serve, args=(client,), daemon=True)
            self._clients.append((client, serving))
            serving.start()

    def _serve(self, client: socket.socket) -> None:
        with client.makefile("rb") as stream:
            for line in stream:
                word, subject, *rest = line.decode().split()
                if word == "SUB":
                    self._subscribers.append((subject, client))
                    self.subscribed.set()
                elif word == "PUB":
                    body = stream.read(int(rest[-1]) + 2)
                    for wanted, other in self._subscribers:
                        if wanted == subject:
                            other.sendall(f"MSG {subject} 1 {len(body) - 2}\r\n".encode() + body)

    def close(self) -> None:
        """After the services have ended, which closes their sides."""
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._accepting.join(PATIENCE)
        for client, serving in self._clients:
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
            serving.join(PATIENCE)
            client.close()


@pytest.fixture(scope="module")
def stall(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    made = Repository(tmp_path_factory.mktemp("stall"))
    for path, text in FILES.items():
        made.write(path, text)
    return made


@pytest.fixture(scope="module")
def system(stall: Repository) -> System:
    with Engine.open(stall.root, environ={}) as engine:
        engine.index()
        return engine.services.current().system


@pytest.fixture(scope="module")
def observed(stall: Repository, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """The services run and answer one checkout; what each of them printed."""
    if MISSING:
        pytest.skip(f"the system of five services cannot run here without {', '.join(MISSING)}")
    logs = tmp_path_factory.mktemp("logs")
    binary = logs / "stock"
    compiler = ["rustc", "--edition", "2021", "-C", "debuginfo=0", "-o", str(binary), "src/main.rs"]
    home = {**os.environ, "HOME": pwd.getpwuid(os.getuid()).pw_dir}  # where rustup keeps its toolchains
    made = subprocess.run(
        compiler, cwd=stall.root / "stock", env=home, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    if made.returncode:
        pytest.skip(f"the service in Rust cannot be compiled here: {made.stderr[:300]}")
    commands = {
        "web": ["node", "server.js"],
        "orders": [sys.executable, "main.py"],
        "payments": ["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "src/main/java/Payments.java"],
        "stock": [str(binary)],
        "mailer": ["node", "server.js"],
    }
    ports = {name: _free_port() for name in NAMES}
    broker = Broker()
    with ExitStack() as stack:
        stack.callback(broker.close)
        for name in NAMES:
            environment = {
                **os.environ,
                "PORT": str(ports[name]),
                "NATS_URL": f"nats://127.0.0.1:{broker.port}",
                **{f"{other.upper()}_URL": f"http://127.0.0.1:{ports[other]}" for other in NAMES},
            }
            log = stack.enter_context((logs / f"{name}.log").open("wb"))
            process = subprocess.Popen(
                commands[name], cwd=stall.root / name, env=environment, stdout=log, stderr=subprocess.STDOUT
            )
            stack.callback(process.wait, PATIENCE)
            stack.callback(process.terminate)
        for name in ("orders", "payments", "stock", "web"):
            _wait_for(f"http://127.0.0.1:{ports[name]}/health", logs / f"{name}.log")
        assert broker.subscribed.wait(PATIENCE)
        answer = httpx.get(f"http://127.0.0.1:{ports['web']}/checkout/apple", timeout=PATIENCE)
        assert answer.json() == {"sku": "apple", "paid": 3}, answer.text
        end = time.monotonic() + PATIENCE
        while "sent apple" not in (logs / "mailer.log").read_text() and time.monotonic() < end:
            time.sleep(0.02)
        yield {name: logs / f"{name}.log" for name in NAMES}


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _wait_for(url: str, log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if httpx.get(url, timeout=5).status_code == httpx.codes.OK:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    pytest.fail(f"{url} does not answer: {log.read_text()}")


def test_the_service_graph_has_exactly_the_calls_of_a_run(observed: dict[str, Path], system: System) -> None:
    seen = {
        (sender, name, asked)
        for name, log in observed.items()
        for line in log.read_text().splitlines()
        for sender, _, asked in [line.partition(" ")]
        if sender in NAMES
    }
    assert seen == set(CALLS)
    known = {(one.source, one.target, one.label) for one in system.edges if one.kind == "http"}
    assert known == {(source, target, label) for (source, target, _), label in CALLS.items()}


def test_the_service_graph_has_exactly_the_events_of_a_run(observed: dict[str, Path], system: System) -> None:
    assert "sent apple" in observed["mailer"].read_text()
    assert {(one.source, one.target): one.label for one in system.edges if one.kind == "event"} == EVENTS


def test_every_endpoint_of_the_running_system_has_its_handler(stall: Repository) -> None:
    with Engine.open(stall.root, environ={}) as engine:
        engine.index()
        graph = engine.service_graph()
    found = {(one.service, one.method, one.path): graph.handler(one) for one in graph.system.endpoints}
    assert found == {
        ("orders", "POST", "/orders"): "orders/main.py::create",
        ("orders", "GET", "/health"): "orders/main.py::health",
        ("payments", "ANY", "/payments"): "payments/src/main/java/Payments.java::Payments::pay",
        ("payments", "ANY", "/health"): "payments/src/main/java/Payments.java::Payments::health",
        ("stock", "GET", "/stock/{sku}"): "stock/src/main.rs::show",
        ("stock", "GET", "/health"): "stock/src/main.rs::health",
        ("web", "GET", "/checkout/{sku}"): "web/orders.js::place",
        ("web", "GET", "/health"): "",
    }
