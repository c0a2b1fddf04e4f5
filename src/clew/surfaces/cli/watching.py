"""The watcher in the foreground."""

import threading
from typing import TYPE_CHECKING

import click

from clew.engine import Engine
from clew.surfaces.cli.output import print_json
from clew.surfaces.cli.state import State, common
from clew.text.escaping import line

if TYPE_CHECKING:
    from clew.index.watch_state import WatchStatus


@click.command()
@common
@click.pass_obj
def watch(state: State, as_json: bool, quiet: bool) -> None:
    """Keep the index current as files change, until Ctrl-C.

    One process watches a working tree: a second one waits, and takes over when the first ends. `clew serve` watches by
    itself. Questions look for changes in any case; the watcher makes that free. With --json, one line per update.
    """
    with Engine.open(state.start) as engine:
        engine.index()
        owner = engine.watch_status().process
        if not quiet:
            waits = f"process {owner} watches already; waiting to take over" if owner else "watching"
            click.echo(f"{waits}: {line(str(engine.place.root))}", err=True)
        watched = engine.watch(_Printer(as_json=as_json, quiet=quiet))
        try:
            threading.Event().wait()
        finally:
            watched.close()


class _Printer:
    """Prints each update once."""

    def __init__(self, *, as_json: bool, quiet: bool) -> None:
        self._as_json = as_json
        self._quiet = quiet
        self._last = ""
        self._mode = ""

    def __call__(self, status: "WatchStatus") -> None:
        if status.mode != self._mode and status.reason and not self._quiet:
            click.echo(f"sweeping instead of watching: {line(status.reason)}", err=True)
        self._mode = status.mode
        event = status.events[-1] if status.events else None
        if event is None or event.at == self._last:
            return
        self._last = event.at
        if self._as_json:
            print_json(event)
        else:
            names = f": {', '.join(map(line, event.paths))}" if event.paths else ""
            click.echo(f"{event.at[11:19]}  {event.indexed} indexed of {event.changes} changed in {event.ms} ms{names}")
