"""Examines the project and its surroundings, and says what is wrong or should be known."""

from typing import TYPE_CHECKING

import click

from clew.health import examine
from clew.model.errors import Unavailable
from clew.model.health import HealthState
from clew.surfaces.cli.output import print_json
from clew.surfaces.cli.state import State, common
from clew.text.escaping import line

if TYPE_CHECKING:
    from clew.repairs import Repair

_COLORS = {HealthState.OK: "green", HealthState.NOTE: "cyan", HealthState.WARNING: "yellow", HealthState.FAULT: "red"}


@click.command()
@click.option("--repair", "with_repair", is_flag=True, help="First put right what can be, and list each repair.")
@common
@click.pass_obj
def doctor(state: State, with_repair: bool, as_json: bool, quiet: bool) -> int:
    """Examine git, trust, permissions, the disk, the database, who shares it, and the clients that are set up.

    Without --repair nothing is changed. The server is started once as each configured client would start it.

    --repair corrects permissions, replaces a damaged database by one with all readable data, makes a damaged snapshot
    anew, finishes interrupted runs, reads failed files again, and removes the state of working trees that are gone.

    Each check is ok, a note (nothing is wrong, but its consequences should be known), a warning, or a fault. With a
    fault the command exits with 6. `--quiet` leaves out what is ok.
    """
    from clew.runtime.paths import find_root
    from clew.surfaces.clients.checkup import check_clients

    repairs = _repairs(state) if with_repair else ()
    found = (*examine(state.start), *check_clients(find_root(state.start)))
    faults = [one for one in found if one.state is HealthState.FAULT]
    if as_json:
        print_json({"ok": not faults, **({"repairs": repairs} if with_repair else {}), "checks": found})
    for repair in () if as_json else repairs:
        label = click.style(f"{'repaired' if repair.done else 'left':10}", fg="green" if repair.done else "red")
        click.echo(f"{label}{repair.name}: {line(repair.finding)}")
    if with_repair and not (repairs or as_json or quiet):
        click.echo("nothing to repair")
    for one in () if as_json else found:
        if quiet and one.state is HealthState.OK:
            continue
        label = click.style(f"{one.state:8}", fg=_COLORS[one.state])
        click.echo(f"{label}{one.name}: {line(one.finding)}")
        if one.hint:
            click.echo(f"{'':8}{line(one.hint)}")
    return Unavailable.exit_code if faults else 0


def _repairs(state: State) -> "tuple[Repair, ...]":
    from clew.repairs import repair  # wires a whole project

    return repair(state.start)
