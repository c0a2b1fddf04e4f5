"""All episodes of a project as ranking sees them: kept in memory, and brought up to date with what came since.

Nothing of it is stored: it is made of the episodes, in the order of their numbers, and so is the same in every process.
"""

import threading
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from clew.model.code import split_id
from clew.model.memory import Episode
from clew.store.arrays import Array
from clew.store.episodes import Episodes
from clew.text.terms import Lexicon, count_words

HIGHEST_FREQUENCY = 255
_FIRST_ROOM = 1024


class Column:
    """An array that grows at its end."""

    def __init__(self, kind: type[np.generic]) -> None:
        self._data: Array = np.zeros(_FIRST_ROOM, kind)
        self._length = 0

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

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

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


class Archive:
    """Rows are episodes; a row is an episode's number less one. `before` and `after` are rows of the same session."""

    def __init__(self) -> None:
        self._lexicon = Lexicon()
        self._terms_of: dict[bytes, tuple[str, ...]] = {}
        self._postings: defaultdict[str, _Posting] = defaultdict(_Posting)
        self._involving: defaultdict[str, list[int]] = defaultdict(list)
        self.agents, self.sessions, self.tasks, self.types = Names(), Names(), Names(), Names()
        self.agent, self.session, self.task = Column(np.int32), Column(np.int32), Column(np.int32)
        self.type, self.sensitive = Column(np.int16), Column(np.bool_)
        self.occurred, self.length = Column(np.int64), Column(np.float64)
        self.before, self.after = Column(np.int32), Column(np.int32)
        self.entities: list[tuple[str, ...]] = []

    def __len__(self) -> int:
        return len(self.entities)

    def take(self, episode: Episode) -> None:
        row, counts = len(self), self._counted(episode)
        for term, frequency in counts.items():
            posting = self._postings[term]
            posting.rows.append(row)
            posting.frequencies.append(min(frequency, HIGHEST_FREQUENCY))
        self.length.append(sum(counts.values()))
        self.agent.append(self.agents.number(episode.who.agent_id))
        self.session.append(self.sessions.number(episode.who.session_id))
        self.task.append(self.tasks.number(episode.draft.task_id))
        self.type.append(self.types.number(episode.draft.type))
        self.sensitive.append(episode.draft.sensitive)
        self.occurred.append(episode.occurred_at)
        self.before.append(episode.previous - 1)
        self.after.append(-1)
        if episode.previous:
            self.after.put(episode.previous - 1, row)
        self.entities.append(tuple(subject.id for subject in episode.subjects))
        for node in self.entities[row]:
            self._involving[node].append(row)

    def question(self, text: str) -> dict[str, str]:
        """The terms of a question, each with the word it comes from."""
        return self._lexicon.question(text)

    def posting(self, term: str) -> tuple[Array, Array]:
        """The rows that hold a term, in order, and how often each does."""
        found = self._postings.get(term)
        if found is None:
            return np.zeros(0, np.uint32), np.zeros(0)
        return np.array(found.rows), np.array(found.frequencies, np.float64)

    def involving(self, id: str) -> list[int]:
        """The rows of episodes about a node."""
        return self._involving.get(id, [])

    def involved(self) -> Iterable[str]:
        """Every node that any episode is about."""
        return self._involving

    def _counted(self, episode: Episode) -> Mapping[str, int]:
        """Terms of the content, and the names of the code that it is about."""
        counts: dict[str, int] = {}
        scopes = (" ".join(split_id(subject.id)) for subject in episode.subjects)
        for text in (episode.draft.content, *scopes):
            for word, frequency in count_words(text.encode("utf-8", "replace")).items():
                for term in self._terms(word):
                    counts[term] = counts.get(term, 0) + frequency
        return counts

    def _terms(self, word: bytes) -> tuple[str, ...]:
        found = self._terms_of.get(word)
        if found is None:
            found = self._terms_of[word] = self._lexicon.terms(word.decode("utf-8", "replace"))
        return found


class Archives:
    """The archive of a project, up to date whenever it is asked for. One thread at a time has it."""

    def __init__(self, episodes: Episodes) -> None:
        self._episodes = episodes
        self._archive = Archive()
        self.lock = threading.Lock()

    def current(self) -> Archive:
        """Call with the lock held."""
        for episode in self._episodes.after(len(self._archive)):
            self._archive.take(episode)
        return self._archive
