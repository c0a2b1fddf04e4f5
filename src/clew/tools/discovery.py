"""Tools about tools: an agent's list stays short, and the rest is a search away."""

from typing import Annotated, Any

from msgspec import Meta, Struct

from clew.text.terms import Lexicon
from clew.tools.budget import Shape
from clew.tools.params import Limit
from clew.tools.registry import COMMON, TOOLS, Effect, Tool, tool
from clew.workspaces import Workspaces


class FoundTool(Struct, frozen=True):
    name: str
    toolset: str
    about: str
    writes: bool
    arguments: dict[str, str]


class FoundTools(Struct, frozen=True):
    tools: tuple[FoundTool, ...]

    def summary(self) -> str:
        names = ", ".join(found.name for found in self.tools)
        return f"{names}. Call one with tools_call." if names else "No tool fits these words."


class Called(Struct, frozen=True):
    """Never made: `tools_call` answers as the tool it calls does."""

    def summary(self) -> str:
        return ""


def _steps(data: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**data, "tools": data["tools"][:n]} for n in range(len(data["tools"]) + 1)]


@tool(Effect.READ, shape=Shape(steps=_steps), connection=True)
def tools_search(
    workspaces: Workspaces,
    query: Annotated[str, Meta(description="What you want to do; empty lists every tool.")] = "",
    limit: Limit = 5,
) -> FoundTools:
    """Find tools that are not in your list, with their arguments."""
    lexicon = Lexicon()
    wanted = lexicon.question(query).keys()
    scored = [(len(wanted & lexicon.question(f"{t.name} {t.toolset} {t.about}").keys()), t) for t in TOOLS.values()]
    fitting = [(score, t) for score, t in scored if score or not wanted]
    best = sorted(fitting, key=lambda one: (-one[0], one[1].name))[:limit]
    return FoundTools(tuple(_found(t) for _, t in best))


@tool(Effect.READ, connection=True)
def tools_call(
    workspaces: Workspaces,
    name: Annotated[str, Meta(min_length=1, description="The tool, as tools_search names it.")],
    arguments: Annotated[dict[str, Any], Meta(description="Its arguments.")] = {},  # noqa: B006 - copied by msgspec
) -> Called:
    """Call any tool by name."""
    raise AssertionError("tools_call is resolved to the tool it names before anything runs")


def described(one: Tool) -> dict[str, str]:
    """A tool's own arguments, in words."""
    schema = one.schema
    required = set(schema.get("required", ()))
    return {
        name: f"{_type(about)}{', required' if name in required else ''}: {_about(about)}"
        for name, about in schema.get("properties", {}).items()
        if name not in COMMON
    }


def _found(one: Tool) -> FoundTool:
    return FoundTool(one.name, one.toolset, one.about, one.effect is Effect.WRITE, described(one))


def _about(schema: dict[str, Any]) -> str:
    """A parameter's description, which an optional one carries inside."""
    described = (one["description"] for one in (schema, *schema.get("anyOf", ())) if "description" in one)
    return str(next(described, ""))


def _type(schema: dict[str, Any]) -> str:
    options = schema.get("anyOf", [schema])
    named = [option.get("type", "string" if "enum" in option else "object") for option in options]
    named = [one for one in named if one != "null"]
    return str(named[0]) if named else "any"
