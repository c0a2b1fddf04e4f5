"""Test selection against recorded faults: `python -m bench.selection --tasks CLONE --mirrors FOLDER --on owner/name …`.

CLONE is a clone of SWE-bench/swe-bench-tasks or SWE-bench/swe-bench-multilingual-tasks, FOLDER holds a bare repository
`owner+name` for each project. For each task the base commit is checked out with the task's new tests, indexed, and
asked which tests the fix (`gold.patch`, not applied) needs. The tests that fail before the fix and pass after it are
known (`FAIL_TO_PASS`): reported is the share of them that is selected at each level, and the share of the suite that
would run; beside both, the rule "tests whose file imports a changed file, directly or through others". Runners of other
languages name tests by descriptions: there a test is found by the last name that the suite has in the files of the new
tests, and otherwise those files count.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import clew
from clew.engine import Engine
from clew.graph.changes import parse_diff
from clew.graph.full_graph import FullGraph
from clew.graph.test_selection import Suite, suite_of
from clew.model.words import EdgeKind
from clew.store.links import KINDS
from clew.tools.changed_code import ChangeSelection
from clew.tools.selection import Level, selection

LEVELS: tuple[Level, ...] = ("safe", "balanced", "fast")


class Task(NamedTuple):
    id: str
    repo: str
    base: str
    gold: str
    tests: str
    failing: frozenset[str]


class Outcome(NamedTuple):
    """Result of one rule on one task: share of failing tests selected, and share of the suite that would run."""

    found: float
    share: float


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.selection", description=__doc__)
    parser.add_argument("--tasks", type=Path, required=True)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--on", nargs="+", required=True, metavar="OWNER/NAME")
    parser.add_argument("--most", type=int, default=15, help="tasks of each project, spread over its history")
    parser.add_argument("--misses", action="store_true", help="print each failing test that `safe` misses")
    arguments = parser.parse_args()
    total: dict[str, list[Outcome]] = {}
    for repo in arguments.on:
        tasks = list(_tasks(arguments.tasks, repo, arguments.most))
        outcomes = _measure(arguments.mirrors, repo, tasks, misses=arguments.misses)
        for rule, some in outcomes.items():
            total.setdefault(rule, []).extend(some)
        _print(repo, outcomes)
    _print("all", total)


def _print(name: str, outcomes: dict[str, list[Outcome]]) -> None:
    for rule, some in outcomes.items():
        if some:
            found, share = (statistics.fmean(one) for one in zip(*some, strict=True))
            whole = sum(one.found == 1 for one in some)
            figures = f"found {found:.3f}  all found {whole}/{len(some)}  suite {share:.3f}"
            print(f"{name:32} {rule:10} n={len(some):3}  {figures}")
    sys.stdout.flush()


def _tasks(clone: Path, repo: str, most: int) -> Iterator[Task]:
    start = repo.replace("/", "__").lower()

    def ask(*arguments: str) -> str:
        return _git(clone, *arguments)

    every = ask("ls-tree", "--name-only", "HEAD:tasks").split()
    names = [one for one in every if one.rpartition("-")[0].lower() == start]
    names.sort(key=lambda one: (len(one), one))
    step = max(1, len(names) // most)
    for task in names[::step][:most]:
        tests = json.loads(ask("show", f"HEAD:tasks/{task}/tests.json"))
        facts = ask("show", f"HEAD:tasks/{task}/task.yaml")
        base = next(line.split()[1].strip("'") for line in facts.splitlines() if line.startswith("base_commit:"))
        failing = frozenset(one.partition("[")[0] for one in tests["FAIL_TO_PASS"])
        if failing:
            gold, new_tests = (ask("show", f"HEAD:tasks/{task}/{part}") for part in ("gold.patch", "test.patch"))
            yield Task(task, repo, base, gold, new_tests, failing)


def _measure(mirrors: Path, repo: str, tasks: list[Task], *, misses: bool) -> dict[str, list[Outcome]]:
    outcomes: dict[str, list[Outcome]] = {level: [] for level in (*LEVELS, "imports")}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "checkout"
        _git(
            Path(folder),
            "clone",
            "-q",
            "--no-checkout",
            str(mirrors / repo.replace("/", "+") / "repo"),
            str(root),
        )
        for task in tasks:
            try:
                _git(root, "checkout", "-q", "-f", task.base)
            except subprocess.CalledProcessError:
                print(f"{task.id}: its base commit is not in the mirror", file=sys.stderr)
                continue
            _git(root, "clean", "-qfd", "-e", ".clew")
            if subprocess.run(["git", "apply", "-"], input=task.tests, text=True, check=False, cwd=root).returncode:
                continue
            with clew.open(root) as workspace:
                workspace.index()
                _judge(workspace.engine, task, outcomes, misses=misses)
    return outcomes


def _judge(engine: Engine, task: Task, outcomes: dict[str, list[Outcome]], *, misses: bool) -> None:
    started = time.perf_counter()
    asked = ChangeSelection(diff=task.gold)
    found = selection(engine, asked, "safe", 100_000)
    took = time.perf_counter() - started
    suite = suite_of(engine.graph())
    task = task._replace(failing=_known(task, suite))
    if not task.failing:
        return
    for level in LEVELS:
        ids = {one.id for one in selection(engine, asked, level, 100_000).tests}
        outcomes[level].append(Outcome(_share(task.failing, ids), suite.count_tests(ids) / max(1, suite.size)))
    closure = importing(engine.graph(), {one.partition("::")[0] for one in found.changed})
    files = {path for path in suite.files if path in closure}
    outcomes["imports"].append(Outcome(_share(task.failing, files), suite.count_tests(files) / max(1, suite.size)))
    lost = [one for one in sorted(task.failing) if not covers({t.id for t in found.tests}, one)]
    if misses:
        print(
            f"  {task.id} {took * 1000:.0f} ms: "
            + "  ".join(f"{lv} {outcomes[lv][-1].found:.2f}/{outcomes[lv][-1].share:.2f}" for lv in outcomes),
            f"missed {lost[:4]} changed {found.changed[:4]}" if lost else "",
        )


def _known(task: Task, suite: Suite) -> frozenset[str]:
    """The failing tests by their ids, or the files of the new tests."""
    files = {change.path for change in parse_diff(task.tests)} & suite.files.keys()
    by_name: dict[str, set[str]] = {}
    for path in files:
        for test in suite.tests_in(path):
            by_name.setdefault(test.rpartition("::")[2], set()).add(test)
    found = set[str]()
    for test in task.failing:
        if test.partition("::")[0] in suite.files:
            found.add(test)
        else:
            names = re.findall(r"\w+", test.partition("/")[0])
            found |= next((by_name[one] for one in reversed(names) if one in by_name), set())
    return frozenset(found or files)


def _share(failing: frozenset[str], ids: set[str]) -> float:
    return sum(covers(ids, one) for one in failing) / len(failing)


def covers(ids: set[str], test: str) -> bool:
    parts = test.split("::")
    return any("::".join(parts[:end]) in ids for end in range(1, len(parts) + 1))


def importing(graph: FullGraph, paths: set[str]) -> set[str]:
    """Files that import one of some files, directly or through others, and these themselves."""
    edges = graph.edges
    imports = edges.kind == KINDS.index(EdgeKind.IMPORTS)
    by_target: dict[str, set[str]] = {}
    for source, target in zip(edges.source[imports].tolist(), edges.target[imports].tolist(), strict=True):
        by_target.setdefault(graph.ids[target].partition("::")[0], set()).add(graph.ids[source].partition("::")[0])
    found, queue = set(paths), list(paths)
    while queue:
        for source in by_target.get(queue.pop(), set()) - found:
            found.add(source)
            queue.append(source)
    return found


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True)
    return done.stdout


if __name__ == "__main__":
    main()
