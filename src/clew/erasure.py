"""Erasure of memory and files for good, with a receipt; and removal of what belongs to working trees that are gone."""

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec import Struct, json
from msgspec.structs import replace

from clew.engine import new_id, now
from clew.ground_state import alone, open_database
from clew.ground_state import back_up as make_backup
from clew.history.kept_differences import FOLDER as DIFFERENCES
from clew.history.views import FOLDER as VIEWS
from clew.model.errors import ClewError, IndexMissing, InvalidInput, NotFound
from clew.model.time import to_iso
from clew.pack.records import Records
from clew.runtime.paths import linked_worktrees
from clew.runtime.place import MAIN, PART_MARK, ProjectPaths, find_place
from clew.store import export_file, heads
from clew.store.database import Database, Where
from clew.store.erasure import Erasure
from clew.store.sqlite import SIDES

_TABLES = (
    "episode",
    "episode_entity",
    "learning",
    "learning_entity",
    "note",
    "knowledge",
    "file_version",
    "blob",
    "vector",
)


class Receipt(Struct, frozen=True):
    """The erased data, and those that remain: each entry of `remaining` says where the data may still be."""

    at: str
    memory: dict[str, int]
    files: tuple[str, ...]
    packs: int
    backups: int
    remaining: tuple[str, ...]
    related_episodes: tuple[str, ...] = ()
    dry_run: bool = False


class Collected(Struct, frozen=True):
    """Working trees whose derived state was removed, as they are gone; and the bytes that became free."""

    checkouts: tuple[str, ...]
    vectors: int
    bytes_freed: int
    dry_run: bool = False


def forget(
    start: Path, ids: Sequence[str] = (), paths: Sequence[str] = (), *, environ: Mapping[str, str] = os.environ
) -> Receipt:
    """Remove memory by id and files by path or pattern from rows, vectors, snapshots, packs and kept backups."""
    place = find_place(start, environ)
    with closing(open_database(place)) as db, alone(db, place):
        with db.transaction():
            done = _erase(db, place, ids, paths)
        packs = Records(place.folder).remove(lambda line: any(_quote(text) in line for text in (*ids, *done.files)))
        remaining = [*_purge(db, place), *_left_in_tree(place, done.files), *_set_aside(place)]
        _drop_copies(place)
        old = export_file.list_backups(place)
    if old:
        make_backup(start, environ)
        for one in old:
            one.path.unlink(missing_ok=True)
    return replace(done, packs=packs, backups=len(old), remaining=tuple(remaining), dry_run=False)


def preview(
    start: Path, ids: Sequence[str] = (), paths: Sequence[str] = (), *, environ: Mapping[str, str] = os.environ
) -> Receipt:
    """The receipt that `forget` would give; nothing is changed."""
    place = find_place(start, environ)
    with closing(open_database(place)) as db:
        try:
            with db.transaction():
                raise _Undone(_erase(db, place, ids, paths))
        except _Undone as undone:
            return undone.receipt


class _Undone(Exception):
    """Rolls a preview back."""

    def __init__(self, receipt: Receipt) -> None:
        self.receipt = receipt


def _erase(db: Database, place: ProjectPaths, ids: Sequence[str], paths: Sequence[str]) -> Receipt:
    """The rows, within a transaction."""
    if not (ids or paths):
        raise InvalidInput("nothing was named to forget", "Name ids of memory, or files: --path PATTERN")
    erasure = Erasure(db, _project(db, place))
    known = erasure.files()
    chosen = _match_paths(known, paths)
    related = dict.fromkeys(one for path in chosen for one in erasure.episodes_about(path) if one not in ids)
    memory = _forget_memory(erasure, ids)
    erasure.forget_files([one for path in chosen for one in known[path]], new_id())
    return Receipt(to_iso(now()), memory, tuple(chosen), 0, 0, (), tuple(related), dry_run=True)


def collect(start: Path, *, dry_run: bool = False, environ: Mapping[str, str] = os.environ) -> Collected:
    """Remove the derived state of working trees that are gone. What agents wrote there stays."""
    place = find_place(start, environ)
    with closing(open_database(place)) as db:
        erasure = Erasure(db, _project(db, place))
        gone = {name: where for name, where in erasure.checkouts().items() if _is_gone(place, name)}
        if dry_run:
            return Collected(tuple(gone), 0, 0, True)
        before = _size(place, db)
        with alone(db, place):
            with db.transaction():
                for where in gone.values():
                    erasure.drop_checkout(where)
                vectors = erasure.drop_unused()
            for where in gone.values():
                shutil.rmtree(heads.folder(place.snapshots, where), ignore_errors=True)
            _drop_strays(place, erasure.checkouts().values())
            if db.dialect == "sqlite" and (gone or vectors):
                with suppress(ClewError):  # somebody reads: the room is used again all the same
                    db.define("VACUUM")
        return Collected(tuple(gone), vectors, max(0, before - _size(place, db)))


