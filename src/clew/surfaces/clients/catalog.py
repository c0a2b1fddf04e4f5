"""The clients that Clew configures: where each keeps its configuration, and what Clew adds to it.

docs/clients.md lists what each client supports. Formats of Windsurf, the user-level hooks of Copilot and the
opencode plug-in rest on descriptions by others, not on the client's own documentation.
"""

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from msgspec import Struct

from clew.surfaces.clients import texts
from clew.surfaces.clients.edits import (
    ConfigEdit,
    JsonHooks,
    JsonServer,
    MarkdownBlock,
    OwnFile,
    ShellBlock,
    TomlServer,
    hook_command,
)


class InstallScope(StrEnum):
    PROJECT = "project"
    USER = "user"


class InstallSite(Struct, frozen=True):
    """Where an installation goes: a project, the user's home, and the command that starts Clew."""

    project: Path
    home: Path
    scope: InstallScope
    command: tuple[str, ...] = ("clew",)
    platform: str = sys.platform
    environ: Mapping[str, str] = {}

    @property
    def root(self) -> Path:
        return self.project if self.scope is InstallScope.PROJECT else self.home


Parts = Iterator[tuple[Path, ConfigEdit]]


class Client(Struct, frozen=True):
    """`marks` are paths of the home, `commands` programs, and `project_marks` paths of a project that show its use."""

    name: str
    title: str
    parts: Callable[[InstallSite], Parts]
    marks: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    project_marks: tuple[str, ...] = ()

    def is_used(self, site: InstallSite) -> bool:
        return (
            any((site.home / mark).exists() for mark in self.marks)
            or any((site.project / mark).exists() for mark in self.project_marks)
            or any(shutil.which(command, path=site.environ.get("PATH", "")) for command in self.commands)
        )


SECONDS = {
    "session-start": 10, "prompt": 10, "before-edit": 5, "after-edit": 10, "stop": 10, "compact": 10, "session-end": 10,
}  # fmt: skip
_EDITS = "Edit|Write|MultiEdit|NotebookEdit"


def _hooks(client: str, events: Mapping[str, tuple[str, str]], per_second: int = 1) -> JsonHooks:
    """Hooks in the form that Claude Code, Codex and Gemini CLI share; of each event, ours and the matcher."""

    def entry(event: str, matcher: str) -> dict[str, Any]:
        hook = {"type": "command", "command": hook_command(event, client), "timeout": SECONDS[event] * per_second}
        return {"matcher": matcher, "hooks": [hook]} if matcher else {"hooks": [hook]}

    return JsonHooks({theirs: entry(*ours) for theirs, ours in events.items()})


CLAUDE_EVENTS = {
    "SessionStart": ("session-start", ""),
    "UserPromptSubmit": ("prompt", ""),
    "PreToolUse": ("before-edit", _EDITS),
    "PostToolUse": ("after-edit", _EDITS),
    "PreCompact": ("compact", ""),
    "Stop": ("stop", ""),
    "SessionEnd": ("session-end", ""),
}
_CODEX_EVENTS = {
    "SessionStart": ("session-start", "startup|resume|clear"),
    "UserPromptSubmit": ("prompt", ""),
    "PreToolUse": ("before-edit", "apply_patch|Edit|Write"),
    "PostToolUse": ("after-edit", "apply_patch|Edit|Write"),
    "PreCompact": ("compact", ""),
    "Stop": ("stop", ""),
}
_GEMINI_EVENTS = {
    "SessionStart": ("session-start", ""),
    "BeforeAgent": ("prompt", ""),
    "AfterTool": ("after-edit", "write_file|replace"),
    "PreCompress": ("compact", ""),
    "SessionEnd": ("session-end", ""),
}
CURSOR_EVENTS = {
    "sessionStart": "session-start", "afterFileEdit": "after-edit", "preCompact": "compact", "stop": "stop",
    "sessionEnd": "session-end",
}  # fmt: skip
_COPILOT_EVENTS = {
    "sessionStart": "session-start", "postToolUse": "after-edit", "preCompact": "compact", "sessionEnd": "session-end",
}  # fmt: skip


def hooks_of(client: str) -> JsonHooks:
    """The hooks of a client, as its configuration and its plug-in write them."""
    if client == "cursor":
        written = {
            theirs: {"command": hook_command(ours, client), "timeout": SECONDS[ours]}
            for theirs, ours in CURSOR_EVENTS.items()
        }
        return JsonHooks(written, {"version": 1})
    if client == "copilot":
        timed = {
            theirs: {"type": "command", "bash": hook_command(ours, client), "timeoutSec": SECONDS[ours]}
            for theirs, ours in _COPILOT_EVENTS.items()
        }
        return JsonHooks(timed, {"version": 1})
    if client == "gemini":
        return _hooks(client, _GEMINI_EVENTS, 1000)
    return _hooks(client, CLAUDE_EVENTS if client == "claude-code" else _CODEX_EVENTS)


