"""All mentions of a name in the text, regardless of their meaning: for symbols without known references.

The graph does not see reads of properties or templates; but if a name neither occurs nor is assembled from pieces,
the project does not use it.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from clew.retrieve.lexical import range_of
from clew.store.corpus import Corpus, CorpusPart
from clew.store.snapshot import FIELD_BITS, Array
from clew.text.terms import Lexicon

MOST_FILES = 1000  # that are read

_GOES_ON = re.compile(rb"[\w$]")
_WORDY = re.compile(rb"\w")  # before a name, where `$` is how others write it: `$limit` of a shell, of PHP
_WITH_DOLLARS = (
    ".js",
    ".jsx",
    ".mjs",
    ".cjs",
    ".ts",
    ".tsx",
    ".mts",
    ".cts",
    ".vue",
    ".svelte",
    ".java",
    ".kt",
    ".scala",
)
_OF = (b".", b"->", b"::")  # between a thing and a member of it


class Spot(NamedTuple):
    """A line that has a name; as that of a member, if something is told to have it there."""

    path: str
    line: int
    is_member: bool


class Spots(NamedTuple):
    """In order; and how many more files may have the name, which were not read."""

    spots: list[Spot]
    unread: int


def find_mentions(corpus: Corpus, name: str, text_of: Callable[[bytes], bytes], most: int = MOST_FILES) -> Spots | None:
    """All lines that have a name as a whole word; None if it cannot be looked up. Texts are asked for by digest."""
    terms = Lexicon().terms(name)
    if not terms:
        return None
    files = sorted(file for part in corpus.parts for file in files_with(part, terms))
    spots = [
        Spot(path, line, is_member)
        for path, text in files[:most]
        for line, is_member in _lines(text_of(text), name.encode(), dollars=path.endswith(_WITH_DOLLARS)).items()
    ]
    return Spots(spots, len(files[most:]))


def files_with(part: CorpusPart, terms: tuple[str, ...], language: str = "") -> Iterator[tuple[str, bytes]]:
    """Those, of a language, that have all parts of a name in one unit, with the digests of their texts."""
    postings = part.postings
    by_term: list[Array] = [np.unique(postings.places[range_of(part, term)] >> FIELD_BITS) for term in terms]
    documents = by_term[0]
    for others in by_term[1:]:
        documents = np.intersect1d(documents, others, assume_unique=True)
    numbers = np.searchsorted(postings.first_of, postings.chunk_of[documents], side="right") - 1
    for number in np.unique(numbers).tolist():
        if part.files[number] and language in ("", postings.languages[int(postings.language_of[number])]):
            yield postings.paths[number], postings.digest(number)


def _lines(text: bytes, name: bytes, *, dollars: bool) -> dict[int, bool]:
    """The lines that have the name as a word, and whether as that of a member; `dollars` may be letters of it."""
    found: dict[int, bool] = {}
    before = _GOES_ON if dollars else _WORDY
    line, seen, at = 1, 0, text.find(name)
    while at >= 0:
        end = at + len(name)
        if not (before.match(text[at - 1 : at]) or _GOES_ON.match(text[end : end + 1])):
            line, seen = line + text.count(b"\n", seen, at), at
            found[line] = found.get(line, False) or text[max(at - 2, 0) : at].endswith(_OF)
        at = text.find(name, end)
    return found
