"""Record, or compare with an earlier record: `python -m bench.golden_master CHECKOUTS INTO [--against FOLDER]`.

CHECKOUTS holds a clone of each repository in `repositories.tsv`, in a folder of the repository's name.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from bench.golden_master.cases import CASES, outlined, resolved
from bench.golden_master.compare import compare
from bench.golden_master.record import forget_settings, record
from bench.golden_master.repositories import Repository, repositories, without_commit
from bench.golden_master.rows import digest, write

HOME = Path(__file__).resolve().parents[2]
PROCESSES = 2


def main() -> None:
    given = _options()
    chosen = repositories(quick=given.quick)
    if missing := without_commit(given.checkouts, chosen):
        print("\n".join(["These commits are not there:", *missing]), file=sys.stderr)
        raise SystemExit(2)
    if given.against and not (given.against / "manifest.json").is_file():
        raise SystemExit(f"{given.against} holds no record: it has no manifest.json")
    started = time.perf_counter()
    forget_settings()
    _record(given.checkouts, given.into, chosen, given.against)
    print(f"{len(chosen)} repositories recorded in {given.into}; {time.perf_counter() - started:.0f} s")
    if given.against:
        lines, differs = compare(given.against, given.into, given.rows)
        print("\n".join(lines))
        raise SystemExit(differs)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.golden_master", description=__doc__)
    parser.add_argument("checkouts", type=Path, help="The folder of clones.")
    parser.add_argument("into", type=Path, help="The folder to record in.")
    parser.add_argument("--against", type=Path, help="An earlier record to compare with.")
    parser.add_argument("--quick", action="store_true", help="Only one small repository of each language.")
    parser.add_argument("--rows", type=int, default=10, help="Show this many rows of each difference.")
    return parser.parse_args()


def _record(checkouts: Path, into: Path, chosen: Sequence[Repository], against: Path | None) -> None:
    """Each repository is asked what the earlier record asked it: other questions could not be compared."""
    into.mkdir(parents=True, exist_ok=True)
    kept: dict[str, dict[str, str]] = {}
    with ProcessPoolExecutor(PROCESSES) as pool:
        cases = {"outlines": pool.submit(outlined), "resolver": pool.submit(resolved)}
        largest_first = sorted(chosen, key=lambda one: -one.lines)
        found = pool.map(partial(record, checkouts, into, against), largest_first)
        for repository, digests in zip(largest_first, found, strict=True):
            kept[repository.name] = digests
            print(f"{repository.name}: {digests['graph'][:12]}", flush=True)
        for name, rows in cases.items():
            kept.setdefault(CASES, {})[name] = digest(write(into / CASES / f"{name}.jsonl.gz", rows.result()))
    commits = {one.name: one.commit for one in chosen}
    manifest = {"clew": _revision(), "commits": commits, "digests": kept}
    (into / "manifest.json").write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", "utf-8")


def _revision() -> str:
    done = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=HOME, capture_output=True, text=True)
    return done.stdout.strip()


if __name__ == "__main__":
    main()
