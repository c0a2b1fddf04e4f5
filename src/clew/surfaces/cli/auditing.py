"""Lists the secrets that indexing replaced: their places and kinds, never their text."""

from collections import Counter

import click

from clew.engine import Engine
from clew.surfaces.cli.output import print_json
from clew.surfaces.cli.state import State, common
from clew.text.escaping import line


@click.command()
@click.option("--kind", "kinds", multiple=True, help="Only this kind: password, token, github, private-key …")
@common
@click.pass_obj
def secrets(state: State, kinds: tuple[str, ...], as_json: bool, quiet: bool) -> None:
    """List the secrets that were replaced before indexing: file, line, kind and digest.

    The secrets themselves are not stored and not shown. Equal secrets have equal digests. If a value is not a secret,
    add "digest:" and its digest to security.secret_allow in your own configuration.
    """
    with Engine.open(state.start, create=False) as engine:
        engine.require_index()
        engine.refresh()
        enabled = engine.config.security.scrub_secrets
        found = [
            {"file_path": path, "line": one.line, "kind": one.kind, "digest": one.digest}
            for path, redactions in engine.files.all_redactions()
            for one in redactions
            if not kinds or one.kind in kinds
        ]
    counts = Counter(str(one["kind"]) for one in found)
    if as_json:
        print_json(
            {"scrub_secrets": enabled, "total": len(found), "kinds": dict(sorted(counts.items())), "items": found}
        )
        return
    for one in found:
        click.echo(line(f"{one['file_path']}:{one['line']}  {one['kind']}  {one['digest']}"))
    if not quiet:
        listed = ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
        click.echo(f"{len(found)} replaced{f': {listed}' if listed else ''}", err=True)
        if not enabled:
            click.echo("security.scrub_secrets is off: nothing is replaced.", err=True)
