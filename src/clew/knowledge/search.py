"""Searching knowledge by words: which nodes say what a question says, and how much of it.

The score of a node is the share of the question's information that it has: the rarity of the terms that it contains,
of the rarity of all terms. Rows that the caller may not read have no influence, not even on rarity.
"""

import math
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from clew.knowledge import names
from clew.knowledge.catalog import KnowledgeCatalog, KnowledgeReader
from clew.model.knowledge import KnowledgeBody, KnowledgeKind, KnowledgeRecord, KnowledgeScope
from clew.store.arrays import Array
from clew.text.terms import Lexicon, count_words

SATURATION = 0.4  # of a term that is said several times
LENGTH_DISCOUNT = 0.15  # of long nodes
LONGEST_NAME = 6  # words of a name that is looked for in a question
MOST_MEANT = 1000  # nodes, the newest, that the bundled model compares with a question whose words say little
LEAST_COSINE = 0.35  # of the bundled model; unrelated short texts are rarely as near
MEANT_WEIGHT = 0.9  # of a cosine, as a score
MOST_BY_MEANING = 5

Near = Callable[[str, Sequence[str]], Array]


class NodeMatch(NamedTuple):
    """A node that a question is about: its score from 0 to 1, and the words that it says, or how it was found."""

    id: str
    score: float
    words: tuple[str, ...] = ()
    how: str = "words"


class _NodePosting:
    __slots__ = ("frequencies", "rows")

    def __init__(self) -> None:
        self.rows = array("I")
        self.frequencies = array("B")


class _Rows:
    """Growing arrays of the index, by row."""

    def __init__(self) -> None:
        self.groups = array("I")
        self.lengths = array("f")
        self.alive = bytearray()
        self.ids: list[str] = []


