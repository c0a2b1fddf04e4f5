"""Settings, shown; and completion for shells."""

import os

import click

from clew.model.errors import InvalidInput
from clew.runtime import context_file
from clew.runtime.config import describe
from clew.runtime.place import find_place
from clew.runtime.values import to_literal
from clew.surfaces.cli.output import print_json, warn
from clew.surfaces.cli.state import State, common
from clew.text.escaping import line


@click.command()
@click.argument("key", required=False)
@common
@click.pass_obj
def config(state: State, key: str | None, as_json: bool, quiet: bool) -> None:
    """Show every setting, or those below KEY: its value, and where it comes from."""
    place = find_place(state.start, os.environ, state.options)
    entries = [e for e in describe(place.settings) if not key or e.key == key or e.key.startswith(f"{key}.")]
    if key and not entries:
        raise InvalidInput(f"no setting {key!r}", "`clew config` lists them all.")
    if as_json:
        print_json(entries)
        return
    width = max(len(entry.key) for entry in entries)
    for entry in entries:
        is_default = entry.origin == "default"
        origin = click.style(f"  ({entry.origin})", fg=None if is_default else "cyan", dim=is_default)
        ignored = line(f"  {context_file.FILE_NAME} is not trusted, and its value is ignored: {entry.ignored}")
        ignored = click.style(ignored, fg="yellow") if entry.ignored else ""
        click.echo(f"{entry.key:{width}}  {line(to_literal(entry.value))}{origin}{ignored}")
    if not quiet:
        for warning in place.warnings:
            warn(warning)


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@common
def completion(shell: str, as_json: bool, quiet: bool) -> None:
    """Print the completion script of SHELL. For bash: eval "$(clew completion bash)"."""
    from click.shell_completion import get_completion_class

    from clew.surfaces.cli import cli

    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(cli, {}, "clew", "_CLEW_COMPLETE").source())
