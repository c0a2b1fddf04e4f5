"""What queries compute on: all postings of a checkout, inverted, in one file that is mapped into memory.

A snapshot is named by its signature, written once and never changed; it depends on contents alone, not on the
order in which they arrived. The same arrays, made in memory from a few files, are what is laid over it.
"""

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import numpy as np
from msgspec import Struct

from clew.model.errors import Unavailable
from clew.store.adjacency import Adjacency, adjacency
from clew.store.arrays import Array as Array
from clew.store.arrays import map_arrays, write_arrays
from clew.store.links import DIGEST_BYTES as LINK_DIGEST_BYTES
from clew.store.links import PackedLinks
from clew.store.packing import unpack
from clew.store.postings import HIGHEST_FREQUENCY, Field, PackedWords
from clew.store.strings import Words, strings
from clew.text.terms import Lexicon

SUFFIX = ".snapshot"

DIGEST_BYTES = 32
STATE_BYTES = DIGEST_BYTES + LINK_DIGEST_BYTES  # of a file: its text, and where its names lead
NO_LINKS = bytes(LINK_DIGEST_BYTES)  # of a file that was not linked yet
FIELD_BITS = 3  # a place is a document's number and, in its lowest bits, the field
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

    def __init__(self, arrays: dict[str, Array]) -> None:
        self.terms = Words(arrays["words"], arrays["word_at"])
        self.paths = Words(arrays["paths"], arrays["path_at"])
        self.languages = Words(arrays["languages"], arrays["language_at"])
        self.at: Array = arrays["at"]
        self.places: Array = arrays["places"]
        self.frequencies: Array = arrays["frequencies"]
        self.lengths: Array = arrays["lengths"]
        self.document_of: Array = arrays["document_of"]
        self.kinds: Array = arrays["kinds"]
        self.file_of: Array = arrays["file_of"]
        self.first_of: Array = arrays["first_of"]
        self.language_of: Array = arrays["language_of"]
        self.digests: Array = arrays["digests"]
        self.graph = Adjacency(arrays)

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

    def digest(self, file: int) -> bytes:
        """Of the file's text."""
        return bytes(self.digests[file, :DIGEST_BYTES])


def signature(files: Iterable[tuple[str, bytes, str]]) -> str:
    """Of paths, digests of their texts and links, and languages, in path order."""
    digest = hashlib.sha256()
    for path, state, language in files:
        digest.update(b"\0".join((path.encode(), state, language.encode(), b"")))
    return digest.hexdigest()[:32]


