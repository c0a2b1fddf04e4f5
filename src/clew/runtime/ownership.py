"""Whether this user on this machine made the files that Clew keeps for a project.

A repository can bring a `.clew` of its own, with a memory that another person wrote. The proof is a marker beside the
files: keyed digests of their paths, by a key in the user's data folder that never leaves it. Files that git tracks
are never the user's own, since a pull may replace them. Unproven files are not read: a fresh index is made in a
folder inside `.clew` with an unpredictable name, and no existing file is touched.
"""

import mmap
import os
import stat
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePath

from msgspec import Struct

from clew.model.errors import Conflict, StoreReadOnly
from clew.runtime import git_process
from clew.runtime.paths import HOME
from clew.runtime.plain import open_as_it_is, open_own
from clew.runtime.user_key import keyed_digest, made_key, read_key, write_refusal

MARKER = "owner"
MADE, ACCEPTED = "made", "accepted"
TRACKED = "git tracks files in it"
FOREIGN = "this user did not make it on this machine"

_MOST_MARKER = 64 * 1024  # bytes; a line for each user who works in the same folder
_MOST_ENTRIES = 100_000  # of the folder that are looked at
_ASIDE = "local-"
_ASIDE_DIGITS = 12
_SIDES = ("-wal", "-shm", "-journal")  # files that belong to a database
_SNAPSHOTS = "snapshots"
_HARMLESS = frozenset({".gitignore", MARKER})
_INDEX_HEADER = 8  # bytes of git's index that say what it is and its version
_WHOLE_PATHS = (2, 3)  # the versions of git's index that hold each path as a whole


class OwnFolder(Struct, frozen=True):
    """The folder that Clew uses for a project. `refused` is why the project's `.clew` is not that one; mostly empty."""

    path: Path
    shipped: Path
    refused: str = ""

    @property
    def notice(self) -> str:
        """The notice for every surface, in one line."""
        if not self.refused:
            return ""
        accept = "" if self.refused == TRACKED else ", or accept it as it is with `clew trust`"
        return (
            f"{self.shipped.name} is not read, because {self.refused}: a fresh index is used instead. "
            f"The user can take over what it remembers with `clew import --review`{accept}."
        )


def own_folder(home: Path, user_data: Path, *, trusting: bool = False) -> OwnFolder:
    """The folder of the main worktree `home` that may be read and written; `trusting`: the user vouches for it."""
    folder = home / HOME
    if folder.is_symlink():
        raise _special(folder, "a link")
    refused = "" if trusting else why_refused(folder, user_data)
    if not refused:
        _refuse_special_files(folder)
        return OwnFolder(folder, folder)
    aside = folder / _aside(folder, made_key(user_data))
    if aside.is_symlink() or why_refused(aside, user_data):
        hint = f"Move {aside} out of the project."
        raise StoreReadOnly(f"{aside} is not the folder that this Clew made", hint)
    _refuse_special_files(aside)
    return OwnFolder(aside, folder, refused)


def why_refused(folder: Path, user_data: Path) -> str:
    """Empty for a folder that is this user's own, and for one with nothing in it yet."""
    if not _holds_anything(folder):
        return ""
    if not _is_marked(folder / MARKER, folder, user_data):
        return FOREIGN
    return TRACKED if _is_tracked(folder, [f"{folder.name}/"]) else ""


def mark(folder: Path, user_data: Path, *, how: str = MADE) -> None:
    """Prove that the folder is this user's; before anything else is written into it."""
    if _is_marked(folder / MARKER, folder, user_data):
        return
    _append(folder / MARKER, f"{how} {' '.join(_proofs(folder, made_key(user_data)))}")


def why_database_refused(database: Path, user_data: Path) -> str:
    """Likewise for a database that the configuration places elsewhere in the project, and its side files."""
    for path in (database, *_sides(database), database.with_name(_SNAPSHOTS)):
        with suppress(FileNotFoundError):
            _refuse_special(path, path.lstat().st_mode)
    snapshots = database.with_name(_SNAPSHOTS)
    kept = (path for pattern in ("*/*", "*.npz") for path in snapshots.glob(pattern))
    if not any(map(os.path.lexists, (database, *_sides(database)))) and not any(kept):
        return ""
    if not is_marked_database(database, user_data):
        return FOREIGN
    return TRACKED if _is_tracked(database, [database.name, f"{_SNAPSHOTS}/"]) else ""


def mark_database(database: Path, user_data: Path) -> None:
    if not is_marked_database(database, user_data):
        _append(_marker_of(database), f"{MADE} {' '.join(_proofs(database, made_key(user_data)))}")


def is_marked_database(database: Path, user_data: Path) -> bool:
    """Whether this user's Clew made it; its current content is not proven by that."""
    return _is_marked(_marker_of(database), database, user_data)


def _marker_of(database: Path) -> Path:
    return database.with_name(f"{database.name}-{MARKER}")


def _sides(database: Path) -> list[Path]:
    return [database.with_name(f"{database.name}{side}") for side in _SIDES]


def accept(folder: Path, user_data: Path) -> None:
    """Take a folder that somebody else made, or an older Clew of this user, for one's own."""
    if _is_tracked(folder, [f"{folder.name}/"]):
        hint = f"Take it out of the repository first: git rm -r --cached {folder.name}"
        raise Conflict(f"{folder} cannot be accepted: {TRACKED}, and any commit may change it", hint)
    _refuse_special_files(folder)
    mark(folder, user_data, how=ACCEPTED)


