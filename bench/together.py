"""Many processes at once on one project: some edit and index, some ask, some write what must not be lost."""

import os
import random
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from bench import views, worlds
from bench.measure import percentile
from bench.worlds import World
from clew.engine import Engine, new_id, now
from clew.model.errors import IndexMissing
from clew.model.search import Query
from clew.store.usage import Use

QUESTIONS = 20
ROUNDS = 25  # after which a process closes the project and opens it again
MOST_EDITS = 6  # between two index runs of one process
COMMIT_EVERY = 4  # index runs of the one process that also commits
EVERYTHING = 10**9


@dataclass(frozen=True, slots=True)
class Job:
    """What one process is to do. `share` and `of` say which files are its own to edit."""

    role: str
    world: World
    log: Path
    seconds: float
    seed: int
    share: int
    of: int


@dataclass(slots=True)
class Done:
    """What one process did. `early` counts questions before there was anything to find."""

    role: str
    seconds: list[float] = field(default_factory=list)
    early: int = 0
    errors: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Outcome:
    done: list[Done]
    acknowledged: int
    wrong: list[str]


def run(scratch: Path, size: int, seconds: float, processes: int, seed: int) -> Outcome:
    """Start from a project without an index, so that its making is contended for too."""
    world = worlds.build(scratch / "world", size, seed)
    done = _at_once(_jobs(world, scratch, seconds, processes, seed))
    with Engine.open(world.root) as engine:
        runs = engine.transactions.count()
        engine.index()
        wrong = [*_reported(done), *_run_faults(engine, done, runs), *views.faults(engine, worlds.WORDS[0])]
        acknowledged = [line for log in sorted(scratch.glob("*.log")) for line in log.read_text("ascii").split()]
        wrong += _lost(engine, acknowledged)
    wrong += views.differences_from_scratch(world.root, scratch / "fresh", worlds.questions(QUESTIONS, seed))
    return Outcome(done, len(acknowledged), wrong)


def describe(outcome: Outcome) -> Iterable[str]:
    for role, title in (("index", "index runs"), ("ask", "searches"), ("write", "acknowledged writes")):
        mine = [one for one in outcome.done if one.role == role]
        taken = [1000 * seconds for one in mine for seconds in one.seconds]
        line = f"{len(taken):7} {title} by {len(mine)} processes: "
        line += f"p50 {percentile(taken, 0.5):.1f} ms, p95 {percentile(taken, 0.95):.1f} ms, "
        early = sum(one.early for one in mine)
        yield f"{line}longest {max(taken, default=0):.0f} ms" + (
            f"; {early} before anything was indexed" if early else ""
        )


def _jobs(world: World, scratch: Path, seconds: float, processes: int, seed: int) -> list[Job]:
    roles = [list(ROLES)[number % len(ROLES)] for number in range(processes)]
    seen: Counter[str] = Counter()
    jobs = []
    for number, role in enumerate(roles):
        log = scratch / f"{number}.log"
        jobs.append(Job(role, world, log, seconds, seed + number, seen[role], roles.count(role)))
        seen[role] += 1
    return jobs


def _at_once(jobs: list[Job]) -> list[Done]:
    with ProcessPoolExecutor(len(jobs), mp_context=get_context("spawn")) as pool:
        started = [(job, pool.submit(_work, job)) for job in jobs]
        return [_result(job, future) for job, future in started]


def _result(job: Job, future: "Future[Done]") -> Done:
    error = future.exception()
    return future.result() if error is None else Done(job.role, errors=[f"the process died: {error!r}"])


def _work(job: Job) -> Done:
    """One process' life: in a loop until its time is up; an error is noted, and ends it."""
    done, chance = Done(job.role), random.Random(job.seed)
    deadline = time.monotonic() + job.seconds
    try:
        while time.monotonic() < deadline:
            with Engine.open(job.world.root) as engine:
                for _ in range(ROUNDS):
                    if time.monotonic() < deadline:
                        ROLES[job.role](engine, job, chance, done)
    except Exception:  # noqa: BLE001 - whatever it is, it is what this run looks for
        done.errors.append(traceback.format_exc())
    return done


def _index(engine: Engine, job: Job, chance: random.Random, done: Done) -> None:
    for _ in range(chance.randrange(1, MOST_EDITS)):
        job.world.edit(chance.randrange(job.world.size // job.of) * job.of + job.share, chance)
    if job.share == 0 and len(done.seconds) % COMMIT_EVERY == 0:
        job.world.commit()
    started = time.monotonic()
    report = engine.index()
    done.seconds.append(time.monotonic() - started)
    done.errors += [f"{failure.path}: {failure.detail}" for failure in report.failed]


def _ask(engine: Engine, job: Job, chance: random.Random, done: Done) -> None:
    question = worlds.questions(3, chance.randrange(EVERYTHING))[chance.randrange(3)]
    started = time.monotonic()
    try:
        results = engine.search(Query(question, 10))
    except IndexMissing:
        if done.seconds:
            raise
        done.early += 1
        return
    if not results.coverage.indexed:
        done.early += 1
        return
    done.seconds.append(time.monotonic() - started)
    if any(not hit.text or not 0 < hit.score <= 1 for hit in results.hits):
        done.errors.append(f"a hit for {question!r} has no text, or a score out of range")


def _write(engine: Engine, job: Job, chance: random.Random, done: Done) -> None:
    use = Use(new_id(), now(), "stress", f"agent-{job.seed}", chance.randrange(1000), chance.randrange(1000), 1)
    started = time.monotonic()
    engine.usage.put([use])
    done.seconds.append(time.monotonic() - started)
    with job.log.open("a", encoding="ascii") as log:
        log.write(f"{use.id}\n")
        log.flush()
        os.fsync(log.fileno())


ROLES: dict[str, Callable[[Engine, Job, random.Random, Done], None]] = {"index": _index, "ask": _ask, "write": _write}


def _reported(done: list[Done]) -> list[str]:
    faults = [f"{one.role}: {error}" for one in done for error in one.errors]
    return faults + [f"{one.role}: a process did nothing" for one in done if not one.seconds]


def _run_faults(engine: Engine, done: list[Done], runs: int) -> list[str]:
    expected = sum(len(one.seconds) for one in done if one.role == "index")
    faults = [] if runs == expected else [f"{expected} index runs ended, {runs} are recorded"]
    statuses = Counter(transaction.status for transaction in engine.transactions.latest(EVERYTHING))
    return faults + [f"{count} runs are {status}" for status, count in statuses.items() if status != "completed"]


def _lost(engine: Engine, acknowledged: list[str]) -> list[str]:
    kept = {use.id for use in engine.usage.latest(EVERYTHING)}
    return [f"the acknowledged write {written} is lost" for written in acknowledged if written not in kept]
