"""Retrieves verbatim text of the question: a pasted message stands so in the code that writes it."""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

import numpy as np

from clew.retrieve import lexical
from clew.retrieve.file_role import FileRole, standings
from clew.retrieve.retriever import Ask, ChunkPlace, file_at
from clew.retrieve.source_cache import Holder
from clew.store.corpus import Corpus
from clew.store.postings import Field
from clew.store.snapshot import FIELD_BITS, Array, Postings
from clew.text.terms import Lexicon

LEAST_RUN = 4  # words one after another; fewer stand together by chance
LEAST_SHARE = 0.6  # of a line's words: names and numbers that a message is filled with stand in no code
MOST_LINES = 4
MOST_WORDS = 40  # of a line
LONGEST_LINE = 500  # characters
MOST_TERMS = 10  # the rarest
MOST_PLACES = 4_000  # of a term; what stands more often tells nothing apart
MOST_READ = 24  # chunks
MOST_TIMES = 20  # that a chunk may have the core of a line

_FIELDS = (1 << FIELD_BITS) - 1
_REMARK = re.compile(r"^[ \t]*(?://|#|/?\*|--).*\n?", re.MULTILINE)
_ROUGH = re.compile(r"[^\W_]+")
_TELLING = re.compile(r"error|exception|warning|panic|fail|assert", re.I)


class Verbatim:
    def __init__(self, held: Holder) -> None:
        self._held = held
        self._lexicon = Lexicon()

    def find(self, ask: Ask) -> Iterator[tuple[ChunkPlace, str]]:
        """The chunks that have most of a line of the question as it stands there, and how much of it."""
        for line in _lines(ask.question.text, ask.question.strings):
            said = _words(line.lower())[:MOST_WORDS]
            if len(said) < LEAST_RUN:
                continue
            least = max(LEAST_RUN, math.ceil(LEAST_SHARE * len(said)))
            core = said[len(said) - least : least]  # stands in the middle of every run that is long enough
            likely = self._likely(ask.corpus, line, " ".join(core))
            texts = ((place, self._text(ask.corpus, place, core)) for place in likely)
            pattern = re.compile(r"[\W_]+".join(map(re.escape, core)))  # few texts have it, and to look for it is quick
            around = (
                (place, [_around(text, one) for one in islice(pattern.finditer(text), MOST_TIMES)])
                for place, text in texts
            )
            runs = {place: max(longest_run(said, one) for one in some) for place, some in around if some}
            most = max(runs.values(), default=0)
            if most >= least:
                yield from ((place, f"says {most} words of it in a row") for place, run in runs.items() if run == most)

    def _likely(self, corpus: Corpus, line: str, core: str) -> list[ChunkPlace]:
        """Those that have most of its rarest words, and all of these that are in its core."""
        found: list[tuple[int, ChunkPlace]] = []
        terms, needed = self._lexicon.question(line), set(self._lexicon.question(core))
        for number, part in enumerate(corpus.parts):
            postings = part.postings
            ranges = {term: lexical.range_of(part, term) for term in terms}
            known = {term: postings.places[one] for term, one in ranges.items() if one.stop - one.start}
            few = sorted((len(places), term) for term, places in known.items() if len(places) <= MOST_PLACES)
            rare = {term: _chunks(postings, known[term]) for _, term in few[:MOST_TERMS]}
            if len(rare) < min(2, len(ranges)):
                continue
            often = np.bincount(np.concatenate([*rare.values()]), minlength=postings.chunks)
            enough = (often >= max(2, LEAST_SHARE * len(rare))) & part.live
            for chunks in (some for term, some in rare.items() if term in needed):
                enough &= np.bincount(chunks, minlength=postings.chunks) > 0
            some = np.flatnonzero(enough & (standings(postings) != FileRole.PROSE))  # which quotes what others say
            found += [
                (-n, ChunkPlace(number, chunk)) for chunk, n in zip(some.tolist(), often[some].tolist(), strict=True)
            ]
        return [place for _, place in sorted(found)[:MOST_READ]]

    def _text(self, corpus: Corpus, place: ChunkPlace, core: Sequence[str]) -> str:
        """Code without comments; empty if it lacks a word of the core."""
        postings = corpus.parts[place.part].postings
        number, path = file_at(corpus, place)
        opened = self._held.opened(path, postings.digest(number))
        span = opened.held.chunks[place.chunk - int(postings.first_of[number])].span
        text = opened.text(span.end)[span.start : span.end].decode("utf-8", "replace").lower()
        return _REMARK.sub("", text) if all(word in text for word in core) else ""


def _around(text: str, core: re.Match[str]) -> str:
    """The text around the core that may be of the same line."""
    return text[max(core.start() - LONGEST_LINE, 0) : core.end() + LONGEST_LINE]


def _chunks(postings: Postings, places: Array) -> Array:
    """The chunks that have a term in their code, once each; documentation that quotes it is no message."""
    found: Array = postings.chunk_of[places[(places & _FIELDS) == Field.CODE] >> FIELD_BITS]
    return found[np.flatnonzero(np.diff(found, prepend=-1))]  # in order, as their documents are


def _lines(text: str, strings: Sequence[str]) -> list[str]:
    """Quoted strings, the first line, and lines that report an error."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines[1:] if _TELLING.search(line)]
    return [line[:LONGEST_LINE] for line in dict.fromkeys([*strings, *lines[:1], *telling])][:MOST_LINES]


def _words(text: str) -> list[str]:
    return _ROUGH.findall(text)


def longest_run(said: Sequence[str], text: str) -> int:
    """The greatest number of consecutive words that the text shares with the question."""
    held = _words(text)
    starts: dict[tuple[str, str], list[int]] = {}
    for at, pair in enumerate(pairwise(held)):
        starts.setdefault(pair, []).append(at)
    most = 0
    for first, pair in enumerate(pairwise(said)):
        for at in starts.get(pair, ()):
            run = 2
            while first + run < len(said) and at + run < len(held) and said[first + run] == held[at + run]:
                run += 1
            most = max(most, run)
    return most
