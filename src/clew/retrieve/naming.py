"""All mentions of a name in the text, regardless of their meaning: for symbols without known references.

The graph does not see reads of properties or templates; but if a name neither occurs nor is assembled from pieces,
the project does not use it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from clew.retrieve.lexical import range_of
from clew.store.arrays import Array
from clew.store.corpus import Corpus, CorpusPart
from clew.store.snapshot import FIELD_BITS
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
    """Files of a language with all parts of a name in one unit, with the digests of their texts."""
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


# Where a name may be put together: `getattr(self, f"visit_{kind}")`, `this['on' + event]`, `send("#{role}_name")`.

SHORTEST = 2  # letters of a piece

# Between the parts of a name.
_JOINT = re.compile(r"(?<=[^\W_])_+(?=[^\W_])|(?<=[a-z0-9])(?=[A-Z])|(?<=[a-zA-Z])(?=\d)")
_QUOTES = (b'"', b"'", b"`")
_QUOTE = rb"[\"'`]"
_PIECE_GOES_ON = rb"(?:[\"'`]\s*(?:\+|<<|\.(?!\w))|[#$]?\{|\$\w|%[sdrv]|\\\(|\\{1,2}[dw])"
_WENT_BEFORE = rb"(?:(?:\+|<<|(?<!\w)\.)\s*[\"'`]|\}|%[sdrv]|\))"
_ASKING = re.compile(rb"(?:(?:start|begin|end)s?_?with\??|has(?:pre|suf)fix)[\s(]*(?:\w+,)?\s*\Z", re.IGNORECASE)
_BETWEEN = 30  # bytes that stand before a string and say what it is there for
_PASTED = b"##"  # how macros of C do it


class PieceLines(NamedTuple):
    """Lines in order, the pieces that stand in them (`visit_…`, `…_total`), and how many more files were not read."""

    spots: list[Spot]
    pieces: tuple[str, ...]
    unread: int


def put_together(corpus: Corpus, name: str, language: str, text_of: Callable[[bytes], bytes]) -> PieceLines:
    """Lines of code of a language that may make a name of pieces. Texts are asked for by digest."""
    begins, ends = _pieces(name)
    terms = {some for piece in begins[:1] + ends[-1:] if (some := Lexicon().terms(piece))}
    files = sorted({file for part in corpus.parts for some in terms for file in files_with(part, some, language)})
    making = _Making(begins, ends) if files else None
    found = [
        (Spot(path, line, False), piece)
        for path, digest in files[:MOST_FILES]
        if making
        for line, piece in making.lines(text_of(digest))
    ]
    pieces = sorted({piece for _, piece in found})
    return PieceLines(sorted({spot for spot, _ in found}), tuple(pieces), len(files[MOST_FILES:]))


def _pieces(name: str) -> tuple[list[str], list[str]]:
    """The possible beginnings and ends of strings from which the name may be assembled; without bare underscores."""
    joints = list(_JOINT.finditer(name))
    begins = [piece for one in joints if len((piece := name[: one.end()]).strip("_")) >= SHORTEST]
    ends = [piece for one in joints if len((piece := name[one.start() :]).strip("_")) >= SHORTEST]
    return begins, ends


class _Making:
    """Finds pieces in texts. All beginnings begin as the first of them, and all ends end as the last."""

    def __init__(self, begins: Sequence[str], ends: Sequence[str]) -> None:
        begin, end = _any(begins[::-1]), _any(ends)
        self._begin = re.compile(rb"(%s)(?:%s|(?P<whole>%s))" % (begin, _PIECE_GOES_ON, _QUOTE))
        self._end = re.compile(rb"(?:%s|(?P<whole>%s))(%s)\Z" % (_WENT_BEFORE, _QUOTE, end))
        self._pasted = re.compile(rb"(?<!\w)(%s)\s*##|##\s*(%s)(?!\w)" % (begin, end))
        self._longest = max(map(len, ends), default=0) + _BETWEEN
        self._firsts = [quote + one.encode() for one in begins[:1] for quote in _QUOTES]
        self._lasts = [one.encode() + quote for one in ends[-1:] for quote in _QUOTES]

    def lines(self, text: bytes) -> Iterator[tuple[int, str]]:
        for at, _ in _each(text, self._firsts):
            one = self._begin.match(text, at + 1)
            if one and (not one["whole"] or _asks(text, at)):
                yield _line(text, at), f"{one[1].decode()}…"
        for at, wanted in _each(text, self._lasts):
            end = at + len(wanted) - 1
            one = self._end.search(text, max(0, end - self._longest), end)
            if one and (not one["whole"] or _asks(text, one.start())):
                yield _line(text, at), f"…{one[2].decode()}"
        if _PASTED in text:
            for one in self._pasted.finditer(text):
                yield _line(text, one.start()), f"{one[1].decode()}…" if one[1] else f"…{one[2].decode()}"


def _any(pieces: Sequence[str]) -> bytes:
    return b"|".join(re.escape(one.encode()) for one in pieces) or b"(?!)"


def _asks(text: bytes, at: int) -> bool:
    """Whether the code before a string tests how a name begins or ends."""
    return _ASKING.search(text, max(0, at - _BETWEEN), at) is not None


def _each(text: bytes, wanted: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
    """Where any of them begins, and which."""
    for one in wanted:
        at = text.find(one)
        while at >= 0:
            yield at, one
            at = text.find(one, at + 1)


def _line(text: bytes, at: int) -> int:
    return text.count(b"\n", 0, at) + 1
