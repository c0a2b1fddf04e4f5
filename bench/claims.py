"""Many processes fight for few targets and are killed at random, then the verdict: `python -m bench.claims`."""

import argparse
import json
import os
import random
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import urlopen

import psycopg

from bench.claim_log import CONFLICT, OK, Call, faults, read
from bench.claimants import LOST, TARGETS, Claimant
from bench.measure import percentile
from clew.engine import Engine
from clew.store.claims import Claims

if TYPE_CHECKING:
    from tests.cluster import Cluster

HOME = Path(__file__).parents[1]
NAME = "fleet"
HEARTBEAT_SECONDS = 3.0  # of claimants that only servers know
START_SECONDS = 300.0  # that all may need to be ready, on a small machine
MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Fight:
    processes: int
    seconds: float
    kills: int
    seed: int


@dataclass(slots=True)
class Ring:
    """Where a fight takes place: its folder, the environment of all who take part, the servers if there are any."""

    root: Path
    logs: Path
    environ: Mapping[str, str]
    ports: tuple[int, ...] = ()
    servers: list["subprocess.Popen[bytes]"] = field(default_factory=list)
    crash: Callable[[], None] | None = None  # of the database

    @property
    def go(self) -> Path:
        return self.logs / "go"

    def close(self) -> None:
        for server in self.servers:
            _kill(server)


@dataclass(frozen=True, slots=True)
class Result:
    calls: list[Call]
    kills: int
    faults: list[str]


def fight(ring: Ring, plan: Fight) -> Result:
    """Let them fight, kill some, and judge."""
    chance = random.Random(plan.seed)
    running = [_start(ring, number, 0, plan.seed) for number in range(plan.processes)]
    lives = [0] * plan.processes
    began = _begin(ring, plan)
    moments = sorted(began + plan.seconds * chance.uniform(0.1, 0.9) for _ in range(plan.kills))
    for count, moment in enumerate(moments):
        time.sleep(max(moment - time.monotonic(), 0))
        if ring.servers and count % 4 == 3:
            _kill_a_server(ring, chance.randrange(len(ring.servers)))
            continue
        if ring.crash and count % 10 == 5:
            ring.crash()
            continue
        number = chance.randrange(plan.processes)
        _kill(running[number])
        lives[number] += 1
        running[number] = _start(ring, number, lives[number], plan.seed)
    wrong = [f"claimant {n} ended with {code}" for n, one in enumerate(running) if (code := one.wait()) != 0]
    calls = read(ring.logs)
    strange = Counter(call.error for call in calls if call.error and call.error not in LOST)
    wrong += [f"{count} times {error}" for error, count in strange.items()]
    return Result(calls, len(moments), [*wrong, *_judged(ring, calls)])


def _begin(ring: Ring, plan: Fight) -> float:
    """Once all are ready; the time is there as a whole or not at all."""
    deadline = time.monotonic() + START_SECONDS
    while len(list(ring.logs.glob("*.log"))) < plan.processes and time.monotonic() < deadline:
        time.sleep(0.05)
    began = time.monotonic()
    part = ring.go.with_suffix(".part")
    part.write_text(str(began + plan.seconds), "ascii")
    part.rename(ring.go)
    return began


def _judged(ring: Ring, calls: list[Call]) -> list[str]:
    with Engine.open(ring.root, environ=ring.environ) as engine:
        claims = Claims(engine.db, engine.where)
        return faults(calls, {claim.id: claim for claim in claims.latest(10**9)})


def _start(ring: Ring, number: int, life: int, seed: int) -> "subprocess.Popen[bytes]":
    name = f"{number}-{life}"
    log = str(ring.logs / f"{name}.log")
    seed = seed * 1000 + number * 50 + life
    me = Claimant(f"agent{number}", name, str(ring.root), log, str(ring.go), seed, ring.ports)
    command = [sys.executable, "-m", "bench.claimants", json.dumps(asdict(me))]
    return subprocess.Popen(command, cwd=HOME, env=dict(ring.environ))


def _kill(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()


def _kill_a_server(ring: Ring, number: int) -> None:
    _kill(ring.servers[number])
    ring.servers[number] = _serve(ring, ring.ports[number])


def _serve(ring: Ring, port: int) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "clew", "-C", str(ring.root), "serve", "--port", str(port)]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=HOME, env=dict(ring.environ), stdout=quiet, stderr=quiet)


@contextmanager
def file_ring(scratch: Path) -> Iterator[Ring]:
    """A project in its own file."""
    yield _ring(scratch, _plain_environ())


