"""Routes that a framework declares in a form of its own: routers of viewsets, lists of routes, procedures, resources.

Each function reads one form in one file; forms across files (viewsets, mounted routers) are left to
the assembly.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from clew.model.code import Symbol
from clew.model.words import Kind
from clew.services import frameworks as names
from clew.services.source import Argument, CallSite, CodeSource
from clew.services.tokens import NAME, STRING

VIEWSET = "VIEWSET"  # the method of a route that stands for those of a viewset
TRPC = "TRPC"  # the method of a procedure: its path is `/router.procedure`
_PROCEDURES = frozenset({"query", "mutation", "subscription"})
_CALLED = frozenset({"query", "mutate", "subscribe", "useQuery", "useMutation", "useSuspenseQuery", "useSubscription"})
_COLLECTION = {"list": "GET", "create": "POST"}
_ELEMENT = {"retrieve": "GET", "update": "PUT", "partial_update": "PATCH", "destroy": "DELETE"}
_MIXINS = {
    "ListModelMixin": ("list",),
    "CreateModelMixin": ("create",),
    "RetrieveModelMixin": ("retrieve",),
    "UpdateModelMixin": ("update", "partial_update"),
    "DestroyModelMixin": ("destroy",),
    "ReadOnlyModelViewSet": ("list", "retrieve"),
    "ModelViewSet": (*_COLLECTION, *_ELEMENT),
}
_RESOURCE_ACTIONS = (
    ("index", "GET", False),
    ("store", "POST", False),
    ("show", "GET", True),
    ("update", "PUT", True),
    ("destroy", "DELETE", True),
)


class FoundRoute(Struct, frozen=True):
    method: str
    path: str
    line: int
    handler: str
    router: str = ""


class ViewAction(Struct, frozen=True):
    """One method of a viewset; `of_one` if it is about one element, `path` is the rest of its route."""

    method: str
    of_one: bool
    path: str
    handler: str


class ViewSet(Struct, frozen=True):
    """A class with methods that a router turns into routes."""

    name: str
    actions: tuple[ViewAction, ...]


# Django REST framework


def registered_viewset(source: CodeSource, call: CallSite, arguments: list[Argument]) -> FoundRoute | None:
    """`router.register(r"books", BookViewSet)`."""
    plain = [one for one in arguments if not one.name]
    if not source.forms.viewsets or call.name != "register" or len(plain) < 2:
        return None
    view = source.tokens.texts[plain[1].end - 1]
    if not view.endswith(("ViewSet", "View", "Viewset")):
        return None
    return FoundRoute(
        VIEWSET, "/" + source.evaluate(plain[0].start, plain[0].end), call.line, view, source.receiver(call)
    )


def viewsets(source: CodeSource) -> Iterator[ViewSet]:
    if not source.forms.viewsets or "ViewSet" not in source.text:
        return
    methods: dict[str, list[Symbol]] = {}
    for one in source.symbols:
        if one.kind in (Kind.METHOD, Kind.FUNCTION):
            methods.setdefault(one.scope.rpartition("::")[0], []).append(one)
    for one in source.symbols:
        if one.kind is Kind.CLASS and re.search(r"ViewSet\b|ModelMixin\b", one.signature.partition("(")[2]):
            wanted = [
                name for base, some in _MIXINS.items() if re.search(rf"\b{base}\b", one.signature) for name in some
            ]
            own = methods.get(one.scope, [])
            wanted += [name for name in (*_COLLECTION, *_ELEMENT) if any(method.name == name for method in own)]
            handlers = {method.name: method.scope for method in own}
            actions = [
                ViewAction(verb, name in _ELEMENT, "", handlers.get(name, one.scope))
                for name, verb in (*_COLLECTION.items(), *_ELEMENT.items())
                if name in wanted
            ]
            for method in own:
                actions += _extra_actions(method)
            yield ViewSet(one.name, tuple(dict.fromkeys(actions)))


def _extra_actions(method: Symbol) -> Iterator[ViewAction]:
    """`@action(detail=True, methods=["post"])`."""
    for text in method.decorators:
        if re.match(r"@?\s*(?:\w+\.)?action\b", text):
            of_one = re.search(r"detail\s*=\s*True", text) is not None
            path = found[1] if (found := re.search(r"url_path\s*=\s*['\"]([^'\"]+)", text)) else method.name
            verbs = re.findall(r"['\"](get|post|put|patch|delete)['\"]", text.lower()) or ["get"]
            yield from (ViewAction(verb.upper(), of_one, f"/{path}", method.scope) for verb in verbs)


# Starlette


def listed_route(source: CodeSource, call: CallSite, arguments: list[Argument], path: str) -> Iterator[FoundRoute]:
    """`Route("/notes", show, methods=["POST"])`, in a list that may stand in `Mount("/admin", routes=[…])`."""
    texts = source.tokens.texts
    plain = [one for one in arguments if not one.name]
    handler = next((one for one in arguments if one.name == "endpoint"), plain[1] if len(plain) > 1 else None)
    if handler is None or source.tokens.kinds[handler.end - 1] != NAME:
        return
    prefix = ""
    for outer in source.calls:
        if outer.name == "Mount" and outer.opener < call.at < outer.closer:
            prefix += source.template(outer, 0, "path").rstrip("/")
    told = next((one for one in arguments if one.name == "methods"), None)
    verbs = [text.upper() for text in texts[told.start : told.end] if text.upper() in names.VERBS] if told else ["GET"]
    for verb in verbs:
        yield FoundRoute(verb, f"{prefix}{path}", call.line, texts[handler.end - 1])


# tRPC


def procedures(source: CodeSource) -> Iterator[tuple[FoundRoute, str]]:
    """Procedures of routers, each with its router's name; for a router in another one, its name behind `>`."""
    if not source.forms.is_script or "trpc" not in source.text.lower():
        return
    for call in source.calls:
        if (
            call.name not in ("router", "createTRPCRouter", "mergeRouters")
            or source.tokens.texts[call.opener + 1] != "{"
        ):
            continue
        name = assigned_name(source, call.at)
        yield from _procedures_in(source, call.opener + 1, name)


