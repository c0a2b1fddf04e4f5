"""Rankings of the cases written by `research.training.signals`: retriever scores, and vectors by a weight."""

import pickle
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clew.evaluate import rankers
from clew.evaluate.report import Ranks
from clew.evaluate.tuning import ranks_among
from clew.evaluate.world import SourceFiles
from clew.languages.plugins import load_languages
from clew.retrieve.retrievers.semantic import worth
from clew.retrieve.search import RERANKED, RERANKED_BY_OWN
from clew.runtime.settings import Providers
from clew.text.embedders import Embedder, unit
from clew.text.embedders import Floats as Vectors
from clew.text.embedders.own import Own
from clew.text.embedders.own import table as table_of

OTHERS = ("full_text", "symbol", "path", "git_history")  # retrievers, in a search as configured by default

Floats = npt.NDArray[np.float64]
Case = dict[str, Any]


class Ranking(NamedTuple):
    """A model, "" for none, and the weight of its vectors."""

    model: str
    weight: float

    def __str__(self) -> str:
        return f"{self.model} {self.weight}" if self.model else "none"


NONE = Ranking("", 0.0)


class Judged(NamedTuple):
    repository: str
    language: str
    task: str
    ranks: Mapping[Ranking, Ranks]


class Fused(NamedTuple):
    """A case without vectors: what speaks against each chunk, and the best ones, which vectors are asked about."""

    case: Case
    rest: Floats
    best: npt.NDArray[np.intp]


class Chunks(NamedTuple):
    """Texts of chunks, with the weight of each term."""

    texts: list[str]
    bags: list[Mapping[str, float]]


def read(file: Path) -> tuple[Chunks, dict[str, list[Case]]]:
    """The chunks, and by task the cases for which anything was found."""
    found = pickle.loads(zlib.decompress(file.read_bytes()))
    some = {task: [case for case in cases if len(case["texts"])] for task, cases in found["cases"].items()}
    return Chunks(found["texts"], found["bags"]), some


def judged(file: Path, models: Mapping[str, Embedder], weights: Sequence[float]) -> Iterator[Judged]:
    """Every case of a repository, ranked without vectors and with those of each model at each weight."""
    chunks, by_task = read(file)
    repository, language = file.stem.replace("+", "/", 1), main_language(by_task)
    fused = [(task, _fused(case)) for task, cases in by_task.items() for case in cases]
    nears = {model: _nears([one for _, one in fused], chunks, embedder) for model, embedder in models.items()}
    for number, (task, one) in enumerate(fused):
        near = {model: found[number] for model, found in nears.items()}
        ranks = {NONE: _ranks(one.case, one.case["shares"] * (1 - one.rest))}
        for ranking in (Ranking(model, weight) for model in models for weight in weights):
            rest = one.rest * (1 - ranking.weight * near[ranking.model])
            ranks[ranking] = _ranks(one.case, one.case["shares"] * (1 - rest))
        yield Judged(repository, language, task, ranks)


def _fused(case: Case) -> Fused:
    """As fusion by evidence does it."""
    rest = np.ones(len(case["texts"]))
    for name in OTHERS:
        if name in case["scores"]:
            rest *= 1 - np.minimum(getattr(Providers(), name).weight * case["scores"][name], 1.0)
    return Fused(case, rest, np.argsort(-(case["shares"] * (1 - rest)), kind="stable"))


def _nears(cases: Sequence[Fused], chunks: Chunks, embedder: Embedder) -> list[Floats]:
    """By case and chunk, how near it is to the question; no other chunks have vectors than the best."""
    reach = RERANKED_BY_OWN if isinstance(embedder, Own) else RERANKED
    used = np.unique(np.concatenate([one.case["texts"][one.best[:reach]] for one in cases])).tolist()
    vectors = dict(zip(used, vectors_of(embedder, chunks, used), strict=True))
    found = []
    for one in cases:
        best = one.best[:reach]
        asked = embedder.embed([one.case["query"]])[0]
        cosines = np.array([vectors[row] @ asked for row in one.case["texts"][best].tolist()])
        near = np.zeros(len(one.rest))
        near[best] = worth(cosines, [one.case["paths"][row] for row in best])
        found.append(near)
    return found


def vectors_of(embedder: Embedder, chunks: Chunks, some: Sequence[int]) -> Vectors:
    """As a snapshot has them of our own model, but for the rounding."""
    if not isinstance(embedder, Own):
        return embedder.embed([chunks.texts[row] for row in some])
    known = table_of(embedder.folder)
    bags = [chunks.bags[row] for row in some]
    numbers = [np.array([known.number(term) for term in bag], np.intp) for bag in bags]
    weights = [known.factors[own] * [*bag.values()] for own, bag in zip(numbers, bags, strict=True)]
    return unit(np.array([often @ known.rows[own] for own, often in zip(numbers, weights, strict=True)]))


def _ranks(case: Case, scores: Floats) -> Ranks:
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > 0]
    return Ranks(*(ranks_among(case[what][order], range(case[f"right_{what}"])) for what in ("files", "functions")))


def main_language(by_task: Mapping[str, Sequence[Case]]) -> str:
    """The language of most of the files found."""
    known = load_languages(()).known
    sources = SourceFiles(known)
    paths = {path for cases in by_task.values() for case in cases for path in case["paths"] if path in sources}
    return Counter(known.language_of(path) for path in sorted(paths)).most_common(1)[0][0]


def figures(ranks: Iterable[Ranks]) -> Floats:
    """MRR and R@5 of files and of functions."""
    found = [*ranks]
    tables = [table([getattr(one, what) for one in found]) for what in ("files", "functions")]
    return np.concatenate([one.mean(axis=0) if len(one) else np.zeros(2) for one in tables])


def table(cases: Sequence[Sequence[int]]) -> Floats:
    """MRR and R@5 of each case that has right answers."""
    return rankers.table([one for one in cases if one])[:, [3, 1]]


def ranked(cases: Sequence[Case], scores: Sequence[Floats]) -> list[Ranks]:
    return [_ranks(*one) for one in zip(cases, scores, strict=True)]
