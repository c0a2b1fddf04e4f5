"""Past states of a real repository against indexes of checkouts: the graph hashes, and how long each takes.

    python -m bench.past_states CLONE [--commits N] [--step N]

Works on copies. Every N-th commit of the first-parent line is asked for, and a checkout of it is indexed from nothing.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from clew.engine import Engine
from clew.graph.view import graph_hash
from clew.model.search import Query


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone", type=Path)
    parser.add_argument("--commits", type=int, default=10)
    parser.add_argument("--step", type=int, default=10)
    parser.add_argument("--query", default="parse the options")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        git("clone", "-q", str(options.clone), str(here / "present"))
        listed = git("-C", str(here / "present"), "rev-list", "--first-parent", "HEAD").split()
        commits = listed[options.step :: options.step][: options.commits]
        equal, made, fresh, warm, present = 0, 0.0, 0.0, 0.0, 0.0
        with Engine.open(here / "present") as engine:
            engine.index()
            for commit in commits:
                started = time.perf_counter()
                past = engine.past_engine(state) if (state := engine.past_states.find(commit)) else engine
                made += time.perf_counter() - started
                past.catch_up()
                warm += asked(past, options.query)
                present += asked(engine, options.query)
                found = graph_hash(past.db, past.where)
                place = here / "checkout"
                git("clone", "-q", "-n", str(options.clone), str(place))
                git("-C", str(place), "checkout", "-q", commit)
                started = time.perf_counter()
                with Engine.open(place) as other:
                    other.index()
                    fresh += time.perf_counter() - started
                    is_equal = graph_hash(other.db, other.where) == found
                subprocess.run(["rm", "-rf", str(place)], check=True)
                equal += is_equal
                if not is_equal:
                    print(f"differs: {commit}")
        n = len(commits) or 1
        print(
            f"{equal} of {len(commits)} equal; a past state is made in {made / n:.2f} s, an index of a checkout in "
            f"{fresh / n:.2f} s; a query of the past takes {1000 * warm / n:.0f} ms, of the present "
            f"{1000 * present / n:.0f} ms"
        )
    return 0 if equal == len(commits) else 1


def asked(engine: Engine, query: str) -> float:
    """Seconds of a query, once everything is loaded."""
    engine.search(Query(query, 10))
    started = time.perf_counter()
    engine.search(Query(query, 10))
    return time.perf_counter() - started


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
