"""Where a project lies: its root, which of its checkouts this is, and the files that Clew keeps for it."""

import errno
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct, structs

from clew.model.errors import ConfigError, DiskFull, NotFound, StoreReadOnly
from clew.runtime import config, encryption, ownership, paths
from clew.runtime.config import Resolved
from clew.runtime.keys import SettingsLayer
from clew.runtime.plain import read_own

DATABASE = "clew.db"
SNAPSHOTS = "snapshots"
MAIN = "main"  # the checkout that is not a linked worktree
MARK = "checkout"  # holds what tells this tree from one at the same path of a host of the same name
MARK_BYTES = 4
MEMORY_NOTE = "-remembers"
PART_MARK = "::"  # between the name of a working tree and that of a project in it
_MOST_MARK = 1024


class ProjectPaths(Struct, frozen=True):
    """`tree` names this working tree among those that share the file, which lies in the main one, `home`.

    `part` is the project of `[projects]` that this is about, which has an index of its own; empty: the whole tree.
    """

    root: Path
    home: Path
    tree: str
    database: Path
    settings: Resolved
    warnings: tuple[str, ...]
    user_data: Path
    refused: str = ""  # why the database is not where the configuration puts it
    part: str = ""
    whole: "ProjectPaths | None" = None  # of a part

    @property
    def notices(self) -> tuple[str, ...]:
        """Notices for every surface."""
        return tuple(filter(None, (*self.settings.notices, self.refused)))

    @property
    def folder(self) -> Path:
        """Where Clew keeps its files for the project; other than the database's where the configuration says so."""
        return self.settings.folder.path

    @property
    def snapshots(self) -> Path:
        return self.database.parent / SNAPSHOTS

    @property
    def url(self) -> str:
        """The server that holds the database; empty if it is the file."""
        return self.settings.config.storage.url

    @property
    def checkout(self) -> str:
        """This working tree's name in the store. On a server, which knows many hosts, projects must have names too."""
        return f"{self._name}{PART_MARK}{self.part}" if self.part else self._name

    @property
    def named_tree(self) -> str:
        """The working tree and, if this is about one, the project in it."""
        return f"{self.tree}{PART_MARK}{self.part}" if self.part else self.tree

    @property
    def _name(self) -> str:
        if not self.url:
            return self.tree
        if not self.settings.config.project.id:
            raise ConfigError(
                "storage.url names a database that projects share, but this project has no name",
                "Set id under [project] in context.toml, the same in every checkout of the project.",
            )
        return self.names_on_a_server()[self.tree]

    def names_on_a_server(self) -> dict[str, str]:
        """The name on a server of each working tree that shares the file, by its name in the file."""
        trees = {f"worktree:{name}": root for name, root in paths.linked_worktrees(self.home).items()}
        roots = {MAIN: self.home, **trees, self.tree: self.root}
        mark = self._mark()
        names = {tree: _name_among_hosts(root, mark) for tree, root in roots.items()}
        return {**names, self.tree: self.settings.config.project.checkout or names[self.tree]}

    def prepare(self) -> None:
        """Make the folder of the database, and mark it as this user's. It ignores itself in git."""
        if self.database.parent == self.folder:
            self.prepare_home()
            return
        _prepare(self.database.parent)
        ownership.mark_database(self.database, self.user_data)

    def has_own_database(self) -> bool:
        """Whether the database is where Clew keeps its files, or is marked as made by Clew."""
        in_folder = self.database.is_relative_to(self.folder)
        return in_folder or ownership.is_marked_database(self.database, self.user_data)

    @property
    def memory_note(self) -> Path:
        """The file that notes that agents have written into the database beside it."""
        return self.database.with_name(f"{self.database.name}{MEMORY_NOTE}")

    def _mark(self) -> str:
        """Made once and kept beside the snapshots; where nothing can be written, host and path must do."""
        file = self.database.parent / MARK
        with suppress(OSError, StoreReadOnly, DiskFull):  # it is there, or cannot be
            if not file.exists():
                self.prepare()
                _make_once(file, os.urandom(MARK_BYTES).hex())
        try:
            return read_own(file, _MOST_MARK).decode("ascii").strip()
        except (OSError, ValueError):
            return ""

    def prepare_home(self) -> Path:
        """The folder for Clew's files, made and marked."""
        _prepare(self.folder, ignored=True)
        ownership.mark(self.folder, self.user_data)
        return self.folder


def _prepare(folder: Path, *, ignored: bool = False) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        ignore = folder / ".gitignore"
        if ignored and not (ignore.exists() and ignore.stat().st_size):  # a full disk leaves it empty
            ignore.write_text("*\n", encoding="utf-8")
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise DiskFull(f"the disk that holds {folder} is full") from error
        if isinstance(error, FileExistsError):
            raise StoreReadOnly(f"{folder} is no directory", "Move it aside: that is where the index goes.") from error
        raise StoreReadOnly(f"{folder} cannot be made: {error.strerror}") from error


