"""What commands share: the project they work in, the options that all of them take, and logging."""

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


def dated(function: F) -> F:
    """The options of a command that can answer about another time."""
    known = click.option(
        "--known-as-of", default="", help="With only what the index knew at this time, named likewise."
    )(function)
    return click.option(
        "--as-of",
        default="",
        help='Answer as of an ISO time, "3 days ago", a commit, tag, branch, HEAD~30 or transaction.',
    )(known)


def times(options: Mapping[str, Any]) -> dict[str, str]:
    """The arguments that `dated` options give."""
    return {name: readable(options[name]) for name in ("as_of", "known_as_of") if options[name]}


def readable(text: str) -> str:
    """An argument as text: bytes that are not UTF-8 arrive as lone surrogates, which no answer can hold."""
    return text.encode("utf-8", "replace").decode()


def from_root(state: State, pattern: str) -> str:
    """A path that is there, or begins with a dot, seen from where the user stands, as the index names it; others stay.

    So does nothing: of a variable that a shell has not set, the whole project is not what is meant.
    """
    here, root = (state.start / pattern).resolve(), paths.find_root(state.start)
    is_meant = pattern and (here.exists() or pattern.startswith(("./", "../")))
    return paths.inside(root, here).relative_to(root).as_posix() if is_meant else pattern


class PlainLines(logging.Formatter):
    """A record in a line: what it quotes, such as the name of a file, starts no other."""

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
    """The project's, if it has any that can be read, and what is to be told of the project to whoever asks.

    What is wrong with its settings, the command itself reports.
    """
    from clew.runtime.place import find_place  # not needed for help, which should be quick
    from clew.runtime.settings import Log

    try:
        place = find_place(start, os.environ)
    except ClewError:
        return Log(), ()
    return place.settings.config.log, place.notices
