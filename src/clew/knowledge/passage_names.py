"""A second hop between episodes by the names in them: from the best hits to the episodes about what these name.

An episode whose first line is short is about what that line names: its title. Only such episodes take part: in
conversations, names lead astray (docs/memory.md). Derived from the episodes alone.
"""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import NamedTuple

from clew.knowledge import names
from clew.knowledge.extraction import find_names
from clew.model.memory import Episode
from clew.store.episodes import Episodes

MOST_EPISODES = 20_000  # the newest, whose names are known
LONGEST_TITLE = 10  # words of a first line that is a title
FROM_HITS = 3  # the best hits, whose names are followed; measured in docs/memory.md, as are the worths
TITLED = 1.0  # worth of an episode that is titled by a name of such a hit
MENTIONING = 0.3  # of one that mentions it
ASKED = 0.4  # of one that is titled by a name in the question
COMMON = 0.05  # share of the episodes from which on a name tells nothing
_AFTER_NAME = re.compile(r"\s*\(.*?\)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


class NameHop(NamedTuple):
    """An episode with its fused score, and the name by which it was reached; empty for a hit of the search."""

    number: int
    score: float
    name: str = ""


class PassageNames:
    """Any thread may use it."""

    def __init__(self, episodes: Episodes) -> None:
        self._episodes = episodes
        self._lock = Lock()
        self._upto = 0
        self._titles: defaultdict[str, list[int]] = defaultdict(list)
        self._mentions: defaultdict[str, list[int]] = defaultdict(list)
        self._names: dict[int, tuple[str, frozenset[str]]] = {}

    def rank(self, question: str, hits: Sequence[tuple[int, float]]) -> list[NameHop]:
        """Hits (numbers with their evidence) and the episodes that they lead to, best first."""
        with self._lock:
            self._catch_up()
            return self._rank(question, hits)

    def _rank(self, question: str, hits: Sequence[tuple[int, float]]) -> list[NameHop]:
        best = max((evidence for _, evidence in hits), default=0.0) or 1.0
        scores = {number: evidence / best for number, evidence in hits}
        reached: dict[int, str] = {}
        asked = f" {names.fold(question)} "
        for title in self._asked_titles(asked):
            for number in self._titles[title]:
                scores[number] = scores.get(number, 0.0) + ASKED
                reached.setdefault(number, title)
        bonuses: dict[int, tuple[float, str]] = {}
        for name, weight in self._names_of_best(scores, asked).items():
            for worth, places in ((TITLED, self._titles), (MENTIONING, self._mentions)):
                for number in places.get(name, ()):
                    bonuses[number] = max(bonuses.get(number, (0.0, "")), (worth * weight, name))
        for number, (bonus, name) in bonuses.items():
            scores[number] = scores.get(number, 0.0) + bonus
            reached.setdefault(number, name)
        first = {number for number, _ in hits}
        hops = [
            NameHop(number, round(score, 6), "" if number in first else reached.get(number, ""))
            for number, score in scores.items()
        ]
        return sorted(hops, key=lambda one: (-one.score, one.number))

    def _asked_titles(self, asked: str) -> list[str]:
        words = asked.split()
        spans = {
            " ".join(words[start:end])
            for start in range(len(words))
            for end in range(start + 1, min(len(words), start + LONGEST_TITLE) + 1)
        }
        return sorted(one for one in spans if one in self._titles and not self._is_common(one))

    def _names_of_best(self, scores: Mapping[int, float], asked: str) -> dict[str, float]:
        """Names in the best hits that the question does not say, each by its hit and its rarity."""
        weights: dict[str, float] = {}
        for number, score in sorted(scores.items(), key=lambda one: (-one[1], one[0]))[:FROM_HITS]:
            title, own = self._names.get(number, ("", frozenset()))
            for name in sorted({title, *own}):
                if name and f" {name} " not in asked and not self._is_common(name):
                    weights[name] = max(weights.get(name, 0.0), score * self._rarity(name))
        return weights

    def _rarity(self, name: str) -> float:
        known = len(self._names)
        return math.log(1 + known / (1 + self._count(name))) / math.log(1 + known) if known else 0.0

    def _count(self, name: str) -> int:
        return len(self._titles.get(name, ())) + len(self._mentions.get(name, ()))

    def _is_common(self, name: str) -> bool:
        return self._count(name) > max(COMMON * len(self._names), 3)

    def _catch_up(self) -> None:
        last = self._episodes.last()
        if last < self._upto:  # the episodes were replaced
            self._upto = 0
            for kept in (self._titles, self._mentions, self._names):
                kept.clear()
        if last == self._upto:
            return
        for episode in self._episodes.after(max(self._upto, last - MOST_EPISODES)):
            self._take(episode)
        self._upto = last

    def _take(self, episode: Episode) -> None:
        title, own = names_in(episode.draft.content)
        if not title:
            return
        self._names[episode.number] = title, frozenset(own)
        self._titles[title].append(episode.number)
        for name in own - {title}:
            self._mentions[name].append(episode.number)


def names_in(text: str) -> tuple[str, set[str]]:
    """The title of a text, if its first line is one, and the names in it."""
    first, _, rest = text.partition("\n")
    titled = (
        bool(rest.strip()) and 0 < len(first.split()) <= LONGEST_TITLE and not first.rstrip().endswith((".", "?", "!"))
    )
    title = names.fold(_AFTER_NAME.sub("", first)) if titled else ""
    body = rest if titled else text
    if not title:
        return "", set()
    found = {names.fold(name) for sentence in _SENTENCE.split(body) for name in find_names(sentence)}
    return title, {one for one in found if one}
