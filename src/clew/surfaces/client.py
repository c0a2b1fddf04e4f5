"""A client of `clew serve`: every tool is a method that returns the same typed values as the library."""

import http.client
import logging
import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType, UnionType
from typing import Annotated, Any, Protocol, Self, Union, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct, structs

from clew.model.errors import ClewError, InvalidInput, Unavailable, Unreachable
from clew.model.search import Scope
from clew.runtime.place import find_place
from clew.runtime.settings import Config
from clew.surfaces.identity import HEADER_AGENT, HEADER_SESSION, PROJECT, TYPED, VALUES
from clew.surfaces.library import DEFAULT_LIMIT, Workspace
from clew.tools import TOOLS, Tool
from clew.tools.answer import resolve
from clew.tools.context import ContextHit
from clew.tools.registry import ALIASES, find

FIRST_PAUSE = 0.2  # seconds before the first repetition; each further one takes twice as long
LONGEST_PAUSE = 5.0
MOST_BYTES = 256 * 1024 * 1024  # of an answer
REST_SECONDS = 30.0  # that a server is left alone once it could not be reached
_PASSING = frozenset({429, 502, 503})  # statuses of a request that was not carried out, and may be in a moment

log = logging.getLogger(__name__)


class ConnectionSettings(Struct, frozen=True):
    """`timeout` in seconds for each attempt; `retries` after the first. `agent` and `session` name the caller."""

    token: str = ""
    project: str = ""
    agent: str = ""
    session: str = ""
    timeout: float = 30.0
    retries: int = 3


class Connected(Protocol):
    """A project to work with, here or on a server."""

    def call(self, tool: Tool, arguments: Mapping[str, Any]) -> Any: ...

    def close(self) -> None: ...


class ServerConnection:
    """Sends calls to a server. What reads is repeated on any passing failure; what writes only if it was not done."""

    def __init__(self, url: str, settings: ConnectionSettings, pause: Callable[[float], None] = time.sleep) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidInput(f"{url!r} is no address of a server", "Write it as http://localhost:9090.")
        self.url = url.rstrip("/")
        self._settings = settings
        self._pause = pause
        local = parts.hostname in ("localhost", "127.0.0.1", "::1")
        proxies = urllib.request.ProxyHandler({}) if local else urllib.request.ProxyHandler()
        self._opener = urllib.request.build_opener(_NoRedirects, proxies)

    def call(self, tool: Tool, arguments: Mapping[str, Any]) -> Any:
        """The tool's typed result; raises the error that the server answers."""
        tool, arguments = resolve(tool.name, arguments)
        writes = tool.writes(tool.parse(arguments))
        envelope = msgspec.json.decode(self._send(f"/tools/{tool.name}", msgspec.json.encode(arguments), writes=writes))
        if envelope["ok"]:
            return _to_value(envelope["data"], _result_type(tool, envelope["type"]))
        raise _error(envelope)

    def health(self) -> Mapping[str, Any]:
        """Whether the server can answer, and else why not."""
        try:
            found: Mapping[str, Any] = msgspec.json.decode(self._once("/readyz", None))
        except _Refused as refused:
            found = msgspec.json.decode(refused.body)
        return found

    def close(self) -> None:
        """Nothing stays open between calls."""

    def _send(self, path: str, body: bytes, *, writes: bool) -> bytes:
        for attempt in range(self._settings.retries + 1):
            try:
                return self._once(path, body)
            except _Refused as refused:
                if refused.status not in _PASSING or attempt == self._settings.retries:
                    return refused.body
                problem, after = f"status {refused.status}", refused.after
            except Unreachable as error:
                if attempt == self._settings.retries or (writes and not isinstance(error, _NotConnected)):
                    raise
                problem, after = error.message, 0.0
            wait = min(max(after, FIRST_PAUSE * 2**attempt), LONGEST_PAUSE)
            log.info("%s: %s; again in %.1f s", self.url, problem, wait)
            self._pause(wait)
        raise AssertionError("the last attempt returns or raises")

    def _once(self, path: str, body: bytes | None) -> bytes:
        settings = self._settings
        said = {
            "Content-Type": "application/json",
            VALUES: TYPED,
            "Authorization": f"Bearer {settings.token}" if settings.token else "",
            PROJECT: settings.project,
            HEADER_AGENT: settings.agent,
            HEADER_SESSION: settings.session,
        }
        headers = {name: value for name, value in said.items() if value}
        request = urllib.request.Request(f"{self.url}{path}", body, headers)  # noqa: S310 - http and https alone
        try:
            with self._opener.open(request, timeout=settings.timeout) as response:
                return bytes(response.read(MOST_BYTES))
        except urllib.error.HTTPError as error:
            with error:
                raise _Refused(error.code, error.read(MOST_BYTES), error.headers.get("Retry-After", "")) from error
        except urllib.error.URLError as error:
            raise self._problem(error.reason, connected=isinstance(error.reason, TimeoutError)) from error
        except (OSError, http.client.HTTPException) as error:  # cut short, or too slow
            raise self._problem(error, connected=True) from error

    def _problem(self, reason: object, *, connected: bool) -> "Unreachable":
        kind = Unreachable if connected else _NotConnected
        return kind(f"{self.url}: {type(reason).__name__}: {reason}")


