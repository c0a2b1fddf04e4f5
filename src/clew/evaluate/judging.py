"""Asks every ranker every case: ranks, costs, and the lead of each."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from clew.evaluate import rankers
from clew.evaluate.rankers import UNSKIPPED, Ranker
from clew.evaluate.report import Case, Judged, QueryCost, RankerLead, RankerResult, RankerScores, Ranks


@runtime_checkable
class Priced(Protocol):
    """A ranker that costs something of its own."""

    def ask(self, query: str) -> None:
        """As its users do."""
        ...


@dataclass(frozen=True, slots=True)
class Verdict:
    cases: tuple[Judged, ...]
    standings: tuple[RankerResult, ...]
    leads: tuple[RankerLead, ...]


def judge(cases: Sequence[Case], rankers: Sequence[Ranker], report: Callable[[int], None]) -> Verdict:
    """The same cases for all, and the lead of the first ranker. Each is asked once before the clock runs."""
    clock = _Clock()
    for ranker in rankers:
        if isinstance(ranker, Priced):
            ranker.ask(cases[0].query)
    judged = []
    for number, case in enumerate(cases, start=1):
        for ranker in rankers:
            if isinstance(ranker, Priced):
                clock.time(ranker.name, ranker.ask, case.query)
        judged.append(Judged(case, {ranker.name: _ranks(case, ranker) for ranker in rankers}))
        report(number)
    names = [ranker.name for ranker in rankers]
    standings = tuple(_result(name, judged, clock.costs().get(name)) for name in names)
    leads = tuple(_lead(names[0], name, judged) for name in names[1:] if name != UNSKIPPED)
    return Verdict(tuple(judged), standings, leads)


class _Clock:
    def __init__(self) -> None:
        self._seconds: dict[str, list[float]] = {}
        self._cpu: dict[str, list[float]] = {}

    def time(self, name: str, ask: Callable[[str], None], query: str) -> None:
        before, cpu_before = time.perf_counter(), _cpu_seconds()
        ask(query)
        self._seconds.setdefault(name, []).append(time.perf_counter() - before)
        self._cpu.setdefault(name, []).append(_cpu_seconds() - cpu_before)

    def costs(self) -> dict[str, QueryCost]:
        return {name: rankers.cost(seconds, self._cpu[name]) for name, seconds in self._seconds.items()}


def _cpu_seconds() -> float:
    """CPU seconds of this process and its finished children."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def _ranks(case: Case, ranker: Ranker) -> Ranks:
    found = ranker.rank(case.query)
    return Ranks(rankers.ranks_of(case.files, found.files), rankers.ranks_of(case.functions, found.functions))


def _result(name: str, judged: Sequence[Judged], cost: QueryCost | None) -> RankerResult:
    files, functions = _tables(name, judged)
    return RankerResult(name, rankers.scores(files), _scores(functions), cost)


def _lead(of: str, over: str, judged: Sequence[Judged]) -> RankerLead:
    files, functions = _tables(of, judged)
    their_files, their_functions = _tables(over, judged)
    return RankerLead(over, rankers.scores(files - their_files), _scores(functions - their_functions))


def _tables(name: str, judged: Sequence[Judged]) -> tuple[rankers.Table, rankers.Table]:
    """Metric tables for files, and for functions where cases have any."""
    by_case: list[Mapping[str, Ranks]] = [one.ranks for one in judged]
    functions = [ranks[name].functions for ranks in by_case if ranks[name].functions]
    return rankers.table([ranks[name].files for ranks in by_case]), rankers.table(functions)


def _scores(measured: rankers.Table) -> RankerScores | None:
    return rankers.scores(measured) if len(measured) else None
