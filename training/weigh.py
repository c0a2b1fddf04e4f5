"""What vectors are worth beside all else: `python -m training.weigh SIGNALS TABLE [--folds FOLD0 FOLD1] [--minilm]`.

SIGNALS is what `training.signals` wrote, TABLE a folder as the package has it. A repository that the table learned from
is looked at with the table that was learned without it: `--folds`.
"""

import argparse
import pickle
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.evaluate import metrics
from clew.evaluate.weighing import ranks_among
from clew.retrieve.retrievers.semantic import UNRELATED
from clew.runtime.settings import Providers
from clew.text.embedders import Embedder
from clew.text.embedders.own import Own
from training.listed import listed

WEIGHTS = (0.0, 0.2, 0.4, 0.5, 0.6, 0.8)
CANDIDATES = 20

Floats = npt.NDArray[np.float64]
Case = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("signals", type=Path)
    parser.add_argument("table", type=Path)
    parser.add_argument("--folds", type=Path, nargs=2)
    parser.add_argument("--minilm", action="store_true", help="MiniLM instead")
    parser.add_argument("--only", nargs="*", default=[], help="these repositories alone")
    options = parser.parse_args()
    found: dict[str, list[list[Floats]]] = {}
    names = []
    for file in sorted(options.signals.glob("*.pickle")):
        name = file.stem.replace("+", "/", 1)
        if options.only and name not in options.only:
            continue
        names.append(name)
        for task, rows in _weighed(file, embedder_for(name, options)).items():
            found.setdefault(task, []).append(rows)
    print(f"{len(names)} repositories: {' '.join(names)}")
    for task, by_repository in found.items():
        for number, weight in enumerate(WEIGHTS):
            mean = np.mean([rows[number] for rows in by_repository], axis=0)
            told = "files {:.3f} / {:.3f}, functions {:.3f} / {:.3f}".format(*mean)
            print(f"{task}: weight {weight}: MRR / R@5 of {told}")


def embedder_for(name: str, options: argparse.Namespace) -> Embedder:
    if options.minilm:
        from clew.runtime.paths import user_cache
        from clew.text.embedders.minilm import MiniLM

        return MiniLM(user_cache())
    learned = {one.name for one in listed() if one.part == "train"}
    fold = sum(name.encode()) % 2  # as in train.py
    return Own(options.folds[fold] if options.folds and name in learned else options.table)


def _weighed(file: Path, embedder: Embedder) -> dict[str, list[Floats]]:
    """By task and weight: MRR and R@5 of files and of functions."""
    read = pickle.loads(zlib.decompress(file.read_bytes()))
    used = np.unique(np.concatenate([case["texts"] for cases in read["cases"].values() for case in cases]))
    vectors = dict(zip(used.tolist(), embedder.embed([read["texts"][row] for row in used]), strict=True))
    found = {}
    for task, cases in read["cases"].items():
        scored = [_scorer(case, embedder, vectors) for case in cases if len(case["texts"])]
        some = [case for case in cases if len(case["texts"])]
        found[task] = [figures(some, [score(weight) for score in scored]) for weight in WEIGHTS]
    return found


def _scorer(case: Case, embedder: Embedder, vectors: dict[int, Any]) -> Callable[[float], Floats]:
    """As fusion by evidence does it, with a weight for vectors."""
    weights = {name: getattr(Providers(), name).weight for name in ("full_text", "symbol", "path", "git_history")}
    rest = np.ones(len(case["texts"]))
    for name, weight in weights.items():
        rest *= 1 - np.minimum(weight * case["scores"][name], 1.0) if name in case["scores"] else 1.0
    best = np.argsort(-(case["shares"] * (1 - rest)), kind="stable")[:CANDIDATES]
    asked = embedder.embed([case["query"]])[0]
    cosines = np.array([vectors[row] @ asked for row in case["texts"][best].tolist()])
    near = np.zeros(len(rest))
    near[best] = np.clip((cosines - UNRELATED) / (1 - UNRELATED), 0, 1)
    return lambda weight: case["shares"] * (1 - rest * (1 - weight * near))


def figures(cases: Sequence[Case], scores: Sequence[Floats]) -> Floats:
    ranks = {"files": [], "functions": []}
    for case, score in zip(cases, scores, strict=True):
        order = np.argsort(-score, kind="stable")
        order = order[score[order] > 0]
        for what, found in ranks.items():
            if right := case[f"right_{what}"]:
                found.append(ranks_among(case[what][order], range(right)))
    tables = [metrics.table(found) if found else np.zeros((1, 4)) for found in ranks.values()]
    return np.concatenate([table[:, [3, 1]].mean(axis=0) for table in tables])


if __name__ == "__main__":
    main()
