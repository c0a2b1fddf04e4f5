"""`clew summarize` against a real server on this machine that speaks the protocol: well, badly, and too busy."""

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from clew.engine import Engine
from clew.graph.elements import Elements
from clew.model.search import Query
from clew.surfaces.cli import cli
from clew.surfaces.cli.state import State
from tests.conftest import Repository

CHARGE = "def charge(amount):\n    fee = amount * 2\n    return fee + 1\n"


class Handler(BaseHTTPRequestHandler):
    server: "Server"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, body))
        status, text = self.server.answers.pop(0) if self.server.answers else (200, None)
        asked = re.findall(r"^(\d+)\. (.*)$", body["messages"][1]["content"], re.MULTILINE)
        said = (
            "\n".join(f"{number}: Summary of {title.split()[-1]}." for number, title in asked) if text is None else text
        )
        data = json.dumps({"choices": [{"message": {"content": said}}]}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[tuple[int, str | None]] = []
        self.seen: list[tuple[str, dict[str, Any]]] = []


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


@pytest.fixture
def shop(repository: Repository, server: Server) -> Repository:
    repository.write("pay.py", CHARGE)
    url = f"http://127.0.0.1:{server.server_port}/v1"
    repository.configure(f'[summaries]\nbase_url = "{url}"\nbatch_size = 1\nprice_per_million_tokens = 10000\n')
    with Engine.open(repository.root) as engine:
        engine.index()
    return repository


def run(root: Path, *options: str) -> dict[str, Any]:
    arguments = ["-C", str(root), "summarize", "--json", *options]
    done = CliRunner().invoke(cli, arguments, standalone_mode=False, obj=State(str(root)))
    if done.exception is not None:
        raise done.exception
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def summary(root: Path, name: str = "pay.py::charge") -> str:
    with Engine.open(root) as engine:
        engine.index()
        element = Elements(engine.files).get(name)
        assert element is not None
        return element.summary


def test_the_cost_is_shown_and_nothing_is_sent_before_it_is_accepted(shop: Repository, server: Server) -> None:
    cost = run(shop.root, "--dry-run")

    assert (cost["pieces"], cost["requests"], cost["written"]) == (2, 2, 0)
    assert cost["price"] == cost["tokens"] / 100 > 0
    with pytest.raises(Exception, match="nothing was sent"):
        run(shop.root)
    assert server.seen == []


def test_summaries_are_written_once_and_again_only_for_changed_code(shop: Repository, server: Server) -> None:
    assert run(shop.root, "--yes")["written"] == 2
    assert summary(shop.root) == "Summary of pay.py::charge"
    assert summary(shop.root, "pay.py") == "Summary of pay.py"
    assert run(shop.root, "--yes")["pieces"] == 0
    shop.write("pay.py", CHARGE.replace("* 2", "* 3"))

    assert summary(shop.root) != "Summary of pay.py::charge"
    assert run(shop.root, "--yes")["written"] == 2
    assert server.seen[0][0] == "/v1/chat/completions"


def test_a_bad_answer_keeps_the_derived_summary_and_is_asked_for_again(shop: Repository, server: Server) -> None:
    derived = summary(shop.root)
    server.answers = [(200, "I cannot do that"), (200, "1: " + "x" * 500)]

    assert run(shop.root, "--yes")["written"] == 0
    assert summary(shop.root) == derived
    assert run(shop.root, "--yes")["written"] == 2


def test_a_run_that_breaks_goes_on_where_it_was(shop: Repository, server: Server) -> None:
    server.answers = [(503, ""), (200, None), (401, "")]
    with pytest.raises(Exception, match="status 401"):
        run(shop.root, "--yes")

    assert run(shop.root, "--yes")["written"] == 1


def test_code_is_found_by_its_written_summary_until_it_changes(shop: Repository, server: Server) -> None:
    question = Query("How is money taken from a customer?", 5)
    with Engine.open(shop.root) as engine:
        before, state = [hit.label for hit in engine.search(question).hits], engine.index_signature()
        server.answers = [(200, "1: Takes the money of a customer and adds the fee.")]
        run(shop.root, "--yes", "--limit", "1")
        found = engine.search(question).hits
        assert engine.index_signature() != state
    shop.write("pay.py", CHARGE.replace("* 2", "* 3"))
    with Engine.open(shop.root) as engine:
        engine.index()
        after = [hit.label for hit in engine.search(question).hits]

    assert before == after == []
    assert found[0].symbol == "pay.py::charge"
    assert ("summary", "customer money") in [(reason.retriever, reason.detail) for reason in found[0].reasons]