def invert(sources: Iterable[Source]) -> dict[str, Array]:
    """The arrays of `Postings` and its graph, from files in path order."""
    numbers: dict[bytes, int] = {}
    parts: list[tuple[Array, Array, Array]] = []
    kinds, wholes, chunk_counts = [], [], []
    paths, digests, languages, links = [], [], [], []
    documents = 0
    for source in sources:
        packed = PackedWords(source.words)
        own = np.array([numbers.setdefault(word, len(numbers)) for word in packed.vocabulary], np.uint32)
        document = np.repeat(np.arange(documents, documents + len(packed.entries), dtype=np.uint32), packed.entries)
        parts.append((own[packed.words], (document << FIELD_BITS) | packed.fields, packed.frequencies))
        kinds.append(packed.kinds)
        wholes.append(packed.wholes + np.uint32(documents))
        chunk_counts.append(len(packed.kinds))
        documents += len(packed.entries)
        paths.append(source.path)
        digests.append(np.frombuffer(source.digest + source.link_digest, np.uint8))
        languages.append(source.language)
        links.append((source.path, source.links))
    words, spoken = list(numbers), sorted(set(languages))
    numbers.clear()
    return {
        **_by_term(words, parts, documents),
        **strings("paths", "path_at", paths),
        **strings("languages", "language_at", spoken),
        "kinds": _joined(kinds, np.uint8),
        "document_of": np.append(_joined(wholes, np.uint32), np.uint32(documents)),
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
    try:
        arrays = map_arrays(path)
        return Postings(arrays) if arrays else None
    except KeyError:
        return None


def sweep(directory: Path, keep: set[str], older_than: float) -> None:
    """Remove the snapshots nobody needs, and what killed processes left half-written."""
    for file in (*directory.glob(f"*{SUFFIX}"), *directory.glob("*.part")):
        with suppress(OSError):  # another process swept it, or has it open where that forbids removing
            if file.stem not in keep and file.stat().st_mtime < older_than:
                file.unlink()


def _by_term(words: list[bytes], parts: list[tuple[Array, Array, Array]], documents: int) -> dict[str, Array]:
    """Make terms of the words, and bring together the places of each."""
    lexicon = Lexicon()
    found = [lexicon.terms(word.decode("utf-8", "replace")) for word in words]
    terms = sorted({term for one in found for term in one}, key=str.encode)
    if len(terms) >= 1 << _TERM_BITS:
        raise Unavailable(f"{len(terms)} different terms are more than a snapshot can hold")
    rank = {term: i for i, term in enumerate(terms)}
    flat = np.array([rank[term] for one in found for term in one], np.uint64)
    counts = np.array([len(one) for one in found], np.int64)
    del found, rank
    keys = _expanded(parts, flat, counts)
    parts.clear()  # as large as the keys, and no longer needed
    keys.sort()
    return {**strings("words", "word_at", terms), **_summed(keys, len(terms), documents)}


def _expanded(parts: list[tuple[Array, Array, Array]], flat: Array, counts: Array) -> Array:
    """One key per term and place: the term, the place and the frequency in one number, so that sorting is plain."""
    starts = np.cumsum(counts) - counts
    keys: Array = np.empty(sum(int(counts[words].sum()) for words, _, _ in parts), np.uint64)
    at = 0
    for words, places, frequencies in parts:  # part by part, so that what lies between stays small
        repeats = counts[words]
        total = int(repeats.sum())
        within = np.arange(total) - np.repeat(np.cumsum(repeats) - repeats, repeats)
        terms = flat[np.repeat(starts[words], repeats) + within]
        low = (places.astype(np.uint64) << np.uint64(_FREQUENCY_BITS)) | frequencies
        keys[at : at + total] = (terms << np.uint64(_PLACE_BITS + _FREQUENCY_BITS)) | np.repeat(low, repeats)
        at += total
    return keys


def _summed(keys: Array, terms: int, documents: int) -> dict[str, Array]:
    """Sorted keys, apart again; a term that several words of one place share has their sum."""
    frequencies = (keys & np.uint64(HIGHEST_FREQUENCY)).astype(np.uint8)
    keys >>= np.uint64(_FREQUENCY_BITS)
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if len(keys) else np.zeros(0, np.int64)
    sums = np.add.reduceat(frequencies, starts, dtype=np.uint32) if len(keys) else np.zeros(0, np.uint32)
    keys = keys[starts]
    places = (keys & np.uint64((1 << _PLACE_BITS) - 1)).astype(np.uint32)
    per_term = np.bincount((keys >> np.uint64(_PLACE_BITS)).astype(np.int64), minlength=terms)
    slots = (places >> FIELD_BITS).astype(np.int64) * len(Field) + (places & ((1 << FIELD_BITS) - 1))
    lengths = np.bincount(slots, weights=sums, minlength=documents * len(Field))
    return {
        "at": np.concatenate(([0], np.cumsum(per_term))).astype(np.uint64),
        "places": places,
        "frequencies": np.minimum(sums, HIGHEST_FREQUENCY).astype(np.uint8),
        "lengths": lengths.astype(np.uint32).reshape(-1, len(Field)),
    }


def _joined(parts: list[Array], kind: type[np.generic]) -> Array:
    return np.concatenate(parts).astype(kind, copy=False) if parts else np.zeros(0, kind)