class EmbeddedConnection:
    """The project itself, opened when it is first needed, and indexed if it never was."""

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._workspace: Workspace | None = None
        self._lock = threading.Lock()

    def call(self, tool: Tool, arguments: Mapping[str, Any]) -> Any:
        return getattr(self._open(), tool.name)(**arguments)

    def close(self) -> None:
        if self._workspace:
            self._workspace.close()

    def _open(self) -> Workspace:
        with self._lock:
            if self._workspace is None:
                opened = Workspace.open(self._path)
                if not opened.engine.coverage().indexed:
                    opened.index()
                self._workspace = opened
            return self._workspace


class HybridConnection:
    """Asks the first, and the second where the first is unavailable; then it is left alone for a while."""

    def __init__(self, first: Connected, second: Connected, clock: Callable[[], float] = time.monotonic) -> None:
        self._first = first
        self._second = second
        self._clock = clock
        self._resting_until = 0.0

    def call(self, tool: Tool, arguments: Mapping[str, Any]) -> Any:
        if self._clock() >= self._resting_until:
            try:
                return self._first.call(tool, arguments)
            except Unavailable as error:
                is_in_doubt = isinstance(error, Unreachable) and not isinstance(error, _NotConnected)
                if is_in_doubt and self._writes(tool, arguments):
                    raise  # it may have been done
                log.warning("%s is answered by the fallback: %s", tool.name, error.message)
                self._resting_until = self._clock() + REST_SECONDS
        return self._second.call(tool, arguments)

    def close(self) -> None:
        self._first.close()
        self._second.close()

    @staticmethod
    def _writes(tool: Tool, arguments: Mapping[str, Any]) -> bool:
        tool, arguments = resolve(tool.name, arguments)
        return tool.writes(tool.parse(arguments))


class RemoteWorkspace:
    """Every tool as a method. Use it as a context manager, or close it. Any thread may use it."""

    def __init__(self, connection: Connected) -> None:
        self._connection = connection

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """The tool of this name, as a method."""
        if name not in TOOLS and name not in ALIASES:
            raise AttributeError(f"a client has no attribute or tool {name!r}")
        return partial(self._call, find(name))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *TOOLS]

    def search(self, query: str, *, limit: int = DEFAULT_LIMIT, scope: Scope | None = None) -> list[ContextHit]:
        """The best hits of `query_context`, without a budget."""
        within = {name: value for name, value in structs.asdict(scope).items() if value} if scope else {}
        found = self._call(find("query_context"), query=query, k=limit, scope=within, explain=True)
        return list(found.hits)

    def close(self) -> None:
        self._connection.close()

    def _call(self, tool: Tool, *positional: Any, **arguments: Any) -> Any:
        names = [field.name for field in structs.fields(tool.params)]
        given = dict(zip(names, positional, strict=False))
        if len(positional) > len(names) or given.keys() & arguments.keys():
            raise InvalidInput(f"{tool.name} takes {', '.join(names)}, each once")
        return self._connection.call(tool, {**given, **arguments})


