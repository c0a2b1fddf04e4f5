"""What commands share: the project they work in, the options that all of them take, and logging."""

import json
import logging
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class State:
    directory: str

    @property
    def start(self) -> Path:
        return Path(self.directory).expanduser()


def common(function: F) -> F:
    """The options of every command."""
    with_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)
    return click.option("-q", "--quiet", is_flag=True, help="Print nothing but what was asked for.")(with_json)


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {"level": record.levelname.lower(), "logger": record.name, "message": record.getMessage()}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)


def configure_logging(level: str | None, style: str | None) -> None:
    """To stderr, always: stdout is for answers."""
    style = style or os.environ.get("CLEW_LOG_FORMAT", "text")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if style == "json" else logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    level = (level or os.environ.get("CLEW_LOG_LEVEL", "warning")).upper()
    logging.basicConfig(level=getattr(logging, level, logging.WARNING), handlers=[handler], force=True)
