"""`kill -9` at random moments of indexing: what is there must be consistent each time, and whole in the end."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench import views, worlds
from bench.worlds import World
from clew.engine import Engine
from clew.store import heads

QUESTIONS = 20
TENTHS = 10
EARLIER = 0.95  # of its moment, when a run ended before it could be killed
ALL_PROCESSES = 0.7  # of the kills end the workers too; the others only the main process
MEASURE_EVERY = 10  # kills; machines are noisy, and moments are shares of a run's time
COMMITTED = 0.2  # of the edits are committed
ORPHAN_SECONDS = 10.0  # that a worker may outlive the run it worked for

NOTHING, EDITS, FULL = STARTS = ("from nothing", "after edits", "full")


@dataclass(slots=True)
class Outcome:
    """`moments` are shares of an undisturbed run of the same start; `too_late` counts runs that ended before."""

    undisturbed: dict[str, float] = field(default_factory=dict)
    moments: list[float] = field(default_factory=list)
    ways: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    too_late: int = 0
    wrong: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One run and its end: what it starts with, when it is killed, and whether its workers are killed with it."""

    start: str
    share: float
    whole: bool


def run(scratch: Path, size: int, kills: int, seed: int) -> Outcome:
    """Only the first half may start from nothing: the rest piles up on what the kills before it left."""
    world = worlds.build(scratch / "world", size, seed)
    chance, outcome = random.Random(seed), Outcome()
    for number in range(kills):
        starts = STARTS if number < kills // 2 else (EDITS, FULL)
        if number % MEASURE_EVERY == 0:
            outcome.undisturbed |= {start: _undisturbed(world, start, chance) for start in starts}
        _kill_one(world, _attempt(starts, chance), chance, outcome)
        with Engine.open(world.root) as engine:
            outcome.left[_left(engine)] += 1
        outcome.wrong += [f"after kill {number + 1}: {fault}" for fault in _faults(world, chance)]
    subprocess.run(_command(EDITS), cwd=world.root, check=True)
    outcome.wrong += _faults(world, chance)
    outcome.wrong += views.differences_from_scratch(world.root, scratch / "fresh", worlds.questions(QUESTIONS, seed))
    return outcome


def describe(outcome: Outcome) -> Iterable[str]:
    by_tenth = Counter(int(moment * TENTHS) for moment in outcome.moments)
    yield f"{len(outcome.moments):7} kills, by tenth of the run: {' '.join(str(by_tenth[n]) for n in range(TENTHS))}"
    for way, count in sorted(outcome.ways.items()):
        yield f"{count:7} {way}"
    yield f"        the index was then {', '.join(f'{left} ({count})' for left, count in sorted(outcome.left.items()))}"
    lasting = ", ".join(f"{seconds:.2f} s {start}" for start, seconds in outcome.undisturbed.items())
    yield f"        an undisturbed run takes {lasting}; {outcome.too_late} runs ended before their kill"


def _undisturbed(world: World, start: str, chance: random.Random) -> float:
    _prepare(world, start, chance)
    started = time.monotonic()
    subprocess.run(_command(start), cwd=world.root, check=True)
    return time.monotonic() - started


def _attempt(starts: Sequence[str], chance: random.Random) -> Attempt:
    return Attempt(chance.choice(starts), chance.random(), chance.random() < ALL_PROCESSES)


def _prepare(world: World, start: str, chance: random.Random) -> None:
    if start == NOTHING:
        shutil.rmtree(world.root / ".clew", ignore_errors=True)
    for number in chance.sample(range(world.size), world.size // 4 if start == EDITS else 2):
        world.edit(number, chance)
    if chance.random() < COMMITTED:
        world.commit()


def _kill_one(world: World, attempt: Attempt, chance: random.Random, outcome: Outcome) -> None:
    """Try until a run is killed; one that ended before tells how long such a run takes now."""
    _prepare(world, attempt.start, chance)
    while not _killed(world, attempt, outcome):
        outcome.too_late += 1
        attempt = replace(attempt, share=attempt.share * EARLIER)
        _prepare(world, attempt.start, chance)
    outcome.moments.append(attempt.share)
    outcome.ways[f"{attempt.start}, {'all processes' if attempt.whole else 'the main process only'}"] += 1


def _killed(world: World, attempt: Attempt, outcome: Outcome) -> bool:
    """Start a run in a process group of its own and end it; false if it ended by itself before."""
    started = time.monotonic()
    process = subprocess.Popen(
        _command(attempt.start), cwd=world.root, start_new_session=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        _, said = process.communicate(timeout=attempt.share * outcome.undisturbed[attempt.start])
    except subprocess.TimeoutExpired:
        (os.killpg if attempt.whole else os.kill)(process.pid, signal.SIGKILL)
        process.wait()
        outcome.wrong += _orphans(process.pid)
        process.communicate()  # only now: workers that live on hold the pipe open
        return process.returncode == -signal.SIGKILL
    outcome.undisturbed[attempt.start] = time.monotonic() - started
    if process.returncode:
        outcome.wrong.append(f"a run failed by itself: {said.decode('utf-8', 'replace')}")
    return False


def _orphans(group: int) -> list[str]:
    """Workers whose run is gone end by themselves; those that do not are a fault, and ended."""
    deadline = time.monotonic() + ORPHAN_SECONDS
    with suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            os.killpg(group, 0)
            time.sleep(0.01)
        os.killpg(group, signal.SIGKILL)
        return [f"workers outlived their run by {ORPHAN_SECONDS:.0f} s"]
    return []


def _faults(world: World, chance: random.Random) -> list[str]:
    with Engine.open(world.root) as engine:
        return views.faults(engine, chance.choice(worlds.WORDS))


def _left(engine: Engine) -> str:
    """How far the work that was found is."""
    state = engine.checkouts.state(engine.where)
    if not engine.files.totals().files:
        return "empty"
    if not state.linked:
        return "partly read or linked"
    head = heads.read(heads.folder(engine.place.snapshots, engine.where))
    return "whole, snapshot and all" if head.name else "without a snapshot"


def _command(start: str) -> list[str]:
    return [sys.executable, "-m", "clew", "index", "--quiet", *(["--full"] if start == FULL else [])]
