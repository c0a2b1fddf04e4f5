"""An evaluation: choose the cases, check the base out, index it, ask, and judge."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from clew.evaluate import choosing, rankers
from clew.evaluate.baselines import baselines
from clew.evaluate.choosing import choose
from clew.evaluate.history import History
from clew.evaluate.judging import judge
from clew.evaluate.rankers import Clew, Ranker, Unskipped
from clew.evaluate.report import Case, Evaluation, EvaluationStep, EvaluationTask, Request, TaskReport
from clew.evaluate.stage import APART, Opener, Report, Scenery, Stage, index, laid_out, search_function
from clew.evaluate.world import SourceFiles, World
from clew.languages.plugins import load_languages, offered_languages
from clew.model.errors import NotFound


class Questions(NamedTuple):
    """The cases of one task, and how much else was left out for which reason."""

    task: EvaluationTask
    cases: list[Case]
    left_out: Mapping[str, int]


def evaluate(request: Request, opener: Opener, report: Report) -> Evaluation:
    """One checkout and one index serve all tasks; docstrings come last, since they are taken out of it."""
    report(EvaluationStep("choosing", 0, 0))
    known = load_languages(offered_languages()).known
    history = History(request.repository)
    chosen = choose(history, request, SourceFiles(known)) if EvaluationTask.COMMITS in request.tasks else None
    base = chosen.base if chosen else history.resolve(request.base or "HEAD")
    tasks: list[TaskReport] = []
    with laid_out(Scenery(history, base, request.keep, known), opener, APART, report) as stage:
        bench = _Bench(request, stage, report)
        if chosen:
            asked = choosing.cases(chosen, history, stage.seen, known)
            tasks.append(bench.judge(Questions(EvaluationTask.COMMITS, asked, chosen.left_out), stage.seen))
        if EvaluationTask.DOCSTRINGS in request.tasks:
            tasks += bench.docstrings(stage.seen)
    if not tasks:
        raise NotFound(f"no function at {base[:12]} has a sentence to ask by", "Use --task commits.")
    return Evaluation(base, tuple(tasks), bench.notes, stage.indexed.seconds)


class _Bench:
    """A checkout on which tasks are judged."""

    def __init__(self, request: Request, stage: Stage, report: Report) -> None:
        self._request = request
        self._stage = stage
        self._report = report
        self.notes: tuple[str, ...] = ()

    def docstrings(self, seen: World) -> list[TaskReport]:
        """Nothing where nothing is documented."""
        drawn = rankers.draw(seen, self._request.cases)
        if not drawn.cases:
            return []
        blanked = {path: rankers.without(seen.files[path], docs) for path, docs in drawn.docs.items()}
        for path, text in blanked.items():
            (self._stage.root / path).write_bytes(text)
        index(self._stage.opened, self._report)
        asked = Questions(EvaluationTask.DOCSTRINGS, drawn.cases, drawn.left_out)
        return [self.judge(asked, replace(seen, files={**seen.files, **blanked}))]

    def judge(self, asked: Questions, seen: World) -> TaskReport:
        clew = Clew(search_function(self._stage.opened), seen)
        others, self.notes = baselines(seen)
        count = len(asked.cases)
        rankers: list[Ranker] = [clew, Unskipped(clew), *others]
        verdict = judge(
            asked.cases, rankers, lambda done: self._report(EvaluationStep(f"asking {asked.task}", done, count))
        )
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
