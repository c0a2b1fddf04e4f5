"""SQLite and PostgreSQL side by side on a checkout: `python -m bench.store --repo PATH`."""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ParamSpec

from tests.cluster import HAS_POSTGRESQL

from bench import copies, feed, questions, sides, views
from bench.measure import median, percentile, run
from bench.neighbours import MOST_FILES, Walk, walk
from bench.sides import POSTGRESQL, SQLITE, Side
from clew.engine import Engine
from clew.graph import edges
from clew.model.search import Query
from clew.retrieve import lexical
from clew.retrieve.fusion import best
from clew.retrieve.question import understand
from clew.retrieve.retriever import ChunkPlace
from clew.store.corpus import Corpora

HERE = Path(__file__).resolve().parent.parent
COLD = Path(__file__).with_name("cold.py")
SEED = 4
QUESTIONS, SEEDS, LIMIT = 50, 50, 50
HOPS = (1, 2, 3)
SHORT_ROUNDS = 5  # of what takes less than a few seconds
MEGABYTE = 1_000_000
WITHOUT_SERVER = 6  # the exit code of a store that cannot be had

P = ParamSpec("P")
Seconds = Mapping[str, float]  # by the name of the figure: one measurement may give several


@dataclass(frozen=True, slots=True)
class Figure:
    """A value for each round and engine, seconds unless `unit` says otherwise."""

    name: str
    sqlite: tuple[float, ...]
    postgresql: tuple[float, ...]
    unit: str = ""

    @property
    def ratio(self) -> float:
        return median(self.postgresql) / median(self.sqlite)

    @property
    def least_ratio(self) -> float:
        """Ratio of the fastest rounds, the ones with the least interference."""
        return min(self.postgresql) / min(self.sqlite)


@dataclass(frozen=True, slots=True)
class Report:
    repository: str
    revision: str
    cores: int
    load_before: float
    load_after: float
    work: dict[str, int]
    figures: list[Figure]
    notes: list[str]
    differences: list[str]


