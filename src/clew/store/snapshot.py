"""The data that queries compute on: all postings of a checkout, inverted, in one memory-mapped file.

A snapshot is named by its signature, written once and never changed; it depends on contents alone, not on the order
of their arrival. An overlay has the same arrays, made in memory from a few files.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from itertools import count
from pathlib import Path

import numpy as np
from blake3 import blake3
from msgspec import Struct

from clew.model.errors import Unavailable
from clew.store.adjacency import Adjacency, adjacency
from clew.store.arrays import Array, Sections, map_arrays, narrow, section, write_arrays
from clew.store.chunk_vectors import ChunkVectors
from clew.store.heads import SUFFIX as SUFFIX
from clew.store.links import DIGEST_BYTES as LINK_DIGEST_BYTES
from clew.store.links import PackedLinks
from clew.store.packing import unpack
from clew.store.postings import HIGHEST_FREQUENCY, Field, PackedWords, is_made_alike
from clew.store.strings import SortedStrings, strings
from clew.text.paths import lies_among
from clew.text.terms import Lexicon

# Paths of files as arrays: the words of their names and of their folders, and the file role that follows from them.


class Whereabouts:
    """By term, the files with it in their names, and those with it in their folders' names, in order. By file, the
    length of its name."""

    lengths = section("name_lengths")  # in terms; at least one
    among = section("among")  # `text.paths.Among`, by file
    _at = section("place_at")
    _files = section("place_files")

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self.arrays = arrays

    @cached_property
    def _terms(self) -> SortedStrings:
        return SortedStrings(self.arrays["place_words"], self.arrays["place_word_at"])

    def of(self, term: str) -> tuple[Array, Array]:
        """The files with the term in their names, and those with it in their folders' names."""
        number = self._terms.find(term)
        if number < 0:
            return self._files[:0], self._files[:0]
        start, middle, end = self._at[2 * number : 2 * number + 3].tolist()
        return self._files[start:middle], self._files[middle:end]


def whereabouts(paths: Sequence[str], made: Sequence[bool]) -> dict[str, Array]:
    """The arrays of `Whereabouts`, from paths in order; `made` says which files a program wrote."""
    terms_of = lru_cache(maxsize=None)(lambda part: frozenset(lexicon.terms(part)))
    lexicon = Lexicon()
    found: dict[str, tuple[list[int], list[int]]] = {}
    lengths = np.ones(len(paths), np.uint8)
    for number, path in enumerate(paths):
        *outer, name = path.split("/")
        own = terms_of(name.partition(".")[0] or name)
        lengths[number] = min(max(len(own), 1), 255)
        for term in own:
            found.setdefault(term, ([], []))[0].append(number)
        for term in frozenset().union(*map(terms_of, outer)):
            found.setdefault(term, ([], []))[1].append(number)
    terms = sorted(found, key=str.encode)
    lists = [files for term in terms for files in found[term]]
    return {
        **strings("place_words", "place_word_at", terms),
        "place_at": np.cumsum([0, *map(len, lists)], dtype=np.uint32),
        "place_files": np.array([number for files in lists for number in files], np.uint32),
        "name_lengths": lengths,
        "among": np.array([lies_among(*one) for one in zip(paths, made, strict=True)], np.uint8),
    }


_Part = tuple[Array, Array, Array]  # of a file, entry by entry: the word's number, the place, the frequency
DIGEST_BYTES = 32
STATE_BYTES = DIGEST_BYTES + LINK_DIGEST_BYTES  # of a file: its text, and where its names lead
NO_LINKS = bytes(LINK_DIGEST_BYTES)  # of a file that was not linked yet
FIELD_BITS = 3  # a place is a document's number and, in its lowest bits, the field
FILES_AT_ONCE = 64  # that are expanded together: what lies between stays small
OTHERS_SECONDS = 86_400.0
_TERM_BITS, _PLACE_BITS, _FREQUENCY_BITS = 24, 32, 8


class Source(Struct, frozen=True):
    """One file that goes into a snapshot."""

    path: str
    digest: bytes
    language: str
    words: bytes
    links: bytes = b""
    link_digest: bytes = NO_LINKS


