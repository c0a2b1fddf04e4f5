"""All episodes of a project as arrays for ranking: kept in memory, and extended by new episodes.

It is made of the episodes, in the order of their numbers, and so is the same in every process; a file of it
(`memory/copies.py`) only saves the reading.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from clew.memory.contracts import said_beside
from clew.model.code import split_id
from clew.model.memory import Episode
from clew.store.arrays import Array
from clew.text.terms import Lexicon, count_words, split_words

HIGHEST_FREQUENCY = 255
_FIRST_ROOM = 1024


class Column:
    """An array that grows at its end."""

    def __init__(self, kind: type[np.generic], first: Array | None = None) -> None:
        filled = np.zeros(0, kind) if first is None else first.astype(kind)
        self._data: Array = np.concatenate([filled, np.zeros(_FIRST_ROOM, kind)])
        self._length = len(filled)

    def append(self, value: float) -> None:
        if self._length == len(self._data):
            self._data = np.concatenate([self._data, np.zeros_like(self._data)])
        self._data[self._length] = value
        self._length += 1

    def put(self, at: int, value: float) -> None:
        self._data[at] = value

    @property
    def all(self) -> Array:
        return self._data[: self._length]


class Names:
    """Texts by number, in the order in which they came."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._numbers = {text: number for number, text in enumerate(texts)}

    def number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))

    def find(self, text: str) -> int:
        """-1 if it never came."""
        return self._numbers.get(text, -1)

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)


class _Posting:
    """Where a term stands, and how often."""

    __slots__ = ("frequencies", "rows")

    def __init__(self) -> None:
        self.rows = array("I")
        self.frequencies = array("B")


class TermPostings(NamedTuple):
    """Postings by term: those of a term lie from `at` of its number to that of the next."""

    numbers: Mapping[str, int]
    at: Array
    rows: Array
    frequencies: Array

    def of(self, term: str) -> slice:
        number = self.numbers.get(term)
        return slice(0, 0) if number is None else slice(int(self.at[number]), int(self.at[number + 1]))


class _Numbered(dict[bytes, tuple[int, ...]]):
    """Words, and the numbers of the terms that each is found by."""

    def __init__(self, terms: Names, terms_of: Callable[[bytes], tuple[str, ...]]) -> None:
        self._terms = terms
        self._terms_of = terms_of

    def __missing__(self, word: bytes) -> tuple[int, ...]:
        found = self[word] = tuple(map(self._terms.number, self._terms_of(word)))
        return found


NO_WORDS = TermPostings({}, np.zeros(1, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.uint8))

COLUMNS: Mapping[str, type[np.generic]] = {
    "agent": np.int32, "session": np.int32, "task": np.int32, "type": np.int16, "sensitive": np.bool_,
    "automatic": np.bool_, "occurred": np.int64, "length": np.float64, "before": np.int32, "after": np.int32,
}  # fmt: skip
NAMES = ("agents", "sessions", "tasks", "types")


def outside(id: str) -> Iterator[str]:
    """The ids of a node's containers, from the inside out: its scopes, its file, its folders."""
    rest = id
    for mark in ("::", "/"):
        while mark in rest:
            rest = rest.rpartition(mark)[0]
            if rest:
                yield rest


