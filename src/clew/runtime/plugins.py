"""Entry points that installed packages offer to Clew, by group.

Read from the files themselves: every question asks, and `importlib.metadata` alone would take longer than its answer.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from clew.model.errors import PluginFailed

LANGUAGES = "clew.languages"
RETRIEVERS = "clew.retrievers"
EMBEDDERS = "clew.embedders"

_ABOUT = {".dist-info": "METADATA", ".egg-info": "PKG-INFO"}
_DASHES = re.compile(r"[-_.]+")


class Offer(NamedTuple):
    """An entry point: its name, its object, and the package and folder that offer it."""

    name: str
    value: str
    package: str
    version: str
    folder: str


def find_offers(group: str) -> tuple[Offer, ...]:
    """By package and name. The files are read once, and again when something was installed or removed."""
    return _read_offers(group, tuple(_folders()))


def installed_versions(names: Iterable[str]) -> dict[str, str]:
    """The versions of installed packages, by name, from the names of their folders alone."""
    wanted, found = set(names), dict[str, str]()
    for folder, _ in _folders():
        for about in _packages(folder):
            package, _, version = about.rpartition(os.sep)[2].rpartition(".")[0].partition("-")
            name = _DASHES.sub("-", package).lower()
            if name in wanted:
                found.setdefault(name, version)  # the first is the one that is imported
    return found


def load(group: str, offer: Offer) -> Any:
    """The object of an entry point; PluginFailed on any error in it."""
    if offer.folder and offer.folder not in sys.path:  # the process that found it was told to look there
        sys.path.append(offer.folder)
    module, _, attributes = offer.value.partition(":")
    try:
        found = import_module(module)
        for attribute in filter(None, attributes.split(".")):
            found = getattr(found, attribute)
    except (Exception, SystemExit) as error:
        raise failure(group, offer, describe(error)) from error
    return found


def failure(group: str, offer: Offer, reason: str) -> PluginFailed:
    return PluginFailed(f"{offer.package} {offer.version}, {group} {offer.name}: {reason}")


def describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".rstrip(": ")


def _folders() -> Iterator[tuple[str, int]]:
    """Where packages lie, and when each place last changed.

    Not where we stand, which may be the repository: nothing in it may have us run it.
    """
    for folder in filter(None, dict.fromkeys(sys.path)):
        with suppress(OSError):
            if not _is_here(folder):
                yield folder, os.stat(folder).st_mtime_ns  # noqa: PTH116 - on the way of every question


def _is_here(folder: str) -> bool:
    try:
        return os.path.samefile(folder, os.curdir)  # noqa: PTH121 - as above
    except FileNotFoundError:  # one of them was removed
        return False


@lru_cache(maxsize=8)
def _read_offers(group: str, folders: tuple[tuple[str, int], ...]) -> tuple[Offer, ...]:
    by_package: dict[str, list[Offer]] = {}
    for folder, _ in folders:
        for about in _packages(folder):
            offers = _offers(group, about, folder)
            if offers:
                by_package.setdefault(_DASHES.sub("-", offers[0].package).lower(), offers)  # as importing finds it
    return tuple(sorted((one for offers in by_package.values() for one in offers), key=lambda one: (one.package, one)))


def _packages(folder: str) -> list[str]:
    try:
        names = os.listdir(folder)  # noqa: PTH208 - as above
    except OSError:  # a zip
        return []
    return [f"{folder}{os.sep}{name}" for name in sorted(names) if name.endswith(tuple(_ABOUT))]


def _offers(group: str, about: str, folder: str) -> list[Offer]:
    entries = _entries(group, _text(f"{about}{os.sep}entry_points.txt"))
    if not entries:
        return []
    said = _text(f"{about}{os.sep}{_ABOUT[Path(about).suffix]}")
    package, version = _header("Name", said) or Path(about).stem, _header("Version", said)
    return [Offer(name, value, package, version, folder) for name, value in entries]


def _entries(group: str, text: str) -> list[tuple[str, str]]:
    """The lines of one section of an entry_points.txt."""
    found: list[tuple[str, str]] = []
    section = ""
    for line in map(str.strip, text.splitlines() if f"[{group}]" in text else ()):
        if line.startswith("["):
            section = line.strip("[]").strip()
        elif section == group and not line.startswith(("#", ";")):
            name, equals, value = line.partition("=")
            found += [(name.strip(), value.partition("[")[0].strip())] if equals else []
    return found


def _header(name: str, text: str) -> str:
    found = re.search(rf"^{name}: *(.+)$", text.partition("\n\n")[0], re.MULTILINE)
    return found[1].strip() if found else ""


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - as above
            return file.read()
    except OSError:
        return ""
