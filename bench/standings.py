"""Markdown tables of a contest's results: per repository, and the mean."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bench.contest import Contest, Entry, Ranks
from bench.measure import percentile
from clew.evaluate import rankers
from clew.evaluate.rankers import CLEW, INTERVAL, RESAMPLES, SEED, Table
from clew.evaluate.report import Figure, RankerScores

MEGABYTE = 1_000_000
NONE = "-"

Rows = list[list[str]]


class Pair(NamedTuple):
    """An entry of some contest, and the one that it is held against there."""

    mine: Entry
    other: Entry


def detail(contest: Contest) -> Iterator[str]:
    """One repository, in full."""
    with_functions = sum(map(bool, contest.entries[0].functions or ()))
    yield f"{len(contest.entries[0].files)} cases, {with_functions} of them with functions, on {contest.base[:10]}: "
    yield f"{contest.files} source files and {contest.functions} functions are ranked.\n\n"
    yield from summary([contest])


def summary(contests: Sequence[Contest]) -> Iterator[str]:
    """Means over repositories, each of which counts alike."""
    for title, of in (("Files", _files), ("Functions", _functions)):
        yield f"{title}\n\n"
        yield from _table(["", "repositories", "cases", "R@1", "R@5", "R@10", "MRR"], _scored(contests, of))
    yield "Clew's lead, over the same cases\n\n"
    yield from _table(["over", *_MEASURED], _leads(contests))
    yield "Costs, mean over repositories\n\n"
    yield from _table(["", "index CPU s", "index MB", "query p50 ms", "p95 ms", "CPU ms"], _costs(contests))
    if any(contest.ablations for contest in contests):
        yield "Ablation: Clew's retrievers weighed anew, before answers are made diverse\n\n"
        yield from _table(["", *_MEASURED], _ablated(contests))
    yield from _said(contests)


def by_repository(contests: Sequence[Contest]) -> Iterator[str]:
    """MRR / R@5 of files; for Clew also of functions, and the time of a query."""
    names = _names(contests)
    head = ["", "cases", *names, "functions", "p50 / p95 ms"]
    rows = []
    for contest in contests:
        held = {entry.name: entry for entry in contest.entries}
        clew = held[CLEW]
        told = [_short(_files(held[name])) if name in held else NONE for name in names]
        times = f"{percentile(clew.ms, 0.5):.1f} / {percentile(clew.ms, 0.95):.1f}"
        rows.append([contest.repository, str(len(clew.files)), *told, _short(_functions(clew)), times])
    yield from _table(head, rows)


_MEASURED = ("files MRR", "files R@5", "functions MRR", "functions R@5")


def _files(entry: Entry) -> Table:
    return _measures(entry.files)


def _functions(entry: Entry) -> Table:
    return _measures(entry.functions or ())


def _measures(cases: Sequence[Ranks]) -> Table:
    """Metrics over the cases that have an answer; a missing answer counts 0."""
    return rankers.table([ranks for ranks in cases if ranks])


def _scored(contests: Sequence[Contest], of: Callable[[Entry], Table]) -> Rows:
    rows = []
    for name in _names(contests):
        tables = [of(entry) for contest in contests for entry in contest.entries if entry.name == name]
        tables = [table for table in tables if table.any()]
        if tables:
            scores = _spread(tables)
            figures = (scores.recall_1, scores.recall_5, scores.recall_10, scores.mrr)
            rows.append([name, str(len(tables)), str(sum(map(len, tables))), *map(_ranged, figures)])
    return rows


def _leads(contests: Sequence[Contest]) -> Rows:
    rows = []
    for name in _names(contests):
        pairs = [
            Pair(contest.entries[0], entry) for contest in contests for entry in contest.entries if entry.name == name
        ]
        if name != CLEW:
            rows.append([name, *_differences(pairs)])
    return rows


def _ablated(contests: Sequence[Contest]) -> Rows:
    told = [contest for contest in contests if contest.ablations]
    rows = []
    for number, first in enumerate(told[0].ablations):
        pairs = [Pair(contest.ablations[number], contest.ablations[0]) for contest in told]
        means = [f"{one.mean:.3f}" for one in _both([pair.mine for pair in pairs])]
        differ = _differences(pairs) if number else [""] * len(means)
        rows.append([first.name, *(f"{mean} {by}".strip() for mean, by in zip(means, differ, strict=True))])
    return rows


def _both(entries: Sequence[Entry]) -> list[Figure]:
    files, functions = _spread([*map(_files, entries)]), _spread([*map(_functions, entries)])
    return [files.mrr, files.recall_5, functions.mrr, functions.recall_5]


def _differences(pairs: Sequence[Pair]) -> list[str]:
    """Case by case, over what both answered."""
    out = []
    for of in (_files, _functions):
        tables = [_minus(of, pair) for pair in pairs]
        if any(of(pair.other).any() for pair in pairs):
            scores = _spread(tables)
            out += [_signed(scores.mrr), _signed(scores.recall_5)]
        else:
            out += [NONE, NONE]
    return out


def _minus(of: Callable[[Entry], Table], pair: Pair) -> Table:
    mine, other = of(pair.mine), of(pair.other)
    both = min(len(mine), len(other))
    return mine[:both] - other[:both]


def _spread(tables: Sequence[Table]) -> RankerScores:
    """The mean of the repositories' means; its interval, of cases drawn anew within each."""
    drawing = np.random.default_rng(SEED)
    tables = [table for table in tables if len(table)]
    means = np.zeros((RESAMPLES, len(rankers.CUTOFFS) + 1))
    for table in tables:
        means += table[drawing.integers(0, len(table), (RESAMPLES, len(table)))].mean(axis=1) / len(tables)
    lows, highs = np.percentile(means, INTERVAL, axis=0)
    centre = np.mean([table.mean(axis=0) for table in tables], axis=0)
    figures = [Figure(float(a), float(b), float(c)) for a, b, c in zip(centre, lows, highs, strict=True)]
    return RankerScores(sum(map(len, tables)), *figures)