class Archive:
    """Rows are episodes; a row is an episode's number less one. `before` and `after` are rows of the same session."""

    agents: Names
    sessions: Names
    tasks: Names
    types: Names
    agent: Column
    session: Column
    task: Column
    type: Column
    sensitive: Column
    automatic: Column
    occurred: Column
    length: Column
    before: Column
    after: Column

    def __init__(self) -> None:
        self._lexicon = Lexicon()
        self._base = NO_WORDS
        self._terms_of: dict[bytes, tuple[str, ...]] = {}
        self._postings: defaultdict[str, _Posting] = defaultdict(_Posting)
        self._about: defaultdict[str, list[int]] = defaultdict(list)
        self._within: defaultdict[str, list[int]] = defaultdict(list)
        for name in NAMES:
            setattr(self, name, Names())
        for name, kind in COLUMNS.items():
            setattr(self, name, Column(kind))
        self.entities: list[tuple[str, ...]] = []
        self.laid_over = 0  # rows that came since the words that it began with

    def begin(self, words: TermPostings, entities: Sequence[tuple[str, ...]]) -> None:
        """Begin with a stored archive; its columns and names are set by the caller."""
        self._base = words
        self.entities = list(entities)
        for row, nodes in enumerate(self.entities):
            self._involve(row, nodes)

    def words(self) -> TermPostings:
        """All postings, in one piece."""
        terms = dict.fromkeys([*self._base.numbers, *self._postings])
        found = [self.postings_of(term) for term in terms]
        at = np.cumsum([0, *(len(rows) for rows, _ in found)])
        rows = np.concatenate([np.zeros(0, np.uint32), *(rows for rows, _ in found)])
        frequencies = np.concatenate([np.zeros(0), *(frequencies for _, frequencies in found)])
        return TermPostings({term: n for n, term in enumerate(terms)}, at, rows, frequencies.astype(np.uint8))

    def __len__(self) -> int:
        return len(self.entities)

    def take(self, episode: Episode) -> None:
        counts = self.term_counts(episode)
        for term, frequency in counts.items():
            posting = self._postings[term]
            posting.rows.append(len(self))
            posting.frequencies.append(min(frequency, HIGHEST_FREQUENCY))
        self._take_row(episode, sum(counts.values()))

    def take_many(self, episodes: Iterable[Episode]) -> None:
        """The same of so many that it pays to sort all postings anew, in place of adding to each."""
        before, first = self.words(), len(self)
        terms = Names(before.numbers)
        numbered = _Numbered(terms, self._terms)
        found = array("I")
        for episode in episodes:
            already = len(found)
            for text in _texts(episode):
                found.extend([number for word in split_words(text) for number in numbered[word]])
            self._take_row(episode, len(found) - already)
        rows = np.repeat(np.arange(first, len(self)), self.length.all[first:].astype(np.int64))
        self._base = _merge(before, terms, np.array(found, np.int64), rows)
        self._postings.clear()

    def _take_row(self, episode: Episode, length: int) -> None:
        """All but the words."""
        row = len(self)
        self.laid_over += 1
        self.length.append(length)
        self.agent.append(self.agents.number(episode.who.agent_id))
        self.session.append(self.sessions.number(episode.who.session_id))
        self.task.append(self.tasks.number(episode.draft.task_id))
        self.type.append(self.types.number(episode.draft.type))
        self.sensitive.append(episode.draft.sensitive)
        self.automatic.append(episode.draft.is_automatic)
        self.occurred.append(episode.occurred_at)
        self.before.append(episode.previous - 1)
        self.after.append(-1)
        if episode.previous:
            self.after.put(episode.previous - 1, row)
        self.entities.append(tuple(subject.id for subject in episode.subjects))
        self._involve(row, self.entities[row])

    def question(self, text: str) -> dict[str, str]:
        """The terms of a question, each with the word it comes from."""
        return self._lexicon.question(text)

    def postings_of(self, term: str) -> tuple[Array, Array]:
        """The rows that hold a term, in order, and how often each does."""
        held = self._base.of(term)
        rows, frequencies = self._base.rows[held], self._base.frequencies[held].astype(np.float64)
        found = self._postings.get(term)
        if found is None:
            return rows, frequencies
        since = np.array(found.rows, np.uint32), np.array(found.frequencies, np.float64)
        return np.concatenate([rows, since[0]]), np.concatenate([frequencies, since[1]])

    def seen_in(self, term: str, seen: Array) -> tuple[Array, Array]:
        """The same of the rows that are seen."""
        rows, frequencies = self.postings_of(term)
        if seen.all():
            return rows, frequencies
        shown = seen[rows]
        return rows[shown], frequencies[shown]

    def rows_with_all(self, text: str) -> Array:
        """The rows that hold all words of a text."""
        terms = sorted({term for word in split_words(text.encode()) for term in self._terms(word)}, key=self.count_rows)
        found: Array = self.postings_of(terms[0])[0] if terms else np.zeros(0, np.uint32)
        for term in terms[1:]:
            if len(found):
                found = np.intersect1d(found, self.postings_of(term)[0])
        return found

    def count_rows(self, term: str) -> int:
        """How many rows hold a term."""
        held, since = self._base.of(term), self._postings.get(term)
        return len(self._base.rows[held]) + (len(since.rows) if since else 0)

    def rows_about(self, id: str) -> set[int]:
        """The rows of episodes about a node, about its members, or about its containers."""
        outer = (row for one in outside(id) for row in self._about.get(one, ()))
        return {*self._about.get(id, ()), *self._within.get(id, ()), *outer}

    def _involve(self, row: int, nodes: Iterable[str]) -> None:
        for node in nodes:
            self._about[node].append(row)
            for outer in outside(node):
                self._within[outer].append(row)

    def term_counts(self, episode: Episode) -> Mapping[str, int]:
        """How often it has each term."""
        counts: dict[str, int] = {}
        for text in _texts(episode):
            for word, frequency in count_words(text).items():
                for term in self._terms(word):
                    counts[term] = counts.get(term, 0) + frequency
        return counts

    def _terms(self, word: bytes) -> tuple[str, ...]:
        found = self._terms_of.get(word)
        if found is None:
            found = self._terms_of[word] = self._lexicon.terms(word.decode("utf-8", "replace"))
        return found


def _texts(episode: Episode) -> Iterator[bytes]:
    """The content, texts in the metadata, and the names of its subjects."""
    for text in (episode.draft.content, *said_beside(episode.draft)):
        yield text.encode("utf-8", "replace")
    for subject in episode.subjects:
        yield " ".join(split_id(subject.id)).encode("utf-8", "replace")


def _merge(before: TermPostings, terms: Names, found: Array, rows: Array) -> TermPostings:
    """With terms that were found in later rows, each as often as it stands there."""
    most = int(rows.max(initial=0)) + 1
    places, counts = np.unique(found * most + rows, return_counts=True)
    of_term = np.concatenate([np.repeat(np.arange(len(before.at) - 1), np.diff(before.at)), places // most])
    order = np.argsort(of_term, kind="stable")  # which leaves the rows of a term in order
    frequencies = np.minimum(counts, HIGHEST_FREQUENCY).astype(np.uint8)
    at = np.searchsorted(of_term[order], np.arange(len(terms) + 1))
    return TermPostings(
        {term: number for number, term in enumerate(terms)},
        at,
        np.concatenate([before.rows, (places % most).astype(np.uint32)])[order],
        np.concatenate([before.frequencies, frequencies])[order],
    )
