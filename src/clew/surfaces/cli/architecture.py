"""Architecture rules from the command line: check them, keep a baseline, draw the layers."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
import msgspec

from clew.engine import Engine
from clew.model.errors import Unavailable
from clew.surfaces.cli.calling import finish
from clew.surfaces.cli.output import print_json
from clew.surfaces.cli.overview import ask
from clew.surfaces.cli.state import State, common, readable, time_options, times
from clew.surfaces.reports import Finding, sarif
from clew.text.escaping import block

BROKEN = 7  # exit code if a rule is broken
MOST_SHOWN = 50


@click.group()
def arch() -> None:
    """Check which parts of the project may depend on which."""


@arch.command("check")
@click.option("--rule", "rules", multiple=True, help="Check only this rule; may be repeated.")
@click.option("--format", "form", type=click.Choice(("text", "json", "sarif")), default="text", help="Form.")
@click.option("--no-baseline", is_flag=True, help="Also show violations that the baseline accepts.")
@click.option("--update-baseline", is_flag=True, help="Write the baseline; an existing baseline can only shrink.")
@time_options
@common
@click.pass_obj
def check(state: State, /, rules: tuple[str, ...], as_json: bool, quiet: bool, **options: Any) -> int:
    """Check the rules of [[architecture.rules]] and the contracts of import-linter and dependency-cruiser. Exits with
    7 if a rule of severity error is violated. If there are no rules, some are proposed.

    \b
    clew arch check
    clew arch check --format sarif > architecture.sarif
    clew arch check --update-baseline
    """
    if options["update_baseline"]:
        return _update(state, as_json=as_json, quiet=quiet)
    asked = {"rules": [readable(one) for one in rules], "baseline": not options["no_baseline"], **times(options)}
    reply = ask(state, "arch_validate", asked)
    form = "json" if as_json else options["form"]
    code = finish(reply, _show_sarif if form == "sarif" else _show, as_json=form == "json", quiet=quiet)
    if code:
        return code
    found = msgspec.json.decode(reply.body)["data"]["violations"]
    return BROKEN if any(one.get("severity", "error") == "error" for one in found) else 0


@arch.command("draw")
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Output file; default: standard output."
)
@common
@click.pass_obj
def draw(state: State, /, output: Path | None, as_json: bool, quiet: bool) -> int:
    """Draw the layers as SVG: those of the first rule of kind `layers`, or an order suggested by the graph.
    References to a higher layer are red."""
    from clew.tools.architecture_drawing import layers_svg

    with Engine.open(state.start, create=False) as engine:
        drawn = layers_svg(engine)
    if output is None:
        print_json({"svg": drawn}) if as_json else click.echo(drawn, nl=False)
        return 0
    try:
        output.write_text(drawn, "utf-8")
    except OSError as error:
        raise Unavailable(f"{output} cannot be written: {error.strerror}", "Name another file.") from error
    if as_json:
        print_json({"output": str(output)})
    elif not quiet:
        click.echo(f"Drawn to {output}.")
    return 0


@arch.command("suggest")
@click.argument("description", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 100), default=5, help="Maximum number of places.")
@time_options
@common
@click.pass_obj
def suggest(state: State, /, description: tuple[str, ...], as_json: bool, quiet: bool, **options: Any) -> int:
    """Suggest where new code belongs, given a DESCRIPTION of its purpose.

    \b
    clew arch suggest "send an email when an order ships"
    """
    asked = {"description": readable(" ".join(description)), "limit": options["limit"], **times(options)}
    return finish(ask(state, "arch_suggest", asked), _show_places, as_json=as_json, quiet=quiet)


def _show_places(envelope: dict[str, Any], quiet: bool) -> None:
    if not quiet:
        click.echo(envelope["summary"])
    for one in envelope["data"]["places"]:
        why = "" if quiet else f"  {one['score']:.2f}  {click.style('; '.join(one['reasons']), dim=True)}"
        click.echo(f"{click.style(one['folder'] or '.', fg='green')}{why}")


def _update(state: State, *, as_json: bool, quiet: bool) -> int:
    from clew.tools.architecture import shrunk_baseline

    with Engine.open(state.start, create=False) as engine:
        engine.refresh()
        text, after, before = shrunk_baseline(engine)
        name = engine.config.architecture.baseline
        try:
            (engine.place.root / name).write_text(text, "utf-8")
        except OSError as error:
            raise Unavailable(f"{name} cannot be written: {error.strerror}", "Make it writable.") from error
    if as_json:
        print_json({"baseline": name, "entries": after, "before": before})
    elif not quiet:
        click.echo(f"{name}: {after} accepted violations, {before} before.")
    return 0


def _show(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    if not quiet:
        click.echo(envelope["summary"])
    by_rule: dict[str, list[dict[str, Any]]] = {}
    for one in data["violations"]:
        by_rule.setdefault(one["rule"], []).append(one)
    for rule, some in by_rule.items():
        click.echo(f"{click.style(rule, bold=True)}: {len(some)}")
        if message := some[0].get("message"):
            click.echo(f"  {click.style(message, fg='yellow')}")
        for one in some[: None if quiet else MOST_SHOWN]:
            click.echo(f"  {click.style(one['said'], fg='red')}")
            for line in _steps(one):
                click.echo(f"    {line}")
        if not quiet and len(some) > MOST_SHOWN:
            click.echo(click.style(f"    … {len(some) - MOST_SHOWN} more; --json lists them", dim=True))
    if quiet:
        return
    for said in data.get("problems", ()):
        click.echo(f"{click.style('not checked:', fg='yellow')} {said}")
    for one in data.get("proposed", ()):
        click.echo(f"\n{click.style('# proposed:', fg='cyan')} {one['why']}; {one['violations']} violations now")
        click.echo(block(one["toml"]))


def _steps(violation: dict[str, Any]) -> Iterable[str]:
    for step in violation.get("chain", ()):
        line = f":{step['line']}" if step.get("line") else ""
        yield f"{step['source']}{line} → {step['target']}"


def _show_sarif(envelope: dict[str, Any], quiet: bool) -> None:
    found = envelope["data"]["violations"]
    rules = {one["rule"]: one.get("message") or one["rule"] for one in found}
    results = []
    for one in found:
        chain = one.get("chain") or [{"source": one["source"], "line": 1}]
        message = "; ".join(filter(None, (one["said"], one.get("message", ""), " → ".join(_steps(one)))))
        severity = one.get("severity", "error")
        results.append(Finding(one["rule"], severity, message, chain[0]["source"], chain[0].get("line") or 1))
    print_json(sarif(results, rules))
