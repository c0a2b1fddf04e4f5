"""HTTP: POST /tools/{name} with the arguments as JSON; GET /tools lists them; /mcp speaks MCP."""

import contextlib
import time
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from anyio import Event, create_task_group, current_time, fail_after, get_cancelled_exc_class
from msgspec import structs
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from clew import __version__
from clew.model.errors import (
    ClewError,
    Denied,
    InvalidInput,
    MalformedBody,
    NotFound,
    RateLimited,
    TooLarge,
    Unauthorized,
    Unavailable,
    WrongMethod,
    WrongType,
)
from clew.runtime.encryption import CALLERS_KEY
from clew.runtime.guard import Guard, TokenScope
from clew.surfaces import a2a, calls, context_api, identity
from clew.surfaces.calls import in_thread, legible
from clew.surfaces.metrics import RequestCounts
from clew.text.escaping import json_text
from clew.tools.answer import Caller, Reply, answer, failure
from clew.tools.registry import TOOLS, Tool, select

if TYPE_CHECKING:
    from clew.surfaces.mcp import HttpEndpoints

MOST_CLIENTS = 10_000  # that are remembered


class RateLimit:
    """Any number of calls at once up to a minute's worth; 0 is no limit."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, client: str) -> None:
        """Count a call; raises with the seconds to wait."""
        if not self._per_minute:
            return
        now, rate = self._clock(), self._per_minute / 60
        left, at = self._buckets.pop(client, (float(self._per_minute), now))
        left = min(self._per_minute, left + (now - at) * rate)
        self._buckets[client] = (left - 1 if left >= 1 else left, now)
        if len(self._buckets) > MOST_CLIENTS:
            del self._buckets[next(iter(self._buckets))]  # the one that called longest ago
        if left < 1:
            raise RateLimited(f"more than {self._per_minute} requests a minute", f"Wait {(1 - left) / rate:.0f} s.")


SILENCE = 10  # seconds that a client may take between two parts of a body: who waits longer has forgotten us
BODY_SECONDS = 60  # and for all of it, however small the parts are


PROBES = ("/healthz", "/readyz")


class HttpLimits(msgspec.Struct, frozen=True):
    """`max_body` in bytes; `requests_per_minute` for each token or address, 0 is any number."""

    max_body: int
    request_seconds: float
    requests_per_minute: int = 0
    agent_card_key: str = ""


class Guarded:
    """Every route, the SDK's too, is checked before it sees the request; a body is counted while it arrives."""

    def __init__(self, app: ASGIApp, guard: Guard, limits: HttpLimits, metrics: RequestCounts) -> None:
        self._app = app
        self._guard = guard
        self._max_body = limits.max_body
        self._rates = RateLimit(limits.requests_per_minute)
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["path"] in PROBES:  # of whoever keeps servers running: they tell nothing else
            await self._app(scope, receive, send)
            return
        await self._count_request(Request(scope), receive, send)

    async def _count_request(self, request: Request, receive: Receive, send: Send) -> None:
        started, status = current_time(), 500

        async def send_and_count(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._check_request(request, receive, send_and_count)
        finally:
            self._metrics.count(_route_of(request.url.path), status, current_time() - started)

    async def _check_request(self, request: Request, receive: Receive, send: Send) -> None:
        scope = request.scope
        try:
            sent = request.headers
            if scope["path"] in a2a.CARD_PATHS:  # open to everybody, and signed: only addresses that are served
                self._guard.check_host(sent.getlist("host"))
                self._rates.take(_peer(scope))
                await self._app(scope, receive, send)
                return
            grant = self._guard.admit(*map(sent.getlist, ("host", "origin", "authorization", identity.API_KEY)))
            token = sent.get("authorization", "") or sent.get(identity.API_KEY, "") if self._guard.has_tokens else ""
            self._rates.take(grant.user or token or _peer(scope))
            self._check_length(sent.get("content-length"))
            _check_coding(sent.get("content-encoding", ""))
            _check_type(request.method, sent.get("content-type", ""))
            told = {identity.USER: grant.user, identity.SCOPE: grant.scope}
            await self._app({**scope, **told}, self._limit_body(receive), send)
        except ClewError as error:
            await _respond(failure(error))(scope, receive, send)
        except TimeoutError:
            await _respond(failure(MalformedBody("the body did not arrive in time")))(scope, receive, send)
        except get_cancelled_exc_class():  # by the server, which is to stop
            await _respond(failure(Unavailable("this server is shutting down")))(scope, receive, send)

    def _check_length(self, length: str | None) -> None:
        if length and length.isdigit() and int(length) > self._max_body:
            raise TooLarge(f"the body has {length} bytes; at most {self._max_body} are accepted")

    def _limit_body(self, receive: Receive) -> Receive:
        size, more, end = 0, True, current_time() + BODY_SECONDS

        async def receive_counted() -> Any:
            nonlocal size, more
            with fail_after(max(0, min(SILENCE, end - current_time())) if more else None):
                message = await receive()
            size, more = size + len(message.get("body", b"")), message.get("more_body", False)
            if size > self._max_body:
                raise TooLarge(f"the body has more than {self._max_body} bytes")
            return message

        return receive_counted


def _check_type(method: str, kind: str) -> None:
    """A page of another site can make a browser send a form or plain text, and nothing else, without asking first."""
    if method == "POST" and kind.partition(";")[0].strip().lower() != "application/json":
        raise WrongType(f"the body is sent as {kind!r}" if kind else "the body has no Content-Type")


def _check_coding(coding: str) -> None:
    if coding.strip().lower() not in ("", "identity"):
        raise MalformedBody(f"the body comes as {coding}", "Send it as it is, without Content-Encoding.")


def create(caller: Caller, guard: Guard, toolsets: tuple[str, ...], limits: HttpLimits) -> Starlette:
    """The application; `toolsets` are listed by /tools and MCP unless a request's header names others."""
    from clew.surfaces import mcp

    request_seconds, metrics = limits.request_seconds, RequestCounts()

    async def list_tools(request: Request) -> Response:
        chosen = identity.toolsets(request.headers) or toolsets
        listed = [_describe(tool) for tool in select(chosen, read_only=caller.read_only)]
        return _json(msgspec.json.encode({"tools": listed}))

    async def call_tool(request: Request) -> Response:
        arguments = identity.with_project(_arguments(legible(await request.body())), request.headers)
        who = identity.of_request(request.headers, user=request.scope.get(identity.USER, ""))
        name = request.path_params["name"]
        CALLERS_KEY.set(request.headers.get(identity.AGENT_KEY, ""))
        speaking = calls.limit_rights(structs.replace(caller, identity=who), _scope_of(request), name, arguments)
        typed = request.headers.get(identity.VALUES) == identity.TYPED
        call = partial(answer, speaking, name, arguments, typed=typed)
        return _respond(await in_thread(call, request_seconds, partial(_hung_up, request.receive)))

    async def context(request: Request) -> Response:
        kind, work, _ = context_api.ROUTES[request.url.path]
        if request.url.path in context_api.WRITING and (caller.read_only or _scope_of(request) is TokenScope.READ):
            raise Denied(f"{request.url.path} writes, and only reading is allowed here")
        body = _body(legible(await request.body()), kind)
        who = identity.of_request(request.headers, user=request.scope.get(identity.USER, ""))
        call = partial(_plainly, work, structs.replace(caller, identity=who), body)
        return await in_thread(call, request_seconds, partial(_hung_up, request.receive))

    async def stats(request: Request) -> Response:
        return await in_thread(partial(_plainly, lambda who, _: context_api.stats(who), caller, None), request_seconds)

    async def send_metrics(request: Request) -> Response:
        told = await in_thread(partial(context_api.metrics, caller, metrics), request_seconds)
        return Response(told, media_type="text/plain; version=0.0.4")

    async def healthy(request: Request) -> Response:
        return _json(b'{"status":"ok"}')

    async def ready(request: Request) -> Response:
        is_ready, why = await in_thread(partial(context_api.readiness, caller), request_seconds)
        return _json(msgspec.json.encode({"status": why}), 200 if is_ready else 503)

    async def describe(request: Request) -> Response:
        return _json(msgspec.json.encode(openapi()))

    async def agent_card(request: Request) -> Response:
        base = f"{request.url.scheme}://{request.headers.get('host', '')}"
        if request.url.path == a2a.CARD_PATHS[1]:
            return _json(msgspec.json.encode(a2a.old_card(base, has_tokens=guard.has_tokens)))
        return _json(msgspec.json.encode(a2a.card(base, has_tokens=guard.has_tokens, key_file=limits.agent_card_key)))

    async def agent_message(request: Request) -> Response:
        who = identity.of_request(request.headers, user=request.scope.get(identity.USER, ""))

        def answer_with_rights(speaking: Caller, name: str, arguments: Mapping[str, object]) -> Reply:
            named = identity.with_project(arguments, request.headers)
            return answer(calls.limit_rights(speaking, _scope_of(request), name, named), name, named)

        work = partial(
            a2a.respond, structs.replace(caller, identity=who), legible(await request.body()), answer_with_rights
        )
        told = await in_thread(work, request_seconds, partial(_hung_up, request.receive))
        return _json(json_text(told))

    a2a.card("", has_tokens=guard.has_tokens, key_file=limits.agent_card_key)  # a key that cannot sign is reported now
    server = mcp.create(caller, toolsets, mcp.ServeOptions(request_seconds))
    endpoint = _Endpoint()

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with mcp.streamable_http(server, limits.max_body) as endpoint.apps:
            yield

    return Starlette(
        routes=[
            Route("/tools", list_tools),
            Route("/tools/{name}", call_tool, methods=["POST"]),
            Route("/openapi.json", describe),
            Route("/mcp", endpoint, methods=["POST"]),
            *(Route(path, context, methods=["POST"]) for path in context_api.ROUTES),
            Route("/stats", stats),
            Route("/metrics", send_metrics),
            *(Route(path, agent_card) for path in a2a.CARD_PATHS),
            Route(a2a.PATH, agent_message, methods=["POST"]),
            Route("/healthz", healthy),
            Route("/readyz", ready),
        ],
        middleware=[Middleware(Guarded, guard=guard, limits=limits, metrics=metrics)],
        exception_handlers={
            ClewError: _on_error,
            404: _on_missing,
            405: _on_wrong_method,
            ClientDisconnect: _on_hang_up,
        },
        lifespan=lifespan,
    )


def _plainly(work: Callable[[Caller, Any], object], caller: Caller, body: object) -> Response:
    """The answer without an envelope; errors have theirs."""
    try:
        return _json(json_text(work(caller, body)))
    except ClewError as error:
        return _respond(failure(error))


def _body(body: bytes, kind: type[msgspec.Struct]) -> msgspec.Struct:
    try:
        return msgspec.json.decode(body or b"{}", type=kind)
    except msgspec.ValidationError as error:
        raise InvalidInput(str(error), "See /openapi.json for the body.") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedBody(f"the body is not a JSON object: {error}") from error


def _scope_of(request: Request) -> TokenScope:
    return TokenScope(request.scope.get(identity.SCOPE, TokenScope.ADMIN))


def _route_of(path: str) -> str:
    """A label of few values: a route or a tool."""
    tool = path.removeprefix("/tools/")
    known = path in (*context_api.ROUTES, "/tools", "/mcp", "/stats", "/metrics", "/openapi.json")
    return path if known or (tool != path and TOOLS.is_declared(tool)) else "other"


def _peer(scope: Scope) -> str:
    return str((scope.get("client") or ("",))[0])


class _Endpoint:
    """Stands in the routes from the start; the SDK's endpoint exists only while the server runs."""

    apps: "HttpEndpoints"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from clew.surfaces import stdio

        body = legible(await Request(scope, receive).body())
        if stdio.has_odd_id(body):
            await _json(stdio.NO_ID.model_dump_json().encode(), 400)(scope, receive, send)
            return
        whole: Any = {"type": "http.request", "body": body, "more_body": False}
        gone = Event()

        async def receive_once() -> Any:
            nonlocal whole
            message, whole = whole, None
            if message is None:
                await gone.wait()
            return message or {"type": "http.disconnect"}

        async def watch() -> None:
            await _hung_up(receive)
            gone.set()

        async with create_task_group() as beside:
            beside.start_soon(watch)
            await self.apps.for_body(body)({**scope, identity.GONE: gone}, receive_once, send)
            beside.cancel_scope.cancel()


async def _hung_up(receive: Receive) -> None:
    """Returns once the client has."""
    while (await receive())["type"] != "http.disconnect":
        pass


def openapi() -> dict[str, Any]:
    """The OpenAPI description, made of the registry."""
    tools = list(TOOLS.values())
    bodies, schemas = msgspec.json.schema_components(
        [tool.params for tool in tools], ref_template=f"{_SCHEMAS}{{name}}"
    )
    return {
        "openapi": "3.1.0",
        "info": {"title": "Clew", "version": __version__},
        "paths": {
            **{
                f"/tools/{tool.name}": {"post": _operation(tool, body)}
                for tool, body in zip(tools, bodies, strict=True)
            },
            **_plain_paths(),
        },
        "components": {
            "schemas": {**schemas, **_plain_schemas()[1], "Answer": _ANSWER, "Error": _ERROR},
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            },
        },
        "security": [{}, {"bearer": []}, {"key": []}],
    }