def server_entry(client: str, command: tuple[str, ...] = ("clew",), workspace: str = "") -> dict[str, Any]:
    """The MCP server as a client writes it; `workspace` is the client's variable for the open folder."""
    place = ["-C", workspace] if workspace else []
    program, *args = (*command, *place, "mcp")
    if client == "opencode":
        return {"type": "local", "command": [program, *args], "enabled": True}
    plain = {"command": program, "args": args}
    return {
        "copilot": {"type": "local", **plain, "tools": ["*"]},
        "zed": {"source": "custom", **plain},
        "claude-code": {"type": "stdio", **plain},
        "vscode": {"type": "stdio", **plain},
    }.get(client, plain)


def _server(client: str, path: str, site: InstallSite, workspace: str = "") -> JsonServer:
    return JsonServer((path,), server_entry(client, site.command, workspace))


def _in_html_comment(digest: str) -> str:
    return f"\n<!-- clew {digest} -->\n"


def _in_line_comment(digest: str) -> str:
    return f"// clew {digest}\n"


def _claude(site: InstallSite) -> Parts:
    of_user = site.scope is InstallScope.USER
    yield site.root / (".claude.json" if of_user else ".mcp.json"), _server("claude-code", "mcpServers", site)
    yield site.root / ".claude/settings.json", hooks_of("claude-code")
    yield site.root / ".claude/skills/clew/SKILL.md", OwnFile(texts.SKILL, _in_html_comment)
    yield site.root / ".claude/agents/clew.md", OwnFile(texts.SUBAGENT, _in_html_comment)
    yield site.root / (".claude/CLAUDE.md" if of_user else "CLAUDE.md"), MarkdownBlock(texts.INSTRUCTIONS)


def codex_table(command: tuple[str, ...]) -> TomlServer:
    program, *args = *command, "mcp"
    written = ", ".join(map(_toml_text, args))
    return TomlServer("mcp_servers.clew", f"[mcp_servers.clew]\ncommand = {_toml_text(program)}\nargs = [{written}]\n")


def _toml_text(text: str) -> str:
    escaped = re.sub(r'([\\"])', r"\\\1", text)
    return f'"{escaped}"'


def _codex(site: InstallSite) -> Parts:
    folder = site.root / ".codex"
    if site.scope is InstallScope.USER and (named := site.environ.get("CODEX_HOME", "")):
        folder = Path(named)
    yield folder / "config.toml", codex_table(site.command)
    yield folder / "hooks.json", hooks_of("codex")
    yield _agents_file(site, folder), MarkdownBlock(texts.INSTRUCTIONS)


def _agents_file(site: InstallSite, folder: Path) -> Path:
    return (site.project if site.scope is InstallScope.PROJECT else folder) / "AGENTS.md"


def _cursor(site: InstallSite) -> Parts:
    workspace = "${workspaceFolder}"
    yield site.root / ".cursor/mcp.json", _server("cursor", "mcpServers", site, workspace)
    yield site.root / ".cursor/hooks.json", hooks_of("cursor")
    if site.scope is InstallScope.PROJECT:
        yield site.project / "AGENTS.md", MarkdownBlock(texts.INSTRUCTIONS)


def _vscode(site: InstallSite) -> Parts:
    workspace = "${workspaceFolder}"
    if site.scope is InstallScope.PROJECT:
        yield site.project / ".vscode/mcp.json", _server("vscode", "servers", site, workspace)
        instructions = OwnFile(texts.VSCODE_INSTRUCTIONS, _in_html_comment)
        yield site.project / ".github/instructions/clew.instructions.md", instructions
        return
    yield _application_folder(site) / "Code/User/mcp.json", _server("vscode", "servers", site, workspace)


def _application_folder(site: InstallSite) -> Path:
    """Where desktop applications of this system keep their settings."""
    if site.platform == "darwin":
        return site.home / "Library/Application Support"
    if site.platform == "win32":
        return Path(site.environ.get("APPDATA") or site.home / "AppData/Roaming")
    return Path(site.environ.get("XDG_CONFIG_HOME") or site.home / ".config")


def _copilot(site: InstallSite) -> Parts:
    if site.scope is InstallScope.PROJECT:
        yield site.project / ".github/mcp.json", _server("copilot", "mcpServers", site)
        yield site.project / ".github/hooks/clew.json", hooks_of("copilot")
        yield site.project / "AGENTS.md", MarkdownBlock(texts.INSTRUCTIONS)
        return
    folder = Path(site.environ.get("COPILOT_HOME") or site.home / ".copilot")
    yield folder / "mcp-config.json", _server("copilot", "mcpServers", site)
    yield folder / "hooks/clew.json", hooks_of("copilot")


