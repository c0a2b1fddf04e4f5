"""Messages and changed files of the latest commits: packed once per commit, opened to rank."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from clew.store.arrays import Array
from clew.store.packing import pack, unpack
from clew.text.messages import clean
from clew.text.terms import Lexicon, count_words

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


def pack_commits(history: Iterable[tuple[str, Sequence[str], Mapping[str, int]]], most_files: int) -> bytes:
    """Messages and paths of commits, and how often paths were renamed since; without commits that change more files
    than the limit."""
    lexicon = Lexicon()
    known: dict[bytes, tuple[str, ...]] = {}
    told: dict[str, list[tuple[int, int]]] = {}
    chosen = [
        (message, [(_text(path), min(moves.get(path, 0), _HIGHEST)) for path in paths])
        for message, paths, moves in history
        if 0 < len(paths) <= most_files
    ]
    for number, (message, _) in enumerate(chosen):
        for term, count in _count_terms(message, lexicon, known).items():
            told.setdefault(term, []).append((number, min(count, _HIGHEST)))
    terms, paths = sorted(told), sorted({path for _, changed in chosen for path in changed})
    numbers = {path: i for i, path in enumerate(paths)}
    return pack(
        _Packed(
            terms,
            _starts([len(told[term]) for term in terms]),
            _u4([number for term in terms for number, _ in told[term]]),
            bytes(count for term in terms for _, count in told[term]),
            [path for path, _ in paths],
            _starts([len(changed) for _, changed in chosen]),
            _u4([numbers[path] for _, changed in chosen for path in changed]),
            bytes(moves for _, moves in paths),
        )
    )


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


def _starts(counts: Sequence[int]) -> bytes:
    return np.concatenate(([0], np.cumsum(counts, dtype=np.int64))).astype("<u4").tobytes()


def _u4(values: Sequence[int]) -> bytes:
    return np.array(values, "<u4").tobytes()
