"""For orchestrators: Clew's tools as definitions for model APIs, and one function that runs what a model called.

from clew.toolkit import Toolkit

with Toolkit.open("path/to/repo") as kit:
    definitions = kit.anthropic_tools()  # or openai_tools(), openai_responses_tools()
    text = kit.call("context_pack", {"task": "reject expired tokens"})
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from clew.engine import new_id
from clew.model.errors import InvalidInput
from clew.runtime.paths import parse_path
from clew.surfaces import identity
from clew.tools.answer import Caller, answer, failure
from clew.tools.deliveries import Deliveries
from clew.tools.registry import Tool, select
from clew.workspaces import Workspaces


class Toolkit:
    """The tools of one project for one agent session: code that was sent is not sent again unless it changed."""

    def __init__(self, workspaces: Workspaces, tools: tuple[Tool, ...], caller: Caller) -> None:
        self._workspaces = workspaces
        self._tools = tools
        self._caller = caller

    @classmethod
    def open(
        cls,
        path: str | Path = ".",
        *,
        toolsets: tuple[str, ...] = ("core",),
        read_only: bool = False,
        agent: str = "orchestrator",
    ) -> Self:
        """Offer the tools of some toolsets for the project that holds `path`, under the name of an agent."""
        tools = tuple(select(toolsets, read_only=read_only))
        workspaces = Workspaces(parse_path(str(path)), read_only=read_only)
        who = identity.of_process(os.environ, agent, new_id())
        listed = frozenset(one.name for one in tools)
        return cls(workspaces, tools, Caller(workspaces, read_only, who, listed, Deliveries()))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._workspaces.close()

    def __iter__(self) -> Iterator[str]:
        return iter(one.name for one in self._tools)

    def openai_tools(self) -> list[dict[str, Any]]:
        """For chat completions."""
        return [{"type": "function", "function": self._definition(one, "parameters")} for one in self._tools]

    def openai_responses_tools(self) -> list[dict[str, Any]]:
        """For the Responses API."""
        return [{"type": "function", **self._definition(one, "parameters"), "strict": False} for one in self._tools]

    def anthropic_tools(self) -> list[dict[str, Any]]:
        """For the Messages API."""
        return [self._definition(one, "input_schema") for one in self._tools]

    def call(self, name: str, arguments: Mapping[str, object] | str) -> str:
        """Run a tool with the arguments of a model, as an object or as JSON text; an error is an answer with a hint."""
        if isinstance(arguments, str):
            try:
                arguments = msgspec.json.decode(arguments or "{}", type=dict[str, Any])
            except msgspec.DecodeError as error:
                return failure(InvalidInput(f"the arguments are not a JSON object: {error}")).body.decode()
        return answer(self._caller, name, arguments).body.decode()

    def _definition(self, tool: Tool, schema: str) -> dict[str, Any]:
        return {"name": tool.name, "description": tool.about, schema: tool.brief}
