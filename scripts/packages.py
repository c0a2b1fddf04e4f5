"""Files for registries and plug-in markets, all generated from one source: the catalog of clients and this program.

.venv/bin/python scripts/packages.py            write the committed files (a test holds that they are current)
.venv/bin/python scripts/packages.py --release DIST --namespace io.github.OWNER
                                                also server.json and the .mcpb bundle around the wheel in DIST
"""

import argparse
import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from clew import __version__
from clew.surfaces.cli import COMMANDS
from clew.surfaces.clients import texts
from clew.surfaces.clients.catalog import hooks_of, server_entry

HOME = Path(__file__).parents[1]
ABOUT = "The right context for coding agents, in the fewest tokens: code, history, decisions and claims of a project."
PLUGIN = "plugins/clew"
_EPOCH = (2026, 1, 1, 0, 0, 0)  # of files in bundles: the same input gives the same bytes
SERVER_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"


def committed_files() -> dict[str, str]:
    """The files of the repository, by path."""
    plugin = {"name": "clew", "version": __version__, "description": ABOUT, "license": "MIT"}
    servers = {"mcpServers": {"clew": server_entry("claude-code")}}
    listed = {"name": "clew", "source": f"./{PLUGIN}", "description": ABOUT, "version": __version__}
    market = {"name": "clew", "owner": {"name": "Clew"}, "plugins": [listed]}
    codex_market = {
        "name": "clew",
        "plugins": [
            {
                "name": "clew",
                "source": {"source": "local", "path": f"./{PLUGIN}"},
                "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
                "category": "Coding",
            }
        ],
    }
    return {
        ".claude-plugin/marketplace.json": _json(market),
        ".cursor-plugin/marketplace.json": _json(market),
        ".agents/plugins/marketplace.json": _json(codex_market),
        f"{PLUGIN}/.claude-plugin/plugin.json": _json(plugin),
        f"{PLUGIN}/.codex-plugin/plugin.json": _json(
            {**plugin, "skills": "./skills/", "mcpServers": "./.mcp.json", "hooks": "./hooks/codex.json"}
        ),
        f"{PLUGIN}/.cursor-plugin/plugin.json": _json(
            {**plugin, "skills": "./skills/", "mcpServers": "./.mcp.json", "hooks": "./hooks/cursor.json"}
        ),
        f"{PLUGIN}/.mcp.json": _json(servers),
        f"{PLUGIN}/hooks/hooks.json": _hooks("claude-code"),
        f"{PLUGIN}/hooks/codex.json": _hooks("codex"),
        f"{PLUGIN}/hooks/cursor.json": _hooks("cursor"),
        f"{PLUGIN}/skills/clew/SKILL.md": texts.SKILL,
        f"{PLUGIN}/agents/clew.md": texts.SUBAGENT,
        "llms.txt": llms_text(),
    }


def _hooks(client: str) -> str:
    made = hooks_of(client)
    return _json({**made.head, "hooks": {event: [entry] for event, entry in made.events.items()}})


def llms_text() -> str:
    """An index of the documents, for language models."""
    pages = [HOME / "README.md", HOME / "ARCHITECTURE.md", *sorted((HOME / "docs").glob("*.md"))]
    links = [f"- [{_title(page)}]({page.relative_to(HOME).as_posix()})" for page in pages]
    commands = [f"- `clew {name}`: {about}" for name, (_, about) in COMMANDS.items()]
    head = ["# Clew", "", f"> {ABOUT}", "", texts.INSTRUCTIONS]
    return "\n".join([*head, "## Documents", "", *links, "", "## Commands", "", *commands, ""])


def _title(page: Path) -> str:
    found = re.search(r"^# (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return found[1] if found else page.stem


def server_json(namespace: str) -> dict[str, Any]:
    """The entry of the MCP registry."""
    package = {
        "registryType": "pypi",
        "identifier": "clew",
        "version": __version__,
        "runtimeHint": "uvx",
        "packageArguments": [{"type": "positional", "value": "mcp"}],
        "transport": {"type": "stdio"},
    }
    return {
        "$schema": SERVER_SCHEMA,
        "name": f"{namespace}/clew",
        "title": "Clew",
        "description": ABOUT[:100],
        "version": __version__,
        "packages": [package],
    }


def bundle_manifest(wheel: str) -> dict[str, Any]:
    """The manifest of a bundle that carries the wheel; its dependencies are fetched when it is installed."""
    folder = {"type": "directory", "title": "Project", "description": "The project that Clew answers about."}
    arguments = ["--from", f"${{__dirname}}/server/{wheel}", "clew", "-C", "${user_config.project}", "mcp"]
    return {
        "manifest_version": "0.3",
        "name": "clew",
        "display_name": "Clew",
        "version": __version__,
        "description": ABOUT,
        "author": {"name": "Clew"},
        "license": "MIT",
        "server": {
            "type": "python",
            "entry_point": f"server/{wheel}",
            "mcp_config": {"command": "uvx", "args": arguments},
        },
        "tools_generated": True,
        "user_config": {"project": {**folder, "required": True}},
        "compatibility": {"platforms": ["darwin", "linux", "win32"], "runtimes": {"python": ">=3.11"}},
    }


def write_bundle(target: Path, wheel: Path) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, content in _bundle_files(wheel):
            bundle.writestr(zipfile.ZipInfo(name, _EPOCH), content, zipfile.ZIP_DEFLATED)


def _bundle_files(wheel: Path) -> Iterator[tuple[str, bytes]]:
    yield "manifest.json", _json(bundle_manifest(wheel.name)).encode()
    yield f"server/{wheel.name}", wheel.read_bytes()
    yield "README.md", (HOME / "README.md").read_bytes()
    yield "LICENSE", (HOME / "LICENSE").read_bytes()


def _json(value: Mapping[str, Any]) -> str:
    return f"{json.dumps(value, indent=2, ensure_ascii=False)}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", type=Path, metavar="DIST", help="The folder with the built wheel.")
    parser.add_argument("--namespace", help="Of the MCP registry, as io.github.OWNER.")
    options = parser.parse_args()
    for name, text in committed_files().items():
        path = HOME / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    if options.release:
        (wheel,) = options.release.glob(f"clew-{__version__}-*.whl")
        write_bundle(options.release / f"clew-{__version__}.mcpb", wheel)
        if options.namespace:
            (options.release / "server.json").write_text(_json(server_json(options.namespace)), "utf-8")


if __name__ == "__main__":
    main()
