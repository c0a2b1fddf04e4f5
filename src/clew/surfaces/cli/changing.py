"""The impact of a change, and the tests to run for it, from the command line."""

import sys
from pathlib import Path
from typing import Any, get_args

import click
import msgspec

from clew.model.errors import InvalidInput, Unavailable
from clew.surfaces.cli.calling import caller_of, finish
from clew.surfaces.cli.output import print_json
from clew.surfaces.cli.state import State, common, from_root, readable, time_options, times
from clew.surfaces.reports import Finding, code, escape_markdown, sarif, table
from clew.tools.answer import Reply, answer
from clew.tools.impact import RISKS
from clew.tools.selection import Level
from clew.tools.test_commands import Runner
from clew.workspaces import Workspaces

RISKY = 7  # exit code of --fail-on
RISK_NAMES = tuple(name for _, name in RISKS)
RUNNERS = get_args(Runner)
MOST_SHOWN = 20  # rows on a terminal; --json has all


def _change(command: Any) -> Any:
    """The options that select a change."""
    command = click.option("--since", default="", help="Everything that changed since this commit, tag or branch.")(
        command
    )
    command = click.option("--diff", "diff", default="", help="A file with a unified diff; - reads standard input.")(
        command
    )
    return click.option("--files", "-f", multiple=True, help="A changed file; may be repeated.")(command)


@click.command()
@click.argument("symbols", nargs=-1)
@_change
@click.option("--limit", type=click.IntRange(1, 1000), default=50, help="Maximum number of affected symbols.")
@click.option(
    "--format", "form", type=click.Choice(("text", "json", "markdown", "sarif")), default="text", help="Form."
)
@click.option("--fail-on", type=click.Choice(RISK_NAMES[1:]), help="Exit with 7 if the risk is at least this high.")
@click.option("--max-tokens", type=click.IntRange(1), help="Token budget of the answer.")
@time_options
@common
@click.pass_obj
def impact(state: State, /, symbols: tuple[str, ...], as_json: bool, quiet: bool, **options: Any) -> int:
    """Show what a change of SYMBOLS, files, a diff, or everything since a commit affects. Default: the uncommitted
    changes.

    \b
    clew impact Card.charge
    clew impact --since main --fail-on high
    git diff | clew impact --diff -
    clew impact --since main --format markdown
    """
    arguments = {**_arguments(state, options), "symbols": [readable(one) for one in symbols], "limit": options["limit"]}
    form = "json" if as_json else options["form"]
    reply = _ask(state, "impact_analyze", arguments, options)
    code = finish(reply, _IMPACT_FORMS[form], as_json=form == "json", quiet=quiet)
    if code or not options["fail_on"]:
        return code
    risk = msgspec.json.decode(reply.body)["data"]["risk"]
    return RISKY if RISK_NAMES.index(risk) >= RISK_NAMES.index(options["fail_on"]) else 0


