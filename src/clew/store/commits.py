"""Messages and changed files of the latest commits: packed once per commit, opened to rank."""

import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from clew.store.packing import pack, unpack
from clew.text.messages import clean
from clew.text.terms import Lexicon, count_words

if TYPE_CHECKING:
    from clew.store.arrays import Array

_MOST_WORDS = 400  # of one message; what follows is a log, or a list of what was squashed
_HIGHEST = 255


class _Packed(NamedTuple):
    terms: list[str]  # sorted
    starts: bytes  # where the commits of each term begin
    commits: bytes
    frequencies: bytes
    paths: list[str]  # sorted
    path_starts: bytes  # where the paths of each commit begin
    files: bytes


class Commits:
    """Commits by number, the newest first: for each term those that say it, and how often; for each the paths."""

    def __init__(self, data: bytes) -> None:
        import numpy as np  # heavy, and packing needs none of it

        packed = unpack(data, _Packed)
        self.terms = {term: i for i, term in enumerate(packed.terms)}
        self.at: Array = np.frombuffer(packed.starts, "<u4")
        self.commits: Array = np.frombuffer(packed.commits, "<u4")
        self.frequencies: Array = np.frombuffer(packed.frequencies, np.uint8)
        self.paths = packed.paths
        self.path_at: Array = np.frombuffer(packed.path_starts, "<u4")
        self.files: Array = np.frombuffer(packed.files, "<u4")
        self.lengths: Array = np.bincount(self.commits, self.frequencies, len(self))

    def __len__(self) -> int:
        return len(self.path_at) - 1


class CommitWords(NamedTuple):
    """How often the message of a commit has each term, and the paths that it changed."""

    terms: Mapping[str, int]
    paths: Sequence[str]


def pack_commits(history: Iterable[tuple[str, Sequence[str]]], most_files: int) -> bytes:
    """Messages and paths of commits, without commits that change more files than the limit."""
    return pack_words(count_commits((message, paths) for message, paths in history if 0 < len(paths) <= most_files))


def count_commits(history: Iterable[tuple[str, Sequence[str]]]) -> list[CommitWords]:
    lexicon = Lexicon()
    known: dict[bytes, tuple[str, ...]] = {}
    return [CommitWords(_count_terms(message, lexicon, known), [*map(_text, paths)]) for message, paths in history]


def pack_words(chosen: Sequence[CommitWords]) -> bytes:
    said: dict[str, list[tuple[int, int]]] = {}
    for number, commit in enumerate(chosen):
        for term, count in commit.terms.items():
            said.setdefault(term, []).append((number, min(count, _HIGHEST)))
    terms, paths = sorted(said), sorted({path for commit in chosen for path in commit.paths})
    numbers = {path: i for i, path in enumerate(paths)}
    return pack(
        _Packed(
            terms,
            _starts(len(said[term]) for term in terms),
            _u4(number for term in terms for number, _ in said[term]),
            bytes(count for term in terms for _, count in said[term]),
            paths,
            _starts(len(commit.paths) for commit in chosen),
            _u4(numbers[path] for commit in chosen for path in commit.paths),
        )
    )


def unpack_words(data: bytes) -> list[CommitWords]:
    """The reverse of `pack_words`."""
    packed = unpack(data, _Packed)
    starts, commits = _numbers(packed.starts), _numbers(packed.commits)
    path_starts, files = _numbers(packed.path_starts), _numbers(packed.files)
    terms: list[dict[str, int]] = [{} for _ in path_starts[1:]]
    for i, term in enumerate(packed.terms):
        for at in range(starts[i], starts[i + 1]):
            terms[commits[at]][term] = packed.frequencies[at]
    return [
        CommitWords(said, [packed.paths[file] for file in files[path_starts[i] : path_starts[i + 1]]])
        for i, said in enumerate(terms)
    ]


def _text(path: str) -> str:
    """A path's bytes may be no text; no file of that name is indexed, and no other may be lost by it."""
    return path.encode("utf-8", "replace").decode()


def _count_terms(message: str, lexicon: Lexicon, known: dict[bytes, tuple[str, ...]]) -> Counter[str]:
    found: Counter[str] = Counter()
    words = count_words(clean(message).encode("utf-8", "replace"))
    for word, count in list(words.items())[:_MOST_WORDS]:
        if word not in known:
            known[word] = lexicon.terms(word.decode("utf-8", "replace"))
        for term in known[word]:
            found[term] += count
    return found


def _starts(counts: Iterable[int]) -> bytes:
    return _u4(accumulate(counts, initial=0))


def _u4(values: Iterable[int]) -> bytes:
    return _little(array("I", values)).tobytes()


def _numbers(data: bytes) -> "array[int]":
    found = array("I")
    found.frombytes(data)
    return _little(found)


def _little(numbers: "array[int]") -> "array[int]":
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
