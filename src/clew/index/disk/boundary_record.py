"""The record of the project's boundary: which settings decided what is indexed, and when they changed."""

from pathlib import Path

import msgspec
from blake3 import blake3
from msgspec import Struct

from clew.runtime.place import MAIN
from clew.runtime.plain import open_own, read_own
from clew.runtime.settings import Config

_SECTIONS = ("watcher", "indexing")
_OTHERS = frozenset({"enabled", "in_mcp", "debounce_ms", "polling"})  # of the watcher, that do not choose files


class BoundaryChange(Struct, frozen=True):
    """The settings that changed, as JSON text; of the first record, all."""

    at: str
    changed: dict[str, str]


def read(folder: Path, tree: str) -> list[BoundaryChange]:
    """All that was recorded, the oldest first; a line that is not whole is left out."""
    try:
        lines = read_own(_file(folder, tree)).splitlines(keepends=True)
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            found.append(msgspec.json.decode(line, type=BoundaryChange))
        except msgspec.MsgspecError:
            continue
    return found


def note(folder: Path, tree: str, config: Config, at: str) -> BoundaryChange | None:
    """Record what changed since the last record, if anything did."""
    before: dict[str, str] = {}
    for one in read(folder, tree):
        before |= one.changed
    now = _settings(config)
    changed = {name: value for name, value in now.items() if before.get(name) != value}
    if not changed:
        return None
    change = BoundaryChange(at, changed)
    with open_own(_file(folder, tree), "ab") as file:
        file.write(msgspec.json.encode(change) + b"\n")
    return change


def _settings(config: Config) -> dict[str, str]:
    return {
        f"{section}.{name}": msgspec.json.encode(value).decode()
        for section in _SECTIONS
        for name, value in msgspec.structs.asdict(getattr(config, section)).items()
        if name not in _OTHERS
    }


def _file(folder: Path, tree: str) -> Path:
    """Each working tree has its own."""
    name = "" if tree == MAIN else f"-{blake3(tree.encode()).hexdigest()[:12]}"
    return folder / f"boundary{name}.jsonl"
