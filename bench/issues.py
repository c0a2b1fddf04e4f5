"""Issues as people wrote them find what mended them: `python -m bench.issues TASKS --on MIRROR…`.

TASKS is a repository that holds `tasks/ID/` with `problem_statement.md`, `gold.patch` and `task.yaml` (`repo`,
`base_commit`), as the authors of SWE-bench publish theirs. Each issue is asked on the commit that it was mended on,
whole, as written. What is right are the 1 to 5 source files that the mend changed, and their functions.
"""

import argparse
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench import standings
from bench.contest import Contest, Entry, environ
from clew.engine import Engine
from clew.evaluate import functions, metrics, world
from clew.evaluate.baselines import baselines
from clew.evaluate.checkout import checkout
from clew.evaluate.history import History, Hunk
from clew.evaluate.judging import Priced
from clew.evaluate.rankers import Clew, Ranker, Unskipped
from clew.evaluate.report import Case
from clew.evaluate.stage import searching
from clew.evaluate.world import World
from clew.index import git
from clew.index.languages.plugins import load, offered
from clew.model.errors import ClewError

FOLDER = "tasks"
MOST_CHANGED = 5  # source files of a mend; larger ones are no answer to one question
_FACT = re.compile(r"^(repo|base_commit): '?([^'\s]+)'?$", re.MULTILINE)
_HUNK = re.compile(r"@@ -(\d+)")


class Issue(NamedTuple):
    """`base` is the commit that it was mended on; `mend` is a patch."""

    id: str
    repository: str
    base: str
    text: str
    mend: str


class Answer(NamedTuple):
    """How a ranker did on one issue."""

    files: tuple[int, ...]
    functions: tuple[int, ...]
    ms: float
    cpu_ms: float


def main() -> None:
    given = _arguments()
    tasks = Tasks(given.tasks)
    contests = []
    for mirror in given.on:
        issues = tasks.of(mirror, given.most)
        contests += [_held(mirror, issues)] if issues else []
    if not contests:
        raise SystemExit("no task is about any of these repositories")
    print("By repository: MRR / R@5 of files by ranker, of functions by Clew\n")
    print("".join([*standings.by_repository(contests), *standings.summary(contests)]))


class Tasks:
    def __init__(self, repository: Path) -> None:
        self._repository = repository
        listing = self._show("ls-tree", "--name-only", "HEAD", f"{FOLDER}/")
        self._ids = sorted((line.partition("/")[2] for line in listing.splitlines()), key=_by_number)

    def of(self, mirror: Path, most: int) -> list[Issue]:
        """Those about the repository that a mirror is of, the oldest first; if they are too many, every so many-th."""
        name = _name(mirror)
        mine = [one for one in self._ids if one.lower().startswith(f"{name.replace('/', '__')}-")]
        step = max(1.0, len(mine) / most)
        chosen = [mine[int(number * step)] for number in range(min(most, len(mine)))]
        return [issue for issue in map(self._issue, chosen) if issue.repository.lower() == name]

    def _issue(self, id: str) -> Issue:
        facts = dict(_FACT.findall(self._file(id, "task.yaml")))
        text, mend = self._file(id, "problem_statement.md"), self._file(id, "gold.patch")
        return Issue(id, facts["repo"], facts["base_commit"], text, mend)

    def _file(self, id: str, name: str) -> str:
        return self._show("show", f"HEAD:{FOLDER}/{id}/{name}")

    def _show(self, *arguments: str) -> str:
        done = git.run(self._repository, *arguments)
        if done.returncode:
            raise SystemExit(f"{self._repository}: {done.stderr.decode('utf-8', 'replace').strip()}")
        return done.stdout.decode("utf-8", "replace")


