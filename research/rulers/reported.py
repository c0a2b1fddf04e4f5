"""Issue reports, and the code their fixes changed: `python -m research.rulers.reported --tasks TASKS --mirrors FOLDER`.

TASKS is a clone of a collection that has, in `tasks/<id>/`, a report (`problem_statement.md`), the commit that it is
about (`task.yaml`) and the fix (`gold.patch`), as SWE-bench's have. Each is asked on its own commit. Repositories are
taken from mirrors in `FOLDER/owner+name/repo`; tasks of others are left out, and said to be.
"""

import argparse
import os
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from clew.engine import Engine
from clew.evaluate import functions, rankers
from clew.evaluate.baselines import baselines
from clew.evaluate.history import History, Hunk
from clew.evaluate.judging import judge
from clew.evaluate.rankers import Clew, Ranker, Unskipped
from clew.evaluate.report import Case, Judged
from clew.evaluate.stage import APART, Scenery, Stage, laid_out, search_function
from clew.languages.plugins import load_languages
from clew.model.errors import ClewError
from clew.runtime import git_process

SEED, MOST = 1, 6
KNOWN = load_languages(()).known

_FIELD = re.compile(r"^(repo|base_commit): *(\S+)", re.MULTILINE)
_BEFORE = re.compile(r"--- a/(.+)|@@ -(\d+)")  # the file, and the line, that what follows is about


class Task(NamedTuple):
    name: str
    repository: str
    base: str
    report: str
    patch: str


def main() -> None:
    parser = argparse.ArgumentParser(prog="research.rulers.reported", description=__doc__)
    parser.add_argument("--tasks", type=Path, required=True)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--most", type=int, default=MOST, help="tasks of one repository, drawn at random")
    parser.add_argument("repositories", nargs="*", help="owner/name; all that there are mirrors of, if none is named")
    given = parser.parse_args()
    found: dict[str, list[Judged]] = defaultdict(list)
    if not given.mirrors.is_dir():
        raise SystemExit(f"{given.mirrors} is no folder")
    mirrors = {one.name.lower(): one / "repo" for one in given.mirrors.iterdir()}
    for task in drawn(given.tasks, given.repositories, given.most):
        name = task.repository.replace("/", "+")
        mirror = mirrors.get(name.lower(), given.mirrors / name)
        try:
            found[task.repository] += judged(task, mirror)
        except ClewError as error:
            print(f"- {task.name} is left out: {error}", file=sys.stderr, flush=True)
    for repository, cases in found.items():
        if cases:
            print("".join(_table(f"{repository}, {len(cases)} reports", cases)))
    print("".join(_table("all", [case for cases in found.values() for case in cases])))


def drawn(store: Path, repositories: Sequence[str], most: int) -> Iterator[Task]:
    """A reproducible sample of issues per repository, independent of capital letters in names."""
    wanted, by_repository = {one.lower() for one in repositories}, defaultdict(list)
    for path in _ask(store, "ls-tree", "--name-only", "HEAD", "tasks/").split():
        told = dict(_FIELD.findall(_ask(store, "show", f"HEAD:{path}/task.yaml")))
        by_repository[told["repo"]].append((path, told["base_commit"]))
    for repository, tasks in sorted(by_repository.items()):
        if wanted and repository.lower() not in wanted:
            continue
        for path, base in random.Random(SEED).sample(tasks, min(most, len(tasks))):
            said = (_ask(store, "show", f"HEAD:{path}/{name}") for name in ("problem_statement.md", "gold.patch"))
            yield Task(path.rpartition("/")[2], repository, base, *said)


def judged(task: Task, mirror: Path) -> Sequence[Judged]:
    """Nothing if the fix changed no source file that there was."""
    history = History(mirror)
    scenery = Scenery(history, history.resolve(task.base), None, KNOWN)
    with laid_out(scenery, _opened, APART, lambda _: None) as stage:
        case = _case(task, stage)
        if not case.files:
            return ()
        clew = Clew(search_function(stage.opened), stage.seen)
        rankers: list[Ranker] = [clew, Unskipped(clew), *baselines(stage.seen)[0]]
        return judge([case], rankers, lambda _: None).cases


def _opened(root: Path, settings: Mapping[str, str]) -> Engine:
    return Engine.open(root, environ={**os.environ, **settings})


def _case(task: Task, stage: Stage) -> Case:
    changes = {path: hunks for path, hunks in changed(task.patch).items() if path in stage.seen.files}
    touched = [
        one
        for path, hunks in changes.items()
        for one in functions.changed_functions(functions.read(path, stage.seen.files[path], KNOWN), hunks)
        if one in stage.seen.functions
    ]
    return Case(task.name, task.report, 0, tuple(changes), tuple(touched))


def changed(patch: str) -> dict[str, list[Hunk]]:
    """By file, the lines that a patch takes out, and between which it adds some, as they were before it."""
    found: dict[str, list[Hunk]] = {}
    path, line = "", 0
    for text in patch.split("\n"):
        told = _BEFORE.match(text)
        if text.startswith(("diff --git ", "--- /dev/null", "+++ ")):
            path = path if text.startswith("+++ ") else ""
        elif told:
            path, line = (told[1].strip(), 0) if told[1] else (path, int(told[2]))
        elif path and text.startswith(("-", "+")):
            is_gone = text.startswith("-")
            found.setdefault(path, []).append(Hunk(line, 1) if is_gone else Hunk(line - 1, 0))
            line += is_gone
        else:
            line += 1
    return found


def _table(title: str, cases: Sequence[Judged]) -> Iterator[str]:
    yield f"{title}\n"
    for name in cases[0].ranks if cases else ():
        files = rankers.table([case.ranks[name].files for case in cases])
        found = rankers.table([case.ranks[name].functions for case in cases if case.ranks[name].functions])
        yield f"  {name:18s} files {_short(files)}, functions {_short(found)}\n"


def _short(table: rankers.Table) -> str:
    """MRR and recall at 5, with how far the first is off by chance."""
    if not len(table):
        return "-"
    error = np.std(table[:, 3]) / np.sqrt(len(table))
    return f"{table[:, 3].mean():.3f} ±{error:.3f} / {table[:, 1].mean():.3f} ({len(table)})"


def _ask(store: Path, *arguments: str) -> str:
    done = git_process.run(store, *arguments)
    if done.returncode:
        raise SystemExit(f"{store}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    main()