_SCHEMAS = "#/components/schemas/"
_TEXT = {"type": "string"}
_ENVELOPE = {"summary": _TEXT, "profile": _TEXT, "_tokenEstimate": {"type": "integer"}}
_ANSWER = {
    "type": "object",
    "properties": {
        "ok": {"const": True},
        **_ENVELOPE,
        "notices": {"type": "array", "items": _TEXT},
        "data": {"type": "object"},
    },
    "required": ["ok", *_ENVELOPE, "data"],
}
_ERROR = {
    "type": "object",
    "properties": {"ok": {"const": False}, **_ENVELOPE, "errorCode": _TEXT, "hint": _TEXT},
    "required": ["ok", *_ENVELOPE, "errorCode", "hint"],
}


def _plain_schemas() -> tuple[dict[type, dict[str, Any]], dict[str, Any]]:
    kinds = [kind for sent, _, answered in context_api.ROUTES.values() for kind in (sent, answered)]
    found, components = msgspec.json.schema_components(kinds, ref_template=f"{_SCHEMAS}{{name}}")
    return dict(zip(kinds, found, strict=True)), components


def _plain_paths() -> dict[str, Any]:
    """Routes that are no tools."""
    schemas, _ = _plain_schemas()
    error = {"description": "An error, with code and hint.", "content": _content({"$ref": f"{_SCHEMAS}Error"})}
    paths: dict[str, Any] = {
        path: {
            "post": {
                "operationId": path[1:] + "_http",
                "summary": (work.__doc__ or "").splitlines()[0],
                "requestBody": {"required": True, "content": _content(schemas[sent])},
                "responses": {
                    "200": {"description": "The answer.", "content": _content(schemas[answered])}, "default": error
                },
            }
        }
        for path, (sent, work, answered) in context_api.ROUTES.items()
    }  # fmt: skip
    for path, about, kind in _GETS:
        reply = {"description": about, "content": {kind: {"schema": {"type": _TYPES[kind]}}}}
        paths[path] = {
            "get": {"operationId": path[1:].replace(".", "_"), "summary": about, "responses": {"200": reply}}
        }
        paths[path]["get"]["responses"]["default"] = error
    not_ready = {"description": "Not ready, and why.", "content": _content({"type": "object"})}
    paths["/readyz"]["get"]["responses"]["503"] = not_ready
    return paths


