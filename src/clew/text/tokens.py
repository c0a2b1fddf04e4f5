"""Estimates the tokens of a text: no tokeniser is available without a download.

A text is read as runs of characters of one class (small letters, spaces, brackets, …), and a table gives the price of
the first character of a run, of the second, and so on. The table was measured: docs/tokens.md shows on which texts,
and the error of the estimate. It is meant to be too high rather than too low, for texts of hundreds of tokens; for a
single word it only uses the length.
"""

import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

CHARACTERS_PER_TOKEN = 4  # the rule of the field, by which chunks are sized: no index depends on what was measured
UNIT = 100  # what a token is in the table below

# What each character of a run costs: the first, the second, …; the last figure holds for all that follow.
RUNS = {
    "a": (106, 0, 0, 0, 0, 0, 10, 10, 10, 40),  # small letters; the rest of a capitalised word goes on from its capital
    "A": (157, 25, 25, 20),  # capitals
    "d": (105,),  # digits: some tokenisers take each alone
    "s": (0, 36, 0, 0, 0, 0, 0, 0, 3),  # spaces: one belongs to what follows
    "n": (150, 0, 63),  # ends of lines
    "t": (100, 26),  # tabs
    "u": (97, 16),  # underscores
    "p": (99, 33, 33, 8),  # points, commas and the like
    "q": (93, 33, 33, 8),  # quotes
    "k": (66, 33, 33, 8),  # brackets
    "o": (133, 33, 33, 8),  # operators
    "b": (36, 20),  # backslashes
    "e": (70,),  # either half of an escaped end of line or tab, of which answers in JSON are full
    "x": (150,),  # other control characters
    "S": (200, 70),  # symbols, as typographic quotes, arrows and lines of boxes
    "L": (556,),  # Latin letters with marks
    "G": (145,),  # Greek
    "C": (85,),  # Cyrillic
    "X": (219,),  # Armenian, Hebrew, Arabic; marks that join a letter
    "Y": (300,),  # Indic and other scripts of three bytes a letter
    "K": (104,),  # kana, and the punctuation of East Asia
    "J": (110,),  # Han, Chinese and Japanese
    "H": (150,),  # Korean
    "F": (250,),  # wide and private forms
    "E": (400,),  # emoji, and all else of four bytes
}
CAPITAL = 51  # what a word costs more that opens with a capital

# What the first of a run costs instead, right after a run of another class.
JOINS = {
    **{before + after: 48 for before in "pqko" for after in "pqko" if before != after},
    **{before + "n": 82 for before in "pqko"},
    "sd": 200,
}

_MEMBERS = {
    "a": range(ord("a"), ord("z") + 1),
    "A": range(ord("A"), ord("Z") + 1),
    "d": b"0123456789",
    "s": b" ",
    "n": b"\n",
    "t": b"\t",
    "u": b"_",
    "p": b".,;:!?",
    "q": b"\"'`",
    "k": b"()[]{}<>",
    "o": b"=+*/%&|^~-#@$",
    "b": b"\\",
    "e": b"\x0e",
    # A character that is not ASCII is told by the first of its bytes.
    "S": (0xC2, 0xE2),
    "L": range(0xC3, 0xCC),
    "G": (0xCE, 0xCF),
    "C": range(0xD0, 0xD4),
    "X": (0xCC, 0xCD, *range(0xD4, 0xE0)),
    "Y": (0xE0, 0xE1),
    "K": (0xE3,),
    "J": range(0xE4, 0xEA),
    "H": range(0xEA, 0xEE),
    "F": (0xEE, 0xEF),
    "E": range(0xF0, 0x100),
}
_CLASS_OF = {byte: ord(name) for name, members in _MEMBERS.items() for byte in members}
_CLASSES = bytes(_CLASS_OF.get(byte, ord("x")) for byte in range(256))
_UNSEEN = b"\r" + bytes(range(0x80, 0xC0))  # what follows the first byte of a character; ends of lines count once
_LETTERS = b"aALGCXYKJHFE"
_WORDS = bytes(byte if byte in _LETTERS else ord(" ") for byte in range(256))
_GAPS = bytes(ord(" ") if byte in _LETTERS else byte for byte in range(256))
_RUN = re.compile(r"Aa+|(.)\1*")
_DEARER = {join: cost - RUNS[join[1]][0] for join, cost in JOINS.items()}
_MOST_KEPT = 50_000  # pieces whose price is remembered: most of a text are like others


