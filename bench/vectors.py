"""Cost and quality of vectors: `python -m bench.vectors --repo PATH`. Matrices use one thread, as in `clew` itself."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

import argparse
import random
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from bench import copies
from bench.measure import median
from clew.engine import Engine
from clew.model.search import Query
from clew.retrieve import nearest
from clew.retrieve.meaning import SemanticIndex, VectorKey, texts_of
from clew.retrieve.nearest import Matrix
from clew.retrieve.source_cache import Holder
from clew.runtime.settings import Embedding
from clew.store.chunk_vectors import Bytes, Floats, quantise
from clew.store.vectors import digest_of
from clew.text.embedders import Embedder, embedder

SEED = 4
CANDIDATES = 50
QUESTIONS = 20
ASKED = 100  # questions that recall is measured on
NOISE = 0.35  # of made vectors, against the length of those they are made of
PROBES = (16, 48, 96, 192)
MEGABYTE = 1_000_000


def main() -> None:
    options = _options()
    model = embedder(Embedding(model=options.model))
    if model is None:
        raise SystemExit("name a model")
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, model {model.name}")
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as scratch:
        tree = Path(scratch) / "tree"
        copies.copy(options.repo, tree)
        subjects = _subjects(options.repo)
        with Engine.open(tree) as engine:
            engine.index()
            real = _embedded(model, _texts(engine, options.texts))
        _at_rest(tree, _grown(real, 20_000))
        with Engine.open(tree) as engine:
            _reranked(engine, model, subjects[:QUESTIONS])
    questions = model.embed(subjects[:ASKED])
    for size in options.sizes:
        _searched(_grown(real, size), questions)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", type=Path, default=Path(), help="a git checkout, with some history")
    parser.add_argument("--model", default="minilm")
    parser.add_argument("--texts", type=int, default=2000, help="chunks to embed for real")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    return parser.parse_args()


def _subjects(tree: Path) -> list[str]:
    """Commit subjects as questions."""
    command = ["git", "-C", str(tree), "log", "--no-merges", "--format=%s", f"-{ASKED}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def _texts(engine: Engine, count: int) -> list[str]:
    contents = engine.files.contents()
    random.Random(SEED).shuffle(contents)
    found: list[str] = []
    for content in contents:
        if len(found) >= count:
            break
        found += texts_of(engine.files.find_text(content.path, content.text))
    return list(dict.fromkeys(found))[:count]


def _embedded(model: Embedder, texts: list[str]) -> Floats:
    started = time.perf_counter()
    model.embed(texts[:1])
    print(f"first text, with loading: {1000 * (time.perf_counter() - started):.0f} ms")
    started = time.perf_counter()
    found = model.embed(texts)
    seconds = time.perf_counter() - started
    length = sum(map(len, texts)) / len(texts)
    print(f"embedding: {len(texts) / seconds:.0f} texts/s ({length:.0f} characters each)")
    return found


def _at_rest(tree: Path, vectors: Bytes) -> None:
    """Bytes that vectors add to the database, measured while it is closed and its log is empty."""
    file = tree / ".clew" / "clew.db"
    before = file.stat().st_size
    with Engine.open(tree) as engine:
        rows = quantise(vectors.astype(np.float32)).pack()
        engine.vectors.put("bench", {digest_of("bench", str(i)): row for i, row in enumerate(rows)})
    added = (file.stat().st_size - before) / len(vectors) * 10_000
    print(f"at rest: {added / MEGABYTE:.1f} MB for 10,000 chunks, beside {before / MEGABYTE:.1f} MB without vectors")


def _reranked(engine: Engine, model: Embedder, questions: Sequence[str]) -> None:
    """Candidates as a search gives them."""
    cold, warm, hot = [], [], []
    for question in questions:
        hits = engine.search(Query(question, CANDIDATES)).hits
        places = [_place(engine, hit.chunk_id) for hit in hits]
        asking = SemanticIndex(model, Holder(engine.files), engine.vectors, keeps=True)
        cold.append(_seconds(lambda: asking.similarities(question, places)))  # noqa: B023 - called at once
        hot.append(_seconds(lambda: asking.similarities(question, places)))  # noqa: B023
        again = SemanticIndex(model, Holder(engine.files), engine.vectors, keeps=True)
        again.asked(question)
        warm.append(_seconds(lambda: again.similarities(question, places)))  # noqa: B023
    named = {"nothing kept": cold, "vectors kept": warm, "and the files known": hot}
    told = ", ".join(f"{name} {1000 * median(times):.1f} ms" for name, times in named.items())
    print(f"re-ranking {CANDIDATES} candidates (median of {len(questions)}): {told}")


def _place(engine: Engine, chunk_id: str) -> VectorKey:
    path, _, rest = chunk_id.rpartition("#")
    known = next(one for one in engine.files.contents() if one.path == path)
    return VectorKey(path, known.text, int(rest.partition("@")[0]))


def _grown(real: Floats, size: int) -> Bytes:
    """As many as asked for: real ones, then such as lie between two real ones, and a little beside."""
    rng = np.random.default_rng(SEED)
    found = np.empty((size, real.shape[1]), np.int8)
    for at in range(0, size, 50_000):
        count = min(50_000, size - at)
        share = rng.random((count, 1), np.float32)
        made = share * real[rng.integers(0, len(real), count)] + (1 - share) * real[rng.integers(0, len(real), count)]
        noise = rng.standard_normal(made.shape, np.float32) * np.float32(NOISE / np.sqrt(real.shape[1]))
        found[at : at + count] = quantise(made + noise).rows
    held = min(len(real), size)
    found[:held] = quantise(real[:held]).rows
    return found


def _searched(rows: Bytes, questions: Floats) -> None:
    asked = [nearest.quantise_question(question) for question in questions]
    plain = Matrix(rows, nearest.lengths(rows).astype(np.float32), *_no_cells(rows))
    exact = [set(nearest.nearest(plain, one, 10).numbers.tolist()) for one in asked[: ASKED // 2]]
    took = median([_seconds(lambda: nearest.nearest(plain, one, 10)) for one in asked[:9]])  # noqa: B023
    print(f"{len(rows):>9,} vectors, {rows.nbytes / MEGABYTE:.0f} MB: exact {1000 * took:.1f} ms")
    if len(rows) < nearest.EXACT_UP_TO:
        return
    started = time.perf_counter()
    limit, nearest.EXACT_UP_TO = nearest.EXACT_UP_TO, 0
    celled = nearest.matrix(rows)
    nearest.EXACT_UP_TO = limit
    print(f"          {len(celled.centres)} cells, made in {time.perf_counter() - started:.0f} s")
    for probes in PROBES:
        found = [nearest.nearest(celled, one, 10, probes=probes).numbers.tolist() for one in asked[: ASKED // 2]]
        recall = sum(len(best & {*near}) for best, near in zip(exact, found, strict=True)) / (10 * len(exact))
        took = median([_seconds(lambda: nearest.nearest(celled, one, 10, probes=probes)) for one in asked[:20]])  # noqa: B023
        chosen = " (the default)" if probes == nearest.PROBES else ""
        print(f"          {probes:>3} cells looked into: {1000 * took:.1f} ms, recall@10 {recall:.3f}{chosen}")


def _no_cells(rows: Bytes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    none = np.zeros(0, np.uint32)
    return none, none, np.zeros((0, rows.shape[1]), np.float32)


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
