"""Examines a project: git, settings, permissions of Clew's files, the disk, the database and its users.

Nothing is changed, and nothing is made: a project without an index stays without one.
"""

import os
import re
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

from clew.model.errors import ClewError, IndexMissing
from clew.model.health import HealthCheck, HealthState
from clew.runtime import git_process, ownership, user_key
from clew.runtime.clock import now
from clew.runtime.guard import guard
from clew.runtime.place import ProjectPaths, find_place
from clew.runtime.trust import FOLDER as ACCEPTED
from clew.store import heads, sealing
from clew.store.checkouts import Checkouts
from clew.store.database import Database, Where
from clew.store.digests import check_rows
from clew.store.jobs import FileErrors
from clew.store.leases import INDEXING, Leases
from clew.store.opening import Store, open_to_read
from clew.store.transactions import RUNNING, Transactions

_MEGABYTE = 1_000_000
_SPARE = 200 * _MEGABYTE  # that should be free beside a second database
CHECKS_OWNERS = (2, 35, 2)  # from this version on, git refuses repositories of other users
STOPS_LAZY_FETCHES = (2, 44, 0)
_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")
_OTHERS_WRITE, _OTHERS_READ = stat.S_IWGRP | stat.S_IWOTH, stat.S_IRGRP | stat.S_IROTH
_SHARED_ROLE = (
    "Everyone who connects as {role} can open every project of this database, write under any agent name, and read and "
    "change the preferences of all users of {role}. Row-level security protects projects against mistakes, not against "
    "people who run their own SQL as {role}"
)


def examine(start: Path, environ: Mapping[str, str] = os.environ) -> tuple[HealthCheck, ...]:
    """All checks of the project that holds `start`, in a fixed order."""
    found = [_git(start)]
    try:
        place = find_place(start, environ)
    except ClewError as error:
        return (*found, _fault("project", error.message, error.hint))
    return (*found, *_trust(place), *_files(place), _disk(place), *_server(place), *_store(place))


def _git(start: Path) -> HealthCheck:
    try:
        said = git_process.run(start, "version").stdout.decode("utf-8", "replace").strip()
    except git_process.Refused as error:
        return _make_warning(
            "git", f"git is not started here: {error}", "Nothing of the project's past is known until then."
        )
    except OSError:
        return _make_warning(
            "git", "git cannot be started", "Install git: without it, the project's history is unknown."
        )
    match = _VERSION.search(said)
    version = tuple(int(part or 0) for part in match.groups()) if match else (0, 0, 0)
    if version < CHECKS_OWNERS:
        return _make_warning("git", f"{said} does not check who owns a repository", "Install a newer git.")
    if version < STOPS_LAZY_FETCHES:
        return _note("git", f"{said}; fetches are stopped by closed protocols, not by GIT_NO_LAZY_FETCH (2.44)")
    return _ok("git", said)


def _trust(place: ProjectPaths) -> Iterator[HealthCheck]:
    """The settings that the project brings, and those that this user has accepted."""
    folder = place.settings.folder
    if folder.refused:
        hint = "Take over its memory with `clew import --review`; accept it as it is with `clew trust`."
        yield _make_warning("marker", f"{folder.shipped} is not read: {folder.refused}; {folder.path} is used", hint)
    elif (folder.path / ownership.MARKER).exists():
        yield _ok("marker", f"{folder.path} was made by this user on this machine")
    elif folder.path.exists() and any(folder.path.iterdir()):
        yield _note("marker", f"{folder.path} has no marker: storage.trust_index is set, so any index there is used")
    else:
        yield _ok("marker", f"{folder.path} does not exist yet")
    ignored = [notice for notice in place.settings.notices if notice != folder.notice]
    for notice in ignored:
        yield _make_warning("settings", notice, "Review them with `clew trust`.")
    if not ignored:
        yield _ok("settings", "no setting of the repository is ignored")


def _files(place: ProjectPaths) -> Iterator[HealthCheck]:
    """Permissions of the files that Clew relies on."""
    for name, file, is_secret in own_files(place):
        yield _permissions(name, file, is_secret=is_secret)


def own_files(place: ProjectPaths) -> list[tuple[str, Path, bool]]:
    """The files and folders that Clew relies on and that exist, and whether nobody else may read them."""
    files = {
        "folder": place.folder,
        "database file": place.database if not place.url else None,
        "user data": place.user_data,
        "key": place.user_data / user_key.KEY,
        "trust store": place.user_data / ACCEPTED,
    }
    return [(name, file, name == "key") for name, file in files.items() if file is not None and os.path.lexists(file)]


def _disk(place: ProjectPaths) -> HealthCheck:
    """A rebuild writes a database anew beside the old one."""
    folder = next((one for one in (place.folder, *place.folder.parents) if one.is_dir()), place.root)
    try:
        free = shutil.disk_usage(folder).free
        size = 0 if place.url or not place.database.exists() else place.database.stat().st_size
    except OSError as error:
        return _fault("disk", f"{folder} cannot be examined: {error.strerror}")
    if not os.access(folder, os.W_OK):
        return _make_warning("disk", f"{folder} cannot be written", "Nothing is indexed or remembered until it can be.")
    told = f"{free // _MEGABYTE:,} MB are free on the disk of {folder}"
    if free < size + _SPARE:
        return _make_warning(
            "disk", told, f"Free {(size + _SPARE) // _MEGABYTE:,} MB: a rebuild writes the database anew."
        )
    return _ok("disk", told)


