"""What `clew doctor --repair` does: each repair is named in its answer, and nothing that agents wrote is removed."""

import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from clew.engine import Engine
from clew.erasure import collect
from clew.health import own_files, unfinished_work
from clew.model.errors import ClewError, IndexMissing
from clew.projects import mend
from clew.runtime.place import ProjectPaths, find_place
from clew.store import heads, sealing

LEFTOVER_SECONDS = 3600.0  # after which a file that a process was writing is of one that is gone


class Repair(Struct, frozen=True):
    """`done` is false if it was attempted in vain; `finding` says what was changed, or why nothing was."""

    name: str
    done: bool
    finding: str


def repair(start: Path, environ: Mapping[str, str] = os.environ) -> tuple[Repair, ...]:
    """Put right what can be put right without a decision of the user, in a fixed order."""
    place = find_place(start, environ)
    return (
        *_permissions(place),
        *_leftovers(place),
        *_attempt("database", lambda: mend(start, environ)),
        *_index(start, environ),
    )


def _permissions(place: ProjectPaths) -> Iterator[Repair]:
    """Take from other users what they must not do with Clew's files."""
    for name, file, is_secret in own_files(place):
        with suppress(OSError):
            found = file.lstat()
            if os.name != "posix" or stat.S_ISLNK(found.st_mode) or found.st_uid != os.getuid():
                continue
            mode = stat.S_IMODE(found.st_mode)
            allowed = mode & ~(0o077 if is_secret else 0o022)
            if allowed != mode:
                file.chmod(allowed)
                yield Repair(name, True, f"{file}: mode {mode:o} is {allowed:o} now")


def _leftovers(place: ProjectPaths) -> Iterator[Repair]:
    """Files that processes were writing when they ended."""
    for file in sorted(place.folder.rglob("*.part")) if place.folder.is_dir() else ():
        with suppress(OSError):
            if time.time() - file.stat().st_mtime > LEFTOVER_SECONDS:
                file.unlink()
                yield Repair("leftovers", True, f"{file} was removed: the process that wrote it is gone")


def _index(start: Path, environ: Mapping[str, str]) -> Iterator[Repair]:
    """Finish what was interrupted, make a damaged snapshot anew, and remove the state of trees that are gone."""
    try:
        with Engine.open(start, create=False, environ=environ) as engine:
            engine.be_writable()
            unfinished = [*unfinished_work(engine.db, engine.where), *_without_snapshot(engine)]
            if unfinished:
                report = engine.index()
                yield Repair(
                    "index", not report.failed, f"{'; '.join(unfinished)}: an index run read {report.read} files"
                )
                for failure in report.failed:
                    yield Repair("index", False, f"{failure.path} cannot be read: {failure.detail}")
        gone = collect(start, environ=environ)
    except IndexMissing:
        return
    except ClewError as error:
        yield Repair("index", False, f"{error.message}. {error.hint}".strip())
        return
    for tree in gone.checkouts:
        yield Repair("trees", True, f"the derived state of {tree}, which is gone, was removed")


def _without_snapshot(engine: Engine) -> Iterator[str]:
    folder = heads.folder(engine.place.snapshots, engine.where)
    name = heads.read(folder).name
    file = folder / f"{name}{heads.SUFFIX}"
    if name and not sealing.is_whole(file):
        file.unlink(missing_ok=True)
        yield "the snapshot was damaged"


def _attempt(name: str, work: Callable[[], list[str]]) -> Iterator[Repair]:
    try:
        for done in work():
            yield Repair(name, True, done)
    except ClewError as error:
        yield Repair(name, False, f"{error.message}. {error.hint}".strip())
