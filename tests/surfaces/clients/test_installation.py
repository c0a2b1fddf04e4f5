"""Prepared homes and projects: after `clew init` each client reads its files; after `clew uninstall` every byte is as before."""

import json
import os
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from clew.model.health import HealthState
from clew.surfaces.cli import cli
from clew.surfaces.clients import checkup, installation, jsonc, texts
from clew.surfaces.clients.catalog import CLIENTS, InstallScope, InstallSite, server_entry
from clew.surfaces.clients.edits import MarkdownBlock, OwnFile, hook_command
from clew.surfaces.clients.installation import InstallJournal

PROJECT, USER = InstallScope.PROJECT, InstallScope.USER
OTHERS = '{\n  "mcpServers": {\n    "files": {"command": "npx", "args": ["-y", "files"]}\n  }\n}\n'
COMMENTED = '// mine\n{\n\t"theme": "dark", // keep\n\t/* servers */\n\t"context_servers": {\n\t\t"a": {"command": "a"},\n\t},\n}\n'
OLD_BLOCK = MarkdownBlock("- an older text\n").install("# Rules\n\nBe brief.\n").text or ""
OLD_SKILL = OwnFile("older\n", lambda digest: f"\n<!-- clew {digest} -->\n").install(None).text or ""


class Home(NamedTuple):
    """A prepared file; `kept`: it stays as it is; `cleaned` is its content at the end, if that differs."""

    title: str
    client: str
    scope: InstallScope
    path: str
    text: str | None = None
    kept: bool = False
    cleaned: str | None = None
    mode: int = 0
    link: str = ""