class KnowledgeIndex:
    """The words of all nodes. A changed node gets a new row; its old one is dead."""

    def __init__(self) -> None:
        self.upto = 0
        self._lexicon = Lexicon()
        self._terms_of: dict[bytes, tuple[str, ...]] = {}
        self._postings: dict[str, _NodePosting] = {}
        self._rows = _Rows()
        self._row_of: dict[str, int] = {}
        self._groups: dict[tuple[KnowledgeScope, str, bool], int] = {}

    def __len__(self) -> int:
        return len(self._rows.ids)

    def take(self, record: KnowledgeRecord, *, ended: bool) -> None:
        """Add or replace the row of a node."""
        if (old := self._row_of.pop(record.id, None)) is not None:
            self._rows.alive[old] = 0
        if ended:
            return
        row = len(self)
        counts = self._counts(record.text)
        for term, frequency in counts.items():
            posting = self._postings.get(term)
            if posting is None:
                posting = self._postings[term] = _NodePosting()
            posting.rows.append(row)
            posting.frequencies.append(min(frequency, 255))
        group = (record.scope, record.owner, record.sensitive)
        self._rows.groups.append(self._groups.setdefault(group, len(self._groups)))
        self._rows.lengths.append(sum(counts.values()))
        self._rows.alive.append(1)
        self._rows.ids.append(record.id)
        self._row_of[record.id] = row

    def readable(self, reader: KnowledgeReader) -> Array:
        """The rows that the caller may read."""
        allowed = np.array([_may_read(reader, group) for group in self._groups], np.bool_)
        alive = np.frombuffer(self._rows.alive, np.uint8).astype(np.bool_)
        return alive & allowed[np.frombuffer(self._rows.groups, np.uint32)] if len(alive) else alive

    def scores(self, question: str, seen: Array) -> tuple[Array, dict[str, str]]:
        """The share of the question that each row says; and the question's terms with their words."""
        terms = self._lexicon.question(question)
        found = np.zeros(len(self))
        known = int(seen.sum())
        possible = 0.0
        lengths = np.frombuffer(self._rows.lengths, np.float32) if len(self) else np.zeros(0, np.float32)
        for term in terms:
            rows, frequencies = self._seen_in(term, seen)
            rare = math.log(1 + (known - len(rows) + 0.5) / (len(rows) + 0.5)) if known else 1.0
            possible += rare
            if len(rows):
                norm = SATURATION * (1 - LENGTH_DISCOUNT + LENGTH_DISCOUNT * np.minimum(lengths[rows] / 12.0, 4.0))
                found[rows] += rare * np.minimum(1.0, (1 + SATURATION) * frequencies / (frequencies + norm))
        return (np.minimum(found / possible, 1.0) if possible else found), terms

    def best(self, scores: Array, seen: Array, limit: int) -> list[tuple[str, float]]:
        """Ids and scores of the best rows; of equal ones, the first by id."""
        rows = np.flatnonzero(seen & (scores > 0))
        if len(rows) > limit:
            least = np.partition(scores[rows], -limit)[-limit]
            rows = rows[scores[rows] >= least]
        found = [(self._rows.ids[row], round(float(scores[row]), 6)) for row in rows]
        return sorted(found, key=lambda one: (-one[1], one[0]))[:limit]

    def score_of(self, ids: Iterable[str], scores: Array) -> dict[str, float]:
        return {one: float(scores[row]) for one in ids if (row := self._row_of.get(one)) is not None}

    def newest(self, seen: Array, limit: int) -> list[str]:
        return [self._rows.ids[row] for row in np.flatnonzero(seen)[-limit:]]

    def words_in(self, record: KnowledgeRecord, terms: Mapping[str, str]) -> tuple[str, ...]:
        """The question's words that a node says."""
        counts = self._counts(record.text)
        return tuple(dict.fromkeys(word for term, word in terms.items() if term in counts))

    def count_of(self, term: str, seen: Array) -> int:
        return len(self._seen_in(term, seen)[0])

    def _seen_in(self, term: str, seen: Array) -> tuple[Array, Array]:
        posting = self._postings.get(term)
        if posting is None:
            return np.zeros(0, np.uint32), np.zeros(0)
        rows = np.frombuffer(posting.rows, np.uint32)
        shown = seen[rows]
        return rows[shown], np.frombuffer(posting.frequencies, np.uint8)[shown].astype(np.float64)

    def _counts(self, text: str) -> dict[str, int]:
        counts: dict[str, int] = {}
        for word, frequency in count_words(text.encode("utf-8", "replace")).items():
            terms = self._terms_of.get(word)
            if terms is None:
                terms = self._terms_of[word] = self._lexicon.terms(word.decode("utf-8", "replace"))
            for term in terms:
                counts[term] = counts.get(term, 0) + frequency
        return counts


class SearchHits(NamedTuple):
    """Matches, best first, and the score of any node for the question."""

    matches: tuple[NodeMatch, ...]
    named: tuple[str, ...]
    similarity: Callable[[str], float]
    terms: Mapping[str, str]


