"""Tools by name: `clew tool NAME`, a command per tool with its options made of the registry."""

import os
from collections.abc import Callable
from typing import Any

import click
import msgspec

from clew.model.errors import InvalidInput
from clew.surfaces import identity
from clew.surfaces.cli.output import as_typed, print_body, print_json, show_envelope, show_failure
from clew.surfaces.cli.state import State, common, readable
from clew.tools import TOOLS, Tool
from clew.tools.answer import Caller, Reply, answer
from clew.tools.discovery import describe_arguments
from clew.tools.registry import ALIASES
from clew.workspaces import Workspaces


class ToolGroup(click.Group):
    def list_commands(self, context: click.Context) -> list[str]:
        return sorted(TOOLS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        found = TOOLS.get(ALIASES.get(name, name).replace("-", "_"))
        return _command(found) if found else None

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """An unknown tool is answered as on every other surface."""
        if args and not args[0].startswith("-") and self.get_command(context, args[0]) is None:
            return args[0], _unknown(args[0]), args[1:]
        return super().resolve_command(context, args)


@click.group(cls=ToolGroup)
def tool() -> None:
    """Call a tool by name. Lists and objects are JSON; --args takes all arguments as one JSON object."""


def caller_of(workspaces: Workspaces) -> Caller:
    """The user of the command line as a caller, with the reachable projects."""
    return Caller(workspaces, identity=identity.of_terminal(os.environ))


def finish(
    reply: Reply,
    show: Callable[[dict[str, Any], bool], None],
    *,
    as_json: bool,
    quiet: bool,
    typed: Callable[[str], str] = as_typed,
) -> int:
    """Print an answer, for people or for programs; `typed` translates hints to options. Returns the exit code.

    `show` gets the envelope with every text escaped for people: what it prints cannot break out of its line.
    """
    if as_json:
        print_body(reply.body)
        return reply.exit_code
    envelope: dict[str, Any] = msgspec.json.decode(reply.body)
    if reply.ok:
        show(show_envelope(envelope), quiet)
    else:
        show_failure(envelope["summary"], typed(envelope["hint"]))
    return reply.exit_code


def _command(found: Tool) -> click.Command:
    properties = found.schema.get("properties", {})

    @click.pass_obj
    def run(state: State, /, as_json: bool, quiet: bool, args: str, **options: str | None) -> int:
        given = {name: _value(text, properties[name]) for name, text in options.items() if text is not None}
        return _call(state, found.name, {**_object(args), **given}, as_json=as_json, quiet=quiet)

    told = describe_arguments(found)
    command = click.Command(found.name, callback=run, help=found.about, params=list(_common_params()))
    for name, about in properties.items():
        command.params.append(click.Option([f"--{name.replace('_', '-')}"], help=_help(told.get(name, ""), about)))
    command.params.append(click.Option(["--args"], default="{}", help="All arguments, as one JSON object."))
    return command


def _common_params() -> list[click.Parameter]:
    holder: Any = common(lambda: None)
    params: list[click.Parameter] = holder.__click_params__
    return params


def _unknown(name: str) -> click.Command:
    @click.pass_obj
    def run(state: State, as_json: bool, quiet: bool, rest: tuple[str, ...]) -> int:
        return _call(state, name, {}, as_json=as_json, quiet=quiet)

    settings = {"ignore_unknown_options": True}
    params = [*_common_params(), click.Argument(["rest"], nargs=-1)]
    return click.Command(name, callback=run, params=params, context_settings=settings)


def _call(state: State, name: str, arguments: dict[str, Any], *, as_json: bool, quiet: bool) -> int:
    workspaces = Workspaces(state.start, create=False)
    try:
        reply = answer(caller_of(workspaces), name, arguments)
    finally:
        workspaces.close()
    data = msgspec.json.decode(reply.body).get("data")

    def show(envelope: dict[str, Any], quiet: bool) -> None:
        click.echo(envelope["summary"])
        if not quiet:
            print_json(data)  # as a program reads it

    return finish(reply, show, as_json=as_json, quiet=quiet)


def _object(args: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(readable(args), type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise InvalidInput(f"not JSON: {error}", "Quote the JSON for your shell.") from error


def _value(text: str, about: dict[str, Any]) -> Any:
    """An option as its parameter takes it: text as it stands, anything else as JSON where it is JSON."""
    if about.get("type") == "string":
        return readable(text)
    try:
        return msgspec.json.decode(readable(text))
    except msgspec.DecodeError as error:
        if text[:1] in ("[", "{"):
            raise InvalidInput(f"not JSON: {error}", "Quote the JSON for your shell.") from error
        return readable(text)


def _help(told: str, schema: dict[str, Any]) -> str:
    """The type of a parameter, unless it is any text, whether it is required, and its default; for parameters of all
    tools, their description."""
    if told:
        default = schema.get("default")
        shown = f"  [default: {str(default).lower()}]" if default and isinstance(default, str | int | float) else ""
        return f"{told.removeprefix('string: ')}{shown}"
    either = [schema, *schema.get("anyOf", ())]
    return next((str(one["description"]) for one in either if "description" in one), "")
