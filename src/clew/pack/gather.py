"""What may go into a pack: seeds, and what the graph leads to from them, each with the path that led there.

A seed that is asked about as a whole brings all inside of it along: a class its methods, a file that is named its
symbols. Pure: of a corpus and seeds, the same candidates in the same order. Work is bounded hop by hop
(`graph/spreading.py`), and what a bound left out is told.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from clew.graph.spreading import Along, Bounds, Level, Spread, spread
from clew.graph.web import Web
from clew.model.code import SCOPE, Edge, split_id
from clew.pack.artifact import CapMet
from clew.pack.matching import Match
from clew.store.links import EVIDENCE, KINDS

MOST_SEEDS = 10  # matches that are begun at
MOST_INSIDE = 200  # nodes inside of one seed that are begun at with it


class Step(Struct, frozen=True):
    """An edge that was gone along, `forward` from its source or back from its target."""

    edge: Edge
    forward: bool


class Candidate(Struct, frozen=True):
    """A node that is no seed, by the shortest way to it from `seed`; of several, by the strongest, then by ids.

    `evidence` is how sure all steps together are. `strength` makes less of steps to what everything leads to.
    """

    id: str
    route: str
    seed: str
    steps: tuple[Step, ...]
    evidence: float
    strength: float

    @property
    def distance(self) -> int:
        return len(self.steps)


class Route(Struct, frozen=True):
    """A way to go from seeds, by its name; with `modules`, from the files that they stand in."""

    name: str
    along: Along
    modules: bool = False


class Gathered(Struct, frozen=True):
    """By route, by distance, the strongest first, ties by id. A node may be reached on several routes."""

    candidates: tuple[Candidate, ...]
    capped: tuple[CapMet, ...]


def gather(
    web: Web,
    seeds: Sequence[Match],
    routes: Sequence[Route],
    favoured: Mapping[str, float] | None = None,
    bounds: Bounds | None = None,
) -> Gathered:
    """What the routes lead to. Where a bound leaves out some of many, ids that are `favoured` are kept first."""
    wanted = {number: worth for one, worth in (favoured or {}).items() if (number := web.numbering.find(one)) >= 0}
    candidates: list[Candidate] = []
    capped: list[CapMet] = []
    begin = {modules: _origins(web, seeds, modules=modules) for modules in {route.modules for route in routes}}
    for route in routes:
        origins, left_out = begin[route.modules]
        found = spread(web, list(origins), route.along, bounds, wanted)
        candidates += _Reading(web, route.name, found, origins).candidates()
        capped += [CapMet(route.name, 0, "inside", left_out)] if left_out else []
        capped += [CapMet(route.name, one.hop, one.bound, one.nodes) for one in found.cuts]
    return Gathered(tuple(candidates), tuple(capped))


def _origins(web: Web, seeds: Sequence[Match], *, modules: bool) -> tuple[dict[int, str], int]:
    """The nodes to begin at, and of which seed each is, of several the first; and how many a bound left out."""
    origins: dict[int, str] = {}
    left_out = 0
    for seed in seeds:
        inside = [] if modules else _inside(web, seed)
        left_out += max(len(inside) - MOST_INSIDE, 0)
        own = web.numbering.find(split_id(seed.id)[0]) if modules else web.find(seed.id)
        for number in (own, *inside[:MOST_INSIDE]):
            if number >= 0:
                origins.setdefault(number, seed.id)
    return origins, left_out


def _inside(web: Web, seed: Match) -> list[int]:
    path, scope = split_id(seed.id)
    if not scope and not seed.named:  # a module's own lines, not all that stands in the file
        return []
    start = seed.id + SCOPE
    inner = sorted((one, number) for number, one in web.numbering.inside(path) if one.startswith(start))
    numbers = np.array([number for _, number in inner], np.int64)
    there: list[int] = numbers[web.numbering.is_there(numbers)].tolist()
    return there


class _Row(NamedTuple):
    """A node of a level, as `Level` has it."""

    node: int
    before: int
    kind: int
    forward: bool
    line: int
    shown: int
    confidence: float
    evidence: float
    strength: float


class _Reading:
    """From the arrays of a spread to candidates."""

    def __init__(self, web: Web, route: str, found: Spread, origins: Mapping[int, str]) -> None:
        self._id = lru_cache(maxsize=None)(web.numbering.id)
        self._route = route
        self._levels = [_rows(level) for level in found.levels]
        self._origins = origins

    def candidates(self) -> list[Candidate]:
        return [one for distance in range(1, len(self._levels)) for one in self._of_level(distance)]

    def _of_level(self, distance: int) -> list[Candidate]:
        made = [self._candidate(distance, row) for row in self._levels[distance].values()]
        return sorted(made, key=lambda one: (-one.strength, one.id))

    def _candidate(self, distance: int, row: _Row) -> Candidate:
        steps, here = [], row.node
        for back in range(distance, 0, -1):
            at = self._levels[back][here]
            steps.append(self._step(at))
            here = at.before
        steps.reverse()
        return Candidate(self._id(row.node), self._route, self._origins[here], tuple(steps), row.evidence, row.strength)

    def _step(self, row: _Row) -> Step:
        start, end = self._id(row.before), self._id(row.node)
        source, target = (start, end) if row.forward else (end, start)
        path, evidence = split_id(source)[0], EVIDENCE[row.shown]
        return Step(Edge(source, target, KINDS[row.kind], path, row.line, evidence, row.confidence), row.forward)


def _rows(level: Level) -> dict[int, _Row]:
    """By node, in order; lists are read many times faster than arrays, one by one."""
    return {row[0]: _Row(*row) for row in zip(*(column.tolist() for column in level), strict=True)}
