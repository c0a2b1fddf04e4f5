"""Examines the project and its surroundings, and says what is wrong or should be known."""

import click

from clew.health import examine
from clew.model.errors import Unavailable
from clew.model.health import HealthState
from clew.surfaces.cli.output import print_json
from clew.surfaces.cli.state import State, common
from clew.text.escaping import line

_COLORS = {HealthState.OK: "green", HealthState.NOTE: "cyan", HealthState.WARNING: "yellow", HealthState.FAULT: "red"}


@click.command()
@common
@click.pass_obj
def doctor(state: State, as_json: bool, quiet: bool) -> int:
    """Check git, trust, permissions, the database, who shares it, and the configured clients.

    Changes nothing. Starts the server once in the way each configured client would.

    Each result is ok, a note (nothing is wrong, but you should know about it), a warning, or a fault. The command
    exits with 6 if there is a fault. `--quiet` hides results that are ok.
    """
    from clew.runtime.paths import find_root
    from clew.surfaces.clients.checkup import check_clients

    found = (*examine(state.start), *check_clients(find_root(state.start)))
    faults = [one for one in found if one.state is HealthState.FAULT]
    if as_json:
        print_json({"ok": not faults, "checks": found})
    for one in () if as_json else found:
        if quiet and one.state is HealthState.OK:
            continue
        label = click.style(f"{one.state:8}", fg=_COLORS[one.state])
        click.echo(f"{label}{one.name}: {line(one.finding)}")
        if one.hint:
            click.echo(f"{'':8}{line(one.hint)}")
    return Unavailable.exit_code if faults else 0
