"""Scores of every retriever for the cases of many histories: `python -m research.training.signals CLONES OUT NAME…`.

One file per repository, with the texts and the terms of the chunks, so that vectors can be weighed later.
"""

import argparse
import math
import os
import pickle
import subprocess
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clew.engine import Engine
from clew.evaluate import choosing, rankers
from clew.evaluate.choosing import choose
from clew.evaluate.history import History
from clew.evaluate.report import Case, Request
from clew.evaluate.stage import APART, OpenedCheckout, Scenery, Stage, index, laid_out
from clew.evaluate.tuning import weighable
from clew.evaluate.world import SourceFiles
from clew.languages.plugins import load_languages
from clew.model.code import symbol_id
from clew.model.search import Query
from clew.retrieve import fusion, lexical
from clew.retrieve.meaning import texts_of
from clew.retrieve.question import lexicon, understand
from clew.retrieve.retriever import ChunkPlace, file_at
from clew.retrieve.signals import ScoredChunk, Signals, at
from clew.store.chunk_vectors import ROOTS
from clew.store.corpus import Corpus
from clew.store.postings import Field, PackedWords

BEST, BEST_OF_EACH = 250, 40
SETTINGS = {**APART, "CLEW_PROVIDERS_GRAPH_ENABLED": "true", "CLEW_EMBEDDING_MODEL": "none"}

Key = tuple[str, bytes, int]  # a path, the digest of its text, and which chunk of it
Bag = Counter[str]
Floats = npt.NDArray[np.float32]


class Words(NamedTuple):
    """A chunk's text for embedding models, and its terms for the bundled model."""

    text: str
    bag: Bag


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clones", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--commits", type=int, default=60)
    parser.add_argument("--docstrings", type=int, default=30)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.names:
        file = options.out / f"{name.replace('/', '+')}.pickle"
        if file.exists():
            continue
        started = time.time()
        try:
            found = read(options.clones / name.replace("/", "+") / "repo", options.commits, options.docstrings)
        except Exception as error:  # noqa: BLE001 - one history that cannot be read leaves the others
            print(f"{name}: {type(error).__name__}: {error}", flush=True)
            continue
        file.write_bytes(zlib.compress(pickle.dumps(found), 3))
        counts = {task: len(cases) for task, cases in found["cases"].items()}
        print(f"{name}: {counts}, {len(found['texts'])} texts, {time.time() - started:.0f} s", flush=True)


def read(repo: Path, wanted: int, documented: int) -> dict[str, Any]:
    known = load_languages(()).known
    history = History(repo)
    chosen = choose(history, Request(repo, cases=wanted), SourceFiles(known))
    with laid_out(Scenery(history, chosen.base, None, known), _opened, SETTINGS, lambda _: None) as stage:
        ages = _ages(repo, chosen.base)
        texts: dict[Key, Words] = {}
        asked = choosing.cases(chosen, history, stage.seen, known)
        found = {"commits": [_case(stage, case, ages, texts) for case in asked]}
        drawn = rankers.draw(stage.seen, documented)
        if drawn.cases:
            blanked = {path: rankers.without(stage.seen.files[path], docs) for path, docs in drawn.docs.items()}
            for path, text in blanked.items():
                (stage.root / path).write_bytes(text)
            index(stage.opened, lambda _: None)
            found["docstrings"] = [_case(stage, case, ages, texts) for case in drawn.cases]
    numbers = {key: number for number, key in enumerate(texts)}
    for cases in found.values():
        for case in cases:
            case["texts"] = np.array([numbers[key] for key in case.pop("keys")], np.int32)
    return {"texts": [one.text for one in texts.values()], "bags": [one.bag for one in texts.values()], "cases": found}


def _opened(root: Path, settings: Mapping[str, str]) -> Engine:
    return Engine.open(root, environ={**os.environ, **settings})


