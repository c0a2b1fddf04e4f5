"""Retrieves by commit messages: commits with messages similar to the question score the files that they changed.

`by_time` ranks files by when and how often commits changed them, where the question asks for that. Age is counted in
commits, not in days: the same history ranks alike at any time.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from clew.retrieve.question import Question
from clew.retrieve.retriever import Ask, ChunkPlace, Retrieved, RetrieverSources, by_chunk, file_at, no_findings
from clew.store.arrays import Array
from clew.store.commits import Commits
from clew.store.corpus import Corpus
from clew.store.histories import Histories
from clew.store.snapshot import Postings
from clew.text.past_questions import TimeSignal

MOST_ALIKE = 200  # commits that are looked at; the best few decide
SATURATION = 1.0
LENGTH_DISCOUNT = 0.5
MOVED = 0.7  # of what a commit says of a file, what is left after each time that the file was renamed; docs/fitted.md


class _Touched(Struct, frozen=True, eq=False):
    """The files that similar commits changed: paths of the history, and the score of each by commit."""

    paths: Array
    shares: Array


class GitHistoryRetriever:
    name = "git_history"
    reranks = False

    def __init__(self, sources: RetrieverSources) -> None:
        self._past = PastCommits(sources.histories)

    def retrieve(self, ask: Ask) -> Retrieved:
        commits = self._past.commits()
        if commits is None or not len(commits):
            return no_findings(ask.corpus)
        touched = _score_files(commits, ask.question)
        by_file = [_files(commits, touched, part.postings) for part in ask.corpus.parts]
        return Retrieved(by_chunk(ask.corpus, by_file), lambda place: _explain(ask.corpus, commits, touched, place))


class PastCommits:
    """Keeps the commits until the history has moved on."""

    def __init__(self, histories: Histories) -> None:
        self._histories = histories
        self._kept: tuple[str, Commits | None] = ("", None)

    def commits(self) -> Commits | None:
        tip = self._histories.tip()
        if self._kept[0] != tip:
            data = self._histories.commits()
            self._kept = tip, Commits(data) if data else None
        return self._kept[1]


def _score_files(commits: Commits, question: Question) -> _Touched:
    """By the share of the question's information that each message has; a commit of many files says less of each."""
    scores = np.zeros(len(commits))
    average = commits.lengths.mean() or 1.0
    norm = SATURATION * (1 - LENGTH_DISCOUNT + LENGTH_DISCOUNT * commits.lengths / average)
    possible = 0.0
    for term, word in question.terms.items():
        number = commits.terms.get(term)
        if number is None:
            continue
        where = slice(int(commits.at[number]), int(commits.at[number + 1]))
        saying, often = commits.commits[where], commits.frequencies[where]
        rarity = word.weight * math.log(1 + (len(commits) - len(saying) + 0.5) / (len(saying) + 0.5))
        possible += 0.0 if word.is_other else rarity
        scores[saying] += rarity * often / (often + norm[saying])
    best = np.argsort(-scores, kind="stable")[:MOST_ALIKE]  # of equals, the newest
    best = best[scores[best] > 0]
    starts, counts = commits.path_at[best].astype(np.int64), np.diff(commits.path_at)[best].astype(np.int64)
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    shares = np.minimum(scores[best] / (possible or 1.0), 1.0) / np.sqrt(counts)
    files = commits.files[np.repeat(starts, counts) + within]
    return _Touched(files, np.repeat(shares, counts) * MOVED ** commits.moves[files])


def _files(commits: Commits, touched: _Touched, postings: Postings) -> Array:
    """The squares add up, so that a few that are much alike outdo many."""
    numbers = numbers_of(commits, postings)[touched.paths]
    here = numbers >= 0
    squares = np.bincount(numbers[here], touched.shares[here] ** 2, len(postings.paths))
    return np.minimum(np.sqrt(squares), 1.0)


@lru_cache(maxsize=4)
def numbers_of(commits: Commits, postings: Postings) -> Array:
    """By path of the history, the file's number among the postings; -1 if it is not there."""
    known = {path: number for number, path in enumerate(postings.paths)}
    return np.array([known.get(path, -1) for path in commits.paths], np.int64)


def _explain(corpus: Corpus, commits: Commits, touched: _Touched, place: ChunkPlace) -> str:
    file, _ = file_at(corpus, place)
    shares = touched.shares[numbers_of(commits, corpus.parts[place.part].postings)[touched.paths] == file]
    much = int(np.count_nonzero(shares >= 0.5 * shares.max())) if len(shares) else 0
    return f"{much} commit{'s' if much != 1 else ''} to its file with similar messages" if much else ""


HALF_LIFE = 100  # commits after which a change counts half as recent
CHURN_HALF_LIFE = 1000  # likewise, of a change that is counted
LEAST = 0.4  # of its score that a file keeps which no known commit changed


class FileTimes(NamedTuple):
    """By part and file: the number of its newest commit, and how many changed it; the latter fades with age."""

    newest: tuple[Array, ...]
    changes: tuple[Array, ...]


class FilePast(NamedTuple):
    """The past of files, and the question about it."""

    signal: TimeSignal
    times: FileTimes

    def explain(self, corpus: Corpus, place: ChunkPlace) -> str:
        number, _ = file_at(corpus, place)
        age, count = self.times.newest[place.part][number], self.times.changes[place.part][number]
        if not np.isfinite(age):
            return ""
        if self.signal is TimeSignal.RECENCY:
            return f"its file changed {int(age)} commits ago" if age else "its file changed in the newest commit"
        return f"its file changes often ({count:.0f} commits)"


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


def by_time(signal: TimeSignal, commits: Commits, corpus: Corpus, scores: list[Array]) -> tuple[list[Array], FilePast]:
    """The scores, lowered where the files' past does not fit the question; and that past, which explains them."""
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
    return lowered, FilePast(signal, times)
