"""Many clients on one PostgreSQL that is restarted under them, then the verdict: `python -m bench.fleet`."""

import argparse
import os
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import TypeVar

from tests.cluster import HAS_POSTGRESQL, Cluster, StopMode, temporary_cluster

from bench import together, worlds
from bench.hosts import Hosts
from bench.measure import percentile
from bench.together import ROLES, ROUNDS, Done, Job
from bench.worlds import World
from clew.engine import Engine

T = TypeVar("T")

TREES = 4
FILES, FEW_FILES = 200, 80
INDEXING_EVERY = 3  # clients of a checkout; of the others, one half asks and one half writes
MODES: tuple[StopMode, ...] = ("immediate", "fast")  # in turn; the harder one first
AWAY = (0.0, 3.0)  # seconds between a stop and the start after it
START_SECONDS = 300.0  # that all clients may need to be ready, on a small machine
MOST_SHOWN = 20  # faults that are printed; the rest are counted
WITHOUT_SERVER = 6  # the exit code of a store that cannot be had
QUICK = {"clients": 8, "seconds": 15.0, "restarts": 1}
FULL = {"clients": 32, "seconds": 60.0, "restarts": 2}


@dataclass(frozen=True, slots=True)
class Span:
    """One thing that a client did, and when: by the machine's clock, which all processes share."""

    what: str
    start: float
    end: float

    @property
    def seconds(self) -> float:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Restart:
    mode: StopMode
    down: float
    up: float


