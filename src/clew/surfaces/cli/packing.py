"""A task's briefing from the command line: text for a prompt in a pipe, sections and a bar on a terminal."""

import sys
from typing import Any, get_args

import click

from clew.model.errors import ClewError
from clew.model.time import to_iso
from clew.pack.items import Section
from clew.pack.render import TITLES, Format
from clew.pack.request import Intent
from clew.surfaces.cli.calling import caller_of, finish
from clew.surfaces.cli.output import BLOCKS, report_error, warn
from clew.surfaces.cli.state import State, common, readable, time_options
from clew.text.escaping import all_shown, block
from clew.tools.answer import answer, perform
from clew.tools.briefing_views import Briefing, PackItem, section_costs
from clew.tools.fleet_views import CONFLICT
from clew.tools.memory_views import Blocker, MemoryView, PlanView
from clew.workspaces import Workspaces

BAR = 30  # characters


@click.command()
@click.argument("task", nargs=-1, required=True)
@click.option(
    "--max-tokens", type=click.IntRange(1), help="Token budget of the pack; default: budget.default_max_tokens."
)
@click.option(
    "--format",
    type=click.Choice(get_args(Format)),
    help="Output format; markdown by default in a pipe.",
)
@click.option(
    "--intent",
    type=click.Choice(get_args(Intent)),
    default="answer",
    help="Purpose. refactor, impact: more of the graph; summarize, contract: signatures; debug: same as answer.",
)
@click.option("--focus", default="", help="The symbol id, file:line or path that the task is about.")
@click.option(
    "--explain",
    is_flag=True,
    help="Show how the budget was spent, the next items, and all ranking reasons.",
)
@click.option(
    "--task-id", default="", help="Task whose plan and history to include; default: the one you are working on."
)
@click.option("--decisions/--no-decisions", "include_decisions", default=True, help="Include earlier decisions.")
@click.option("--episodes/--no-episodes", "include_episodes", default=True, help="Include earlier episodes.")
@click.option("--learnings/--no-learnings", "include_learnings", default=True, help="Include learnings about the code.")
@click.option("--claim", is_flag=True, help="Claim the entry point, so that no other agent changes it.")
@time_options
@common
@click.pass_obj
def pack(state: State, /, task: tuple[str, ...], as_json: bool, quiet: bool, **options: Any) -> int:
    """Write a briefing for TASK: where to start, the code to read, its surroundings, and what agents recorded about
    it.

    \b
    clew pack "scrub secrets from a file before its text is stored" --max-tokens 4000 > briefing.md
    """
    workspaces = Workspaces(state.start, create=False)
    try:
        texts = {name: readable(options.pop(name)) for name in ("focus", "task_id")}
        arguments: dict[str, Any] = {"task": readable(" ".join(task)), **texts}
        arguments |= {name: value for name, value in options.items() if value is not None}
        if as_json:
            return finish(answer(caller_of(workspaces), "context_pack", arguments), _unseen, as_json=True, quiet=quiet)
        arguments.setdefault("max_tokens", workspaces.get().config.budget.default_max_tokens)
        made: Any = perform(caller_of(workspaces), "context_pack", arguments).result
        _print(made, arguments, quiet=quiet)
        return 0
    except ClewError as error:
        return report_error(error, as_json=as_json)
    finally:
        workspaces.close()


def _unseen(envelope: dict[str, Any], quiet: bool) -> None:
    """Only programs see the envelope."""


def _print(made: Briefing, asked: dict[str, Any], *, quiet: bool) -> None:
    if "format" in asked or not sys.stdout.isatty():
        click.echo(block(made.text) if sys.stdout.isatty() else made.text, nl=False)
        if asked["explain"]:
            _explain(all_shown(made, BLOCKS))
    else:
        _show(all_shown(made, BLOCKS), asked)
    if not quiet:
        if made.claim and made.claim.status == CONFLICT:
            warn(f"{made.claim.target} could not be claimed: another holds it")
        for failed in made.failed:
            warn(f"{failed.retriever} could not answer: {failed.reason}")


