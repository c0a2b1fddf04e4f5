"""Maps a change (files, symbols, a diff, a commit) to the nodes of the graph that changed."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from clew.engine import Engine
from clew.graph.changes import (
    FileChange,
    Seed,
    compare,
    is_old,
    merge_seeds,
    parse_diff,
    removed_names,
    seeds_of,
    sides_of,
)
from clew.graph.elements import Elements, Page
from clew.index.history import git
from clew.model.errors import InvalidInput, NotFound
from clew.runtime.plain import read_own
from clew.tools.naming import one_meant, spelt_here

MOST_CHANGED = 5_000  # files


class ChangeSelection(NamedTuple):
    """How a change is given: any of these; of none, the uncommitted changes of the working tree."""

    files: Sequence[str] = ()
    symbols: Sequence[str] = ()
    diff: str = ""
    since: str = ""


class FileTexts(NamedTuple):
    """Both texts of a changed file; a path is empty on the side that has no such file."""

    old_path: str
    old: str
    new_path: str
    new: str


class Changed(NamedTuple):
    """Changed nodes, the files that changed without being in the index, and how the change was given. `versions` has
    both texts of changed files, as far as they are known: a changed symbol has only one. `removed` are names of
    definitions that the change took away, `lines` the text of changed lines."""

    seeds: tuple[Seed, ...]
    paths: tuple[str, ...]
    unindexed: tuple[str, ...]
    origin: str
    versions: tuple[FileTexts, ...] = ()
    removed: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()


def find_changed(engine: Engine, asked: ChangeSelection) -> Changed:
    """The nodes that changed."""
    elements = Elements(engine.files)
    seeds, paths = list[Seed](), list[str]()
    said = []
    if asked.symbols:
        seeds += [Seed(node_id, 1.0) for name in asked.symbols for node_id in _symbol(engine, elements, name)]
        paths += [seed.id.partition("::")[0] for seed in seeds]
        said.append(f"{len(asked.symbols)} symbol{'s' * (len(asked.symbols) > 1)}")
    versions = list[FileTexts]()
    changes = list(_changes(engine, asked, said, versions))
    if len(changes) > MOST_CHANGED:
        raise InvalidInput(
            f"{len(changes)} files changed, more than the {MOST_CHANGED} that are looked at",
            "Name a later commit, or fewer files.",
        )
    unindexed, removed = [], set[str]()
    for change in changes:
        page = elements.page(change.path) or elements.page(change.old_path)
        paths.append(change.name)
        if page is None:
            unindexed.append(change.name)
        else:
            indexed = _Indexed(elements, page)
            if not is_old(change, indexed.lines()):
                removed |= removed_names(change)
            seeds += seeds_of(change, indexed)
            if asked.diff and change.runs:
                versions.append(_both_texts(change, indexed))
    return Changed(
        tuple(merge_seeds(seeds)),
        tuple(sorted(set(paths))),
        tuple(unindexed),
        " and ".join(said),
        tuple(versions),
        tuple(sorted(removed)),
        tuple(
            line for change in changes for run in change.runs if not run.is_trivial for line in run.removed + run.added
        ),
    )


def _both_texts(change: FileChange, indexed: "_Indexed") -> FileTexts:
    old, new = sides_of(change, indexed.lines())
    return FileTexts(change.old_path, "\n".join(old), change.path, "\n".join(new))


class _Indexed:
    """A file as it was indexed."""

    def __init__(self, elements: Elements, page: Page) -> None:
        self._page = page
        self._lines = elements.text(page).decode("utf-8", "replace").splitlines()

    def lines(self) -> Sequence[str]:
        return self._lines

    def at(self, line: int) -> str:
        return self._page.at(line)


def _symbol(engine: Engine, elements: Elements, name: str) -> Iterator[str]:
    yield from one_meant(engine, elements, name).ids


def _changes(
    engine: Engine, asked: ChangeSelection, said: list[str], versions: list[FileTexts]
) -> Iterator[FileChange]:
    if asked.files:
        said.append(f"{len(asked.files)} file{'s' * (len(asked.files) > 1)}")
        yield from (FileChange(path, path) for path in dict.fromkeys(spelt_here(engine, one) for one in asked.files))
    if asked.diff:
        said.append("a diff")
        yield from parse_diff(asked.diff)
    if asked.since or not (asked.files or asked.symbols or asked.diff):
        said.append(f"everything since {asked.since}" if asked.since else "uncommitted changes")
        yield from _since(engine, asked.since or "HEAD", versions)


def _since(engine: Engine, revision: str, versions: list[FileTexts]) -> Iterator[FileChange]:
    """Differences between a commit and the files as they are indexed."""
    root = engine.place.root
    commit = git.resolve(root, revision)
    if commit is None:
        if git.is_repository(root) and git.head(root) is None:
            why = git.refusal_by_git(root)
            raise NotFound(
                f"git cannot look for {revision!r} here: {why}", "Or name the changed files, or pass a diff."
            )
        raise NotFound(f"no commit {revision!r} here", "Name a commit, a tag, a branch, or HEAD~3.")
    for path in git.paths_that_differ(root, commit):
        old, new = git.text_of(root, commit, path), _on_disk(root / path)
        old_path, new_path = path if old is not None else "", path if new is not None else ""
        if old != new:
            versions.append(FileTexts(old_path, _decode(old or b""), new_path, _decode(new or b"")))
        if old is None or new is None:
            yield FileChange(new_path, old_path)
        elif old != new:
            yield compare(path, _decode(old), _decode(new))


def _on_disk(path: Path) -> bytes | None:
    try:
        return read_own(path, git.MOST_FILE)
    except OSError:
        return None


def _decode(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def names_of(paths: Iterable[str]) -> str:
    some = sorted(paths)
    return ", ".join(some[:3]) + (f" and {len(some) - 3} more" if len(some) > 3 else "")
