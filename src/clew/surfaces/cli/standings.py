"""An evaluation as tables."""

from collections.abc import Sequence

import click

from clew.evaluate.report import (
    Evaluation,
    EvaluationTask,
    Figure,
    QueryCost,
    RankerLead,
    RankerResult,
    RankerScores,
    TaskReport,
)
from clew.surfaces.cli.output import TextTable, print_table

COLUMNS = ("R@1", "R@5", "R@10", "MRR")
COSTS = ("ms", "p95 ms", "CPU ms")
LEGEND = (
    "R@k: how many of the right answers are among the first k results. MRR: 1 / the rank of the first right answer.",
    "Both are means of all cases, with their 95 % interval. ms: the mean time of a question; p95 ms: 95 of 100 take",
    "less; CPU ms: processor time. clew's lead: its figure less the other's; an interval without 0 is no chance.",
)

_WHERE = {EvaluationTask.COMMITS: "after", EvaluationTask.DOCSTRINGS: "at"}


def show(result: Evaluation, *, explain: bool, quiet: bool) -> None:
    for task in result.tasks:
        if not quiet:
            click.echo(click.style(_heading(task, result), bold=True))
        for table in tables(task):
            print_table(table)
        for line in _left_out(task) if explain else ():
            click.echo(line)
    for note in (*LEGEND, *result.notes) if not quiet else ():
        click.echo(note)


def tables(task: TaskReport) -> list[TextTable]:
    """Tables of files, of functions if there are any, and of Clew's lead over each other ranker."""
    found = [_files(task.standings)]
    if functions := [(one.ranker, one.functions) for one in task.standings if one.functions]:
        cases = functions[0][1].cases
        rows = [(name, *figures(scores)) for name, scores in functions]
        found.append(TextTable(f"functions, {count_of(cases, 'case')}", ("ranker", *COLUMNS), rows))
    if task.leads:
        found.append(_leads(task.leads))
    return found


def _files(standings: Sequence[RankerResult]) -> TextTable:
    rows = [(one.ranker, *figures(one.files), *_costs(one.cost)) for one in standings]
    return TextTable(f"files, {count_of(standings[0].files.cases, 'case')}", ("ranker", *COLUMNS, *COSTS), rows)


def _leads(leads: Sequence[RankerLead]) -> TextTable:
    rows = [(f"files, over {one.over}", *figures(one.files, "+")) for one in leads]
    rows += [(f"functions, over {one.over}", *figures(one.functions, "+")) for one in leads if one.functions]
    return TextTable("clew's lead", ("", *COLUMNS), rows)


def _heading(task: TaskReport, result: Evaluation) -> str:
    cases = len(task.cases)
    short = f" (only {cases} of {task.wanted} asked for)" if cases < task.wanted else ""
    ranked = f"{count_of(task.files, 'file')} and {count_of(task.functions, 'function')} ranked"
    return f"{task.task}: {count_of(cases, 'case')}{short} {_WHERE[task.task]} {result.base[:12]}; {ranked}"


def _left_out(task: TaskReport) -> list[str]:
    return ["left out:", *(f"  {count:>7}  {reason}" for reason, count in task.left_out.items()), ""]


def figures(scores: RankerScores, sign: str = "") -> tuple[str, ...]:
    return tuple(figure(one, sign) for one in (scores.recall_1, scores.recall_5, scores.recall_10, scores.mrr))


def figure(figure: Figure, sign: str) -> str:
    return f"{figure.mean:{sign}.3f} ({figure.low:{sign}.2f} to {figure.high:{sign}.2f})"


def _costs(cost: QueryCost | None) -> tuple[str, ...]:
    return (f"{cost.mean_ms:.1f}", f"{cost.p95_ms:.1f}", f"{cost.cpu_ms:.1f}") if cost else ("", "", "")


def count_of(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
