"""A2A: the Agent Card, and messages of other agents answered with packs, memory and coordination.

A message with text gets what its skill answers; one with data names a tool and its arguments. Every message is answered
at once: there are no tasks, no streams and no notifications, and the card advertises none.
"""

import base64
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from clew import __version__
from clew.model.errors import ClewError, ConfigError, InvalidInput
from clew.text.escaping import block
from clew.tools.answer import Caller, Reply, answer

CARD_PATHS = ("/.well-known/agent-card.json", "/.well-known/agent.json")
PATH = "/a2a"
_MODES = ["text/plain", "application/json"]
_TOKENS = 4000
_METHODS = {"SendMessage": "1.0", "message/send": "0.3"}
_NO_TASKS = ("GetTask", "CancelTask", "tasks/get", "tasks/cancel")
_PARSE, _REQUEST, _METHOD, _PARAMS, _TASK, _UNSUPPORTED = -32700, -32600, -32601, -32602, -32001, -32004


class A2aSkill(NamedTuple):
    """A skill: the tool that answers text, and the name of its argument for it."""

    title: str
    about: str
    tags: tuple[str, ...]
    example: str
    tool: str
    argument: str


SKILLS = {
    "packs": A2aSkill(
        "Context packs",
        "Briefs a task in an indexed project: the code that matters, with file, line and reason, in a token budget.",
        ("code", "context", "search"),
        "Brief me: reject expired tokens",
        "context_pack",
        "task",
    ),
    "memory": A2aSkill(
        "Project memory",
        "Recalls decisions, learnings and what agents did in the project, with what became of the code concerned.",
        ("memory", "decisions"),
        "Why are tokens opaque?",
        "episode_recall",
        "query",
    ),
    "coordination": A2aSkill(
        "Coordination",
        "Shows who works on what: claims, tasks and conflicts. With data, claims and releases files and tasks.",
        ("claims", "tasks"),
        "Who holds what?",
        "coordination_overview",
        "",
    ),
}


def card(base_url: str, *, has_tokens: bool, key_file: str = "") -> dict[str, Any]:
    """The Agent Card of A2A 1.0, with the fields of 0.3 beside them, which its readers ignore; signed with a key."""
    skills = [
        {
            "id": name, "name": one.title, "description": one.about, "tags": list(one.tags), "examples": [one.example],
            "inputModes": _MODES, "outputModes": _MODES,
        }
        for name, one in SKILLS.items()
    ]  # fmt: skip
    made: dict[str, Any] = {
        "name": "Clew",
        "description": "The right context for coding agents, in the fewest tokens, from one graph of a project.",
        "version": __version__,
        "supportedInterfaces": [
            {"url": f"{base_url}{PATH}", "protocolBinding": "JSONRPC", "protocolVersion": version}
            for version in ("1.0", "0.3")
        ],
        "capabilities": {},  # no streams, no notifications
        "defaultInputModes": _MODES,
        "defaultOutputModes": _MODES,
        "skills": skills,
    }
    if has_tokens:
        made["securitySchemes"] = {"bearer": {"httpAuthSecurityScheme": {"scheme": "bearer"}}}
        made["securityRequirements"] = [{"schemes": {"bearer": {"list": []}}}]
    return {**made, "signatures": [_sign(made, Path(key_file))]} if key_file else made