@dataclass(slots=True)
class Life:
    """What one client did. An error is noted, and the client opens the project anew and goes on."""

    done: Done
    spans: list[Span] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def main() -> None:
    options = _options()
    if not HAS_POSTGRESQL:
        print("PostgreSQL is not installed (Debian: apt-get install postgresql)")
        sys.exit(WITHOUT_SERVER)
    size = FEW_FILES if options.quick else FILES
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, seed {options.seed}", flush=True)
    print(
        f"{options.clients} clients for {options.seconds:.0f} s on {TREES} checkouts of {size} files, "
        f"one project, one PostgreSQL; {options.restarts} restarts",
        flush=True,
    )
    with tempfile.TemporaryDirectory(prefix="clew-fleet-") as scratch, temporary_cluster(durable=True) as cluster:
        trees = [worlds.build(Path(scratch) / f"tree-{n}", size, options.seed) for n in range(TREES)]
        hosts = Hosts.prepare(cluster, trees)
        jobs = _jobs(trees, Path(scratch), options.clients, options.seconds, options.seed)
        lives, restarts = _run(jobs, hosts.environ, cluster, options)
        written = [line for job in jobs if job.log.exists() for line in job.log.read_text("ascii").split()]
        runs = sum(len(life.done.seconds) for life in lives if life.done.role == "index")
        wrong = [*_reported(lives), *hosts.faults(written, runs, Path(scratch) / "fresh", options.seed)]
        _print(_describe(lives, restarts))
        _print(hosts.describe(written))
    sys.exit(0 if _verdict(wrong) else 1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.fleet", description=__doc__)
    parser.add_argument("--clients", type=int, help="How many processes.")
    parser.add_argument("--seconds", type=float, help="How long they work.")
    parser.add_argument("--restarts", type=int, help="Of the server, at random moments: crashes and stops in turn.")
    parser.add_argument("--seed", type=int, default=4, help="Of the repository, the edits and the moments.")
    parser.add_argument("--quick", action="store_true", help="8 clients, 15 s, 1 restart.")
    options = parser.parse_args()
    for name, value in (QUICK if options.quick else FULL).items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    return options


def _jobs(trees: list[World], scratch: Path, clients: int, seconds: float, seed: int) -> list[Job]:
    """Clients spread over the checkouts; those of one edit files of their own."""
    return [
        Job(
            role=_role(number),
            world=trees[number % TREES],
            log=scratch / f"{number}.log",
            seconds=seconds,
            seed=seed + number,
            share=number // TREES,
            of=-(-clients // TREES),
        )
        for number in range(clients)
    ]


def _role(number: int) -> str:
    """Every checkout has its first client to index it."""
    row = number // TREES
    return "index" if row % INDEXING_EVERY == 0 else ("ask", "write")[(number + row) % 2]


def _run(
    jobs: list[Job], environ: Mapping[str, str], cluster: Cluster, options: argparse.Namespace
) -> tuple[list[Life], list[Restart]]:
    """All begin at once, on a database without a schema, so that its making is contended for too."""
    context = get_context("spawn")
    ready = context.Barrier(len(jobs) + 1)
    with ProcessPoolExecutor(len(jobs), context, _await, (ready,)) as pool:
        lives = [pool.submit(_live, job, environ) for job in jobs]
        ready.wait(START_SECONDS)
        restarts = _restart(cluster, options.restarts, options.seconds, random.Random(options.seed))
        return [_result(job, life) for job, life in zip(jobs, lives, strict=True)], restarts


def _await(ready: Barrier) -> None:
    """A client is ready when all that it needs is imported."""
    from clew.index import pipeline  # noqa: F401 - the engine would import it at its first run
    from clew.retrieve import search  # noqa: F401 - and this at its first question

    ready.wait(START_SECONDS)


def _restart(cluster: Cluster, count: int, seconds: float, chance: random.Random) -> list[Restart]:
    """Each at a random moment of its part of the time, and not right at its end."""
    began, part, restarts = time.time(), seconds / max(count, 1), []
    for number in range(count):
        moment = began + part * (number + chance.uniform(0.15, 0.7))
        time.sleep(max(moment - time.time(), 0))
        mode, down = MODES[number % len(MODES)], time.time()
        cluster.stop(mode)
        time.sleep(chance.uniform(*AWAY))
        cluster.start()
        restarts.append(Restart(mode, down, time.time()))
    return restarts


def _result(job: Job, life: "Future[Life]") -> Life:
    error = life.exception()
    return life.result() if error is None else Life(Done(job.role), errors=[f"the process died: {error!r}"])


def _live(job: Job, environ: Mapping[str, str]) -> Life:
    life, chance = Life(Done(job.role)), random.Random(job.seed)
    deadline = time.monotonic() + job.seconds
    while time.monotonic() < deadline:
        try:
            _session(job, environ, life, chance, deadline)
        except Exception:  # noqa: BLE001 - whatever it is, it is what this run looks for
            life.errors.append(traceback.format_exc())
    return life


def _session(job: Job, environ: Mapping[str, str], life: Life, chance: random.Random, deadline: float) -> None:
    """Open the project, do a few things, close it."""
    with _noted(life, "open"):
        engine = Engine.open(job.world.root, environ=environ)
    with engine:
        for _ in range(ROUNDS):
            if time.monotonic() >= deadline:
                return
            with _noted(life, job.role):
                ROLES[job.role](engine, job, chance, life.done)


@contextmanager
def _noted(life: Life, what: str) -> Iterator[None]:
    started = time.time()
    try:
        yield
    finally:
        life.spans.append(Span(what, started, time.time()))


def _reported(lives: list[Life]) -> list[str]:
    faults = [f"a client failed: {error}" for life in lives for error in life.errors]
    faults += [f"{life.done.role}: {error}" for life in lives for error in life.done.errors]
    return faults + [f"a client that was to {life.done.role} did nothing" for life in lives if not life.done.seconds]


def _describe(lives: list[Life], restarts: list[Restart]) -> Iterable[str]:
    yield from together.describe(together.Outcome([life.done for life in lives], 0, []))
    opened = [1000 * span.seconds for life in lives for span in life.spans if span.what == "open"]
    yield (
        f"{len(opened):7} times opened: p50 {percentile(opened, 0.5):.1f} ms, p95 {percentile(opened, 0.95):.1f} ms, "
        f"longest {max(opened, default=0):.0f} ms"
    )
    for restart in restarts:
        yield f"        {restart.mode} stop: away for {restart.up - restart.down:.1f} s; {_outages(lives, restart)}"


def _outages(lives: list[Life], restart: Restart) -> str:
    """The longest that each client waited for one thing, of what it began before the server was back."""
    longest: dict[str, list[float]] = {}
    for life in lives:
        during = [span.seconds for span in life.spans if span.start < restart.up and span.end > restart.down]
        longest.setdefault(life.done.role, []).append(max(during, default=0.0))
    waits = (f"{role} {percentile(longest[role], 0.5):.1f} and {max(longest[role]):.1f} s" for role in sorted(longest))
    return f"one answer to a client took (p50 and most): {', '.join(waits)}"


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


def _verdict(wrong: list[str]) -> bool:
    for fault, count in Counter(wrong).most_common(MOST_SHOWN):
        print(f"  wrong{f' ({count} times)' if count > 1 else ''}: {fault}")
    if len(set(wrong)) > MOST_SHOWN:
        print(f"  and {len(set(wrong)) - MOST_SHOWN} more")
    print(f"verdict: {f'{len(wrong)} faults' if wrong else 'good'}", flush=True)
    return not wrong


if __name__ == "__main__":
    main()
