"""The plan of a run: files to read again, deleted files, and the validity of each content."""

from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from clew.index.disk.scan import FoundFile, Scan
from clew.index.disk.scan_state import ScanState
from clew.index.file_reader import FileToRead
from clew.index.history import git
from clew.runtime.settings import Bootstrap
from clew.store.files import Known
from clew.text.paths import is_foreign_path

SMALL_FILE = 10_000  # bytes; small files first, so that most of a project can be asked about soon
LARGE_FILE = 1_000_000  # likewise; large ones come last
DOCUMENTS = frozenset((".md", ".rst", ".txt", ".adoc", ".html"))
SETTINGS = frozenset((".yaml", ".yml", ".toml", ".json", ".xml", ".ini", ".cfg", ".conf", ".properties"))

LARGE_BYTES = 60_000_000  # to read: some two million lines
CPU_SECONDS_PER_MB = 3.0  # measured on kubernetes and django
DISK_SHARE = 3.0  # of the size of the files, in the index
SHARE_TO_NAME = 0.05  # of what is to be read, from which on a folder is named

UNSEEN = ScanState()
_NEW = b""  # the digest of a file that was never read: equal to none


@dataclass(frozen=True, slots=True)
class RunPlan:
    """`wanted` in the order to read, each with its size; `cut` if there were more than are read at once.

    `binary` are those that need not be read to know that they are no text, and when that was seen.
    """

    wanted: list[tuple[FileToRead, int]]
    binary: dict[str, int]
    unchanged: int
    gone: list[str]
    cut: bool


def plan_run(
    root: Path,
    scan: Scan,
    known: Mapping[str, Known],
    settings: Bootstrap,
    *,
    everything: bool,
    before: ScanState = UNSEEN,
) -> RunPlan:
    """Compare the tree with the store, and with the last walk (`before`). `everything` reads every file again."""
    wanted = [found for found in scan.files if everything or not _is_unchanged(found, known.get(found.path))]
    unchanged = len(scan.files) - len(wanted)
    binary = {one.path: before.binary[one.path] for one in wanted if one.path not in known and before.is_binary(*one)}
    wanted = [found for found in wanted if found.path not in binary]
    priority = frozenset(settings.priority_extensions)
    wanted.sort(key=lambda found: _reading_order(found, priority))
    chosen = wanted[: settings.max_initial_files or None]
    here = {found.path for found in scan.files}
    missed = [path for path in known if path not in here]
    gone = [path for path in missed if not path.startswith(scan.unreadable) or _is_gone(root / path)]
    return RunPlan(
        [(_file_to_read(found, known, everything=everything), found.size) for found in chosen],
        binary,
        unchanged,
        sorted(gone),
        len(chosen) < len(wanted),
    )


def _reading_order(found: FoundFile, priority: Set[str]) -> tuple[bool, int, bool, str]:
    """The project's own files before copied and generated ones: small ones first, then code, documents, settings, and
    large ones; of each, those with the extensions of `priority` come first."""
    extension = _extension(found.path)
    if found.size <= SMALL_FILE or found.size > LARGE_FILE:
        rank = 0 if found.size <= SMALL_FILE else 4
    else:
        rank = 2 if extension in DOCUMENTS else 3 if extension in SETTINGS else 1
    return is_foreign_path(found.path), rank, extension not in priority, found.path


def estimate_of(plan: RunPlan, cores: int) -> str:
    """What a large run will take, and what could be left out; empty for others."""
    size = sum(one for _, one in plan.wanted)
    if size < LARGE_BYTES:
        return ""
    minutes = max(1, round(size / 1_000_000 * CPU_SECONDS_PER_MB / max(cores, 1) / 60))
    said = (
        f"{len(plan.wanted):,} files with {size // 1_000_000:,} MB are to be read: about {minutes} minutes "
        f"on {cores} cores, and {round(size * DISK_SHARE / 1_000_000):,} MB on disk. "
        "Searches work meanwhile on what is read."
    )
    foreign: dict[str, tuple[int, int]] = {}
    for file, one in plan.wanted:
        if is_foreign_path(file.path):
            folder = _foreign_folder(file.path)
            files, whole = foreign.get(folder, (0, 0))
            foreign[folder] = files + 1, whole + one
    folder, (files, whole) = max(foreign.items(), key=lambda item: (item[1][1], item[0]), default=("", (0, 0)))
    if whole >= SHARE_TO_NAME * size:
        said += (
            f" {files:,} of them ({whole // 1_000_000:,} MB) look copied or generated; the line `{folder}` in "
            ".contextignore leaves them out."
        )
    return said


