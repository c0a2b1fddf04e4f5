"""The service graph from the command line."""

from pathlib import Path
from typing import Any, BinaryIO

import click
import msgspec

from clew.engine import Engine
from clew.model.errors import InvalidInput, Unavailable
from clew.surfaces.cli.calling import caller_of, finish
from clew.surfaces.cli.output import print_json
from clew.surfaces.cli.state import State, common, readable
from clew.surfaces.reports import Finding, sarif
from clew.text.escaping import block
from clew.text.escaping import line as in_line
from clew.tools.answer import Reply, answer
from clew.tools.services import EDGE_KINDS
from clew.workspaces import Workspaces

BROKEN = 7  # exit code of a check that found something
MOST_SHOWN = 40  # rows on a terminal; --json has all


@click.group(invoke_without_command=True)
@common
@click.pass_context
def services(context: click.Context, /, as_json: bool, quiet: bool) -> int | None:
    """Show the services of the project and their connections: requests, remote calls, events, databases. Without a
    command, list the services.

    \b
    clew services list
    clew services edges --json
    clew services context orders
    clew services draw --output map.svg
    """
    if context.invoked_subcommand:
        return None
    return _list_services(context.obj, "", as_json=as_json, quiet=quiet)


@services.command("list")
@click.option("--role", default="", help="Only this role: service, gateway, database, broker …")
@common
@click.pass_obj
def list_services(state: State, /, role: str, as_json: bool, quiet: bool) -> int:
    """List the services, each with its folder and the evidence for it."""
    return _list_services(state, role, as_json=as_json, quiet=quiet)


def _list_services(state: State, role: str, *, as_json: bool, quiet: bool) -> int:
    return finish(_ask(state, "service_list", {"role": role}), _show_services, as_json=as_json, quiet=quiet)


@services.command("edges")
@click.argument("service", default="")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(EDGE_KINDS), help="Only this kind; may be repeated.")
@common
@click.pass_obj
def list_edges(state: State, /, service: str, kinds: tuple[str, ...], as_json: bool, quiet: bool) -> int:
    """List the connections between services, or those of SERVICE, each with the line that shows it."""
    arguments = {"service_name": readable(service), "kinds": list(kinds)}
    return finish(_ask(state, "service_edges", arguments), _show_edges, as_json=as_json, quiet=quiet)


@services.command("context")
@click.argument("service")
@click.option("--max-tokens", type=click.IntRange(100, 100_000), default=2000, help="Budget of the text.")
@common
@click.pass_obj
def show_context(state: State, /, service: str, max_tokens: int, as_json: bool, quiet: bool) -> int:
    """Print what a developer of SERVICE must know about the other services, as Markdown."""
    arguments = {"service_name": readable(service), "context_tokens": max_tokens}
    reply = _ask(state, "get_service_context", arguments)
    text = msgspec.json.decode(reply.body)["data"]["context_text"] if reply.ok else ""
    return finish(reply, lambda *_: click.echo(block(text)), as_json=as_json, quiet=quiet)


@services.command("impact")
@click.argument("node")
@click.option("--depth", type=click.IntRange(1, 10), default=3, help="Steps through code.")
@common
@click.pass_obj
def show_impact(state: State, /, node: str, depth: int, as_json: bool, quiet: bool) -> int:
    """Show how a change of NODE (a file, symbol, endpoint, event, entity or service) affects other services."""
    reply = _ask(state, "find_cross_service_impact", {"node_id": readable(node), "max_depth": depth})
    return finish(reply, _show_impact, as_json=as_json, quiet=quiet)


@services.command("events")
@click.argument("service", default="")
@common
@click.pass_obj
def show_events(state: State, /, service: str, as_json: bool, quiet: bool) -> int:
    """List events with their publishers and consumers; events without one of them come first."""
    reply = _ask(state, "check_cross_service_events", {"service_name": readable(service)})
    return finish(reply, _show_events, as_json=as_json, quiet=quiet)


@services.command("boundaries")
@click.option("--resolution", type=click.FloatRange(0.01, 10), default=1.0, help="Below 1: larger communities.")
@common
@click.pass_obj
def show_boundaries(state: State, /, resolution: float, as_json: bool, quiet: bool) -> int:
    """Show files that are more connected with another service than with their own, and how services are coupled."""
    reply = _ask(state, "validate_service_boundaries", {"resolution": resolution})
    return finish(reply, _show_boundaries, as_json=as_json, quiet=quiet)


