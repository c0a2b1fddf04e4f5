"""How long an edit takes to be seen in a watched project, and how long a question spends on looking for edits.

    python -m bench.visible [--files 3000] [--edits 30] [--others 500]

`clew watch` runs in a process of its own. Edits are awaited by an engine that looks for no changes itself, so that only
the watcher can make them visible; then again while other files change, which are written at once before each edit. The
cost of freshness is what an ordinary question reports while nothing changes, and right after an edit. Beside the clock,
the processor time of the watcher stands: other processes make it wait.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench import worlds
from bench.measure import percentile
from bench.worlds import World
from clew.engine import Engine
from clew.index import watch_state
from clew.index.watch_state import WatcherState
from clew.model.search import Query
from clew.store import heads

LIMIT = 120.0  # seconds that an edit may take
LOOK = 0.02
QUESTIONS = 50


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=3000)
    parser.add_argument("--edits", type=int, default=30)
    parser.add_argument("--others", type=int, default=500)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    print(f"load of the last minute: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="clew-visible-") as scratch:
        world = worlds.build(Path(scratch) / "world", options.files, options.seed)
        subprocess.run([sys.executable, "-m", "clew", "-C", str(world.root), "index", "--quiet"], check=True)
        still = {**os.environ, "CLEW_QUERY_REFRESH": "false"}
        with (
            Engine.open(world.root, environ=still) as looking,
            Engine.open(world.root) as asking,
            _watcher(world) as pid,
        ):
            looking.follow()
            asking.follow()
            _await_idle(looking)
            _told("an edit until it is seen", pid, [_edit(world, looking, chance) for _ in range(options.edits)])
            few = max(options.edits // 6, 1)
            _told(
                f"the same, while {options.others} others change",
                pid,
                [_edit_among(world, looking, chance, options.others) for _ in range(few)],
            )
            _await_idle(looking)
            quiet = [asking.search(Query(one, 10)).freshness for one in worlds.questions(QUESTIONS, 1)]
            _print("a question's freshness, nothing changed", [(f.sweep_ms + f.refresh_ms) / 1000 for f in quiet[5:]])
            _print("the same, of the processor", [_look(asking) for _ in range(QUESTIONS)][5:])
            _print("a question right after an edit, in all", [_ask_after_edit(world, asking) for _ in range(10)])


@contextmanager
def _watcher(world: World) -> Iterator[int]:
    process = subprocess.Popen([sys.executable, "-m", "clew", "-C", str(world.root), "watch", "--quiet"])
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait(60)


def _await_idle(engine: Engine) -> None:
    """Until the watcher has nothing to do, and nothing is linked in the background."""
    folder = heads.folder(engine.place.snapshots, engine.where)
    deadline = time.monotonic() + LIMIT * 3
    while time.monotonic() < deadline:
        state = engine.checkouts.state(engine.where)
        if watch_state.read(folder).state is WatcherState.IDLE and state.linked and not engine.runs.are_there():
            return
        time.sleep(0.2)
    raise SystemExit("the watcher does not come to rest")


def _edit(world: World, engine: Engine, chance: random.Random) -> float:
    name = f"visible_{time.time_ns()}"
    path = world.path(4 * chance.randrange(world.size // 4))
    with path.open("a", encoding="utf-8") as file:
        file.write(f"\n\ndef {name}(order):\n    return order\n")
    started = time.monotonic()
    while time.monotonic() - started < LIMIT:
        if any(name in hit.text for hit in engine.search(Query(name, 3)).hits):
            return time.monotonic() - started
        time.sleep(LOOK)
    raise SystemExit("an edit was never seen")


def _edit_among(world: World, engine: Engine, chance: random.Random, others: int) -> float:
    _await_idle(engine)
    for number in chance.sample(range(world.size), others):
        path = world.path(number)
        path.write_text(path.read_text("utf-8") + f"\n# {chance.random()}\n", "utf-8")
    return _edit(world, engine, chance)


def _ask_after_edit(world: World, engine: Engine) -> float:
    name = f"asked_{time.time_ns()}"
    with world.path(0).open("a", encoding="utf-8") as file:
        file.write(f"\n\ndef {name}(order):\n    return order\n")
    started = time.monotonic()
    results = engine.search(Query(name, 3))
    if not any(name in hit.text for hit in results.hits):
        print(f"  not in the answer, which says: {results.freshness}")
    return time.monotonic() - started


def _look(engine: Engine) -> float:
    """Seconds of the processor for a look at all files, as before each question."""
    started = time.process_time()
    engine.refresh()
    return time.process_time() - started


def _told(name: str, pid: int, seconds: list[float]) -> None:
    _print(name, seconds)
    print(f"        the watcher has used {_processor(pid):.1f} s of the processor so far", flush=True)


def _print(name: str, seconds: list[float]) -> None:
    shares = [1000 * percentile(seconds, share) for share in (0.5, 0.95)]
    print(f"{name:45} {len(seconds):4} times  p50 {shares[0]:7.1f} ms  p95 {shares[1]:7.1f} ms", flush=True)


def _processor(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
