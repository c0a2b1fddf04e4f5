"""A server of vectors as they are in life: busy, broken, slow, wrong. A real one, on this machine."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from clew.model.errors import EmbedderFailed
from clew.runtime.settings import Embedding
from clew.text.embedders.openai import LONGEST_PAUSE, OpenAI, make

Answer = Callable[["Handler", dict[str, Any]], None]


class Handler(BaseHTTPRequestHandler):
    """Answers with what its server has in store for this request; then, and from then on, well."""

    server: "Server"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, self.headers.get("Authorization", ""), body))
        answers = self.server.answers
        (answers.pop(0) if answers else well)(self, body)

    def reply(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[Answer] = []
        self.seen: list[tuple[str, str, dict[str, Any]]] = []

    @property
    def settings(self) -> Embedding:
        url = f"http://127.0.0.1:{self.server_port}/v1"
        return Embedding(model="openai", base_url=url, remote_model="small", timeout_ms=2000, retry_attempts=2)


def vector(text: str) -> list[float]:
    return [float(len(text)), 1.0, 0.0]


def rows(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"index": i, "embedding": vector(text)} for i, text in enumerate(body["input"])]


def well(handler: Handler, body: dict[str, Any]) -> None:
    handler.reply(200, json.dumps({"data": rows(body)[::-1]}).encode())  # order is told, not kept


def status(code: int, body: bytes = b"{}", **headers: str) -> Answer:
    return lambda handler, _: handler.reply(code, body, **headers)


def truncated(handler: Handler, body: dict[str, Any]) -> None:
    handler.reply(200, b'{"data": [{"index": 0, "embed')


def cut_off(handler: Handler, body: dict[str, Any]) -> None:
    handler.reply(200, b'{"data"', Content_Length="1000")


def slow(handler: Handler, body: dict[str, Any]) -> None:
    time.sleep(0.3)
    with suppress(OSError):  # nobody waits for it any more
        well(handler, body)


def answering(data: object) -> Answer:
    return lambda handler, _: handler.reply(200, json.dumps({"data": data}).encode())


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def remote(server: Server, pauses: list[float]) -> OpenAI:
    return OpenAI(server.settings, "key", pauses.append)


def test_texts_go_in_batches_with_the_key_and_come_back_in_order_at_unit_length(server: Server) -> None:
    remote = OpenAI(replace(server.settings, batch_size=2), "key")

    found = remote.embed(["a", "bb", "", "dddd", "eeeee"])

    assert np.allclose(np.linalg.norm(found, axis=1), 1)
    assert np.allclose(found[:, 0] / found[:, 1], [1, 2, 1, 4, 5])  # an empty text is sent as a blank
    assert [len(body["input"]) for _, _, body in server.seen] == [2, 2, 1]
    assert {(path, key, body["model"]) for path, key, body in server.seen} == {
        ("/v1/embeddings", "Bearer key", "small")
    }
    assert all("dimensions" not in body for _, _, body in server.seen)


def test_the_key_comes_from_the_variable_that_is_named(server: Server) -> None:
    make(replace(server.settings, api_key_variable="MY_KEY"), {"MY_KEY": "secret"}).embed(["a"])
    make(replace(server.settings, api_key_variable="MY_KEY"), {}).embed(["a"])
    make(replace(server.settings, api_key_variable=""), {"OPENAI_API_KEY": "other"}).embed(["a"])

    assert [key for _, key, _ in server.seen] == ["Bearer secret", "", ""]


def test_who_is_busy_is_asked_again_after_the_time_it_says(server: Server, remote: OpenAI, pauses: list[float]) -> None:
    server.answers = [status(429, Retry_After="7"), status(500)]

    assert remote.embed(["a"]).shape == (1, 3)
    assert pauses == [7.0, 1.0]


def test_a_time_to_come_back_may_be_a_date_and_is_not_trusted_without_end(
    server: Server, remote: OpenAI, pauses: list[float]
) -> None:
    server.answers = [status(503, Retry_After=formatdate(time.time() + 20)), status(429, Retry_After="86400")]

    remote.embed(["a"])

    assert 15 < pauses[0] <= 20
    assert pauses[1] == LONGEST_PAUSE


@pytest.mark.parametrize("broken", [truncated, cut_off, status(502, b"<html>")])
def test_an_answer_that_is_not_whole_is_asked_for_again(
    server: Server, remote: OpenAI, pauses: list[float], broken: Answer
) -> None:
    server.answers = [broken, broken]

    assert remote.embed(["a"]).shape == (1, 3)
    assert pauses == [0.5, 1.0]


def test_a_server_that_is_too_slow_is_given_up_after_some_attempts(server: Server, pauses: list[float]) -> None:
    server.answers = [slow] * 3
    remote = OpenAI(replace(server.settings, timeout_ms=100), "", pauses.append)

    with pytest.raises(EmbedderFailed, match=r"(?i)timed? ?out.*3 attempts"):
        remote.embed(["a"])
    assert pauses == [0.5, 1.0]


def test_one_that_stays_busy_is_an_error_with_a_way_out(server: Server, remote: OpenAI) -> None:
    server.answers = [status(429, b'{"error": {"message": "quota\\n exceeded"}}')] * 3

    with pytest.raises(EmbedderFailed, match=r"small@127.*429: quota exceeded \(3 attempts\)") as caught:
        remote.embed(["a"])
    assert "requests_per_minute" in caught.value.hint


@pytest.mark.parametrize(
    ("code", "hint"), [(400, "[embedding]"), (401, "api_key_variable"), (404, "base_url"), (302, "[embedding]")]
)
def test_what_will_not_change_is_not_asked_again(
    server: Server, remote: OpenAI, pauses: list[float], code: int, hint: str
) -> None:
    server.answers = [status(code, b"no", Location="http://127.0.0.1:1/")]  # nobody is followed elsewhere

    with pytest.raises(EmbedderFailed, match=f"{code}: no") as caught:
        remote.embed(["a"])
    assert hint in caught.value.hint
    assert (len(server.seen), pauses) == (1, [])


def test_fewer_dimensions_are_asked_for_and_others_refused(server: Server) -> None:
    remote = OpenAI(replace(server.settings, dimension=2), "")

    with pytest.raises(EmbedderFailed, match="have 3 numbers, not 2") as caught:
        remote.embed(["a"])
    assert "embedding.dimension" in caught.value.hint
    assert server.seen[0][2]["dimensions"] == 2


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        [{"index": 0}],
        [{"index": 1, "embedding": [1.0]}],
        [{"index": 0, "embedding": []}],
        [{"index": 0, "embedding": "AAAA"}],
        [{"index": 0, "embedding": [0.0, 0.0]}],
        [{"index": 0, "embedding": [float("nan")]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0]}],
    ],
    ids=str,
)
def test_nonsense_is_refused(server: Server, remote: OpenAI, data: object) -> None:
    server.answers = [answering(data)]

    with pytest.raises(EmbedderFailed, match="small@127"):
        remote.embed(["a"])


def test_for_no_texts_nothing_is_asked(server: Server, remote: OpenAI) -> None:
    assert len(remote.embed([])) == len(server.seen) == 0


def test_requests_keep_their_distance(server: Server, pauses: list[float]) -> None:
    remote = OpenAI(replace(server.settings, requests_per_minute=1, batch_size=1), "", pauses.append)

    remote.embed(["a", "b", "c"])

    first, second = pauses  # nobody really waits here: the third waits for two turns
    assert 30 < first <= 60
    assert 90 < second <= 120


def test_the_name_tells_model_dimensions_and_host_but_no_password() -> None:
    settings = Embedding(model="openai", base_url="https://me:secret@host:8080/v1", remote_model="m", dimension=256)

    assert OpenAI(settings, "").name == "openai:m:256@host:8080"