def _foreign_folder(path: str) -> str:
    """The pattern that leaves out a copied folder, or generated files of one kind."""
    folders = path.split("/")[:-1]
    for end in range(1, len(folders) + 1):
        folder = "/".join(folders[:end])
        if is_foreign_path(f"{folder}/x"):
            return f"{folder}/"
    name = path.rpartition("/")[2]
    return "zz_generated*" if name.startswith("zz_generated") else f"*.{name.partition('.')[2]}"


def _is_gone(path: Path) -> bool:
    """For certain: an unreadable path may exist."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


class ContentHistory:
    """Since when a content holds: its commit's time if it is committed, else the file's. Asks git once, if at all.

    With `only`, git is asked about these paths alone, and no other may be asked for.
    """

    def __init__(self, root: Path, only: Collection[str] = ()) -> None:
        self._root = root
        self._only = only
        self._asked: Collection[str] | None = only or None
        self._before = ""

    def narrow(self, paths: Collection[str], before: str) -> None:
        """No other paths will be asked for; git answers about a few in a tenth of the time that a large tree takes.

        Most of them changed since the commit `before`.
        """
        self._asked, self._before = paths, before
        if len(paths) <= git.MOST_NAMED:
            self._only = paths

    @cached_property
    def head(self) -> git.HeadCommit | None:
        return git.head(self._root)

    @cached_property
    def _dirty(self) -> frozenset[str] | None:
        return git.altered_files(self._root, self._only)

    @cached_property
    def _committed_paths(self) -> frozenset[str]:
        """Paths with the content of HEAD; none, if git fails."""
        if self.head is None or self._dirty is None:
            return frozenset()
        return (git.tracked_paths(self._root, self._only) or frozenset()) - self._dirty

    @cached_property
    def _changed_at(self) -> dict[str, int]:
        """The time of the commit that last changed each path that may be asked for."""
        paths = self._committed_paths if self._asked is None else self._committed_paths.intersection(self._asked)
        return git.last_changes(self._root, paths, self._before) if self.head and paths else {}

    def committed_at(self, path: str) -> int:
        """When the commit that last changed it was made; 0 if no commit is known."""
        return self._changed_at.get(path) or (self.head.time if self.head else 0)

    def is_committed(self, path: str) -> bool:
        return path in self._committed_paths

    def valid_since(self, path: str, mtime_ns: int, after: int, known: int) -> tuple[int, bool]:
        """When a content began to hold, later than `after`; and whether a commit says so.

        Time in a checkout never runs backwards: content of an older commit holds from when we saw it here.
        """
        committed = self.is_committed(path)
        began = self.committed_at(path) if committed else min(mtime_ns // 1000, known)
        return (began if began > after else max(known, after + 1)), committed

    def valid_until(self, path: str, after: int, known: int) -> int:
        """When the last content of a path that is gone ceased to hold."""
        if self.head and self._dirty is not None and path not in self._dirty and self.head.time > after:
            return self.head.time
        return max(known, after + 1)


def _is_unchanged(found: FoundFile, known: Known | None) -> bool:
    return known is not None and known.is_as_seen(found.size, found.mtime_ns, found.changed_ns)


def _file_to_read(found: FoundFile, known: Mapping[str, Known], *, everything: bool) -> FileToRead:
    before = known.get(found.path)
    return FileToRead(found.path, before.digest if before and not everything else _NEW)


def _extension(path: str) -> str:
    return Path(path).suffix.lower()
