"""How services are written in a language: its tokens, and the forms of routes and calls in its frameworks. Plain data.

`FORMS` in `services.py` of a language's folder, which its profile names; a language without them has no services.
"""

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import NamedTuple

from clew.languages.plugins import profile_of

C_COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
HASH_COMMENT = r"\#[^\n]*"
DOUBLE = r'"(?:[^"\\\n]|\\.)*"?'
SINGLE = r"'(?:[^'\\\n]|\\.)*'?"
TRIPLE = r'"""(?:[^\\]|\\.)*?(?:"""|\Z)'
BRACES = r"\$\{([^{}]*)\}|\$(\w+)"
_UNPARSED = {"groovy": "clew.languages.jvm.services:GROOVY"}  # services of languages that have no parser here


class Syntax(NamedTuple):
    """The lexical rules of a language. `hole` finds interpolations in a string."""

    comment: str
    string: str
    hole: str = ""
    name: str = r"[A-Za-z_$][\w$]*"
    prefixes: str = ""  # letters before a string of which one makes it interpolated
    quote: str = ""  # the only quote of interpolated strings
    regexes: bool = False  # regular expressions are literals


C_LIKE = Syntax(C_COMMENT, rf"{TRIPLE}|{DOUBLE}|{SINGLE}")


@dataclass(frozen=True, slots=True)
class ServiceForms:
    """A form is off unless a language states it."""

    syntax: Syntax
    is_source: bool = True  # a folder with such files may be a service

    # Expressions
    bracket_types: bool = False  # type arguments stand in square brackets
    joiners: frozenset[str] = frozenset({"+", "<>"})  # operators that join texts
    several_values: bool = False  # several names are assigned at once, and several values returned
    type_behind_name: bool = False  # `var address string`
    colon_types: bool = False  # `address: string`
    attribute_lists: bool = False  # several attributes in one bracket
    bare_attributes: bool = False  # a bracket at the start of a line holds attributes
    commands: bool = False  # calls without brackets
    class_calls: bool = False  # an object is made by calling its class, without a word before it

    # Annotations and decorators
    capital_annotations: bool = False  # those of routes begin with a capital letter
    shared_verb_annotations: bool = False  # `@Get` is a route only where its file names an HTTP library
    path_decorators: bool = False  # a decorator of a route has a path
    called_annotations: bool = False  # an attribute of a route has brackets
    bare_verb_annotations: bool = False  # `@GET` without a path
    route_attributes: bool = False  # `[Route("x")]` beside `[HttpGet]`
    interface_clients: bool = False  # an annotated interface may be a client
    default_method: str = ""  # of a route that states none; else any

    # Calls that declare routes
    is_script: bool = False  # functions are passed to routers, and modules routed by their files
    method_routers: bool = False  # `route("/x", get(list))`
    route_objects: bool = False  # `Route("/x", list)`, `add_url_rule("/x", …)`
    route_facade: bool = False  # `Route::get("x", [Handler::class, "list"])`
    resource_commands: bool = False  # `resources :books`
    route_commands: bool = False  # `get "/x", Handler, :list`
    static_routes: bool = False  # `GET("/x")` inside of a call of `route`
    block_routes: bool = False  # `get("/x") { … }`
    receiver_routes: bool = False  # a route is declared on a router: `.GET("/x", handler)`
    bare_prefixes: bool = False  # a prefix may lack its first slash
    viewsets: bool = False

    # Calls of other services
    task_functions: bool = False  # a function that is decorated as a task is sent by `delay`
    stub_classes: bool = False  # `BookStub(channel)`
    loaded_clients: bool = False  # `new proto.Book(address)` of a client that is loaded while the program runs
    app_hosts: bool = False  # a program lists the services of a system


@cache
def forms_of(language: str) -> ServiceForms | None:
    """The forms of a language, built in or of a plug-in; none, if services are not read in it."""
    module, _, name = (_UNPARSED.get(language) or profile_of(language).services).partition(":")
    found = getattr(import_module(module), name) if module else None
    assert found is None or isinstance(found, ServiceForms)
    return found
