"""Walks over the code graph from file to file, along edges in both directions, breadth first."""

from dataclasses import dataclass

from clew.engine import Engine
from clew.graph.edges import edges_of, edges_to
from clew.model.code import EXTERNAL

MOST_FILES = 300  # that one walk asks about


@dataclass(frozen=True, slots=True)
class Walk:
    """The files that were reached, the first included, and how many of them were asked for their edges."""

    reached: frozenset[str]
    asked: int


def walk(engine: Engine, start: str, hops: int) -> Walk:
    """Through files of the tree only: what is outside of it is a neighbour of nearly everything."""
    reached, ring, asked = {start}, [start], 0
    corpus = engine.corpus()
    for _ in range(hops):
        found: set[str] = set()
        for path in ring[: MOST_FILES - asked]:
            found.update(edge.target for edge in edges_of(corpus, path) if not edge.target.startswith(EXTERNAL))
            found.update(edge.path for edge in edges_to(corpus, path))
            asked += 1
        ring = sorted(found - reached)
        reached |= found
    return Walk(frozenset(reached), asked)