class Postings:
    """The inverted index of some files: for each term the documents and fields it stands in, and how often.

    Places and lengths go by document, everything else by chunk or file. The documents of a chunk begin at
    `document_of`, which has the end of the last one too: first the whole, then its passages.
    """

    at = section("at")
    places = section("places")
    frequencies = section("frequencies")
    lengths = section("lengths")
    vectors = section("vectors")
    document_of = section("document_of")
    kinds = section("kinds")
    file_of = section("file_of")
    first_of = section("first_of")
    language_of = section("language_of")
    digests = section("digests")

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self.arrays = arrays
        self.whereabouts = Whereabouts(arrays)
        self.graph = Adjacency(arrays)

    @property
    def is_damaged(self) -> bool:
        """Whether a section was found that is not as it was written."""
        return isinstance(self.arrays, Sections) and self.arrays.is_damaged

    @cached_property
    def terms(self) -> SortedStrings:
        return SortedStrings(self.arrays["words"], self.arrays["word_at"])

    @cached_property
    def paths(self) -> SortedStrings:
        return SortedStrings(self.arrays["paths"], self.arrays["path_at"])

    @cached_property
    def languages(self) -> SortedStrings:
        return SortedStrings(self.arrays["languages"], self.arrays["language_at"])

    @property
    def chunks(self) -> int:
        return len(self.kinds)

    @property
    def documents(self) -> int:
        return len(self.lengths)

    @property
    def has_passages(self) -> bool:
        return self.documents > self.chunks

    @cached_property
    def vector_lengths(self) -> Array:
        """By chunk."""
        squares: Array = np.einsum("ij,ij->i", self.vectors, self.vectors, dtype=np.int32)
        return np.sqrt(squares.astype(np.float32))

    @cached_property
    def chunk_of(self) -> Array:
        """By document."""
        return np.repeat(np.arange(self.chunks, dtype=np.uint32), np.diff(self.document_of))

    @cached_property
    def is_whole(self) -> Array:
        """By document."""
        wholes = np.zeros(self.documents, np.bool_)
        wholes[self.document_of[:-1]] = True
        return wholes

    @cached_property
    def passages(self) -> Array:
        """The documents that are one."""
        return np.flatnonzero(~self.is_whole)

    @cached_property
    def passages_in(self) -> Array:
        """The chunks that they are of."""
        return self.chunk_of.take(self.passages).astype(np.intp)

    def digest(self, file: int) -> bytes:
        """Digest of the file's text."""
        return bytes(self.digests[file, :DIGEST_BYTES])


def signature(files: Iterable[tuple[str, bytes, str]]) -> str:
    """Digest of paths, text digests, links and languages, in path order."""
    digest = blake3()
    for path, state, language in files:
        digest.update(b"\0".join((path.encode(), state, language.encode(), b"")))
    return digest.hexdigest()[:32]


class _Gathered:
    """The parts of some files together: for one alone, numpy takes longer to begin than to do it.

    Put together at once, so that the room of the small ones serves the next.
    """

    def __init__(self) -> None:
        self._few: list[_Part] = []
        self._groups: list[_Part] = []

    def add(self, part: _Part) -> None:
        self._few.append(part)
        if len(self._few) == FILES_AT_ONCE:
            self._group()

    def all(self) -> list[_Part]:
        self._group()
        return self._groups

    def _group(self) -> None:
        if self._few:
            words, places, frequencies = zip(*self._few, strict=True)
            self._groups.append((np.concatenate(words), np.concatenate(places), np.concatenate(frequencies)))
            self._few.clear()


def invert(sources: Iterable[Source]) -> dict[str, Array]:
    """The arrays of `Postings` and its graph, from files in path order."""
    numbers: defaultdict[bytes, int] = defaultdict(count().__next__)
    gathered = _Gathered()
    kinds, wholes, chunk_counts = [], [], []
    paths, made, digests, languages, links = [], [], [], [], []
    documents = 0
    for source in sources:
        packed = PackedWords(source.words)
        own = np.fromiter(map(numbers.__getitem__, packed.vocabulary), np.uint32, len(packed.vocabulary))
        document = np.repeat(np.arange(documents, documents + len(packed.entries), dtype=np.uint32), packed.entries)
        # A copy: what it is cut from is several times as large.
        gathered.add((own[packed.words], (document << FIELD_BITS) | packed.fields, packed.frequencies.copy()))
        kinds.append(packed.kinds)
        wholes.append(packed.wholes + np.uint32(documents))
        chunk_counts.append(len(packed.kinds))
        documents += len(packed.entries)
        paths.append(source.path)
        made.append(packed.made)
        digests.append(np.frombuffer(source.digest + source.link_digest, np.uint8))
        languages.append(source.language)
        links.append((source.path, source.links))
    words, spoken = list(numbers), sorted(set(languages))
    numbers.clear()
    document_of = np.append(_concatenate(wholes, np.uint32), np.uint32(documents))
    return {
        **_by_term(words, gathered.all(), document_of),
        **strings("paths", "path_at", paths),
        **strings("languages", "language_at", spoken),
        **whereabouts(paths, made),
        "kinds": _concatenate(kinds, np.uint8),
        "document_of": document_of,
        "file_of": np.repeat(np.arange(len(paths), dtype=np.uint32), chunk_counts),
        "first_of": np.cumsum([0, *chunk_counts], dtype=np.uint32),
        "language_of": np.array([spoken.index(language) for language in languages], np.uint16),
        "digests": np.array(digests, np.uint8).reshape(len(paths), STATE_BYTES),
        **adjacency((path, unpack(data, PackedLinks) if data else PackedLinks()) for path, data in links),
    }


def write(directory: Path, name: str, arrays: dict[str, Array]) -> Path:
    """Put a snapshot in place, whole or not at all."""
    target = directory / f"{name}{SUFFIX}"
    write_arrays(target, arrays)
    return target


def load(path: Path) -> Postings | None:
    """A snapshot, mapped; None if it is not there or not whole."""
    arrays = map_arrays(path)
    return Postings(arrays) if arrays is not None else None


