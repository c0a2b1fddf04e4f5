"""Tuning: fits the weights of retrievers to the earlier cases of a project's history, and reports on the later ones.

Only the earlier cases decide whether weights are kept; the later ones are only reported.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.evaluate import choosing, fitting, rankers
from clew.evaluate.choosing import Chosen, choose
from clew.evaluate.fitting import STEPS, Fit, Values, Weights, WeightSpace
from clew.evaluate.functions import KINDS
from clew.evaluate.history import History
from clew.evaluate.judging import Verdict, judge
from clew.evaluate.rankers import DEPTH, Clew
from clew.evaluate.report import Case, EvaluationStep, Figure, RankerLead, Ranks, Request, Stretch, Tuning, Weight
from clew.evaluate.stage import (
    APART,
    OpenedCheckout,
    Opener,
    Report,
    Scenery,
    Stage,
    laid_out,
    search_function,
    signaller,
)
from clew.evaluate.world import SourceFiles, World
from clew.languages.plugins import load_languages, offered_languages
from clew.model.errors import InvalidInput, NotFound
from clew.model.time import to_iso
from clew.retrieve.signals import ScoredChunk, Signals
from clew.runtime import environment, tuned
from clew.runtime.config import DEFAULT, Resolved
from clew.runtime.keys import KEYS, replace_at
from clew.runtime.place import ProjectPaths, find_place
from clew.runtime.settings import RETRIEVERS, Config

# The quality of weights on a case, by each retriever's findings. Pure.

RECALL_SHARE, FUNCTIONS_SHARE = 0.5, 0.7  # of the objective, beside the files' MRR

NOWHERE = -1

_RECALL_5, _MRR = 1, 3  # columns of a table

Numbers = NDArray[np.int64]


class Weighable(NamedTuple):
    """A case and its signals; by chunk the number of its file and of its function, if those are ranked."""

    signals: Signals
    files: Numbers
    functions: Numbers
    right_files: tuple[int, ...]
    right_functions: tuple[int, ...]

    def ranks(self, weights: Mapping[str, float]) -> Ranks:
        scores = self.signals.fuse(weights)
        order = np.argsort(-scores, kind="stable")
        order = order[scores[order] > 0]
        files = ranks_among(self.files[order], self.right_files)
        return Ranks(files, ranks_among(self.functions[order], self.right_functions))


def weighable(case: Case, signals: Signals, world: World) -> Weighable:
    files, functions = _Numbering(case.files), _Numbering(case.functions)
    of_files = [files[one.path] if one.path in world.files else NOWHERE for one in signals.chunks]
    of_functions = [_function(one, world, functions) for one in signals.chunks]
    right = (tuple(range(len(case.files))), tuple(range(len(case.functions))))
    return Weighable(signals, np.array(of_files, np.int64), np.array(of_functions, np.int64), *right)


def objective(ranks: Sequence[Ranks]) -> NDArray[np.float64]:
    """By case; the mean is that of the files' MRR, half their recall at 5, and a part of the functions' MRR.

    Only some cases have functions: they count for the others.
    """
    files = rankers.table([one.files for one in ranks])
    value: NDArray[np.float64] = files[:, _MRR] + RECALL_SHARE * files[:, _RECALL_5]
    having = [number for number, one in enumerate(ranks) if one.functions]
    if having:
        functions = rankers.table([ranks[number].functions for number in having])
        value[having] += FUNCTIONS_SHARE * functions[:, _MRR] * len(ranks) / len(having)
    return value


class _Numbering(dict[str, int]):
    """Numbers for names, the right answers first."""

    def __init__(self, first: Sequence[str]) -> None:
        super().__init__((name, number) for number, name in enumerate(first))

    def __missing__(self, name: str) -> int:
        self[name] = len(self)
        return self[name]


def _function(chunk: ScoredChunk, world: World, numbers: _Numbering) -> int:
    outer = world.outer.get(chunk.symbol, chunk.symbol)
    return numbers[outer] if chunk.kind in KINDS and chunk.path in world.files and outer in world.functions else NOWHERE


def ranks_among(ordered: Numbers, right: Sequence[int]) -> tuple[int, ...]:
    """At which rank each right one is met for the first time, among those that are ranked at all."""
    met, first = np.unique(ordered[ordered != NOWHERE], return_index=True)
    ranks = {int(number): rank for rank, number in enumerate(met[np.argsort(first)][:DEPTH], start=1)}
    return tuple(ranks.get(number, 0) for number in right)


FITTED = 0.6  # of the cases, the earlier ones
LEAST_CASES = 30
# What the others are weighed against: lowered, it would lower nearly all scores, and thresholds leave answers out.
YARDSTICK = "full_text"
BEFORE, AFTER = "before", "after"

_CARRIED = ("providers", "embedding", "query")  # sections that the checkout has as the project has them
_SECOND = 1_000_000  # microseconds


class Knobs(NamedTuple):
    """The weights that take part, the origins of the fixed ones, and the configuration before tuning."""

    names: tuple[str, ...]
    room: WeightSpace
    fixed_by: Mapping[str, str]
    config: Config


class _Outcome(NamedTuple):
    fit: Fit
    values: tuple[float, float]  # of the objective: before and after, on what was fitted
    verdict: Verdict
    notes: tuple[str, ...]


def tune(request: Request, environ: Mapping[str, str], opener: Opener, report: Report) -> Tuning:
    report(EvaluationStep("choosing", 0, 0))
    history = History(request.repository)
    if history.is_bare:
        raise InvalidInput(f"{request.repository} has no working tree to keep weights for", "Name a clone of it.")
    place = find_place(request.repository, environ)
    knobs = knobs_of(place.settings)
    known = load_languages(offered_languages()).known
    chosen = _enough(choose(history, request, SourceFiles(known)))
    settings = {**environment.to_variables(knobs.config, *_CARRIED), **APART}
    with laid_out(Scenery(history, chosen.base, request.keep, known), opener, settings, report) as stage:
        cases = choosing.cases(chosen, history, stage.seen, known)
        earlier, later = split(cases)
        outcome = _Tuner(knobs, stage, opener, settings, report).tune(earlier, later)
    return _keep(place, knobs, chosen.base, (earlier, later), outcome)


def split(cases: Sequence[Case]) -> tuple[Sequence[Case], Sequence[Case]]:
    """By time: cases to fit, and cases to report."""
    at = round(FITTED * len(cases))
    return cases[:at], cases[at:]


def knobs_of(settings: Resolved) -> Knobs:
    """A weight that the project or the environment sets is not fitted: it would override the result."""
    origins = {name: settings.origins[tuned.key_of(name)] for name in RETRIEVERS}
    free = {name for name, origin in origins.items() if origin in (DEFAULT, tuned.ORIGIN)}
    config = settings.config
    for name in sorted(free):
        config = replace_at(config, tuned.key_of(name).split("."), _default(name))
    weights = config.retrievers()
    names = tuple(name for name in RETRIEVERS if name in weights)
    fitted = (free & set(names)) - {YARDSTICK}
    if not fitted:
        raise InvalidInput(
            "no weight is left to be fitted", "Enable a retriever, or take its weight from context.toml."
        )
    start = tuple(weights[name] for name in names)
    choices = tuple(_choices(name) if name in fitted else (weights[name],) for name in names)
    return Knobs(
        names, WeightSpace(start, choices), {name: origins[name] for name in names if name not in free}, config
    )


def _default(name: str) -> float:
    return float(getattr(Config().providers, name).weight)


def _choices(name: str) -> Weights:
    return tuple(sorted({*STEPS, _default(name)}))


def _enough(chosen: Chosen) -> Chosen:
    if len(chosen.drawn) < LEAST_CASES:
        raise NotFound(
            f"only {len(chosen.drawn)} commits make a case, and to fit weights {LEAST_CASES} are needed: none changed",
            "Let the history grow, or name an earlier --base; `clew eval --explain` says what was left out.",
        )
    return chosen


class _Tuner:
    def __init__(self, knobs: Knobs, stage: Stage, opener: Opener, settings: Mapping[str, str], report: Report) -> None:
        self._knobs = knobs
        self._stage = stage
        self._opener = opener
        self._settings = settings
        self._report = report

    def tune(self, earlier: Sequence[Case], later: Sequence[Case]) -> _Outcome:
        weighed, notes = self._weigh(earlier)
        value = self._objective(weighed)
        self._report(EvaluationStep("fitting", 0, 0))
        fit = fitting.fit(value, self._knobs.room, len(earlier))
        means = float(value(self._knobs.room.start).mean()), float(value(fit.weights).mean())
        return _Outcome(fit, means, self._verdict(later, fit.weights), notes)

    def _weigh(self, cases: Sequence[Case]) -> tuple[list[Weighable], tuple[str, ...]]:
        found, failures = [], Counter[str]()
        ask = signaller(self._stage.opened)
        for number, case in enumerate(cases, start=1):
            signals = ask(case.query)
            found.append(weighable(case, signals, self._stage.seen))
            failures.update(f"{one.retriever} failed: {one.reason}" for one in signals.failed)
            self._report(EvaluationStep("asking the earlier cases", number, len(cases)))
        return found, tuple(f"{said} ({count} times)" for said, count in failures.items())

    def _objective(self, cases: Sequence[Weighable]) -> fitting.Objective:
        @cache
        def value(weights: Weights) -> Values:
            named = dict(zip(self._knobs.names, weights, strict=True))
            return objective([case.ranks(named) for case in cases])

        return value

    def _verdict(self, cases: Sequence[Case], weights: Weights) -> Verdict:
        """Metrics of real searches with the old weights and, if they changed, the new ones."""
        if weights == self._knobs.room.start:
            return self._judge(cases, {BEFORE: self._stage.opened})
        with self._opener(self._stage.root, {**self._settings, **self._variables(weights)}) as opened:
            return self._judge(cases, {AFTER: opened, BEFORE: self._stage.opened})

    def _judge(self, cases: Sequence[Case], opened: Mapping[str, OpenedCheckout]) -> Verdict:
        rankers = [Clew(search_function(one), self._stage.seen, name) for name, one in opened.items()]
        return judge(
            cases, rankers, lambda done: self._report(EvaluationStep("asking the later cases", done, len(cases)))
        )

    def _variables(self, weights: Weights) -> dict[str, str]:
        named = zip(self._knobs.names, weights, strict=True)
        return {KEYS[tuned.key_of(name)].variable: str(weight) for name, weight in named}


def _keep(
    place: ProjectPaths, knobs: Knobs, base: str, cases: tuple[Sequence[Case], Sequence[Case]], outcome: _Outcome
) -> Tuning:
    """The result, once it is stored; weights that are as by default leave none behind."""
    standings = {one.ranker: one for one in outcome.verdict.standings}
    named = zip(knobs.names, knobs.room.start, outcome.fit.weights, strict=True)
    result = Tuning(
        base=base,
        fitted=_stretch(cases[0]),
        reported=_stretch(cases[1]),
        weights=tuple(Weight(*one, knobs.fixed_by.get(one[0], "")) for one in named),
        objective_before=round(outcome.values[0], 4),
        objective_after=round(outcome.values[1], 4),
        held_out=outcome.fit.held_out,
        folds=outcome.fit.folds,
        before=standings[BEFORE],
        after=standings.get(AFTER),
        gain=next(iter(outcome.verdict.leads), None),
        stored="",
        removed=False,
        notes=outcome.notes,
    )
    return _store(place, result)


def _store(place: ProjectPaths, result: Tuning) -> Tuning:
    if result.gain is None:
        return replace(result, removed=tuned.remove(place.folder))
    return replace(result, stored=str(tuned.write(place.prepare_home(), _on_file(result, result.gain))))


def _on_file(result: Tuning, gain: RankerLead) -> tuned.Tuned:
    fitted = tuned.Fitted(
        base=result.base,
        cases=result.fitted.cases,
        newest=to_iso(result.fitted.last * _SECOND),
        held_out=_gain(result.held_out),
        later_cases=result.reported.cases,
        later_files_mrr=_gain(gain.files.mrr),
        later_functions_mrr=_gain(gain.functions.mrr) if gain.functions else None,
    )
    moved = {one.retriever: one.after for one in result.weights if one.after != one.before}
    return tuned.Tuned(tuned.FORMAT, moved, fitted)


def _gain(figure: Figure) -> tuned.Gain:
    return tuned.Gain(figure.mean, figure.low, figure.high)


def _stretch(cases: Sequence[Case]) -> Stretch:
    return Stretch(len(cases), cases[0].time, cases[-1].time)
