"""Git history of the files: co-changes, and commit messages."""

from collections import Counter
from collections.abc import Callable, Iterable
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
from clew.store.commits import CommitWords, count_commits, pack_words, unpack_words
from clew.store.histories import NO_HISTORY, FileHistory, Histories, ReadCommits
from clew.store.links import FileEdge
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


class _ReadCommit(NamedTuple):
    sha: str
    kind: str
    words: CommitWords


_READ, _ODD = "p", "o"  # packed; the paths of the second are no text, so that it must be read again
_SWEEPING, _EMPTY = "s", "e"  # changed too many files, or none
_BEYOND, _UNREAD = "b", "u"  # not packed, being too old; git could not read it
_PACKED, _UNCOUNTED = frozenset({_READ, _ODD}), frozenset({_EMPTY, _UNREAD})
_NOTHING = CommitWords({}, ())


def _known_commits(last: FileHistory) -> dict[str, _ReadCommit]:
    """By hash, those that need not be read again."""
    words, found = iter(unpack_words(last.commits) if last.commits else ()), {}
    for sha, kind in zip(last.read.shas(), last.read.kinds, strict=True):
        said = next(words) if kind in _PACKED else _NOTHING
        if kind in (_READ, _SWEEPING, _EMPTY):
            found[sha] = _ReadCommit(sha, kind, said)
    return found


class CommitHistory:
    def __init__(self, root: Path, histories: Histories, config: Config) -> None:
        self._root = root
        self._histories = histories
        self._most = config.providers.git_history.max_commits
        self._left_out = f"{FORMAT} {config.security.scrub_rules}"
        self._scrubber = Scrubber.from_settings(config.security)

    def remember(self, head: str, paths: frozenset[str], writing: Callable[[], AbstractContextManager[None]]) -> None:
        """Of the commits up to a head; together change only files that are there."""
        grounds, last = self._grounds(), NO_HISTORY
        with suppress(StoreCorrupt):  # then it is made again
            last = self._histories.last()
            if self._histories.is_of(_made_for(head, grounds, paths.intersection(last.named))):
                return
        commits = self._read_commits(grounds, last)
        counted = [one for one in commits if one.kind not in _UNCOUNTED][:MOST_COMMITS]
        together = co_changes((one.words.paths for one in counted), paths)
        packed = [one for one in commits if one.kind in _PACKED]
        named = frozenset(path for one in (*counted, *packed) for path in one.words.paths if _is_text(path))
        read = ReadCommits(
            grounds, b"".join(bytes.fromhex(one.sha) for one in commits), "".join(one.kind for one in commits)
        )
        with writing():
            history = FileHistory(together, pack_words([one.words for one in packed]), tuple(sorted(named)), read)
            self._histories.put(_made_for(head, grounds, paths & named), history)

    def _read_commits(self, grounds: str, last: FileHistory) -> "list[_ReadCommit]":
        """Those of the last history are not read again."""
        shas = git.last_commits(self._root, max(self._most, MOST_COMMITS))
        known: dict[str, _ReadCommit] = {}
        if last.read.grounds == grounds:
            with suppress(StoreCorrupt):
                known = _known_commits(last)
        new = git.changes_of(self._root, [sha for sha in shas if sha not in known])
        chosen = [sha for sha, change in new.items() if 0 < len(change.paths) <= MOST_FILES]
        said = count_commits((self._scrub_message(new[sha].message), new[sha].paths) for sha in chosen)
        words = dict(zip(chosen, said, strict=True))
        left, found = self._most, []
        for sha in shas:
            if sha in known:
                one = known[sha]
            elif sha in words:
                is_text = all(map(_is_text, new[sha].paths))
                one = _ReadCommit(sha, _READ if is_text else _ODD, words[sha])
            else:
                one = _ReadCommit(sha, (_SWEEPING if new[sha].paths else _EMPTY) if sha in new else _UNREAD, _NOTHING)
            left -= one.kind not in _UNCOUNTED
            found.append(one if left >= 0 or one.kind not in _PACKED else one._replace(kind=_BEYOND))
        return found

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