def _permissions(name: str, file: Path, *, is_secret: bool) -> HealthCheck:
    try:
        found = file.lstat()
    except OSError as error:
        return _fault(name, f"{file} cannot be examined: {error.strerror}")
    if stat.S_ISLNK(found.st_mode):
        return _make_warning(name, f"{file} is a link", "Replace the link by the file itself.")
    if os.name != "posix":
        return _ok(name, f"{file}; its permissions are not examined on this system")
    mode = f"{file} (mode {stat.S_IMODE(found.st_mode):o})"
    if found.st_uid != os.getuid():
        return _make_warning(name, f"{mode} belongs to another user", f"Take ownership: chown {os.getuid()} {file}")
    if found.st_mode & stat.S_IWOTH or (is_secret and found.st_mode & (_OTHERS_WRITE | _OTHERS_READ)):
        what = "read or written" if is_secret else "written"
        return _fault(name, f"{mode} can be {what} by other users of this machine", f"Run: chmod go-rwx {file}")
    if found.st_mode & stat.S_IWGRP:
        return _make_warning(
            name, f"{mode} can be written by its group", f"Unless the group is you alone: chmod g-w {file}"
        )
    if found.st_mode & _OTHERS_READ:
        return _note(name, f"{mode} can be read by other users of this machine, as far as its folders allow it")
    return _ok(name, mode)


def _server(place: ProjectPaths) -> Iterator[HealthCheck]:
    """The callers that `clew serve` would accept as configured."""
    server, host = place.settings.config.server, place.settings.config.engine.host
    try:
        tokens = guard(host, server.token, (), (), server.user_tokens).tokens
    except ClewError as error:
        yield _fault("clew serve", error.message, error.hint)
        return
    if not tokens:
        yield _note("clew serve", f"on {host}, every user and program of this machine may call it: no token is set")
    elif server.token and not server.user_tokens:
        hint = "Give each user a token in server.user_tokens."
        yield HealthCheck(
            "clew serve", HealthState.NOTE, "every client with server.token acts as the user who runs the server", hint
        )
    else:
        yield _ok("clew serve", f"{len(tokens)} tokens are set")


def _store(place: ProjectPaths) -> Iterator[HealthCheck]:
    try:
        store = open_to_read(place)
    except IndexMissing as error:
        yield _note("database", error.message, error.hint)
        return
    except ClewError as error:
        yield _fault("database", error.message, error.hint)
        return
    with closing(store.db):
        try:
            yield from _contents(place, store)
        except ClewError as error:
            yield _fault("database", error.message, error.hint)


def _contents(place: ProjectPaths, store: Store) -> Iterator[HealthCheck]:
    if place.url:
        yield _role(store)
    faults = store.db.check()
    for fault in faults[:3]:
        yield _fault("database", fault, "Run `clew rebuild`: it keeps what agents wrote." if not place.url else "")
    if not faults:
        yield _ok("database", f"schema {store.db.schema}; the engine finds no fault")
    rows = check_rows(store.db, store.identity.where.project)
    for table, count in rows.damaged.items():
        hint = "Restore it from a backup. Until then it is reported as damaged, and not quoted."
        yield _fault("damaged rows", f"{count} of {table}: what is stored does not match its checksum", hint)
    if not rows.damaged:
        yield _ok("damaged rows", "none: agents' records match their checksums")
    if rows.unverified:
        told = ", ".join(f"{count} of {table}" for table, count in rows.unverified.items())
        yield _note(
            "rows without a checksum",
            f"{told}: written by an older Clew, erased or recovered; damage there is not noticed",
        )
    yield from _runs(store)
    folder = heads.folder(place.snapshots, store.identity.where)
    name = heads.read(folder).name
    if name and not sealing.is_whole(folder / f"{name}{heads.SUFFIX}"):
        yield _make_warning("snapshot", "it does not match its checksum, and is not used", "Run `clew index`.")
    else:
        yield _ok("snapshot", "it matches its checksum" if name else "there is none yet")


def _runs(store: Store) -> Iterator[HealthCheck]:
    where = store.identity.where
    if holder := Leases(store.db, where).holder(INDEXING, now()):
        yield _note("lease", f"{holder} indexes this tree now")
        return
    yield _ok("lease", "no process indexes this tree")
    unfinished = unfinished_work(store.db, where)
    if unfinished:
        yield _make_warning("index", "; ".join(unfinished), "Run `clew index`, or `clew doctor --repair`.")
    else:
        yield _ok("index", "the last run ended, all files were read, and all are linked")


def unfinished_work(db: Database, where: Where) -> list[str]:
    """Work that the next index run has to finish or retry. Meaningful only while no run is active."""
    latest = Transactions(db, where).latest(1)
    failed = len(FileErrors(db, where).all())
    found = ["the last run was interrupted"] if latest and latest[0].status == RUNNING else []
    found += ["not all files are linked"] if latest and not Checkouts(db).state(where).linked else []
    return found + ([f"{failed} files could not be read (clew jobs errors)"] if failed else [])


def _role(store: Store) -> HealthCheck:
    role = str(next(iter(store.db.query("session_role")))["role"])
    hint = "For private data, give each person a database role, or use another database: docs/fleet.md."
    return _note("database role", f"connected as {role}. {_SHARED_ROLE.format(role=role)}.", hint)


def _ok(name: str, finding: str) -> HealthCheck:
    return HealthCheck(name, HealthState.OK, finding)


def _note(name: str, finding: str, hint: str = "") -> HealthCheck:
    return HealthCheck(name, HealthState.NOTE, finding, hint)


def _make_warning(name: str, finding: str, hint: str) -> HealthCheck:
    return HealthCheck(name, HealthState.WARNING, finding, hint)


def _fault(name: str, finding: str, hint: str = "") -> HealthCheck:
    return HealthCheck(name, HealthState.FAULT, finding, hint)
