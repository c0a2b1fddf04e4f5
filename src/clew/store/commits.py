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
    paths: list[str]  # sorted; a path is there once for each number of renames since
    path_starts: bytes  # where the paths of each commit begin
    files: bytes
    moves: bytes = b""  # these numbers, by path; histories of older releases have none


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
        self.moves: Array = np.frombuffer(packed.moves or bytes(len(packed.paths)), np.uint8)
        self.path_at: Array = np.frombuffer(packed.path_starts, "<u4")
        self.files: Array = np.frombuffer(packed.files, "<u4")
        self.lengths: Array = np.bincount(self.commits, self.frequencies, len(self))

    def __len__(self) -> int:
        return len(self.path_at) - 1


class CommitWords(NamedTuple):
    """How often the message of a commit has each term, the paths that it changed, and how often each of them was
    renamed since."""

    terms: Mapping[str, int]
    paths: Sequence[str]
    moves: Mapping[str, int]


def pack_commits(history: Iterable[tuple[str, Sequence[str], Mapping[str, int]]], most_files: int) -> bytes:
    """Messages and paths of commits, without commits that change more files than the limit."""
    chosen = [one for one in history if 0 < len(one[1]) <= most_files]
    terms = count_terms(message for message, _, _ in chosen)
    return pack_words([CommitWords(said, paths, moves) for said, (_, paths, moves) in zip(terms, chosen, strict=True)])


def count_terms(messages: Iterable[str]) -> list[Mapping[str, int]]:
    lexicon = Lexicon()
    known: dict[bytes, tuple[str, ...]] = {}
    return [
        {term: min(count, _HIGHEST) for term, count in _count_terms(message, lexicon, known).items()}
        for message in messages
    ]


def pack_words(chosen: Sequence[CommitWords]) -> bytes:
    said: dict[str, list[tuple[int, int]]] = {}
    for number, commit in enumerate(chosen):
        for term, count in commit.terms.items():
            said.setdefault(term, []).append((number, count))
    changed = [
        [(_text(path), min(one.moves.get(path, 0), _HIGHEST) if one.moves else 0) for path in one.paths]
        for one in chosen
    ]
    terms, paths = sorted(said), sorted({path for some in changed for path in some})
    numbers = {path: i for i, path in enumerate(paths)}
    return pack(
        _Packed(
            terms,
            _starts(len(said[term]) for term in terms),
            _u4([number for term in terms for number, _ in said[term]]),
            bytes([count for term in terms for _, count in said[term]]),
            [path for path, _ in paths],
            _starts(map(len, changed)),
            _u4(numbers[path] for some in changed for path in some),
            bytes(moves for _, moves in paths),
        )
    )


def unpack_terms(data: bytes) -> list[dict[str, int]]:
    """By commit, how often its message has each term."""
    packed = unpack(data, _Packed)
    starts, commits = _numbers(packed.starts), _numbers(packed.commits)
    found: list[dict[str, int]] = [{} for _ in range(len(_numbers(packed.path_starts)) - 1)]
    for i, term in enumerate(packed.terms):
        places = slice(starts[i], starts[i + 1])
        for number, frequency in zip(commits[places], packed.frequencies[places], strict=True):
            found[number][term] = frequency
    return found


def _text(path: str) -> str:
    """A path's bytes may be no text; no file of that name is indexed, and no other may be lost by it."""
    return path if path.isascii() else path.encode("utf-8", "replace").decode()


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
