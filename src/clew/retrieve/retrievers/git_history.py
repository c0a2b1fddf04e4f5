"""Retrieves by commit messages: commits with messages similar to the question score the files that they changed."""

import math
from functools import lru_cache

import numpy as np
from msgspec import Struct

from clew.retrieve.question import Question
from clew.retrieve.retriever import Ask, ChunkPlace, Retrieved, RetrieverSources, by_chunk, file_at, no_findings
from clew.store.arrays import Array
from clew.store.commits import Commits
from clew.store.corpus import Corpus
from clew.store.histories import Histories
from clew.store.snapshot import Postings

MOST_ALIKE = 200  # commits that are looked at; the best few decide
SATURATION = 1.0
LENGTH_DISCOUNT = 0.5


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
    return _Touched(commits.files[np.repeat(starts, counts) + within], np.repeat(shares, counts))


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
    return f"{much} commit{'s' if much != 1 else ''} to its file with like messages" if much else ""