HOMES = [
    *(Home(f"nothing there, {one.name}, {scope}", one.name, scope, "") for one in CLIENTS for scope in (PROJECT, USER)),
    Home("other servers", "claude-code", PROJECT, ".mcp.json", OTHERS),
    Home("other servers in one line", "cursor", USER, ".cursor/mcp.json", '{"mcpServers":{"x":{"command":"x"}},"y":[1, 2]}'),
    Home("an empty file", "kiro", PROJECT, ".kiro/settings/mcp.json", ""),
    Home("an empty object", "vscode", PROJECT, ".vscode/mcp.json", "{ }"),
    Home("empty servers", "windsurf", USER, ".codeium/windsurf/mcp_config.json", '{"mcpServers": {}}\n'),
    Home("comments and trailing commas", "zed", USER, ".config/zed/settings.json", COMMENTED),
    Home("comments in opencode.jsonc", "opencode", PROJECT, "opencode.jsonc", '{\n  // models\n  "model": "m"\n}'),
    Home("CRLF", "gemini", USER, ".gemini/settings.json", '{\r\n    "ui": {"theme": "x"}\r\n}\r\n'),
    Home("a byte order mark", "copilot", USER, ".copilot/mcp-config.json", f"\ufeff{OTHERS}"),
    Home("other hooks", "claude-code", PROJECT, ".claude/settings.json", '{"hooks": {"Stop": [{"hooks": []}]}, "permissions": {"allow": []}}'),
    Home("hooks of a version", "cursor", PROJECT, ".cursor/hooks.json", '{"version": 1, "hooks": {"stop": [{"command": "./audit.sh"}]}}\n'),
    Home("other TOML", "codex", USER, ".codex/config.toml", 'model = "m"\n\n[mcp_servers.other]\ncommand = "o"  # mine'),
    Home("other instructions", "codex", PROJECT, "AGENTS.md", "# Rules\n\nBe brief."),
    Home("no hook of git", "git", PROJECT, ".git/hooks/other"),
    Home("another hook of git", "git", PROJECT, ".git/hooks/pre-commit", "#!/usr/bin/env bash\nmake check\nexit 0\n"),
    Home("a hook in Python", "git", PROJECT, ".git/hooks/pre-commit", "#!/usr/bin/env python3\nprint()\n", kept=True),
    Home("a link to AGENTS.md", "claude-code", PROJECT, "CLAUDE.md", "# Rules\n", link="AGENTS.md"),
    Home("a link of the user's own", "gemini", USER, ".gemini/settings.json", "{}", link="../dotfiles/gemini.json"),
    Home("broken JSON", "cursor", PROJECT, ".cursor/mcp.json", '{"mcpServers": {"x": ', kept=True),
    Home("broken TOML", "codex", PROJECT, ".codex/config.toml", "model = \n", kept=True),
    Home("servers that are no object", "kiro", USER, ".kiro/settings/mcp.json", '{"mcpServers": []}', kept=True),
    Home("not UTF-8", "claude-code", USER, ".claude.json", '{"a": "\udcff"}', kept=True),
    Home("read-only", "vscode", PROJECT, ".vscode/mcp.json", '{"servers": {}}', kept=True, mode=0o444),
    Home("a link out of the project", "claude-code", PROJECT, ".mcp.json", "{}", kept=True, link="../outside.json"),
    Home("a server of that name, by hand", "claude-code", PROJECT, ".mcp.json", '{"mcpServers": {"clew": {"command": "clew", "args": ["mcp"], "env": {"A": "1"}}}}', kept=True),
    Home("a table of that name, by hand", "codex", USER, ".codex/config.toml", '[mcp_servers.clew]\ncommand = "mine"\n', kept=True),
    Home("a hook by hand", "claude-code", PROJECT, ".claude/settings.json", json.dumps({"hooks": {one: [{"hooks": [{"type": "command", "command": "nice clew hook stop"}]}] for one in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "Stop", "SessionEnd")}}), kept=True),
    Home("a block changed by hand", "codex", PROJECT, "AGENTS.md", OLD_BLOCK.replace("older", "better"), kept=True),
    Home("a block without its end", "gemini", PROJECT, "GEMINI.md", OLD_BLOCK.replace("<!-- clew:end -->", ""), kept=True),
    Home("a skill by hand", "claude-code", PROJECT, ".claude/skills/clew/SKILL.md", "my own\n", kept=True),
    Home("an older block", "codex", PROJECT, "AGENTS.md", OLD_BLOCK, cleaned="# Rules\n\nBe brief.\n"),
    Home("an older server", "claude-code", PROJECT, ".mcp.json", '{\n  "mcpServers": {\n    "a": {},\n    "clew": {"command": "/old/clew", "args": ["-C", "/x", "mcp"]}\n  }\n}\n', cleaned='{\n  "mcpServers": {\n    "a": {}\n  }\n}\n'),
    Home("an older skill", "claude-code", USER, ".claude/skills/clew/SKILL.md", OLD_SKILL, cleaned=""),
    Home("an older hook", "codex", PROJECT, ".codex/hooks.json", json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": hook_command("stop", "codex"), "timeout": 1}]}]}}), cleaned=""),
]  # fmt: skip


def test_every_prepared_home_is_as_before_after_init_and_uninstall(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda number: None)  # of a thousand files
    assert len(HOMES) >= 40
    for number, home in enumerate(HOMES):
        top = tmp_path / str(number)
        site = prepare(top, home)
        before = tree(top)
        chosen = installation.choose([home.client], site)
        for _ in range(2):  # the second time nothing is left to do
            plan = installation.plan_install(chosen, site)
            installation.install(plan, site, InstallJournal(top / "data"))
        where = site.root / home.path

        assert not [one.path for one in installation.plan_install(chosen, site) if one.is_change], home.title
        if home.kept:
            assert (
                tree(top)[str((top / "p" / home.path if home.scope is PROJECT else where).relative_to(top))]
                == before[str(where.relative_to(top))]
            ), home.title
            assert any(one.refused for one in plan), home.title
        else:
            check_read(home.client, site)

        removal = installation.plan_removal(CLIENTS, site, InstallJournal(top / "data"), partly=False)
        installation.undo(removal, InstallJournal(top / "data"))
        after = tree(top)
        if home.cleaned is not None:
            kept = str(where.relative_to(top))
            assert (after.pop(kept, b"") or b"").decode() == home.cleaned, home.title
            before.pop(kept)
            after = {path: content for path, content in after.items() if path in before or content is not None}
            before = {path: content for path, content in before.items() if path in after or content is not None}
        assert after == before, home.title