def estimate(text: str) -> int:
    """Tokens, rounded up.

    Appending text never lowers the estimate. Lines together cost at most the sum of their estimates; if a text is cut
    anywhere, the parts cost at most 3 less than the whole.
    """
    words, gaps = pieces(text)
    price = _PRICES.__getitem__
    return -(-(sum(map(price, words)) + sum(map(price, gaps))) // UNIT)


class Cost(NamedTuple):
    """The cost of a text as a part of longer ones: its beginning and end may join the runs of its neighbours.

    A text without letters is all beginning. Where parts meet, one of the two must end or begin with no letter.
    """

    head: bytes = b""
    inside: int = 0
    tail: bytes | None = None

    def then(self, after: "Cost") -> "Cost":
        if self.tail is None:
            return Cost(self.head + after.head, after.inside, after.tail)
        if after.tail is None:
            return Cost(self.head, self.inside, self.tail + after.head)
        return Cost(self.head, self.inside + _PRICES[self.tail + after.head] + after.inside, after.tail)

    @property
    def tokens(self) -> int:
        return -(-(_PRICES[self.head] + self.inside + _PRICES[self.tail or b""]) // UNIT)


def measure(text: str) -> Cost:
    """Measure a text; for concatenated texts, `tokens` estimates the whole."""
    classes = _classes(text)
    gaps = classes.translate(_GAPS)
    if b" " not in gaps:
        return Cost(gaps)
    head, *between, tail = gaps.split(b" ")
    return Cost(head, sum(map(_PRICES.__getitem__, _words(classes) + [gap for gap in between if gap])), tail)


def by_characters(text: str) -> int:
    """Tokens by the rule of the field, rounded up: a character that is not ASCII counts as one."""
    ascii_count = len(text.encode("ascii", "ignore"))
    return -(-ascii_count // CHARACTERS_PER_TOKEN) + len(text) - ascii_count


def pieces(text: str) -> tuple[list[bytes], list[bytes]]:
    """Words and the gaps between them, as names of classes; a word ends before the capital of the next."""
    classes = _classes(text)
    return _words(classes), classes.translate(_GAPS).split()


def _classes(text: str) -> bytes:
    raw = text.encode("utf-8", "surrogatepass").replace(rb"\n", b"\x0e\x0e").replace(rb"\t", b"\x0e\x0e")
    return raw.translate(_CLASSES, _UNSEEN)


def _words(classes: bytes) -> list[bytes]:
    return classes.translate(_WORDS).replace(b"AAa", b"A Aa").replace(b"aA", b"a A").split()


def runs(piece: bytes) -> list[str]:
    """A capitalised word is one run."""
    return [match[0] for match in _RUN.finditer(piece.decode())]


@lru_cache(2048)
def _run_price(run: str) -> int:
    steps = RUNS[run[-1]]
    further = max(0, len(run) - len(steps)) * steps[-1]
    return sum(steps[: len(run)]) + further + (CAPITAL if run[0] != run[-1] else 0)


class _Prices(dict[bytes, int]):
    """Prices of pieces, in order."""

    def __missing__(self, piece: bytes) -> int:
        if len(self) >= _MOST_KEPT:
            self.clear()
        parts = runs(piece)
        joins = sum(_DEARER.get(before[-1] + after[0], 0) for before, after in pairwise(parts))
        price = self[piece] = sum(map(_run_price, parts)) + joins
        return price


_PRICES = _Prices()


def ascii_by_characters(text: str | bytes) -> int:
    """The same, of a text that is known to be ASCII."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)
