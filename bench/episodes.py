"""How long it takes to add and to recall one of 100,000 episodes, on both engines.

python -m bench.episodes [--episodes 100000] [--times 400] [--engine sqlite|postgres]

Both are timed as tools, with all that an agent's call does but for the transport; the episode is about two symbols.
Where others use the machine, the slowest calls wait for them: so beside the wall clock stand the processor time of this
process, and what one synced write of 16 KB to the same disk takes at the same moment.
"""

import argparse
import os
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from tests.cluster import HAS_POSTGRESQL, temporary_cluster

from clew.engine import Engine
from clew.model.agents import Identity
from clew.model.memory import EpisodeDraft, EpisodeType
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces

SYNCED_BYTES = 16_384
AT_ONCE = 5000
MINUTE = 60_000_000

Times = list[tuple[float, float]]  # milliseconds by the clock, and of the processor


def vocabulary() -> list[str]:
    parts = [f"{a}{b}{c}" for a in "bcdfglmnprst" for b in ("a", "e", "io", "ou") for c in "bdgklmnprstvxz"]
    return [f"{one}{other}" for one in parts[:160] for other in parts[::9]]


def words(chance: random.Random, known: Sequence[str]) -> str:
    """Few words often, many rarely, as in any language."""
    return " ".join(known[int(len(known) * chance.random() ** 3)] for _ in range(chance.randint(8, 40)))


def fill(engine: Engine, episodes: int, chance: random.Random, known: Sequence[str]) -> None:
    for start in range(0, episodes, AT_ONCE):
        with engine.db.transaction():
            for n in range(start, min(start + AT_ONCE, episodes)):
                who = Identity(f"agent-{n % 50}", f"session-{n // 40}")
                draft = EpisodeDraft(EpisodeType.OBSERVATION, words(chance, known), occurred_at=n * MINUTE)
                engine.episodes.add(f"e{n}", who, draft, (), n * MINUTE)


def timed(work: Callable[[], object]) -> tuple[float, float]:
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return (time.perf_counter() - wall) * 1000, (time.process_time() - processor) * 1000


def synced(file: int, n: int) -> None:
    os.pwrite(file, os.urandom(SYNCED_BYTES), n * SYNCED_BYTES)
    os.fdatasync(file)


def called(caller: Caller, tool: str, arguments: dict[str, object]) -> None:
    reply = answer(caller, tool, arguments)
    if not reply.ok:
        raise SystemExit(reply.body.decode())


def told(name: str, times: Times) -> None:
    (p50, p95), (cpu50, cpu95) = (np.percentile([one[n] for one in times], (50, 95)) for n in (0, 1))
    print(f"  {name:38s} p50 {p50:6.2f}  p95 {p95:6.2f} ms   of the processor p50 {cpu50:6.2f}  p95 {cpu95:6.2f} ms")


def measure(caller: Caller, times: int, chance: random.Random, known: Sequence[str], disk: Path) -> None:
    adds: Times = []
    recalls: Times = []
    writes: Times = []
    file = os.open(disk / "synced", os.O_CREAT | os.O_WRONLY)
    for n in range(times):
        about = [f"m{n % 20}.py::f{n % 7}", f"m{n % 19}.py::g"]
        add: dict[str, object] = {"type": "OBSERVATION", "content": words(chance, known), "entities": about}
        adds.append(timed(lambda add=add: called(caller, "episode_add", add)))  # type: ignore[misc]
        question: dict[str, object] = {"query": " ".join(words(chance, known).split()[:9])}
        recalls.append(timed(lambda question=question: called(caller, "episode_recall", question)))  # type: ignore[misc]
        writes.append(timed(lambda n=n: synced(file, n)))  # type: ignore[misc]
    os.close(file)
    told("episode_add, about two symbols", adds)
    told("episode_recall, nine words", recalls)
    told("a synced write of 16 KB, for comparison", writes)


def run(episodes: int, times: int, environ: dict[str, str]) -> None:
    os.environ.update(environ)
    chance, known = random.Random(7), vocabulary()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        root.mkdir()
        for n in range(20):
            text = "\n\n".join(f"def f{m}(x):\n    return x + {m}" for m in range(7))
            (root / f"m{n}.py").write_text(f"{text}\n\n\ndef g():\n    return {n}\n", "utf-8")
        workspaces = Workspaces(root)
        caller = Caller(workspaces, identity=Identity("agent", "now"))
        engine = workspaces.get()
        engine.index()
        began = time.perf_counter()
        fill(engine, episodes, chance, known)
        print(f"\n{episodes} episodes on {engine.db.dialect}, made in {time.perf_counter() - began:.0f} s", flush=True)
        question: dict[str, object] = {"query": "anything"}
        first = timed(lambda: called(caller, "episode_recall", question))[0]
        print(f"  first recall, with all of them read: {first / 1000:.2f} s")
        other = Workspaces(root)
        again = timed(lambda: called(Caller(other), "episode_recall", question))[0]
        print(f"  first recall of another process, from the copy: {again / 1000:.2f} s")
        other.close()
        measure(caller, times, chance, known, Path(folder))
        workspaces.close()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--episodes", type=int, default=100_000)
    options.add_argument("--times", type=int, default=400, help="how often each is timed")
    options.add_argument("--engine", choices=("sqlite", "postgres"), help="only this one")
    given = options.parse_args()
    print(f"load of the last minute: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    if given.engine != "postgres":
        run(given.episodes, given.times, {})
    if given.engine != "sqlite" and HAS_POSTGRESQL:
        with temporary_cluster(durable=True) as cluster:
            url = {"CLEW_STORAGE_URL": cluster.url("postgres"), "CLEW_PROJECT_ID": "bench-memory"}
            run(given.episodes, given.times, url)


if __name__ == "__main__":
    main()
