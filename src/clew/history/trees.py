"""Trees that can be compared: a commit's, the working tree, and the index's record of an instant."""

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from clew.history.definitions import KEPT_SURELY, FileDefinitions, read_definitions, shared_ends
from clew.history.differ import Difference, FilePair, difference
from clew.index.history import git, objects
from clew.languages import language_in
from clew.languages.detection import LanguageTable
from clew.model.time import AsOf
from clew.runtime.plain import open_inside
from clew.store.files import Files
from clew.text.encodings import is_utf16
from clew.text.secrets import Scrubber

MOST_FILES = 20_000  # that differ; more are compared by path alone
ALIKE = 0.4  # of two files' lines, by bytes, for one to have become the other
REWRITTEN = 0.35  # less than this, of a path that is on both sides
_HEAD = 4096  # bytes that tell an encoding
COMMON = 40  # files that a line may be in to speak for a pair
LARGEST = objects.LARGEST_BLOB


class ChangedFile(NamedTuple):
    """A file that differs, with the identity of its content on each side; empty if the file is missing there."""

    path: str
    old: str
    new: str


class Tree(Protocol):
    """One state of all files. Two trees of one class can be compared cheaply."""

    label: str

    def contents(self, paths: Sequence[str]) -> Iterable[tuple[str, bytes]]: ...

    def changed_files(self, newer: "Tree") -> list[ChangedFile]: ...


class CommitTree:
    """The files of a commit, read from git's objects."""

    def __init__(self, root: Path, commit: str) -> None:
        self._root = root
        self.commit = commit
        self.label = commit

    def contents(self, paths: Sequence[str]) -> Iterable[tuple[str, bytes]]:
        tree = objects.tree(self._root, self.commit) if len(paths) > 1 else {}
        named = {path: tree.get(path) or objects.blob_of(self._root, self.commit, path) for path in paths}
        by_blob = defaultdict(list)
        for path, blob in named.items():
            by_blob[blob].append(path)
        for blob, content in objects.blobs(self._root, by_blob):
            yield from ((path, content) for path in by_blob[blob])

    def changed_files(self, newer: Tree) -> list[ChangedFile]:
        if isinstance(newer, CommitTree):
            changes = objects.tree_changes(self._root, self.commit, newer.commit)
            return [ChangedFile(*change) for change in changes]
        if isinstance(newer, DiskTree):
            names = git.paths_that_differ(self._root, self.commit)
            there, here = dict(self.contents(names)), dict(newer.contents(names))
            entries = [ChangedFile(path, "old" * (path in there), "new" * (path in here)) for path in names]
            return [one for one in entries if there.get(one.path) != here.get(one.path)]
        return _by_content(self, newer, objects.tree(self._root, self.commit))

    def paths(self) -> list[str]:
        return list(objects.tree(self._root, self.commit))

    def identity(self) -> str:
        """A digest of its content, and of the folder in it that is the project."""
        return objects.tree_identity(self._root, self.commit)


