"""How long it takes to export and import 100,000 episodes, and whether they come back equal.

    python -m bench.exports [--episodes 100000]

From SQLite to SQLite and, where PostgreSQL is installed, to PostgreSQL and back. Rows are compared line by line.
"""

import argparse
import os
import random
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from tests.cluster import HAS_POSTGRESQL, temporary_cluster

from bench.episodes import fill, vocabulary
from clew import ground_state
from clew.engine import Engine

T = TypeVar("T")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--episodes", type=int, default=100_000)
    given = options.parse_args()
    print(f"load of the last minute: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    with tempfile.TemporaryDirectory(prefix="clew-exports-") as folder:
        here = Path(folder)
        source = _project(here / "source")
        with Engine.open(source) as engine:
            fill(engine, given.episodes, random.Random(7), vocabulary())
        first = _export("SQLite", source, here / "first.jsonl", {})
        _import("SQLite", here / "copy", first, {})
        _compare(first, _export("SQLite", here / "copy", here / "second.jsonl", {}))
        _backup(source)
        if HAS_POSTGRESQL:
            with temporary_cluster(durable=True) as cluster:
                url = {"CLEW_STORAGE_URL": cluster.url("postgres"), "CLEW_PROJECT_ID": "bench-exports"}
                _import("PostgreSQL", here / "served", first, url)
                third = _export("PostgreSQL", here / "served", here / "third.jsonl", url)
                _compare(first, third)
                _import("SQLite, from PostgreSQL", here / "back", third, {})
                _compare(first, _export("SQLite", here / "back", here / "fourth.jsonl", {}))


def _project(root: Path) -> Path:
    root.mkdir()
    (root / "a.py").write_text("def login(): ...\n", "utf-8")
    return root


def _environ(more: Mapping[str, str]) -> dict[str, str]:
    return {**{name: value for name, value in os.environ.items() if not name.startswith("CLEW_")}, **more}


def _export(name: str, root: Path, file: Path, environ: Mapping[str, str]) -> Path:
    def export() -> None:
        with file.open("wb") as out:
            ground_state.export(root, out, environ=_environ(environ))

    _timed(f"export from {name}", export)
    print(f"        {file.stat().st_size / 1e6:.1f} MB")
    return file


def _import(name: str, root: Path, file: Path, environ: Mapping[str, str]) -> None:
    _project(root)
    _timed(f"import into {name}", lambda: ground_state.import_file(root, file, environ=_environ(environ)))


def _backup(root: Path) -> None:
    made = _timed("backup, compressed and restored on trial", lambda: ground_state.back_up(root, _environ({})))
    print(f"        {made.path.stat().st_size / 1e6:.1f} MB")


def _compare(one: Path, other: Path) -> None:
    """The header has the time, the footer the checksum of all; the rows between them must be equal."""
    rows = [file.read_bytes().splitlines()[1:-1] for file in (one, other)]
    equal = sorted(rows[0]) == sorted(rows[1])
    print(f"        {len(rows[0])} rows, {'equal' if equal else 'NOT EQUAL'} to those of the first export", flush=True)


def _timed(name: str, work: Callable[[], T]) -> T:
    wall, processor = time.perf_counter(), time.process_time()
    result = work()
    took = time.perf_counter() - wall
    print(f"{name:45} {took:6.1f} s, of the processor {time.process_time() - processor:6.1f} s", flush=True)
    return result


if __name__ == "__main__":
    main()
