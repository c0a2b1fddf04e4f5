"""How a warm search grows from 10,000 to 1,000,000 chunks: `python -m bench.scale --repo PATH`.

The checkout is copied and indexed; it is asked first as it is, then corpora made of it (`bench.synthetic`), each built
in one process and asked in another, by the messages of the checkout's commits: with the
retrievers that are on by default, and with the graph. The texts of hits are read from the checkout's own index.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from bench import copies, synthetic
from bench.measure import percentile, run
from bench.synthetic import Copied, Made, Retold
from clew.engine import Engine
from clew.evaluate.choosing import query_of
from clew.evaluate.stage import APART
from clew.index.history import git
from clew.model.search import Coverage, Fusion, Query, Scope
from clew.retrieve import file_role, fusion, retrievers
from clew.retrieve.fusion import Weighed
from clew.retrieve.question import understand
from clew.retrieve.retriever import Ask, Retriever, RetrieverSources
from clew.retrieve.scope import masks
from clew.retrieve.search import RERANKED_BY_OWN, Searcher
from clew.retrieve.source_cache import Holder
from clew.store.corpus import Corpora

SIZES = (10_000, 100_000, 1_000_000)
ASKED, HITS = 100, 10
MEGABYTE = 1_000_000
KILOBYTE = 1024

NONE: Mapping[str, str] = {}
SETS = {"as configured by default": NONE, "and the graph": {"CLEW_PROVIDERS_GRAPH_ENABLED": "true"}}

GOAL = "goals: a million chunks under 150 ms; django p50 under 20 ms, p95 under 60 ms"
HEAD = (
    f"{'chunks':>10}{'files':>8}{'terms':>10}{'snapshot MB':>13}{'resident MB':>13}{'own MB':>8}"
    f"{'first s':>9}{'p50 ms':>8}{'p95 ms':>8}{'CPU ms':>8}"
)


class Asked(NamedTuple):
    """Milliseconds of each query; the seconds of the first; memory, and how much of it no file backs."""

    ms: list[float]
    cpu_ms: float
    first: float
    resident: int
    own: int
    parts: dict[str, float]  # of CPU, milliseconds of each step


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, required=True, help="a large checkout with its history; it is copied")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clew-scale-") as scratch:
        tree = Path(scratch) / "tree"
        copies.copy(given.repo.resolve(), tree)
        run([sys.executable, "-P", "-m", "clew", "-C", tree, "index", "--quiet"], tree, _environ())
        print(f"{GOAL}\n{HEAD}")
        _show_all(_apart(_count, tree), tree, None, "as it is")
        for size in given.sizes:
            into = Path(scratch) / str(size)
            _show_all(_apart(_build, tree, size, into), tree, into, "synthetic")


def _show_all(made: Made, tree: Path, into: Path | None, what: str) -> None:
    for title, switches in SETS.items():
        _show(made, _apart(_ask, tree, into, made.copies, switches), f"{what}, {title}")


def _show(made: Made, asked: Asked, what: str) -> None:
    print(
        f"{made.chunks:10,}{made.files:8,}{made.terms:10,}{made.bytes / MEGABYTE:13.1f}"
        f"{asked.resident / MEGABYTE:13.0f}{asked.own / MEGABYTE:8.0f}{asked.first:9.2f}"
        f"{percentile(asked.ms, 0.5):8.1f}{percentile(asked.ms, 0.95):8.1f}{asked.cpu_ms:8.1f}  {what}"
    )
    print("           CPU ms: " + ", ".join(f"{name} {ms:.1f}" for name, ms in asked.parts.items()), flush=True)


def _apart(work: Callable[..., Any], *arguments: object) -> Any:
    """In a process of its own, so that memory is that of the one thing."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def _count(tree: Path) -> Made:
    with _open(tree) as engine:
        corpus = engine.corpus()
        (part,) = corpus.parts
        stored = sum(file.stat().st_size for file in engine.place.snapshots.rglob("*.snapshot"))
        counted = len(part.postings.paths), corpus.chunks, part.postings.documents, len(part.postings.terms)
        return Made(*counted, 0, stored)