@services.command("check")
@click.option("--since", default="", help="Check what has changed since this commit, tag, branch or time instead.")
@click.option("--format", "form", type=click.Choice(("text", "json", "sarif")), default="text", help="Form.")
@common
@click.pass_obj
def check(state: State, /, since: str, form: str, as_json: bool, quiet: bool) -> int:
    """Check for events without a publisher or consumer, and unused contracts; with --since, for changes that break
    consumers. Exit code 7 if there are any.

    \b
    clew services check
    clew services check --since main --format sarif
    """
    if since:
        return _check_since(state, readable(since), "json" if as_json else form, quiet)
    reply = _ask(state, "check_cross_service_events", {})
    form = "json" if as_json else form
    code = finish(reply, _show_sarif if form == "sarif" else _show_check, as_json=form == "json", quiet=quiet)
    if code:
        return code
    data = msgspec.json.decode(reply.body)["data"]
    return BROKEN if data["orphaned_events"] or data["unmatched_consumers"] or data.get("dead_contracts") else 0


def _check_since(state: State, since: str, form: str, quiet: bool) -> int:
    reply = _ask(state, "service_changes", {"since": since})
    show = _show_broken_sarif if form == "sarif" else _show_changes
    code = finish(reply, show, as_json=form == "json", quiet=quiet)
    return code or (BROKEN if msgspec.json.decode(reply.body)["data"]["breaking"] else 0)


@services.command("builder")
@click.argument("names", nargs=-1)
@click.option("--max-tokens", type=click.IntRange(100, 100_000), default=2000, help="Budget of each context.")
@click.option(
    "--into",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the section of one service into this file, such as AGENTS.md; its earlier section is replaced.",
)
@common
@click.pass_obj
def builder(
    state: State, /, names: tuple[str, ...], max_tokens: int, into: Path | None, as_json: bool, quiet: bool
) -> int:
    """Print what developers of the services NAMES (default: all) must know, as sections for AGENTS.md or CLAUDE.md,
    or with --json for a builder's configuration (`graph_rag_context`).

    \b
    clew services builder --json
    clew services builder orders --into orders/AGENTS.md
    """
    if into is not None and len(names) != 1:
        raise InvalidInput("--into needs one service", "Name it: clew services builder orders --into orders/AGENTS.md")
    arguments = {"service_names": [readable(name) for name in names], "context_tokens": max_tokens}
    reply = _ask(state, "get_builder_contexts", arguments)
    if into is not None and reply.ok:
        from clew.services.answers import BuilderContext  # only here
        from clew.services.context_block import with_instructions

        (context,) = msgspec.json.decode(reply.body)["data"]["contexts"]
        made = msgspec.convert(context, BuilderContext)
        _write(into, with_instructions(into.read_text(encoding="utf-8") if into.is_file() else "", made))
    return finish(reply, _show_builders if into is None else _show_summary, as_json=as_json, quiet=quiet)


@services.command("review")
@click.argument("findings", type=click.File("rb"))
@common
@click.pass_obj
def review(state: State, /, findings: BinaryIO, as_json: bool, quiet: bool) -> int:
    """Check the violations of FINDINGS (a JSON list, or {"violations": […]}; - reads standard input) against the
    system: dead events and contracts that other services use are suppressed, and priorities follow the reach of a fix.
    Exit code 7 if any are left.

    \b
    clew services review findings.json
    """
    try:
        given = msgspec.json.decode(findings.read())
    except msgspec.MsgspecError as error:
        hint = 'Give a JSON list such as [{"code": "ADV-001", "event_name": "order.created"}].'
        raise InvalidInput(f"the findings are not readable as JSON: {error}", hint) from error
    rows = given.get("violations", ()) if isinstance(given, dict) else given
    reply = _ask(state, "review_violations", {"violations": rows})
    code = finish(reply, _show_review, as_json=as_json, quiet=quiet)
    return code or (BROKEN if msgspec.json.decode(reply.body)["data"]["left"] else 0)