def _case(stage: Stage, case: Case, ages: Mapping[str, tuple[float, int]], texts: dict[Key, Words]) -> dict[str, Any]:
    engine = stage.opened
    corpus = engine.corpus()
    found = engine.searcher.findings(corpus, Query(case.query, BEST))
    best = fusion.best(corpus, found.scores, BEST)
    for one in found.weighed:
        kept = zip(one.found.scores, found.allowed, found.shares, strict=True)
        best += fusion.best(corpus, [scores[:] * mask * share[:] for scores, mask, share in kept], BEST_OF_EACH)
    places = sorted({place for place, _ in best}, key=lambda place: (file_at(corpus, place)[1], place.chunk))
    chunks, keys, sizes = [], [], []
    for place in places:
        number, path = file_at(corpus, place)
        postings = corpus.parts[place.part].postings
        digest, ordinal = postings.digest(number), place.chunk - int(postings.first_of[number])
        held = engine.files.find_text(path, digest)
        chunk = held.chunks[ordinal]
        chunks.append(ScoredChunk(path, symbol_id(path, chunk.scope), chunk.kind))
        sizes.append(chunk.tokens)
        key = path, digest, ordinal
        if key not in texts:
            for other, words in enumerate(zip(texts_of(held), _bags(stage.opened, path), strict=True)):
                texts.setdefault((path, digest, other), Words(*words))
        keys.append(key)
    signals = Signals(
        found.how, tuple(chunks), {one.name: one.weight for one in found.weighed},
        {one.name: at(one.found.scores, places) for one in found.weighed}, at(found.shares, places),
        understand(case.query).is_report, (),
    )  # fmt: skip
    seen_in = weighable(case, signals, stage.seen)
    return {
        "query": case.query, "keys": keys,
        "scores": {name: one.astype(np.float32) for name, one in signals.scores.items()},
        "shares": signals.shares.astype(np.float32), "files": seen_in.files, "functions": seen_in.functions,
        "right_files": len(case.files), "right_functions": len(case.functions),
        "paths": [one.path for one in chunks], "kinds": [str(one.kind) for one in chunks],
        "sizes": np.array(sizes, np.int32), "fields": _fields(corpus, case.query, places),
        "ages": np.array([ages.get(one.path, (-1, 0)) for one in chunks], np.float32),
        "all": np.array([fusion.best(corpus, found.scores, 1)[0][1] if best else 0.0]),
    }  # fmt: skip


def _bags(engine: OpenedCheckout, path: str) -> Iterator[Bag]:
    """Term weights of each chunk's vector in a file."""
    assert isinstance(engine, Engine)  # as `_opened` makes it
    file = next(one.file for one in engine.files.contents() if one.path == path)
    packed = PackedWords(engine.extracts.words(file))
    terms = [lexicon().terms(word.decode("utf-8", "replace")) for word in packed.vocabulary]
    ends = np.cumsum(packed.entries)
    for document in packed.wholes.tolist():
        bag: Bag = Counter()
        here = slice(int(ends[document] - packed.entries[document]), int(ends[document]))
        for word, often in zip(packed.words[here].tolist(), ROOTS.take(packed.frequencies[here]).tolist(), strict=True):
            for term in terms[word]:
                bag[term] += often
        yield bag


def _fields(corpus: Corpus, query: str, places: Sequence[ChunkPlace]) -> Floats:
    """Share of the question's information in each field of a chunk."""
    terms = lexical.look_up(corpus, understand(query).terms)
    rarity = {}
    for term in terms:
        frequency = sum(len(np.unique(one >> 3)) for one in term.at.places)
        part = lexicon().part(term.word.text, term.at.term)  # as `held` names it
        rarity[part] = term.word.weight * math.log(1 + corpus.chunks / (frequency + 0.5)) if frequency else 0.0
    most = sum(rarity.values()) or 1.0
    rows = np.zeros((len(places), len(Field)), np.float32)
    for row, place in zip(rows, places, strict=True):
        for word, fields in lexical.matching_terms(corpus, terms, place, 0):
            for field in fields:
                row[field] += rarity[word] / most
    return rows


def _ages(repo: Path, base: str) -> dict[str, tuple[float, int]]:
    """Age of each file in days before the base commit, and its changes in the last 2,000 commits."""
    done = subprocess.run(
        [
            "git", "-C", str(repo), "log", "-n2000", "--no-merges", "--no-renames", "--format=%x01%ct", "--name-only",
            base,
        ],
        check=True, stdout=subprocess.PIPE,
    ).stdout.decode("utf-8", "replace")  # fmt: skip
    last: dict[str, float] = {}
    often: Counter[str] = Counter()
    newest = 0
    for entry in done.split("\x01")[1:]:
        stamp, *paths = [line for line in entry.split("\n") if line]
        newest = newest or int(stamp)
        for path in paths:
            last.setdefault(path, (newest - int(stamp)) / 86400)
            often[path] += 1
    return {path: (days, often[path]) for path, days in last.items()}


if __name__ == "__main__":
    main()
