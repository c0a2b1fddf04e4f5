"""The cost of the trust checks: index and cold search of a checkout before and after their introduction.

    python -m bench.trust REPOSITORY [--before REVISION] [--rounds 9]

Each version works on a clone of its own, started in turn by the same Python. What else changed between the two versions
is in these figures too; so the checks themselves are timed apart, in this process.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path

from clew.engine import Engine
from clew.model.search import Query
from clew.runtime import git_process, ownership, paths
from clew.runtime.place import find_place
from clew.store.arrays import Sections, map_arrays

HERE = Path(__file__).resolve().parent
BEFORE = "288d5f5b"  # the last commit before trust in repositories was checked
QUESTION = "how is a query set turned into SQL"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--before", default=BEFORE, help="the revision of Clew to compare with; empty: none")
    parser.add_argument("--rounds", type=int, default=9)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as folder:
        versions = {"now": HERE.parent / "src"}
        if asked.before:
            versions = {"before": _source_of(asked.before, Path(folder) / "clew"), **versions}
        trees = {name: _clone(asked.repository, Path(folder) / name) for name in versions}
        for name, source in versions.items():
            seconds = _seconds(source, "-m", "clew", "-C", str(trees[name]), "index", "--quiet")
            print(f"index, {name}: {seconds:.2f} s", flush=True)
        found: dict[str, list[dict[str, float]]] = {name: [] for name in versions}
        for _ in range(asked.rounds):
            for name, source in versions.items():
                found[name].append(_cold(source, trees[name]))
        for name, rounds in found.items():
            parts = {part: statistics.median(one[part] for one in rounds) * 1000 for part in rounds[0]}
            total = sum(parts.values())
            print(f"cold search, {name}: {total:.1f} ms ({', '.join(f'{k} {v:.1f}' for k, v in parts.items())})")
        _print_checks(trees["now"])
        _print_sections(trees["now"])


def _print_checks(tree: Path) -> None:
    """Print the cost of the checks per opening of a project."""
    data = paths.user_data(os.environ)
    checks: dict[str, Callable[[], object]] = {
        "all of it: marker, git's index, special files": lambda: ownership.own_folder(tree, data),
        "the project's settings and place, with it": lambda: find_place(tree, os.environ),
        "git's own files, once before git is started": lambda: git_process._problem.__wrapped__(str(tree)),
    }
    for name, check in checks.items():
        times = []
        for _ in range(200):
            began = time.process_time()  # of the processor: other programs do not count
            check()
            times.append(time.process_time() - began)
        print(f"{name}: {statistics.median(times) * 1000:.2f} ms of processor time")


def _print_sections(tree: Path) -> None:
    """Print the cost of verifying the snapshot's sections: those that one search reads, and all."""
    place = find_place(tree, os.environ)
    (file,) = place.snapshots.glob("*/*.snapshot")
    sections = map_arrays(file)
    assert sections is not None
    with Engine.open(tree) as engine:
        engine.search(Query(QUESTION, 10))
        read = [part.postings.arrays for part in engine.corpus().parts]
    used = {name for one in read if isinstance(one, Sections) for name in one.verified_sections}
    for label, names in {"that one search reads": used, "of a snapshot": set(sections)}.items():
        size = sum(sections[name].nbytes for name in names)
        times = []
        for _ in range(20):
            began = time.process_time()
            for name in names:
                zlib.crc32(sections[name].data)
            times.append(time.process_time() - began)
        cost = f"{size / 1e6:.1f} MB, {statistics.median(times) * 1000:.1f} ms of processor time"
        print(f"{len(names)} sections {label}: {cost}")


def _source_of(revision: str, folder: Path) -> Path:
    folder.mkdir()
    packed = subprocess.run(["git", "archive", revision, "src"], cwd=HERE.parent, check=True, stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", folder], input=packed.stdout, check=True)
    return folder / "src"


def _clone(repository: Path, folder: Path) -> Path:
    subprocess.run(["git", "clone", "-q", repository, folder], check=True)
    return folder


def _environ(source: Path) -> dict[str, str]:
    given = {name: text for name, text in os.environ.items() if not name.startswith("CLEW_")}
    return {**given, "PYTHONPATH": str(source)}


def _seconds(source: Path, *arguments: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], env=_environ(source), check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def _cold(source: Path, tree: Path) -> dict[str, float]:
    command = [sys.executable, str(HERE / "cold.py"), str(tree), QUESTION, "10"]
    done = subprocess.run(command, env=_environ(source), check=True, stdout=subprocess.PIPE)
    told: dict[str, float] = json.loads(done.stdout)
    return told


if __name__ == "__main__":
    main()
