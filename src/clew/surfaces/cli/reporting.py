"""The usage report: text, JSON, or one HTML page."""

from collections.abc import Iterable
from html import escape
from pathlib import Path

import click

from clew import usage_report
from clew.engine import Engine
from clew.model.errors import InvalidInput
from clew.surfaces.cli.output import TextTable, print_json, print_table
from clew.surfaces.cli.state import State, common
from clew.text.escaping import line
from clew.usage_report import UsageLine, UsageReport

_HEAD = ("", "calls", "tokens", "hits", "mean ms", "p95 ms")
_STYLE = (
    "body{font:15px system-ui;margin:2em auto;max-width:60em;color:#222}table{border-collapse:collapse;margin:1em 0}"
    "td,th{padding:.3em .8em;border-bottom:1px solid #ddd;text-align:right}"
    "td:first-child,th:first-child{text-align:left}rect{fill:#4a7ebb}text{font:11px system-ui}"
)


@click.command()
@click.option(
    "--days", type=click.FloatRange(0, min_open=True), default=30.0, help="Number of days to cover (default 30)."
)
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Write one self-contained HTML page.")
@common
@click.pass_obj
def report(state: State, days: float, html: Path | None, as_json: bool, quiet: bool) -> None:
    """Show usage per tool, agent and day: calls, response times and tokens.

    The saving is an estimate: each hit of a question counts as one file of average size that was not read as a whole.
    """
    with Engine.open(state.start, create=False) as engine:
        found = usage_report.report(engine, days)
    if html is not None:
        try:
            html.write_text(_page(found), encoding="utf-8")
        except OSError as error:
            raise InvalidInput(f"{html} cannot be written: {error.strerror}", "Name another file.") from error
    if as_json:
        print_json(found)
    elif html is None:
        _print(found)


def _print(found: UsageReport) -> None:
    click.echo(f"{found.since[:10]} to {found.until[:10]}: {_summary(found)}")
    for title, lines in (("tools", found.tools), ("agents", found.agents), ("days", found.days)):
        if lines:
            print_table(TextTable(title, _HEAD, [_cells(one) for one in lines]))
    rows = [(one.name, f"{one.files:,}", f"{one.chunks:,}") for one in found.languages]
    print_table(TextTable("languages", ("", "files", "chunks"), [tuple(row) for row in rows]))


def _summary(found: UsageReport) -> str:
    total = found.total
    return (
        f"{total.calls:,} calls, {total.tokens:,} tokens, {total.mean_ms} ms on average; about "
        f"{found.tokens_saved:,} tokens saved against reading {total.hits:,} files of {found.tokens_per_file:,} "
        f"tokens. {found.tokens_not_repeated:,} tokens of code were not repeated to sessions that had them."
    )


def _cells(one: UsageLine) -> tuple[str, ...]:
    return (
        one.name, f"{one.calls:,}", f"{one.tokens:,}", f"{one.hits:,}", f"{one.mean_ms:.1f}", f"{one.p95_ms:.1f}"
    )  # fmt: skip


def _page(found: UsageReport) -> str:
    """Nothing is loaded from elsewhere."""
    parts = [
        f"<h1>Clew: {escape(found.since[:10])} to {escape(found.until[:10])}</h1><p>{escape(_summary(found))}</p>",
        "<h2>Calls a day</h2>",
        _bars(found.days),
    ]
    for title, lines in (("Tools", found.tools), ("Agents", found.agents), ("Days", found.days)):
        parts += [f"<h2>{title}</h2>", _table(_HEAD, (_cells(one) for one in lines))]
    languages = ((one.name, f"{one.files:,}", f"{one.chunks:,}") for one in found.languages)
    parts += ["<h2>Languages</h2>", _table(("", "files", "chunks"), languages)]
    head = f'<meta charset="utf-8"><title>Clew usage</title><style>{_STYLE}</style>'
    return f"<!doctype html><html><head>{head}</head><body>{''.join(parts)}</body></html>\n"


def _table(head: Iterable[str], rows: Iterable[tuple[str, ...]]) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(f"<tr>{''.join(f'<td>{escape(line(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{top}</tr>{body}</table>"


def _bars(days: tuple[UsageLine, ...]) -> str:
    most, wide = max((one.calls for one in days), default=1), 24
    drawn = [
        f'<rect x="{place * wide}" y="{100 - 100 * one.calls / most:.1f}" width="{wide - 4}" '
        f'height="{100 * one.calls / most:.1f}"><title>{escape(one.name)}: {one.calls}</title></rect>'
        f'<text x="{place * wide}" y="114">{escape(one.name[8:])}</text>'
        for place, one in enumerate(days)
    ]
    return f'<svg width="{max(len(days), 1) * wide}" height="120" role="img">{"".join(drawn)}</svg>'
