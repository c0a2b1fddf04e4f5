"""Claims and tasks from the command line."""

from collections.abc import Callable
from typing import Any, get_args

import click

from clew.model.code import split_id, symbol_id
from clew.model.errors import Conflict
from clew.model.time import to_iso
from clew.surfaces.cli.calling import caller_of, finish
from clew.surfaces.cli.output import TextTable, print_table, warn
from clew.surfaces.cli.state import State, common, from_root, readable, time_options, times
from clew.text.escaping import line
from clew.tools.answer import Reply, answer
from clew.tools.fleet_views import CONFLICT
from clew.tools.work_items import StateName, StatusName
from clew.workspaces import Workspaces

Show = Callable[[dict[str, Any], bool], None]

_SHOWN = "debug"  # a person sees all of it, whatever it costs an agent


@click.group(invoke_without_command=True)
@time_options
@common
@click.pass_context
def claims(context: click.Context, /, as_json: bool, quiet: bool, **options: str) -> int | None:
    """Show which agent has claimed which files, folders, symbols and tasks.

    \b
    Examples:
      clew claims                                    all that is held
      clew claims --as-of "2 hours ago"              all that was held then
      clew claims claim src/pay.py --intent "round to cents"
      clew claims claim src/pay.py::Card::charge --takeover
      clew claims release src/pay.py --outcome "cents are rounded"

    Your agent name is `command-line`, your session the terminal; set CLEW_AGENT and CLEW_SESSION to change them.
    """
    if context.invoked_subcommand:
        return None
    return call_and_print(context.obj, "coordination_overview", times(options), _show, as_json=as_json, quiet=quiet)


@claims.command()
@click.argument("target")
@click.option("-i", "--intent", default="", help="What you intend to change.")
@click.option("-t", "--task", default="", help="The task the claim is for.")
@click.option("--takeover", is_flag=True, help="Take over a claim that is abandoned or stale.")
@common
@click.pass_obj
def claim(state: State, target: str, intent: str, task: str, takeover: bool, as_json: bool, quiet: bool) -> int:
    """Claim TARGET: a file, a folder, an id, a name, task:ID or feature:ID. Exits with 4 if another agent holds it.

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
    """Release a claim of yours, named by its target or by the CLAIM's id.

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


_STATUSES = click.Choice(get_args(StatusName))
_STATES = get_args(StateName)
_MARKS = {"done": "x", "in_progress": ">", "skipped": "-", "pending": " "}


@click.group(invoke_without_command=True)
@click.option("-s", "--status", multiple=True, type=_STATUSES, help="Only these.")
@click.option("-f", "--feature", default="", help="Only this feature.")
@click.option("-a", "--assignee", default="", help="Only this agent.")
@click.option(
    "-n", "--limit", type=click.IntRange(1, 100), default=100, show_default=True, help="Maximum number of results."
)
@click.option("--offset", type=click.IntRange(0), default=0, help="Skip this many results.")
@time_options
@common
@click.pass_context
def tasks(context: click.Context, /, as_json: bool, quiet: bool, **options: Any) -> int | None:
    """Show the tasks of the project, the most important first.

    \b
    Examples:
      clew tasks --status in_progress --status blocked
      clew tasks --as-of v1.2                            as they were at that commit's time
      clew tasks add T-12 "Round to cents" --feature checkout --step "write it" --step "test it"
      clew tasks update T-12 --status in_progress        you take it; 4 if another has it
      clew tasks update T-12 --step-state 1=done
      clew tasks update T-12 --status completed --note "cents are rounded"
      clew tasks issues                                  what holds work up
      clew tasks handoff T-12 ann                        what ann knew about it, to take it over
      clew tasks feature checkout                        how far it is, and what has tests
    """
    if context.invoked_subcommand:
        return None
    asked = {name: value for name, value in options.items() if name not in ("as_of", "known_as_of")} | times(options)
    return call_and_print(context.obj, "progress_query", asked, _show_tasks, as_json=as_json, quiet=quiet)


@tasks.command()
@click.argument("task")
@click.argument("title")
@click.option("-d", "--description", help="Description.")
@click.option("-f", "--feature", help="The feature it belongs to.")
@click.option("-p", "--priority", type=click.IntRange(-1000, 1000), help="Higher numbers come first.")
@click.option("--after", "dependencies", multiple=True, help="A task that must be completed first.")
@click.option("--step", "plan", multiple=True, help="A step of its plan; repeat for each step, in order.")
@click.option("--file", "files", multiple=True, help="A file or id that it concerns.")
@common
@click.pass_obj
def add(state: State, /, task: str, title: str, as_json: bool, quiet: bool, **options: Any) -> int:
    """Add TASK, an id of your own, with its TITLE.

    \b
    Example:
      clew tasks add T-12 "Round to cents" --feature checkout --after T-11 --file src/pay.py
    """
    arguments = {"task_id": readable(task), "title": readable(title), **_given_options(state, options)}
    return call_and_print(state, "task_update", arguments, say, as_json=as_json, quiet=quiet, create=True)


