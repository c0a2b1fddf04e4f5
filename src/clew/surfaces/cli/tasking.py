"""Tasks from the command line: how work stands, and to add to it."""

from typing import Any, get_args

import click

from clew.surfaces.cli.claiming import call_and_print, describe_holder, say, when
from clew.surfaces.cli.output import TextTable, print_table
from clew.surfaces.cli.state import State, common, from_root, readable
from clew.text.escaping import line
from clew.tools.work_items import StateName, StatusName

_STATUSES = click.Choice(get_args(StatusName))
_STATES = get_args(StateName)
_MARKS = {"done": "x", "in_progress": ">", "skipped": "-", "pending": " "}


@click.group(invoke_without_command=True)
@click.option("-s", "--status", multiple=True, type=_STATUSES, help="Only these.")
@click.option("-f", "--feature", default="", help="Only of this feature.")
@click.option("-a", "--assignee", default="", help="Only of this agent.")
@click.option("-n", "--limit", type=click.IntRange(1, 100), default=100, show_default=True, help="At most so many.")
@click.option("--offset", type=click.IntRange(0), default=0, help="Leave out so many.")
@common
@click.pass_context
def tasks(context: click.Context, /, as_json: bool, quiet: bool, **options: Any) -> int | None:
    """Show the tasks of the project, the most important first.

    \b
    Examples:
      clew tasks --status in_progress --status blocked
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
    return call_and_print(context.obj, "progress_query", options, _show_tasks, as_json=as_json, quiet=quiet)


@tasks.command()
@click.argument("task")
@click.argument("title")
@click.option("-d", "--description", help="What it is about.")
@click.option("-f", "--feature", help="What it is a part of.")
@click.option("-p", "--priority", type=click.IntRange(-1000, 1000), help="Higher comes first.")
@click.option("--after", "dependencies", multiple=True, help="A task that must be completed first.")
@click.option("--step", "plan", multiple=True, help="Of its plan, in order.")
@click.option("--file", "files", multiple=True, help="A file or id that it is about.")
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
@click.option("-s", "--status", type=_STATUSES, help="How it stands; in_progress takes it.")
@click.option("--title", help="Another title.")
@click.option("-d", "--description", help="What it is about.")
@click.option("-f", "--feature", help="What it is a part of.")
@click.option("-a", "--assignee", help="An agent to hand it to; empty gives it up.")
@click.option("-p", "--priority", type=click.IntRange(-1000, 1000), help="Higher comes first.")
@click.option("--after", "dependencies", multiple=True, help="Tasks that must be completed first; replaces them.")
@click.option("--step", "plan", multiple=True, help="Of its plan, in order; replaces it.")
@click.option("--step-state", "steps", multiple=True, help="NUMBER=STATE, such as 1=done.")
@click.option("--file", "files", multiple=True, help="A file or id that it is about; replaces them.")
@click.option("--note", help="For the record: why, or what came of it.")
@click.option("--takeover", is_flag=True, default=None, help="Also if someone who is gone has it.")
@common
@click.pass_obj
def update(state: State, /, task: str, as_json: bool, quiet: bool, **options: Any) -> int:
    """Change TASK, or feature:ID. Exits with 4 if another has it.

    \b
    Examples:
      clew tasks update T-12 --status in_progress
      clew tasks update T-12 --step-state 2=done --note "tests pass"
      clew tasks update feature:checkout --title "The checkout" --file src/pay
    """
    arguments = {"task_id": readable(task), **_given_options(state, options)}
    return call_and_print(state, "task_update", arguments, say, as_json=as_json, quiet=quiet)


@tasks.command()
@common
@click.pass_obj
def issues(state: State, as_json: bool, quiet: bool) -> int:
    """Show what holds work up: blocked tasks, cycles, files that others hold."""
    return call_and_print(state, "blocking_issues", {"limit": 100}, _show_issues, as_json=as_json, quiet=quiet)


@tasks.command()
@click.argument("task")
@click.argument("agent")
@common
@click.pass_obj
def handoff(state: State, task: str, agent: str, as_json: bool, quiet: bool) -> int:
    """Show what AGENT knew about TASK: what it holds, decided, did and left open, and what comes next."""
    arguments = {"agent_id": readable(agent), "task_id": readable(task)}
    return call_and_print(state, "agent_status", arguments, _show_handoff, as_json=as_json, quiet=quiet)


@tasks.command()
@click.argument("name")
@common
@click.pass_obj
def feature(state: State, name: str, as_json: bool, quiet: bool) -> int:
    """Show how far the feature NAME is: its tasks, and which of its code has tests."""
    return call_and_print(
        state, "feature_status", {"feature_id": readable(name)}, _show_feature, as_json=as_json, quiet=quiet
    )


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
        print_table(TextTable("", header, [_row(task) for task in some], words=True))


def _row(task: dict[str, Any]) -> tuple[str, ...]:
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
