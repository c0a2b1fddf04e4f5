"""Candidates of a pack: seeds, and the nodes that the graph leads to from them, each with its path.

A seed that is asked about as a whole brings all inside of it along: a class its methods, a file that is named its
symbols. Pure: of a corpus and seeds, the same candidates in the same order. Work is bounded hop by hop
(`graph/spreading.py`), and omissions are reported.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct

from clew.graph.spreading import Along, Bounds, Spread, spread
from clew.graph.walk_graph import Web
from clew.model.code import SCOPE, Edge, split_id
from clew.pack.artifact import CapMet
from clew.pack.matching import Match
from clew.store.links import EVIDENCE, KINDS

MOST_SEEDS = 10  # matches that are begun at
MOST_INSIDE = 200  # nodes inside of one seed that are begun at with it


class RouteStep(Struct, frozen=True):
    """An edge that was gone along, `forward` from its source or back from its target."""

    edge: Edge
    forward: bool


class Candidate(Struct, frozen=True):
    """A node that is no seed, by the shortest path to it from `seed`; of several, by the strongest, then by ids.

    `strength` is the confidence of all steps together, reduced if a step ends at a node with very many edges.
    """

    id: str
    seed: str
    steps: tuple[RouteStep, ...]
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
    """The nodes that the routes lead to. If a bound omits some of many, ids in `favoured` are kept first."""
    wanted = {number: worth for one, worth in (favoured or {}).items() if (number := web.numbering.find(one)) >= 0}
    candidates: list[Candidate] = []
    capped: list[CapMet] = []
    begin = {modules: _origins(web, seeds, modules=modules) for modules in {route.modules for route in routes}}
    for route in routes:
        origins, left_out = begin[route.modules]
        found = spread(web, list(origins), route.along, bounds, wanted)
        candidates += _candidates(web, found, origins)
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


def _candidates(web: Web, found: Spread, origins: Mapping[int, str]) -> Iterator[Candidate]:
    """From the arrays of a spread, level by level: each goes on from one of the level before."""
    id_of = lru_cache(maxsize=None)(web.numbering.id)
    before = {node: Candidate(seed, seed, (), 1.0) for node, seed in origins.items()}
    for level in found.levels[1:]:
        here: dict[int, Candidate] = {}
        for row in zip(*(column.tolist() for column in level), strict=True):  # many times faster than arrays one by one
            node, last, kind, forward, line, shown, confidence, _, strength = row
            source, target = (id_of(last), id_of(node)) if forward else (id_of(node), id_of(last))
            edge = Edge(source, target, KINDS[kind], split_id(source)[0], line, EVIDENCE[shown], confidence)
            way = before[last]
            here[node] = Candidate(id_of(node), way.seed, (*way.steps, RouteStep(edge, forward)), strength)
        yield from sorted(here.values(), key=lambda one: (-one.strength, one.id))
        before = here
