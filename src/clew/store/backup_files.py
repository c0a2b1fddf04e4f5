"""Backups that are kept beside the database: compressed exports, named by the time at which they were made."""

import re
import time
from pathlib import Path

from msgspec import Struct

from clew.runtime.place import ProjectPaths

FOLDER = "backups"
_NAME = re.compile(r"\d{8}T\d{12}Z\.jsonl\.zst")


class Backup(Struct, frozen=True):
    name: str
    file: str
    made_at: str
    bytes: int

    @property
    def path(self) -> Path:
        return Path(self.file)


def folder(place: ProjectPaths) -> Path:
    return place.folder / FOLDER


def list_backups(place: ProjectPaths) -> list[Backup]:
    """The newest first."""
    paths = [path for path in folder(place).glob("*.jsonl.zst") if _NAME.fullmatch(path.name)]
    return [describe(path) for path in sorted(paths, reverse=True)]


def path_at(place: ProjectPaths, moment: str) -> Path:
    """The file for a backup that is made at an ISO time with microseconds."""
    return folder(place) / f"{re.sub(r'[-:.Z]', '', moment)}Z.jsonl.zst"


def describe(path: Path) -> Backup:
    day, _, clock = path.name.partition("Z.")[0].partition("T")
    made = f"{day[:4]}-{day[4:6]}-{day[6:]}T{clock[:2]}:{clock[2:4]}:{clock[4:6]}Z"
    return Backup(path.name, str(path), made, path.stat().st_size)


def is_due(place: ProjectPaths) -> bool:
    """Whether the configuration wants a backup that was not made yet."""
    storage = place.settings.config.storage
    if not storage.backup_enabled:
        return False
    newest = max((one.path.stat().st_mtime for one in list_backups(place)), default=0.0)
    return time.time() - newest > storage.backup_interval_hours * 3600
