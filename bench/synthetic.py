"""Corpora of any size, made of one checkout's index: its files again and again, each copy in other words.

No file is written: the postings of each are taken from the index and inverted as a snapshot is made. A copy keeps how
long its documents are and how often each of its words stands where; which words those are differs. What only one file
of the checkout says becomes a word of its own in each copy, so that the vocabulary grows as it does in the world; the
others change places with words of like frequency. Edges lead from a copy to itself.
"""

import random
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from string import ascii_lowercase
from typing import NamedTuple

from msgspec.structs import replace

from clew.engine import Engine
from clew.index.history import git
from clew.model.code import EXTERNAL, FileVersion
from clew.model.time import AsOf
from clew.store import heads, snapshot
from clew.store.commits import pack_commits
from clew.store.files import Files, IndexedFile
from clew.store.heads import Head
from clew.store.histories import Histories, Together
from clew.store.links import PackedLinks
from clew.store.packing import pack, pack_text, unpack, unpack_text
from clew.store.postings import PackedWords, snapshot_name
from clew.store.snapshot import Source
from clew.store.together import together

SEED = 4
BAND = 32  # words next to each other by frequency, which change places
COMMITS = 4_000  # as many as the default reads
MOST_FILES = 30  # of a commit
HEADER = struct.Struct("<III")  # of packed words: bytes of the vocabulary, documents, entries


class Original(NamedTuple):
    """A file of the checkout, and how many chunks it has."""

    source: Source
    chunks: int


class Made(NamedTuple):
    """Counts of what was generated, and the names of the copies."""

    files: int
    chunks: int
    documents: int
    terms: int
    copies: int
    bytes: int


def build(engine: Engine, size: int, into: Path) -> Made:
    """A snapshot of about so many chunks where `Corpora` looks for one, and folders that lead to the checkout."""
    originals = list(_originals(engine))
    whole = sum(one.chunks for one in originals)
    chosen = originals[:: max(1, round(whole / size))] if size < whole else originals
    bands = _bands(one.source for one in originals)
    arrays = snapshot.invert(_resampled(chosen, size, bands))
    directory = heads.folder(into, engine.where)
    directory.mkdir(parents=True, exist_ok=True)
    state = engine.checkouts.state(engine.where)
    name = snapshot_name(f"{size:032}")
    file = snapshot.write(directory, name, arrays)
    heads.write(directory, Head(name, state.stamp, state.changed))
    copies = -(-size // max(1, sum(one.chunks for one in chosen)))
    for copy in range(copies):
        (into / letters(copy)).symlink_to(engine.place.root, target_is_directory=True)
    postings = snapshot.Postings(arrays)
    counted = len(postings.paths), postings.chunks, postings.documents, len(postings.terms)
    return Made(*counted, copies, file.stat().st_size)


class Copied(Files):
    """The texts of copies are those of the originals, read from the checkout's own index."""

    def find_text(self, path: str, text: bytes) -> IndexedFile:
        return super().find_text(path.partition("/")[2], text)

    def get(self, path: str, at: AsOf) -> FileVersion | None:
        return super().get(path.partition("/")[2], at)


class Retold(Histories):
    """The checkout's last commits, each of which now speaks of one of the copies."""

    def __init__(self, engine: Engine, copies: int) -> None:
        super().__init__(engine.db, engine.where)
        chance = random.Random(SEED)
        told: list[tuple[str, tuple[str, ...], dict[str, int]]] = [
            (message, tuple(f"{name}/{path}" for path in paths), {})
            for message, paths, _ in git.changes(engine.place.root, COMMITS)
            for name in [letters(chance.randrange(copies))]
        ]
        self._told = pack_commits(told, MOST_FILES)
        together = super().together()
        self._beside = {
            f"{name}/{path}": tuple(replace(one, target=f"{name}/{one.target}") for one in shown)
            for name in map(letters, range(copies))
            for path, shown in together.items()
        }

    def commits(self) -> bytes:
        return self._told

    def together(self) -> Together:
        return self._beside


def letters(number: int) -> str:
    return "".join(ascii_lowercase[number // 26**place % 26] for place in (2, 1, 0))


def _originals(engine: Engine) -> Iterator[Original]:
    """In path order."""
    contents = sorted(engine.files.contents(), key=lambda one: one.path)
    files = [one.file for one in contents]
    asked = partial(engine.extracts.words_later, files), partial(engine.links.each_later, files)
    for one, words, links in zip(contents, *together(engine.db, *asked), strict=True):
        chunks = len(PackedWords(words).kinds)
        if chunks:
            yield Original(Source(one.path, one.text, one.language, words, links), chunks)


def _bands(sources: Iterable[Source]) -> list[list[bytes]]:
    """The words of a checkout by how many files have them; first those that only one has."""
    counts = Counter(word for source in sources for word in PackedWords(source.words).vocabulary)
    single = [word for word, count in counts.items() if count == 1]
    shared = sorted((word for word, count in counts.items() if count > 1), key=lambda word: (-counts[word], word))
    return [single, *(shared[at : at + BAND] for at in range(0, len(shared), BAND))]


def _resampled(chosen: Sequence[Original], size: int, bands: Sequence[list[bytes]]) -> Iterator[Source]:
    left, copy = size, 0
    while left > 0:
        words = _words(copy, bands)
        for source, chunks in chosen:
            if left <= 0:
                return
            left -= chunks
            within = f"{letters(copy)}/"
            reworded = _reworded(source.words, words)
            links = _led_within(source.links, within) if source.links else b""
            yield Source(within + source.path, source.digest, source.language, reworded, links)
        copy += 1


def _words(copy: int, bands: Sequence[list[bytes]]) -> Mapping[bytes, bytes]:
    """By word of the checkout, that of a copy; the first copy is as the checkout."""
    if not copy:
        return {}
    chance = random.Random(SEED + copy)
    single, *shared = bands
    own = letters(copy).encode()
    found = {word: word + own for word in single}
    for band in shared:
        found.update(zip(band, chance.sample(band, len(band)), strict=True))
    return found


def _led_within(packed: bytes, within: str) -> bytes:
    """The same edges between the files of a copy; what is outside stays there."""
    links = unpack(packed, PackedLinks)
    names = [name if name.startswith(EXTERNAL) else within + name for name in links.target_names]
    return pack(replace(links, target_names=names))


def _reworded(packed: bytes, words: Mapping[bytes, bytes]) -> bytes:
    """The same entries with another vocabulary."""
    raw = unpack_text(packed)
    length, documents, entries = HEADER.unpack_from(raw)
    end = HEADER.size + length
    old = raw[HEADER.size : end].split(b"\n") if length else []
    new = b"\n".join(words.get(word, word) for word in old)
    return pack_text(HEADER.pack(len(new), documents, entries) + new + raw[end:])
