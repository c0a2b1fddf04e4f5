"""Ranks definitions before their bare declarations: headers, typings, overloads.

Abstract methods are not handled here: their implementations stand in classes of other names.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from clew.graph.elements import TYPINGS
from clew.languages.plugins import profile_of
from clew.model.code import SCOPE, Chunk, without_numbers
from clew.model.words import CLASSES, Kind
from clew.retrieve.file_role import RoleShares
from clew.retrieve.question import lexicon
from clew.retrieve.retriever import Ask, ChunkPlace, chunks_of, file_at
from clew.retrieve.retrievers.symbol import chunks_named, documents_with
from clew.retrieve.source_cache import Holder
from clew.store.arrays import Array
from clew.store.corpus import Corpus, CorpusPart
from clew.store.postings import KIND_CODES, Field

LOOKED_AT = 50  # of what may be only declared, the best
MOST_OF_A_NAME = 50  # things, of which one may be the definition
DECLARED = 0.5  # of its score, what a declaration keeps beside its definition
_FEW = 2  # words of the body of an overload, if it has one
_OVERLOAD = re.compile(rb"\s*+@(?:\w++\.)*+overload\b")
_FUNCTIONS = [KIND_CODES[kind] for kind in (Kind.FUNCTION, Kind.METHOD)]
_CLASSES = [KIND_CODES[kind] for kind in CLASSES]
_ASKING = frozenset(
    "declaration declarations declared header headers overload overloads prototype prototypes typing typings".split()
)


class Declared(NamedTuple):
    """Scores with definitions first; and where definitions are declared."""

    scores: list[Array]
    locations: Mapping[ChunkPlace, str]


def definitions_first(ask: Ask, held: Holder, scores: list[Array], kept: Sequence[RoleShares]) -> Declared:
    """A definition takes the score of its declaration, which comes behind it.

    Questions that ask for declarations, or name their file, keep them first.
    """
    if not _ASKING.isdisjoint(word.text.lower() for word in ask.question.terms.values()):
        return Declared(scores, {})
    files, asked_for = _files(ask.corpus, held), tuple(frame.path for frame in ask.question.frames)
    bare = ((place, files.definitions(place)) for place in _bare_ones(ask.corpus, scores))
    declared = [one for one in bare if one[1] and not (asked_for and files.path(one[0]).endswith(asked_for))]
    if not declared:
        return Declared(scores, {})
    changed, at = [part.copy() for part in scores], dict[ChunkPlace, ChunkPlace]()
    shares = _shares(ask, kept, {one for place, others in declared for one in (place, *others)})
    for place, definitions in declared:
        if defined := [one for one in definitions if shares[one] >= shares[place]]:
            first = max(defined, key=lambda one: (changed[one.part][one.chunk], -one.part, -one.chunk))
            score = scores[place.part][place.chunk]
            changed[first.part][first.chunk] = max(score, changed[first.part][first.chunk])
            changed[place.part][place.chunk] = score * DECLARED
            at.setdefault(first, place)
    return Declared(changed, {definition: files.location(place) for definition, place in at.items()})


def _shares(ask: Ask, kept: Sequence[RoleShares], places: set[ChunkPlace]) -> dict[ChunkPlace, float]:
    """The share of its score that each keeps by its file role; zero outside of the scope."""
    found: dict[ChunkPlace, float] = {}
    for number in {place.part for place in places}:
        here = [place for place in places if place.part == number]
        chunks = np.array([place.chunk for place in here])
        found |= zip(here, (kept[number][chunks] * ask.allowed[number][chunks]).tolist(), strict=True)
    return found


def _bare_ones(corpus: Corpus, scores: list[Array]) -> Iterator[ChunkPlace]:
    """By part, the best chunks that may be only declarations, as far as the index shows without reading files."""
    for number, part in enumerate(corpus.parts):
        bare = _bare(part)
        some = bare[scores[number][bare] > 0]
        best = some[np.argsort(-scores[number][some], kind="stable")[:LOOKED_AT]]
        yield from (ChunkPlace(number, chunk) for chunk in best.tolist())


@lru_cache(maxsize=4)
def _bare(part: CorpusPart) -> Array:
    """Chunks of typings, and of functions without a body, or that say they are overloads."""
    postings, told = part.postings, part.postings.languages
    is_typed = np.array([path.endswith(TYPINGS) for path in postings.paths], np.bool_)[postings.file_of]
    apart = np.array([profile_of(language).bodies_define for language in told], np.bool_)
    is_apart = apart[postings.language_of][postings.file_of]
    is_empty = postings.lengths[postings.is_whole, Field.CODE] <= _FEW
    is_function = np.isin(postings.kinds, _FUNCTIONS)
    overloads = np.zeros(postings.chunks, np.bool_)
    overloads[postings.chunk_of[documents_with(part, lexicon().terms("overload"), Field.CODE)]] = True
    named = is_typed & (is_function | np.isin(postings.kinds, _CLASSES))
    return np.flatnonzero(named | (is_function & (overloads | (is_empty & is_apart))))


@lru_cache(maxsize=2)
def _files(corpus: Corpus, held: Holder) -> "_Files":
    """Cached between questions."""
    return _Files(corpus, held)


class _Files:
    def __init__(self, corpus: Corpus, held: Holder) -> None:
        self._corpus = corpus
        self._held = held
        self._defined: dict[ChunkPlace, tuple[ChunkPlace, ...]] = {}

    def path(self, place: ChunkPlace) -> str:
        return file_at(self._corpus, place)[1]

    def definitions(self, place: ChunkPlace) -> tuple[ChunkPlace, ...]:
        """The definitions of a bare declaration."""
        if place not in self._defined:
            self._defined[place] = tuple(self._definitions(place)) if self._declares(place) else ()
        return self._defined[place]

    def _declares(self, place: ChunkPlace) -> bool:
        chunk = self._chunk(place)
        if self.path(place).endswith(TYPINGS):
            return True
        if self._family(place) == "py":
            return self._is_overload(place, chunk)
        return chunk.kind not in CLASSES and 0 < chunk.body >= chunk.span.end - 1

    def _definitions(self, place: ChunkPlace) -> Iterator[ChunkPlace]:
        """Chunks with a body and the same name in a scope of the same name."""
        wanted, family = self._chunk(place), self._family(place)
        for one in chunks_named(self._corpus, wanted.label, MOST_OF_A_NAME):
            is_other = one != place and self._family(one) == family and (family != "py" or self._is_beside(one, place))
            if is_other and _is_same(wanted, self._chunk(one)) and not self._declares(one):
                yield one

    def _is_beside(self, one: ChunkPlace, other: ChunkPlace) -> bool:
        """Python's overloads stand in the file of their implementation; typings have files of their own."""
        return self.path(one) == self.path(other) or self.path(other).endswith(TYPINGS)

    def location(self, place: ChunkPlace) -> str:
        return f"{self.path(place)}:{self._chunk(place).span.first}"

    def _chunk(self, place: ChunkPlace) -> Chunk:
        chunks, first = chunks_of(self._corpus, self._held, place)
        return chunks[place.chunk - first]

    def _family(self, place: ChunkPlace) -> str:
        postings = self._corpus.parts[place.part].postings
        return profile_of(postings.languages[postings.language_of[postings.file_of[place.chunk]]]).side

    def _is_overload(self, place: ChunkPlace, chunk: Chunk) -> bool:
        """Python's overloads stand beside their implementation, and are decorated."""
        chunks, _ = chunks_of(self._corpus, self._held, place)
        if sum(_is_same(chunk, one) for one in chunks) < 2:
            return False
        number, path = file_at(self._corpus, place)
        digest = self._corpus.parts[place.part].postings.digest(number)
        text = self._held.opened(path, digest).text(chunk.span.end)
        return _OVERLOAD.match(text, chunk.span.start, chunk.span.end) is not None


def _is_same(one: Chunk, other: Chunk) -> bool:
    """Whether they have the same name in scopes of one name; a namespace around them may be a macro's."""
    first, second = (without_numbers(chunk.scope).split(SCOPE)[-2:] for chunk in (one, other))
    alike = (one.kind in CLASSES) == (other.kind in CLASSES)
    return alike and first[-min(len(first), len(second)) :] == second[-min(len(first), len(second)) :]
