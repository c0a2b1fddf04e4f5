"""A tool is a typed function. Declare it once; every surface reads this table."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from difflib import get_close_matches
from enum import StrEnum
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple, Protocol, TypeVar, get_type_hints, runtime_checkable

import msgspec
from msgspec import Struct

from clew.engine import Engine
from clew.model.agents import Identity
from clew.model.errors import InvalidInput, NotFound
from clew.runtime.asking import one_question, past_damage
from clew.tools.arguments import read
from clew.tools.budget import LIMITS, Budget, Shape
from clew.tools.params import KnownMoment, MaxTokens, Moment, Offset, ProfileName, ProjectName, Repeat
from clew.workspaces import Workspaces

# Tools whose answers programs read: states, counts and ids, which are in every answer of theirs.
STRUCTURED = frozenset({"get_rebuild_status", "rebuild_context", "refresh_context", "graph_set_workspace"})

COMMON: dict[str, tuple[object, object]] = {
    "project": (ProjectName, ""),
    "profile": (ProfileName, None),
    "max_tokens": (MaxTokens, None),
    "repeat": (Repeat, False),
}
DATED: dict[str, tuple[object, object]] = {"as_of": (Moment, ""), "known_as_of": (KnownMoment, "")}
_TIMELESS = frozenset({"episodes", "knowledge", "fleet", "discovery"})  # toolsets whose tools answer about the present

# What an agent sees unless it asks for more, as its tools come to exist.
CORE = (
    "context_pack", "query_context", "semantic_slice", "code_explain", "impact_analyze", "diff_since", "episode_add",
    "episode_recall", "agent_claim", "agent_release", "tools_search", "tools_call",
)  # fmt: skip

OFFSET = "offset"  # of every tool that has pages
_LIMITS = ("k", "limit", "n_results", "max_nodes")  # names of the parameter that says how many results are wanted
# Explained once, in the server's instructions.
_UNLISTED = frozenset({*COMMON, *DATED, OFFSET}) - {"max_tokens"}

# Parameters that no caller gives: the room there is, for tools that fit their answers themselves, who calls, and the
# names of the tools in the caller's list.
_ROOM = "room"
_WHO = "who"
_LISTED = "listed"
_NOT_GIVEN = (_ROOM, _WHO, _LISTED)


_UNMET = ("maxLength", "minLength", "maxItems", "title")  # what hardly any caller comes up against
_IF_ANY = ("default", "required")
_UNMET_FROM = 1_000_000  # a bound so high says nothing


class Effect(StrEnum):
    READ = "read"
    WRITE = "write"


@runtime_checkable
class Summarized(Protocol):
    """What every tool returns: a value that can say itself in a sentence or three."""

    def summary(self) -> str: ...


F = TypeVar("F", bound=Callable[..., Summarized])


class AnswerLimits(Struct, frozen=True):
    """What an answer may cost in tokens, None is any; `price` is what one would as it is sent, None if it is not.

    `debug` is whether it is to tell what only explains it.
    """

    limit: int | None = None
    price: Callable[[Summarized], int] | None = None
    debug: bool = False


ANY_ROOM = AnswerLimits()


class Beside(Struct, frozen=True):
    """What a tool may be told besides its arguments."""

    room: AnswerLimits = ANY_ROOM
    who: Identity = Identity()
    listed: frozenset[str] = frozenset()


class Invoked(NamedTuple):
    """What a tool returned, from the requested row on; unless the caller limits the rows, the summary is about all."""

    result: Summarized
    summary: str


class Tool(Struct, frozen=True):
    """`budgeted` tools have the project's default budget rather than the compact profile; `capped` ones have their own.

    `writes_if` names the arguments that make a tool which reads write, if it has some; `also` are words that others
    have for what it does: it is found by them, and they cost nobody's attention.
    """

    name: str
    toolset: str
    effect: Effect
    about: str
    run: Callable[..., Summarized]
    params: type[msgspec.Struct]
    shape: Shape
    budgeted: bool
    connection: bool  # it works on the connection's workspaces, not on one project
    capped: bool = False
    writes_if: str = ""
    also: str = ""
    told: tuple[str, ...] = ()  # of what no caller gives, what it asks for
    from_git: bool = False  # it answers from git, whether or not there is an index
    pages_itself: bool = False  # it has an `offset` of its own
    apart: frozenset[str] = frozenset()  # of its parameters, those of the time that it answers of

    @property
    def fits_itself(self) -> bool:
        """Whether it asks for the room that there is, and fills it; others are shortened by their shape."""
        return _ROOM in self.told

    @property
    def is_paged(self) -> bool:
        """Whether callers may leave out the first rows of its lists."""
        return bool(self.shape.pages)

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments, straight from the signature."""
        (schema,), components = msgspec.json.schema_components([self.params], ref_template="#/$defs/{name}")
        own: dict[str, Any] = components.pop(self.name) if "$ref" in schema else schema
        own.pop("title", None)
        return {**own, "$defs": components} if components else own

    @property
    def brief(self) -> dict[str, Any]:
        """The schema in an agent's tool list: without parameters that every tool takes and the instructions explain."""
        schema = self.schema
        unlisted = _UNLISTED if self.is_paged else _UNLISTED - {OFFSET}
        own = {name: one for name, one in schema["properties"].items() if name not in unlisted}
        brief = _brief({**schema, "properties": own})
        brief.pop("additionalProperties", None)
        return brief

    @property
    def output_schema(self) -> dict[str, Any] | None:
        """The JSON Schema of the envelope with this tool's data, for tools whose answers programs read."""
        if self.name not in STRUCTURED:
            return None
        kind = get_type_hints(self.run)["return"]
        (schema,), components = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
        data = {"type": "object", "allOf": [schema]} if "$ref" in schema else schema
        properties = {"ok": {"type": "boolean"}, "summary": {"type": "string"}, "data": data}
        return {"type": "object", "properties": properties, "required": ["ok", "data"], "$defs": components}

    def parse(self, arguments: Mapping[str, object]) -> msgspec.Struct:
        """The arguments, checked; an error names the tool and the field."""
        try:
            return read(arguments, self.params)
        except msgspec.ValidationError as error:
            said = str(error)
            raise InvalidInput(
                f"{self.name}: {_explain_error(said, self)}", _about(said, self) or self._usage()
            ) from error

    def invoke(self, target: Engine | Workspaces, params: msgspec.Struct, beside: Beside) -> "Invoked":
        """Run with checked arguments, on the project they name, or on the connection's workspaces."""
        own = {k: v for k, v in msgspec.structs.asdict(params).items() if k not in COMMON and k not in self.apart}
        first = 0 if self.pages_itself or not self.is_paged else own.pop(OFFSET)
        if first and isinstance(target, Engine):
            limit = _limit_of(own)
            own |= {limit: (own[limit] or target.config.query.default_k) + first} if limit else {}
        call = partial(self.run, target, **own, **{name: getattr(beside, name) for name in self.told})
        with one_question():
            result = call() if self.writes(params) else past_damage(call)
        shown = _from(result, self.shape, first) if first else result
        return Invoked(shown, (shown if _limit_of(own) else result).summary())

    def budget(self, params: msgspec.Struct, default: int) -> Budget:
        """What the caller asked for, or what such a tool gets by default."""
        by_default = Budget("default", default) if self.budgeted else Budget("compact", LIMITS["compact"])
        return self.budget_of_caller(params) or (Budget("default", None) if self.capped else by_default)

    def writes(self, params: msgspec.Struct) -> bool:
        """Whether it does with these arguments."""
        return self.effect is Effect.WRITE or any(getattr(params, name) for name in self.writes_if.split())

    def budget_of_caller(self, params: msgspec.Struct) -> Budget | None:
        """What the caller asked for, in this order: max_tokens, the filters' max_tokens, the profile."""
        profile, limit = getattr(params, "profile", None), getattr(params, "max_tokens", None)
        limit = limit or getattr(getattr(params, "filters", None), "max_tokens", None)
        if limit is not None:
            return Budget(profile or "default", limit)
        return Budget(profile, LIMITS[profile]) if profile and profile != "default" else None

    def _usage(self) -> str:
        fields = msgspec.structs.fields(self.params)
        named = [f.name if f.required else f"[{f.name}]" for f in fields]
        return f"Arguments of {self.name}: {', '.join(named)}."


