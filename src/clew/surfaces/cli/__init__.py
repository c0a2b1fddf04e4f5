"""The command line: commands are loaded when they are called, so that help and short commands stay quick."""

import errno
import gc
import logging
import os
import signal
import sys
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from clew import __version__
from clew.model.errors import ClewError, InvalidInput
from clew.runtime.paths import PART_VARIABLE, WHOLE
from clew.surfaces.cli.output import guard_terminal, leave_stdout, report_error, warn
from clew.surfaces.cli.state import State, configure_logging, log_settings

# Name, module, and the line that `clew --help` shows; the module is imported only when the command runs.
COMMANDS = {
    "init": ("installing", "Set up Claude Code, Codex, Cursor and other coding clients."),
    "uninstall": ("installing", "Take what `clew init` wrote out of the clients' files again."),
    "prime": ("hooking", "Orient a new session: claims, tasks, what is known, where things are."),
    "hook": ("hooking", "Answer a hook of a coding client; `clew init` writes these."),
    "index": ("indexing", "Update the index from the files."),
    "rebuild": ("jobbing", "Read every file again, or some; history is kept."),
    "jobs": ("jobbing", "List rebuilds and refreshes, follow and cancel them."),
    "embed": ("models", "Make the vectors that are missing, or forget those of a model."),
    "summarize": ("models", "Let a configured model write a sentence about each symbol."),
    "search": ("searching", "Find the code and text that best answer a question."),
    "pack": ("packing", "Brief a task as text: where to start, what to read."),
    "status": ("searching", "Show whether the index is ready, and what it holds."),
    "slice": ("graph", "Show the exact lines of a symbol, who calls it and what it calls."),
    "context-pack": ("artifacts", "Keep context as a JSON artifact: make, write or read it."),
    "explain": ("graph", "Explain what a symbol or file is, what it needs and who uses it."),
    "callers": ("graph", "List who calls a symbol, one line each."),
    "refs": ("graph", "List every place that refers to a symbol, one line each."),
    "impact": ("changing", "Show what a change affects: code, tests, claims of others."),
    "tests": ("changing", "Choose the tests to run for a change, each with the reason."),
    "diff": ("history", "Show what changed between two times, symbol by symbol."),
    "log": ("history", "Show the commits that changed a symbol, through renames and moves."),
    "blame": ("history", "Show who wrote each line of a symbol, and in which commit."),
    "history": ("history", "Import the past of files and symbols from git's commits."),
    "transactions": ("history", "List the runs that wrote to the graph, and what they changed."),
    "services": ("services", "Show the services of a system and how they talk, or draw them."),
    "compact": ("storage", "Remove old versions from the record; what agents wrote stays."),
    "arch": ("architecture", "Check which parts may depend on which, or draw the layers."),
    "map": ("overview", "Show the repository on one page, as text or SVG."),
    "patterns": ("overview", "Find cycles, dead or duplicate code, hotspots, and code like a piece."),
    "query": ("overview", "Ask the graph in Cypher, SQL or words."),
    "communities": ("overview", "List the main parts of the project, or those that answer a question."),
    "graph": ("graph", "Print the graph for other programs, or draw a part of it."),
    "claims": ("fleet", "Show claims, or claim and release files, symbols and tasks."),
    "tasks": ("fleet", "Show the tasks of a project, and add, take, change or complete one."),
    "recall": ("knowledge", "Answer a question from all that is remembered."),
    "remember": ("knowledge", "Keep a text and what it says."),
    "knowledge": ("knowledge", "Record and read entities, events, causes and facts."),
    "memory": ("remembering", "List, add, recall and show what agents remember."),
    "eval": ("evaluation", "Measure how well questions find code, on a repository's own history."),
    "migrate": ("storage", "Move the project into another database."),
    "export": ("storage", "Write everything that cannot be derived again as JSON lines."),
    "backup": ("storage", "Make, list, check and restore backups."),
    "forget": ("storage", "Erase memory or files for good, everywhere, with a receipt."),
    "key": ("encryption", "Make a key for the encryption of .clew/."),
    "encrypt": ("encryption", "Encrypt an existing .clew/, or decrypt it again."),
    "gc": ("storage", "Remove what belongs to working trees that are gone."),
    "report": ("reporting", "Show what Clew was asked, how fast it was, and what it saved."),
    "mcp": ("serving", "Serve one MCP client over standard input and output."),
    "watch": ("indexing", "Keep the index current as files change."),
    "serve": ("serving", "Serve HTTP and MCP on this machine."),
    "token": ("serving", "Make a token for `clew serve`, with a scope."),
    "tool": ("calling", "Call any tool by name; see `clew tool --help`."),
    "doctor": ("doctor", "Examine git, trust, permissions, the database and the clients."),
    "config": ("settings", "Show every setting and where its value comes from."),
    "secrets": ("auditing", "List the secrets that were replaced, without showing them."),
    "trust": ("settings", "Review and accept settings of a repository that reach outside it."),
    "import": ("reviewing", "Restore an export; or review what another index remembers."),
    "validate-config": ("boundary", "Check the configuration and what it would index."),
    "list-indexable": ("boundary", "List the files that would be indexed, or why others are not."),
    "check-file": ("boundary", "Show whether a file would be indexed, and why."),
    "project-stats": ("boundary", "Count files by directory, language and exclusion reason."),
    "completion": ("settings", "Print the completion script for your shell."),
}

