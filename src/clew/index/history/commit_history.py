"""Git history of the files: co-changes, and commit messages."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from blake3 import blake3

from clew.index.history import git
from clew.index.rules import FORMAT
from clew.model.errors import StoreCorrupt
from clew.model.words import EdgeKind, EvidenceKind
from clew.runtime.settings import Config
from clew.store.commits import CommitWords, count_terms, pack_words, unpack_terms
from clew.store.histories import NO_HISTORY, FileHistory, Histories, ReadCommit, ReadCommits
from clew.store.links import FileEdge
from clew.store.packing import pack, unpack
from clew.text.secrets import Scrubber

# Files that change together, from git's history: pure counting; sweeping commits say nothing and are left out.

MOST_COMMITS = (
    2_000  # back from the tip: what changed together long ago says little of today, and reading it takes long
)
MOST_FILES = 30  # of one commit; more is a rename, a format, a licence year
LEAST_SUPPORT = 3  # commits; twice may be chance
LEAST_CONFIDENCE = 0.25
MOST_PARTNERS = 10  # of one file, the best


def co_changes(commits: Iterable[Iterable[str]], paths: frozenset[str]) -> dict[str, tuple[FileEdge, ...]]:
    """By file, those that changed with it; the confidence is the share of its commits, the line how many they were."""
    alone: Counter[str] = Counter()
    together: Counter[tuple[str, str]] = Counter()
    for commit in commits:
        changed = sorted(set(commit))
        if len(changed) > MOST_FILES:
            continue
        here = [path for path in changed if path in paths]
        alone.update(here)
        together.update(combinations(here, 2))
    partners: dict[str, list[FileEdge]] = {}
    for (one, other), support in together.items():
        for source, target in ((one, other), (other, one)):
            confidence = support / alone[source]
            if support >= LEAST_SUPPORT and confidence >= LEAST_CONFIDENCE:
                edge = FileEdge("", EdgeKind.CO_CHANGES, target, support, EvidenceKind.TOOLING, round(confidence, 3))
                partners.setdefault(source, []).append(edge)
    return {path: _best(edges) for path, edges in sorted(partners.items())}


def _best(edges: list[FileEdge]) -> tuple[FileEdge, ...]:
    return tuple(sorted(edges, key=lambda e: (-e.confidence, -e.line, e.target))[:MOST_PARTNERS])


class _KnownCommits(NamedTuple):
    """The commits of the last history, by hash: the files that they changed, and the terms of their messages."""

    changed: Mapping[str, tuple[git.Rename, ...]]
    terms: Mapping[str, Mapping[str, int]]
    similar: bool = True  # whether a renamed file may have changed


class _FoundCommit(NamedTuple):
    sha: str
    paths: tuple[str, ...]
    moves: Mapping[str, int]


class _Reading(NamedTuple):
    """The commits of a history, the newest first; those that say something about files are `chosen`."""

    known: _KnownCommits
    messages: dict[str, str]
    changed: dict[str, tuple[git.Rename, ...]]
    found: list[_FoundCommit]
    chosen: list[_FoundCommit]

    def pack(self, grounds: str) -> bytes:
        places = {one.sha: place for place, one in enumerate(self.chosen)}
        commits = [
            ReadCommit(bytes.fromhex(one.sha), places.get(one.sha, -1), _shorten(self.changed[one.sha]))
            for one in self.found
            if all(_is_text(path) for change in self.changed[one.sha] for path in change)
        ]
        return pack(ReadCommits(grounds, self.known.similar, commits))


def _known_commits(last: FileHistory, grounds: str) -> _KnownCommits:
    with suppress(StoreCorrupt):
        read = unpack(last.read, ReadCommits) if last.read else None
        if read and read.grounds == grounds:
            terms = unpack_terms(last.commits)
            changed = {one.sha.hex(): tuple((path[0], path[-1]) for path in one.changed) for one in read.commits}
            said = {one.sha.hex(): terms[one.place] for one in read.commits if one.place >= 0}
            return _KnownCommits(changed, said, read.similar)
    return _KnownCommits({}, {})


def _shorten(changed: Iterable[git.Rename]) -> tuple[tuple[str, ...], ...]:
    return tuple((old, new) if old != new else (new,) for old, new in changed)


class CommitHistory:
    def __init__(self, root: Path, histories: Histories, config: Config) -> None:
        self._root = root
        self._histories = histories
        self._most = config.providers.git_history.max_commits
        self._left_out = f"{FORMAT} {config.security.scrub_rules}"
        self._scrubber = Scrubber.from_settings(config.security)

    def remember(self, head: str, paths: frozenset[str], writing: Callable[[], AbstractContextManager[None]]) -> None:
        """Store the history up to a commit; only files that exist count as changed together."""
        grounds, last = self._grounds(), NO_HISTORY
        with suppress(StoreCorrupt):  # then it is made again
            last = self._histories.last()
            if self._histories.is_of(_made_for(head, grounds, paths.intersection(last.named))):
                return
        read = self._read_commits(_known_commits(last, grounds))
        together = co_changes((one.paths for one in read.found[:MOST_COMMITS]), paths)
        named = frozenset(path for one in read.found for path in one.paths if _is_text(path))
        history = FileHistory(together, pack_words(self._count_terms(read)), tuple(sorted(named)), read.pack(grounds))
        with writing():
            self._histories.put(_made_for(head, grounds, paths & named), history)

    def _read_commits(self, known: "_KnownCommits") -> "_Reading":
        """Those of the last history are not read again."""
        shas = git.last_commits(self._root, max(self._most, MOST_COMMITS))
        new = git.changes_of(self._root, [sha for sha in shas if sha not in known.changed], similar=known.similar)
        if new is None and known.similar:  # a clone without all contents
            known = _KnownCommits({}, {}, similar=False)
            new = git.changes_of(self._root, shas, similar=False)
        changed = {sha: one.changed for sha, one in (new or {}).items()} | dict(known.changed)
        there = [sha for sha in shas if sha in changed]
        placed = zip(there, git.newest_paths(changed[sha] for sha in there), strict=True)
        found = [_FoundCommit(sha, *newest) for sha, newest in placed if newest[0]]
        chosen = [one for one in found[: self._most] if len(one.paths) <= MOST_FILES]
        return _Reading(known, {sha: one.message for sha, one in (new or {}).items()}, changed, found, chosen)

    def _count_terms(self, read: "_Reading") -> list[CommitWords]:
        left = [one.sha for one in read.chosen if one.sha not in read.known.terms]
        unread = [sha for sha in left if sha not in read.messages]
        again = git.changes_of(self._root, unread, similar=False) or {}
        messages = read.messages | {sha: one.message for sha, one in again.items()}
        terms = dict(zip(left, count_terms(self._scrub_message(messages.get(sha, "")) for sha in left), strict=True))
        terms.update(read.known.terms)
        return [CommitWords(terms[one.sha], one.paths, one.moves) for one in read.chosen]

    def _grounds(self) -> str:
        """The inputs of a history beside its commit and the present files: its end, and its exclusions."""
        return f"{git.shallow_boundary(self._root)} {self._most} {self._left_out}"

    def _scrub_message(self, message: str) -> str:
        return self._scrubber.scrub(message, "")[0]


def _is_text(path: str) -> bool:
    """Whether a path is valid text; other paths are not indexed."""
    return path.isascii() or path == path.encode("utf-8", "ignore").decode()


def _made_for(head: str, grounds: str, there: frozenset[str]) -> str:
    told = "\0".join([grounds, *sorted(there)])
    return f"{head} {blake3(told.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}"
