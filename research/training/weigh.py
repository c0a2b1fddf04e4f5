"""Worth of vectors beside all other signals: `python -m research.training.weigh SIGNALS TABLE [--folds FOLD0 FOLD1] …`.

SIGNALS is the output of `research.training.signals`, TABLE a folder as in the package. `--folds` ranks a repository
that the table was trained on with the table that was trained without it. Means are over cases; those in brackets are 95
% intervals by bootstrap, of differences case by case.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from clew.evaluate import rankers
from clew.evaluate.report import Figure
from clew.runtime.settings import Providers
from clew.text.embedders import Embedder
from clew.text.embedders.own import NAME, Own
from research.training.listed import listed
from research.training.ranking import NONE, Floats, Judged, Ranking, figures, judged, table

WEIGHTS = (0.2, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9)
MINILM = "MiniLM"
SHIPPED = Providers().semantic.weight

Rows = Sequence[Judged]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("signals", type=Path)
    parser.add_argument("table", type=Path)
    parser.add_argument("--folds", type=Path, nargs=2)
    parser.add_argument(
        "--minilm", type=float, nargs="*", help=f"MiniLM beside it, at these weights; {SHIPPED} if none"
    )
    parser.add_argument("--only", nargs="*", default=[], help="these repositories alone")
    options = parser.parse_args()
    beside = [] if options.minilm is None else [Ranking(MINILM, weight) for weight in options.minilm or [SHIPPED]]
    rows = [*_rows(options, bool(beside))]
    names = {one.repository: one.language for one in rows}
    print(f"{len(names)} repositories: {', '.join(f'{name} ({language})' for name, language in names.items())}")
    for task in dict.fromkeys(one.task for one in rows):
        own = [one for one in rows if one.task == task]
        print(f"\n## {task}\n")
        _print_weights(own)
        for what in ("files", "functions"):
            for column, measure in enumerate(("MRR", "R@5")):
                print(f"\n{task}, {what}, {measure}:\n")
                _print_differences(own, what, column, [Ranking(NAME, SHIPPED), *beside])


def _rows(options: argparse.Namespace, with_minilm: bool) -> Iterator[Judged]:
    minilm = _minilm() if with_minilm else {}
    for file in sorted(options.signals.glob("*.pickle")):
        name = file.stem.replace("+", "/", 1)
        if not options.only or name in options.only:
            own = embedder_for(name, options.table, options.folds)
            yield from judged(file, {NAME: own, **minilm}, sorted({*WEIGHTS, SHIPPED, *(options.minilm or ())}))


def embedder_for(name: str, full: Path, folds: Sequence[Path] | None) -> Embedder:
    learned = {one.name for one in listed() if one.part == "train"}
    fold = sum(name.encode()) % 2  # as in train.py
    return Own(folds[fold] if folds and name in learned else full)


def _minilm() -> dict[str, Embedder]:
    from clew.runtime.paths import user_cache
    from clew.text.embedders.minilm import MiniLM

    return {MINILM: MiniLM(user_cache())}


def _print_weights(rows: Rows) -> None:
    print("| MRR / R@5 | files | functions |\n|---|---|---|")
    for ranking in rows[0].ranks:
        told = "{:.3f} / {:.3f} | {:.3f} / {:.3f}".format(*figures(one.ranks[ranking] for one in rows))
        print(f"| {ranking} | {told} |")


def _print_differences(rows: Rows, what: str, column: int, rankings: Sequence[Ranking]) -> None:
    """Of all cases, by language, and of the means of repositories, which says more about other repositories."""
    first, *others = rankings
    pairs = [(ranking, NONE) for ranking in rankings] + [(first, other) for other in others]
    heads = [*map(str, (NONE, *rankings)), *(f"{one} against {other}" for one, other in pairs)]
    print(f"| | cases | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 2)}")
    for name, count, values in _groups(rows, what, column):
        means = [_told(values(one), "{:.3f}", "[{:.3f}, {:.3f}]") for one in (NONE, *rankings)]
        gains = [_told(values(one) - values(other), "{:+.3f}", "[{:+.3f}, {:+.3f}]") for one, other in pairs]
        print(f"| {name} | {count} | {' | '.join([*means, *gains])} |")


def _groups(rows: Rows, what: str, column: int) -> Iterator[tuple[str, int, Callable[[Ranking], Floats]]]:
    """A name, how many values it has, and these values by ranking."""
    asked = [one for one in rows if getattr(one.ranks[NONE], what)]
    by_repository = [[one for one in asked if one.repository == name] for name in _names(asked, "repository")]
    yield "all", len(asked), _values([[one] for one in asked], what, column)
    yield "by repository", len(by_repository), _values(by_repository, what, column)
    for language in _names(asked, "language"):
        some = [[one] for one in asked if one.language == language]
        yield language, len(some), _values(some, what, column)


def _values(groups: Sequence[Rows], what: str, column: int) -> Callable[[Ranking], Floats]:
    """The mean of each group of cases."""
    return lambda ranking: np.array(
        [table([getattr(one.ranks[ranking], what) for one in some])[:, column].mean() for some in groups]
    )


def _names(rows: Rows, what: str) -> list[str]:
    return sorted({getattr(one, what) for one in rows})


def _told(values: Floats, mean: str, interval: str) -> str:
    found: Figure = rankers.figures(values[:, None])[0]
    return f"{mean.format(found.mean)} {interval.format(found.low, found.high)}"


if __name__ == "__main__":
    main()
