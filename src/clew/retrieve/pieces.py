"""Where a name may be put together: `getattr(self, f"visit_{kind}")`, `this['on' + event]`, `send("#{role}_name")`.

No reader of code can tell which names come of it; but that a string begins or ends as a name does, and that something
goes on behind or before it, or that names are asked whether they begin so, can be seen in all languages alike.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from clew.retrieve.naming import MOST_FILES, Spot, files_with
from clew.store.corpus import Corpus
from clew.text.terms import Lexicon

SHORTEST = 2  # letters of a piece

# Between the parts of a name.
_JOINT = re.compile(r"(?<=[^\W_])_+(?=[^\W_])|(?<=[a-z0-9])(?=[A-Z])|(?<=[a-zA-Z])(?=\d)")
_QUOTES = (b'"', b"'", b"`")
_QUOTE = rb"[\"'`]"
_GOES_ON = rb"(?:[\"'`]\s*(?:\+|<<|\.(?!\w))|[#$]?\{|\$\w|%[sdrv]|\\\(|\\{1,2}[dw])"
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
        self._begin = re.compile(rb"(%s)(?:%s|(?P<whole>%s))" % (begin, _GOES_ON, _QUOTE))
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
