"""Ranks files by when and how often commits changed them, where the question asks for that. Pure.

Age is counted in commits, not in days: the same history ranks alike at any time.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from clew.retrieve.retriever import ChunkPlace, file_at
from clew.retrieve.retrievers.git_history import numbers_of
from clew.store.arrays import Array
from clew.store.commits import Commits
from clew.store.corpus import Corpus
from clew.text.past_questions import TimeSignal

HALF_LIFE = 100  # commits after which a change counts half as recent
CHURN_HALF_LIFE = 1000  # likewise, of a change that is counted
LEAST = 0.4  # of its score that a file keeps which no known commit changed


class FileTimes(NamedTuple):
    """By part and file: the number of its newest commit, and how many changed it; the latter fades with age."""

    newest: tuple[Array, ...]
    changes: tuple[Array, ...]


def file_times(commits: Commits, corpus: Corpus) -> FileTimes:
    counts = np.diff(commits.path_at).astype(np.int64)
    number = np.repeat(np.arange(len(commits)), counts)
    newest, changes = [], []
    for part in corpus.parts:
        files = numbers_of(commits, part.postings)[commits.files]
        here = files >= 0
        many = len(part.postings.paths)
        first = np.full(many, np.inf)
        np.minimum.at(first, files[here], number[here])
        newest.append(first)
        changes.append(np.bincount(files[here], 0.5 ** (number[here] / CHURN_HALF_LIFE), many))
    return FileTimes(tuple(newest), tuple(changes))


def by_time(
    signal: TimeSignal, commits: Commits, corpus: Corpus, scores: list[Array]
) -> tuple[list[Array], Callable[[ChunkPlace], str]]:
    """The scores, lowered where the files' past does not fit the question, and the reason for each place."""
    times = file_times(commits, corpus)
    if signal is TimeSignal.RECENCY:
        shares = [0.5 ** (newest / HALF_LIFE) for newest in times.newest]
    else:
        most = max((float(one.max(initial=0.0)) for one in times.changes), default=0.0) or 1.0
        shares = [one / most for one in times.changes]
    lowered = [
        score * (LEAST + (1 - LEAST) * share[part.postings.file_of])
        for score, share, part in zip(scores, shares, corpus.parts, strict=True)
    ]

    def explain(place: ChunkPlace) -> str:
        number, _ = file_at(corpus, place)
        age, count = times.newest[place.part][number], times.changes[place.part][number]
        if not np.isfinite(age):
            return ""
        if signal is TimeSignal.RECENCY:
            return f"its file changed {int(age)} commits ago" if age else "its file changed in the newest commit"
        return f"its file changes often ({count:.0f} commits)"

    return lowered, explain