def connect(
    url: str = "", *, path: str | Path = ".", fallback: bool = False, settings: ConnectionSettings | None = None
) -> RemoteWorkspace:
    """Connect to a server; without `url`, to what `mode` and [engine] of the project at `path` name."""
    if url:
        server = ServerConnection(url, settings or ConnectionSettings())
        return RemoteWorkspace(HybridConnection(server, EmbeddedConnection(path)) if fallback else server)
    config = find_place(Path(path), os.environ).settings.config
    embedded = EmbeddedConnection(path)
    if config.mode == "embedded":
        return RemoteWorkspace(embedded)
    server = ServerConnection(_address(config), settings or _settings(config))
    if config.mode == "hybrid":
        return RemoteWorkspace(HybridConnection(embedded, server))
    return RemoteWorkspace(HybridConnection(server, embedded) if fallback else server)


def _address(config: Config) -> str:
    host = config.engine.host
    return f"http://{f'[{host}]' if ':' in host else host}:{config.engine.port}"


def _settings(config: Config) -> ConnectionSettings:
    engine = config.engine
    return ConnectionSettings(
        token=config.server.token, timeout=engine.timeout_ms / 1000, retries=engine.retry_attempts
    )


class _NotConnected(Unreachable):
    """The request was not sent."""


class _Refused(Exception):
    """An answer with another status than 200; `after` is how many seconds the server asks to wait."""

    def __init__(self, status: int, body: bytes, after: str) -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.body = body
        self.after = float(after) if after.replace(".", "", 1).isdigit() else 0.0


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The token goes to the server that was named, and nowhere else."""

    def redirect_request(self, *_: object) -> None:
        return None


def _result_type(tool: Tool, name: str) -> Any:
    """The result type with this name, for a tool with several."""
    declared = get_type_hints(tool.run)["return"]
    return next((one for one in get_args(declared) if getattr(one, "__name__", "") == name), declared)


def _to_value(value: Any, kind: Any) -> Any:
    """As msgspec converts, and unions of structs by the names of their fields."""
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _to_value(value, args[0])
    if origin in (Union, UnionType) and isinstance(value, dict):
        structs_of_it = [one for one in args if isinstance(one, type) and issubclass(one, Struct)]
        return _to_value(value, next((one for one in structs_of_it if _fits(value, one)), args[0]))
    if isinstance(kind, type) and issubclass(kind, Struct) and isinstance(value, dict):
        hints, names = get_type_hints(kind), {field.encode_name: field.name for field in structs.fields(kind)}
        return kind(**{names[key]: _to_value(one, hints[names[key]]) for key, one in value.items() if key in names})
    if origin in (tuple, list) and isinstance(value, list) and (origin is list or args[1:] == (...,)):
        return origin(_to_value(one, args[0]) for one in value)
    return msgspec.convert(value, kind, strict=False)


def _fits(value: Mapping[str, Any], kind: type[Struct]) -> bool:
    fields = structs.fields(kind)
    required = {field.encode_name for field in fields if field.required}
    return required <= value.keys() <= {field.encode_name for field in fields}


def _error(envelope: Mapping[str, Any]) -> ClewError:
    code = envelope["errorCode"]
    kind = next((one for one in _subclasses(ClewError) if one.code == code), ClewError)
    return kind(envelope["summary"], envelope["hint"])


def _subclasses(kind: type[ClewError]) -> Iterator[type[ClewError]]:
    """The general ones first: a special one of the same code may take other arguments."""
    kinds = [kind]
    while kinds:
        yield from kinds
        kinds = [one for kind in kinds for one in kind.__subclasses__() if not one.__name__.startswith("_")]
