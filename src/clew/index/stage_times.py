"""How long each stage of a run takes: wall time, and CPU time with that of worker processes that have ended."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from clew.model.run import RunStage, StageTime


class StageTimes:
    """Times add up per stage; a stage inside of another one is not counted twice."""

    def __init__(self) -> None:
        self._spent: dict[RunStage, tuple[float, float]] = {}
        self._inner = (0.0, 0.0)  # spent in stages inside of the current one

    @contextmanager
    def measure(self, stage: RunStage) -> Iterator[None]:
        around, self._inner = self._inner, (0.0, 0.0)
        wall, cpu = time.perf_counter(), _cpu_seconds()
        try:
            yield
        finally:
            whole = time.perf_counter() - wall, _cpu_seconds() - cpu
            before = self._spent.get(stage, (0.0, 0.0))
            self._spent[stage] = _sum(before, (whole[0] - self._inner[0], whole[1] - self._inner[1]))
            self._inner = _sum(around, whole)

    def all(self) -> tuple[StageTime, ...]:
        """In the order in which a run goes through them."""
        return tuple(StageTime(stage, *self._spent[stage]) for stage in RunStage if stage in self._spent)


def _cpu_seconds() -> float:
    return sum(os.times()[:4])


def _sum(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return one[0] + other[0], one[1] + other[1]
