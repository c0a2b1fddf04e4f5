"""Rankers under evaluation: they rank files and functions by a query; Clew's own search is one of them."""

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from clew.evaluate.functions import KINDS, Function
from clew.evaluate.report import Case, Figure, QueryCost, RankerScores
from clew.evaluate.world import World
from clew.index.syntax.parse import doc_text
from clew.index.syntax.ranges import Range
from clew.model.code import split_id
from clew.model.search import Hit, Results
from clew.text.terms import UNSPACED

# How good rankings are: recall and reciprocal rank, with bootstrap intervals. Pure, and the same every time.

DEPTH = 50  # ranks that count; what comes later is as good as not found
CUTOFFS = (1, 5, 10)
RESAMPLES = 1000
SEED = 4_242
INTERVAL = (2.5, 97.5)  # percentiles

Table = NDArray[np.float64]  # a row per case: recall at each cutoff, and the reciprocal rank


def ranks_of(right: Sequence[str], ranking: Sequence[str]) -> tuple[int, ...]:
    """At which rank each right answer stands, from 1; 0 if it does not within the depth."""
    places = {one: rank for rank, one in enumerate(ranking[:DEPTH], start=1)}
    return tuple(places.get(one, 0) for one in right)


def table(cases: Sequence[Sequence[int]]) -> Table:
    """The measures of each case, by the ranks of its right answers."""
    return np.array([_measures(ranks) for ranks in cases], np.float64).reshape(len(cases), len(CUTOFFS) + 1)


def _measures(ranks: Sequence[int]) -> list[float]:
    found = [rank for rank in ranks if rank]
    shares = [sum(rank <= cutoff for rank in found) / len(ranks) for cutoff in CUTOFFS]
    return [*shares, 1 / min(found) if found else 0.0]


def scores(measured: Table) -> RankerScores:
    """Means with their intervals; of the difference of two tables, the paired difference."""
    return RankerScores(len(measured), *figures(measured))


def figures(measured: Table) -> list[Figure]:
    """Mean and confidence interval of each column."""
    count = len(measured)
    drawn = np.random.default_rng(SEED).integers(0, count, (RESAMPLES, count))
    means = measured[drawn].mean(axis=1)
    lows, highs = np.percentile(means, INTERVAL, axis=0)
    return [_figure(*one) for one in zip(measured.mean(axis=0), lows, highs, strict=True)]


def _figure(mean: float, low: float, high: float) -> Figure:
    return Figure(round(float(mean), 4), round(float(low), 4), round(float(high), 4))


def cost(seconds: Sequence[float], cpu_seconds: Sequence[float]) -> QueryCost:
    taken = np.array(seconds) * 1000
    cpu = float(np.mean(cpu_seconds)) * 1000
    return QueryCost(round(float(taken.mean()), 2), round(float(np.percentile(taken, 95)), 2), round(cpu, 2))


Search = Callable[[str, int], Results]  # a query, and how many hits at most

USUAL = 10  # hits that a question asks for, to tell what it costs
FIRST, MOST, GROWTH = 400, 1600, 4  # hits that are looked through for enough files
MOST_FILES = 0.75  # of few files, so many are enough: what no hit is in by then is not found

CLEW, UNSKIPPED = "clew", "clew (all files)"


class RankedNames(NamedTuple):
    """Best first, each once."""

    files: list[str]
    functions: list[str]


class Ranker(Protocol):
    name: str

    def rank(self, query: str) -> RankedNames:
        """At least as deep as ranks are counted."""
        ...


class Clew:
    """Ranks files by their first hit; hits in files that are not ranked are skipped."""

    def __init__(self, search: Search, world: World, name: str = CLEW) -> None:
        self._search = search
        self._world = world
        self._last: tuple[str, tuple[Hit, ...]] = "", ()
        self.name = name

    def ask(self, query: str) -> None:
        self._search(query, USUAL)

    def rank(self, query: str) -> RankedNames:
        return ranking(self._deep(query), self._world, self._world.files)

    def rank_without_skips(self, query: str) -> RankedNames:
        return ranking(self._deep(query), self._world, None)

    def _deep(self, query: str) -> tuple[Hit, ...]:
        """Hits in enough files, or all that there are; of the query that was asked last, those found then."""
        if self._last[0] == query:
            return self._last[1]
        limit, enough = FIRST, min(DEPTH, MOST_FILES * len(self._world.files))
        while True:
            hits = self._search(query, limit).hits
            files = {hit.path for hit in hits if hit.path in self._world.files}
            if len(files) >= enough or len(hits) < limit or limit >= MOST:
                self._last = query, hits
                return hits
            limit *= GROWTH


