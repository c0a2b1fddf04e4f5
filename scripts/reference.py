"""Write docs/reference/ from the code, or check that it is fresh: python scripts/reference.py [--check]."""

import json
import sys
from pathlib import Path

import click

from clew.model import errors
from clew.model.errors import ClewError
from clew.runtime import config
from clew.surfaces.cli import COMMANDS, cli
from clew.tools import TOOLS, Tool
from clew.tools.discovery import describe_arguments

FOLDER = Path(__file__).parent.parent / "docs" / "reference"
GREETING = FOLDER.parent.parent / "src" / "clew" / "surfaces" / "greeting.json"
NOTE = "<!-- Made by `make docs` from the code; do not edit. -->\n\n"


def pages() -> dict[str, str]:
    return {
        "tools.md": _tools(),
        "configuration.md": f"# Configuration\n\n{_CONFIGURATION}\n\n{config.reference()}",
        "command-line.md": _commands(),
        "errors.md": _errors(),
    }


_CONFIGURATION = (
    "No file is needed. From the strongest source to the weakest: options of the command line, variables, "
    "`context.toml` at the project's root, weights that `clew eval --tune` fitted, the user's own file for all "
    "projects (`~/.config/clew/config.toml`, or under `XDG_CONFIG_HOME`; on macOS `~/Library/Application "
    "Support/clew/config.toml` unless `XDG_CONFIG_HOME` is set; on Windows `%APPDATA%\\clew\\config.toml`), the "
    "default. Both files have the same keys; tables may be written `[query]` or `[context.query]`. `${NAME}` and "
    "`${NAME:-fallback}` are replaced from the environment; `$${` is a literal `${`.\n\n"
    "A repository is not trusted. Of its `context.toml` those settings apply at once that only affect the inside "
    "of the project: the column *From a repository* says which. All others, and every value that holds a "
    "variable, are ignored with a notice until the user has accepted them with `clew trust`, for this directory "
    "and exactly these values."
)


def _tools() -> str:
    toolsets = sorted({tool.toolset for tool in TOOLS.values()})
    parts = ["# Tools\n", "Every tool also takes `project`, `profile` and `max_tokens`.\n"]
    for toolset in toolsets:
        parts.append(f"## {toolset}\n")
        parts += [_tool(tool) for tool in TOOLS.values() if tool.toolset == toolset]
    return "\n".join(parts)


def _tool(tool: Tool) -> str:
    rows = [f"| `{name}` | {about} |" for name, about in describe_arguments(tool).items()]
    table = "\n".join(["| argument | |", "|---|---|", *rows]) if rows else "No arguments of its own."
    also = f"; writes if `{tool.writes_if}` is set" if tool.writes_if else ""
    return f"### {tool.name}\n\n{tool.about} ({tool.effect}s{also})\n\n{table}\n"


def _commands() -> str:
    parts = ["# Command line\n", _block(cli.get_help(click.Context(cli, info_name="clew")))]
    for name in COMMANDS:
        parent = click.Context(cli, info_name="clew")
        command = cli.get_command(parent, name)
        assert command is not None
        parts.append(f"\n## clew {name}\n\n{_block(command.get_help(click.Context(command, parent, name)))}")
    return "\n".join(parts)


def _errors() -> str:
    classes = [c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, ClewError)]
    rows = [f"| `{c.code}` | {c.status} | {c.exit_code} | {c.default_hint} |" for c in classes]
    return "\n".join(["# Errors\n", "| code | HTTP | exit | what to do |", "|---|---|---|---|", *rows, ""])


def _block(text: str) -> str:
    return f"```text\n{text}\n```"


def greeting_text() -> str:
    """The first answer of `clew mcp` to a client, as the server writes it."""
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

    from clew.surfaces import mcp
    from clew.tools.answer import Caller
    from clew.tools.registry import select
    from clew.workspaces import Workspaces

    server = mcp.create(Caller(Workspaces(FOLDER)), ("core",), mcp.ServeOptions(1.0))
    options = mcp.initialization(server)
    info = {"name": "clew", "title": server.title, "version": options.server_version, "description": server.description}
    greeting = {
        "capabilities": options.capabilities.model_dump(
            by_alias=True, exclude_none=True, mode="json", exclude={"extensions"}
        ),
        "serverInfo": info,
        "instructions": mcp.INSTRUCTIONS,
    }
    listed = [mcp.describe(one, read_only=False) for one in select(("core",), read_only=False)]
    tools = [one.model_dump(by_alias=True, exclude_none=True, mode="json") for one in listed]
    made = {"versions": list(HANDSHAKE_PROTOCOL_VERSIONS), "greeting": greeting, "tools": tools}
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    made = {FOLDER / name: NOTE + text.rstrip() + "\n" for name, text in pages().items()}
    made[GREETING] = greeting_text()
    if "--check" in sys.argv:
        stale = [path for path, text in made.items() if not path.exists() or path.read_text("utf-8") != text]
        for path in stale:
            click.echo(f"{path.name} is not fresh: run `make docs`", err=True)
        return 1 if stale else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path, text in made.items():
        path.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
