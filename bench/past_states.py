"""Past states of a real repository against indexes of checkouts: the graph hashes, and how long each takes.

    python -m bench.past_states CLONE [--commits N] [--step N]

Works on copies. Every N-th commit of the first-parent line is asked for, and a checkout of it is indexed from nothing.
The difference of each two such commits (`diff_since`) is compared with that of the symbols of their two indexes.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from clew.engine import Engine
from clew.graph.view import graph_hash
from clew.history.differ import Difference
from clew.history.trees import CommitTree, compare
from clew.model.code import split_id, symbol_id, without_numbers
from clew.model.search import Query
from clew.model.words import Kind
from clew.tools.differences import reader_of


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
        agreeing, compared, newer = 0, 0, None
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
                attributes = place / ".git" / "info" / "attributes"
                attributes.write_text("* -text\n", encoding="ascii")  # line ends as they are in git's objects
                git("-C", str(place), "checkout", "-q", commit)
                started = time.perf_counter()
                with Engine.open(place) as other:
                    other.index()
                    fresh += time.perf_counter() - started
                    is_equal = graph_hash(other.db, other.where) == found
                    own = symbols_of(other)
                if newer is not None:
                    told = compare(
                        CommitTree(engine.place.root, commit),
                        CommitTree(engine.place.root, newer[0]),
                        reader_of(engine),
                    )
                    strange = disagreements(told, own, newer[1])
                    compared, agreeing = compared + 1, agreeing + (not strange)
                    for said in strange[:5]:
                        print(f"{commit[:10]}..{newer[0][:10]}: {said}")
                newer = commit, own
                subprocess.run(["rm", "-rf", str(place)], check=True)
                equal += is_equal
                if not is_equal:
                    print(f"differs: {commit}")
                print(f"{commit[:10]}: {equal} equal; {agreeing} of {compared} differences agree", flush=True)
        n = len(commits) or 1
        print(
            f"{equal} of {len(commits)} equal; a past state is made in {made / n:.2f} s, an index of a checkout in "
            f"{fresh / n:.2f} s; a query of the past takes {1000 * warm / n:.0f} ms, of the present "
            f"{1000 * present / n:.0f} ms; {agreeing} of {compared} differences equal those of the indexes"
        )
    return 0 if equal == len(commits) and agreeing == compared else 1


def symbols_of(engine: Engine) -> dict[str, bytes]:
    """The digest of each symbol, by id."""
    paths = engine.files.paths()
    return {symbol_id(paths[one.file], one.scope): one.digest for one in engine.nodes.all()}


def disagreements(told: Difference, old: dict[str, bytes], new: dict[str, bytes]) -> list[str]:
    """Where a difference does not say what two indexes say. Of symbols with one name, the numbers do not count."""
    indexed = {split_id(one)[0] for one in (*old, *new)}
    deltas = [one for one in told.all() if one.kind != Kind.FILE and one.path in indexed]
    now = {without_numbers(one.id) for one in deltas}
    before = {without_numbers(one.origin or one.id) for one in deltas if "added" not in one.changes}
    had, has = (Counter((without_numbers(one), digest) for one, digest in some.items()) for some in (old, new))
    came, went = ({one for one, _ in some} for some in (has - had, had - has))
    real = {without_numbers(one.id) for one in deltas if set(one.changes) - {"members", "path", "formatting"}}
    found = [f"came, and is not told: {one}" for one in sorted(came - now)]
    found += [f"went, and is not told: {one}" for one in sorted(went - before - now)]
    return found + [f"told, and is in no index: {one}" for one in sorted(real - came - went)]


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
