"""Tools about tools: an agent's list stays short, and the rest is a search away."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any

from msgspec import Meta, Struct

from clew.text.terms import Lexicon
from clew.tools.budget import Row, Shape, grow_rows
from clew.tools.registry import COMMON, TOOLS, Effect, Tool, tool
from clew.workspaces import Workspaces

_THESE = ("tools_search", "tools_call")
BEST = 3  # tools, of those that fit some words
IN_NAME, IN_WORDS, IN_ARGUMENTS = 2.0, 1.5, 0.5  # what a word is worth by where it stands
_OF_ALL = "list show all every available tools"  # who says no more than this wants to see them all


class FoundTool(Struct, frozen=True):
    name: str
    toolset: str
    about: str
    writes: bool
    arguments: dict[str, str]


class FoundTools(Struct, frozen=True, omit_defaults=True):
    """`total` is how many fit; those that fit best are here. `in_your_list` are others that fit: the caller has them.

    `every` lists all tools; such an answer has a line for each.
    """

    tools: tuple[FoundTool, ...]
    total: int
    in_your_list: tuple[str, ...] = ()
    every: bool = False

    def summary(self) -> str:
        if self.every:
            return f"{self.total} tools. Search with words for the arguments of a tool; call it with tools_call."
        names = ", ".join(found.name for found in self.tools)
        more = f" and {rest} more" if (rest := self.total - len(self.tools)) else ""
        known = f"In your list: {', '.join(self.in_your_list)}." if self.in_your_list else ""
        if names:
            return f"{names}{more}. Call one with tools_call. {known}".rstrip()
        none = "No tool beyond your list fits these words." if known else "No tool fits these words."
        return f"{none} {known or 'An empty query lists all tools.'}"


def _steps(data: Row) -> Iterator[Row]:
    if not data.get("every"):
        yield from grow_rows(("name", "about", "writes"), "tools")(data)
        return
    if data["tools"] and isinstance(data["tools"][0], str):
        names = [line.partition(":")[0] for line in data["tools"]]
        for most in range(len(names) // 2, len(names), 5):
            yield {**data, "tools": " ".join(names[:most]), "tools_left_out": len(names) - most}
        yield {**data, "tools": " ".join(names)}
        yield {**data, "tools": [_first_words(line) for line in data["tools"]]}
        for marks in (",;", ";"):
            yield {**data, "tools": [_up_to(marks, line) for line in data["tools"]]}
    yield data


_MOST_WORDS = 5  # of a description, where there is little room


def _first_words(line: str) -> str:
    """The name, and the opening of the first clause."""
    name, _, about = _up_to(",;:", line.replace(": ", "\0", 1)).partition("\0")
    return f"{name}: {' '.join(about.split()[:_MOST_WORDS])}"


def _up_to(marks: str, line: str) -> str:
    """The first clause of a line, up to one of these marks or the end of its first sentence."""
    return re.split(rf"[{marks}]|\. ", line, maxsplit=1)[0].rstrip(".")


def _concise(data: Row) -> Row:
    """Of all tools, a line each."""
    if not data.get("every"):
        return data
    return {**data, "tools": [f"{one['name']}: {one['about']}" for one in data["tools"]]}


class Called(Struct, frozen=True):
    """Never made: `tools_call` answers as the tool it calls does."""

    def summary(self) -> str:
        return ""


@tool(Effect.READ, shape=Shape(steps=_steps, concise=_concise, pages=("tools",)), budgeted=True, connection=True)
def tools_search(
    workspaces: Workspaces,
    query: Annotated[str, Meta(description="What you want to do; empty lists every tool.")] = "",
    limit: Annotated[int, Meta(ge=1, le=100, description="Default 3; without words, all.")] | None = None,
    listed: frozenset[str] = frozenset(),
) -> FoundTools:
    """Find tools beyond your list, with their arguments; without words, list all tools."""
    lexicon = Lexicon()
    wanted = lexicon.question(query).keys() - lexicon.question(_OF_ALL).keys()
    if not wanted:
        every = sorted(TOOLS.values(), key=lambda one: one.name)
        return FoundTools(tuple(map(_to_found, every[: limit or len(every)])), len(every), every=True)
    others = [one for one in TOOLS.values() if one.name not in _THESE]
    said = [_weigh_words(one, lexicon) for one in others]
    tools_with = Counter(word for words in said for word in words)
    scored = [
        (sum(words[word] / tools_with[word] for word in sorted(wanted & words.keys())), one)
        for one, words in zip(others, said, strict=True)
    ]
    best = [one for score, one in sorted(scored, key=lambda one: (-one[0], one[1].name)) if score]
    beyond = [one for one in best if one.name not in listed]
    known = tuple(one.name for one in best if one.name in listed)
    return FoundTools(tuple(map(_to_found, beyond[: limit or BEST])), len(beyond), known[:BEST])


def _weigh_words(one: Tool, lexicon: Lexicon) -> dict[str, float]:
    """The words that a tool is found by, with their weights."""
    arguments = " ".join(describe_arguments(one))
    told = {arguments: IN_ARGUMENTS, f"{one.toolset} {one.about}": IN_WORDS, one.also: IN_WORDS, one.name: IN_NAME}
    return {word: worth for text, worth in told.items() for word in lexicon.question(text)}


@tool(Effect.READ, connection=True, writes_if="name")
def tools_call(
    workspaces: Workspaces,
    name: Annotated[str, Meta(min_length=1, description="The tool, as tools_search names it.")],
    arguments: Annotated[dict[str, Any], Meta(description="Its arguments.")] = {},  # noqa: B006 - copied by msgspec
) -> Called:
    """Call any tool by name."""
    raise AssertionError("tools_call is resolved to the tool it names before anything runs")


def describe_arguments(one: Tool) -> dict[str, str]:
    """A tool's own arguments, in words."""
    schema = one.schema
    required = set(schema.get("required", ()))
    definitions = schema.get("$defs", {})
    return {
        name: f"{_type(about, definitions)}{', required' if name in required else ''}: {_about(about)}"
        for name, about in schema.get("properties", {}).items()
        if name not in COMMON
    }


def _to_found(one: Tool) -> FoundTool:
    return FoundTool(one.name, one.toolset, one.about, one.effect is Effect.WRITE, describe_arguments(one))


def _about(schema: dict[str, Any]) -> str:
    """A parameter's description, which an optional one carries inside."""
    texts = (one["description"] for one in (schema, *schema.get("anyOf", ())) if "description" in one)
    return str(next(texts, ""))


def _type(schema: dict[str, Any], definitions: dict[str, Any]) -> str:
    """The type of an argument; for an enumeration its words, for an object its fields."""
    options = [_resolve_reference(option, definitions) for option in schema.get("anyOf", [schema])]
    taken = next((option for option in options if option.get("type") != "null"), {})
    if words := [word for word in taken.get("enum", ()) if word]:
        return " or ".join(words)
    fields = ", ".join(taken.get("properties", ()))
    return f"object of {fields}" if fields else str(taken.get("type", "any"))


def _resolve_reference(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """The definition that a `$ref` points to."""
    while "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    return schema
