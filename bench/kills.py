"""`kill -9` at random moments of indexing: what is there must be consistent each time, and whole in the end."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from bench import views, worlds
from bench.worlds import World
from clew.engine import Engine

QUESTIONS = 20
TENTHS = 10
LATEST = 1.1  # of an undisturbed run's time: its very end is to be hit as well
ORPHAN_SECONDS = 10.0  # that a worker may outlive the run it worked for


@dataclass(slots=True)
class Outcome:
    """`moments` are shares of an undisturbed run's time; `too_late` counts runs that ended before their kill."""

    undisturbed: float = 0.0
    moments: list[float] = field(default_factory=list)
    ways: Counter[str] = field(default_factory=Counter)
    too_late: int = 0
    wrong: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One run and its end. `start` is what the run begins with; `whole` ends its workers with it."""

    start: str
    share: float
    whole: bool


def run(scratch: Path, size: int, kills: int, seed: int) -> Outcome:
    world = worlds.build(scratch / "world", size, seed)
    chance, outcome = random.Random(seed), Outcome()
    outcome.undisturbed = _undisturbed(world)
    while len(outcome.moments) < kills:
        attempt = _attempt(chance, early=len(outcome.moments) < kills // 2)
        _prepare(world, attempt, chance)
        if _killed(world, attempt, outcome):
            outcome.moments.append(attempt.share)
            outcome.ways[f"{attempt.start}, {'all processes' if attempt.whole else 'main process only'}"] += 1
            outcome.wrong += [f"after kill {len(outcome.moments)}: {fault}" for fault in _faults(world, chance)]
        else:
            outcome.too_late += 1
    subprocess.run(_command(), cwd=world.root, check=True)
    outcome.wrong += _faults(world, chance)
    outcome.wrong += views.differences_from_scratch(world.root, scratch / "fresh", worlds.questions(QUESTIONS, seed))
    return outcome


def describe(outcome: Outcome) -> Iterable[str]:
    by_tenth = Counter(int(moment * TENTHS) for moment in outcome.moments)
    tenths = range(max(by_tenth, default=0) + 1)
    yield f"{len(outcome.moments):7} kills; an undisturbed run takes {outcome.undisturbed:.2f} s"
    yield f"        by tenth of that time: {' '.join(str(by_tenth[tenth]) for tenth in tenths)}"
    yield f"        {', '.join(f'{count} {way}' for way, count in sorted(outcome.ways.items()))}"
    yield f"        {outcome.too_late} more runs ended before their kill"


def _undisturbed(world: World) -> float:
    started = time.monotonic()
    subprocess.run(_command(), cwd=world.root, check=True)
    seconds = time.monotonic() - started
    shutil.rmtree(world.root / ".clew")
    return seconds


def _attempt(chance: random.Random, *, early: bool) -> Attempt:
    """Only early attempts may start from nothing: the later ones pile up on what the kills before them left."""
    starts = ("from nothing", "after edits", "full") if early else ("after edits", "after edits", "full")
    return Attempt(chance.choice(starts), chance.uniform(0, LATEST), chance.random() < 0.7)


def _prepare(world: World, attempt: Attempt, chance: random.Random) -> None:
    if attempt.start == "from nothing":
        shutil.rmtree(world.root / ".clew", ignore_errors=True)
    edits = chance.randrange(world.size // 2) if attempt.start == "after edits" else 2
    for number in chance.sample(range(world.size), edits):
        world.edit(number, chance)
    if chance.random() < 0.2:
        world.commit()


def _killed(world: World, attempt: Attempt, outcome: Outcome) -> bool:
    """Start a run in a process group of its own and end it; false if it ended by itself before."""
    full = ["--full"] if attempt.start == "full" else []
    process = subprocess.Popen(
        [*_command(), *full], cwd=world.root, start_new_session=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        _, said = process.communicate(timeout=attempt.share * outcome.undisturbed)
    except subprocess.TimeoutExpired:
        (os.killpg if attempt.whole else os.kill)(process.pid, signal.SIGKILL)
        process.wait()
        outcome.wrong += _orphans(process.pid)
        return process.returncode == -signal.SIGKILL
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


def _command() -> list[str]:
    return [sys.executable, "-m", "clew", "index", "--quiet"]
