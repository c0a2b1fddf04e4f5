"""Git history of the files: co-changes, and commit messages."""

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from itertools import combinations
from pathlib import Path

from blake3 import blake3

from clew.index.history import git
from clew.index.rules import FORMAT
from clew.model.errors import StoreCorrupt
from clew.model.words import EdgeKind, EvidenceKind
from clew.runtime.settings import Config
from clew.store.histories import Histories
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


class CommitHistory:
    def __init__(self, root: Path, histories: Histories, config: Config) -> None:
        self._root = root
        self._histories = histories
        self._most = config.providers.git_history.max_commits
        self._left_out = f"{FORMAT} {config.security.scrub_rules}"
        self._scrubber = Scrubber.from_settings(config.security)

    def remember(self, head: str, paths: frozenset[str], writing: Callable[[], AbstractContextManager[None]]) -> None:
        """Of the commits up to a head; together change only files that are there."""
        grounds = self._grounds()
        with suppress(StoreCorrupt):  # then it is made again
            if self._histories.is_of(_made_for(head, grounds, paths.intersection(self._histories.changed_files()))):
                return
        from clew.store.commits import pack_commits  # numpy is heavy, and mostly the head is as it was

        changes = git.changes(self._root, max(self._most, MOST_COMMITS))
        together = co_changes((change.paths for change in changes[:MOST_COMMITS]), paths)
        said = pack_commits(
            ((self._scrub_message(one.message), one.paths, one.moves) for one in changes[: self._most]), MOST_FILES
        )
        named = frozenset(path for change in changes for path in change.paths if _is_text(path))
        with writing():
            self._histories.put(_made_for(head, grounds, paths & named), together, said, sorted(named))

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