def find_place(start: Path, environ: Mapping[str, str], options: SettingsLayer | None = None) -> ProjectPaths:
    """The project that holds `start`, or the part of it that the configuration names. A linked worktree keeps its files
    with the main one's.

    `options` are settings that the command line gives.
    """
    whole = _find_whole(start, environ, options)
    part = whole.settings.config.project.part
    return part_of(whole, part) if part else whole


def _find_whole(start: Path, environ: Mapping[str, str], options: SettingsLayer | None) -> ProjectPaths:
    root = paths.find_root(start)
    # To stand in a home is not to name it: clients start their servers there, and know nothing of it.
    meant = start.is_absolute() or (root / paths.HOME).is_dir()
    warning = paths.guard(root, named=meant and start.resolve() == root)
    settings = config.load(root, environ, options)
    home, worktree = paths.worktree_home(root)
    configured = settings.config.storage.db_path
    database, refused = _database(root, home, settings, paths.user_data(environ))
    name = f"worktree:{worktree}" if worktree else MAIN
    foreign = (
        "" if database.is_relative_to(home) or not configured else f"the index lies outside of the project: {database}"
    )
    _unlock(settings, database)
    warnings = tuple(filter(None, [warning, foreign, *settings.warnings, *settings.notices, refused]))
    return ProjectPaths(root, home, name, database, settings, warnings, paths.user_data(environ), refused)


def part_of(place: ProjectPaths, name: str) -> ProjectPaths:
    """One of the projects that `[projects]` names within a workspace."""
    config = place.settings.config
    if name not in config.projects:
        known = ", ".join(config.projects) or "none"
        raise NotFound(f"[projects] names no project {name!r}", f"Those that are named: {known}.")
    rules = config.projects[name]
    if not rules.watch_paths:
        raise ConfigError(f"projects.{name} has no watch_paths", "List the directories that belong to it.")
    ignored = (*config.watcher.ignore_patterns, *rules.ignore_patterns)
    watcher = structs.replace(config.watcher, watch_paths=rules.watch_paths, ignore_patterns=ignored)
    changed = structs.replace(place.settings, config=structs.replace(config, watcher=watcher))
    return structs.replace(place, settings=changed, part=name, whole=place)


def _unlock(settings: Resolved, database: Path) -> None:
    """Raise if the project is encrypted, or is to be, and cannot be."""
    folder, config = settings.folder.path, settings.config
    encryption.unlock(folder, config.security)
    encryption.agents_cipher(config.memory.agent_key)  # a key that cannot be used is reported at the start
    if not config.security.encrypt_db:
        return
    if config.storage.url:
        hint = "Encrypt the server's disk, and leave encrypt_db out."
        raise ConfigError("security.encrypt_db does not reach a database on a server", hint)
    if not database.is_relative_to(folder):
        raise ConfigError(f"security.encrypt_db does not reach {database}", f"Put db_path into {folder}.")


def _database(root: Path, home: Path, settings: Resolved, user_data: Path) -> tuple[Path, str]:
    """Where the database is, and why it is not where the configuration puts it; mostly empty.

    One that somebody else put into the project is not opened.
    """
    configured, folder = settings.config.storage.db_path, settings.folder
    if not configured:
        return folder.path / DATABASE, ""
    database = (root / configured).resolve()
    if _is_within(database, [folder.shipped]):
        return folder.path / database.relative_to(folder.shipped), ""
    if settings.config.storage.trust_index or not _is_within(database, (root, home)):
        return database, ""
    refused = ownership.why_database_refused(database, user_data)
    instead = folder.path / DATABASE
    return (instead, f"{database} is not read, because {refused}: {instead} is used.") if refused else (database, "")


def _is_within(path: Path, folders: Iterable[Path]) -> bool:
    return any(path.is_relative_to(folder.resolve()) for folder in folders)


def _name_among_hosts(root: Path, mark: str) -> str:
    """A tree's name in a store that hosts share: readable, and never that of another tree."""
    import socket  # only where a server is named

    return f"{socket.gethostname()}:{root.as_posix()}#{mark}"


def _make_once(file: Path, text: str) -> None:
    """Written whole or not at all; of several concurrent processes, the first one wins."""
    part = file.with_name(f"{file.name}.{os.getpid()}.{os.urandom(MARK_BYTES).hex()}.part")
    part.write_text(text, encoding="ascii")
    try:
        os.link(part, file)
    finally:
        part.unlink(missing_ok=True)
