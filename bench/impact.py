"""Impact against history: `python -m bench.impact --on CLONE …`: which files change together with one that changed.

A checkout of an older commit is indexed. Each later commit that changes several files is asked about: its file with the
most changed lines is the change, given as a diff, and the other files that it changed and that existed then are to be
predicted. Only commits count whose first file is still as it was indexed, so that the diff fits. Predicted files are
ranked; reported are the precision and recall of the first 5 and 10, on average by commit, also of the files alone that
`impact_analyze` calls probable. Beside it stand the import graph (files that import the changed one or are imported by
it), and files that changed together before, each alone. Nothing is known of the commits after the indexed one.
"""

import argparse
import statistics
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import clew
from clew.engine import Engine
from clew.graph.file_graph import file_graph_of
from clew.model.words import EdgeKind
from clew.tools.changed_code import ChangeSelection
from clew.tools.impact import PROBABLE, impact
from clew.tools.selection import is_code

SIZES = (5, 10)
MOST_FILES = 20  # of a commit; larger ones are no single change
LEAST_COMMITS = 5


class PastChange(NamedTuple):
    """The diff of one file of a commit, and the other files of it."""

    path: str
    diff: str
    others: frozenset[str]


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.impact", description=__doc__)
    parser.add_argument("--on", nargs="+", type=Path, required=True, metavar="CLONE")
    parser.add_argument("--bases", type=int, default=3, help="commits of each repository that are indexed")
    parser.add_argument("--ahead", type=int, default=300, help="commits after each of them that are looked at")
    arguments = parser.parse_args()
    total: dict[str, list[float]] = defaultdict(list)
    for clone in arguments.on:
        found: dict[str, list[float]] = defaultdict(list)
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "checkout"
            _git(Path(folder), "clone", "-q", "--no-local", "--no-checkout", str(clone.resolve()), str(root))
            log = _git(root, "log", "--no-merges", "--format=%H").split()
            for number in range(arguments.bases):
                place = arguments.ahead * (number + 1)
                if place < len(log):
                    _measure(root, log[place], log[place - arguments.ahead : place], found)
        _print(clone.parent.name if clone.name == "repo" else clone.name, found)
        for name, figures in found.items():
            total[name] += figures
    _print("all", total)


def _measure(root: Path, base: str, later: Sequence[str], found: dict[str, list[float]]) -> None:
    _git(root, "checkout", "-q", "-f", base)
    _git(root, "clean", "-qfd", "-e", ".clew")
    with clew.open(root) as workspace:
        workspace.index()
        engine = workspace.engine
        known = {one.path for one in engine.files.contents() if is_code(one.language)}
        for commit in later:
            if change := _change(root, base, commit, known):
                rankings = _rankings(engine, change)
                for name, paths in rankings.items():
                    for size in SIZES:
                        hits = len(change.others.intersection(paths[:size]))
                        found[f"{name} p@{size}"].append(hits / max(1, len(paths[:size])))
                        found[f"{name} r@{size}"].append(hits / len(change.others))


def _change(root: Path, base: str, commit: str, known: set[str]) -> PastChange | None:
    rows = [
        row.split("\t") for row in _git(root, "show", "--numstat", "--no-renames", "--format=", commit).splitlines()
    ]
    sizes = {
        row[2]: int(row[0]) + int(row[1]) for row in rows if len(row) == 3 and row[0].isdigit() and row[2] in known
    }
    if not 2 <= len(sizes) <= MOST_FILES:
        return None
    path = max(sizes, key=lambda one: (sizes[one], one))
    if _git(root, "diff", "--name-only", base, f"{commit}~1", "--", path).strip():
        return None
    return PastChange(path, _git(root, "diff", f"{commit}~1", commit, "--", path), frozenset(sizes) - {path})


def _rankings(engine: Engine, change: PastChange) -> dict[str, list[str]]:
    """Predicted files by each rule, the best first."""
    answer = impact(engine, ChangeSelection(diff=change.diff), 1000)
    affected: dict[str, float] = {}
    for one in answer.impacted:
        affected[one.path] = max(affected.get(one.path, 0.0), one.confidence)
    for test in (*answer.direct_tests, *answer.transitive_tests):
        affected.setdefault(test.partition("::")[0], PROBABLE)
    shares = {one.path: one.share for one in answer.changes_together}
    together = engine.histories.together().get(change.path, ())
    past = {edge.target: edge.confidence for edge in together}
    graph = file_graph_of(engine.graph())
    here = graph.places[change.path]
    near = {graph.paths[b if a == here else a]: 1.0 for a, b in graph.pairs([EdgeKind.IMPORTS]) if here in (a, b)}
    both = {
        path: 1 - (1 - affected.get(path, 0.0)) * (1 - shares.get(path, 0.0))
        for path in affected.keys() | shares.keys()
    }
    probable = {path: p for path, p in both.items() if p >= PROBABLE}
    rules = {"clew": both, "probable": probable, "imports": near, "together": past}
    return {name: list(_order(scores, change.path)) for name, scores in rules.items()}


def _order(scores: dict[str, float], path: str) -> Iterator[str]:
    return (one for one in sorted(scores, key=lambda one: (-scores[one], one)) if one != path)


def _print(name: str, found: dict[str, list[float]]) -> None:
    for rule in ("clew", "probable", "imports", "together"):
        figures = {key: some for key, some in found.items() if key.startswith(f"{rule} ")}
        if figures and len(next(iter(figures.values()))) >= LEAST_COMMITS:
            count = len(next(iter(figures.values())))
            said = "  ".join(f"{key.partition(' ')[2]} {statistics.fmean(some):.3f}" for key, some in figures.items())
            print(f"{name:14} {rule:10} n={count:4}  {said}", flush=True)


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    main()