def sweep(directory: Path, keep: set[str], older_than: float) -> None:
    """Remove unused snapshots and files that killed processes left half-written.

    Files of another release are kept for a while: it may be at work here, too.
    """
    for file in (*directory.glob(f"*{SUFFIX}"), *directory.glob("*.over"), *directory.glob("*.part")):
        with suppress(OSError):  # another process swept it, or has it open where that forbids removing
            age = 0.0 if is_made_alike(file.name) else OTHERS_SECONDS
            if file.stem not in keep and file.stat().st_mtime < older_than - age:
                file.unlink()


def _by_term(words: list[bytes], parts: list[_Part], document_of: Array) -> dict[str, Array]:
    """Make terms of the words, and bring together the places of each; and the vectors that the terms make."""
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    flat, counts = _terms_of(words, numbers)
    words.clear()
    terms = sorted(numbers)  # code points sort as their UTF-8 bytes do
    if len(terms) >= 1 << _TERM_BITS:
        raise Unavailable(f"{len(terms)} different terms are more than a snapshot can hold")
    rank = np.empty(len(terms), np.uint64)
    rank[np.fromiter(map(numbers.__getitem__, terms), np.uint32, len(terms))] = np.arange(len(terms), dtype=np.uint64)
    numbers.clear()
    vectors = ChunkVectors(terms, document_of[:-1], int(document_of[-1]))
    keys, lengths = _expand(parts, rank[flat], counts, int(document_of[-1]), vectors)
    rows = vectors.rows
    del vectors  # what it makes them of is as large as all of them
    keys.sort()
    found = {**strings("words", "word_at", terms), **_sum_frequencies(keys, len(terms))}
    return {**found, "lengths": lengths, "vectors": rows}


def _terms_of(words: list[bytes], numbers: Mapping[str, int]) -> tuple[Array, Array]:
    """The numbers of the terms of all words, and how many each word has."""
    lexicon = Lexicon()
    flat, counts = array("I"), array("q")
    for word in words:
        found = lexicon.terms(word.decode("utf-8", "replace"))
        flat.extend(map(numbers.__getitem__, found))
        counts.append(len(found))
    return np.frombuffer(flat, np.uint32), np.frombuffer(counts, np.int64)


def _expand(
    parts: list[_Part], flat: Array, counts: Array, documents: int, vectors: ChunkVectors
) -> tuple[Array, Array]:
    """One key per term and place: the term, the place and the frequency in one number, so that sorting is plain.

    With them the lengths: how many terms each document has, by field. `vectors` are told of all.
    """
    starts = np.cumsum(counts) - counts
    keys: Array = np.empty(sum(int(counts[words].sum()) for words, _, _ in parts), np.uint64)
    lengths = np.zeros(documents << FIELD_BITS, np.uint32)
    at = 0
    while parts:  # part by part, so that what lies between stays small, and what is done is let go of
        words, places, frequencies = parts.pop()
        repeats = counts[words]
        total = int(repeats.sum())
        within = np.arange(total) - np.repeat(np.cumsum(repeats) - repeats, repeats)
        terms = flat[np.repeat(starts[words], repeats) + within]
        low = (places.astype(np.uint64) << np.uint64(_FREQUENCY_BITS)) | frequencies
        keys[at : at + total] = (terms << np.uint64(_PLACE_BITS + _FREQUENCY_BITS)) | np.repeat(low, repeats)
        at += total
        if total:
            vectors.add(
                terms.astype(np.intp), np.repeat(places >> FIELD_BITS, repeats), np.repeat(frequencies, repeats)
            )
            first = int(places.min())
            of_part = np.bincount(places - np.uint32(first), weights=repeats * frequencies).astype(np.uint32)
            lengths[first : first + len(of_part)] += of_part
    return keys, narrow(lengths.reshape(documents, 1 << FIELD_BITS)[:, : len(Field)])


def _sum_frequencies(keys: Array, terms: int) -> dict[str, Array]:
    """Sorted keys, apart again; a term that several words of one place share has their sum."""
    frequencies = keys.astype(np.uint8)  # the lowest bits
    keys >>= np.uint64(_FREQUENCY_BITS)
    is_first = np.ones(len(keys), np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    at = np.searchsorted(keys, np.arange(terms + 1, dtype=np.uint64) << np.uint64(_PLACE_BITS))
    places = keys.astype(np.uint32)
    if not is_first.all():  # few are not: to put all of them together anew would take most of the room there is
        further = np.flatnonzero(~is_first)
        summed, starts = np.unique(further - np.arange(1, len(further) + 1), return_index=True)
        more = np.add.reduceat(frequencies[further], starts, dtype=np.uint32)
        places, frequencies = places[is_first], frequencies[is_first]
        frequencies[summed] = np.minimum(more + frequencies[summed], HIGHEST_FREQUENCY)
        at -= np.searchsorted(further, at)
    return {"at": narrow(at), "places": places, "frequencies": frequencies}


def _concatenate(parts: list[Array], kind: type[np.generic]) -> Array:
    return np.concatenate(parts).astype(kind, copy=False) if parts else np.zeros(0, kind)