@click.command()
@click.argument("symbols", nargs=-1)
@_change
@click.option(
    "--level",
    type=click.Choice(get_args(Level)),
    default="balanced",
    help="How many tests to select: nearly all affected ones, or the most probable.",
)
@click.option(
    "--runner", type=click.Choice(RUNNERS), default="", help="The test runner, if not the language's usual one."
)
@click.option("--commands", is_flag=True, help="Print the commands that run the tests, and nothing else.")
@click.option("--run", "runs", is_flag=True, help="Run them with the command under [tests]; exits with 7 if one fails.")
@click.option("--all", "everything", is_flag=True, help="With --run: run the whole suite.")
@click.option("--categories", is_flag=True, help="Instead, list tests by category: unit, integration, e2e, benchmark.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=1000, help="Maximum number of entries.")
@click.option("--max-tokens", type=click.IntRange(1), help="Token budget of the answer.")
@time_options
@common
@click.pass_obj
def tests(state: State, /, symbols: tuple[str, ...], as_json: bool, quiet: bool, **options: Any) -> int:
    """Choose the tests to run for a change of SYMBOLS, files, a diff, or everything since a commit. Default: the
    uncommitted changes.

    \b
    clew tests --since main
    clew tests Card.charge --level safe
    pytest $(clew tests --since HEAD~1 --quiet)
    clew tests --since main --run
    clew tests --categories --files tests/api
    """
    if options["categories"]:
        files = [readable(from_root(state, one)) for one in options["files"]]
        reply = _ask(state, "test_categorize", {"files": files, "limit": 10_000, **times(options)}, options)
        return finish(reply, _show_categories, as_json=as_json, quiet=quiet)
    if options["runs"]:
        return _run_tests(state, symbols, options, as_json=as_json, quiet=quiet)
    named = {name: options[name] for name in ("level", "limit", "runner")}
    named["symbols"] = [readable(one) for one in symbols]
    arguments = {**_arguments(state, options), **named}
    show = _show_commands if options["commands"] else _show_tests
    return finish(_ask(state, "test_select", arguments, options), show, as_json=as_json, quiet=quiet)


def _run_tests(state: State, symbols: tuple[str, ...], options: dict[str, Any], *, as_json: bool, quiet: bool) -> int:
    """Run selected tests; named symbols, files and diffs are first turned into tests."""
    tests: list[str] = []
    if symbols or options["files"] or options["diff"]:
        arguments = {**_arguments(state, options), "symbols": [readable(one) for one in symbols], "limit": 10_000}
        selected = _ask(state, "test_select", {**arguments, "level": options["level"]}, {**options, "max_tokens": None})
        if not selected.ok:
            return finish(selected, _show_tests, as_json=as_json, quiet=quiet)
        tests = [one["id"] for one in msgspec.json.decode(selected.body)["data"]["tests"]]
        if not tests:
            raise InvalidInput("no test is selected for this change", "Choose --level safe, or --all.")
        change: dict[str, Any] = {}
    else:
        change = {} if options["everything"] else {"affected": True, "since": options["since"]}
    reply = _ask(state, "test_run", {"tests": tests, "level": options["level"], **change}, options)
    code = finish(reply, _show_run, as_json=as_json, quiet=quiet)
    return code or (0 if msgspec.json.decode(reply.body)["data"]["status"] == "passed" else RISKY)


def _show_run(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    click.echo(envelope["summary"])
    if quiet:
        return
    for one in data["failures"][:MOST_SHOWN]:
        place = f"  {one['at']}" if one.get("at") else ""
        click.echo(f"{click.style(one['name'], fg='red')}{place}  {click.style(one.get('symbol', ''), dim=True)}")
        for line in one.get("message", "").splitlines()[:5]:
            click.echo(f"    {line}")
    _more(len(data["failures"]) - MOST_SHOWN)
    if tail := data.get("output_tail"):
        click.echo(tail)


def _show_categories(envelope: dict[str, Any], quiet: bool) -> None:
    if not quiet:
        click.echo(envelope["summary"])
    for one in envelope["data"]["tests"]:
        why = "" if quiet else f"  {click.style('; '.join(one['reasons']), dim=True)}"
        click.echo(f"{one['category']:<12} {click.style(one['id'], fg='green')}{why}")


def _arguments(state: State, options: dict[str, Any]) -> dict[str, Any]:
    return {
        "files": [readable(from_root(state, one)) for one in options["files"]],
        "diff": _read(options["diff"]) if options["diff"] else "",
        "since": options["since"],
        **times(options),
    }


def _read(name: str) -> str:
    if name == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    else:
        try:
            text = Path(name).read_bytes().decode("utf-8", "surrogateescape")
        except OSError as error:
            raise Unavailable(
                f"{name} cannot be read: {error.strerror}", "Name another file, or - for input."
            ) from error
    if not text.strip():
        raise InvalidInput("the diff is empty", "Pass the output of `git diff`.")
    return text


def _ask(state: State, tool: str, arguments: dict[str, Any], options: dict[str, Any]) -> Reply:
    if options["max_tokens"] is not None:
        arguments["max_tokens"] = options["max_tokens"]
    else:
        arguments["profile"] = "debug"  # people and scripts want all of it
    workspaces = Workspaces(state.start, create=False)
    try:
        return answer(caller_of(workspaces), tool, arguments)
    finally:
        workspaces.close()


def _show_impact(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    click.echo(envelope["summary"])
    for one in data["impacted"][: None if quiet else MOST_SHOWN]:
        said = "" if quiet else f"  {one['confidence']:.2f}  {click.style(one['why'], dim=True)}"
        click.echo(f"{click.style(one['symbol'], fg='green')}{said}")
    if quiet:
        return
    _more(len(data["impacted"]) - MOST_SHOWN)
    for one in data.get("breaking", ()):
        click.echo(f"{click.style('breaking:', fg='red')} {one['symbol']}: {one['reason']}")
    for one in data.get("services", ()):
        over = f" over {', '.join(one['contracts'])}" if one.get("contracts") else ""
        click.echo(f"{click.style('service:', fg='cyan')} {one['service']}, {one.get('files', 0)} files{over}")
    for title, name in (("tests", "direct_tests"), ("tests further away", "transitive_tests")):
        if some := data.get(name):
            click.echo(click.style(f"{title}: {len(some)}", bold=True))
            for node_id in some[:MOST_SHOWN]:
                click.echo(f"    {node_id}")
            _more(len(some) - MOST_SHOWN)
    for one in data.get("claims", ()):
        click.echo(f"{click.style('claimed:', fg='yellow')} {one['target']} by {one['holder']}")
    for one in data.get("changes_together", ())[:5]:
        click.echo(
            f"{click.style('changes together:', fg='cyan')} {one['path']} ({one['share']:.0%} of {one['with_path']})"
        )


def _show_tests(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    if quiet:
        for one in data["tests"]:
            click.echo(one["id"])
        return
    click.echo(envelope["summary"])
    for one in data["tests"][:MOST_SHOWN]:
        click.echo(f"{one['score']:.2f}  {click.style(one['id'], fg='green')}  {click.style(one['why'], dim=True)}")
    _more(data.get("tests_total", 0) - MOST_SHOWN)


def _show_commands(envelope: dict[str, Any], quiet: bool) -> None:
    for command in envelope["data"].get("commands", ()):
        click.echo(command)


def _show_sarif(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    rules = {
        "affected": "Code affected by the change",
        "breaking": "A change after which code that uses this may fail",
        "claimed": "Affected code that somebody else has claimed",
    }
    found = [
        Finding(
            "affected",
            "note",
            f"{one['symbol']}: {one['why']} (confidence {one['confidence']})",
            one["path"],
            _line(one),
        )
        for one in data["impacted"]
    ]
    found += [
        Finding(
            "claimed", "warning", f"{one['target']} is claimed by {one['holder']}", one["target"].partition("::")[0]
        )
        for one in data.get("claims", ())
    ]
    found += [
        Finding("breaking", "warning", f"{one['symbol']}: {one['reason']}", one["symbol"].partition("::")[0])
        for one in data.get("breaking", ())
    ]
    print_json(sarif(found, rules))


def _line(affected: dict[str, Any]) -> int:
    """Where the last step of the path is seen."""
    steps = affected.get("steps") or [{}]
    return int(steps[-1].get("line", 0))


def _show_markdown(envelope: dict[str, Any], quiet: bool) -> None:
    """A comment for a review; its first line lets a program find the comment again to update it."""
    data = envelope["data"]
    click.echo("<!-- clew impact -->")
    click.echo(f"### Impact: risk {data['risk']}\n\n{escape_markdown(envelope['summary'])}\n")
    for one in data.get("breaking", ()):
        click.echo(f"**Breaking:** {code(one['symbol'])}: {escape_markdown(one['reason'])}\n")
    if data["impacted"]:
        rows = [
            (code(one["symbol"]), f"{one['confidence']:.2f}", str(one["distance"]), code(one["why"]))
            for one in data["impacted"][:MOST_SHOWN]
        ]
        click.echo(table(("affected", "confidence", "steps", "why"), rows))
        if (left := len(data["impacted"]) - MOST_SHOWN) > 0:
            click.echo(f"\n… {left} more")
    if some := [*data.get("direct_tests", ()), *data.get("transitive_tests", ())]:
        click.echo(f"\n<details><summary>Tests: {len(some)}</summary>\n")
        click.echo("\n".join(f"- {code(one)}" for one in some))
        click.echo("\n</details>")
    for one in data.get("claims", ()):
        click.echo(f"\n**Claimed:** {code(one['target'])} by {escape_markdown(one['holder'])}")
    for one in data.get("services", ()):
        over = f" over {', '.join(map(code, one['contracts']))}" if one.get("contracts") else ""
        click.echo(f"\n**Service:** {escape_markdown(one['service'])}{over}")
    for one in data.get("changes_together", ())[:5]:
        click.echo(f"\nUsually changes together: {code(one['path'])} ({one['share']:.0%} of {code(one['with_path'])})")


_IMPACT_FORMS = {"text": _show_impact, "json": _show_impact, "markdown": _show_markdown, "sarif": _show_sarif}


def _more(count: int) -> None:
    if count > 0:
        click.echo(click.style(f"    … {count} more; --json lists them", dim=True))