@tasks.command()
@click.argument("task")
@click.option("-s", "--status", type=_STATUSES, help="New status; in_progress assigns the task to you.")
@click.option("--title", help="Another title.")
@click.option("-d", "--description", help="Description.")
@click.option("-f", "--feature", help="The feature it belongs to.")
@click.option("-a", "--assignee", help="The agent to assign it to; empty unassigns it.")
@click.option("-p", "--priority", type=click.IntRange(-1000, 1000), help="Higher numbers come first.")
@click.option(
    "--after", "dependencies", multiple=True, help="Tasks that must be completed first; replaces the earlier ones."
)
@click.option("--step", "plan", multiple=True, help="A step of its plan; repeat in order. Replaces the plan.")
@click.option("--step-state", "steps", multiple=True, help="NUMBER=STATE, such as 1=done.")
@click.option("--file", "files", multiple=True, help="A file or id that it concerns; replaces the earlier ones.")
@click.option("--note", help="A note for the record: the reason, or the result.")
@click.option("--takeover", is_flag=True, default=None, help="Take it over from an agent that is gone.")
@common
@click.pass_obj
def update(state: State, /, task: str, as_json: bool, quiet: bool, **options: Any) -> int:
    """Change TASK, or feature:ID. Exits with 4 if another agent holds it.

    \b
    Examples:
      clew tasks update T-12 --status in_progress
      clew tasks update T-12 --step-state 2=done --note "tests pass"
      clew tasks update feature:checkout --title "The checkout" --file src/pay
    """
    arguments = {"task_id": readable(task), **_given_options(state, options)}
    return call_and_print(state, "task_update", arguments, say, as_json=as_json, quiet=quiet)


@tasks.command()
@time_options
@common
@click.pass_obj
def issues(state: State, /, as_json: bool, quiet: bool, **options: str) -> int:
    """Show what blocks work: blocked tasks, dependency cycles, files claimed by others."""
    asked = {"limit": 100, **times(options)}
    return call_and_print(state, "blocking_issues", asked, _show_issues, as_json=as_json, quiet=quiet)


@tasks.command()
@click.argument("task")
@click.argument("agent")
@time_options
@common
@click.pass_obj
def handoff(state: State, /, task: str, agent: str, as_json: bool, quiet: bool, **options: str) -> int:
    """Show what AGENT left for TASK: its claims, decisions, actions, open questions and next steps."""
    arguments = {"agent_id": readable(agent), "task_id": readable(task), **times(options)}
    return call_and_print(state, "agent_status", arguments, _show_handoff, as_json=as_json, quiet=quiet)


@tasks.command()
@click.argument("name")
@time_options
@common
@click.pass_obj
def feature(state: State, /, name: str, as_json: bool, quiet: bool, **options: str) -> int:
    """Show the progress of the feature NAME: its tasks, and which of its code has tests."""
    asked = {"feature_id": readable(name), **times(options)}
    return call_and_print(state, "feature_status", asked, _show_feature, as_json=as_json, quiet=quiet)


def _given_options(state: State, options: dict[str, Any]) -> dict[str, Any]:
    """The given options, as the tool takes them."""
    given = {name: value for name, value in options.items() if value is not None and value != ()}
    if "steps" in given:
        given["steps"] = dict(_step(text) for text in given["steps"])
    if "files" in given:
        given["files"] = [from_root(state, readable(file)) for file in given["files"]]
    return {name: readable(value) if isinstance(value, str) else value for name, value in given.items()}


def _step(text: str) -> tuple[str, str]:
    number, _, state = text.partition("=")
    if not number.isdecimal() or state not in _STATES:
        raise click.UsageError(f"--step-state takes NUMBER=STATE, one of {', '.join(_STATES)}; not {text!r}")
    return number, state


def _show_tasks(envelope: dict[str, Any], quiet: bool) -> None:
    _table(envelope["data"]["tasks"])
    say(envelope, quiet)


def _table(some: list[dict[str, Any]]) -> None:
    if some:
        header = ("task", "status", "title", "assignee", "plan", "waits for", "changed")
        print_table(TextTable("", header, [_task_row(task) for task in some], words=True))


def _task_row(task: dict[str, Any]) -> tuple[str, ...]:
    plan = "".join(f"[{_MARKS[step['state']]}]" for step in task.get("plan", ()))
    return (
        task["task_id"], task["status"], task["title"], describe_holder(task.get("assignee")), plan,
        ", ".join(task.get("waits_for", ())), when(task["changed_at"]),
    )  # fmt: skip


def _show_issues(envelope: dict[str, Any], quiet: bool) -> None:
    rows: list[tuple[str, ...]] = [
        (issue["kind"], ", ".join(issue.get("tasks", ())), ", ".join(issue.get("holds_up", ())), issue["detail"])
        for issue in envelope["data"]["issues"]
    ]
    if rows:
        print_table(TextTable("", ("issue", "task", "holds up", "detail"), rows, words=True))
    say(envelope, quiet)


def _show_handoff(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    _table(data.get("tasks", []))
    if data.get("next_step"):
        click.echo(f"next: {data['next_step']}")
    for claim in data["active_claims"]:
        click.echo(f"holds {claim['target']} since {when(claim['since'])}: {claim.get('intent', '')}")
    for one in data.get("open_questions", ()):
        click.echo(f"open ({one['kind'].replace('_', ' ')}): {line(one['content'])}")
    known = {one["episode_id"]: one for one in (*data.get("decisions", ()), *data.get("recent_episodes", ()))}
    for one in known.values():
        drifted = f"  [{'; '.join(one['drifted'])}]" if "drifted" in one else ""
        click.echo(f"{when(one['at'])} {one['type'].lower().replace('_', ' ')}: {line(one['content'])}{drifted}")
    say(envelope, quiet)


def _show_feature(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    _table(data.get("tasks", []))
    for one in data["coverage"].get("untested", ()) if not quiet else ():
        click.echo(f"no test leads to {one}")
    say(envelope, quiet)
