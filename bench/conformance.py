"""The tests of `@modelcontextprotocol/conformance` against `clew serve`, and against a fixture on its transport.

python -m bench.conformance --runner "node path/to/conformance/dist/index.js" [--serve project] [--spec 2026-07-28]

Scenarios that ask for tools, resources and prompts of fixed names run against the fixture, which answers through the
same endpoint and streams as Clew; the others against Clew itself. Scenarios that cannot apply are listed with reasons.
"""

import argparse
import asyncio
import base64
import os
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from clew.surfaces.mcp import HttpEndpoints, streamable_http

OWN = (
    "server-initialize", "logging-set-level", "ping", "tools-list", "resources-list", "prompts-list",
    "completion-complete", "dns-rebinding-protection", "caching", "http-header-validation",
    "sep-2164-resource-not-found",
    "server-sse-multiple-streams",
)  # fmt: skip
FIXED = (
    "tools-call-simple-text", "tools-call-image", "tools-call-audio", "tools-call-embedded-resource",
    "tools-call-mixed-content", "tools-call-with-logging", "tools-call-error", "tools-call-with-progress",
    "json-schema-2020-12", "resources-read-text", "resources-read-binary", "resources-templates-read",
    "prompts-get-simple",
    "prompts-get-with-args", "prompts-get-embedded-resource", "prompts-get-with-image",
)  # fmt: skip
NOT_APPLICABLE = {
    "tools-call-sampling, tools-call-elicitation, elicitation-*, input-required-*": "Clew asks its client nothing",
    "resources-subscribe, resources-unsubscribe": "not advertised: resources are read when they are needed",
    "server-session-lifecycle, server-sse-polling": "the server is stateless: there are no sessions to resume",
    "server-stateless": "one check calls a fixed tool that needs a capability of the client; the others pass",
    "http-custom-header-server-validation": "no tool has arguments in headers",
    "tasks-*, sep-2640-*": "extensions that are not advertised",
}
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
WAV = base64.b64encode(b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0@\x1f\0\0\x80>\0\0\x02\0\x10\0data\0\0\0\0").decode()


def fixture() -> Server[Any]:  # noqa: C901 - one handler for each method
    """A server with what the scenarios ask for by name."""
    text = types.TextContent(type="text", text="This is a simple text response for testing.")
    image = types.ImageContent(type="image", data=PNG, mime_type="image/png")
    audio = types.AudioContent(type="audio", data=WAV, mime_type="audio/wav")
    embedded = _embedded("test://embedded-resource", "This is an embedded resource content.")
    mixed = [
        types.TextContent(type="text", text="Multiple content types test:"), image,
        _embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ]  # fmt: skip
    answers: dict[str, list[Any]] = {
        "test_simple_text": [text], "test_image_content": [image], "test_audio_content": [audio],
        "test_embedded_resource": [embedded], "test_multiple_content_types": mixed, "test_tool_with_logging": [text],
        "test_tool_with_progress": [text], "json_schema_2020_12_tool": [text],
    }  # fmt: skip

    async def list_tools(context: Any, params: object) -> types.ListToolsResult:
        plain = {"type": "object", "properties": {}}
        named = [*answers, "test_error_handling"]
        return types.ListToolsResult(
            tools=[
                types.Tool(name=one, description=one, input_schema=_SCHEMA if one.startswith("json_") else plain)
                for one in named
            ]
        )

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name == "test_error_handling":
            said = types.TextContent(type="text", text="This tool intentionally returns an error for testing")
            return types.CallToolResult(content=[said], is_error=True)
        if params.name == "test_tool_with_logging":
            for said_now in ("Tool execution started", "Tool processing data", "Tool execution completed"):
                await context.session.send_log_message("info", said_now, "test", context.request_id)
                await asyncio.sleep(0.05)
        if params.name == "test_tool_with_progress":
            for done in (0, 50, 100):
                await context.session.report_progress(done, 100, None)
                await asyncio.sleep(0.05)
        return types.CallToolResult(content=answers[params.name])

    async def list_resources(context: Any, params: object) -> types.ListResourcesResult:
        named = ("test://static-text", "test://static-binary")
        return types.ListResourcesResult(resources=[types.Resource(uri=one, name=one) for one in named])

    async def list_templates(context: Any, params: object) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(uri_template="test://template/{id}/data", name="template")
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        found: Any
        if uri == "test://static-binary":
            found = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
        elif uri == "test://static-text":
            found = types.TextResourceContents(uri=uri, mime_type="text/plain", text="This is the content of it.")
        elif match := re.fullmatch(r"test://template/(.+)/data", uri):
            said = f'{{"id":"{match[1]}","templateTest":true,"data":"Data for ID: {match[1]}"}}'
            found = types.TextResourceContents(uri=uri, mime_type="application/json", text=said)
        else:
            raise MCPError(types.INVALID_PARAMS, f"no resource {uri}")
        return types.ReadResourceResult(contents=[found])

    async def list_prompts(context: Any, params: object) -> types.ListPromptsResult:
        arguments = {
            "test_simple_prompt": (), "test_prompt_with_arguments": ("arg1", "arg2"),
            "test_prompt_with_embedded_resource": ("resourceUri",), "test_prompt_with_image": (),
        }  # fmt: skip
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(name=name, arguments=[types.PromptArgument(name=one, required=True) for one in own])
                for name, own in arguments.items()
            ]
        )

    async def get_prompt(context: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        given = params.arguments or {}
        words = types.TextContent(type="text", text="This is a simple prompt for testing.")
        content: dict[str, list[Any]] = {
            "test_simple_prompt": [words],
            "test_prompt_with_arguments": [
                types.TextContent(
                    type="text",
                    text=f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'",
                )
            ],
            "test_prompt_with_embedded_resource": [_embedded(given.get("resourceUri", "test://x"), "Embedded."), words],
            "test_prompt_with_image": [image, words],
        }
        messages = [types.PromptMessage(role="user", content=one) for one in content[params.name]]
        return types.GetPromptResult(messages=messages)

    async def complete(context: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
        return types.CompleteResult(completion=types.Completion(values=[], total=0, has_more=False))

    async def set_level(context: Any, params: types.SetLevelRequestParams) -> types.EmptyResult:
        return types.EmptyResult()

    server: Server[Any] = Server(
        "fixture", version="1", on_list_tools=list_tools, on_call_tool=call_tool, on_list_resources=list_resources,
        on_list_resource_templates=list_templates, on_read_resource=read_resource, on_list_prompts=list_prompts,
        on_get_prompt=get_prompt, on_completion=complete,
    )  # fmt: skip
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, set_level)
    return server


_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def _embedded(uri: str, text: str, kind: str = "text/plain") -> types.EmbeddedResource:
    return types.EmbeddedResource(
        type="resource", resource=types.TextResourceContents(uri=uri, mime_type=kind, text=text)
    )


class _Endpoint:
    """As in `clew serve`: a stream only where more than the answer is to be sent."""

    def __init__(self, endpoints: HttpEndpoints) -> None:
        self._endpoints = endpoints

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await Request(scope, receive).body()

        async def again() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        await self._endpoints.for_body(body)(scope, again, send)


@contextmanager
def served_fixture() -> Iterator[str]:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{bound.getsockname()[1]}/mcp"

        async def run() -> None:
            async with streamable_http(fixture(), 1 << 20) as endpoints:
                app = Starlette(routes=[Route("/mcp", _Endpoint(endpoints), methods=["GET", "POST", "DELETE"])])
                await uvicorn.Server(uvicorn.Config(app, log_level="error")).serve([bound])

        threading.Thread(target=lambda: asyncio.run(run()), daemon=True).start()
        for _ in range(1800):
            with suppress(OSError), socket.create_connection(bound.getsockname(), 1):
                break
            time.sleep(0.1)
        yield address


@contextmanager
def served_clew(project: Path) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with log.open("wb") as errors:
            command = [sys.executable, "-m", "clew", "-C", str(project), "serve", "--port", "0"]
            server = subprocess.Popen(
                command, stderr=errors, env={**os.environ, "CLEW_SERVER_REQUESTS_PER_MINUTE": "0"}
            )
        try:
            for _ in range(1800):
                if found := re.search(r"serving on (\S+)", log.read_text("utf-8")):
                    yield f"{found[1]}/mcp"
                    return
                time.sleep(0.1)
            raise SystemExit(f"clew serve does not start: {log.read_text('utf-8')[-500:]}")
        finally:
            server.terminate()
            server.wait(20)


def run_scenario(runner: list[str], address: str, name: str, spec: str) -> tuple[int, int]:
    """Checks that passed and that failed."""
    command = [*runner, "server", "--url", address, "--scenario", name, *(["--spec-version", spec] if spec else [])]
    said = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    counts = [
        (int(ok), int(bad)) for ok, bad in re.findall(r"Passed: (\d+)/\d+, (\d+) failed", said.stdout + said.stderr)
    ]
    skipped = re.search("SKIPPED|nknown scenario", said.stdout + said.stderr)
    return (sum(ok for ok, _ in counts), sum(bad for _, bad in counts)) if counts or skipped else (0, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runner", type=shlex.split, required=True)
    parser.add_argument("--serve", type=Path, default=Path())
    parser.add_argument("--spec", default="", help="Only of this revision, in runners that know it.")
    options = parser.parse_args()
    bad = 0
    with served_clew(options.serve) as clew, served_fixture() as fixed:
        for label, address, scenarios in (("clew serve", clew, OWN), ("fixture", fixed, FIXED)):
            for name in scenarios:
                passed, failed = run_scenario(options.runner, address, name, options.spec)
                bad += failed
                said = f"{failed} FAILED, {passed} passed" if failed else f"{passed} passed" if passed else "skipped"
                print(f"{label:10s} {name:32s} {said}", flush=True)
    for names, why in NOT_APPLICABLE.items():
        print(f"not applicable: {names}: {why}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
