"""Merging views into one ranked list, and cutting it where the evidence ends. Pure."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from clew.knowledge.intent import ViewName
from clew.knowledge.views import CausalDirection, KnowledgeStep, KnowledgeView


class MergedNode(Struct, frozen=True, omit_defaults=True):
    """A node with its score over all views; `views` gives the weighted score of each, `paths` the way by which each
    found it."""

    id: str
    score: float
    views: dict[str, float]
    paths: dict[str, tuple[KnowledgeStep, ...]]
    direction: CausalDirection = CausalDirection.NONE


def merge_views(views: Sequence[KnowledgeView], weights: Mapping[ViewName, float], boost: float) -> list[MergedNode]:
    """Weighted scores added up; nodes of two views or more are boosted. Best first, then by id."""
    shares: dict[str, dict[str, float]] = {}
    paths: dict[str, dict[str, tuple[KnowledgeStep, ...]]] = {}
    directions: dict[str, CausalDirection] = {}
    for view in views:
        for node in view.nodes:
            share = round(weights.get(view.name, 0.0) * node.score, 6)
            own = shares.setdefault(node.id, {})
            if share >= own.get(view.name, -1.0):
                own[str(view.name)] = share
                paths.setdefault(node.id, {})[str(view.name)] = node.path
            if node.direction:
                directions[node.id] = node.direction
    merged = [
        MergedNode(
            node,
            round(sum(own.values()) * (boost if len(own) > 1 else 1.0), 6),
            own,
            paths[node],
            directions.get(node, CausalDirection.NONE),
        )
        for node, own in shares.items()
    ]
    return sorted(merged, key=lambda one: (-one.score, one.id))