def _gemini(site: InstallSite) -> Parts:
    yield site.root / ".gemini/settings.json", _server("gemini", "mcpServers", site)
    yield site.root / ".gemini/settings.json", hooks_of("gemini")
    of_user = site.scope is InstallScope.USER
    yield site.root / (".gemini/GEMINI.md" if of_user else "GEMINI.md"), MarkdownBlock(texts.INSTRUCTIONS)


def _opencode(site: InstallSite) -> Parts:
    of_user = site.scope is InstallScope.USER
    folder = site.home / ".config/opencode" if of_user else site.project
    with_comments = folder / "opencode.jsonc"
    yield with_comments if with_comments.exists() else folder / "opencode.json", _server("opencode", "mcp", site)
    plugin = OwnFile(texts.OPENCODE_PLUGIN, _in_line_comment)
    yield folder / ("plugins/clew.ts" if of_user else ".opencode/plugins/clew.ts"), plugin
    yield folder / "AGENTS.md", MarkdownBlock(texts.INSTRUCTIONS)


def _zed(site: InstallSite) -> Parts:
    folder = site.project / ".zed" if site.scope is InstallScope.PROJECT else _zed_folder(site)
    yield folder / "settings.json", _server("zed", "context_servers", site)
    if site.scope is InstallScope.PROJECT:
        yield site.project / "AGENTS.md", MarkdownBlock(texts.INSTRUCTIONS)


def _zed_folder(site: InstallSite) -> Path:
    if site.platform == "darwin":
        return site.home / ".config/zed"
    return _application_folder(site) / ("Zed" if site.platform == "win32" else "zed")


def _windsurf(site: InstallSite) -> Parts:
    """Windsurf reads servers from the home alone."""
    if site.scope is InstallScope.PROJECT:
        yield site.project / ".windsurf/rules/clew.md", OwnFile(texts.WINDSURF_RULE, _in_html_comment)
        return
    yield site.home / ".codeium/windsurf/mcp_config.json", _server("windsurf", "mcpServers", site)


def _kiro(site: InstallSite) -> Parts:
    yield site.root / ".kiro/settings/mcp.json", _server("kiro", "mcpServers", site)
    yield site.root / ".kiro/steering/clew.md", OwnFile(texts.STEERING, _in_html_comment)


def _git(site: InstallSite) -> Parts:
    """A hook that warns of staged files which others hold; of one's own checkout only, as git never shares hooks."""
    if site.scope is InstallScope.PROJECT and (site.project / ".git").is_dir():
        body = f"{hook_command('pre-commit', 'git')}\n"
        yield site.project / ".git/hooks/pre-commit", ShellBlock(body)


CLIENTS = (
    Client("claude-code", "Claude Code", _claude, (".claude", ".claude.json"), ("claude",), (".claude", ".mcp.json")),
    Client("codex", "Codex", _codex, (".codex",), ("codex",), (".codex",)),
    Client("cursor", "Cursor", _cursor, (".cursor",), ("cursor", "cursor-agent"), (".cursor",)),
    Client("vscode", "VS Code", _vscode, (".vscode", ".config/Code"), ("code",), (".vscode",)),
    Client("copilot", "GitHub Copilot CLI", _copilot, (".copilot",), ("copilot",), (".github/mcp.json",)),
    Client("gemini", "Gemini CLI", _gemini, (".gemini",), ("gemini",), (".gemini",)),
    Client(
        "opencode", "opencode", _opencode, (".config/opencode",), ("opencode",),
        (".opencode", "opencode.json", "opencode.jsonc"),
    ),
    Client("zed", "Zed", _zed, (".config/zed",), ("zed", "zeditor"), (".zed",)),
    Client("windsurf", "Windsurf", _windsurf, (".codeium",), ("windsurf",), (".windsurf",)),
    Client("kiro", "Kiro", _kiro, (".kiro",), ("kiro", "kiro-cli"), (".kiro",)),
    Client("git", "git's pre-commit hook", _git),
)  # fmt: skip


def own_command(environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The command that starts this Clew from anywhere: by its path, as desktop programs have a short PATH.

    -P: the client starts it in a project, whose modules must never be taken for ours."""
    found = shutil.which("clew", path=environ.get("PATH", ""))
    if found and f"{os.sep}uv{os.sep}" in found and "archive" in found:  # of `uvx`, whose folders come and go
        return ("uvx", "clew")
    return (found,) if found else (sys.executable, "-P", "-m", "clew")
