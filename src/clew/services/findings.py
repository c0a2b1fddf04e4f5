"""The declarations and uses of one source file: routes, requests, events, remote procedures, entities and constants.

A pure function of a file's text and symbols, so that it is kept by their digest. Values are templates (`source.py`),
resolved when the system is put together.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, structs

from clew.languages.service_forms import forms_of
from clew.model.code import Symbol
from clew.model.words import Kind
from clew.services import frameworks as names
from clew.services.documents import graphql_operations
from clew.services.route_forms import (
    ViewSet,
    assigned_name,
    called_procedure,
    listed_handler,
    listed_route,
    procedures,
    registered_viewset,
    resource_routes,
    viewsets,
)
from clew.services.source import REFERENCE, UNKNOWN, Argument, CallSite, CodeSource, Constant
from clew.services.tokens import NAME, STRING

WORTH_READING = re.compile(
    r"https?:|wss?:|lb:|amqp|jdbc|mongo|redis|/\{|Mapping|route|HttpRoute|router|\bapp\.|listen|handle|Handle|Controller|request|axios|fetch|"
    r"[Cc]lient|[Hh]ttp|grpc|Grpc|GRPC|Stub|Servicer|[Kk]afka|[Rr]abbit|[Pp]ublish|[Ss]ubscri|[Qq]ueue|[Tt]opic|nats|celery|task|[Ee]vent|"
    r"sinatra|Route::|trpc|Listener|Consumer|IHandle|INotification|@Incoming|@Outgoing|graphql|GraphQL|procedure|gql|\.(?:GET|POST|PUT|DELETE|PATCH|Get|Post|Put|Delete|Patch|Group|Any|Handle)\(|createContext|"
    r"emit|__tablename__|Base\)|dataclass|Entity|Model|models|Schema|Document|Table|urlpatterns|Enable[A-Z]|@Path|@GET|resources?\b|namespace|getenv|environ|process\.env"
)
LARGEST = 1_000_000  # bytes of a file
_URL = re.compile(r"^(?:[a-z][a-z0-9+.]*:)+//", re.IGNORECASE)
_METHOD_NAMES = {verb.lower(): verb for verb in names.VERBS}
_CONSTRUCT = frozenset({"new"})
_MOUNTS = frozenset(
    {
        "use",
        "include_router",
        "register_blueprint",
        "mount",
        "nest",
        "route",
        "register",
        "add_namespace",
        "addRoutes",
        "include",
    }
)
_GROUPS = frozenset(
    {
        "Group",
        "PathPrefix",
        "group",
        "Route",
        "scope",
        "MapGroup",
        "Blueprint",
        "APIRouter",
        "basePath",
        "prefix",
        "nest",
        "namespace",
        "Namespace",
        "path",
        "nest_service",
        "Subrouter",
        "Mount",
        "route",
    }
)
_CALLABLE = frozenset({Kind.FUNCTION, Kind.METHOD})
_NOT_CALLED = frozenset({"@", "def", "func", "fn", "function", "fun"})
_SERVER = re.compile(rf"^({names.SERVER_NAMES})$", re.IGNORECASE)
_CLIENT = re.compile(rf"^({names.CLIENT_NAMES})$", re.IGNORECASE)
_FIRST_CLIENT = re.compile(
    r"requests|httpx|axios|resttemplate|webclient|httpclient|reqwest|superagent|faraday|guzzle|\w*client|session",
    re.IGNORECASE,
)
DRIVER_HOST = re.compile(r"(?:^|[;:\s])(?:host|Host|Server|Data Source|HOST)\s*=\s*([\w.-]+)")
_SPEAKS_GRPC = re.compile(r"grpc|stub|tonic|connect|pb\.|_pb|proto")
_STARTS = re.compile(
    r"SpringApplication\.run|runApplication<|if __name__ == .__main__.|func main\(\)|fn main\(|"
    r"static (?:async )?(?:void|int|Task|Task<int>) Main\(|\.listen\(|WebApplication\.CreateBuilder|"
    r"public static void main|"
    r"fun main\(|uvicorn\.run|app\.run\(|Micronaut\.run|Quarkus\.run|int main\("
)
_GENERATED = re.compile(
    r"(_pb2(_grpc)?\.pyi?|\.pb(\.\w+)?\.\w+|_grpc_pb\.[jt]s|_pb\.(js|d\.ts|rb)|Grpc\.(java|cs)|\.g\.cs|_grpc\.pb\.go|\.pb\.go|\.min\.js|_connect\.ts)$"
)
_STUBS = (
    (re.compile(r"^New([A-Z]\w*?)(?:Service)?Client$"), "New"),
    (re.compile(r"^([A-Z]\w*)Stub$"), "Stub"),
    (re.compile(r"^([A-Z]\w*)Client$"), "Client"),
)


class HttpRoute(Struct, frozen=True):
    """`router` is the variable that it is declared on; `prefixes` are those that stand in this file."""

    method: str
    path: str
    line: int
    handler: str
    router: str = ""
    client: str = ""  # the address of the service, for the methods of a declared client: not answered but called
    kind: str = "code"


class Mount(Struct, frozen=True):
    """A router that is mounted under a prefix: `target` is its name, or the module that has it.

    `made` if the router is made with this prefix.
    """

    router: str
    prefix: str
    target: str
    line: int
    made: bool = False


class HttpRequest(Struct, frozen=True):
    method: str
    url: str
    line: int
    kind: str
    certain: bool  # whether the call surely is a request; other texts only name an address


class EventMessage(Struct, frozen=True):
    topic: str
    publishes: bool
    line: int
    kind: str
    in_process: bool = False  # known to stay within a process unless another service consumes it


class Procedure(Struct, frozen=True):
    """A remote service by the name of its interface: served here, or called."""

    interface: str
    serves: bool
    line: int
    address: str = ""


class MethodUse(Struct, frozen=True):
    """A method that is called on something: matched with the procedures of interfaces."""

    name: str
    line: int


class Record(Struct, frozen=True):
    """A class that is stored or exchanged."""

    name: str
    fields: tuple[str, ...]
    line: int
    symbol: str
    kind: str
    strong: bool
    relations: tuple[tuple[str, str], ...] = ()  # kind of relation, and the other's name


class Mark(Struct, frozen=True):
    """An annotation that says which part of a system a service is or needs."""

    name: str
    line: int


class ClientBase(Struct, frozen=True):
    """The address that clients of a class are made with."""

    class_name: str
    address: str


class GraphQLOperation(Struct, frozen=True):
    """A field of a schema that is asked for: `Query.product`."""

    field: str
    line: int


class Forward(Struct, frozen=True):
    """A path that a gateway forwards to an address, as its code says."""

    path: str
    target: str
    line: int


class FileFindings(Struct, frozen=True):
    operations: tuple[GraphQLOperation, ...] = ()
    forwards: tuple[Forward, ...] = ()
    viewsets: tuple[ViewSet, ...] = ()
    routes: tuple[HttpRoute, ...] = ()
    mounts: tuple[Mount, ...] = ()
    requests: tuple[HttpRequest, ...] = ()
    messages: tuple[EventMessage, ...] = ()
    procedures: tuple[Procedure, ...] = ()
    members: tuple[MethodUse, ...] = ()
    records: tuple[Record, ...] = ()
    marks: tuple[Mark, ...] = ()
    bases: tuple[str, ...] = ()
    client_bases: tuple[ClientBase, ...] = ()
    classes: tuple[str, ...] = ()
    constants: tuple[Constant, ...] = ()
    application: int = 0  # the line that starts a program


NOTHING = FileFindings()


def is_generated(path: str) -> bool:
    return _GENERATED.search(path) is not None


def read_file(path: str, text: str, language: str, symbols: Sequence[Symbol]) -> FileFindings:
    """The findings of a file; constants only, if nothing in it speaks of services."""
    if forms_of(language) is None or len(text) > LARGEST or is_generated(path):
        return NOTHING
    source = CodeSource(path, text, language, symbols)
    if not WORTH_READING.search(text):
        return FileFindings(constants=_constants(source))
    return _Reader(source).read()


def _constants(source: CodeSource) -> tuple[Constant, ...]:
    return tuple(one for one in source.constants if "\x01" not in one.value or len(one.value) < 300)


class _Reader:
    """Reads one source file; each method finds one kind."""

    def __init__(self, source: CodeSource) -> None:
        self.source, self.forms = source, source.forms
        self.texts, self.kinds = source.tokens.texts, source.tokens.kinds
        self.lowered = source.text.lower()
        self.is_celery = source.forms.task_functions and re.search(r"celery|shared_task", self.lowered) is not None

    def read(self) -> FileFindings:
        nested = list(procedures(self.source))
        routes = [*self._annotated_routes(), *self._called_routes(), *self._file_routes()]
        routes += [HttpRoute(*structs.astuple(one)) for one, inner in nested if not inner]
        routes_at = {one.line for one in routes}
        messages = list(self._messages())
        messages_at = {one.line for one in messages}
        requests = [one for one in self._requests() if one.line not in routes_at]
        known = {one.line for one in requests}
        addresses = [one for one in self._addresses() if one.line not in known | routes_at | messages_at]
        return FileFindings(
            routes=tuple(dict.fromkeys(routes)),
            mounts=(*self._mounts(), *(Mount(one.router, one.path, inner, one.line) for one, inner in nested if inner)),
            viewsets=tuple(viewsets(self.source)),
            requests=tuple(dict.fromkeys([*requests, *addresses])),
            operations=tuple(dict.fromkeys(self._operations())),
            forwards=tuple(self._forwards()),
            messages=tuple(dict.fromkeys(messages)),
            procedures=tuple(dict.fromkeys(self._procedures())),
            members=tuple(dict.fromkeys(self._members())),
            records=tuple(self._records()),
            marks=tuple(self._marks()),
            bases=tuple(dict.fromkeys(self._bases())),
            client_bases=tuple(self._client_bases()),
            classes=tuple(one.name for one in self.source.symbols if one.kind is Kind.CLASS) if requests else (),
            constants=_constants(self.source),
            application=self._application(),
        )

    # Routes

    def _annotated_routes(self) -> Iterator[HttpRoute]:
        source = self.source
        by_symbol: dict[str, list[CallSite]] = {}
        for one in source.annotations:
            is_route = one.name in names.ROUTE_ANNOTATIONS and not self._is_field_type(one)
            if is_route and (holder := self._annotated_symbol(one)) is not None:
                by_symbol.setdefault(holder.scope, []).append(one)
        symbols = {one.scope: one for one in source.symbols}
        for scope, annotations in by_symbol.items():
            symbol = symbols[scope]
            if symbol.kind not in _CALLABLE:
                continue
            holder = symbols.get(scope.rpartition("::")[0])
            prefixes, client = self._prefixes(holder) if holder else ([""], "")
            for method, path, line, router in self._declared_routes(annotations):
                for prefix in prefixes:
                    yield HttpRoute(
                        method,
                        _join_paths(prefix, _own(path, symbol.name, holder)),
                        line,
                        scope,
                        router,
                        client,
                        "annotation",
                    )

    def _is_field_type(self, annotation: CallSite) -> bool:
        """Whether it is a word of another library, by having no path and no HTTP about it."""
        if annotation.name in ("Query", "All", "Path") and annotation.opener < 0:
            return True
        if annotation.name[:1].islower() and self.forms.capital_annotations:
            return True
        is_verb = annotation.name in ("Get", "Post", "Put", "Delete", "Patch", "Head", "Options")
        if is_verb and self.forms.shared_verb_annotations:
            return not re.search(r"micronaut|http|refit|restease", self.lowered)
        if self.forms.path_decorators:
            first = self.source.template(annotation, 0, "path", "rule")
            return annotation.opener < 0 or not (
                first.startswith("/")
                or first == ""
                or "\x01" in first
                or (annotation.name in ("route", "get", "post") and "/" in first)
            )
        return self.forms.called_annotations and annotation.opener < 0

    def _annotated_symbol(self, annotation: CallSite) -> Symbol | None:
        """The definition that an annotation belongs to."""
        source, line = self.source, annotation.line
        inside = source.symbol_at(line, _CALLABLE)
        if inside is not None and line <= self._header(inside):
            return inside
        holder = source.symbol_at(line)
        if holder is not None and holder.kind not in _CALLABLE and line <= self._header(holder):
            return holder
        after = [
            one
            for one in source.symbols
            if line < one.span.first <= line + 12 and one.kind in (*_CALLABLE, Kind.CLASS, Kind.INTERFACE)
        ]
        return min(after, key=lambda one: (one.span.first, -one.span.last), default=None)

    def _header(self, symbol: Symbol) -> int:
        """The line of a definition's own name."""
        lines = self.source.tokens.lines
        begin = _first_at(lines, symbol.span.first)
        depth = 0
        for at in range(begin, len(lines)):
            if lines[at] > symbol.span.last:
                break
            if self.kinds[at] != STRING:
                depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(self.texts[at], 0)
            if depth <= 0 and self.texts[at] == symbol.name and self.kinds[at] == NAME and self.texts[at - 1] != "@":
                return lines[at]
        return symbol.span.first

    def _prefixes(self, holder: Symbol) -> tuple[list[str], str]:
        """The prefixes of a class, and the address that its methods call if it is a client."""
        source = self.source
        prefixes, client = [""], ""
        for one in source.annotations:
            if one.line < holder.span.first or one.line > self._header(holder):
                continue
            short = one.name.rpartition(".")[2]
            if short in names.CLIENT_ANNOTATIONS:
                address = source.template(one, -1, "url", "baseUri") or ""
                name = source.template(one, 0, "name", "value", "serviceId", "id", "configKey")
                client = address if address and address != UNKNOWN else (name if "://" in name else f"lb://{name}")
                extra = source.template(one, -1, "path")
                prefixes = [_join_paths(prefix, extra) for prefix in prefixes] if extra else prefixes
            elif short in names.PREFIX_ANNOTATIONS:
                values = self._paths(one)
                prefixes = [_join_paths(prefix, value) for prefix in prefixes for value in values] or prefixes
        prefixes = [
            one.replace("[controller]", re.sub("Controller$", "", holder.name).lower()).replace("[area]", "{}")
            for one in prefixes
        ]
        if not client and self.forms.interface_clients and holder.kind is Kind.INTERFACE and "retrofit" in self.lowered:
            client = UNKNOWN
        return prefixes, client

    def _paths(self, annotation: CallSite) -> list[str]:
        source = self.source
        arguments = source.arguments(annotation)
        for one in arguments:
            if one.name in ("value", "path", "rule", "url", "Template", "template"):
                return source.templates(one.start, one.end)
        plain = [one for one in arguments if not one.name]
        if plain:
            fields = source.fields(plain[0].start, plain[0].end) if self.texts[plain[0].start] == "{" else {}
            if "path" in fields:
                return source.templates(fields["path"].start, fields["path"].end)
            return source.templates(plain[0].start, plain[0].end)
        return [""]

    def _declared_routes(self, annotations: list[CallSite]) -> Iterator[tuple[str, str, int, str]]:
        """The routes that the annotations of one function declare together."""
        source = self.source
        verbs = [one for one in annotations if names.ROUTE_ANNOTATIONS[one.name] and one.opener < 0]
        paths = [one for one in annotations if one.name == "Path"]
        if (verbs or any(one.opener > 0 and source.arguments(one) == [] for one in annotations)) and (
            paths or self.forms.bare_verb_annotations
        ):
            plain = [one for one in annotations if one.name != "Path"]  # JAX-RS: @GET and, perhaps, @Path
            path = self._paths(paths[0])[0] if paths else ""
            for one in plain:
                if names.ROUTE_ANNOTATIONS[one.name]:
                    yield names.ROUTE_ANNOTATIONS[one.name], path, one.line, ""
            if plain:
                return
        routed = [one for one in annotations if one.name == "Route" and self.forms.route_attributes]
        for one in annotations:
            method = names.ROUTE_ANNOTATIONS[one.name]
            if one in routed and len(annotations) > len(routed):
                continue
            if one.name == "Path":
                continue
            router = source.receiver(one) or (
                ".".join(self.texts[one.at : one.opener][:-2:2]) if one.opener > 0 else ""
            )
            given = self._paths(one)
            if given == [""] and routed:
                given = self._paths(routed[0])
            for verb in [method] if method else self._methods(one):
                for path in given:
                    yield verb, path, one.line, router

    def _methods(self, call: CallSite) -> list[str]:
        """The HTTP methods that an argument tells."""
        for one in self.source.arguments(call):
            if one.name in ("methods", "method", "via"):
                found = [
                    text.upper().lstrip(":")
                    for text in self.texts[one.start : one.end]
                    if text.upper().lstrip(":") in names.VERBS
                ]
                if found:
                    return found
        return [self.forms.default_method or names.ANY]

    def _called_routes(self) -> Iterator[HttpRoute]:
        source = self.source
        annotations = {one.opener for one in source.annotations}
        for call in source.calls:
            if call.name in names.ROUTE_CALLS and call.opener not in annotations:
                yield from self._called_route(call)
        if self.forms.resource_commands:
            yield from self._resource_routes()
        if self.forms.route_commands:
            for call in source.commands:
                if call.name in _METHOD_NAMES and (path := source.template(call, 0)).startswith("/"):
                    yield HttpRoute(_METHOD_NAMES[call.name], path, call.line, "")

    def _called_route(self, call: CallSite) -> Iterator[HttpRoute]:
        source = self.source
        arguments = source.arguments(call)
        if not arguments or (call.at and self.texts[call.at - 1] in _NOT_CALLED):
            return
        if call.name in names.ROUTE_WORDS and not re.search(names.ROUTE_WORDS[call.name], source.text):
            return
        path = source.evaluate(arguments[0].start, arguments[0].end)
        special = self._special_routes(call, arguments, path)
        if special is not None:
            yield from special
            return
        receiver = source.receiver(call)
        last = receiver.rpartition(".")[2].lstrip("$@")
        method = names.ROUTE_CALLS[call.name]
        if re.match(r"(GET|POST|PUT|DELETE|PATCH|HEAD) /", path):  # Go 1.22: "GET /path"
            method, _, path = path.partition(" ")
        is_root = path == "" and bool(last) and self.kinds[arguments[0].start] == STRING
        is_named = path.startswith("\x01") and call.name.isupper()
        may_be = (is_root or is_named) and _SERVER.match(last)
        if not path.startswith("/") and not may_be and not (receiver.startswith("Route") and self.forms.route_facade):
            return
        if not self._is_server(call, last, arguments):
            return
        verb = source.chained_call(call)
        if call.name in ("HandleFunc", "Handle") and verb is not None and verb.name == "Methods":
            methods = [self._http_method(text) for text in self.texts[verb.opener : verb.closer]]
        elif call.name in ("handle", "match", "MapMethods"):
            methods = [self._http_method(text) for text in self.texts[call.opener : call.closer]][:1]
        else:
            methods = [method]
        for one in [found for found in methods if found] or [names.ANY]:
            yield HttpRoute(
                one, self._add_group_prefixes(call, path), call.line, self._handler(call, arguments), receiver
            )

    def _special_routes(self, call: CallSite, arguments: list[Argument], path: str) -> Iterable[HttpRoute] | None:
        """Routes that are declared in a framework's own way; None for those that are declared as most are."""
        source = self.source
        receiver = source.receiver(call)
        if call.name in ("path", "re_path", "url"):
            is_django = "urlpatterns" in source.text and len(arguments) > 1 and not receiver
            return self._django_route(call, arguments, path) if is_django else ()
        if self.forms.method_routers and call.name == "route" and len(arguments) > 1:
            return self._axum_routes(call, arguments, path)
        if self.forms.method_routers and call.name == "resource":
            return ()
        if self.forms.route_objects and call.name in ("Route", "WebSocketRoute", "register"):
            return self._route_objects(call, arguments, path)
        if self.forms.route_facade and call.name in ("resource", "apiResource") and receiver.startswith("Route"):
            return [
                HttpRoute(one.method, self._add_group_prefixes(call, one.path), one.line, one.handler)
                for one in resource_routes(source, call, path)
            ]
        if call.name == "route" and self._mounts_router(call, arguments):
            return ()
        if call.name == "createContext":
            handler = self._handler(call, arguments) if len(arguments) > 1 else ""
            return [HttpRoute(names.ANY, path, call.line, handler)] if path.startswith("/") else ()
        if self.forms.static_routes and call.name.isupper() and not receiver and path.startswith("/"):
            return self._static_route(call, path)
        if call.name == "route" and (verb := source.chained_call(call)) and verb.name in _METHOD_NAMES:
            return self._chained_routes(call, verb, path, receiver)
        if len(arguments) < 2 and not self._has_block(call):
            return self._object_route(call, arguments[0], receiver)
        if self.forms.route_objects and call.name in ("add_url_rule", "add_api_route", "add_route"):
            handler = self._handler(call, arguments)
            return [HttpRoute(verb, path, call.line, handler, receiver) for verb in self._methods(call)]
        return None

    def _route_objects(self, call: CallSite, arguments: list[Argument], path: str) -> Iterable[HttpRoute]:
        if call.name == "register":
            found = registered_viewset(self.source, call, arguments) if "rest_framework" in self.source.text else None
            return [HttpRoute(*structs.astuple(found))] if found else ()
        if "starlette" not in self.lowered and "fastapi" not in self.lowered:
            return ()
        return [HttpRoute(*structs.astuple(one)) for one in listed_route(self.source, call, arguments, path)]

    def _static_route(self, call: CallSite, path: str) -> Iterable[HttpRoute]:
        """Spring: `route(GET("/actors"), handler::actors)`."""
        for outer in self.source.calls:
            if outer.name in ("route", "andRoute") and outer.opener < call.at < outer.closer:
                arguments = self.source.arguments(outer)
                if arguments and arguments[0].start <= call.at < arguments[0].end and len(arguments) > 1:
                    return [HttpRoute(call.name, path, call.line, self._handler(outer, arguments))]
        return ()

    def _mounts_router(self, call: CallSite, arguments: list[Argument]) -> bool:
        """Hono: `app.route("/books", books)`."""
        return (
            self.forms.is_script
            and "hono" in self.lowered
            and len(arguments) == 2
            and self._is_plain_name(arguments[1])
        )

    def _is_plain_name(self, argument: Argument) -> bool:
        return argument.end == argument.start + 1 and self.kinds[argument.start] == NAME

    def _chained_routes(self, call: CallSite, verb: CallSite | None, path: str, receiver: str) -> Iterator[HttpRoute]:
        """Express: `.route("/x").get(list).post(create)`."""
        while verb is not None and verb.name in _METHOD_NAMES:
            handler = self._handler(verb, self.source.arguments(verb))
            yield HttpRoute(
                _METHOD_NAMES[verb.name], self._add_group_prefixes(call, path), verb.line, handler, receiver
            )
            verb = self.source.chained_call(verb)

    def _object_route(self, call: CallSite, argument: Argument, receiver: str) -> Iterator[HttpRoute]:
        """Fastify: `route({ method: "GET", url: "/x", … })`."""
        fields = self.source.fields(argument.start, argument.end) if call.name == "route" else {}
        where = fields.get("url") or fields.get("path")
        if where is not None:
            told = fields.get("method")
            method = self.source.evaluate(told.start, told.end) if told else names.ANY
            yield HttpRoute(method.upper(), self.source.evaluate(where.start, where.end), call.line, "", receiver)

    @staticmethod
    def _http_method(text: str) -> str:
        upper = text.upper().removeprefix("METHOD").lstrip(":")
        return upper if upper in names.VERBS else ""

    def _is_server(self, call: CallSite, receiver: str, arguments: list[Argument]) -> bool:
        """Whether a call with a path declares a route rather than sends a request."""
        if receiver.endswith("()") and receiver[:-2].lower() in (
            "r",
            "request",
            "newrequest",
            "create",
            "build",
            "client",
        ):
            return False
        if _FIRST_CLIENT.fullmatch(receiver):
            return False
        handler = arguments[1] if len(arguments) > 1 else None
        if self.forms.is_script:
            if handler is None:
                return False
            begins = self.texts[handler.start]
            is_function = any(
                text in ("=>", "function") for text in self.texts[handler.start : min(handler.end, handler.start + 24)]
            )
            if begins in ("{", "`") or self.kinds[handler.start] == STRING:
                return False
            return (bool(_SERVER.match(receiver)) and (is_function or receiver.lower() not in ("api", "http"))) or (
                is_function and receiver.lower() not in ("axios", "$", "http")
            )
        if call.name.startswith("Map") or call.name in ("HandleFunc", "Handle", "handle_func", "HandlerFunc"):
            return True
        if self.forms.block_routes and not receiver:
            return self._has_block(call)
        if self.forms.receiver_routes and not receiver:
            return False
        if call.name.isupper() and self.forms.receiver_routes:  # Spring's functional routes: .GET("/x", handler)
            return True
        return bool(_SERVER.match(receiver)) or receiver.endswith("()") or receiver == "Route"

    def _has_block(self, call: CallSite) -> bool:
        at = call.closer + 1
        return (
            at < len(self.texts)
            and self.texts[at] in ("{", "do")
            and self.source.tokens.lines[at] == self.source.tokens.lines[call.closer]
        )

    def _add_group_prefixes(self, call: CallSite, path: str) -> str:
        """A path with the prefixes of the groups that it is nested in, or chained to, in this file."""
        source = self.source
        prefix = ""
        for outer in source.calls:
            if outer.at >= call.at:
                break
            within = outer.opener < call.at < outer.closer or (
                self._has_block(outer) and outer.closer < call.at < source.tokens.partner[outer.closer + 1]
            )
            if within and outer.name in _GROUPS and outer.at != call.at:
                given = source.template(outer, 0, "prefix")
                if given.startswith("/") or (given and self.forms.bare_prefixes and re.fullmatch(r"[\w/{}.-]+", given)):
                    prefix = _join_paths(prefix, given)
                for one in source.chain(outer):
                    if one.name in ("prefix", "path"):
                        prefix = _join_paths(prefix, source.template(one, 0))
        for one in source.chain(call):
            if one.name in ("Group", "PathPrefix", "Path", "prefix", "scope", "MapGroup"):
                prefix = _join_paths(prefix, source.template(one, 0))
        return _join_paths(prefix, path)

    def _handler(self, call: CallSite, arguments: list[Argument]) -> str:
        """The name of the function that answers: the last plain name among the arguments."""
        for one in reversed(
            [
                argument
                for argument in arguments[1:] or arguments
                if not argument.name or argument.name in ("view_func", "endpoint", "to")
            ]
        ):
            last = one.end - 1
            if self.forms.route_facade and (listed := listed_handler(self.source, one)):
                return listed
            if (
                self.texts[last] == ")" and self.source.tokens.partner[last] > one.start
            ):  # Views.as_view(), wrap(handler)
                inside = self.source.tokens.partner[last]
                if self.texts[inside - 1] in ("as_view", "asView"):
                    return self.texts[inside - 3]
                last = last - 1 if self.kinds[last - 1] == NAME else inside - 1
            if self.kinds[last] == NAME:
                return self.texts[last]
        holder = self.source.symbol_at(call.line, _CALLABLE)
        return holder.scope if holder else ""

    def _django_route(self, call: CallSite, arguments: list[Argument], path: str) -> Iterator[HttpRoute]:
        view = arguments[1]
        if self.texts[view.start] == "include":
            return
        clean = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", re.sub(r"\(\?P<(\w+)>[^)]*\)", r"{\1}", path)).strip("^$")
        yield HttpRoute(
            names.ANY, f"/{clean.lstrip('/')}", call.line, self._handler(call, arguments[:2]), "urlpatterns"
        )

    def _axum_routes(self, call: CallSite, arguments: list[Argument], path: str) -> Iterator[HttpRoute]:
        inner = [one for one in self.source.calls if arguments[1].start <= one.at < arguments[1].end]
        verbs = [one for one in inner if one.name in _METHOD_NAMES or one.name == "any"]
        for one in verbs:
            method = _METHOD_NAMES.get(one.name, names.ANY)
            router = assigned_name(self.source, call.at)
            handlers = self.source.arguments(one) or (
                self.source.arguments(to) if (to := self.source.chained_call(one)) and to.name == "to" else []
            )
            yield HttpRoute(
                method,
                self._add_group_prefixes(call, path),
                one.line,
                self._handler(one, [Argument("", 0, 0), *handlers]) if handlers else "",
                router,
            )

    def _resource_routes(self) -> Iterator[HttpRoute]:
        """Sinatra's verbs, and Rails' routes with their namespaces and resources."""
        source = self.source
        rails = "routes.draw" in source.text
        if not rails and not re.search(r"sinatra|grape|hanami|roda|get ['\"]/", self.lowered):
            return
        for call in source.commands:
            if call.name in _METHOD_NAMES:
                path = source.template(call, 0)
                if "\x01" in path[:1]:
                    continue
                handler = source.template(call, -1, "to")
                if path.startswith("/") or rails:
                    yield HttpRoute(
                        _METHOD_NAMES[call.name],
                        _join_paths(self._namespace(call) if rails else "", path),
                        call.line,
                        handler.rpartition("#")[2],
                    )
            elif rails and call.name in ("resources", "resource"):
                yield from self._resources(call)

    def _resources(self, call: CallSite) -> Iterator[HttpRoute]:
        only: set[str] = set()
        for at in range(call.at + 1, call.closer):
            if self.texts[at] in ("only", ":only", "except"):
                end = at + 2
                while end < call.closer and self.texts[end] != "]":
                    end += 1
                only = {
                    text.lstrip(":") for text in self.texts[at + 1 : end] if text[:1] == ":" or self.kinds[at] == STRING
                }
        many = call.name == "resources"
        key = "/{id}" if many else ""
        actions = (
            ("index", "GET", ""),
            ("create", "POST", ""),
            ("show", "GET", key),
            ("update", "PUT", key),
            ("destroy", "DELETE", key),
        )
        for text in self.texts[call.at + 1 : call.closer]:
            if not text.startswith(":") or text in (":only", ":except"):
                break
            base = _join_paths(self._namespace(call), text[1:])
            for action, verb, tail in actions:
                if (many or action != "index") and (not only or action in only):
                    yield HttpRoute(verb, f"{base}{tail}", call.line, action)

    def _namespace(self, call: CallSite) -> str:
        """The prefixes of Rails' blocks around a line, by their indentation."""
        rows = self.source.text.split("\n")
        depth = len(rows[call.line - 1]) - len(rows[call.line - 1].lstrip())
        parts: list[str] = []
        for row in reversed(rows[: call.line - 1]):
            indent = len(row) - len(row.lstrip())
            if row.strip() and indent < depth:
                depth = indent
                if found := re.match(r"\s*(?:namespace|scope|resources)\s+(?:path:\s*)?[:'\"]/?([\w/-]+)", row):
                    parts.append(f"{found[1]}/{{id}}" if "resources" in row else found[1])
        return "/".join(reversed(parts))

    def _file_routes(self) -> Iterator[HttpRoute]:
        """Routes that a file's place declares: Next.js, SvelteKit and the like."""
        found = re.search(
            r"(?:^|/)(?:pages/(api/.*)|app/(.*/)?route|routes/(.*/)?\+server)\.[jt]sx?$", self.source.path
        )
        if not found or not self.forms.is_script:
            return
        inner = next((one for one in found.groups() if one), "")
        path = "/" + re.sub(r"\(\w+\)/", "", re.sub(r"\[+(?:\.\.\.)?(\w+)\]+", r"{\1}", inner)).removesuffix(
            "/index"
        ).strip("/")
        if path == "/index" or found[1] is None:
            verbs = [one for one in self.source.symbols if one.name in names.VERBS and one.exported]
            for one in verbs:
                yield HttpRoute(one.name, path, one.span.first, one.scope, kind="file")
            if verbs or found[1] is None:
                return
        cases = [text for at, text in enumerate(self.texts) if text in names.VERBS and self.kinds[at] == STRING]
        default = re.search(r"export\s+default\s+(?:async\s+)?(?:function\s+)?(\w+)", self.source.text)
        handler = default[1] if default and default[1] not in ("async", "function") else ""
        for verb in dict.fromkeys(cases or [names.ANY]):
            at = next((k for k, text in enumerate(self.texts) if text == verb and self.kinds[k] == STRING), 0)
            yield HttpRoute(verb, path, self.source.tokens.lines[at] if self.texts else 1, handler, kind="file")

    def _mounts(self) -> Iterator[Mount]:
        """Prefixes of routers: where they are made, and where they are mounted."""
        source = self.source
        for call in source.calls:
            arguments = source.arguments(call)
            if call.name in (
                "APIRouter",
                "Blueprint",
                "Namespace",
                "Group",
                "Subrouter",
                "MapGroup",
                "group",
                "basePath",
                "Route",
            ):
                prefix = source.template(
                    call,
                    0 if call.name in ("Group", "MapGroup", "group", "basePath", "Route") else -1,
                    "prefix",
                    "url_prefix",
                )
                if call.name == "Subrouter" and (inner := source.inner(call, "PathPrefix")):
                    prefix = source.template(inner, 0)
                name = self._assigned_to(call)
                if name and prefix.startswith("/"):
                    yield Mount(source.receiver(call).removesuffix(".PathPrefix()"), prefix, name, call.line, made=True)
            elif call.name == "route" and self._mounts_router(call, arguments):
                yield Mount(source.receiver(call), source.template(call, 0), self.texts[arguments[1].start], call.line)
            elif call.name in ("use", "include_router", "register_blueprint", "mount", "nest", "Mount", "register"):
                prefix = source.template(
                    call, 0 if call.name in ("use", "mount", "nest", "Mount") else -1, "prefix", "url_prefix"
                )
                if call.name == "register" and len(arguments) > 1 and self.texts[arguments[1].start] == "{":
                    fields = source.fields(arguments[1].start, arguments[1].end)
                    prefix = source.evaluate(fields["prefix"].start, fields["prefix"].end) if "prefix" in fields else ""
                if not prefix.startswith("/"):
                    continue
                for one in arguments[1:] if call.name in ("use", "mount", "nest", "Mount") else arguments[:1]:
                    target = source._name(one.start, one.end) or self._required_module(one)
                    if target:
                        router = source.receiver(call)
                        router = assigned_name(source, call.at) if self.forms.method_routers else router
                        yield Mount(router, prefix, target, call.line)
            elif (
                call.name in ("path", "re_path", "url")
                and "urlpatterns" in source.text
                and len(arguments) > 1
                and self.texts[arguments[1].start] == "include"
            ):
                inner = next((one for one in source.calls if one.at == arguments[1].start), None)
                given = source.arguments(inner)[:1] if inner else []
                router = (
                    self.texts[given[0].end - 3]
                    if given and self.texts[given[0].end - 2 : given[0].end] == [".", "urls"]
                    else ""
                )
                if inner and (module := router or source.template(inner, 0)):
                    yield Mount("urlpatterns", "/" + source.template(call, 0).strip("^$/"), module, call.line)

    def _required_module(self, argument: Argument) -> str:
        """The module of `require("./orders")` or of a call such as `ordersRouter()`."""
        for at in range(argument.start, argument.end):
            if self.texts[at] == "require" and self.kinds[at + 2 : at + 3] == [STRING]:
                return self.texts[at + 2]
        if self.kinds[argument.start] == NAME and self.texts[argument.start + 1 : argument.start + 2] == ["("]:
            return self.texts[argument.start]
        return ""

    def _assigned_to(self, call: CallSite) -> str:
        """The variable that is set to the result of a call."""
        at = call.at - 1
        while (at > 0 and self.texts[at] in (".", ")", "&", "*", "new")) or (
            at > 0 and self.source.tokens.lines[at] == call.line and self.texts[at] not in ("=", ":=", ";", "{", "}")
        ):
            at = (
                self.source.tokens.partner[at] - 1
                if self.texts[at] == ")" and self.source.tokens.partner[at] > 0
                else at - 1
            )
        return self.texts[at - 1] if at > 0 and self.texts[at] in ("=", ":=") and self.kinds[at - 1] == NAME else ""

    # Requests

    def _requests(self) -> Iterator[HttpRequest]:
        source = self.source
        for call in [*source.calls, *(source.commands if self.forms.commands else [])]:
            if call.name not in names.REQUEST_CALLS or (
                call.at and self.texts[call.at - 1] in ("def", "func", "fn", "function", "fun", "@")
            ):
                continue
            found = self._request(call)
            if found is not None:
                yield found

    def _request(self, call: CallSite) -> HttpRequest | None:
        source = self.source
        if found := called_procedure(source, call):
            return HttpRequest(found.method, found.path, found.line, "request", certain=True)
        arguments = source.arguments(call)
        if not arguments:
            return None
        receiver = source.receiver(call)
        method = names.REQUEST_CALLS[call.name]
        values = [source.evaluate(one.start, one.end) for one in arguments[:3] if not one.name]
        url = max((value for value in values if _is_url(value)), key=_url_rank, default="")
        for one in arguments:
            if one.name in ("url", "uri", "requestUri", "path") and not url:
                url = source.evaluate(one.start, one.end)
        options = next(
            (source.fields(one.start, one.end) for one in arguments if not one.name and self.texts[one.start] == "{"),
            {},
        )
        if not url and options:
            where = options.get("url") or options.get("uri") or options.get("path")
            url = source.evaluate(where.start, where.end) if where else ""
        if not url or not _is_url(url):
            return None
        if not method:
            method = self._told_method(call, arguments, values, options)
        certain = (
            call.name in names.ALWAYS_REQUESTS or _is_client(receiver) or (call.name == "uri" and "()" in receiver)
        )
        if not certain and not _URL.match(url) and not url.startswith("\x01env:"):
            return None
        if call.name in ("path", "route") or (call.name == "uri" and source.inner(call, "path")):
            return None
        if url.startswith("/") and not certain:
            return None
        return HttpRequest(method, url, call.line, "request", certain)

    def _operations(self) -> Iterator[GraphQLOperation]:
        """GraphQL documents in strings: ``gql`query { product { id } }` ``."""
        if not re.search(r"graphql|gql|apollo|urql", self.lowered):
            return
        for at, text in enumerate(self.texts):
            if self.kinds[at] == STRING and "{" in text and len(text) < 20_000:
                first = self.source.tokens.lines[at]
                yield from (GraphQLOperation(field, first + line) for field, line in graphql_operations(text))

    def _forwards(self) -> Iterator[Forward]:
        """Spring Cloud Gateway: `.route(r -> r.path("/x/**").uri("lb://x"))`."""
        if "routelocator" not in self.lowered:
            return
        for call in self.source.calls:
            path = self.source.inner(call, "path") if call.name == "uri" else None
            if path is not None:
                yield Forward(self.source.template(path, 0), self.source.template(call, 0), call.line)

    def _told_method(
        self, call: CallSite, arguments: list[Argument], values: list[str], options: dict[str, Argument]
    ) -> str:
        """The method of a request from its arguments, its options, or the calls that it is chained to."""
        source = self.source
        for one in [*arguments, *options.values()]:
            if one.name in ("method", "httpMethod", "type"):
                method = self._http_method(self.texts[one.end - 1]) or self._http_method(
                    source.evaluate(one.start, one.end)
                )
                if method:
                    return method
        for one in arguments:
            if not one.name and one.end - one.start <= 5 and (method := self._http_method(self.texts[one.end - 1])):
                return method
        for inner in source.chain(call):
            if inner.name in _METHOD_NAMES:
                return _METHOD_NAMES[inner.name]
            if inner.name == "method":
                return next(
                    (m for text in self.texts[inner.opener : inner.closer] if (m := self._http_method(text))), names.ANY
                )
        after = source.chained_call(call)
        while after is not None:
            if after.name.upper() in names.VERBS:
                return after.name.upper()
            after = source.chained_call(after)
        return "GET"

    def _bases(self) -> Iterator[str]:
        """Addresses that clients of this file are made with."""
        source = self.source
        for call in source.calls:
            if call.name in names.BASE_CALLS:
                for one in source.arguments(call):
                    if one.name in names.BASE_ARGUMENTS:
                        yield source.evaluate(one.start, one.end)
                    elif not one.name and self.texts[one.start] in ("{", "["):
                        for name, field in source.fields(one.start, one.end).items():
                            if name in names.BASE_ARGUMENTS:
                                yield source.evaluate(field.start, field.end)
                    elif not one.name and call.name in (
                        "baseUrl",
                        "rootUri",
                        "SetBaseURL",
                        "create",
                        "base_uri",
                        "new",
                        "SetHostURL",
                    ):
                        value = source.evaluate(one.start, one.end)
                        if _URL.match(value) or value.startswith("\x01env:"):
                            yield value
        for constant in source.constants:
            if constant.name in ("BaseAddress", "baseURL", "baseUrl", "BaseUrl", "base_url"):
                yield constant.value

    def _client_bases(self) -> Iterator[ClientBase]:
        """`AddHttpClient<OrderService>(o => o.BaseAddress = new("http://orders"))`."""
        for call in self.source.calls:
            if call.name in ("AddHttpClient", "AddRefitClient", "AddGrpcClient"):
                types = [text for text in self.texts[call.at + 1 : call.opener] if text[:1].isupper()]
                inside = range(call.opener, call.closer)
                address = next(
                    (self.texts[at] for at in inside if self.kinds[at] == STRING and "://" in self.texts[at]), ""
                )
                if types and address:
                    yield ClientBase(types[-1], address)

    def _addresses(self) -> Iterator[HttpRequest]:
        """Every other text that is a URL, and every variable of the environment that may be an address."""
        lines = self.source.tokens.lines
        seen: set[tuple[str, int]] = set()
        for at, text in enumerate(self.texts):
            if (
                self.kinds[at] == STRING
                and ("://" in text or text.startswith("lb:"))
                and len(text) < 400
                and "\n" not in text
            ):
                value = self.source.interpolate(text, 0)
                if (value, lines[at]) not in seen:
                    seen.add((value, lines[at]))
                    yield HttpRequest("", value, lines[at], "address", False)
        yield from self._named_hosts()
        for one in self.source.constants:
            for found in REFERENCE.finditer(one.value):
                if found[1].startswith("env:") and (found[0], one.line) not in seen:
                    seen.add((found[0], one.line))
                    yield HttpRequest("", one.value, one.line, "address", False)
        for call in self.source.calls:
            if (
                call.name
                in ("Getenv", "getenv", "get", "fetch", "mustMapEnv", "must_map_env", "GetEnvironmentVariable", "var")
                and len(self.source.arguments(call)) <= 2
            ):
                value = self.source.evaluate_call(call.at, call, 0)
                if value.startswith("\x01env:") and (value, call.line) not in seen:
                    seen.add((value, call.line))
                    yield HttpRequest("", value, call.line, "address", False)

    def _named_hosts(self) -> Iterator[HttpRequest]:
        """Hosts in drivers' texts (`mysql:host=db`), and variables read in place (`process.env.REDIS_HOST`)."""
        lines = self.source.tokens.lines
        for at, text in enumerate(self.texts):
            if self.kinds[at] == STRING and len(text) < 400:
                for host in DRIVER_HOST.findall(text):
                    yield HttpRequest("", f"tcp://{host}", lines[at], "address", certain=False)
            elif text == "process" and self.texts[at + 1 : at + 4 : 2] == [".", "."] and self.texts[at + 2] == "env":
                value = self.source.evaluate(at, self.source.expression_end(at))
                if value.startswith("\x01env:"):
                    yield HttpRequest("", value, lines[at], "address", certain=False)

    # Events

    def _messages(self) -> Iterator[EventMessage]:
        source = self.source
        for call in source.calls:
            for table, publishes in ((names.PUBLISH_CALLS, True), (names.CONSUME_CALLS, False)):
                for shape in table.get(call.name, ()):
                    yield from self._message(call, shape, publishes)
            if (
                call.name in ("delay", "apply_async", "s", "si")
                and self.forms.task_functions
                and "task" in self.lowered
            ):
                name = source.receiver(call).rpartition(".")[2]
                if name:
                    yield EventMessage(name, True, call.line, "celery")
            yield from self._typed_message(call)
        yield from self._struct_messages()
        for one in source.annotations:
            short = one.name.rpartition(".")[2]
            if short in names.CONSUME_ANNOTATIONS or short in names.PUBLISH_ANNOTATIONS:
                yield from self._annotated_message(one, short)
            elif short in names.TYPED_ANNOTATIONS:
                yield from self._typed_listener(one)
            elif one.name in names.TASK_ANNOTATIONS and self.is_celery and (holder := self._annotated_symbol(one)):
                yield EventMessage(source.template(one, -1, "name") or holder.name, False, one.line, "celery")
        yield from self._typed_consumers()

    def _message(self, call: CallSite, shape: names.Messaging, publishes: bool) -> Iterator[EventMessage]:
        source = self.source
        receiver = source.receiver(call)
        last = receiver.rpartition(".")[2]
        spoken = receiver if last.endswith("()") else last  # nats.connect().publish(…)
        if shape.receiver and not re.search(shape.receiver, spoken or self._context(), re.IGNORECASE):
            return
        if call.at and self.texts[call.at - 1] in ("def", "func", "fn", "function", "fun", "void", "class"):
            return
        arguments = source.arguments(call)
        kind = self._broker(receiver, shape.evidence)
        if kind == "":
            return
        by_name = {one.name: one for one in arguments if one.name}
        for one in (by_name[name] for name in shape.keywords if name in by_name):
            values = [value for value in source.templates(one.start, one.end) if value]
            if values and values != [UNKNOWN]:
                yield from (EventMessage(value, publishes, call.line, kind) for value in values)
                return
        for one in arguments:
            fields = source.fields(one.start, one.end) if not one.name else {}
            for name in shape.keywords:
                if name in fields:
                    yield from (
                        EventMessage(value, publishes, call.line, kind)
                        for value in source.templates(fields[name].start, fields[name].end)
                        if value
                    )
                    return
        plain = [one for one in arguments if not one.name]
        if shape.position >= 0:
            if shape.position < len(plain):
                one = plain[shape.position]
                if self.texts[one.start] in ("new", "{") and self.kinds[one.start] != STRING:
                    return
                for value in source.templates(one.start, one.end):
                    if value and _is_topic(value):
                        yield EventMessage(value, publishes, call.line, kind)
            return
        yield from self._topics_by_position(call, plain, shape, publishes, kind)

    def _topics_by_position(
        self, call: CallSite, plain: list[Argument], shape: names.Messaging, publishes: bool, kind: str
    ) -> Iterator[EventMessage]:
        """Topics whose position depends on how many arguments there are."""
        source = self.source
        values = [source.evaluate(one.start, one.end) for one in plain]
        position = {
            -2: 1 if len(values) > 2 else 0,
            -3: 2,
            -4: 1 if values and re.search(r"ctx|context|\(\)", values[0], re.IGNORECASE) else 0,
            -5: 1 if values and "ctx" in values[0] else 0,
            -6: 0,
            -7: 0,
        }.get(shape.position, -1)
        if shape.position == -2 and len(values) > 1 and kind == "rabbitmq":
            topic = values[1] if len(values) > 2 and values[1] else values[0]
            if topic and _is_topic(topic):
                yield EventMessage(topic, publishes, call.line, kind)
            elif values[0] and _is_topic(values[0]):
                yield EventMessage(values[0], publishes, call.line, kind)
            return
        if shape.position == -3 and len(values) > 2 and not values[2]:
            position = 1
        if 0 <= position < len(plain) and self.texts[plain[position].start] not in ("new", "{", "&"):
            if (
                call.name == "publish"
                and len(values) > 2
                and values[1]
                and re.search(r"channel|ch$|amqp", source.receiver(call), re.IGNORECASE)
            ):
                position = 1
            for value in source.templates(plain[position].start, plain[position].end):
                if value and _is_topic(value):
                    yield EventMessage(value, publishes, call.line, kind)

    def _context(self) -> str:
        """Messaging systems that the file mentions, for calls on receivers with ordinary names."""
        return " ".join(
            word
            for word in ("kafka", "rabbit", "amqp", "nats", "redis", "mqtt", "sqs", "sns", "pubsub", "jms")
            if word in self.lowered
        )

    def _broker(self, receiver: str, evidence: str) -> str:
        """Which broker a message goes through; empty if nothing in the file speaks of one."""
        if evidence not in ("message", "message broker"):
            return evidence
        for word, kind in (
            ("kafka", "kafka"),
            ("rabbit", "rabbitmq"),
            ("amqp", "rabbitmq"),
            ("pika", "rabbitmq"),
            ("nats", "nats"),
            ("redis", "redis"),
            ("mqtt", "mqtt"),
            ("sqs", "sqs"),
            ("sns", "sns"),
            ("pubsub", "pubsub"),
            ("jms", "jms"),
            ("streambridge", "stream"),
            ("bus", "bus"),
        ):
            if word in receiver.lower() or word in self.lowered:
                return kind
        return ""

    def _struct_messages(self) -> Iterator[EventMessage]:
        """Struct literals that name their topic: `kafka.Writer{Topic: t}`, `&sarama.ProducerMessage{Topic: t}`."""
        source = self.source
        for at in range(1, len(self.texts)):
            if self.texts[at] != "{" or self.kinds[at] == STRING or self.kinds[at - 1] != NAME:
                continue
            for table, publishes in ((names.STRUCT_PUBLISH, True), (names.STRUCT_CONSUME, False)):
                for name in table.get(self.texts[at - 1], ()):
                    fields = source.fields(at, at + 1)
                    if (
                        name in fields
                        and (value := source.evaluate(fields[name].start, fields[name].end))
                        and value != UNKNOWN
                    ):
                        if publishes and self.texts[at - 1] == "Message" and "kafka" not in self.lowered:
                            continue
                        yield EventMessage(
                            value.lstrip("&"), publishes, source.tokens.lines[fields[name].start], "kafka"
                        )

    def _annotated_message(self, annotation: CallSite, short: str) -> Iterator[EventMessage]:
        source = self.source
        publishes = short in names.PUBLISH_ANNOTATIONS
        keywords = names.PUBLISH_ANNOTATIONS[short] if publishes else names.CONSUME_ANNOTATIONS[short]
        if short in ("Topic", "Queue", "subscriber", "publisher", "Processor") and not re.search(
            r"kafka|rabbit|nats|bull|queue|faust", self.lowered
        ):
            return
        kind = (
            {"K": "kafka", "R": "rabbitmq", "J": "jms", "S": "stream"}.get(short[0], "message")
            if short != "SqsListener"
            else "sqs"
        )
        for one in source.arguments(annotation):
            if one.name and one.name not in keywords:
                continue
            if one.name == "bindings" or self.texts[one.start] == "@":
                inner = [
                    name
                    for name in source.annotations
                    if one.start <= name.at < one.end and name.name in ("Queue", "QueueBinding")
                ]
                values = [source.template(name, 0, "value", "name", "queues") for name in inner if name.name == "Queue"]
            else:
                values = source.templates(one.start, one.end)
            yield from (
                EventMessage(value.strip("#{}'"), publishes, annotation.line, kind)
                for value in values
                if value and value != UNKNOWN
            )

    def _typed_message(self, call: CallSite) -> Iterator[EventMessage]:
        """Events that are named by their type: `publishEvent(new OrderPlaced(…))`, `Publish<OrderPlaced>(…)`."""
        if call.name not in names.TYPED_PUBLISH:
            return
        source = self.source
        local = call.name in ("publishEvent", "dispatch", "event", "raise", "emit_event")
        between = self.texts[call.at + 1 : call.opener]
        name = next((text for text in between if text[:1].isupper()), "")
        arguments = source.arguments(call)
        if not name and arguments:
            one = arguments[0]
            at = one.start + 1 if self.texts[one.start] == "new" else one.start
            if self.texts[at][:1].isupper() and at + 1 < len(self.texts) and self.texts[at + 1] in ("(", "{", "."):
                name = self.texts[at] if self.texts[at + 1] != "." or self.texts[at - 1] == "new" else ""
            elif (
                self.kinds[at] == NAME
                and at == one.end - 1
                and re.search(r"event|message|command|notification", self.texts[at], re.IGNORECASE)
            ):
                name = self._type_of(self.texts[at], at)
        if name and (
            local
            or re.search(
                r"event|message|command|notification|created|updated|deleted|changed|placed|completed|failed|accepted|started|stopped|request|submitted|confirmed|cancel|[a-z]ed$",
                name,
                re.IGNORECASE,
            )
        ):
            yield EventMessage(name, True, call.line, "event type", in_process=local)

    def _type_of(self, variable: str, before: int) -> str:
        """The type that a variable was made with, looking back."""
        for at in range(before - 1, max(before - 400, 0), -1):
            if self.texts[at] == variable and self.texts[at + 1] in ("=", ":="):
                after = self.texts[at + 2 : at + 5]
                return next((text for text in after if text[:1].isupper()), "")
        return ""

    def _typed_listener(self, annotation: CallSite) -> Iterator[EventMessage]:
        """`@EventListener void on(OrderPlaced event)`: the type of the first parameter."""
        holder = self._annotated_symbol(annotation)
        given = (
            [text for text in self.texts[annotation.opener : annotation.closer] if text[:1].isupper()]
            if annotation.opener > 0
            else []
        )
        if given:
            yield from (EventMessage(name, False, annotation.line, "event type", in_process=True) for name in given)
        elif holder is not None and (
            found := re.search(r"\(\s*(?:final\s+|@\w+\s+)*(?:\w+\s*:\s*)?([A-Z]\w*)", holder.signature)
        ):
            yield EventMessage(found[1], False, annotation.line, "event type", in_process=True)

    def _typed_consumers(self) -> Iterator[EventMessage]:
        """Classes that implement a consumer of a type (`class X : IConsumer<Placed>`), and subscriptions to one."""
        for call in self.source.calls:
            if call.name in ("AddSubscription", "Subscribe", "AddConsumer", "AddIntegrationEventHandler"):
                types = [text for text in self.texts[call.at + 1 : call.opener] if text[:1].isupper()]
                if types and types[0].endswith(("Event", "Message", "Command")):
                    yield EventMessage(types[0], False, call.line, "event type")
        for one in self.source.symbols:
            if one.kind is Kind.CLASS and "<" in one.signature:
                for interface in names.TYPED_CONSUMERS:
                    for found in re.finditer(rf"\b{interface}<\s*([\w.]+)", one.signature):
                        line = self._header(one)
                        yield EventMessage(
                            found[1].rpartition(".")[2],
                            False,
                            line,
                            "event type",
                            in_process=interface in ("ApplicationListener", "INotificationHandler"),
                        )

    # Remote procedures

    def _procedures(self) -> Iterator[Procedure]:
        if not _SPEAKS_GRPC.search(self.lowered):
            return
        source = self.source
        for call in source.calls:
            receiver = source.receiver(call)
            yield from self._server_registrations(call, receiver)
            yield from self._client_calls(call, receiver)
        for one in source.symbols:
            if one.kind is Kind.CLASS:
                for pattern in (
                    r"(\w+)Grpc\.\w+ImplBase",
                    r"(\w+)ImplBase",
                    r"(\w+)CoroutineImplBase",
                    r"\b(\w+)\.\1Base\b",
                    r"(\w+)Servicer\b",
                    r"(\w+)::(?:Async)?Service\b",
                    r"(\w+)(?:::V\d)?::\w*::Service\b",
                    r"Service\s*<\s*(\w+)",
                ):
                    if found := re.search(pattern, one.signature):
                        yield Procedure(found[1].removesuffix("Coroutine"), True, self._header(one))
                        break
        for at in range(len(self.texts) - 3):  # Rust: impl Shipping for Server
            if self.texts[at] == "impl" and self.kinds[at] == NAME and self.texts[at + 2] == "for":
                yield Procedure(self.texts[at + 1], True, source.tokens.lines[at])

    def _server_registrations(self, call: CallSite, receiver: str) -> Iterator[Procedure]:
        if found := re.fullmatch(r"Register([A-Z]\w*?)(?:Server|HandlerServer)", call.name) or re.fullmatch(
            r"add_(\w+?)Servicer_to_server", call.name
        ):
            yield Procedure(found[1], True, call.line)
        elif call.name == "addService" or call.name == "add_service":
            text = [one for one in self.texts[call.opener : call.closer] if one[:1].isupper()]
            if text:
                yield Procedure(
                    text[-1].removesuffix("Server").removesuffix("Service")
                    if text[-1].endswith("ServiceServer")
                    else text[-1].removesuffix("Server"),
                    True,
                    call.line,
                )
        elif call.name == "new" and (found := re.fullmatch(r"(\w+)Server", receiver.rpartition(".")[2])):
            yield Procedure(found[1], True, call.line)
        elif call.name == "MapGrpcService":
            between = [text for text in self.texts[call.at + 1 : call.opener] if text[:1].isupper()]
            yield from (Procedure(name, True, call.line) for name in between[:1])

    def _client_calls(self, call: CallSite, receiver: str) -> Iterator[Procedure]:
        source = self.source
        last = receiver.rpartition(".")[2]
        name = ""
        made = call.at and self.texts[call.at - 1] == "new"
        if (found := re.fullmatch(r"New([A-Z]\w*)Client", call.name)) or (
            (found := re.fullmatch(r"([A-Z]\w*)Stub", call.name)) and self.forms.stub_classes
        ):
            name = found[1]
        elif call.name in ("newBlockingStub", "newStub", "newFutureStub", "NewStub", "newReactorStub", "newVertxStub"):
            name = last.removesuffix("Grpc").removesuffix("()")
        elif call.name in ("connect", "new", "with_interceptor", "connect_lazy") and re.fullmatch(
            r"[A-Z]\w*Client", last
        ):
            name = last.removesuffix("Client")
        elif (found := re.fullmatch(r"([A-Z]\w*?)(?:Coroutine)?(?:Stub|Client)", call.name)) and (
            made or self.forms.class_calls
        ):
            name = found[1]
        elif made and call.name[:1].isupper() and "grpc" in self.lowered and self.forms.loaded_clients:
            name = call.name
        elif call.name == "new" and last == "Stub":
            name = receiver.split(".")[-2] if "." in receiver else ""
        elif call.name == "AddGrpcClient":
            between = [text for text in self.texts[call.at + 1 : call.opener] if text[:1].isupper()]
            name = between[-1].removesuffix("Client") if between else ""
        elif call.name in ("createClient", "createPromiseClient") and source.arguments(call):
            name = self.texts[source.arguments(call)[0].start]
        if not name or not name[:1].isupper():
            return
        address = ""
        for one in source.arguments(call):
            value = source.evaluate(one.start, one.end)
            if value and value != UNKNOWN and not address:
                address = value
        yield Procedure(name, False, call.line, address)

    def _members(self) -> Iterator[MethodUse]:
        """Calls that may be of a remote procedure: those on something, in files that speak of gRPC."""
        if not _SPEAKS_GRPC.search(self.lowered) and "client" not in self.lowered:
            return
        for call in self.source.calls:
            if call.at and self.texts[call.at - 1] in (".", "->", "?."):
                yield MethodUse(call.name, call.line)

    # Entities, marks

    def _records(self) -> Iterator[Record]:
        source = self.source
        children: dict[str, list[Symbol]] = {}
        for one in source.symbols:
            holder = one.scope.rpartition("::")[0]
            if one.kind is Kind.VARIABLE:
                children.setdefault(holder, []).append(one)
        in_models = re.search(names.ENTITY_FOLDERS, source.path, re.IGNORECASE) is not None
        for one in source.symbols:
            if one.kind is not Kind.CLASS:
                continue
            written = (re.match(r"[\w.]*", text.lstrip("@")) for text in one.decorators)
            marks = {found[0].rpartition(".")[2] for found in written if found}
            fields = tuple(
                _field(child)
                for child in children.get(one.scope, ())
                if not child.name.startswith("_") and not child.name.isupper()
            )
            strong = (
                bool(marks & names.ENTITY_ANNOTATIONS)
                or re.search(rf"[(:<]\s*[^)]*{names.ENTITY_BASES}", one.signature.replace(one.name, "", 1)) is not None
            )
            kind = "annotation" if marks & names.ENTITY_ANNOTATIONS else "base class" if strong else "model folder"
            if re.match(
                r"(Abstract\w+|Base|Base(Model|Entity|Document)|Model|Entity|Document)$", one.name
            ) or re.search(
                r"(Test|Config|Configuration|Controller|Service|Repository|Exception|Error|Application|Factory|Mapper|Utils?|Builder|Client)$",
                one.name,
            ):
                continue
            if strong or (in_models and (fields or "dataclass" in marks)):
                yield Record(
                    one.name,
                    fields,
                    self._header(one),
                    one.scope,
                    kind,
                    strong,
                    _relations(source, one, children.get(one.scope, [])),
                )
        for call in source.calls:
            if (call.name == "model" and source.receiver(call).endswith(("mongoose", "db"))) or (
                call.name == "define" and "sequelize" in self.lowered
            ):
                name = source.template(call, 0)
                if name and "\x01" not in name:
                    yield Record(name, (), call.line, source.scope_at(call.line), "model call", strong=True)

    def _marks(self) -> Iterator[Mark]:
        for one in self.source.annotations:
            if (
                one.name in names.SERVER_ROLES
                or one.name in names.CLIENT_ANNOTATION_ROLES
                or one.name in ("EnableFeignClients", "LoadBalanced")
            ):
                yield Mark(one.name, one.line)

    def _application(self) -> int:
        """The line at which a program starts or listens; 0 where none does."""
        starts = _STARTS.search(self.source.text)
        return self.source.text.count("\n", 0, starts.start()) + 1 if starts else 0