def prepare(top: Path, home: Home) -> InstallSite:
    project, own = top / "p", top / "home"
    (project / ".git/hooks").mkdir(parents=True)
    own.mkdir()
    site = InstallSite(project, own, home.scope, platform="linux")
    if home.text is not None:
        file = site.root / home.path
        file.parent.mkdir(parents=True, exist_ok=True)
        if home.link:
            target = file.parent / home.link
            target.parent.mkdir(exist_ok=True)
            file.symlink_to(home.link)
            file = target
        file.write_bytes(home.text.encode("utf-8", "surrogateescape"))
        if home.mode:
            file.chmod(home.mode)
    return site


def tree(top: Path) -> dict[str, bytes | None]:
    """Files with their bytes, folders with none; links as they are."""
    return {
        str(one.relative_to(top)): str(one.readlink()).encode() if one.is_symlink() else one.read_bytes() if one.is_file() else None
        for one in sorted(top.rglob("*"))
        if "data" not in one.relative_to(top).parts[:1]
    }  # fmt: skip


def check_read(client: str, site: InstallSite) -> None:
    """As the client itself reads: its keys, strict JSON where it knows no comments, TOML, front matter."""
    for path, part in next(one for one in CLIENTS if one.name == client).parts(site):
        text = path.read_text("utf-8-sig")
        match path.suffix:
            case ".toml":
                assert tomllib.loads(text)["mcp_servers"]["clew"] == {"command": "clew", "args": ["mcp"]}
            case "":
                assert os.access(path, os.X_OK) or "make" in text
                assert hook_command("pre-commit", "git") in text
            case ".json" | ".jsonc":
                whole = jsonc.read(text)
                _check_json(client, path, whole, part)
            case ".md" if text.startswith("---"):
                assert {"name", "description", "applyTo", "trigger"} & yaml.safe_load(text.split("---")[1]).keys()
            case _:
                assert texts.INSTRUCTIONS in text or path.suffix == ".ts"


SERVERS: Mapping[str, Callable[[Any], Any]] = {
    "vscode": lambda whole: whole["servers"],
    "opencode": lambda whole: whole["mcp"],
    "zed": lambda whole: whole["context_servers"],
}


def _check_json(client: str, path: Path, whole: Any, part: object) -> None:
    if type(part).__name__ == "JsonHooks":
        for event, entries in whole["hooks"].items():
            assert isinstance(entries, list), event
        assert sum("clew hook" in json.dumps(entries) for entries in whole["hooks"].values()) == len(part.events)  # type: ignore[attr-defined]  # its kind is known here
        return
    entry = SERVERS.get(client, lambda whole: whole["mcpServers"])(whole)["clew"]
    assert {**entry, "args": [], "command": ""} == {
        **server_entry(client),
        "args": [],
        "command": "",
    } or client == "opencode"
    words = entry["command"] if isinstance(entry["command"], list) else [entry["command"], *entry["args"]]
    assert (words[0], words[-1]) == ("clew", "mcp"), path


def test_a_file_that_was_changed_meanwhile_loses_only_what_is_ours(tmp_path: Path) -> None:
    site = prepare(tmp_path, Home("", "claude-code", PROJECT, ".mcp.json", OTHERS))
    journal = InstallJournal(tmp_path / "data")
    chosen = installation.choose(["claude-code"], site)
    installation.install(installation.plan_install(chosen, site), site, journal)
    file = site.project / ".mcp.json"
    file.write_text(jsonc.put(file.read_text(), ("mcpServers", "later"), {"command": "l"}))
    installation.undo(installation.plan_removal(CLIENTS, site, journal, partly=False), journal)

    assert file.read_text() == jsonc.put(OTHERS, ("mcpServers", "later"), {"command": "l"})


