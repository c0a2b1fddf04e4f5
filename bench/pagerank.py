"""Forward push against exact power iteration: `python -m bench.pagerank [--repo PATH]`.

On a drawn graph of 100,000 nodes and 500,000 edges whose degrees follow a power law, and on that of a checkout, which
is copied and indexed. For each damping, 60 walks from 5 to 10 nodes each: how long push takes (by the clock, and of the
processor, which other programs do not disturb), how long exact iteration to 1e-10 takes, and how many of its first 50
nodes push has among its own.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.measure import run
from clew.engine import Engine
from clew.graph.algorithms.push import DAMPING, EPSILON, push
from clew.graph.walk_graph import Web
from clew.model.code import EXTERNAL
from clew.model.words import EdgeKind, EvidenceKind
from clew.store import snapshot
from clew.store.arrays import Array
from clew.store.corpus import Corpus, CorpusPart
from clew.store.links import FileEdge, Linked, digest_of, pack_links
from clew.store.postings import Field, pack_words

NODES, EDGES, NODES_A_FILE = 100_000, 500_000, 20
SLOPE = 0.8  # of the power law: the n-th node is led to n ** -SLOPE times as often as the first
DAMPINGS = (0.5, 0.7, 0.85)
EPSILONS = (1e-3, 3e-4, 1e-4, 3e-5, 1e-5)
WALKS, TOP, EXACT = 60, 50, 1e-10
KINDS = (EdgeKind.CALLS, EdgeKind.CALLS, EdgeKind.CALLS, EdgeKind.USES, EdgeKind.IMPORTS, EdgeKind.TESTS)


class Exact(NamedTuple):
    """All arcs at once, and from where none lead."""

    source: Array
    target: Array
    part: Array
    stuck: Array


class Walked(NamedTuple):
    wall: float
    cpu: float
    nodes: Array
    shares: Array


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.pagerank", description=__doc__)
    parser.add_argument("--repo", type=Path, help="A checkout to index a copy of; or a snapshot to read.")
    parser.add_argument("--scale", type=float, default=1.0, help="Of the drawn graph, for a try.")
    options = parser.parse_args()
    print(f"machine: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; the defaults are {DAMPING}, {EPSILON:g}")
    compare("drawn", drawn(round(NODES * options.scale), round(EDGES * options.scale)))
    if options.repo:
        compare(str(options.repo), indexed(options.repo))


def compare(name: str, corpus: Corpus) -> None:
    web = Web(corpus)
    exact = everything(web)
    inside = [i for i in range(web.size) if not web.numbering.id(i).startswith(EXTERNAL)]
    edges = sum(len(part.postings.graph.kind) for part in corpus.parts)
    print(f"\n{name}: {web.size:,} nodes, {edges:,} edges, {len(exact.source):,} arcs that a walk may take")
    print(f"{WALKS} walks from 5 to 10 nodes; agreement is the share of the exact first {TOP} nodes")
    print(f"{'damping':>8}{'epsilon':>9}{'p50 ms':>9}{'p95 ms':>8}{'CPU p50':>9}{'CPU p95':>9}{'nodes':>8}"
          f"{'agreement':>11}{'least':>7}{'exact ms':>10}{'CPU':>7}")  # fmt: skip
    for damping in DAMPINGS:
        chance = random.Random(11)
        seeds = [np.array(chance.sample(inside, chance.randint(5, 10))) for _ in range(WALKS)]
        truth = [timed(partial(iterate, exact, web.size, one, damping)) for one in seeds]
        best = [first(np.arange(web.size), walked.shares) for walked in truth]
        for epsilon in EPSILONS:
            found = [timed(partial(pushed, web, one, damping, epsilon)) for one in seeds]
            agreement = [len(first(f.nodes, f.shares) & top) / len(top) for f, top in zip(found, best, strict=True)]
            walls, cpus = [1e3 * f.wall for f in found], [1e3 * f.cpu for f in found]
            print(f"{damping:8}{epsilon:9.0e}{middle(walls):9.2f}{high(walls):8.2f}{middle(cpus):9.2f}{high(cpus):9.2f}"
                  f"{middle([len(f.nodes) for f in found]):8.0f}{np.mean(agreement):11.3f}{min(agreement):7.2f}"
                  f"{middle([1e3 * t.wall for t in truth]):10.0f}{middle([1e3 * t.cpu for t in truth]):7.0f}",
                  flush=True)  # fmt: skip


def drawn(nodes: int, edges: int) -> Corpus:
    """Every node leads somewhere; where to, the power law says. Files of 20 functions each."""
    chance = np.random.default_rng(7)
    odds = np.arange(1, nodes + 1) ** -SLOPE
    popular = chance.permutation(nodes)
    target = popular[chance.choice(nodes, edges, p=odds / odds.sum())]
    source = np.concatenate([np.arange(nodes), chance.integers(0, nodes, edges - nodes)])
    kind = chance.integers(0, len(KINDS), edges)
    files: dict[str, list[FileEdge]] = {f"f{i:06}.py": [] for i in range(-(-nodes // NODES_A_FILE))}
    rows = zip(source.tolist(), target.tolist(), kind.tolist(), range(1, edges + 1), strict=True)
    for a, b, k, line in rows:
        (path, scope), (other, name) = _node(a), _node(b)
        to = f"{other}::{name}" if name else other
        files[path].append(FileEdge(scope, KINDS[k], to, line, EvidenceKind.CALLSITE, 1.0))
    return of_links({path: pack_links(Linked(tuple(shown))) for path, shown in files.items()})


def _node(number: int) -> tuple[str, str]:
    place = number % NODES_A_FILE
    return f"f{number // NODES_A_FILE:06}.py", f"s{place}" if place else ""


def of_links(links: dict[str, bytes]) -> Corpus:
    nothing, digest = pack_words(b"", []), bytes(snapshot.DIGEST_BYTES)
    sources = (snapshot.Source(p, digest, "python", nothing, one, digest_of(one)) for p, one in links.items())
    return a_corpus(snapshot.Postings(snapshot.invert(sources)))


def a_corpus(postings: snapshot.Postings) -> Corpus:
    part = CorpusPart(postings, np.ones(postings.chunks, np.bool_), np.ones(len(postings.paths), np.bool_))
    return Corpus("bench", (part,), postings.chunks, np.ones(len(Field)))


def indexed(repo: Path) -> Corpus:
    if repo.suffix == snapshot.SUFFIX:
        postings = snapshot.load(repo)
        assert postings is not None, f"{repo} is no snapshot of this version"
        return a_corpus(postings)
    environ = {name: text for name, text in os.environ.items() if not name.startswith("CLEW_")}
    with tempfile.TemporaryDirectory(prefix="clew-pagerank-") as scratch:
        copy = Path(scratch) / "copy"
        shutil.copytree(repo, copy, symlinks=True, ignore=shutil.ignore_patterns(".clew", ".venv", "node_modules"))
        (copy / ".clew").mkdir()
        run([sys.executable, "-P", "-m", "clew", "index", "--json"], copy, environ)
        with Engine.open(copy, environ=environ) as engine:
            return engine.corpus()


def everything(web: Web) -> Exact:
    nodes = np.array([i for i in range(web.size) if not web.numbering.id(i).startswith(EXTERNAL)])
    arcs = web.arcs(nodes)
    source = nodes[arcs.start]
    leaving = np.bincount(source, weights=arcs.weight, minlength=web.size)
    return Exact(source, arcs.target, arcs.weight / leaving[source], leaving == 0)


def iterate(graph: Exact, size: int, seeds: Array, damping: float) -> tuple[Array, Array]:
    """Until all that is still under way is less than `EXACT`."""
    settled: Array = np.zeros(size)
    moving: Array = np.bincount(seeds, minlength=size) / len(seeds)
    while moving.sum() > EXACT:
        settled += np.where(graph.stuck, moving, (1 - damping) * moving)
        moving = np.where(graph.stuck, 0.0, damping * moving)
        moving = np.bincount(graph.target, weights=moving[graph.source] * graph.part, minlength=size)
    return np.arange(size), settled


def pushed(web: Web, seeds: Array, damping: float, epsilon: float) -> tuple[Array, Array]:
    reached = push(web, seeds, np.ones(len(seeds)), damping, epsilon)
    return reached.nodes, reached.shares


def timed(call: Callable[[], tuple[Array, Array]]) -> Walked:
    wall, cpu = time.perf_counter(), time.process_time()
    nodes, shares = call()
    return Walked(time.perf_counter() - wall, time.process_time() - cpu, nodes, shares)


def first(nodes: Array, shares: Array) -> set[int]:
    order = np.lexsort((nodes, -shares))[:TOP]
    return {int(nodes[i]) for i in order if shares[i] > 0}


def middle(values: list[float]) -> float:
    return float(np.median(values))


def high(values: list[float]) -> float:
    return float(np.quantile(values, 0.95))


if __name__ == "__main__":
    main()
