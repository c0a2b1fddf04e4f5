"""Servers: MCP over standard streams, HTTP on loopback."""

import os
import secrets
import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import click

from clew.model.errors import Denied, NotFound, Unavailable
from clew.runtime import config, paths
from clew.runtime.guard import TokenScope, guard
from clew.runtime.place import find_place
from clew.runtime.settings import Config
from clew.surfaces import greeting
from clew.surfaces.cli.output import print_json
from clew.surfaces.cli.state import State, common
from clew.tools.answer import Caller
from clew.workspaces import Workspaces

_toolsets = click.option("--toolsets", help="Toolsets to offer, separated by commas; `all` offers every tool.")
_read_only = click.option("--read-only", is_flag=True, help="Remove all tools that write.")


_allow_root = click.option(
    "--allow-root",
    "roots",
    multiple=True,
    metavar="DIRECTORY",
    help="Also open the projects in this directory when a call names them; repeatable.",
)


@click.command()
@_toolsets
@_read_only
@_allow_root
@common
@click.pass_obj
def mcp(
    state: State, toolsets: str | None, read_only: bool, roots: tuple[str, ...], as_json: bool, quiet: bool
) -> None:
    """Serve one MCP client over standard input and output; the project is indexed in the background."""
    if sys.stdin is None:
        raise Unavailable(
            "standard input is closed",
            "This command is started by an MCP client, which communicates over its standard input and output.",
        )
    if sys.stdin.isatty() and not quiet:
        click.echo(
            "waiting for an MCP client; usually the client starts this command itself. Press Ctrl-C to stop", err=True
        )
    settings = _settings(state)
    caller = _caller(state, settings, roots, read_only=read_only, watch=settings.watcher.in_mcp)
    chosen = _choose_toolsets(toolsets, settings)
    try:
        greeted = greeting.greet(chosen, read_only=caller.read_only, most=_most(settings))
        from clew.surfaces import mcp as surface  # the SDK takes a second to load: errors come before

        seconds = settings.server.request_seconds
        options = surface.ServeOptions(seconds, index=not caller.read_only, follow_toolsets=toolsets is None)
        surface.serve_stdio(caller, chosen, options, _most(settings), greeted)
    finally:
        caller.workspaces.close()


@click.command()
@click.option("--host", help="Address to bind; another than loopback needs server.token.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to bind; 0 is any free one.")
@_toolsets
@_read_only
@_allow_root
@click.option("--no-watch", is_flag=True, help="Do not watch the files; questions still look for changes.")
@common
@click.pass_obj
def serve(
    state: State,
    host: str | None,
    port: int | None,
    toolsets: str | None,
    read_only: bool,
    roots: tuple[str, ...],
    no_watch: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Serve HTTP (POST /tools/NAME, GET /tools, /openapi.json) and MCP (/mcp) for this project."""
    settings = find_place(state.start, os.environ).settings.config
    address = host or settings.engine.host
    server = settings.server
    doorkeeper = guard(
        address, server.token, server.allowed_hosts, server.allowed_origins, server.user_tokens, server.tokens
    )
    caller = _caller(state, settings, roots, read_only=read_only, watch=not no_watch)
    engine = caller.workspaces.get()  # a project that cannot be opened is said before anything is bound
    if not caller.read_only and settings.bootstrap.enabled and not engine.coverage().indexed:
        engine.runs.start()
    from clew.surfaces import http  # the SDK takes a second to load: errors come before

    limits = http.HttpLimits(_most(settings), server.request_seconds, server.requests_per_minute, server.agent_card_key)
    app = http.create(caller, doorkeeper, _choose_toolsets(toolsets, settings), limits)
    try:
        with suppress(KeyboardInterrupt):  # how a server is asked to stop: it has answered all it was asked
            _run(app, address, settings.engine.port if port is None else port, quiet=quiet)
    finally:
        caller.workspaces.close()


@click.command()
@click.argument("name")
@click.option("--scope", type=click.Choice([one.value for one in TokenScope]), default="read", help="Default: read.")
@common
@click.pass_obj
def token(state: State, name: str, scope: str, as_json: bool, quiet: bool) -> None:
    """Make a token for `clew serve`: read, write, or admin (may also rebuild and cancel).

    It is shown once. The configuration holds only its digest: add the line that is printed to `tokens` under [server]
    in ~/.config/clew/config.toml. Clients send it as bearer token or as X-API-Key.
    """
    made = secrets.token_urlsafe(32)
    written = f"{name}:{scope}:{sha256(made.encode()).hexdigest()}"
    guard("127.0.0.1", "", (), scoped=[written])  # a name that cannot be written is refused
    if as_json:
        print_json({"token": made, "setting": written})
        return
    click.echo(made)
    if not quiet:
        click.echo(f'[server]\ntokens = ["{written}"]', err=True)


def _run(app: Any, host: str, port: int, *, quiet: bool) -> None:
    import socket

    from clew.surfaces import http_server

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as bound:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind((host, port))
        except OSError as error:
            raise Unavailable(
                f"{host}:{port} cannot be bound: {error.strerror}", "Choose another --port; 0 takes any free one."
            ) from error
        if not quiet:
            shown = f"[{host}]" if ":" in host else host
            click.echo(f"serving on http://{shown}:{bound.getsockname()[1]}", err=True)
        http_server.run(app, bound)


def _settings(state: State) -> Config:
    """A client may start us anywhere and name the project later; until then the user's own settings hold."""
    try:
        return find_place(state.start, os.environ).settings.config
    except Denied:
        return config.load(paths.find_root(state.start), os.environ).config
    except NotFound:
        return Config()


def _caller(state: State, settings: Config, roots: tuple[str, ...], *, read_only: bool, watch: bool) -> Caller:
    read_only = read_only or settings.tools.read_only
    allowed = [Path(root).expanduser() for root in (*roots, *settings.server.allowed_roots)]
    workspaces = Workspaces(state.start, read_only=read_only, roots=allowed, follow=True, watch=watch and not read_only)
    return Caller(workspaces, read_only)


def _most(settings: Config) -> int:
    """Bytes of a request."""
    return int(settings.server.max_body_mb * 1024 * 1024)


def _choose_toolsets(toolsets: str | None, settings: Config) -> tuple[str, ...]:
    if toolsets is None:
        return settings.tools.toolsets
    return tuple(name.strip() for name in toolsets.split(",") if name.strip())
