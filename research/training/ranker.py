"""A cross-validated ranker over all signals: `python -m research.training.ranker SIGNALS TABLE --folds FOLD0 FOLD1`.

Needs torch beside Clew. A chunk's score is 1 - exp(-sum of what each signal is worth), a worth being a weight that is
never negative times the signal: additive, monotone, and readable. Each third of the repositories is ranked by weights
that the other two gave.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from clew.retrieve.retrievers.semantic import UNRELATED
from research.training.ranking import figures, ranked, read, vectors_of
from research.training.weigh import embedder_for

USED = ("full_text", "symbol", "path", "git_history", "semantic")
ALL = (*USED, "graph", "file_words", "file_meaning", "path_words", "name_words", "signature_words", "doc_words",
       "code_words", "recent", "often", "size")  # fmt: skip
ROUNDS, BATCH, RATE, FUNCTIONS_SHARE = 3, 32, 0.05, 0.7


class Seen(NamedTuple):
    repository: str
    task: str
    case: dict[str, Any]
    signals: Tensor
    shares: Tensor


class Ranker(nn.Module):
    def __init__(self, used: Sequence[str]) -> None:
        super().__init__()
        self.columns = [ALL.index(name) for name in used]
        self.worth = nn.Parameter(torch.full((len(used),), -2.0))
        self.standing = nn.Parameter(torch.tensor(1.0))
        self.sharpness = nn.Parameter(torch.tensor(1.5))

    def forward(self, seen: Seen) -> Tensor:
        total = seen.signals[:, self.columns] @ functional.softplus(self.worth)
        return self.standing * seen.shares.clamp(min=1e-3).log() + (-torch.expm1(-total) + 1e-6).log()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("signals", type=Path)
    parser.add_argument("table", type=Path)
    parser.add_argument("--folds", type=Path, nargs=2)
    parser.add_argument("--every", action="store_true", help="all signals, instead of those that Clew uses")
    options = parser.parse_args()
    cases = [one for file in sorted(options.signals.glob("*.pickle")) for one in _read(file, options)]
    names = sorted({one.repository for one in cases})
    used = ALL if options.every else USED
    scores: dict[int, np.ndarray] = {}
    for number in range(3):
        held_out = {*names[number::3]}
        ranker = _learned([one for one in cases if one.repository not in held_out], used)
        print({name: round(float(one), 3) for name, one in zip(used, functional.softplus(ranker.worth), strict=True)})
        with torch.no_grad():
            scores |= {id(one): ranker(one).exp().numpy() for one in cases if one.repository in held_out}
    for task in dict.fromkeys(one.task for one in cases):
        rows = []
        for name in names:
            own = [one for one in cases if (one.repository, one.task) == (name, task)]
            rows += [figures(ranked([one.case for one in own], [scores[id(one)] for one in own]))] if own else []
        told = "files {:.3f} / {:.3f}, functions {:.3f} / {:.3f}".format(*np.mean(rows, axis=0))
        print(f"{task}, {len(rows)} repositories: MRR / R@5 of {told}")


def _read(file: Path, options: argparse.Namespace) -> list[Seen]:
    name = file.stem.replace("+", "/", 1)
    embedder = embedder_for(name, options.table, options.folds)
    chunks, by_task = read(file)
    vectors = vectors_of(embedder, chunks, range(len(chunks.texts)))
    found = []
    for task, cases in by_task.items():
        for case in cases:
            cosines = vectors[case["texts"]] @ embedder.embed([case["query"]])[0]
            near = np.clip((cosines - UNRELATED) / (1 - UNRELATED), 0, 1)
            signals = torch.tensor(_signals(case, near), dtype=torch.float32)
            found.append(Seen(name, task, case, signals, torch.tensor(case["shares"])))
    return found


def _signals(case: dict[str, Any], near: np.ndarray) -> np.ndarray:
    none = np.zeros(len(near))
    by_retriever = {name: case["scores"].get(name, none) for name in (*USED, "graph")} | {"semantic": near}
    files = np.unique(np.array(case["paths"]), return_inverse=True)[1]
    days, often = case["ages"].T
    more = {
        "file_words": _best_three(by_retriever["full_text"], files),
        "file_meaning": _best_three(near, files),
        **dict(zip(ALL[8:13], np.minimum(case["fields"], 1).T, strict=True)),
        "recent": np.where(days < 0, 0, np.exp(-np.maximum(days, 0) / 30)),
        "often": np.minimum(np.log1p(often) / np.log(50), 1),
        "size": np.minimum(np.log1p(case["sizes"]) / 8, 1),
    }
    return np.column_stack([{**by_retriever, **more}[name] for name in ALL])


def _best_three(scores: np.ndarray, files: np.ndarray) -> np.ndarray:
    """By chunk, the mean of the three best of its file."""
    means = np.array([np.sort(scores[files == file])[-3:].sum() / 3 for file in range(files.max() + 1)])
    return means[files]


def _learned(cases: Sequence[Seen], used: Sequence[str]) -> Ranker:
    torch.manual_seed(0)
    ranker, rng = Ranker(used), np.random.default_rng(0)
    optimiser = torch.optim.Adam(ranker.parameters(), lr=RATE)
    steps = ROUNDS * -(-len(cases) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps + 1)
    for _ in range(ROUNDS):
        order = rng.permutation(len(cases))
        for start in range(0, len(order), BATCH):
            losses = [_loss(ranker, cases[number]) for number in order[start : start + BATCH]]
            optimiser.zero_grad()
            torch.stack(losses).mean().backward()
            optimiser.step()
            schedule.step()
    return ranker.eval()


def _loss(ranker: Ranker, seen: Seen) -> Tensor:
    """Of the right files among all, each by its best chunk, and of the right functions."""
    scores = ranker.sharpness.exp() * ranker(seen)
    loss = scores.sum() * 0
    for what, share in (("files", 1.0), ("functions", FUNCTIONS_SHARE)):
        of = torch.tensor(seen.case[what])
        right = [number for number in range(seen.case[f"right_{what}"]) if bool((of == number).any())]
        if right:
            best = torch.full((int(of.max()) + 1,), -30.0)
            best = best.scatter_reduce(0, of[of >= 0], scores[of >= 0], "amax")
            loss = loss - share * best.log_softmax(0)[right].mean()
    return loss


if __name__ == "__main__":
    main()