@services.command("build")
@click.option("--reuse", is_flag=True, help="Show the counts of a build in the last 300 seconds, if there was one.")
@click.option("--interfaces", type=click.File("rb"), help="Interfaces by service, as JSON.")
@click.option("--service-map", type=click.File("rb"), help="Services, as JSON.")
@click.option("--domain-model", type=click.File("rb"), help="Entities and relationships, as JSON.")
@click.option("--contracts", type=click.File("rb"), help="Contracts with their specifications, as JSON.")
@common
@click.pass_obj
def build(state: State, /, reuse: bool, as_json: bool, quiet: bool, **inputs: BinaryIO | None) -> int:
    """Build the service graph and count its nodes and edges. Descriptions of the system from other programs can be
    added as JSON; they are kept until replaced, and an empty object removes one."""
    given = {f"{name}_json": file.read().decode("utf-8", "replace") for name, file in inputs.items() if file}
    if "interfaces_json" in given:
        given["service_interfaces_json"] = given.pop("interfaces_json")
    reply = _ask(state, "build_knowledge_graph", {"force_rebuild": not reuse, **given})
    return finish(reply, _show_build, as_json=as_json, quiet=quiet)


@services.command("draw")
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Output file; default: standard output."
)
@click.option("--all", "everything", is_flag=True, help="Also draw monitoring, discovery and configuration.")
@click.option("--text", "as_text", is_flag=True, help="As lines of text instead of SVG.")
@common
@click.pass_obj
def draw(state: State, /, output: Path | None, everything: bool, as_text: bool, as_json: bool, quiet: bool) -> int:
    """Draw the service map as SVG, or as text. With --json, print {"svg": …} or {"text": …}, or {"output": FILE} if it
    was written to a file."""
    from clew.services.drawing import svg, text_map  # only here

    with Engine.open(state.start, create=False) as engine:
        engine.refresh()
        engine.require_index()
        system = engine.services.current().system
    if as_text:
        picture = "\n".join(map(in_line, text_map(system, everything=everything))) + "\n"
    else:
        picture = svg(system, everything=everything)
    if output is None:
        if as_json:
            print_json({"text" if as_text else "svg": picture})
        else:
            click.echo(picture, nl=False)
        return 0
    _write(output, picture)
    if as_json:
        print_json({"output": str(output)})
    return 0


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Unavailable(f"{file} cannot be written: {error.strerror}", "Name another file.") from error


def _ask(state: State, tool: str, arguments: dict[str, Any]) -> Reply:
    workspaces = Workspaces(state.start, create=False)
    try:
        return answer(caller_of(workspaces), tool, {**arguments, "profile": "debug"})
    finally:
        workspaces.close()


def _place(evidence: dict[str, Any]) -> str:
    return click.style(f"{evidence['path']}:{evidence['line']}", dim=True)


def _show_services(envelope: dict[str, Any], quiet: bool) -> None:
    rows = envelope["data"]["services"]
    if quiet:
        for one in rows:
            click.echo(one["name"])
        return
    click.echo(envelope["summary"])
    width = max((len(one["name"]) for one in rows), default=0)
    for one in rows:
        name = click.style(one["name"].ljust(width), fg="green")
        stack = ", ".join(one["stack"]) or "?"
        click.echo(
            f"{name}  {one.get('role', 'service'):<13}  {one['path'] or '(image)'}  {stack}  {_place(one['evidence'])}"
        )


def _show_edges(envelope: dict[str, Any], quiet: bool) -> None:
    if not quiet:
        click.echo(envelope["summary"])
    for one in envelope["data"]["edges"]:
        arrow = f"{one['source']} → {one['target']}"
        if quiet:
            click.echo(arrow)
            continue
        place = _place(one["evidence"])
        click.echo(f"{click.style(arrow, fg='green')}  {one['kind']}  {one['label']}  {one['confidence']:.2f}  {place}")


