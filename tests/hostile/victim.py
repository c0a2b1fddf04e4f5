"""Uses Clew in each repository, as people and agents do; runs in the sandbox, by itself.

python victim.py REPOSITORIES RESULTS
"""

import io
import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from clew.surfaces.cli import cli
from clew.surfaces.cli.output import report_error

ALWAYS = (
    ["index"],
    ["pack", "charge a card", "--max-tokens", "4000"],
    ["diff", "HEAD~1"],
    ["tool", "episode_add", "--type", "OBSERVATION", "--content", "Cards are charged once."],
)
# What asks no more of a repository than these, but shows more of it: in some.
ONCE = (
    ["search", "charge a card", "-k", "20"],
    ["impact", "--files", "pay.py"],
    ["list-indexable", "--skipped"],
    ["doctor"],
    ["explain", "charge"],
    ["slice", "charge"],
    ["tests", "--files", "pay.py"],
    ["log", "charge"],
    ["blame", "charge"],
    ["status"],
    ["config"],
    ["memory", "list"],
)
SEEN_WHOLE = (
    *("calls_its_files_names_that_steer", "ships_links_in_its_clew", "links_to_secrets", "signs_its_commits"),
    *("configures_git_to_run_programs", "configures_git_to_read_secrets", "ships_a_clew_that_gives_orders"),
)


def main(repositories: Path, results: Path) -> None:
    said: dict[str, dict[str, list[object]]] = {}
    for root in sorted(repositories.iterdir()):
        os.chdir(root)
        commands = (*ALWAYS, *(ONCE if root.name in SEEN_WHOLE else ()))
        said[root.name] = {" ".join(command): run(command) for command in commands}
    results.write_text(json.dumps(said), "utf-8")


def run(command: list[str]) -> list[object]:
    """The exit code, or the name of a fault, and all that was said."""
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code: object
        try:
            code = cli.main(command, prog_name="clew", standalone_mode=False) or 0
        except BaseException as error:  # noqa: BLE001 - a fault is a finding
            code = fault(error)
    return [code, said.getvalue()]


def fault(error: BaseException) -> object:
    from click import ClickException
    from click.exceptions import Exit

    from clew.model.errors import ClewError

    if isinstance(error, ClewError):
        return report_error(error, as_json=False)
    if isinstance(error, Exit | ClickException):
        return error.exit_code
    return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
