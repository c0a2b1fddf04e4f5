"""An evaluation: choose the cases, check the base out, index it, ask, and judge."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from clew.evaluate import commits, docstrings, world
from clew.evaluate.baselines import baselines
from clew.evaluate.checkout import checkout
from clew.evaluate.choosing import choose
from clew.evaluate.history import History
from clew.evaluate.judging import judge
from clew.evaluate.rankers import Clew, Ranker, Search, Unskipped
from clew.evaluate.report import Case, Evaluation, Request, Step, Task, TaskReport
from clew.evaluate.sources import Sources
from clew.evaluate.world import World
from clew.index.languages.plugins import load, offered
from clew.model.errors import NotFound
from clew.model.run import Progress, RunReport

# A checkout that is measured lies in a file of its own, whatever the project says, and nothing runs beside questions.
APART = {
    "CLEW_STORAGE_URL": "",
    "CLEW_STORAGE_DB_PATH": "",
    "CLEW_QUERY_REFRESH": "false",
    "CLEW_BOOTSTRAP_ENABLED": "false",
}


@dataclass(frozen=True, slots=True)
class Opened:
    """A checkout with Clew on it."""

    index: Callable[[Callable[[Progress], None]], RunReport]
    search: Search


Opener = Callable[[Path], AbstractContextManager[Opened]]
Report = Callable[[Step], None]


class Questions(NamedTuple):
    """The cases of one task, and how much else was left out for which reason."""

    task: Task
    cases: list[Case]
    left_out: Mapping[str, int]


def evaluate(request: Request, opener: Opener, report: Report) -> Evaluation:
    """One checkout and one index serve all tasks; docstrings come last, since they are taken out of it."""
    report(Step("choosing", 0, 0))
    known = load(offered()).known
    history = History(request.repository)
    chosen = choose(history, request, Sources(known)) if Task.COMMITS in request.tasks else None
    base = chosen.base if chosen else history.resolve(request.base or "HEAD")
    tasks: list[TaskReport] = []
    with checkout(history, base, request.keep) as root, opener(root) as opened:
        bench = _Bench(request, root, opened, report)
        indexed = bench.index()
        seen = world.read(root, history.paths(base), known, lambda done: report(Step("reading", done, 0)))
        if chosen:
            asked = commits.cases(chosen, history, seen, known)
            tasks.append(bench.judge(Questions(Task.COMMITS, asked, chosen.left_out), seen))
        if Task.DOCSTRINGS in request.tasks:
            tasks += bench.docstrings(seen)
    if not tasks:
        raise NotFound(f"no function at {base[:12]} has a sentence to ask by", "Use --task commits.")
    return Evaluation(base, tuple(tasks), bench.notes, indexed.seconds)


class _Bench:
    """A checkout on which tasks are judged."""

    def __init__(self, request: Request, root: Path, opened: Opened, report: Report) -> None:
        self._request = request
        self._root = root
        self._opened = opened
        self._report = report
        self.notes: tuple[str, ...] = ()

    def index(self) -> RunReport:
        return self._opened.index(lambda progress: self._report(Step("indexing", progress.done, progress.total)))

    def docstrings(self, seen: World) -> list[TaskReport]:
        """Nothing where nothing is documented."""
        drawn = docstrings.draw(seen, self._request.cases)
        if not drawn.cases:
            return []
        blanked = {path: docstrings.without(seen.files[path], docs) for path, docs in drawn.docs.items()}
        for path, text in blanked.items():
            (self._root / path).write_bytes(text)
        self.index()
        asked = Questions(Task.DOCSTRINGS, drawn.cases, drawn.left_out)
        return [self.judge(asked, replace(seen, files={**seen.files, **blanked}))]

    def judge(self, asked: Questions, seen: World) -> TaskReport:
        clew = Clew(self._opened.search, seen)
        others, self.notes = baselines(seen)
        count = len(asked.cases)
        rankers: list[Ranker] = [clew, Unskipped(clew), *others]
        verdict = judge(asked.cases, rankers, lambda done: self._report(Step(f"asking {asked.task}", done, count)))
        return TaskReport(
            task=asked.task,
            wanted=self._request.cases,
            files=len(seen.files),
            functions=len(seen.functions),
            left_out=asked.left_out,
            standings=verdict.standings,
            leads=verdict.leads,
            cases=verdict.cases,
        )