def _is_client(receiver: str) -> bool:
    last = receiver.rpartition(".")[2]
    parts = (last, last.removesuffix("()"), receiver.split(".")[0])
    return any(_CLIENT.match(part.lstrip("$@")) for part in parts) if receiver else False


def _is_url(value: str) -> bool:
    return bool(_URL.match(value)) or value.startswith(("/", "lb:")) or (value.startswith("\x01") and len(value) > 2)


def _url_rank(value: str) -> int:
    """How much a text looks like a URL: a name alone is the least."""
    if _URL.match(value):
        return 4
    if value.startswith("\x01env:") or (value.startswith("\x01") and "/" in REFERENCE.sub("", value)):
        return 3
    return 2 if value.startswith("/") else 1


def _is_topic(value: str) -> bool:
    plain = REFERENCE.sub("", value)
    return len(value) <= 200 and not re.search(r"[\s{}()<>]|^[/.]$", plain) and value != UNKNOWN


def _join_paths(prefix: str, path: str) -> str:
    if not prefix:
        return path if path.startswith(("/", "\x01")) or not path else f"/{path}"
    if path in ("", "/"):
        return prefix if prefix.startswith(("/", "\x01")) else f"/{prefix}"
    joined = f"{prefix.rstrip('/')}/{path.lstrip('/')}"
    return joined if joined.startswith(("/", "\x01")) else f"/{joined}"


