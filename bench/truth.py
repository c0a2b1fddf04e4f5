"""Test selection against recorded coverage: `python -m bench.truth --repo CLONE --python PYTHON --kept FOLDER`.

CLONE is a git clone of a Python project, PYTHON an interpreter with its test dependencies, pytest and pytest-cov. For
commits that change code inside of functions, the suite runs once under coverage with a context per test. A test is
affected by a commit if it ran one of the lines that the commit changed (of removed lines, one of the two around them);
lines outside of functions run at import and tell nothing. The same commit is then indexed, and its tests are selected
for `since` its parent, at each level. Beside them stand three rules: files of tests that import a changed file
(`imports`), those that do so directly or through others (`closure`), and the tests that ran a changed function at the
parent commit (`recorded`, with --parents: what a plug-in that records coverage knows).

Reported are the share of affected tests that is selected (over all commits together, and on average by commit), the
number of commits with all of theirs selected, and the share of the suite that would run (row `affected`: if only these
ran). FOLDER keeps what the suites told, so that another run only selects anew.
"""

import argparse
import ast
import json
import os
import re
import shlex
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import clew
from bench.selection import covers, importing
from clew.engine import Engine
from clew.graph.changes import compare
from clew.graph.full_graph import FullGraph
from clew.graph.test_selection import suite_of
from clew.model.words import EdgeKind
from clew.store.links import KINDS
from clew.tools.changed_code import ChangeSelection
from clew.tools.selection import Level, selection

LEVELS: tuple[Level, ...] = ("safe", "balanced", "fast")
SECONDS = 900  # of one run of a suite


class Truth(NamedTuple):
    """All tests of a commit, and those that ran a changed line; `recorded` ran a changed function before the commit."""

    tests: tuple[str, ...]
    affected: tuple[str, ...]
    recorded: tuple[str, ...] | None = None


class Outcome(NamedTuple):
    found: int
    affected: int
    ran: int
    suite: int


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.truth", description=__doc__)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--python", type=Path, required=True)
    parser.add_argument("--kept", type=Path, required=True)
    parser.add_argument("--most", type=int, default=30, help="commits, spread over the newest --among")
    parser.add_argument("--among", type=int, default=300, help="newest commits that change code")
    parser.add_argument("--pytest", default="", help="further options of pytest")
    parser.add_argument("--parents", action="store_true", help="run the suites of parents, too")
    parser.add_argument("--misses", action="store_true", help="print the affected tests that `safe` misses")
    arguments = parser.parse_args()
    arguments.kept.mkdir(parents=True, exist_ok=True)
    outcomes: dict[str, list[Outcome]] = {}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "checkout"
        _git(Path(folder), "clone", "-q", "--no-checkout", str(arguments.repo.resolve()), str(root))
        for commit in _commits(root, arguments.among, arguments.most):
            truth = _truth(root, commit, arguments)
            if truth is None or not truth.affected:
                continue
            _check_out(root, commit)
            with clew.open(root) as workspace:
                workspace.index()
                _judge(workspace.engine, commit, truth, outcomes, misses=arguments.misses)
    for rule, some in outcomes.items():
        micro = sum(one.found for one in some) / sum(one.affected for one in some)
        macro = statistics.fmean(one.found / one.affected for one in some)
        suite = statistics.fmean(one.ran / one.suite for one in some)
        whole = sum(one.found == one.affected for one in some)
        print(
            f"{arguments.repo.name:12} {rule:10} n={len(some):3}  found {micro:.3f}  by commit {macro:.3f}  "
            f"all found {whole}/{len(some)}  suite {suite:.3f}"
        )


