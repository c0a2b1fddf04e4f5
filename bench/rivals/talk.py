"""How another tool is asked: it indexes a folder, then answers a question per line. Runs in the tool's environment.

Needs nothing but the standard library. A line comes in, `{"query": …, "limit": …}`; a line goes out, the best places
first, each a path with its first and last line (0: the file as a whole), and the milliseconds. Before the first, one
line says what indexing took.
"""

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Found(NamedTuple):
    """A place that a tool answers with; without lines it is a file."""

    path: str
    first: int = 0
    last: int = 0


class Ready(NamedTuple):
    """A tool on a folder: how it is asked, where its index lies, what to say about it, and whether it heeds limits."""

    ask: Callable[[str, int], list[Found]]
    stored: tuple[Path, ...]
    note: str
    limited: bool = True


def serve(prepare: Callable[[Path, Path], Ready]) -> None:
    """Started with the folder to index, and one for what the tool keeps."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a tool prints must not come between the answers
    root, scratch = Path(sys.argv[1]), Path(sys.argv[2])
    started = time.perf_counter()
    ready = prepare(root, scratch)
    said = {
        "seconds": time.perf_counter() - started,
        "cpu": _cpu(),
        "bytes": sum(map(_size, ready.stored)),
        "note": ready.note,
        "limited": ready.limited,
    }
    _say(out.write, said)
    out.flush()
    for line in sys.stdin:
        asked = json.loads(line)
        started, cpu = time.perf_counter(), time.process_time()
        found = ready.ask(asked["query"], asked["limit"])
        took = {"ms": (time.perf_counter() - started) * 1000, "cpu_ms": (time.process_time() - cpu) * 1000}
        _say(out.write, {"found": found, **took})
        out.flush()


def _say(write: Callable[[str], object], what: object) -> None:
    write(json.dumps(what) + "\n")


def _cpu() -> float:
    """Of this process, its start included, and of those that it started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _size(place: Path) -> int:
    return sum(file.stat().st_size for file in (place, *place.rglob("*")) if file.is_file())