_JSON_TYPE = "application/json"
_TYPES = {_JSON_TYPE: "object", "text/plain": "string"}
_GETS = (
    ("/stats", "What is indexed, how fast it answers, and what happened lately.", _JSON_TYPE),
    ("/metrics", "Counts for Prometheus.", "text/plain"),
    ("/healthz", "Whether the server runs.", _JSON_TYPE),
    ("/readyz", "Whether questions can be answered.", _JSON_TYPE),
)


def _operation(tool: Tool, body: dict[str, Any]) -> dict[str, Any]:
    replies = {
        "200": {"description": "The answer.", "content": _content({"$ref": f"{_SCHEMAS}Answer"})},
        "default": {
            "description": "An error, with code and hint.", "content": _content({"$ref": f"{_SCHEMAS}Error"})
        },
    }  # fmt: skip
    sent = {"required": bool(tool.schema.get("required")), "content": _content(body)}
    return {"operationId": tool.name, "summary": tool.about, "requestBody": sent, "responses": replies}


def _content(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _describe(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "toolset": tool.toolset,
        "effect": tool.effect,
        "description": tool.about,
        "input_schema": tool.schema,
    }


def _arguments(body: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(body or b"{}", type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedBody(f"the body is not a JSON object: {error}") from error


async def _on_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ClewError)
    return _respond(failure(error))


async def _on_missing(request: Request, error: Exception) -> Response:
    return _respond(failure(NotFound(f"nothing answers {request.url.path}", WrongMethod.default_hint)))


async def _on_wrong_method(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException) and error.headers
    reply = failure(WrongMethod(f"{request.url.path} does not answer {request.method}"))
    return _json(reply.body, reply.status, error.headers)


async def _on_hang_up(request: Request, error: Exception) -> Response:
    return Response(status_code=499)


def _respond(reply: Reply) -> Response:
    headers = {"www-authenticate": "Bearer"} if reply.status == Unauthorized.status else None
    return _json(reply.body, reply.status, headers)


def _json(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(body, status, headers, media_type="application/json")
