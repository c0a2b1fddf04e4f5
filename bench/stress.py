"""Many processes at once, then many kills, each with its verdict: `python -m bench.stress`."""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from bench import kills, together

FILES, FEW_FILES = 600, 200
MOST_SHOWN = 20  # faults that are printed; the rest are counted
QUICK_SECONDS, QUICK_KILLS = 10.0, 8


def main() -> None:
    options = _options()
    size = FEW_FILES if options.quick else FILES
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, seed {options.seed}, {size} files", flush=True)
    good = True
    with tempfile.TemporaryDirectory(prefix="clew-stress-") as scratch:
        if options.seconds:
            print(f"{options.processes} processes at once for {options.seconds:.0f} s", flush=True)
            met = together.run(Path(scratch) / "together", size, options.seconds, options.processes, options.seed)
            good = _verdict(met.wrong, together.describe(met))
        if options.kills:
            print(f"{options.kills} times kill -9 while indexing", flush=True)
            survived = kills.run(Path(scratch) / "kills", size, options.kills, options.seed)
            good = _verdict(survived.wrong, kills.describe(survived)) and good
    sys.exit(0 if good else 1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.stress", description=__doc__)
    parser.add_argument("--seconds", type=float, help="How long many processes work at once; 0: not at all.")
    parser.add_argument("--processes", type=int, default=8, help="How many.")
    parser.add_argument("--kills", type=int, help="How many index runs are killed; 0: none.")
    parser.add_argument("--seed", type=int, default=2, help="Of the repository, the edits and the moments.")
    parser.add_argument("--quick", action="store_true", help="A small repository, and little of both.")
    options = parser.parse_args()
    if options.seconds is None:
        options.seconds = QUICK_SECONDS if options.quick else 60.0
    if options.kills is None:
        options.kills = QUICK_KILLS if options.quick else 50
    return options


def _verdict(wrong: list[str], lines: Iterable[str]) -> bool:
    for line in lines:
        print(line)
    for fault in wrong[:MOST_SHOWN]:
        print(f"  wrong: {fault}")
    if len(wrong) > MOST_SHOWN:
        print(f"  and {len(wrong) - MOST_SHOWN} more")
    print(f"verdict: {f'{len(wrong)} faults' if wrong else 'good'}", flush=True)
    return not wrong


if __name__ == "__main__":
    main()
