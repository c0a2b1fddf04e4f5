"""Remembering texts, with and without a model; ratings and reflection."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces
from tests.knowledge.conftest import ANN, BEN, Said


def texts(rows: list[dict[str, str]]) -> list[str]:
    return [one["text"] for one in rows]


def test_a_text_is_kept_with_what_it_says(said: Said) -> None:
    kept = said("remember", text="We retry three times in charge_card because the gateway timed out.", key="k")["data"]
    again = said("remember", text="We retry three times in charge_card because the gateway timed out.", key="k")["data"]
    found = said("recall", query="why do we retry three times?")["data"]

    assert again == {"episode_id": kept["episode_id"], "known": True}
    assert texts(found["items"])[:2] == ["We retry three times in charge_card", "the gateway timed out"]
    assert found["items"][0]["source"]["episode"] == kept["episode_id"]
    assert "pay.py::charge_card" in {one.get("code") for one in found["items"]}
    assert f"episode {kept['episode_id']}" in found["answer"]


def test_what_was_superseded_is_not_answered_not_even_by_its_text(said: Said) -> None:
    said("remember", text="I moved to Paris.", source="Ann", occurred_at="2025-01-01")
    said("remember", text="I moved to Berlin.", source="Ann", occurred_at="2025-05-01")
    said("remember", text="Ann no longer lives in Berlin.", occurred_at="2025-08-01")
    early = said("recall", query="where does Ann live?", as_of="2025-02-01")["data"]
    late = said("recall", query="where does Ann live?")["data"]

    assert texts(early["items"]) == ["Ann lives in Paris"]
    assert not [one for one in late["items"] if "Paris" in one["text"]]


def test_a_private_text_is_no_episode_and_stays_private(said: Said) -> None:
    kept = said("remember", text="The launch code name is Falcon.", scope="agent")["data"]

    assert "episode_id" not in kept
    assert said("episode_recall", query="Falcon")["data"]["episodes"] == []
    assert said("recall", query="launch code name")["data"]["items"]
    assert said("recall", who=BEN, query="launch code name")["data"]["items"] == []


def test_an_error_behind_a_decision_about_the_same_code_answers_why(said: Said) -> None:
    said("episode_add", type="ERROR", content="502 from the bank", entities=["pay.py::charge_card"],
         metadata={"error_type": "BadGateway", "stack_summary": "charge_card"})  # fmt: skip
    said("episode_add", type="DECISION", content="retry three times",
         metadata={"title": "retries", "rationale": "ok", "tradeoffs": [], "affected_files": ["pay.py"]})  # fmt: skip
    found = said("recall", query="Why do we retry three times?")["data"]

    assert texts(found["items"]) == ["retry three times", "502 from the bank"]
    assert 'Because: "502 from the bank"' in found["answer"]


def test_reflection_applies_ratings_and_merges_duplicates_and_can_be_undone(said: Said) -> None:
    said("add_entity", name="Mercury", type="service", aliases=["the planet service"])
    other = said("add_entity", name="planet service", type="planet")["data"]["id"]
    twin = said("add_entity", name="Planet Services", type="service")["data"]
    said("link_entities", source="Mercury", target="Ohio", relation="runs in", confidence=0.5)
    link = said("entity_lookup", entities=["Mercury"])["data"]
    rated = said("feedback", ids=[link["nodes"][1]["id"]])["data"]
    done = said("reflect")["data"]["knowledge"]
    after = said("entity_lookup", entities=["Mercury"])["data"]["nodes"][1]["score"]
    said("forget", id=done["id"])

    assert not twin.get("created") or other
    assert rated["helpful"]
    assert len(done["strengthened"]) == 2
    assert after > link["nodes"][1]["score"]
    assert said("entity_lookup", entities=["Mercury"])["data"]["nodes"][1]["score"] == link["nodes"][1]["score"]


GOOD = {
    "Classify": {"intent": "WHO", "asks_past": False},
    "Take": {"entities": ["Zed"], "facts": [{"subject": "Zed", "predicate": "lives in", "object": "Oslo"}]},
}


class _Model(BaseHTTPRequestHandler):
    mode = "good"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        instruction, data = (one["content"] for one in asked["messages"])
        ids = [one["id"] for one in json.loads(data).get("items", [])]
        reply: Any = next((one for word, one in GOOD.items() if instruction.startswith(word)), None)
        reply = reply or {"answer": "It is\nOslo.", "sources": ids[:1]}
        content = json.dumps(reply)
        if self.mode == "strange":
            content = json.dumps(
                {"intent": "DANCE", "entities": ["Nobody said this"], "answer": "x", "sources": ["no"]}
            )
        if self.mode == "prose":
            content = "Sure! Here you are."
        if self.mode == "broken":
            self.send_response(500)
            self.end_headers()
            return
        body = json.dumps({"choices": [{"message": {"content": content}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        return


@contextmanager
def model(mode: str) -> Iterator[str]:
    handler = type("_Mode", (_Model,), {"mode": mode})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("mode", ["good", "strange", "prose", "broken"])
def test_a_model_plans_extracts_and_writes_and_rules_take_over_if_it_fails(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model(mode) as url:
        monkeypatch.setenv("CLEW_MAGMA_BASE_URL", url)
        workspaces = Workspaces(tmp_path)
        try:

            def ask(tool: str, **arguments: object) -> dict[str, Any]:
                reply = answer(Caller(workspaces, identity=ANN), tool, {"profile": "debug", **arguments})
                return dict(json.loads(reply.body)["data"])

            kept = ask("remember", text="Zed lives in Oslo.")
            found = ask("recall", query="where does Zed live?")
        finally:
            workspaces.close()
    assert texts(found["items"]) == ["Zed lives in Oslo"]
    if mode == "good":
        assert kept["extracted_by"] == "model gpt-4o-mini"
        assert found["planned_by"] == "model gpt-4o-mini"
        assert found["answer"].startswith(r"It is\nOslo. [")
    else:
        assert (kept.get("extracted_by", "rules"), found.get("planned_by", "rules")) == ("rules", "rules")
        assert kept["problems"][0].startswith("Rules took the text apart: the model gpt-4o-mini: ")
        assert [one.split(":")[0] for one in found["problems"]] == ["Rules planned", "Extracts answer"]
        assert found["answer"].startswith('"Zed lives in Oslo"')
