"""Claims from the command line: list, claim, release."""

from collections.abc import Callable
from typing import Any

import click

from clew.model.code import split_id, symbol_id
from clew.model.errors import Conflict
from clew.model.time import to_iso
from clew.surfaces.cli.calling import caller_of, finish
from clew.surfaces.cli.output import TextTable, print_table, warn
from clew.surfaces.cli.state import State, common, from_root, readable
from clew.tools.answer import Reply, answer
from clew.tools.claim_views import CONFLICT
from clew.workspaces import Workspaces

Show = Callable[[dict[str, Any], bool], None]

_SHOWN = "debug"  # a person sees all of it, whatever it costs an agent


@click.group(invoke_without_command=True)
@common
@click.pass_context
def claims(context: click.Context, as_json: bool, quiet: bool) -> int | None:
    """Show who holds what: files, folders, symbols, tasks.

    \b
    Examples:
      clew claims                                    all that is held
      clew claims claim src/pay.py --intent "round to cents"
      clew claims claim src/pay.py::Card::charge --takeover
      clew claims release src/pay.py --outcome "cents are rounded"

    You are `command-line` and your terminal; CLEW_AGENT and CLEW_SESSION say otherwise.
    """
    if context.invoked_subcommand:
        return None
    return call_and_print(context.obj, "coordination_overview", {}, _show, as_json=as_json, quiet=quiet)


@claims.command()
@click.argument("target")
@click.option("-i", "--intent", default="", help="What you intend to change.")
@click.option("-t", "--task", default="", help="The task it is for.")
@click.option("--takeover", is_flag=True, help="Also if a holder that is gone or behind has it.")
@common
@click.pass_obj
def claim(state: State, target: str, intent: str, task: str, takeover: bool, as_json: bool, quiet: bool) -> int:
    """Hold TARGET: a file, a folder, an id, a name, task:ID or feature:ID. Exits with 4 if another has it.

    \b
    Example:
      clew claims claim src/pay.py --intent "round to cents"
    """
    arguments = {"target_id": seen_from_root(state, target), "intent": readable(intent), "task_id": readable(task)}
    return call_and_print(
        state, "agent_claim", {**arguments, "takeover": takeover}, say, as_json=as_json, quiet=quiet, create=True
    )


@claims.command()
@click.argument("claim")
@click.option("-o", "--outcome", default="", help="Result of the work.")
@common
@click.pass_obj
def release(state: State, claim: str, outcome: str, as_json: bool, quiet: bool) -> int:
    """Release what you hold: by its target, or by the CLAIM's id.

    \b
    Example:
      clew claims release src/pay.py --outcome "cents are rounded"
    """
    arguments = {"claim_id": seen_from_root(state, claim), "outcome": readable(outcome)}
    return call_and_print(state, "agent_release", arguments, say, as_json=as_json, quiet=quiet)


def call_and_print(
    state: State, tool: str, arguments: dict[str, Any], show: Show, *, as_json: bool, quiet: bool, create: bool = False
) -> int:
    """Call a tool and print its answer; a conflict has the exit code of one."""
    workspaces = Workspaces(state.start, create=create)
    try:
        reply = answer(caller_of(workspaces), tool, {**arguments, "profile": _SHOWN})
    finally:
        workspaces.close()
    code = finish(reply, show, as_json=as_json, quiet=quiet)
    return Conflict.exit_code if _is_conflict(reply) else code


def _is_conflict(reply: Reply) -> bool:
    return reply.ok and f'"status":"{CONFLICT}"'.encode() in reply.body


def seen_from_root(state: State, target: str) -> str:
    path, scope = split_id(readable(target))
    return symbol_id(from_root(state, path), scope)


def say(envelope: dict[str, Any], quiet: bool) -> None:
    if not quiet:
        click.echo(envelope["summary"].replace("takeover=true", "--takeover"))


def _show(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    held = [*data["active_claims"], *data.get("stale_claims", ()), *data.get("abandoned_claims", ())]
    rows = [_row(claim) for claim in sorted(held, key=lambda claim: claim["target"])]
    if rows:
        print_table(
            TextTable("", ("target", "holder", "since", "standing", "task", "intent", "claim"), rows, words=True)
        )
    for pair in data.get("conflicts", ()):
        warn(f"{pair['one']['target']} and {pair['other']['target']} meet, and have different holders")
    say(envelope, quiet)


def _row(claim: dict[str, Any]) -> tuple[str, ...]:
    return (
        claim["target"], describe_holder(claim["holder"]), when(claim["since"]), claim["standing"],
        claim.get("task_id", ""),
        claim.get("intent", ""), claim["claim_id"],
    )  # fmt: skip


def describe_holder(holder: dict[str, Any] | None) -> str:
    return "/".join(filter(None, (holder["agent_id"], holder.get("session_id", "")))) if holder else ""


def when(moment: int) -> str:
    """To the second, in UTC."""
    return f"{to_iso(moment)[:19]}Z"