# Modules of this package: those that are asked most come first.
MODULES = (
    "context", "packing", "orientation", "code", "discovery", "episodes", "notes", "knowledge", "knowledge_search",
    "knowledge_recall", "knowledge_remember", "fleet", "work_items", "quality", "history", "services", "jobs",
    "summaries",
)  # fmt: skip
# In the order in which tools are listed.
TOOLSETS = ("code", "context", "quality", "services", "episodes", "knowledge", "fleet", "discovery")


class Tools(MutableMapping[str, Tool]):
    """All tools by name. To find one, no more is loaded than what it may stand in: most processes call one."""

    def __init__(self) -> None:
        self._declared: dict[str, Tool] = {}

    def is_declared(self, name: str) -> bool:
        """As far as anything is loaded."""
        return name in self._declared

    def __getitem__(self, name: str) -> Tool:
        for module in MODULES:
            if name in self._declared:
                break
            import_module(f"clew.tools.{module}")
        return self._declared[name]

    def __iter__(self) -> Iterator[str]:
        """By toolset, module and order of declaration: the same, whichever module was loaded first."""
        for module in MODULES:
            import_module(f"clew.tools.{module}")
        toolsets = {toolset: at for at, toolset in enumerate(TOOLSETS)}
        modules = {f"clew.tools.{module}": at for at, module in enumerate(MODULES)}

        def place(name: str) -> tuple[int, int, str]:
            tool, module = self._declared[name], self._declared[name].run.__module__
            return toolsets.get(tool.toolset, len(toolsets)), modules.get(module, len(modules)), module

        return iter(sorted(self._declared, key=place))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __setitem__(self, name: str, tool: Tool) -> None:
        self._declared[name] = tool

    def __delitem__(self, name: str) -> None:
        del self._declared[name]