def _build(tree: Path, size: int, into: Path) -> Made:
    into.mkdir()
    with _open(tree) as engine:
        return synthetic.build(engine, size, into)


def _ask(tree: Path, into: Path | None, times: int, switches: Mapping[str, str]) -> Asked:
    """The tree itself, or the corpus that was made of it."""
    with _open(tree, switches) as engine:
        config = engine.config
        if into is None:
            sources = RetrieverSources(tree, config, engine.files, Holder(engine.files), engine.histories)
            corpora = Corpora(engine.db, engine.where, engine.place.snapshots)
        else:
            files = Copied(engine.db, engine.where)
            sources = RetrieverSources(into, config, files, Holder(files), Retold(engine, times))
            corpora = Corpora(engine.db, engine.where, into)
        return _asked(sources, corpora, _queries(tree))


def _asked(sources: RetrieverSources, corpora: Corpora, queries: Sequence[str]) -> Asked:
    searcher, coverage = Searcher(sources, corpora), Coverage(1, 1, indexing=False)
    started = time.perf_counter()
    searcher.search(Query(f"{queries[0]} ", HITS), coverage)
    first = time.perf_counter() - started
    times, cpu = [], time.process_time()
    for text in queries:
        started = time.perf_counter()
        searcher.search(Query(text, HITS), coverage)
        times.append((time.perf_counter() - started) * 1000)
    spent = (time.process_time() - cpu) * 1000 / len(queries)
    return Asked(times, spent, first, *_memory(), _parts(sources, corpora, queries))


def _parts(sources: RetrieverSources, corpora: Corpora, queries: Sequence[str]) -> dict[str, float]:
    """Mean time of each stage of a search, without reading the texts of hits."""
    corpus = corpora.current()
    weights = sources.config.retrievers()
    made = [retrievers.make(name, sources) for name in weights]
    spent: dict[str, float] = {}

    @contextmanager
    def timed(name: str) -> Iterator[None]:
        started = time.thread_time()
        yield
        spent[name] = spent.get(name, 0.0) + (time.thread_time() - started) * 1000 / len(queries)

    def found(one: Retriever, ask: Ask) -> Weighed:
        with timed(one.name):
            return Weighed(one.name, weights[one.name], one.retrieve(ask))

    for text in queries:
        question = understand(text)
        with timed("scope"):
            ask = Ask(question, corpus, tuple(masks(corpus, Scope())))
        with timed("standing"):
            kept = file_role.shares(corpus, question)
        first = [found(one, ask) for one in made if not one.reranks]
        with timed("fusion"):
            scores = fusion.fuse(Fusion.EVIDENCE, first, ask.allowed, kept)
        with timed("best"):
            candidates = tuple(place for place, _ in fusion.best(corpus, scores, RERANKED_BY_OWN))
        later = Ask(question, corpus, ask.allowed, candidates, tuple(kept))
        again = [found(one, later) for one in made if one.reranks]
        with timed("fusion again"):
            _ = again and fusion.fuse(Fusion.EVIDENCE, [*first, *again], ask.allowed, kept)
    return spent


def _queries(tree: Path) -> list[str]:
    said = [query_of(change.message) for change in git.changes(tree, 4 * ASKED)]
    return list(dict.fromkeys(filter(None, said)))[:ASKED]


def _memory() -> tuple[int, int]:
    """Resident bytes, and those of them that belong to no file."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    held = {name: text for name, _, text in (line.partition(":") for line in lines)}
    resident, own = (int(held[name].split()[0]) * KILOBYTE for name in ("VmRSS", "RssAnon"))
    return resident, own


@contextmanager
def _open(tree: Path, switches: Mapping[str, str] = NONE) -> Iterator[Engine]:
    with Engine.open(tree, environ={**_environ(), **switches}) as engine:
        yield engine


def _environ() -> dict[str, str]:
    return {name: text for name, text in os.environ.items() if not name.startswith("CLEW_")} | APART


if __name__ == "__main__":
    main()