def _own(path: str, function: str, holder: Symbol | None) -> str:
    """A path with ASP.NET's names filled in; one that begins at the root stands for itself."""
    name = re.sub("Controller$", "", holder.name) if holder else ""
    return path.replace("[controller]", name.lower()).replace("[action]", function.lower())


def _field(symbol: Symbol) -> str:
    written = " ".join(symbol.signature.split())
    return written.partition("=")[0].strip().rstrip(";,")[:80] if ":" in written.partition("=")[0] else symbol.name


def _relations(source: CodeSource, symbol: Symbol, fields: list[Symbol]) -> tuple[tuple[str, str], ...]:
    """Relations that an ORM declares: `@OneToMany List<Item> items`, `ForeignKey(Order)`, `belongs_to :order`."""
    found: list[tuple[str, str]] = []
    for one in fields:
        said = " ".join((*one.decorators, one.signature))
        if kind := re.search(
            r"(OneToMany|ManyToOne|OneToOne|ManyToMany|ForeignKey|OneToOneField|ManyToManyField|relationship)", said
        ):
            inside = said[kind.end() :]
            target = (
                re.search(r"\(\s*(?:to=)?['\"]?(?:[\w.]+\.)?([A-Z]\w*)", inside)
                or re.search(r"<\s*([A-Z]\w*)", said)
                or re.search(r"\b([A-Z]\w+)\s+\w+\s*(?:[;=]|$)", inside)
            )
            if target and target[1] != symbol.name:
                found.append((kind[1], target[1]))
    return tuple(dict.fromkeys(found))


def _first_at(lines: list[int], line: int) -> int:
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high) // 2
        if lines[middle] < line:
            low = middle + 1
        else:
            high = middle
    return low