QUIET = f"{__name__}.quiet"


class Lazy(click.Group):
    """A group that knows its commands by name before it loads them."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = import_module(f"clew.surfaces.cli.{COMMANDS[name][0]}")
        command: click.Command = getattr(module, f"{name}_" if name in ("import", "map") else name.replace("-", "_"))
        return command

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        context.meta[QUIET] = not {"-q", "--quiet"}.isdisjoint(args)  # an option of the command, which comes later
        return super().parse_args(context, args)

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and (near := _near(args[0])):
            raise click.UsageError(f"No such command {args[0]!r}. Did you mean {near!r}?", context)
        return super().resolve_command(context, args)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])


def _near(name: str) -> str:
    """A command, or a tool: agents know those by name."""
    from clew.tools import TOOLS  # only who errs needs it

    tool = name.replace("-", "_")
    return f"tool {tool}" if tool in TOOLS else next(iter(get_close_matches(name, COMMANDS, n=1)), "")


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="clew")
@click.option("-C", "--directory", default=".", help="Work in this project rather than the current directory.")
@click.option("--project", help="Answer about this project of [projects]; * is the whole workspace.")
@click.option("--log-level", type=click.Choice(["debug", "info", "warning", "error"]), help="Log level on stderr.")
@click.option("--log-format", type=click.Choice(["text", "json"]), help="How to log.")
@click.pass_context
def cli(
    context: click.Context, directory: str, project: str | None, log_level: str | None, log_format: str | None
) -> None:
    """The right context for coding agents, in the fewest tokens.

    Exit codes: 0 success, 1 internal error, 2 invalid input, 3 not found, 4 conflict, 5 denied,
    6 unavailable, 7 files could not be read, 130 interrupted.
    """
    if project:  # also for the processes that this one starts
        os.environ[PART_VARIABLE] = "" if project == WHOLE else project
    context.obj = State(directory, log_level, log_format)
    settings, notices = log_settings(context.obj.start)
    configure_logging(settings, log_level, log_format)
    if not context.meta[QUIET]:
        _warn_of_variables()
        for notice in notices:
            warn(notice)
    if "NO_COLOR" in os.environ:
        context.color = False


def _warn_of_variables() -> None:
    """Of those that are set and mean nothing: a misspelt one would be missed in silence."""
    from clew.runtime import environment  # not needed for help, which should be quick

    with suppress(ClewError):  # what is wrong with a value, the command itself will say
        for warning in environment.read(os.environ).warnings:
            warn(warning)


def main(arguments: list[str] | None = None) -> None:
    """Run a command and exit with its code. A fault of Clew's own is one line, not a traceback."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy would start threads that nothing here uses
    if hasattr(signal, "SIGTERM"):
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # being asked to stop loses as little as Ctrl-C
    guard_terminal()
    code = _run(sys.argv[1:] if arguments is None else arguments)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is done: an end that is cut short would only say so
    gc.freeze()  # what is left at the end goes with the process
    sys.exit(code)


def _usage_error(error: click.ClickException) -> ClewError:
    """A usage error of click, for readers of JSON."""
    context = getattr(error, "ctx", None)
    return InvalidInput(
        error.format_message(), f"`{context.command_path if context else 'clew'} --help` shows the usage."
    )


def _run(arguments: list[str]) -> int:
    as_json = "--json" in arguments
    try:
        result: Any = cli.main(arguments, prog_name="clew", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except SystemExit:  # click's word for a pipe whose reader has gone
        return 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        if as_json:
            return report_error(_usage_error(error), as_json=True)
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted: what was done is kept; run the command again to go on", err=True)
        return 130
    except BrokenPipeError:  # the reader of a pipe has seen enough
        leave_stdout()
        return 0
    except ClewError as error:
        return report_error(error, as_json=as_json)
    except Exception as error:
        logging.getLogger("clew").debug("fault", exc_info=True)
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            leave_stdout()
            return report_error(ClewError(f"{error.strerror}", "Make room, or write elsewhere."), as_json=False)
        return report_error(ClewError(f"{type(error).__name__}: {error}"), as_json=as_json)