TOOLS = Tools()

# Names that documents give to tools, which several clients refuse: accepted, and listed nowhere.
ALIASES = {"context_pack.create": "context_pack_create", "context_pack.get": "context_pack_get"}


def find(name: str) -> Tool:
    try:
        return TOOLS[ALIASES.get(name, name)]
    except KeyError:
        near = get_close_matches(name, TOOLS, n=3)
        hint = f"Did you mean {', '.join(near)}?" if near else "Call tools_search to find the tool you need."
        raise NotFound(f"no tool {name!r}", hint) from None


def select(toolsets: tuple[str, ...], *, read_only: bool) -> list[Tool]:
    """The tools of some toolsets, the core first, then in the order of declaration; `all` is every one."""
    known = {"core", "all", *(tool.toolset for tool in TOOLS.values())}
    if strange := [name for name in toolsets if name not in known]:
        raise InvalidInput(f"no toolset {strange[0]!r}", f"Toolsets: {', '.join(sorted(known))}.")
    tools = [tool for tool in TOOLS.values() if _is_offered(tool, toolsets)]
    offered = [tool for tool in tools if not (read_only and tool.effect is Effect.WRITE)]
    return sorted(offered, key=lambda one: CORE.index(one.name) if one.name in CORE else len(CORE))


def tool(
    effect: Effect,
    *,
    toolset: str = "",
    shape: Shape | None = None,
    budgeted: bool = False,
    capped: bool = False,
    connection: bool = False,
    writes_if: str = "",
    also: str = "",
    dated: bool = True,
    from_git: bool = False,
) -> Callable[[F], F]:
    """Register the decorated function under its own name, in the toolset that its module is named after, or another."""

    def register(function: F) -> F:
        name = function.__name__
        if TOOLS.is_declared(name):
            raise ValueError(f"tool {name!r} is declared twice")
        if not (about := inspect.getdoc(function)):
            raise ValueError(f"tool {name!r} has no docstring")
        room = toolset or function.__module__.rpartition(".")[2]
        is_dated = dated and effect is Effect.READ and not connection and room not in _TIMELESS
        apart = frozenset(DATED) - inspect.signature(function).parameters.keys() if is_dated else frozenset[str]()
        pages_itself = OFFSET in inspect.signature(function).parameters
        TOOLS[name] = Tool(
            name=name,
            toolset=room,
            effect=effect,
            about=about,
            run=function,
            params=_params(name, function, apart, paged=bool(shape and shape.pages and not pages_itself)),
            pages_itself=pages_itself,
            apart=apart,
            from_git=from_git,
            shape=shape or Shape(),
            budgeted=budgeted,
            connection=connection,
            capped=capped,
            writes_if=writes_if,
            also=also,
            told=tuple(name for name in _NOT_GIVEN if name in inspect.signature(function).parameters),
        )
        return function

    return register


def _from(result: Summarized, shape: Shape, first: int) -> Summarized:
    """A result without the first rows of its lists."""
    rest, left = {}, first
    for name in (name for name in shape.pages if hasattr(result, name)):
        rows = getattr(result, name)
        rest[name] = rows[left:]
        left = max(left - len(rows), 0) if shape.in_sequence else left
    shown: Summarized = msgspec.structs.replace(result, **rest)  # type: ignore[type-var]  # every answer is a struct
    return shown