def _held(mirror: Path, issues: Sequence[Issue]) -> Contest:
    """All issues in one folder, so that from one to the next only what differs is read."""
    answers: dict[str, list[Answer]] = {}
    skipped, sizes = 0, (0, 0)
    with tempfile.TemporaryDirectory(prefix="clew-issues-") as scratch:
        for issue in issues:
            print(issue.id, file=sys.stderr, flush=True)
            try:
                sizes, found = _asked(issue, History(mirror), Path(scratch) / "tree")
            except ClewError as error:
                print(f"{issue.id}: {error}", file=sys.stderr)
                found = {}
            skipped += not found
            for name, answer in found.items():
                answers.setdefault(name, []).append(answer)
    entries = tuple(_entry(name, of_all) for name, of_all in answers.items())
    missing = {
        "issues": f"{skipped} of {len(issues)} changed no source file or over {MOST_CHANGED}, or could not be laid out"
    }
    return Contest(_name(mirror), issues[-1].base, *sizes, entries, (), missing if skipped else {})


def _asked(issue: Issue, history: History, root: Path) -> tuple[tuple[int, int], dict[str, Answer]]:
    """How much is ranked, and the answer of each ranker; of none, if nothing that is ranked was changed."""
    known = load(offered()).known
    base = history.resolve(issue.base)
    with checkout(history, base, root), Engine.open(root, environ=environ()) as engine:
        engine.index(report=lambda _: None)
        seen = world.read(root, history.paths(base), known, lambda _: None)
        case = _case(issue, seen)
        clew = Clew(searching(engine), seen)
        rankers: list[Ranker] = [clew, Unskipped(clew), *baselines(seen)[0]]
        clew.ask(issue.id)  # what the first question loads is no part of the next
        sizes = len(seen.files), len(seen.functions)
        return sizes, {ranker.name: _answer(case, ranker) for ranker in rankers} if 0 < len(
            case.files
        ) <= MOST_CHANGED else {}


def _case(issue: Issue, seen: World) -> Case:
    places = changed(issue.mend)
    files = tuple(path for path in places if path in seen.files)
    right = [one for path in files for one in functions.changed(_within(path, seen), places[path])]
    return Case(issue.id, issue.text, 0, files, tuple(right))


def _within(path: str, seen: World) -> list[functions.Function]:
    return [one for one in seen.functions.values() if one.id.startswith(f"{path}::")]


def changed(patch: str) -> dict[str, list[Hunk]]:
    """By file that was there before, the lines that a patch takes away, and those that it adds something behind."""
    found: dict[str, list[Hunk]] = {}
    places: list[Hunk] | None = None
    line = 0
    for text in patch.splitlines():
        if text.startswith("--- "):
            places = found.setdefault(text[6:], []) if text.startswith("--- a/") else None
        elif hunk := _HUNK.match(text):
            line = int(hunk[1])
        elif places is not None and line:
            if text.startswith("-"):
                places.append(Hunk(line, 1))
            elif text.startswith("+") and not text.startswith("+++ "):
                places.append(Hunk(line - 1, 0))
            line += not text.startswith("+")
        if text.startswith("diff "):
            line = 0
    return found


def _answer(case: Case, ranker: Ranker) -> Answer:
    began, cpu = time.perf_counter(), time.process_time()
    if isinstance(ranker, Priced):
        ranker.ask(case.query)
    spent = (time.perf_counter() - began) * 1000, (time.process_time() - cpu) * 1000
    found = ranker.rank(case.query)
    return Answer(metrics.ranks_of(case.files, found.files), metrics.ranks_of(case.functions, found.functions), *spent)


def _entry(name: str, answers: Sequence[Answer]) -> Entry:
    files, of_functions = tuple(one.files for one in answers), tuple(one.functions for one in answers)
    return Entry(name, files, of_functions, tuple(one.ms for one in answers), tuple(one.cpu_ms for one in answers))


def _name(mirror: Path) -> str:
    """`owner/name`, of a mirror in a folder `owner+name`, in small letters."""
    named = mirror.resolve()
    own = named.parent if named.name in ("repo", "repo.git") else named
    return own.name.removesuffix(".git").replace("+", "/").lower()


def _by_number(id: str) -> tuple[str, int]:
    name, _, number = id.rpartition("-")
    return name, int(number) if number.isdecimal() else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", type=Path, help="the repository that has the tasks")
    parser.add_argument("--on", type=Path, nargs="+", required=True, help="mirrors, in folders `owner+name`")
    parser.add_argument("--most", type=int, default=8, help="issues of each")
    return parser.parse_args()


if __name__ == "__main__":
    main()