def _commits(root: Path, among: int, most: int) -> list[str]:
    """From the oldest to the newest: each index run then reads few files."""
    log = _git(root, "log", "--no-merges", f"-n{20 * among}", "--format=%H", "--", "*.py").split()
    found = [commit for commit in log if any(not _is_test(path) for path in _changed(root, commit))][:among]
    return found[:: max(1, len(found) // most)][:most][::-1]


def _changed(root: Path, commit: str) -> list[str]:
    paths = _git(root, "diff-tree", "--no-commit-id", "--name-only", "--diff-filter=M", "-r", commit).split("\n")
    return [path for path in paths if path.endswith(".py")]


def _is_test(path: str) -> bool:
    return "test" in path or path.startswith(("docs/", "examples/")) or path == "setup.py"


def _truth(root: Path, commit: str, arguments: argparse.Namespace) -> Truth | None:
    file = arguments.kept / f"{arguments.repo.name}-{commit[:12]}.json"
    if file.exists():
        found = json.loads(file.read_text())
        return Truth(*(None if one is None else tuple(one) for one in found)) if found else None  # type: ignore[arg-type]
    lines, functions = _changed_lines(root, commit)
    truth = None
    if any(lines.values()) and (ran := _run(root, commit, arguments)):
        affected = [test for test, by_file in ran.items() if _meet(by_file, lines)]
        recorded = None
        if arguments.parents and (before := _run(root, f"{commit}~1", arguments)):
            recorded = tuple(sorted(test for test, by_file in before.items() if _meet(by_file, functions)))
        truth = Truth(tuple(sorted(ran)), tuple(sorted(affected)), recorded)
    file.write_text(json.dumps(truth))
    return truth


def _meet(by_file: Mapping[str, set[int]], lines: Mapping[str, set[int]]) -> bool:
    return any(not wanted.isdisjoint(by_file.get(path, ())) for path, wanted in lines.items())


def _changed_lines(root: Path, commit: str) -> tuple[dict[str, set[int]], dict[str, set[int]]]:
    """By file, the changed lines inside of functions; and all lines of the functions around changes, as they were."""
    lines, functions = dict[str, set[int]](), dict[str, set[int]]()
    for path in _changed(root, commit):
        old, new = (_git(root, "show", f"{at}:{path}") for at in (f"{commit}~1", commit))
        spans, before = list(_bodies(new)), list(_bodies(old))
        for run in compare(path, old, new).runs:
            if run.is_trivial:
                continue
            span = (
                range(run.new_first, run.new_first + len(run.added))
                if run.added
                else (run.new_first, run.new_first + 1)
            )
            lines.setdefault(path, set()).update(one for one in span if any(one in body for body in spans))
            gone = range(run.old_first, run.old_first + max(1, len(run.removed)))
            around = [body for body in before if any(one in body for one in gone)]
            functions.setdefault(path, set()).update(line for body in around for line in body)
    return lines, functions


def _bodies(text: str) -> Iterator[range]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)


def _check_out(root: Path, commit: str) -> None:
    _git(root, "checkout", "-q", "-f", commit)
    _git(root, "clean", "-qfdx", "-e", ".clew")


def _run(root: Path, commit: str, arguments: argparse.Namespace) -> dict[str, dict[str, set[int]]]:
    """By test, the lines that it ran in each file; nothing if the suite does not run."""
    _check_out(root, commit)
    with tempfile.TemporaryDirectory() as folder:
        settings, data = Path(folder) / "rc", Path(folder) / "coverage"
        settings.write_text("[run]\nbranch = False\n")
        own = f"{root}/src:{root}"
        environ = {**os.environ, "COVERAGE_FILE": str(data), "PYTHONPATH": own, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [
            str(arguments.python.absolute()), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=",
            "-W", "ignore", f"--cov={root}", "--cov-context=test", "--cov-report=", f"--cov-config={settings}",
            *shlex.split(arguments.pytest),
        ]  # fmt: skip
        try:
            done = subprocess.run(command, cwd=root, env=environ, capture_output=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return {}
        if done.returncode not in (0, 1) or not data.exists():
            print(
                f"{commit[:12]}: the suite does not run: {done.stdout[-300:]!r} {done.stderr[-200:]!r}", file=sys.stderr
            )
            return {}
        return _read(data, root)


def _read(data: Path, root: Path) -> dict[str, dict[str, set[int]]]:
    found: dict[str, dict[str, set[int]]] = {}
    with sqlite3.connect(data) as db:
        rows = db.execute(
            "SELECT context, path, numbits FROM line_bits JOIN file ON file.id = file_id "
            "JOIN context ON context.id = context_id"
        )
        for context, path, bits in rows:
            test = re.sub(r"\[.*", "", context.partition("|")[0])
            if "::" in test and path.startswith(f"{root}/"):
                lines = {8 * at + bit for at, byte in enumerate(bits) for bit in range(8) if byte >> bit & 1}
                found.setdefault(test, {}).setdefault(path.removeprefix(f"{root}/"), set()).update(lines)
    return found


def _judge(engine: Engine, commit: str, truth: Truth, outcomes: dict[str, list[Outcome]], *, misses: bool) -> None:
    asked = ChangeSelection(since=f"{commit}~1")
    found = selection(engine, asked, "safe", 100_000)
    graph = engine.graph()
    changed = {one.partition("::")[0] for one in found.changed}
    chosen: dict[str, set[str]] = {
        level: {one.id for one in selection(engine, asked, level, 100_000).tests} for level in LEVELS
    }
    files = set(suite_of(graph).files)
    chosen |= {"imports": files & _direct(graph, changed), "closure": files & importing(graph, changed)}
    chosen["affected"] = set(truth.affected)
    if truth.recorded is not None:
        chosen["recorded"] = set(truth.recorded)
    for rule, ids in chosen.items():
        outcomes.setdefault(rule, []).append(_outcome(truth, ids))
    if misses:
        rows = "  ".join(
            f"{rule} {one[-1].found}/{one[-1].affected} {one[-1].ran}/{one[-1].suite}" for rule, one in outcomes.items()
        )
        lost = [test for test in truth.affected if not covers(chosen["safe"], test)]
        print(f"{commit[:12]} {rows}", f"missed {lost[:3]} of {found.changed[:6]}" if lost else "", flush=True)


def _outcome(truth: Truth, ids: set[str]) -> Outcome:
    found = sum(covers(ids, test) for test in truth.affected)
    return Outcome(found, len(truth.affected), sum(covers(ids, test) for test in truth.tests), len(truth.tests))


def _direct(graph: FullGraph, paths: set[str]) -> set[str]:
    edges = graph.edges
    imports = edges.kind == KINDS.index(EdgeKind.IMPORTS)
    ends = zip(edges.source[imports].tolist(), edges.target[imports].tolist(), strict=True)
    pairs = ((graph.ids[one].partition("::")[0], graph.ids[other].partition("::")[0]) for one, other in ends)
    return paths | {source for source, target in pairs if target in paths}


def _git(folder: Path, *arguments: str) -> str:
    command: Sequence[str] = ("git", "-C", str(folder), *arguments)
    return subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    main()