def _show(made: Briefing, asked: dict[str, Any]) -> None:
    click.echo(click.style(made.summary(), bold=True))
    if made.claim:
        click.echo(f"claim: {made.claim.status}, {made.claim.target}")
    for section in Section:
        own = [item for item in made.items if item.section == section]
        notes = _notes(made, section)
        if own or notes:
            click.echo(f"\n{click.style(TITLES[section].upper(), fg='yellow', bold=True)}")
        for item in own:
            _show_item(item, explain=asked["explain"])
        for note in notes:
            click.echo(note)
    if asked["explain"]:
        _explain_budget(made)
    most = asked["max_tokens"]
    full = round(BAR * min(made.token_estimate / most, 1))
    left = made.left_out
    more = f"; left out: {left.items} items, about {left.tokens:,} tokens" if left.tokens else ""
    bar = click.style("█" * full, fg="green") + click.style("░" * (BAR - full), dim=True)
    click.echo(f"\n{bar} {made.token_estimate:,} of {most:,} tokens, {len(made.items)} items{more}")


def _notes(made: Briefing, section: Section) -> list[str]:
    """The memories of a section, a paragraph each."""
    if section is Section.BLOCKERS:
        return [_describe_blocker(one) for one in made.active_blockers]
    if section is Section.PLAN:
        return [_describe_plan(made.plan)] if made.plan else []
    memories = {
        Section.DECISIONS: made.decisions,
        Section.LEARNINGS: made.learnings,
        Section.EPISODES: made.episodes,
    }
    return [_describe_memory(one) for one in memories.get(section, ())]


def _describe_blocker(one: Blocker) -> str:
    why = f": {one.intent}" if one.intent else ""
    standing = f" ({one.standing})" if one.standing else ""
    return f"{click.style(one.target, fg='red')} is held by {one.holder} since {to_iso(one.since)[:16]}{standing}{why}"


def _describe_plan(plan: PlanView) -> str:
    waits = f", waits for {', '.join(plan.waits_for)}" if plan.waits_for else ""
    steps = [f"    {i}. {step.text}  {click.style(step.state, fg='cyan')}" for i, step in enumerate(plan.steps, 1)]
    following = [f"    next: {plan.next_step}"] if plan.next_step and not steps else []
    return "\n".join([f"{click.style(plan.title, bold=True)}  {plan.status}{waits}", *steps, *following])


def _describe_memory(one: MemoryView) -> str:
    first, *rest = one.content.splitlines() or [""]
    about = "; ".join(filter(None, [one.state, one.reason, one.about and f"about {one.about}"]))
    head = f"{first}  {click.style(f'{one.agent_id}, {one.occurred_at[:10]}; why: {about}', fg='cyan')}"
    return "\n".join([head, *(f"    {line}" for line in rest)])


def _show_item(item: PackItem, *, explain: bool) -> None:
    place = click.style(f"{item.path}:{item.first_line}-{item.last_line}", fg="green")
    name = click.style(item.symbol.rpartition("::")[2] if "::" in item.symbol else "", bold=True)
    marks = " (changed on disk)" if item.stale else ""
    click.echo(f"{place}  {name}{marks}  {click.style(f'why: {item.reason}', fg='cyan')}")
    if explain:
        _explain_item(item)
    for line in item.code.splitlines():
        click.echo(f"    {line}")
    if item.code:
        click.echo()


def _explain(made: Briefing) -> None:
    _explain_budget(made)
    click.echo("\nWHY")
    for item in made.items:
        click.echo(f"{item.path}:{item.first_line}-{item.last_line}  {item.symbol.rpartition('::')[2]}")
        _explain_item(item)


def _explain_budget(made: Briefing) -> None:
    """Where the budget went, and what a larger one would show next."""
    click.echo("\nBUDGET")
    for cost in section_costs(made.items):
        click.echo(f"{TITLES[Section(cost.section)]}: {cost.items} items, {cost.lines} lines, {cost.tokens:,} tokens")
    for one in made.left_out.next:
        click.echo(f"next: {one.symbol}, about {one.tokens:,} tokens")


def _explain_item(item: PackItem) -> None:
    click.echo(click.style(f"    score {item.score:.2f}, PageRank share {item.ppr_score:.4f}", fg="cyan"))
    for reason in item.reasons:
        click.echo(click.style(f"    {reason.retriever} {reason.share:.2f}  {reason.detail}".rstrip(), fg="cyan"))
