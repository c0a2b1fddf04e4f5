"""One call, answered: the same envelope on every surface."""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from clew.engine import Workspaces, new_id, now
from clew.model.errors import ClewError, Denied, InvalidInput
from clew.store.usage import Use
from clew.text.tokens import estimate
from clew.tools.budget import fit, render
from clew.tools.registry import Effect, Tool, find

log = logging.getLogger(__name__)

_STAND_IN = "tools_call"


@dataclass(frozen=True, slots=True)
class Reply:
    """An envelope, and what surfaces report beside it."""

    body: bytes
    ok: bool
    status: int
    exit_code: int


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the projects they may reach, and whether they may write."""

    workspaces: Workspaces
    read_only: bool = False


def answer(caller: Caller, name: str, arguments: Mapping[str, object], *, strict: bool = True) -> Reply:
    """Run a tool and wrap what it returns, or why it could not. Never raises but for what ends the process."""
    try:
        tool, arguments = _resolve(name, arguments)
        return Reply(_run(caller, tool, arguments, strict=strict), True, 200, 0)
    except ClewError as error:
        return failure(error)
    except Exception as error:
        log.exception("tool %s failed", name)
        return failure(ClewError(f"{name} failed: {type(error).__name__}"))


def failure(error: ClewError) -> Reply:
    envelope = {"ok": False, "summary": error.message, "profile": "compact"}
    body, _ = render({**envelope, "errorCode": error.code, "hint": error.hint})
    return Reply(body, False, error.status, error.exit_code)


def _resolve(name: str, arguments: Mapping[str, object]) -> tuple[Tool, Mapping[str, object]]:
    """The tool to run: `tools_call` stands for the one that it names."""
    tool = find(name)
    if name != _STAND_IN:
        return tool, arguments
    params: Any = tool.parse(arguments)
    if params.name == _STAND_IN:
        raise InvalidInput("tools_call cannot call itself", "Name the tool itself.")
    return find(params.name), params.arguments


def _run(caller: Caller, tool: Tool, arguments: Mapping[str, object], *, strict: bool) -> bytes:
    params: Any = tool.parse(arguments, strict=strict)
    if caller.read_only and tool.effect is Effect.WRITE:
        raise Denied(f"{tool.name} writes, and this server is read-only", "Start the server without --read-only.")
    started = time.perf_counter()
    result = tool.invoke(caller.workspaces, params)
    engine = None if tool.connection else caller.workspaces.get(params.project)
    budget = tool.budget(params, engine.config.budget.default_max_tokens if engine else 0)
    data = msgspec.to_builtins(result)
    envelope = {"ok": True, "summary": result.summary(), "profile": budget.profile, "data": data}
    body = fit(envelope, tool.shape, budget)
    if engine and engine.writable and engine.config.metrics.enabled and not caller.read_only:
        latency = int((time.perf_counter() - started) * 1_000_000)
        tokens = estimate(body.decode())
        engine.usage_log.add(Use(new_id(), now(), tool.name, "", latency, tokens, len(data.get("hits", ()))))
    return body
