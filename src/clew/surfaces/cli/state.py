"""Shared parts of all commands: the project, the common options, and logging."""

import logging
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from msgspec import Struct

from clew.model.errors import ClewError
from clew.runtime import paths
from clew.text.escaping import line

if TYPE_CHECKING:
    from clew.runtime.keys import SettingsLayer
    from clew.runtime.settings import Log

F = TypeVar("F", bound=Callable[..., Any])


class State(Struct, frozen=True):
    """Where the command works, and the options that come before it."""

    directory: str
    log_level: str | None = None
    log_format: str | None = None

    @property
    def start(self) -> Path:
        return paths.parse_path(self.directory)

    @property
    def options(self) -> "SettingsLayer":
        """The settings that options of the command line give."""
        from clew.runtime.keys import KEYS, SettingsLayer

        named = {"log.level": ("--log-level", self.log_level), "log.format": ("--log-format", self.log_format)}
        given = [KEYS[key].accept(value, f"option {option}") for key, (option, value) in named.items() if value]
        return SettingsLayer(tuple(given), ())


def common(function: F) -> F:
    """The options of every command."""
    with_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)
    return click.option("-q", "--quiet", is_flag=True, help="Print only the result.")(with_json)


def time_options(function: F) -> F:
    """The options of a command that can answer about another time."""
    known = click.option("--known-as-of", default="", help="Use only what the index knew at this time (same forms).")(
        function
    )
    return click.option(
        "--as-of",
        default="",
        help='Answer as of this ISO time, "3 days ago", commit, tag, branch, HEAD~30 or transaction.',
    )(known)


def times(options: Mapping[str, Any]) -> dict[str, str]:
    """The arguments that `time_options` give."""
    return {name: readable(options[name]) for name in ("as_of", "known_as_of") if options[name]}


def readable(text: str) -> str:
    """An argument as text: bytes that are not UTF-8 arrive as lone surrogates, which no answer can hold."""
    return text.encode("utf-8", "replace").decode()


def from_root(state: State, pattern: str) -> str:
    """An existing path, or one that begins with a dot, relative to the root as in the index; others stay.

    An empty text stays, too: an unset shell variable should not mean the whole project.
    """
    here, root = (state.start / pattern).resolve(), paths.find_root(state.start)
    is_meant = pattern and (here.exists() or pattern.startswith(("./", "../")))
    return paths.inside(root, here).relative_to(root).as_posix() if is_meant else pattern


class PlainLines(logging.Formatter):
    """A log record in one line: quoted names of files cannot start another."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - as logging calls it
        record.message = line(record.message)
        return super().formatMessage(record)


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        import json  # few want it

        line = {"level": record.levelname.lower(), "logger": record.name, "message": record.getMessage()}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)


def configure_logging(settings: "Log", level: str | None, style: str | None) -> None:
    """To stderr, always: stdout is for answers. An option wins over the project's settings."""
    handler = logging.StreamHandler(sys.stderr)
    plain = PlainLines("%(levelname)s %(name)s: %(message)s")
    handler.setFormatter(JsonLines() if (style or settings.format) == "json" else plain)
    logging.basicConfig(level=(level or settings.level).upper(), handlers=[handler], force=True)


def log_settings(start: Path) -> "tuple[Log, tuple[str, ...]]":
    """The project's log settings, if they are readable, and its notices.

    Errors in its settings are reported by the command itself.
    """
    from clew.runtime.place import find_place  # not needed for help, which should be quick
    from clew.runtime.settings import Log

    try:
        place = find_place(start, os.environ)
    except ClewError:
        return Log(), ()
    return place.settings.config.log, place.notices
