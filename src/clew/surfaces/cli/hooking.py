"""Hooks of coding clients: each is one command, bounded in time, that never fails its client."""

import logging
import os
import select
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clew.model.errors import ClewError
from clew.surfaces.cli.output import print_json
from clew.surfaces.cli.state import State, common
from clew.surfaces.clients import hook_messages
from clew.surfaces.clients.hook_messages import HookMessage

if TYPE_CHECKING:
    from clew.engine import Engine
    from clew.model.agents import Identity

log = logging.getLogger(__name__)

# Seconds after which a hook ends, whatever it is doing: a client waits for it.
DEADLINES = {"session-start": 3.0, "prompt": 4.0, "before-edit": 2.0, "after-edit": 4.0, "pre-commit": 3.0}
_OTHER_DEADLINE = 4.0
_READ_SECONDS = 1.0
_MOST_READ = 1 << 20  # bytes of a message
PACK_TOKENS, EDIT_TOKENS, PRIME_TOKENS = 1500, 300, 800
# Clients that tell no end of a session: their notes are kept when a turn ends.
_WITHOUT_END = ("codex", "opencode")
_AGENTS = {
    "claude-code": "claude-code", "codex": "codex-mcp-client", "cursor": "cursor-vscode",
    "gemini": "gemini-cli-mcp-client", "copilot": "github-copilot-developer", "opencode": "opencode",
}  # fmt: skip


@click.command()
@click.argument("event", type=click.Choice([*hook_messages.EVENTS, "pre-commit"]))
@click.option("--client", default="", help="The client that calls, which decides the form of the answer.")
@common
@click.pass_obj
def hook(state: State, event: str, client: str, as_json: bool, quiet: bool) -> int:
    """Answer a hook of a coding client. `clew init` writes these commands; each ends in time and exits with 0.

    The message is read from standard input, as the client sends it. Where Clew cannot answer, nothing is printed.
    pre-commit warns of staged files that others hold.
    """
    with _time_limit(DEADLINES.get(event, _OTHER_DEADLINE)), _failing_open():
        message = hook_messages.parse(_read_message())
        start = Path(message.folder) if message.folder and state.directory == "." else state.start
        if event == "pre-commit":
            warnings = list(_staged_and_held(start))
            if as_json:
                print_json({"warnings": warnings})
            for warning in () if as_json or quiet else warnings:
                click.echo(warning, err=True)
        elif answer := hook_messages.reply(client, event, _answer(event, client, start, message)):
            if as_json:
                print_json({"answer": answer})
            else:
                click.echo(answer)
    return 0