def _limit_of(own: Mapping[str, object]) -> str:
    """The argument that says how many results are wanted, if there is one."""
    return next((name for name in _LIMITS if name in own), "")


def _brief(schema: dict[str, Any]) -> dict[str, Any]:
    """Without length limits, empty values, and null as an alternative for optional arguments."""
    options = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
    if len(options) == 1:
        schema = {**{key: value for key, value in schema.items() if key != "anyOf"}, **options[0]}
    kept = {key: value for key, value in schema.items() if key not in _UNMET and (value or key not in _IF_ANY)}
    if kept.get("maximum", 0) >= _UNMET_FROM:
        del kept["maximum"]
    for key in ("properties", "$defs"):
        if key in kept:
            kept[key] = {name: _brief(one) for name, one in kept[key].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(kept.get(key), dict):
            kept[key] = _brief(kept[key])
    return kept


def _params(name: str, function: Callable[..., object], apart: frozenset[str], *, paged: bool) -> type[msgspec.Struct]:
    _, *all_params = inspect.signature(function).parameters.values()
    params = [p for p in all_params if p.name not in _NOT_GIVEN]
    hints = get_type_hints(function, include_extras=True)
    fields: list[Any] = [
        (p.name, hints[p.name], _default_of(p))
        if p.name.endswith("_") or p.default is not p.empty
        else (p.name, hints[p.name])
        for p in params
    ]
    fields += [(OFFSET, Offset, 0)] if paged else []
    fields += [(common, kind, default) for common, (kind, default) in COMMON.items()]
    fields += [(dated, *DATED[dated]) for dated in DATED if dated in apart]
    return msgspec.defstruct(name, fields, kw_only=True, forbid_unknown_fields=True, frozen=True)


def _default_of(param: inspect.Parameter) -> object:
    """Of a parameter that is named like a word of Python with an underscore, callers leave the underscore out."""
    if not param.name.endswith("_"):
        return param.default
    return msgspec.field(name=param.name[:-1], default=param.default)


def _is_offered(tool: Tool, toolsets: tuple[str, ...]) -> bool:
    return "all" in toolsets or tool.toolset in toolsets or ("core" in toolsets and tool.name in CORE)


def _explain_error(message: str, tool: Tool) -> str:
    """Add the nearest name to an unknown field, and the choices to an invalid value."""
    if length := re.match(r"Expected `str` of length (>= 1\b|<= (\d+)) - at `\$\.?(.+)`", message):
        most = int(length[2] or 0)
        return f"`{length[3]}` has more than {most:,} characters" if most else f"`{length[3]}` is empty"
    there = _schema_parts_at(tool.schema, _path(message))
    if message.startswith("Invalid enum value"):
        values = [str(one) for part in there for one in part.get("enum", ()) if one]
        return f"{message}; it may be {', '.join(values)}" if values else message
    strange = re.search(r"unknown field `(\w+)`", message)
    names = [name for part in there for name in part.get("properties", ())]
    near = get_close_matches(strange[1], names, n=1) if strange else []
    return f"{message}; did you mean `{near[0]}`?" if near else message


def _about(message: str, tool: Tool) -> str:
    """The description of the argument with the invalid value; empty for an unknown field."""
    if not (path := _path(message)) or " field `" in message:
        return ""
    told = [part["description"] for part in _schema_parts_at(tool.schema, path) if part.get("description")]
    return f"{path[-1]}: {told[0]}" if told else ""


def _path(message: str) -> list[str]:
    where = re.search(r"at `\$([^`]*)`", message)
    return re.findall(r"\[.*?\]|\w+", where[1] if where else "")


def _schema_parts_at(schema: dict[str, Any], path: list[str]) -> list[dict[str, Any]]:
    """The parts of a schema that describe the value at a path; several for a union of types."""

    def resolve_options(part: dict[str, Any]) -> list[dict[str, Any]]:
        if "$ref" in part:
            part = schema["$defs"][part["$ref"].rpartition("/")[2]]
        return [one for some in part["anyOf"] for one in resolve_options(some)] if "anyOf" in part else [part]

    here = resolve_options(schema)
    for step in path:
        inner = [part.get("properties", {}).get(step) for part in here]
        inner += [part.get(held) for part in here for held in ("items", "additionalProperties") if step[0] == "["]
        here = [one for part in inner if isinstance(part, dict) for one in resolve_options(part)]
    return here