class KnowledgeSearch:
    """Over the current nodes of a catalog."""

    def __init__(self) -> None:
        self._index = KnowledgeIndex()
        self._of: KnowledgeCatalog | None = None

    def find(
        self, catalog: KnowledgeCatalog, reader: KnowledgeReader, question: str, limit: int, near: Near | None = None
    ) -> SearchHits:
        index = self.level(catalog)
        seen = index.readable(reader)
        scores, terms = index.scores(question, seen)
        named = find_named(catalog, reader, question)
        best = dict(index.best(scores, seen, limit + len(named)))
        how = {entity: f"named {name!r}" for entity, name in named.items()}
        for entity, name in named.items():
            best[entity] = max(best.get(entity, 0.0), 1.0 if len(terms) <= len(name.split()) else 0.9)
        if near is not None and sum(score >= 0.5 for score in best.values()) < limit:
            for node, score in self._by_meaning(catalog, reader, question, near, seen).items():
                if score > best.get(node, 0.0):
                    best[node], how[node] = score, "meaning"
        ordered = sorted(best.items(), key=lambda one: (-one[1], one[0]))[:limit]
        matches = []
        for node, score in ordered:
            record = catalog.get(node, reader)
            if record is not None and record.is_node and record.id == node:
                words = index.words_in(record, terms)
                matches.append(NodeMatch(node, round(score, 6), words, how.get(node, "words")))

        def similarity(id: str) -> float:
            return max(index.score_of([id], scores).get(id, 0.0), best.get(id, 0.0))

        return SearchHits(tuple(matches), tuple(named), similarity, terms)

    def frequencies(
        self, catalog: KnowledgeCatalog, reader: KnowledgeReader, terms: Iterable[str]
    ) -> tuple[dict[str, int], int]:
        """In how many nodes that the caller may read each term is, and how many these are."""
        index = self.level(catalog)
        seen = index.readable(reader)
        return {term: index.count_of(term, seen) for term in terms}, int(seen.sum())

    def level(self, catalog: KnowledgeCatalog) -> KnowledgeIndex:
        """The index of a catalog, with all its nodes."""
        if self._of is not catalog or catalog.last < self._index.upto:
            self._index, self._of = KnowledgeIndex(), catalog
        index = self._index
        if index.upto < catalog.last:
            for record, ended in catalog.changes_since(index.upto):
                if record.is_node:
                    index.take(record, ended=ended)
            index.upto = catalog.last
        return index

    def _by_meaning(
        self, catalog: KnowledgeCatalog, reader: KnowledgeReader, question: str, near: Near, seen: Array
    ) -> dict[str, float]:
        newest = self._index.newest(seen, MOST_MEANT)
        records = [one for node in newest if (one := catalog.get(node, reader)) is not None]
        if not records:
            return {}
        cosines = near(question, [one.text for one in records])
        nearest = np.argsort(-cosines, kind="stable")[:MOST_BY_MEANING]
        return {
            records[at].id: round(MEANT_WEIGHT * float(cosines[at]), 6) for at in nearest if cosines[at] >= LEAST_COSINE
        }


def find_named(catalog: KnowledgeCatalog, reader: KnowledgeReader, question: str) -> dict[str, str]:
    """Entities whose whole name or alias stands in a question, with the name; longer names first."""
    words = question.replace("?", " ").replace(",", " ").replace("!", " ").split()
    found: dict[str, str] = {}
    taken: set[int] = set()
    for length in range(min(LONGEST_NAME, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            span = range(start, start + length)
            if taken.intersection(span):
                continue
            name = " ".join(words[start : start + length]).strip(".:;\"'()").removesuffix("'s")
            if not _may_be_name(name):
                continue
            match = catalog.find_entity(name, reader)
            if match is not None:
                found.setdefault(match.record.id, name)
                for other in match.others:
                    found.setdefault(other, name)
                taken.update(span)
    return found


def _may_be_name(name: str) -> bool:
    """A single word that every question may have is no name, unless it is written as one."""
    folded = names.fold(name)
    return bool(folded) and (" " in folded or folded not in COMMON or (name[:1].isupper() and not name.istitle()))


COMMON = frozenset(
    "a about after again all am an and any are as at be because been before being between but by can could did "
    "do does doing down for from had has have he her here him his how i if in into is it its just know last "
    "let made make many may me more most much must my new next no not now of off old on once one only or other "
    "our out over own said same say she should show so some still such take tell than that the their them then "
    "there these they this those through time to too two up us use used very was we well were what when where "
    "which while who whom whose why will with would yes you your happened happen happens".split()
)


def _may_read(reader: KnowledgeReader, group: tuple[KnowledgeScope, str, bool]) -> bool:
    scope, owner, sensitive = group
    probe = KnowledgeRecord("", KnowledgeKind.ENTITY, KnowledgeBody(), reader.who, scope, owner, sensitive)
    return reader.may_read(probe)