def _costs(contests: Sequence[Contest]) -> Rows:
    rows = []
    for name in _names(contests):
        held = [entry for contest in contests for entry in contest.entries if entry.name == name]
        cpu = np.mean([entry.index_cpu for entry in held])
        size = np.mean([entry.index_bytes for entry in held]) / MEGABYTE
        p50, p95 = (np.mean([percentile(entry.ms, share) for entry in held]) for share in (0.5, 0.95))
        spent = np.mean([np.mean(entry.cpu_ms) for entry in held])
        indexed = [f"{cpu:.1f}", f"{size:.1f}"] if size else [NONE, NONE]
        rows.append([name, *indexed, f"{p50:.1f}", f"{p95:.1f}", f"{spent:.1f}"])
    return rows


def _said(contests: Sequence[Contest]) -> Iterator[str]:
    notes = {f"{entry.name}: {entry.note}" for one in contests for entry in one.entries if entry.note}
    missing = {f"{name} on {one.repository}: not run, {why}" for one in contests for name, why in one.missing.items()}
    for line in (*sorted(notes), *sorted(missing)):
        yield f"- {line}\n"


def _names(contests: Sequence[Contest]) -> list[str]:
    return list(dict.fromkeys(entry.name for contest in contests for entry in contest.entries))


def _short(table: Table) -> str:
    if not len(table):
        return NONE
    *_, mrr = table.mean(axis=0)
    return f"{mrr:.3f} / {table.mean(axis=0)[1]:.3f}"


def _ranged(figure: Figure) -> str:
    return f"{figure.mean:.3f} [{figure.low:.3f}, {figure.high:.3f}]"


def _signed(figure: Figure) -> str:
    return f"{figure.mean:+.3f} [{figure.low:+.3f}, {figure.high:+.3f}]"


def _table(head: Sequence[str], rows: Rows) -> Iterator[str]:
    yield f"| {' | '.join(head)} |\n|{'---|' * len(head)}\n"
    for row in rows:
        yield f"| {' | '.join(row)} |\n"
    yield "\n"