def main() -> None:
    options = _options()
    if not HAS_POSTGRESQL:
        print("PostgreSQL is not installed, so there is nothing to compare (Debian: apt-get install postgresql)")
        sys.exit(WITHOUT_SERVER)
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as scratch:
        tree = Path(scratch) / "tree"
        copies.copy(options.repo, tree)
        (tree / ".clew").mkdir(exist_ok=True)  # marks the root, whatever lies above the copy
        with sides.both(tree, Path(scratch)) as pair:
            report = _report(options.repo, pair, options.rounds)
    print(json.dumps(asdict(report), indent=2) if options.json else _table(report))
    sys.exit(1 if report.differences else 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.store", description=__doc__)
    parser.add_argument("--repo", type=Path, default=HERE, help="A checkout; it is copied, never touched.")
    parser.add_argument("--rounds", type=int, default=3, help="Repeat what takes seconds this often.")
    parser.add_argument("--json", action="store_true", help="Print JSON.")
    return parser.parse_args()


def _report(repo: Path, pair: tuple[Side, Side], count: int) -> Report:
    load = os.getloadavg()[0]
    figures = [*_feeding(pair, count), *_from_nothing(pair, count)]
    with ExitStack() as stack:
        bench = _Bench(pair, {side.name: stack.enter_context(side.open()) for side in pair})
        work = bench.work()
        figures += [*bench.sizes(), *bench.walks(), *bench.searches()]
        figures += [*bench.cold("snapshot"), *bench.updates(), *bench.cold("one file laid over")]
        figures += bench.cold("no snapshot", Side.drop_snapshots)
        differences = bench.differences()
    return Report(
        repository=str(repo.resolve()),
        revision=copies.revision(repo),
        cores=os.cpu_count() or 1,
        load_before=load,
        load_after=os.getloadavg()[0],
        work=work,
        figures=figures,
        notes=bench.notes,
        differences=differences,
    )


def _rounds(pair: tuple[Side, Side], count: int, measure: Callable[[Side, int], Seconds]) -> list[Figure]:
    """Both sides in every round, each time the other one first."""
    taken: dict[str, dict[str, list[float]]] = {}
    for number in range(count):
        for side in pair if number % 2 == 0 else reversed(pair):
            for name, seconds in measure(side, number).items():
                taken.setdefault(name, {SQLITE: [], POSTGRESQL: []})[side.name].append(seconds)
    return [Figure(name, tuple(by[SQLITE]), tuple(by[POSTGRESQL])) for name, by in taken.items()]


def _feeding(pair: tuple[Side, Side], count: int) -> list[Figure]:
    """Only what the store does of a first run: the readings are made once, before."""
    with pair[0].open() as engine:
        answers = feed.read(engine)

    def measure(side: Side, _: int) -> Seconds:
        side.clear()
        with side.open() as engine:
            load = feed.Feed(engine)
            stored = _time(load.store, answers)
            linked, settled = _time(load.link), _time(load.settle)
            load.end()
        return {
            "bulk load, the store's share": stored + linked + settled,
            "  of that, files, texts, symbols, words": stored,
            "  of that, edges": linked,
            "  of that, the snapshot": settled,
        }

    return _rounds(pair, count, measure)


def _from_nothing(pair: tuple[Side, Side], count: int) -> list[Figure]:
    def measure(side: Side, _: int) -> Seconds:
        side.clear()
        started = time.perf_counter()
        with side.open() as engine:
            opened = time.perf_counter() - started
            indexed = _time(engine.index)
        return {"bulk load, whole engine.index()": indexed, "open where nothing is, the schema made": opened}

    return _rounds(pair, count, measure)


class _Bench:
    """Both engines open on the same tree, indexed. The measurements build on each other."""

    def __init__(self, pair: tuple[Side, Side], engines: Mapping[str, Engine]) -> None:
        self._pair = pair
        self._engines = engines
        self._any = engines[SQLITE]
        self._questions = questions.of(self._any, QUESTIONS, SEED)
        self.notes: list[str] = []

    def work(self) -> dict[str, int]:
        engine, totals = self._any, self._any.files.totals()
        return {
            "files": totals.files,
            "symbols": sum(engine.nodes.counts().values()),
            "edges": sum(edges.counts(engine.corpus()).values()),
            "chunks": totals.chunks,
            **{f"rows in {side.name}": side.rows() for side in self._pair},
        }

    def sizes(self) -> list[Figure]:
        """As a load leaves them; a file's log of writes is gone once the last process closes it."""
        at_rest = {side.name: (self._engines[side.name].db.size() / MEGABYTE,) for side in self._pair}
        snapshots = {side.name: (_size(side.home / "snapshots") / MEGABYTE,) for side in self._pair}
        return [
            Figure("size of the database", at_rest[SQLITE], at_rest[POSTGRESQL], "MB"),
            Figure("size of the snapshot", snapshots[SQLITE], snapshots[POSTGRESQL], "MB"),
        ]

    def walks(self) -> list[Figure]:
        figures: list[Figure] = []
        seeds = self._seeds()
        for hops in HOPS:
            walking = f"{hops} hop{'s' if hops > 1 else ''}"
            name = f"neighbours, {walking}, p50 of {len(seeds)} seeds"
            figures += _rounds(self._pair, SHORT_ROUNDS, self._walking(name, seeds, hops))
            self.notes.append(f"{walking}: {_walked([walk(self._any, seed, hops) for seed in seeds])}")
        return figures

    def searches(self) -> list[Figure]:
        """Warm: whatever is opened or loaded at the first question has been."""
        rankers = {side.name: _Ranker(self._engines[side.name]) for side in self._pair}
        for side in self._pair:
            for text in self._questions:
                self._engines[side.name].search(Query(text, LIMIT))
                rankers[side.name].rank(text)

        def measure(side: Side, _: int) -> Seconds:
            engine, ranker = self._engines[side.name], rankers[side.name]
            whole = [_time(engine.search, Query(text, LIMIT)) for text in self._questions]
            ranked = [_time(ranker.rank, text) for text in self._questions]
            return {
                f"search, top {LIMIT}, p50 of {len(whole)} questions": percentile(whole, 0.5),
                f"search, top {LIMIT}, p95": percentile(whole, 0.95),
                "  of that, the ranking alone, p50": percentile(ranked, 0.5),
                "  of that, the ranking alone, p95": percentile(ranked, 0.95),
            }

        return _rounds(self._pair, SHORT_ROUNDS, measure)

    def cold(self, state: str, before: Callable[[Side], None] | None = None) -> list[Figure]:
        def measure(side: Side, number: int) -> Seconds:
            if before is not None:
                before(side)
            question = self._questions[number % len(self._questions)]
            command = [sys.executable, "-P", COLD, side.tree, question, str(LIMIT)]
            cost = run([str(part) for part in command], side.home, side.environ)
            parts = json.loads(cost.output)
            inner = {f"  of that, {part}, {state}": parts[part] for part in ("open", "first search")}
            return {f"cold process, {state}": cost.wall, **inner}

        return _rounds(self._pair, SHORT_ROUNDS, measure)

    def updates(self) -> list[Figure]:
        tree = self._pair[0].tree
        paths = [one.path for one in self._any.files.contents() if one.path.endswith(".py")]
        edited = tree / paths[len(paths) // 2]

        def unchanged(side: Side, _: int) -> Seconds:
            return {"engine.index(), nothing changed": _time(self._engines[side.name].index)}

        def one_file(side: Side, number: int) -> Seconds:
            _edit_once(edited, f"# edit {number}\n")
            return {"engine.index(), one file changed": _time(self._engines[side.name].index)}

        figures = _rounds(self._pair, SHORT_ROUNDS, unchanged)
        return [*figures, *_rounds(self._pair, SHORT_ROUNDS, one_file)]

    def differences(self) -> list[str]:
        """Differences between the two stores' contents and answers: hits, order, scores, reasons, texts."""
        one, other = (self._engines[side.name] for side in self._pair)
        found = views.differences(views.view(one, []), views.view(other, []))
        for text in self._questions:
            query = Query(text, LIMIT)
            if one.search(query) != other.search(query):
                found.append(f"the answers to {text!r} differ")
        return found

    def _seeds(self) -> list[str]:
        """Files with edges, evenly spread over the tree."""
        paths = [one.path for one in self._any.files.contents()]
        corpus = self._any.corpus()
        linked = [path for path in paths if edges.edges_of(corpus, path) or edges.edges_to(corpus, path)]
        return linked[:: max(1, len(linked) // SEEDS)][:SEEDS]

    def _walking(self, name: str, seeds: list[str], hops: int) -> Callable[[Side, int], Seconds]:
        def measure(side: Side, _: int) -> Seconds:
            engine = self._engines[side.name]
            return {name: median([_time(walk, engine, seed, hops) for seed in seeds])}

        return measure


class _Ranker:
    """A search up to where its hits are chosen: no text is read."""

    def __init__(self, engine: Engine) -> None:
        self._corpora = Corpora(engine.db, engine.where, engine.place.snapshots)

    def rank(self, text: str) -> list[tuple[ChunkPlace, float]]:
        corpus = self._corpora.current()
        terms = lexical.look_up(corpus, understand(text).terms)
        return best(corpus, lexical.score(corpus, terms).chunks, LIMIT)


def _time(work: Callable[P, object], *arguments: P.args, **named: P.kwargs) -> float:
    started = time.perf_counter()
    work(*arguments, **named)
    return time.perf_counter() - started


def _edit_once(file: Path, line: str) -> None:
    """Edit the file once per round, before the first contender."""
    if line not in file.read_text(encoding="utf-8"):
        with file.open("a", encoding="utf-8") as opened:
            opened.write(f"\n{line}")


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _walked(walks: list[Walk]) -> str:
    reached, asked = ([float(n) for n in numbers] for numbers in zip(*map(_extent, walks), strict=True))
    line = f"{median(reached):.0f} files reached (p50), {max(reached):.0f} at most; "
    return line + f"{2 * median(asked):.0f} queries (p50); a walk asks about {MOST_FILES} files at most"


def _extent(one: Walk) -> tuple[int, int]:
    return len(one.reached), one.asked


def _table(report: Report) -> str:
    sizes = ", ".join(f"{count:,} {name}" for name, count in report.work.items())
    same = f"{len(report.differences)} DIFFERENCES" if report.differences else "the same, to the bit"
    return "\n".join(
        [
            f"{report.repository} at {report.revision}; {report.cores} cores, "
            f"load {report.load_before:.1f} before, {report.load_after:.1f} after",
            sizes,
            "PostgreSQL on loopback, durable, its settings as installed; medians, and from least to most",
            "",
            f"{'':45}{'SQLite':>9}{'':17}{'PostgreSQL':>11}{'':17}{'':4}{'ratio':>6}{'of least':>10} rounds",
            *map(_line, report.figures),
            *(f"note: {note}" for note in report.notes),
            f"what the two hold, and all hits, their order, scores, reasons and texts: {same}",
            *(f"  {difference}" for difference in report.differences),
        ]
    )


def _line(figure: Figure) -> str:
    factor, unit = (1, figure.unit) if figure.unit else _scale(median(figure.sqlite))
    one, other = (_spread([factor * value for value in side]) for side in (figure.sqlite, figure.postgresql))
    return f"{figure.name:45}{one}{other} {unit:3}{figure.ratio:6.2f}{figure.least_ratio:10.2f} {len(figure.sqlite):6}"


def _scale(seconds: float) -> tuple[float, str]:
    return (1, "s") if seconds >= 1 else (1000, "ms")


def _spread(values: list[float]) -> str:
    least = f"({min(values):.4g} … {max(values):.4g})" if len(values) > 1 else ""
    return f"{median(values):9.4g} {least:18}"


if __name__ == "__main__":
    main()
