"""Chooses the commits that become cases, and the base before them. Pure, except for reads of the history."""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

from clew.evaluate.history import Commit, History
from clew.evaluate.messages import CommitExclusion, query_of, reason_against, subject_of
from clew.evaluate.report import QuerySource, Request
from clew.evaluate.sources import SourceFiles
from clew.model.errors import NotFound

MOST_FILES = 5  # that a case's commit changes; more is a sweep
SAMPLES = 24  # places in a short history where a base is tried

MODIFIED = "M"


class DrawnCommit(NamedTuple):
    """A commit that may be a case: the query, and the source files that it changed."""

    commit: Commit
    query: str
    files: tuple[str, ...]


class Chosen(NamedTuple):
    """`drawn` in order of time; `left_out` counts the other commits behind the base by reason."""

    base: str
    drawn: tuple[DrawnCommit, ...]
    left_out: Mapping[str, int]


def choose(history: History, request: Request, sources: SourceFiles) -> Chosen:
    """The cases behind the base that is named, nearest first; else the newest, and a base just before them."""
    tip = history.resolve("HEAD")
    chooser = _Chooser(history, tip, request.asked, sources)
    if request.base:
        base = history.resolve(request.base)
        drawn, left_out = chooser.behind(base)
        kept = drawn[: request.cases]
    else:
        base = chooser.base_for(request.cases)
        drawn, left_out = chooser.behind(base)
        kept = drawn[-request.cases :]
    if not kept:
        told = ", ".join(f"{count} {reason}" for reason, count in left_out.items()) or "there are none"
        raise NotFound(
            f"no commit after {base[:12]} makes a case: {told}", "Name an earlier --base, or a longer history."
        )
    left_out[CommitExclusion.BEYOND] += len(drawn) - len(kept)
    left_out[CommitExclusion.MERGE] += history.merges(base, tip)
    return Chosen(base, tuple(kept), {str(reason): left_out[reason] for reason in CommitExclusion if left_out[reason]})


class _Chooser:
    def __init__(self, history: History, tip: str, asked: QuerySource, sources: SourceFiles) -> None:
        self._history = history
        self._tip = tip
        self._asked = asked
        self._sources = sources

    def behind(self, base: str) -> tuple[list[DrawnCommit], Counter[CommitExclusion]]:
        return draw(self._history.commits(base, self._tip), self._history.paths(base), self._sources, self._asked)

    def base_for(self, wanted: int) -> str:
        """The newest commit that enough cases follow; if there is none, the one that most do.

        Going back gains cases, and loses those of files that did not exist yet: so there may be no such commit.
        """
        line = self._history.line(self._tip)
        last = len(line) - 1
        low, high = 0, min(wanted, last)
        while self._count(line[high]) < wanted:
            if high == last:
                return self._best(line)
            low, high = high, min(2 * high + 1, last)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._count(line[middle]) >= wanted else (middle, high)
        return line[high]

    def _best(self, line: Sequence[str]) -> str:
        """The best base commit; without any cases the oldest, so that all exclusions are reported."""
        places = sorted({round(i * (len(line) - 1) / SAMPLES) for i in range(SAMPLES + 1)})
        counted = {line[place]: self._count(line[place]) for place in places}
        return max(counted, key=counted.__getitem__) if any(counted.values()) else line[-1]

    def _count(self, base: str) -> int:
        return len(self.behind(base)[0])


def draw(
    commits: Iterable[Commit], present: Container[str], sources: SourceFiles, asked: QuerySource
) -> tuple[list[DrawnCommit], Counter[CommitExclusion]]:
    """Select the commits that are cases, in order of time; count the others by reason."""
    found: dict[str, DrawnCommit] = {}
    left_out: Counter[CommitExclusion] = Counter()
    for commit in commits:
        made = _draw(commit, present, sources, asked)
        if isinstance(made, CommitExclusion):
            left_out[made] += 1
        elif made.query in found:
            left_out[CommitExclusion.REPEATED] += 1
        else:
            found[made.query] = made
    return list(found.values()), left_out


def _draw(
    commit: Commit, present: Container[str], sources: SourceFiles, asked: QuerySource
) -> DrawnCommit | CommitExclusion:
    changes = [change for change in commit.changes if change.path in sources]
    files = tuple(change.path for change in changes)
    if reason := reason_against(commit.message) or _reason_against(changes, present):
        return reason
    query = query_of(subject_of(commit.message) if asked is QuerySource.SUBJECT else commit.message)
    return DrawnCommit(commit, query, files) if query else CommitExclusion.WORDLESS


def _reason_against(changes: Sequence[tuple[str, str]], present: Container[str]) -> CommitExclusion | None:
    if not changes:
        return CommitExclusion.NO_SOURCE
    if len(changes) > MOST_FILES:
        return CommitExclusion.MANY
    if any(status != MODIFIED for status, _ in changes):
        return CommitExclusion.MOVED
    return CommitExclusion.ABSENT if any(path not in present for _, path in changes) else None
