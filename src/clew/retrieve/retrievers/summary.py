"""By summaries that a model wrote: words of the question in the summary of a symbol or file. Without any, no findings.

A summary counts only while its symbol or file has exactly the content that was summarized.
"""

import math
import threading
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import lru_cache

from msgspec import Struct

from clew.model.code import split_id
from clew.retrieve.question import Word, lexicon
from clew.retrieve.retriever import Ask, ChunkPlace, Retrieved, RetrieverSources, blank, no_findings
from clew.store.corpus import Corpus
from clew.text.terms import split_words

MOST_ALIKE = 100  # summaries whose code is looked up
MOST_WORDS = 6  # named in a reason
SATURATION, LENGTH_DISCOUNT = 1.0, 0.5
MOST = 0.95  # of a question's information: a summary that has all of its words may still be about something else
FILES_KEPT = 1024


class _Summaries(Struct, frozen=True, eq=False):
    """Summaries by their keys, inverted: by term, how often each has it."""

    having: Mapping[str, Mapping[str, int]]
    lengths: Mapping[str, int]
    average: float


class SummaryRetriever:
    name = "summary"
    reranks = False

    def __init__(self, sources: RetrieverSources) -> None:
        self._files = sources.files
        self._held = sources.held
        self._lock = threading.Lock()
        self._made: tuple[Mapping[str, str], _Summaries] | None = None
        self._digests = lru_cache(maxsize=FILES_KEPT)(self._symbol_digests)

    def retrieve(self, ask: Ask) -> Retrieved:
        written = self._files.summaries()
        if not written:
            return no_findings(ask.corpus)
        scores, words = blank(ask.corpus), dict[ChunkPlace, list[str]]()
        for key, score, said in _score(self._summaries(written), ask.question.terms)[:MOST_ALIKE]:
            place = self._find(ask.corpus, key)
            if place is not None and scores[place.part][place.chunk] < score:
                scores[place.part][place.chunk] = score
                words[place] = said
        return Retrieved(scores, lambda place: " ".join(words.get(place, ())[:MOST_WORDS]))

    def _summaries(self, written: Mapping[str, str]) -> _Summaries:
        with self._lock:
            if self._made is None or self._made[0] is not written:
                self._made = written, _invert(written)
            return self._made[1]

    def _find(self, corpus: Corpus, key: str) -> ChunkPlace | None:
        """The chunk that a summary is about, if its content is still the same."""
        node_id, _, digest = key.rpartition("\n")
        path, scope = split_id(node_id)
        for number, part in enumerate(corpus.parts):
            postings = part.postings
            file = postings.paths.find(path)
            if file < 0 or not part.files[file]:
                continue
            text = postings.digest(file)
            if (self._digests(path, text).get(scope) if scope else text.hex()) != digest:
                return None
            chunks = self._held.get(path, text).chunks
            place = next((at for at, chunk in enumerate(chunks) if chunk.scope == scope), None if scope else 0)
            return None if place is None or not chunks else ChunkPlace(number, int(postings.first_of[file]) + place)
        return None

    def _symbol_digests(self, path: str, text: bytes) -> dict[str, str]:
        content = self._held.get(path, text).content
        return {one.scope: one.digest.hex() for one in self._files.symbols_in(content.file, content.version)}


def _invert(written: Mapping[str, str]) -> _Summaries:
    terms_of = lru_cache(maxsize=None)(lexicon().terms)
    having: dict[str, dict[str, int]] = defaultdict(dict)
    lengths = {}
    for key, text in written.items():
        counts = Counter(term for word in split_words(text.encode()) for term in terms_of(word.decode()))
        lengths[key] = counts.total()
        for term, count in counts.items():
            having[term][key] = count
    return _Summaries(having, lengths, sum(lengths.values()) / len(lengths) or 1.0)


def _score(summaries: _Summaries, question: Mapping[str, Word]) -> list[tuple[str, float, list[str]]]:
    """By the share of the question's information that each summary has, as full text does; the best first."""
    total = len(summaries.lengths)
    found, words = defaultdict[str, float](float), defaultdict[str, dict[str, None]](dict)
    possible = 0.0
    for term, word in question.items():
        having = summaries.having.get(term, {})
        rarity = word.weight * math.log(1 + (total - len(having) + 0.5) / (len(having) + 0.5))
        possible += 0.0 if word.is_other else rarity
        for key, count in having.items():
            discount = 1 - LENGTH_DISCOUNT + LENGTH_DISCOUNT * summaries.lengths[key] / summaries.average
            found[key] += rarity * count / (count + SATURATION * discount)
            words[key][word.text] = None
    rows = [(key, math.sqrt(min(score / (possible or 1.0), MOST)), [*words[key]]) for key, score in found.items()]
    return sorted(rows, key=lambda row: (-row[1], row[0]))