@click.command()
@click.option("--max-tokens", type=click.IntRange(50), default=PRIME_TOKENS, show_default=True, help="Token budget.")
@common
@click.pass_obj
def prime(state: State, max_tokens: int, as_json: bool, quiet: bool) -> None:
    """Orient a new session: who holds what, open tasks, what is known about code that changed last, where things are.

    The same state gives the same bytes.
    """
    from clew.surfaces import identity
    from clew.tools.orientation import prime as oriented
    from clew.tools.registry import AnswerLimits

    with _open_engine(state.start) as engine:
        made = oriented(engine, AnswerLimits(max_tokens), who=identity.of_terminal(os.environ))
    if as_json:
        print_json(made)
        return
    click.echo(made.text)
    if made.left_out and not quiet:
        click.echo(f"{made.left_out} more lines with a larger --max-tokens", err=True)


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """The process ends with 0 when the time is up, even if it waits for a lock or a disk."""
    timer = threading.Timer(seconds, os._exit, (0,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def _failing_open() -> Iterator[None]:
    """A fault of Clew's must not stop the client: it is logged, for `clew --log-level debug hook`."""
    try:
        yield
    except Exception:
        log.debug("the hook could not answer", exc_info=True)


def _read_message() -> str:
    """What the client sends; a client that keeps its end open is not waited for."""
    if sys.stdin is None or sys.stdin.isatty():
        return ""
    source, read, until = sys.stdin.fileno(), b"", time.monotonic() + _READ_SECONDS
    while len(read) < _MOST_READ and (left := until - time.monotonic()) > 0:
        if os.name == "posix" and not select.select([source], [], [], left)[0]:
            break
        part = os.read(source, 1 << 16)
        if not part:
            break
        read += part
    return read.decode("utf-8", "replace")


@contextmanager
def _open_engine(start: Path, *, read_only: bool = True) -> Iterator["Engine"]:
    from clew.engine import Engine

    engine = Engine.open(start, read_only=read_only, create=False)
    try:
        yield engine
    finally:
        with suppress(ClewError):
            engine.close()


def _answer(event: str, client: str, start: Path, message: HookMessage) -> str:
    if event == "prompt":
        return _pack(start, message.prompt) if hook_messages.is_code_task(message.prompt) else ""
    if event in ("session-start", "before-edit"):
        return _orientation(event, client, start, message)
    with _open_engine(start, read_only=False) as engine:
        if event == "after-edit":
            _index(engine, message)
        else:
            _keep_notes(engine, event, client, message)
    return ""


def _orientation(event: str, client: str, start: Path, message: HookMessage) -> str:
    from clew.tools.deliveries import note_compaction
    from clew.tools.orientation import edit_context
    from clew.tools.orientation import prime as oriented
    from clew.tools.registry import AnswerLimits

    with _open_engine(start) as engine:
        who = _caller(engine, client, message)
        if event == "session-start" and message.source in ("clear", "compact"):
            note_compaction(engine.place.folder)
        if event == "session-start":
            return oriented(engine, AnswerLimits(PRIME_TOKENS), who=who).text
        return edit_context(engine, message.files, AnswerLimits(EDIT_TOKENS), who=who).text if message.files else ""


def _pack(start: Path, task: str) -> str:
    from clew.surfaces.cli.calling import caller_of
    from clew.tools.answer import perform
    from clew.workspaces import Workspaces

    workspaces = Workspaces(start, create=False)
    try:
        arguments = {"task": task, "max_tokens": PACK_TOKENS, "format": "markdown"}
        return str(getattr(perform(caller_of(workspaces), "context_pack", arguments).result, "text", ""))
    finally:
        workspaces.close()


def _index(engine: "Engine", message: HookMessage) -> None:
    """The edited files, or whatever changed; a project without an index stays without one."""
    if engine.keeps_fresh():
        from clew.runtime.paths import from_root

        paths = [from_root(engine.place.root, one).removeprefix("./") for one in message.files]
        engine.refresh_again(paths) if paths else engine.refresh()


def _keep_notes(engine: "Engine", event: str, client: str, message: HookMessage) -> None:
    """Working notes become episodes: of sessions that are gone, and of this one when it ends or is compacted."""
    from clew.engine import now
    from clew.tools.deliveries import note_compaction

    if event == "compact":
        note_compaction(engine.place.folder)
    engine.page_out_gone()
    if event != "stop" or client in _WITHOUT_END:
        engine.memory.notebook.page_out(_caller(engine, client, message), now())


def _caller(engine: "Engine", client: str, message: HookMessage) -> "Identity":
    """The session of the MCP server beside us; without one, the session that the client names."""
    from clew.engine import now
    from clew.model.agents import Identity
    from clew.runtime.environment import AGENT, SESSION
    from clew.store.claims import Sessions
    from clew.surfaces.clients.siblings import find_sibling

    named = Identity(os.environ.get(AGENT) or _AGENTS.get(client, client), os.environ.get(SESSION) or message.session)
    if os.environ.get(SESSION):
        return named
    return find_sibling(Sessions(engine.db, engine.where).all(now())) or named


_STAGED = ("diff", "--cached", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=all")


def _staged_and_held(start: Path) -> list[str]:
    """Staged files that others hold, one line each; the commit goes on."""
    from clew.coordinate.targets import overlap
    from clew.runtime import git_process
    from clew.text.escaping import line

    with _open_engine(start) as engine:
        listed = git_process.run(engine.place.root, *_STAGED).stdout
        staged = [one.decode("utf-8", "replace") for one in listed.split(b"\0") if one]
        who = _caller(engine, "", HookMessage())
        held = [one for one in engine.fleet.desk.open() if one.claim.holder != who and one.claim.kind in _CODE]
        found = []
        for one in held:
            if any(overlap(one.claim.target, path) for path in staged):
                intent = f": {one.claim.intent}" if one.claim.intent else ""
                found.append(f"clew: {line(one.claim.target)} is held by {line(str(one.claim.holder))}{line(intent)}")
        return found


_CODE = ("file", "function")
