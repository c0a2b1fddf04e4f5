"""Parts of a tree that are read again on request."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from msgspec import Struct

from clew.index.disk import scan_state
from clew.index.disk.change_detection import RunPart
from clew.index.disk.scan import Scan, scan
from clew.index.working_tree import WorkingTree
from clew.languages.plugins import load_languages, offered_languages
from clew.store import heads
from clew.store.database import Database
from clew.store.files import Files


class Estimate(Struct, frozen=True):
    """What a run would read."""

    files: int
    bytes: int
    directories: int
    by_language: dict[str, int]


def select_part(db: Database, tree: WorkingTree, paths: Sequence[str]) -> RunPart:
    """All files below some paths, changed or not; of an index that is up to date with everything else."""
    found = _scan(tree)
    chosen = tuple(one for one in found.files if is_below(one.path, paths))
    known = {path for path in Files(db, tree.where).current() if is_below(path, paths)}
    seen = scan_state.read_state(heads.folder(tree.snapshots, tree.where)) or scan_state.ScanState()
    part = Scan(chosen, (), (), found.unreadable, seen, found.lacks_git)  # for the rest, the last walk holds
    return RunPart(frozenset(known.union(one.path for one in chosen)), part)


def estimate(tree: WorkingTree, paths: Sequence[str]) -> Estimate:
    """The files below some paths, or all of them."""
    chosen = [one for one in _scan(tree).files if not paths or is_below(one.path, paths)]
    table = load_languages(offered_languages()).known
    languages: dict[str, int] = {}
    for one in chosen:
        name = table.language_of(one.path)
        languages[name] = languages.get(name, 0) + 1
    folders = {one.path.rpartition("/")[0] for one in chosen}
    by_language = dict(sorted(languages.items(), key=lambda item: (-item[1], item[0])))
    return Estimate(len(chosen), sum(one.size for one in chosen), len(folders), by_language)


def is_below(path: str, wanted: Sequence[str]) -> bool:
    """Whether a path is one of those wanted, lies in one, or matches one as a pattern."""
    names = [one.removeprefix("./").rstrip("/") for one in wanted]
    return any(name in ("", ".", path) or path.startswith(f"{name}/") or fnmatchcase(path, name) for name in names)


def _scan(tree: WorkingTree) -> Scan:
    return scan(tree.root, tree.config.watcher, tree.config.indexing, tree.config.storage.db_path)
