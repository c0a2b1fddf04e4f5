"""One repository: its cases as `clew eval` draws them, and how each contender ranks them on the same base."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from bench.measure import run
from bench.rivals.asking import Failed, Tool, asking
from bench.rivals.talk import Found
from clew.engine import Engine
from clew.evaluate import choosing, rankers, world
from clew.evaluate.baselines import baselines
from clew.evaluate.choosing import choose
from clew.evaluate.functions import Function
from clew.evaluate.history import History
from clew.evaluate.rankers import CLEW, USUAL, Clew, RankedNames, Search
from clew.evaluate.report import Case, Request
from clew.evaluate.stage import APART, checkout, signaller
from clew.evaluate.tuning import weighable
from clew.evaluate.world import SourceFiles, World
from clew.languages.plugins import load_languages, offered_languages
from clew.model.code import split_id
from clew.model.search import Query
from clew.runtime.settings import RETRIEVERS

DEEP = 150  # places that another tool is asked for, to have enough files among them
FEWEST = 20  # cases that a tool must have answered in its time to be told of

EVERYTHING, FULL_TEXT_ALONE = "as it is", "full text alone"
FULL_TEXT, RIPGREP = "full_text", "ripgrep"

Ranks = tuple[int, ...]
Times = list[tuple[float, float]]  # of each query, milliseconds: on the clock, and of CPU
Say = Callable[[str], None]


class Entry(Struct, frozen=True):
    """How one contender did: by case, the ranks of what is right; of functions, where it ranks any."""

    name: str
    files: tuple[Ranks, ...]
    functions: tuple[Ranks, ...] | None
    ms: tuple[float, ...] = ()
    cpu_ms: tuple[float, ...] = ()
    index_cpu: float = 0.0
    index_bytes: int = 0
    note: str = ""


class Contest(Struct, frozen=True):
    """`missing` says of each contender that could not be run why."""

    repository: str
    base: str
    files: int
    functions: int
    entries: tuple[Entry, ...]
    ablations: tuple[Entry, ...]
    missing: dict[str, str]


class Plan(Struct, frozen=True):
    cases: int
    tools: tuple[Tool, ...]
    seconds: float  # that each tool may take, indexing included
    ablate: bool


def hold(repository: Path, name: str, plan: Plan, say: Say) -> Contest:
    """The base is checked out once for Clew, and anew for each tool: some write into the folder that they index."""
    say("choosing cases")
    known = load_languages(offered_languages()).known
    history = History(repository)
    chosen = choose(history, Request(repository, cases=plan.cases), SourceFiles(known))
    missing: dict[str, str] = {}
    with checkout(history, chosen.base, None) as root:
        seen = world.read(root, history.paths(chosen.base), known, lambda _: None)
        cases = choosing.cases(chosen, history, seen, known)
        say(f"{len(cases)} cases on {chosen.base[:10]}; indexing {len(seen.files)} source files")
        entries = [_clew(root, seen, cases), *_baselines(seen, cases)]
        ablations = list(_ablations(root, seen, cases)) if plan.ablate else []
    for tool in plan.tools:
        say(f"asking {tool.name}")
        try:
            with checkout(history, chosen.base, None) as root:
                entries.append(_rival(tool, root, seen, cases, plan.seconds))
        except Failed as failure:
            missing[tool.name] = str(failure)
    sizes = len(seen.files), len(seen.functions)
    return Contest(name, chosen.base, *sizes, tuple(entries), tuple(ablations), missing)


def _clew(root: Path, seen: World, cases: Sequence[Case]) -> Entry:
    cost = run([sys.executable, "-P", "-m", "clew", "-C", root, "index", "--quiet"], root, _environ())
    stored = sum(file.stat().st_size for file in (root / ".clew").rglob("*") if file.is_file())
    with _searching(root) as search:
        ranker = Clew(search, seen)
        times = _timed(ranker.ask, cases)
        return _entry(CLEW, ranker.rank, cases, times, index_cpu=cost.cpu, index_bytes=stored)


def _baselines(seen: World, cases: Sequence[Case]) -> Iterator[Entry]:
    made, notes = baselines(seen)
    for one in made:
        said = " ".join(notes) if one.name == RIPGREP else ""
        yield _entry(one.name, one.rank, cases, _timed(one.ask, cases), note=said)


def _ablations(root: Path, seen: World, cases: Sequence[Case]) -> Iterator[Entry]:
    """Clew without each of its retrievers, with those that are off by default, and by words alone.

    Every retriever is asked once for each case, and weighed anew: the ranking before it is made diverse.
    """
    with Engine.open(root, environ=_environ()) as engine:
        used = engine.config.retrievers()
    switched_on = {f"CLEW_PROVIDERS_{name.upper()}_ENABLED": "true" for name in RETRIEVERS if name not in used}
    with Engine.open(root, environ={**_environ(), **switched_on}) as engine:
        signals = signaller(engine)
        weighed = [weighable(case, signals(case.query), seen) for case in cases]
        everyone = engine.config.retrievers()
    for title, weights in _weights(used, everyone).items():
        ranks = [one.ranks(weights) for one in weighed]
        yield Entry(title, tuple(one.files for one in ranks), tuple(one.functions for one in ranks))


def _weights(used: Mapping[str, float], everyone: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """By title, how much each retriever counts; the first is as configured by default."""
    usual = {name: used.get(name, 0.0) for name in everyone}
    return {
        EVERYTHING: usual,
        **{f"without {name}": {**usual, name: 0.0} for name in used},
        **{f"with {name}": {**usual, name: weight} for name, weight in everyone.items() if name not in used},
        FULL_TEXT_ALONE: {name: weight if name == FULL_TEXT else 0.0 for name, weight in usual.items()},
    }


def _rival(tool: Tool, root: Path, seen: World, cases: Sequence[Case], seconds: float) -> Entry:
    """Measure a rival within its time limit: shallow answers for latency, deep ones for ranks."""
    with asking(tool, root, seconds) as ready:
        rankings, times = [], []
        functions = _Functions(seen)
        try:
            ready.ask(cases[0].query, USUAL)
            for case in cases:
                asked = ready.ask(case.query, USUAL)
                times.append((asked.ms, asked.cpu_ms))
                deep = ready.ask(case.query, DEEP) if ready.indexed.limited else asked
                rankings.append(_ranking(deep.found, seen, functions))
        except Failed as failure:
            if len(rankings) < FEWEST:
                raise Failed(f"{failure}, after {len(rankings)} of {len(cases)} cases") from failure
        done = len(rankings)
        said = [ready.indexed.note, f"{done} of {len(cases)} cases in its time" if done < len(cases) else ""]
        answered = dict(zip((case.query for case in cases), rankings, strict=False))
        return _entry(
            tool.name,
            answered.__getitem__,
            cases[:done],
            times[:done],
            index_cpu=ready.indexed.cpu,
            index_bytes=ready.indexed.stored,
            note="; ".join(filter(None, said)),
        )


def _ranking(places: list[Found], seen: World, functions: "_Functions") -> RankedNames:
    found = [place for place in places if place.path in seen.files]
    named = [one for place in found for one in functions.at(place)]
    return RankedNames(list(dict.fromkeys(place.path for place in found)), list(dict.fromkeys(named)))


class _Functions:
    """Functions by where they stand, for tools that answer with lines."""

    def __init__(self, seen: World) -> None:
        self._by_path: dict[str, list[Function]] = {}
        for one in seen.functions.values():
            self._by_path.setdefault(split_id(one.id)[0], []).append(one)

    def at(self, place: Found) -> list[str]:
        """Those that a place shares lines with, most first; of a whole file, none."""
        shared = [
            (min(one.last, place.last) - max(one.first, place.first), one) for one in self._by_path.get(place.path, ())
        ]
        inside = sorted(((-lines, one.first, one.id) for lines, one in shared if lines >= 0 and place.last))
        return [name for *_, name in inside]


def _entry(
    name: str,
    rank: Callable[[str], RankedNames],
    cases: Sequence[Case],
    times: Times,
    *,
    index_cpu: float = 0.0,
    index_bytes: int = 0,
    note: str = "",
) -> Entry:
    rankings = [rank(case.query) for case in cases]
    return Entry(
        name,
        tuple(rankers.ranks_of(case.files, one.files) for case, one in zip(cases, rankings, strict=True)),
        tuple(rankers.ranks_of(case.functions, one.functions) for case, one in zip(cases, rankings, strict=True)),
        tuple(ms for ms, _ in times),
        tuple(cpu for _, cpu in times),
        index_cpu,
        index_bytes,
        note,
    )


def _timed(ask: Callable[[str], None], cases: Sequence[Case]) -> Times:
    """Seconds per query with warm caches; answers are not cached."""
    ask(f"{cases[0].query} ")
    times = []
    for case in cases:
        started, cpu = time.perf_counter(), time.process_time()
        ask(case.query)
        times.append(((time.perf_counter() - started) * 1000, (time.process_time() - cpu) * 1000))
    return times


@contextmanager
def _searching(root: Path) -> Iterator[Search]:
    with Engine.open(root, environ=_environ()) as engine:
        yield lambda text, limit: engine.search(Query(text, limit))


def _environ() -> dict[str, str]:
    """Nobody's own settings."""
    return {name: text for name, text in os.environ.items() if not name.startswith("CLEW_")} | APART