def _show_impact(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    if not quiet:
        click.echo(envelope["summary"])
    for one in data["impacted_services"]:
        click.echo(click.style(one["service_name"], fg="green"))
        for path in one["impact_paths"] if not quiet else ():
            click.echo(click.style(f"    {' → '.join(path)}", dim=True))


def _show_events(envelope: dict[str, Any], quiet: bool) -> None:
    if not quiet:
        click.echo(envelope["summary"])
    data = envelope["data"]
    for title, color, rows in (
        ("no consumer", "yellow", data["orphaned_events"]),
        ("no publisher", "yellow", data["unmatched_consumers"]),
        ("", "green", data["matched_events"]),
    ):
        for one in rows:
            sides = f"{', '.join(one['publishers']) or '?'} → {', '.join(one['consumers']) or '?'}"
            click.echo(f"{click.style(one['event_name'], fg=color)}  {sides}  {title}".rstrip())


def _show_boundaries(envelope: dict[str, Any], quiet: bool) -> None:
    if not quiet:
        click.echo(envelope["summary"])
    data = envelope["data"]
    for one in data["misplaced_files"][:MOST_SHOWN]:
        other = f"{one['community_service']} ({one['confidence']:.0%})"
        click.echo(f"{one['file']}: in {one['declared_service']}, connected with {other}")
    for one in data["service_coupling"][:MOST_SHOWN]:
        click.echo(f"{one['service_a']} - {one['service_b']}: {one['cross_edges']}")


def _show_check(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    for one in data["orphaned_events"]:
        click.echo(
            f"{click.style('event', fg='yellow')} {one['event_name']} of {', '.join(one['publishers'])} has no consumer"
        )
    for one in data["unmatched_consumers"]:
        waiting = ", ".join(one["consumers"])
        click.echo(f"{click.style('event', fg='yellow')} {one['event_name']} of {waiting} has no publisher")
    for one in data.get("dead_contracts", ()):
        click.echo(f"{click.style('contract', fg='yellow')} {one}: nobody is known to call its service")
    if not quiet:
        click.echo(envelope["summary"])


def _show_summary(envelope: dict[str, Any], quiet: bool) -> None:
    if not quiet:
        click.echo(envelope["summary"])


def _show_builders(envelope: dict[str, Any], quiet: bool) -> None:
    from clew.services.answers import BuilderContext  # only here
    from clew.services.context_block import instructions

    click.echo(
        "\n".join(block(instructions(msgspec.convert(one, BuilderContext))) for one in envelope["data"]["contexts"])
    )


def _show_review(envelope: dict[str, Any], quiet: bool) -> None:
    for one in envelope["data"]["reviewed"]:
        violation = one["violation"]
        about = violation.get("event_name") or violation.get("contract_id") or violation.get("file_path", "")
        mark = click.style("suppressed", fg="green") if one["suppressed"] else click.style("left", fg="yellow")
        if quiet and one["suppressed"]:
            continue
        priority = f" {one['priority']}" if one.get("priority") else ""
        said = " ".join(filter(None, (one.get("reason", ""), one.get("action", ""))))
        click.echo(f"{mark}{priority}  {violation['code']}  {about}  {said}".rstrip())
        if warning := ", ".join(one.get("dependents", ())):
            click.echo(click.style(f"    files that depend on it: {warning}", dim=True))
    _show_summary(envelope, quiet)


def _show_build(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    _show_summary(envelope, quiet)
    for counts in (data["node_types"], data["edge_types"]) if not quiet else ():
        click.echo(", ".join(f"{count} {name}" for name, count in counts.items()))


def _show_changes(envelope: dict[str, Any], quiet: bool) -> None:
    for one in envelope["data"]["changes"]:
        breaking = one["breaking"]
        if quiet and not breaking:
            continue
        breaks = f"  breaks {', '.join(one['breaks'])}" if one.get("breaks") else ""
        kind = click.style(one["kind"], fg="red" if breaking else "green")
        detail = f" ({one['detail']})" if one.get("detail") else ""
        click.echo(f"{kind}  {one['service']}  {one['subject']}{detail}{breaks}")
    if not quiet:
        click.echo(envelope["summary"])


def _show_broken_sarif(envelope: dict[str, Any], quiet: bool) -> None:
    rules = {"breaking-change": "A change that breaks consumers of a service"}
    found = [
        Finding(
            "breaking-change",
            "error" if one.get("breaks") else "warning",
            " ".join(
                [f"{one['kind']}: {one['service']} {one['subject']}", one.get("detail", ""), *one.get("breaks", ())]
            ),
            one.get("path", ""),
            one.get("line", 0),
        )
        for one in envelope["data"]["changes"]
        if one["breaking"]
    ]
    print_json(sarif(found, rules))


def _show_sarif(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    rules = {
        "event-without-consumer": "An event that nobody consumes",
        "event-without-publisher": "An event that nobody publishes",
        "unused-contract": "A contract of a service that nobody calls",
    }
    found = [
        Finding(
            "event-without-consumer",
            "warning",
            f"{one['event_name']} has no consumer",
            one.get("path", ""),
            one.get("line", 0),
        )
        for one in data["orphaned_events"]
    ]
    found += [
        Finding(
            "event-without-publisher",
            "warning",
            f"{one['event_name']} has no publisher",
            one.get("path", ""),
            one.get("line", 0),
        )
        for one in data["unmatched_consumers"]
    ]
    found += [
        Finding("unused-contract", "note", f"nobody is known to call the service of {one}", one.partition("#")[0])
        for one in data.get("dead_contracts", ())
    ]
    print_json(sarif(found, rules))
