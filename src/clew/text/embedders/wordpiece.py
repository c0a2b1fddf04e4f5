"""How BERT's uncased models cut text: words in lower case and without accents, then the longest pieces it knows."""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

LONGEST_WORD = 100  # characters; a longer one is unknown
KEPT_WORDS = 50_000  # whose pieces are remembered
CHARACTERS_PER_TOKEN = 40  # of text that is looked at: far more than a token mostly has

_START, _END, _UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
_ASCII_MARKS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class WordPiece:
    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self._unknown = (self._numbers[_UNKNOWN],)
        self.pieces = lru_cache(KEPT_WORDS)(self._pieces)

    def numbers(self, text: str, most: int) -> list[int]:
        """Of the pieces of a text, at most so many, its marks of start and end included."""
        found = [self._numbers[_START]]
        for word in words(text[: most * CHARACTERS_PER_TOKEN]):
            found += self.pieces(word)
            if len(found) >= most:
                break
        return [*found[: most - 1], self._numbers[_END]]

    def _pieces(self, word: str) -> tuple[int, ...]:
        if len(word) > LONGEST_WORD:
            return self._unknown
        found: list[int] = []
        start = 0
        while start < len(word):
            before = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if before + word[start:end] in self._numbers), None)
            if end is None:
                return self._unknown
            found.append(self._numbers[before + word[start:end]])
            start = end
        return tuple(found)


def words(text: str) -> Iterator[str]:
    """Runs of letters and digits, and every mark for itself."""
    for run in "".join(map(_normalize, text)).split():
        plain = run.lower()
        if not plain.isascii():
            plain = "".join(c for c in unicodedata.normalize("NFD", plain) if unicodedata.category(c) != "Mn")
        yield from _apart(plain)


def _apart(run: str) -> Iterator[str]:
    start = 0
    for at, letter in enumerate(run):
        if _is_mark(letter):
            if start < at:
                yield run[start:at]
            yield letter
            start = at + 1
    if start < len(run):
        yield run[start:]


@lru_cache(maxsize=4096)
def _normalize(letter: str) -> str:
    """Control characters go, every kind of space is one, and an ideograph is a word."""
    if letter in "\t\n\r" or unicodedata.category(letter) == "Zs":
        return " "
    if letter in "\0�" or unicodedata.category(letter).startswith("C"):
        return ""
    return f" {letter} " if any(low <= ord(letter) <= high for low, high in _IDEOGRAPHS) else letter


@lru_cache(maxsize=4096)
def _is_mark(letter: str) -> bool:
    return letter in _ASCII_MARKS or unicodedata.category(letter).startswith("P")