class DiskTree:
    """The files as they are on disk."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.label = "the working tree"

    def contents(self, paths: Sequence[str]) -> Iterable[tuple[str, bytes]]:
        for path in paths:
            file = self._root / path
            try:
                if file.is_symlink():
                    yield path, os.fsencode(os.readlink(file))  # noqa: PTH115 - as git stores it
                    continue
                with open_inside(self._root, path) as opened:
                    content = opened.read(LARGEST + 1)
            except OSError:
                continue
            if len(content) <= LARGEST:
                yield path, content

    def changed_files(self, newer: Tree) -> list[ChangedFile]:
        return [ChangedFile(path, new, old) for path, old, new in newer.changed_files(self)]

    def paths(self) -> list[str]:
        return sorted(git.tracked_paths(self._root) or ())


class RecordTree:
    """The files as the index had them at an instant, on both clocks."""

    def __init__(self, files: Files, at: AsOf, label: str) -> None:
        self._files = files
        self._at = at
        self.label = label

    def contents(self, paths: Sequence[str]) -> Iterable[tuple[str, bytes]]:
        for path in paths:
            version = self._files.get(path, self._at)
            if version is not None:
                yield path, self._files.text(version.text)

    def changed_files(self, newer: Tree) -> list[ChangedFile]:
        if not isinstance(newer, RecordTree):
            return _by_content(self, newer, self.paths())
        old, new = self._versions(), newer._versions()
        paths = sorted(path for path in old.keys() | new.keys() if old.get(path) != new.get(path))
        return [ChangedFile(path, str(old.get(path, "")), str(new.get(path, ""))) for path in paths]

    def paths(self) -> list[str]:
        return sorted(self._versions())

    def _versions(self) -> dict[str, tuple[int, int]]:
        return self._files.versions_at(self._at)


def _by_content(old: Tree, new: Tree, old_paths: Iterable[str]) -> list[ChangedFile]:
    """Trees of different kinds have no common fingerprints: everything is read."""
    paths = sorted({*old_paths, *(new.paths() if isinstance(new, CommitTree | DiskTree | RecordTree) else ())})
    before, after = dict(old.contents(paths)), dict(new.contents(paths))
    return [
        ChangedFile(path, "old" * (path in before), "new" * (path in after))
        for path in paths
        if before.get(path) != after.get(path)
    ]


class Reader:
    """Reads definitions by the languages of a project; secrets are replaced first, as they are in the index."""

    def __init__(self, known: LanguageTable, scrubber: Scrubber) -> None:
        self._known = known
        self._scrubber = scrubber

    def lists_formatting(self, path: str) -> bool:
        """Whether commits that changed only formatting or comments count, in the language of a path."""
        language = self._known.by_name.get(self._known.language_of(path))
        return language is None or language.lists_formatting

    def read(self, path: str, content: bytes) -> FileDefinitions:
        name = language_in(path, content, self._known)
        if name not in self._known.by_name and not is_utf16(content[:_HEAD], whole=False):
            return FileDefinitions(path, "", content)  # nothing of it is shown
        scrubbed, _ = self._scrubber.scrub_bytes(content, path)
        return read_definitions(path, scrubbed, self._known)


def compare(old: Tree, new: Tree, reader: Reader) -> Difference:
    """The differences between two trees."""
    entries = old.changed_files(new)
    old_paths, new_paths = ([one.path for one in entries if getattr(one, side)] for side in ("old", "new"))
    if len(entries) > MOST_FILES:
        return difference([FilePair("" if not e.old else e.path, "" if not e.new else e.path) for e in entries], {}, {})
    before, after = dict(old.contents(old_paths)), dict(new.contents(new_paths))
    pairs = pair_files(entries, before, after)
    old_files = {path: reader.read(path, content) for path, content in before.items()}
    new_files = {path: reader.read(path, content) for path, content in after.items()}
    return difference(pairs, old_files, new_files)


def pair_files(
    entries: Sequence[ChangedFile], before: Mapping[str, bytes], after: Mapping[str, bytes]
) -> list[FilePair]:
    """Both sides of each file: those that went are paired with those that came, the most alike first."""
    both = {one.path for one in entries if one.old and one.new}
    rewritten = {path for path in both if path in before and path in after and _is_rewritten(before[path], after[path])}
    gone = [one.path for one in entries if not one.new or one.path in rewritten]
    come = [one.path for one in entries if not one.old or one.path in rewritten]
    taken = renames({path: before[path] for path in gone if path in before}, {p: after[p] for p in come if p in after})
    taken = {new: one for new, one in taken.items() if new != one[0]}
    left = {old for old, _ in taken.values()}
    found = [FilePair(path, path) for path in both if path not in left and path not in taken]
    found += [FilePair(old, new, alike, before[old] == after[new]) for new, (old, alike) in taken.items()]
    done = {pair.new_path for pair in found if pair.new_path == pair.old_path}
    found += [FilePair(path, "") for path in gone if path not in left | done]
    found += [FilePair("", path) for path in come if path not in taken and path not in done]
    return sorted(found, key=lambda pair: (pair.new_path or pair.old_path, pair.old_path))


def _is_rewritten(old: bytes, new: bytes) -> bool:
    """Whether so little of a file is left that it may have become another one."""
    if shared_ends(old, new) * 2 >= KEPT_SURELY * (len(old) + len(new)):
        return False
    before, after = _lines(old), _lines(new)
    total = _size(before) + _size(after)
    return bool(before and after) and 2 * _size(before & after) < REWRITTEN * total


def renames(gone: Mapping[str, bytes], come: Mapping[str, bytes]) -> dict[str, tuple[str, float]]:
    """By new path, the old path and how alike both are."""
    lines = {path: _lines(content) for path, content in gone.items()}
    new_lines = {path: _lines(content) for path, content in come.items()}
    having: defaultdict[bytes, list[str]] = defaultdict(list)
    for path, counted in lines.items():
        for line in counted:
            having[line].append(path)
    scored = []
    for path, counted in new_lines.items():
        shared: Counter[str] = Counter()
        for line, times in counted.items():
            if len(having.get(line, ())) <= COMMON:
                for other in having.get(line, ()):
                    shared[other] += min(times, lines[other][line]) * len(line)
        for other, size in shared.items():
            alike = 2 * size / max(1, _size(counted) + _size(lines[other]))
            alike += 0.05 * (path.rpartition("/")[2] == other.rpartition("/")[2])
            if alike >= ALIKE:
                scored.append((-alike, other, path))
    scored += [
        (-1.0, other, path) for path in come for other in gone if come[path] == gone[other] and not new_lines[path]
    ]
    found: dict[str, tuple[str, float]] = {}
    used = set[str]()
    for score, old, new in sorted(scored):
        if new not in found and old not in used:
            found[new] = old, round(min(-score, 1.0), 3)
            used.add(old)
    return found


def _lines(content: bytes) -> Counter[bytes]:
    return Counter(line for part in content.splitlines() if (line := part.strip()))


def _size(lines: Counter[bytes]) -> int:
    return sum(len(line) * times for line, times in lines.items())