@contextmanager
def server_ring(scratch: Path) -> Iterator[Ring]:
    """A project on PostgreSQL, reached through two servers."""
    from tests.cluster import free_port, temporary_cluster

    with temporary_cluster(durable=True) as cluster, ExitStack() as stack:
        password = secrets.token_urlsafe()
        cluster.create_role(NAME, password)
        cluster.create_database(NAME, NAME)
        storage = {"CLEW_STORAGE_URL": cluster.url(NAME, NAME, password), "CLEW_PROJECT_ID": NAME}
        beating = {"CLEW_FLEET_HEARTBEAT_SECONDS": str(HEARTBEAT_SECONDS)}
        ring = _ring(scratch, {**_plain_environ(), **storage, **beating})
        ring.ports = (free_port(), free_port())
        ring.crash = partial(_crash, cluster)
        ring.servers = [_serve(ring, port) for port in ring.ports]
        stack.callback(ring.close)
        for port in ring.ports:
            _await(port)
        yield ring


def _crash(cluster: "Cluster") -> None:
    """Kill a session's process: the server ends all others, recovers, and goes on."""
    sessions = f"SELECT pid FROM pg_stat_activity WHERE usename = '{NAME}' ORDER BY backend_start"
    with suppress(psycopg.OperationalError):  # it has not recovered from the last time
        for (pid,) in cluster.sql(sessions)[:1]:
            os.kill(pid, signal.SIGKILL)


def _ring(scratch: Path, environ: Mapping[str, str]) -> Ring:
    root, logs = scratch / "project", scratch / "logs"
    (root / ".git").mkdir(parents=True)
    logs.mkdir()
    (root / "main.py").write_text("def main(): ...\n", "utf-8")
    with Engine.open(root, environ=environ) as engine:
        engine.index()
    return Ring(root, logs, environ)


def _plain_environ() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("CLEW_", "GIT_"))}


def _await(port: int, patience: float = 60.0) -> None:
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        try:
            with urlopen(f"http://127.0.0.1:{port}/tools", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(f"no server on port {port}")


def describe(result: Result, seconds: float) -> Iterable[str]:
    calls = result.calls
    claims = [call for call in calls if call.op == "claim"]
    won = {call.claim for call in claims if call.status == OK}
    refused, unknown = (sum(call.status == status for call in calls) for status in (CONFLICT, ""))
    taken = sum(len(call.taken_over) for call in calls)
    yield f"{len(calls):7} calls, {len(calls) / seconds:.0f} a second; {result.kills} kills"
    yield f"{len(won):7} claims held, {refused} refused, {taken} taken over"
    causes = Counter(call.error or "its claimant was killed" for call in calls if call.status == "")
    yield f"{unknown:7} calls without an answer{_counted(causes)}"
    again = [call for call in calls if call.met]
    if again:
        met = Counter(error for call in again for error in call.met)
        answered = sum(bool(call.status) for call in again)
        yield f"{len(again):7} calls made again, {answered} of them answered in the end{_counted(met)}"
    for op in ("claim", "release"):
        took = [1000 * (call.end - call.begin) for call in calls if call.op == op and call.status]
        if took:
            p50, p95 = percentile(took, 0.5), percentile(took, 0.95)
            yield f"        {op}: p50 {p50:.1f} ms, p95 {p95:.1f} ms, longest {max(took):.0f} ms"


def _counted(causes: Counter[str]) -> str:
    return f": {', '.join(f'{count} {cause}' for cause, count in causes.most_common())}" if causes else ""


def main() -> None:
    options = _options()
    plan = Fight(options.processes, options.seconds, options.kills, options.seed)
    rings = {"sqlite": file_ring, "postgres": server_ring}
    good = True
    for name in options.on or rings:
        with tempfile.TemporaryDirectory(prefix="clew-claims-") as scratch:
            told = f"{plan.processes} processes, {TARGETS} targets, {plan.seconds:.0f} s"
            print(
                f"{name}: {told}; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, seed {plan.seed}", flush=True
            )
            with rings[name](Path(scratch)) as ring:
                result = fight(ring, plan)
            good = _verdict(result, plan.seconds) and good
    sys.exit(0 if good else 1)


def _verdict(result: Result, seconds: float) -> bool:
    for line in describe(result, seconds):
        print(line)
    for fault in result.faults[:MOST_SHOWN]:
        print(f"  wrong: {fault}")
    print(f"verdict: {f'{len(result.faults)} faults' if result.faults else 'good'}", flush=True)
    return not result.faults


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.claims", description=__doc__)
    parser.add_argument("--processes", type=int, default=64, help="How many fight.")
    parser.add_argument("--seconds", type=float, default=60.0, help="How long.")
    parser.add_argument(
        "--kills",
        type=int,
        default=40,
        help="Of claimants; some of a server or of the database, if there are any.",
    )
    parser.add_argument("--seed", type=int, default=6, help="Of the wishes and the moments.")
    parser.add_argument("--on", action="append", choices=["sqlite", "postgres"], help="Only there.")
    return parser.parse_args()


if __name__ == "__main__":
    main()
