"""A2A: a card that the SDK of the protocol reads and verifies, and nothing on it that is not served."""

import asyncio
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from clew.runtime.guard import guard
from clew.surfaces import a2a, http
from clew.tools.answer import Caller
from clew.workspaces import Workspaces


@pytest.fixture(scope="module")
def served(indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    key = tmp_path_factory.mktemp("key") / "own.pem"
    command = ["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout"]
    done = subprocess.run(command, capture_output=True, check=True)
    key.write_bytes(done.stdout)
    workspaces = Workspaces(indexed)
    limits = http.HttpLimits(1 << 20, 30.0, agent_card_key=str(key))
    app = http.create(Caller(workspaces), guard("127.0.0.1", "", (), ()), ("core",), limits)
    with TestClient(app, base_url="http://127.0.0.1:9") as client:
        yield client
    workspaces.close()


def send(client: TestClient, method: str, **message: Any) -> dict[str, Any]:
    body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": {"message": {"messageId": "m", **message}}}
    return dict(client.post("/a2a", json=body).json())


def test_the_card_is_on_both_paths_and_names_what_is_served(served: TestClient) -> None:
    new, old = (served.get(path).json() for path in a2a.CARD_PATHS)

    assert {one["id"] for one in new["skills"]} == {one["id"] for one in old["skills"]} == set(a2a.SKILLS)
    assert new["supportedInterfaces"][0] == {
        "url": "http://127.0.0.1:9/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0",
    }  # fmt: skip
    assert (old["url"], old["protocolVersion"]) == ("http://127.0.0.1:9/a2a", "0.3.0")
    assert new["capabilities"] == {}


def test_the_sdk_reads_the_card_and_verifies_its_signature(served: TestClient, tmp_path: Path) -> None:
    resolver = pytest.importorskip("a2a.client.card_resolver", reason="needs a2a-sdk")
    from a2a.utils.signing import create_signature_verifier
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    told = served.get(a2a.CARD_PATHS[0]).json()
    limits = served.app.user_middleware[0].kwargs["limits"]  # type: ignore[attr-defined]  # a Starlette
    key: Any = load_pem_private_key(Path(limits.agent_card_key).read_bytes(), None).public_key()
    verify = create_signature_verifier(lambda kid, jku: key, ["ES256"])
    card = resolver.parse_agent_card(json.loads(json.dumps(told)))
    verify(card)
    assert [one.id for one in card.skills] == list(a2a.SKILLS)
    told["version"] = "9"
    with pytest.raises(Exception, match=r"(?i)signature"):
        verify(resolver.parse_agent_card(told))


def test_each_skill_answers_in_both_versions_of_the_protocol(served: TestClient) -> None:
    text = [{"text": "validate a token"}]
    pack = send(served, "SendMessage", role="ROLE_USER", parts=text, contextId="c")["result"]["message"]
    assert "def validate_token" in pack["parts"][0]["text"]
    assert (pack["role"], pack["contextId"]) == ("ROLE_AGENT", "c")
    old = send(served, "message/send", role="user", parts=[{"kind": "text", **text[0]}])["result"]
    assert (old["kind"], old["parts"][1]["data"]["ok"]) == ("message", True)
    for skill in ("memory", "coordination"):
        told = send(served, "SendMessage", parts=text, metadata={"skill": skill})["result"]["message"]
        assert told["parts"][1]["data"]["ok"], told
    data = {"tool": "code_explain", "arguments": {"element": "Vault"}}
    told = send(served, "SendMessage", parts=[{"data": data}])["result"]["message"]["parts"][1]["data"]
    assert told["ok"] or told["errorCode"], told


def test_what_is_not_served_is_refused_with_the_protocols_codes(served: TestClient) -> None:
    codes = {
        method: send(served, method, parts=[{"text": "x"}])["error"]["code"]
        for method in ("GetTask", "SendStreamingMessage", "nothing")
    }
    assert codes == {"GetTask": -32001, "SendStreamingMessage": -32004, "nothing": -32601}
    assert send(served, "SendMessage", parts=[])["error"]["code"] == -32602
    assert send(served, "SendMessage", parts=[{"text": "x"}], metadata={"skill": "no"})["error"]["code"] == -32602
    broken = served.post("/a2a", content=b"{", headers={"content-type": "application/json"}).json()
    assert broken["error"]["code"] == -32700


def test_a_client_of_the_sdk_gets_an_answer(served: TestClient) -> None:
    pytest.importorskip("a2a.client", reason="needs a2a-sdk")
    import httpx
    from a2a.client import ClientConfig, ClientFactory
    from a2a.client.card_resolver import parse_agent_card
    from a2a.types import Message, Part, Role, SendMessageRequest

    async def ask() -> str:
        transport = httpx.ASGITransport(app=served.app)
        async with httpx.AsyncClient(transport=transport) as web:
            factory = ClientFactory(ClientConfig(httpx_client=web, streaming=False))
            client = factory.create(parse_agent_card(served.get(a2a.CARD_PATHS[0]).json()))
            message = Message(message_id="1", role=Role.ROLE_USER, parts=[Part(text="validate a token")])
            return "".join([str(one) async for one in client.send_message(SendMessageRequest(message=message))])

    assert "validate_token" in asyncio.run(ask())


def test_a_card_is_signed_for_no_host_that_is_not_served(served: TestClient) -> None:
    """Else anybody could have our key vouch for a server of theirs."""
    for path in a2a.CARD_PATHS:
        refused = served.get(path, headers={"Host": "evil.example"})
        assert (refused.status_code, refused.json()["ok"]) == (403, False)


def test_a_message_without_an_end_is_an_error_of_the_protocol(served: TestClient) -> None:
    nested = b'{"jsonrpc": "2.0", "id": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"
    told = served.post("/a2a", content=nested, headers={"Content-Type": "application/json"})
    assert (told.status_code, told.json()["error"]["code"]) == (200, -32700)


def test_what_steers_a_terminal_is_escaped(served: TestClient) -> None:
    body = {"jsonrpc": "2.0", "id": "\u202e", "method": "nothing\u200b"}
    assert not {"\u202e", "\u200b"}.intersection(served.post("/a2a", json=body).text)
