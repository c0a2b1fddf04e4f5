"""Sorted strings in one buffer, as snapshots keep them."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from clew.store.arrays import Array as Array
from clew.store.arrays import narrow

KEPT_FINDS = 1024  # words that were looked for last: one question looks for many of them again
KEPT_READ = 4096  # words that were read by number: a search comes by the same paths again and again
KEPT_STEPS = 10  # of a search by halves: what the first ones look at, a thousand words at most, is kept


class SortedStrings(Sequence[str]):
    """Sorted strings in one buffer."""

    def __init__(self, text: Array, at: Array) -> None:
        self._text = text.data  # slices of a memoryview cost a fraction of an array's
        self._at = at.data
        self._middles: dict[int, bytes] = {}  # words that every search comes by
        self._found: dict[str, int] = {}
        self._read: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._at) - 1

    def __getitem__(self, i: Any) -> Any:
        word = self._read.get(i)
        if word is None:
            if len(self._read) >= KEPT_READ:
                self._read.clear()
            word = self._read[i] = self._bytes(i).decode()
        return word

    def __iter__(self) -> Iterator[str]:
        text = self._text.tobytes()
        return (text[start:end].decode() for start, end in pairwise(self._at.tolist()))

    def find(self, word: str) -> int:
        """The word's number, or -1."""
        found = self._found.get(word)
        if found is None:
            if len(self._found) >= KEPT_FINDS:
                self._found.clear()
            found = self._found[word] = self._look_for(word)
        return found

    def _look_for(self, word: str) -> int:
        wanted = word.encode()
        at = self._first(wanted)
        return at if at < len(self) and self._bytes(at) == wanted else -1

    def with_prefix(self, start: str, most: int) -> list[str]:
        """The first of the words that begin so."""
        wanted = start.encode()
        found = []
        for i in range(at := self._first(wanted), min(at + most, len(self))):
            word = self._bytes(i)
            if not word.startswith(wanted):
                break
            found.append(word.decode())
        return found

    def all_beginning(self, start: str) -> Iterator[tuple[int, str]]:
        """Every word that begins so, with its number."""
        wanted = start.encode()
        first, end = self._first(wanted), self._first(_behind(wanted))
        at = self._at[first : end + 1].tolist()
        text = self._text[at[0] : at[-1]].tobytes()
        words = (text[low - at[0] : high - at[0]].decode() for low, high in pairwise(at))
        return enumerate(words, first)

    def with_suffix(self, end: str) -> list[int]:
        """The numbers of the words that end so."""
        text, wanted = self._text.tobytes(), end.encode()
        found = []
        at = text.find(wanted)
        while at >= 0:
            number = bisect_left(self._at, at + len(wanted)) - 1
            if self._at[number + 1] == at + len(wanted) and self._at[number] <= at:
                found.append(number)
            at = text.find(wanted, at + 1)
        return found

    def _first(self, wanted: bytes) -> int:
        """Where a word stands, or would."""
        low, high = 0, len(self)
        narrow = high >> KEPT_STEPS
        while low < high:
            middle = (low + high) // 2
            word = self._middles.get(middle)
            if word is None:
                word = self._bytes(middle)
                if high - low > narrow:
                    self._middles[middle] = word
            if word < wanted:
                low = middle + 1
            else:
                high = middle
        return low

    def equal(self, words: list[str]) -> bool:
        encoded = list(map(str.encode, words))
        ends = np.cumsum(np.fromiter(map(len, encoded), np.uint64, len(encoded)))
        return np.array_equal(ends, self._at[1:]) and b"".join(encoded) == self._text

    def _bytes(self, i: int) -> bytes:
        return self._text[self._at[i] : self._at[i + 1]].tobytes()


def _behind(start: bytes) -> bytes:
    """The first string that sorts behind all strings with this prefix; no UTF-8 text ends with byte 255."""
    return start[:-1] + bytes([start[-1] + 1])


def strings(text: str, at: str, words: list[str]) -> dict[str, Array]:
    encoded = [word.encode() for word in words]
    return {
        text: np.frombuffer(b"".join(encoded), np.uint8),
        at: narrow(np.cumsum([0, *map(len, encoded)], dtype=np.uint64)),
    }