class Unskipped:
    """Clew as its users see it."""

    def __init__(self, clew: Clew) -> None:
        self._clew = clew
        self.name = UNSKIPPED

    def rank(self, query: str) -> RankedNames:
        return self._clew.rank_without_skips(query)


def ranking(hits: tuple[Hit, ...], world: World, only: Container[str] | None) -> RankedNames:
    """Files and functions in the order of their first hit; a function inside of another is that."""
    counted = [hit for hit in hits if only is None or hit.path in only]
    named = [world.outer.get(hit.symbol, hit.symbol) for hit in counted if hit.kind in KINDS]
    functions = named if only is None else [one for one in named if one in world.functions]
    return RankedNames(list(dict.fromkeys(hit.path for hit in counted)), list(dict.fromkeys(functions)))


# The second task: the first sentence of a function's documentation finds it, once that is removed. Pure.

LEAST_WORDS = 4  # of a sentence; less is a title


class FunctionExclusion(StrEnum):
    """Why a function makes no case."""

    UNDOCUMENTED = "not documented"
    FEW_WORDS = "first sentence of fewer than 4 words"
    SHARED = "same first sentence as another function"
    BEYOND = "more than were asked for"


class DocstringCases(NamedTuple):
    """`docs` are the places to remove, by path."""

    cases: list[Case]
    docs: Mapping[str, list[Range]]
    left_out: Mapping[str, int]


_SENTENCE = re.compile(r"(.+?(?:[.!?](?=\s|$)|[。！？]))", re.DOTALL)  # noqa: RUF001 - these end sentences elsewhere
_FIELD = re.compile(
    r"^\s*(?:@\w|:\w+|\\\w+|[-=~]{3,}|>>>|```).*", re.MULTILINE | re.DOTALL
)  # of parameters and the like
_WORD = re.compile(rf"[{UNSPACED}]{{2}}|[^\W{UNSPACED}]*[^\W\d_{UNSPACED}]{{2}}[^\W{UNSPACED}]*")
_QUOTED = re.compile(rb"([A-Za-z]*)(\"\"\"|'''|\"|')(.*)(\2)", re.DOTALL)
_NOT_LINE_END = re.compile(rb"[^\r\n]")


def draw(world: World, wanted: int) -> DocstringCases:
    """A sample of the documented functions, the same for the same tree: by the hash of their ids."""
    said = {one.id: _sentence(one, world) for one in world.functions.values() if one.doc}
    asked = {name: query for name, query in said.items() if len(_WORD.findall(query)) >= LEAST_WORDS}
    often = Counter(asked.values())
    alone = [name for name in asked if often[asked[name]] == 1]
    chosen = sorted(alone, key=lambda name: blake3(name.encode()).digest())[:wanted]
    left_out = {
        FunctionExclusion.UNDOCUMENTED: len(world.functions) - len(said),
        FunctionExclusion.FEW_WORDS: len(said) - len(asked),
        FunctionExclusion.SHARED: len(asked) - len(alone),
        FunctionExclusion.BEYOND: len(alone) - len(chosen),
    }
    cases = [Case(name, asked[name], 0, (split_id(name)[0],), (name,)) for name in chosen]
    return DocstringCases(
        cases, _docs(world, chosen), {str(reason): count for reason, count in left_out.items() if count}
    )


def without(text: bytes, docs: Iterable[Range]) -> bytes:
    """A text with some places blanked, so that all else stays where it is; a string stays one, and becomes empty."""
    for start, end in docs:
        text = text[:start] + _blank(text[start:end]) + text[end:]
    return text


def _blank(doc: bytes) -> bytes:
    if quoted := _QUOTED.fullmatch(doc):
        prefix, opening, inside, closing = quoted.groups()
        return b"".join([prefix, opening, _NOT_LINE_END.sub(b" ", inside), closing])
    return _NOT_LINE_END.sub(b" ", doc)


def _docs(world: World, names: Iterable[str]) -> dict[str, list[Range]]:
    docs: dict[str, list[Range]] = {}
    for name in names:
        if doc := world.functions[name].doc:
            docs.setdefault(split_id(name)[0], []).append(doc)
    return docs


def _sentence(function: Function, world: World) -> str:
    """Without the function's own name, if it opens with that, as Go's habit is."""
    assert function.doc
    doc = doc_text(world.files[split_id(function.id)[0]], function.doc)
    paragraph = _FIELD.sub("", doc).strip().partition("\n\n")[0]
    found = _SENTENCE.match(paragraph)
    sentence = " ".join((found[1] if found else paragraph).split())
    first, _, rest = sentence.partition(" ")
    return rest if first.strip("`*():,") == function.name else sentence