def _procedures_in(source: CodeSource, opener: int, router: str) -> Iterator[tuple[FoundRoute, str]]:
    texts, partner, lines = source.tokens.texts, source.tokens.partner, source.tokens.lines
    for one in source.items(opener + 1, partner[opener]):
        value = texts[one.start : one.end]
        key = one.name or texts[one.start]
        called = next(
            (text for at, text in enumerate(value) if text in _PROCEDURES and value[at + 1 : at + 2] == ["("]), ""
        )
        if called and "router" not in value:
            yield FoundRoute(TRPC, f"/{key}", lines[one.start], "", router), ""
        elif one.end - one.start == 1:
            yield FoundRoute(TRPC, f"/{key}", lines[one.start], "", router), texts[one.start]


def called_procedure(source: CodeSource, call: CallSite) -> FoundRoute | None:
    """`trpc.users.byId.query(1)`."""
    if call.name not in _CALLED or "trpc" not in source.text.lower():
        return None
    first, *path = source.receiver(call).split(".")
    if not re.search(r"trpc|client|api", first, re.IGNORECASE) or not path or any(part.endswith("()") for part in path):
        return None
    return FoundRoute(TRPC, f"/{'.'.join(path)}", call.line, "")


# Laravel


def resource_routes(source: CodeSource, call: CallSite, path: str) -> Iterator[FoundRoute]:
    """`Route::apiResource("hotels", HotelController::class)`."""
    base = "/" + path.strip("/")
    last = base.rpartition("/")[2]
    key = last.removesuffix("s") or last
    for action, verb, of_one in _RESOURCE_ACTIONS:
        yield FoundRoute(verb, f"{base}/{{{key}}}" if of_one else base, call.line, action)


def listed_handler(source: CodeSource, argument: Argument) -> str:
    """`[FlightController::class, "show"]` and `"FlightController@show"`."""
    texts, kinds = source.tokens.texts, source.tokens.kinds
    last = next((at for at in range(argument.end - 1, argument.start - 1, -1) if kinds[at] == STRING), -1)
    return texts[last].rpartition("@")[2] if last >= 0 and re.fullmatch(r"[\w\\@]+", texts[last]) else ""


def assigned_name(source: CodeSource, at: int) -> str:
    """The variable that the chain of calls before a token is assigned to, over any number of lines."""
    texts, kinds, partner = source.tokens.texts, source.tokens.kinds, source.tokens.partner
    at -= 1
    while at > 0:
        if texts[at] in (")", "]", "}") and partner[at] > 0:
            at = partner[at] - 1
        elif texts[at] in (".", "?.", "::", "new", "await", "&") or (
            kinds[at] == NAME and texts[at] not in ("return", "let")
        ):
            at -= 1
        else:
            break
    return texts[at - 1] if at > 0 and texts[at] in ("=", ":=") and kinds[at - 1] == NAME else ""
