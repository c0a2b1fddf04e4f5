"""Changed code among the first hits: `python -m research.rulers.shown --on REPOSITORY… [--cases 60]`.

The cases are those of `clew eval`, which looks through hundreds of hits for enough files. Who asks sees five or ten:
of the files and of the functions that a commit changed, so many are among them, tests and documents being in the way.
"""

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from clew.engine import Engine
from clew.evaluate import choosing
from clew.evaluate.choosing import choose
from clew.evaluate.functions import KINDS
from clew.evaluate.history import History
from clew.evaluate.report import Case, EvaluationTask, Request
from clew.evaluate.stage import APART, Scenery, laid_out, search_function
from clew.evaluate.world import SourceFiles, World
from clew.languages.detection import LanguageTable
from clew.languages.plugins import load_languages, offered_languages
from clew.model.search import Hit

FEW, USUAL = 5, 10
HEADINGS = ("files @5", "@10", "in files", "functions @5", "@10", "first right hit")


class Shown(NamedTuple):
    """Means over cases; functions only where a commit changed any."""

    files_few: float
    files: float
    distinct: float
    functions_few: float
    functions: float
    reciprocal: float


def main() -> None:
    parser = argparse.ArgumentParser(prog="research.rulers.shown", description=__doc__)
    parser.add_argument("--on", type=Path, nargs="+", required=True, help="Checkouts or bare mirrors.")
    parser.add_argument("--cases", type=int, default=60, help="Of each.")
    options = parser.parse_args()
    known = load_languages(offered_languages()).known
    print(f"{'':24s} {'  '.join(HEADINGS)}")
    every = [_told(repository, options.cases, known) for repository in options.on]
    _print("mean", Shown(*(mean(column) for column in zip(*every, strict=True))))


def _told(repository: Path, cases: int, known: LanguageTable) -> Shown:
    request = Request(repository, (EvaluationTask.COMMITS,), cases=cases)
    history = History(repository)
    chosen = choose(history, request, SourceFiles(known))
    with laid_out(Scenery(history, chosen.base, None, known), _open, APART, lambda _: None) as stage:
        asked = choosing.cases(chosen, history, stage.seen, known)
        ask = search_function(stage.opened)
        found = _measured(asked, stage.seen, lambda text: ask(text, USUAL).hits)
    _print(repository.resolve().parent.name if repository.name == "repo" else repository.name, found)
    return found


def _open(root: Path, settings: Mapping[str, str]) -> Engine:
    return Engine.open(root, environ={**os.environ, **settings})


def _measured(cases: Sequence[Case], seen: World, ask: Callable[[str], Sequence[Hit]]) -> Shown:
    files, functions = [], []
    for case in cases:
        hits = ask(case.query)
        paths = [hit.path for hit in hits]
        first = next((rank for rank, path in enumerate(paths, 1) if path in case.files), 0)
        files.append((*_shares(case.files, paths), len({*paths}), 1 / first if first else 0.0))
        if case.functions:
            named = [seen.outer.get(hit.symbol, hit.symbol) if hit.kind in KINDS else "" for hit in hits]
            functions.append(_shares(case.functions, named))
    few, usual, distinct, reciprocal = (mean(column) for column in zip(*files, strict=True))
    functions_few, functions_usual = (mean(column) for column in zip(*functions, strict=True))
    return Shown(few, usual, distinct, functions_few, functions_usual, reciprocal)


def _shares(right: Sequence[str], shown: Sequence[str]) -> tuple[float, float]:
    few, usual = ({*right} & {*shown[:most]} for most in (FEW, USUAL))
    return len(few) / len(right), len(usual) / len(right)


def _print(name: str, found: Shown) -> None:
    print(
        f"{name:24s} {'  '.join(f'{value:{len(head)}.3f}' for value, head in zip(found, HEADINGS, strict=True))}",
        flush=True,
    )


if __name__ == "__main__":
    main()
