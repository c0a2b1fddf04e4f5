"""MCP: the registry behind list_tools and call_tool, over standard streams or Streamable HTTP."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
from anyio import to_thread
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager

from clew import __version__
from clew.model.errors import ClewError
from clew.tools.answer import Caller, answer
from clew.tools.registry import Effect, Tool, select

log = logging.getLogger(__name__)

INSTRUCTIONS = (
    "Clew knows this project's code. Ask query_context before you read files: it answers with the few places that "
    "matter, with lines and reasons. tools_search finds further tools; tools_call calls them."
)


def create(caller: Caller, toolsets: tuple[str, ...]) -> Server[Any]:
    listed = select(toolsets, read_only=caller.read_only)

    async def list_tools(context: object, params: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_describe(tool) for tool in listed])

    async def call_tool(context: object, params: types.CallToolRequestParams) -> types.CallToolResult:
        reply = await to_thread.run_sync(answer, caller, params.name, params.arguments or {})
        text = types.TextContent(type="text", text=reply.body.decode())
        return types.CallToolResult(content=[text], is_error=not reply.ok)

    return Server(
        "clew",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def serve_stdio(caller: Caller, toolsets: tuple[str, ...], *, index: bool) -> None:
    """Serve one client until it closes its end; with `index`, an index run starts beside it."""
    anyio.run(_serve_stdio, create(caller, toolsets), caller, index)


@asynccontextmanager
async def streamable_http(server: Server[Any]) -> AsyncIterator[StreamableHTTPASGIApp]:
    """The endpoint for HTTP, without sessions: each request stands alone, so that any worker may answer it."""
    manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)
    async with manager.run():
        yield StreamableHTTPASGIApp(manager)


async def _serve_stdio(server: Server[Any], caller: Caller, index: bool) -> None:
    async with stdio_server() as (read, write):
        if index:
            await to_thread.run_sync(_index_apart, caller)
        await server.run(read, write, server.create_initialization_options())


def _index_apart(caller: Caller) -> None:
    """In a process of its own, so that answers never wait for it."""
    try:
        engine = caller.workspaces.get()
    except ClewError as error:  # the first call will say so to the client
        log.warning("%s", error.message)
        return
    if engine.writable and engine.config.bootstrap.enabled:
        engine.index_apart()


def _describe(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(read_only_hint=tool.effect is Effect.READ)
    return types.Tool(name=tool.name, description=tool.about, input_schema=tool.schema, annotations=hints)
