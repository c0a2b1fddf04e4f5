"""Communities of real checkouts: `python -m bench.communities CHECKOUT …`.

For each indexed checkout: files, communities, modularity, the time to find them, and the share of files that change
their community if one file in a hundred gets an import of another part.
"""

import sys
import time
from pathlib import Path

from clew.engine import Engine
from clew.graph.communities import find_memberships, modularity, refresh_memberships
from clew.graph.file_graph import FileGraph


def main() -> None:
    print(f"{'checkout':<20} {'files':>6} {'parts':>6} {'modularity':>10} {'seconds':>8} {'moved':>7}")
    for name in sys.argv[1:]:
        with Engine.open(Path(name)) as engine:
            engine.index()
            graph = FileGraph(engine.graph())
        began = time.perf_counter()
        before = find_memberships(graph, "first")
        took = time.perf_counter() - began
        outer = {path: numbers[0] for path, numbers in before.of.items()}
        value, parts = modularity(graph, outer), len(set(outer.values()))
        tied = sorted(graph.neighbors)
        for place in tied[:: max(100, len(tied) // 100)]:
            other = tied[(tied.index(place) + len(tied) // 2) % len(tied)]
            graph.neighbors.setdefault(place, {})[other] = graph.neighbors.setdefault(other, {})[place] = 1.0
        after = refresh_memberships(graph, before)
        moved = sum(after.of[path] != numbers for path, numbers in before.of.items()) / max(1, len(before.of))
        print(f"{Path(name).name:<20} {len(graph.paths):>6} {parts:>6} {value:>10.3f} {took:>8.2f} {moved:>7.1%}")


if __name__ == "__main__":
    main()
