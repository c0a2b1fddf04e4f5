"""The cost of a command: CPU over all its processes, wall time, and memory summed over them at one moment."""

import os
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

SAMPLE_SECONDS = 0.02
SHARED_SECONDS = 0.1  # between looks at what processes share, which take the system milliseconds
PROC = Path("/proc")
HAS_PROC = (PROC / "self" / "statm").exists()
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Cost:
    """`resident` is in bytes: the highest sum over the process tree, in which pages that processes share count once;
    or, without /proc, of its largest process."""

    cpu: float
    wall: float
    resident: int
    output: str


def run(command: Sequence[str | Path], where: Path, environ: Mapping[str, str]) -> Cost:
    """Run a command to its end; one that fails ends the benchmark with what it said."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.perf_counter()
        process = subprocess.Popen(command, cwd=where, env=environ, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        with _peak(process.pid) as peak:
            _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            err.seek(0)
            raise SystemExit(f"{' '.join(map(str, command))} failed: {err.read().decode('utf-8', 'replace')}")
        out.seek(0)
        output = out.read().decode("utf-8", "replace")
    return Cost(used.ru_utime + used.ru_stime, wall, peak[0] or used.ru_maxrss * 1024, output)


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of all are not above; 0 if there are none."""
    ranked = sorted(values)
    return ranked[min(int(share * len(ranked)), len(ranked) - 1)] if ranked else 0.0


@contextmanager
def _peak(pid: int) -> Iterator[list[int]]:
    """Samples a process and its descendants while the body runs; the one item is the highest sum seen."""
    highest, ended = [0], threading.Event()

    def sample() -> None:
        wait = SAMPLE_SECONDS
        while not ended.wait(wait):
            family = list(_family(pid))
            is_higher = sum(map(_resident, family)) > highest[0]
            wait = SHARED_SECONDS if is_higher and len(family) > 1 else SAMPLE_SECONDS
            if is_higher:
                highest[0] = max(highest[0], sum(map(_proportional, family)))

    sampler = threading.Thread(target=sample)
    if HAS_PROC:
        sampler.start()
    try:
        yield highest
    finally:
        ended.set()
        if HAS_PROC:
            sampler.join()


def _family(pid: int) -> Iterator[int]:
    yield pid
    for children in _read_all(PROC / str(pid) / "task"):
        for child in children.split():
            yield from _family(int(child))


def _read_all(tasks: Path) -> Iterator[str]:
    with suppress(OSError):  # it ended while we looked
        for task in tasks.iterdir():
            yield (task / "children").read_text("ascii")


def _proportional(pid: int) -> int:
    """The resident bytes, of which those shared with others count in part."""
    try:
        for line in (PROC / str(pid) / "smaps_rollup").read_text("ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except (OSError, IndexError):
        pass
    return _resident(pid)


def _resident(pid: int) -> int:
    try:
        return int((PROC / str(pid) / "statm").read_text("ascii").split()[1]) * PAGE_BYTES
    except (OSError, IndexError):
        return 0