def _forget_memory(erasure: Erasure, ids: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for one in ids:
        done = erasure.forget_memory(one)
        if not done:
            raise NotFound(f"no episode, learning, note or knowledge has the id {one!r}", "List them: clew memory list")
        for table, count in done.items():
            counts[table] = counts.get(table, 0) + count
    return counts


def _match_paths(known: Iterable[str], patterns: Sequence[str]) -> list[str]:
    """Recorded paths that are named, lie in a named folder, or match a pattern."""
    chosen: dict[str, None] = {}
    for pattern in patterns:
        name = pattern.removeprefix("./").rstrip("/")
        found = [path for path in known if path == name or path.startswith(f"{name}/") or fnmatchcase(path, name)]
        if not found:
            raise NotFound(f"no recorded file matches {pattern!r}", "Name files as `clew list-indexable` shows them.")
        chosen.update(dict.fromkeys(sorted(found)))
    return list(chosen)


def _project(db: Database, place: ProjectPaths) -> int:
    for row in db.query("project_get", id=place.settings.config.project.id):
        return int(row["project"])
    raise IndexMissing(f"{place.root} has no index")


def _purge(db: Database, place: ProjectPaths) -> list[str]:
    """Free pages and the log hold what was removed until the file is written anew."""
    if db.dialect == "sqlite":
        try:
            db.define("VACUUM")
            db.define("PRAGMA wal_checkpoint(TRUNCATE)")
        except ClewError as error:
            return [f"free pages of {place.database}: {error.message}. Run `clew forget` again when nobody uses it."]
        log = place.database.with_name(f"{place.database.name}{SIDES[0]}")
        if log.exists() and log.stat().st_size:
            return [f"{log}: another process reads it. It is emptied when that process ends."]
        return []
    told = "the server's own backups and log files, which Clew cannot reach"
    try:
        db.define(f"VACUUM {', '.join(_TABLES)}")
    except ClewError as error:
        return [f"dead rows on the server, until it vacuums: {error.message}", told]
    return [told]


def _drop_copies(place: ProjectPaths) -> None:
    """Snapshots, copies of memory, past states, differences: all are derived, and made again when they are needed."""
    above = place.database.parent
    for folder in (place.snapshots, above / VIEWS, above / DIFFERENCES):
        shutil.rmtree(folder, ignore_errors=True)


def _drop_strays(place: ProjectPaths, checkouts: Iterable[Where]) -> None:
    """Snapshots of checkouts that the database does not know."""
    if place.url:
        return
    known = {heads.folder(place.snapshots, where).name for where in checkouts}
    for folder in place.snapshots.glob("*.*"):
        if folder.is_dir() and folder.name not in known and folder.name.replace(".", "").isdigit():
            shutil.rmtree(folder, ignore_errors=True)


def _left_in_tree(place: ProjectPaths, paths: Iterable[str]) -> list[str]:
    return [
        f"{path}: still in the tree, so the next run indexes it again. Delete it, or name it in .contextignore."
        for path in paths
        if (place.root / path).exists()
    ] + ([f"git's history of {place.root.name}, which Clew does not change"] if paths else [])


def _set_aside(place: ProjectPaths) -> list[str]:
    aside = place.database.parent.glob(f"{place.database.name}.damaged-*")
    return [f"{file}: a damaged database that was set aside. Delete it if you do not need it." for file in aside]


def _is_gone(place: ProjectPaths, name: str) -> bool:
    """Whether its folder is gone, or the configuration names no such project in it any more."""
    tree, is_part, part = name.rpartition(PART_MARK)
    if is_part:
        return _is_gone(place, tree) or part not in place.settings.config.projects
    if not place.url:
        trees = {f"worktree:{tree}": root for tree, root in linked_worktrees(place.home).items()}
        return name not in (MAIN, place.tree) and not (name in trees and trees[name].is_dir())
    host, _, rest = name.partition(":")
    root, _, mark = rest.rpartition("#")
    here, _, own = place.names_on_a_server()[place.tree].partition(":")
    return bool(mark) and (host, mark) == (here, own.rpartition("#")[2]) and not Path(root).is_dir()


def _size(place: ProjectPaths, db: Database) -> int:
    files = (file for file in place.snapshots.rglob("*") if file.is_file())
    return db.size() + sum(file.stat().st_size for file in files)


def _quote(text: str) -> bytes:
    """A string as it stands in a pack's record."""
    return json.encode(text)[1:-1]