def revoke(folder: Path, user_data: Path) -> bool:
    """Whether this user had accepted the folder; it counts as foreign again then."""
    key, marker = read_key(user_data), folder / MARKER
    lines = _lines(marker)
    mine = set(_proofs(folder, key)) if key and lines else set()
    kept = [line for line in lines if not (line[0] == ACCEPTED and mine & set(line[1:]))]
    if len(kept) == len(lines):
        return False
    _replace(marker, kept)
    return True


def is_aside(path: PurePath) -> bool:
    """Whether a path below a `.clew` belongs to an index that is used in its place."""
    return path.parts[0].startswith(_ASIDE)


def _aside(folder: Path, key: bytes) -> str:
    return f"{_ASIDE}{keyed_digest(key, b'aside', _place(folder))[:_ASIDE_DIGITS]}"


def _proofs(folder: Path, key: bytes) -> tuple[str, str]:
    """By the path, and by the number of the folder, which it keeps when it is moved. Either will do."""
    numbered = folder if folder.is_dir() else folder.parent  # a database is replaced when it is repaired
    inode = f"{folder.name}:{numbered.stat().st_ino}"
    return keyed_digest(key, b"path", _place(folder)), keyed_digest(key, b"inode", os.fsencode(inode))


def _place(folder: Path) -> bytes:
    return os.fsencode(os.path.realpath(folder.parent)) + b"/" + os.fsencode(folder.name)


def _is_marked(marker: Path, folder: Path, user_data: Path) -> bool:
    lines = _lines(marker)
    key = read_key(user_data) if lines else b""
    return bool(key) and not {part for line in lines for part in line[1:]}.isdisjoint(_proofs(folder, key))


def _lines(marker: Path) -> list[list[str]]:
    try:
        with open_as_it_is(marker) as file:
            text = file.read(_MOST_MARKER).decode("ascii")
    except (OSError, UnicodeDecodeError):
        return []
    return [parts for line in text.splitlines() if (parts := line.split()) and parts[0] in (MADE, ACCEPTED)]


def _append(marker: Path, line: str) -> None:
    try:
        with open_as_it_is(marker, "ab") as file:
            file.write(f"{line}\n".encode())
    except OSError as error:
        raise write_refusal(marker.parent, error) from error


def _replace(marker: Path, lines: list[list[str]]) -> None:
    part = marker.with_name(f"{marker.name}.{os.getpid()}.part")
    try:
        part.write_text("".join(f"{' '.join(line)}\n" for line in lines), encoding="ascii")
        part.replace(marker)
    except OSError as error:
        raise write_refusal(marker.parent, error) from error


def _holds_anything(folder: Path) -> bool:
    """Besides files that exist before the marker, so that two concurrent first runs do not refuse each other."""
    try:
        with os.scandir(folder) as entries:
            return any(entry.name not in _HARMLESS and not entry.name.startswith(f"{MARKER}.") for entry in entries)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise StoreReadOnly(f"{folder} cannot be looked at: {error.strerror}") from error


def _refuse_special_files(folder: Path) -> None:
    """A link leads to somebody else's file; a pipe or a device is read for ever."""
    for path, mode in _entries(folder):
        _refuse_special(path, mode)


def _refuse_special(path: Path, mode: int) -> None:
    if stat.S_ISLNK(mode):
        raise _special(path, "a link")
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise _special(path, "a pipe or a device")


def _entries(folder: Path) -> Iterator[tuple[Path, int]]:
    left, waiting = _MOST_ENTRIES, [os.fspath(folder)]
    while waiting and left:
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                left -= 1
                if entry.is_file(follow_symlinks=False):  # the system says so without a look at each file
                    continue
                with suppress(FileNotFoundError):
                    mode = entry.stat(follow_symlinks=False).st_mode
                    yield Path(entry.path), mode
                    if stat.S_ISDIR(mode) and not entry.name.startswith(_ASIDE):
                        waiting.append(entry.path)


def _special(path: Path, what: str) -> StoreReadOnly:
    hint = "Move it aside: Clew keeps its files in regular files and folders of the project. See also storage.db_path."
    return StoreReadOnly(f"{path} is {what}, which may lead out of the project", hint)


def _is_tracked(path: Path, names: Sequence[str]) -> bool:
    """Whether git tracks one of some names beside a path, or a file below; git is asked only if its index has one."""
    top = next((folder for folder in path.parents if os.path.lexists(folder / ".git")), None)
    if top is None:
        return False
    outer = path.parent.relative_to(top).as_posix()
    wanted = [name if outer == "." else f"{outer}/{name}" for name in names]
    try:
        if not _may_track(git_process.own_repository(top), [os.fsencode(one) for one in wanted]):
            return False
    except OSError:
        return False  # it is not this folder's repository
    try:
        done = git_process.run(top, "ls-files", "-z", "--", *wanted)
    except (git_process.Refused, subprocess.TimeoutExpired):
        return True  # git's record names it, and git itself must not be asked
    except OSError:
        return False  # without git, nothing is pulled either
    ignored = {os.fsencode(f"{one}.gitignore") for one in wanted}
    return any(found and found not in ignored for found in done.stdout.split(b"\0"))


def _may_track(repository: Path, wanted: Sequence[bytes]) -> bool:
    try:
        with open_own(repository / "index") as file:
            header = file.read(_INDEX_HEADER)
            if int.from_bytes(header[4:]) not in _WHOLE_PATHS or any(repository.glob("sharedindex.*")):
                return bool(header)
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as index:
                text = index[:].lower() if _ignores_case() else index
                return any(text.find(one.lower() if _ignores_case() else one) >= 0 for one in wanted)
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return True


def _ignores_case() -> bool:
    import sys

    return sys.platform in ("darwin", "win32")
