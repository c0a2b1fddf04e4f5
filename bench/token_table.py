"""Fit the table of `clew.text.tokens`: `python -m bench.token_table COUNTED…`, files that `bench.tokens --keep` wrote.

Every text asks for as many tokens as the hungriest of its tokenisers counted, and a margin on top; the table is the
one that misses this least, where a token too few is worth four too many (quantile regression, a linear program: needs
scipy). Kinds of text weigh alike, answers more, what is no ordinary text less. Prints the table in hundredths.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, hstack, identity

from clew.text.tokens import JOINS, UNIT, pieces, runs

Figures = npt.NDArray[np.float64]

MARGIN = 1.1  # on top of the hungriest; less for what is ever the same
MARGINS = {"hex": 1.0, "base64": 1.04, "white space": 1.0, "emoji": 1.0}
UNDER = 0.8  # the share of the weight that a token too few has
WEIGHTS = {"answers": 4.0, "other scripts": 0.3, "hex": 0.3, "white space": 0.3, "emoji": 0.3}
FEW = 60  # texts of a kind; fewer weigh less together

PUNCTUATION = "pqko"
# Up to which character of a run the costs are one: few figures, so that they hold elsewhere.
STEPS = {"a": (1, 6, 9), "A": (1, 3), "s": (1, 2, 8), "n": (1, 2), "t": (1,), "u": (1,), "b": (1,), "S": (1,)}
STEPS |= dict.fromkeys(PUNCTUATION, (1, 3))
# Tokens that no figure may leave: what few texts of the fit have says little, and must not be made up for by much.
AT_LEAST = {
    "a3": 0.1,
    "a4": 0.4,
    "A3": 0.2,
    "punctuation3": 0.08,
    "J": 1.1,
    "d": 1.0,
    "x": 1.0,
    "b2": 0.2,
    "S2": 0.7,
    "F": 2.5,
    "E": 4.0,
}
AT_MOST = {"A1": 1.7, "a3": 0.6, "a4": 0.6, "d": 1.05, "join sd": 2.0, "S1": 2.0, "E": 4.05, "L": 8.0}
AT_MOST |= dict.fromkeys(("G", "C", "K", "J"), 2.0) | dict.fromkeys(("H", "X", "Y", "F"), 3.0)
USUALLY_AT_MOST = 1.2
AT_MOST |= dict.fromkeys(("a1", "n1", "n3", "o1", "t1", "x"), 1.5)


def asked(text: str) -> Counter[str]:
    """How often a text asks for each figure of the table."""
    found: Counter[str] = Counter()
    for side in pieces(text):
        for piece, times in Counter(side).items():
            for name, count in _figures(runs(piece)):
                found[name] += count * times
    return found


def _figures(parts: list[str]) -> Iterator[tuple[str, int]]:
    for before, run in zip(["", *parts], parts, strict=False):
        kind = run[-1]
        join = before[-1:] + kind
        if join in JOINS:
            yield "join n" if kind == "n" else "join sd" if join == "sd" else "join", 1
        if run[0] != kind:
            yield "capital", 1
        yield from _steps(kind, int(join in JOINS), len(run))


def _steps(kind: str, start: int, length: int) -> Iterator[tuple[str, int]]:
    for number, end in enumerate((*STEPS.get(kind, ()), length), 1):
        name = (
            kind
            if kind not in STEPS
            else f"punctuation{number}"
            if kind in PUNCTUATION and number > 1
            else f"{kind}{number}"
        )
        yield name, max(0, min(end, length) - start)
        start = max(start, end)


def fit(texts: list[str], kinds: list[str], wanted: Figures) -> dict[str, float]:
    rows = [asked(text) for text in texts]
    names = sorted(set().union(*rows))
    asks = np.array([[row[name] for name in names] for row in rows]) / wanted[:, None]
    many = Counter(kinds)
    weights = np.array([WEIGHTS.get(kind, 1.0) / max(many[kind], FEW) for kind in kinds])
    count = len(texts)
    equal = hstack([csr_matrix(asks), identity(count), -identity(count)]).tocsr()
    costs = np.concatenate([np.zeros(len(names)), UNDER * weights, (1 - UNDER) * weights])
    bounds = [(AT_LEAST.get(name, 0), AT_MOST.get(name, USUALLY_AT_MOST)) for name in names] + [(0, None)] * (2 * count)
    grows = csr_matrix(
        ([1, -1, -1], ([0, 0, 0], [names.index(name) for name in ("A1", "a1", "capital")])), (1, len(bounds))
    )
    limits = {"A_ub": grows, "b_ub": [0.0]}  # a capital that becomes a word must not cost less for it
    solved = linprog(costs, A_eq=equal, b_eq=np.ones(count), bounds=bounds, method="highs", **limits)
    return dict(zip(names, solved.x[: len(names)].tolist(), strict=True))


def wanted(kinds: list[str], hungriest: Figures) -> Figures:
    margins: Figures = np.array([MARGINS.get(kind, MARGIN) for kind in kinds])
    return hungriest * margins


def main() -> None:
    texts, kinds, hungriest = [], [], []
    for line in (line for file in sys.argv[1:] for line in Path(file).read_text("utf-8").splitlines()):
        one = json.loads(line)
        texts.append(one["text"])
        kinds.append(one["kind"])
        hungriest.append(float(max(one["counts"].values())))
    for name, cost in fit(texts, kinds, wanted(kinds, np.array(hungriest))).items():
        print(f"{name}: {round(cost * UNIT)}")


if __name__ == "__main__":
    main()