def test_a_file_that_clients_share_stays_while_one_of_them_does(tmp_path: Path) -> None:
    site = prepare(tmp_path, Home("", "codex", PROJECT, "AGENTS.md", "# Rules\n"))
    journal = InstallJournal(tmp_path / "data")
    chosen = installation.choose(["codex", "zed"], site)
    installation.install(installation.plan_install(chosen, site), site, journal)
    installation.undo(installation.plan_removal(chosen[:1], site, journal, partly=True), journal)

    assert texts.INSTRUCTIONS in (site.project / "AGENTS.md").read_text()
    assert not (site.project / ".codex").exists()


def test_the_command_shows_a_plan_asks_and_undoes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    site = prepare(tmp_path, Home("", "kiro", PROJECT, ".kiro/settings/mcp.json", OTHERS))
    monkeypatch.setenv("HOME", str(site.home))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    before = tree(tmp_path)

    def run(*words: str) -> Any:
        return cli.main(["-C", str(site.project), *words], standalone_mode=False)

    with pytest.raises(Exception, match="2 files are to be changed"):
        run("init")
    run("init", "--dry-run")
    run("init", "--print-config", "kiro")
    shown = capsys.readouterr().out
    assert tree(tmp_path) == before
    assert '"mcpServers"' in shown
    assert ".kiro/steering/clew.md" in shown
    assert run("init", "--yes") == 0
    assert "clew" in json.loads((site.project / ".kiro/settings/mcp.json").read_text())["mcpServers"]
    assert run("uninstall", "--yes", "--json") == 0
    assert tree(tmp_path) == before


def test_doctor_starts_the_server_as_the_client_would_and_no_other(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    wrapper, evil = tmp_path / "clew", tmp_path / "evil" / "clew"
    wrapper.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m clew "$@"\n')
    evil.parent.mkdir()
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/pwned\n")
    for one in (wrapper, evil):
        one.chmod(0o755)
    (project / ".mcp.json").write_text('{"mcpServers": {"clew": {"command": "clew", "args": ["mcp"]}}}')
    (project / ".cursor").mkdir()
    (project / ".cursor/mcp.json").write_text(
        json.dumps({"mcpServers": {"clew": {"command": str(evil), "args": ["mcp"]}}})
    )
    found = {one.name: one for one in checkup.check_clients(project)}

    assert found["Claude Code (project)"].state is HealthState.OK
    assert found["Cursor (project)"].state is HealthState.NOTE
    assert not (tmp_path / "pwned").exists()
    wrapper.write_text("#!/bin/sh\nexit 3\n")
    assert next(iter(checkup.check_clients(project))).state is HealthState.FAULT
    wrapper.unlink()
    assert next(iter(checkup.check_clients(project))).state is HealthState.WARNING


def test_doctor_starts_nothing_of_a_project_and_reads_nothing_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The configuration names this interpreter, or an environment of the project that is linked to it."""
    project = tmp_path / "project"
    evil = f"import pathlib\npathlib.Path({str(tmp_path / 'pwned')!r}).touch()\n"
    for file in ("clew/__init__.py", "clew/__main__.py", "msgspec.py", ".venv/lib/python3/site-packages/clew.py"):
        (project / file).parent.mkdir(parents=True, exist_ok=True)
        (project / file).write_text(evil)
    (project / ".venv/bin").mkdir()
    (project / ".venv/bin/python").symlink_to(Path(sys.executable).resolve())
    (project / ".cursor").mkdir()
    (project / ".kiro/settings").mkdir(parents=True)
    names = {".mcp.json": sys.executable, ".cursor/mcp.json": str(project / ".venv/bin/python")}
    for file, python in names.items():
        servers = {"mcpServers": {"clew": {"command": python, "args": ["-m", "clew", "mcp"]}}}
        (project / file).write_text(json.dumps(servers))
    os.mkfifo(project / ".kiro/settings/mcp.json")
    (tmp_path / "settings.json").write_text('{"hooks": "clew hook "}')
    (project / ".gemini").symlink_to(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", "")
    found = {one.name: one for one in checkup.check_clients(project)}

    assert found["Claude Code (project)"].state is HealthState.OK
    assert found["Cursor (project)"].state is HealthState.NOTE
    assert "hooks" not in found
    assert not (tmp_path / "pwned").exists()
