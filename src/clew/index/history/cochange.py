"""Files that change together, from git's history: pure counting; sweeping commits say nothing and are left out."""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

from clew.model.words import EdgeKind, EvidenceKind
from clew.store.links import FileEdge

MOST_COMMITS = (
    2_000  # back from the tip: what changed together long ago says little of today, and reading it takes long
)
MOST_FILES = 30  # of one commit; more is a rename, a format, a licence year
LEAST_SUPPORT = 3  # commits; twice may be chance
LEAST_CONFIDENCE = 0.25
MOST_PARTNERS = 10  # of one file, the best


def co_changes(commits: Iterable[Iterable[str]], paths: frozenset[str]) -> dict[str, tuple[FileEdge, ...]]:
    """By file, those that changed with it; the confidence is the share of its commits, the line how many they were."""
    alone: Counter[str] = Counter()
    together: Counter[tuple[str, str]] = Counter()
    for commit in commits:
        changed = sorted(set(commit))
        if len(changed) > MOST_FILES:
            continue
        here = [path for path in changed if path in paths]
        alone.update(here)
        together.update(combinations(here, 2))
    partners: dict[str, list[FileEdge]] = {}
    for (one, other), support in together.items():
        for source, target in ((one, other), (other, one)):
            confidence = support / alone[source]
            if support >= LEAST_SUPPORT and confidence >= LEAST_CONFIDENCE:
                edge = FileEdge("", EdgeKind.CO_CHANGES, target, support, EvidenceKind.TOOLING, round(confidence, 3))
                partners.setdefault(source, []).append(edge)
    return {path: _best(edges) for path, edges in sorted(partners.items())}


def _best(edges: list[FileEdge]) -> tuple[FileEdge, ...]:
    return tuple(sorted(edges, key=lambda e: (-e.confidence, -e.line, e.target))[:MOST_PARTNERS])