def old_card(base_url: str, *, has_tokens: bool) -> dict[str, Any]:
    """The card as agents of 0.3 read it."""
    made = card(base_url, has_tokens=has_tokens)
    for name in ("supportedInterfaces", "securitySchemes", "securityRequirements"):
        made.pop(name, None)
    security = {"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}, "security": [{"bearer": []}]}
    return {
        **made,
        "url": f"{base_url}{PATH}",
        "preferredTransport": "JSONRPC",
        "protocolVersion": "0.3.0",
        **(security if has_tokens else {}),
    }


def _sign(made: Mapping[str, Any], key_file: Path) -> dict[str, str]:
    """A detached JSON Web Signature over the canonical card, with a private key of the curve P-256."""
    try:
        from cryptography.hazmat.primitives.asymmetric import ec, utils
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    except ImportError as error:
        hint = "pip install cryptography"
        raise ConfigError("signing the agent card needs the package cryptography", hint) from error
    try:
        key = load_pem_private_key(key_file.expanduser().read_bytes(), None)
    except (OSError, ValueError, TypeError) as error:
        hint, why = "Name a PEM file without password.", getattr(error, "strerror", None) or error
        raise ConfigError(f"server.agent_card_key cannot be read: {why}", hint) from error
    if not isinstance(key, ec.EllipticCurvePrivateKey) or key.curve.name != "secp256r1":
        hint = "Make one: openssl ecparam -name prime256v1 -genkey"
        raise ConfigError("server.agent_card_key is no private key of the curve P-256", hint)
    header = _encode(msgspec.json.encode({"alg": "ES256", "typ": "JOSE", "kid": key_file.stem}))
    payload = _encode(msgspec.json.encode(_without_empty(made), order="sorted"))
    r, s = utils.decode_dss_signature(key.sign(f"{header}.{payload}".encode(), ec.ECDSA(SHA256())))
    return {"protected": header, "signature": _encode(r.to_bytes(32, "big") + s.to_bytes(32, "big"))}


def _encode(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _without_empty(value: Any) -> Any:
    """As the canonical form of cards has it: no empty texts, lists and objects, and no false values."""
    if isinstance(value, Mapping):
        kept = {name: _without_empty(one) for name, one in value.items()}
        return {name: one for name, one in kept.items() if one not in ("", [], {}, None, False)}
    if isinstance(value, list):
        return [one for one in map(_without_empty, value) if one not in ("", [], {}, None)]
    return value


CallTool = Callable[[Caller, str, Mapping[str, object]], Reply]


def respond(caller: Caller, body: bytes, call: CallTool = answer) -> dict[str, Any]:
    """Answer one JSON-RPC request; `call` calls a tool with the rights of the request."""
    try:
        request = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _error(None, _PARSE, "the body is not JSON")
    if not isinstance(request, dict) or request.get("jsonrpc") != "2.0" or not isinstance(request.get("method"), str):
        return _error(None, _REQUEST, 'a request is an object with jsonrpc "2.0", id and method')
    number, method = request.get("id"), request["method"]
    if method in _NO_TASKS:
        return _error(number, _TASK, "there are no tasks: every message is answered at once")
    version = _METHODS.get(method)
    if version is None:
        code = _UNSUPPORTED if method in ("SendStreamingMessage", "message/stream") else _METHOD
        return _error(number, code, f"{method} is not served; SendMessage is")
    try:
        message = _message_of(request.get("params"))
        reply = call(caller, *_call_of(message))
    except ClewError as error:
        return _error(number, _PARAMS, f"{error.message}. {error.hint}".strip())
    return {"jsonrpc": "2.0", "id": number, "result": _result(reply, message, version)}


def _message_of(params: object) -> Mapping[str, Any]:
    message = params.get("message") if isinstance(params, dict) else None
    if not isinstance(message, dict) or not isinstance(message.get("parts"), list) or not message["parts"]:
        hint = "Send a part with text, or data with tool and arguments."
        raise InvalidInput("params.message with parts is missing", hint)
    return message


def _call_of(message: Mapping[str, Any]) -> tuple[str, Mapping[str, object]]:
    """The tool that a message asks for, and its arguments."""
    parts = [one for one in message["parts"] if isinstance(one, dict)]
    for data in (one.get("data") for one in parts):
        if isinstance(data, dict) and isinstance(data.get("tool"), str):
            arguments = data.get("arguments") or {}
            if not isinstance(arguments, dict):
                raise InvalidInput("data.arguments is not an object", "Give the arguments of the tool by name.")
            return data["tool"], arguments
    text = "\n".join(one["text"] for one in parts if isinstance(one.get("text"), str)).strip()
    metadata = message.get("metadata")
    named = metadata.get("skill", "packs") if isinstance(metadata, dict) else "packs"
    skill = SKILLS.get(str(named))
    if skill is None:
        raise InvalidInput(f"no skill {named!r}", f"Skills: {', '.join(SKILLS)}.")
    if skill.argument and not text:
        hint = f"Say the {skill.argument}, or send data with tool and arguments."
        raise InvalidInput("the message has no text", hint)
    return skill.tool, {**({skill.argument: text} if skill.argument else {}), "max_tokens": _TOKENS}


def _result(reply: Reply, message: Mapping[str, Any], version: str) -> dict[str, Any]:
    """A message of ours: the text of a pack or the summary, and the whole envelope as data."""
    envelope = msgspec.json.decode(reply.body)
    data = envelope.get("data") or {}
    text = block(data["text"]) if isinstance(data.get("text"), str) else envelope["summary"]
    own = {"messageId": str(uuid.uuid4())}
    if context := message.get("contextId"):
        own["contextId"] = context
    if version == "1.0":
        return {"message": {**own, "role": "ROLE_AGENT", "parts": [{"text": text}, {"data": envelope}]}}
    parts = [{"kind": "text", "text": text}, {"kind": "data", "data": envelope}]
    return {**own, "kind": "message", "role": "agent", "parts": parts}


def _error(number: object, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}
