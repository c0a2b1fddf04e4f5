"""What `clew index` costs commit by commit: `python -m bench.replay --repo PATH`.

A clone goes through the last commits of the first-parent history, oldest first, with `clew index` after each. CPU
seconds include worker processes and are compared with a full index of the last commit. Every few commits, and at the
end, the graph hash (with candidate edges) is compared with that of an index made from nothing.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.measure import median, percentile, run

CLEW = Path(sys.executable).with_name("clew")
MEAN, P90 = 0.05, 0.12  # the targets: shares of a full index


@dataclass(frozen=True, slots=True)
class Step:
    commit: str
    cpu: float
    wall: float
    stages: Mapping[str, float]
    read: int
    deleted: int


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.replay", description=__doc__)
    parser.add_argument("--repo", type=Path, required=True, help="A repository; it is cloned, never touched.")
    parser.add_argument("--commits", type=int, default=50)
    parser.add_argument("--check-every", type=int, default=0, help="Compare hashes after so many commits, too.")
    parser.add_argument("--json", type=Path, help="Where to write the figures.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clew-replay-") as scratch:
        return _replay(Path(scratch), options)


def _replay(scratch: Path, options: argparse.Namespace) -> int:
    environ = {name: text for name, text in os.environ.items() if not name.startswith("CLEW_")}
    environ["CLEW_BOOTSTRAP_ENABLED"] = "false"  # no process of its own that would be counted or not
    tree = scratch / "tree"
    _git(scratch, "clone", "-q", "--no-checkout", "--local", str(options.repo), str(tree))
    listed = _git(tree, "log", "--first-parent", "--format=%H", f"-{options.commits + 1}").split()
    commits = listed[::-1]
    _check_out(tree, commits[0])
    first = _index(tree, commits[0], environ)
    steps, wrong = [], 0
    for number, commit in enumerate(commits[1:], 1):
        _check_out(tree, commit)
        steps.append(_index(tree, commit, environ))
        if options.check_every and number % options.check_every == 0 and not _equals_full(scratch, tree, environ):
            wrong += 1
            print(f"differs from a full index after {commit}", flush=True)
    full = _full(scratch, tree, environ)
    equal = _hash(tree, environ) == full[1]
    wrong += not equal
    _print(options.repo.name, first, steps, full[0], equal=equal)
    if options.json:
        figures = {"full": full[0], "equal": not wrong, "steps": [(s.commit, s.cpu, dict(s.stages)) for s in steps]}
        options.json.write_text(json.dumps(figures), "utf-8")
    return int(bool(wrong))


def _print(name: str, first: Step, steps: list[Step], full: float, *, equal: bool) -> None:
    cpu = [step.cpu for step in steps]
    for step in sorted(steps, key=lambda step: -step.cpu)[:5]:
        stages = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in step.stages.items() if seconds >= 0.05)
        print(f"  {step.commit[:10]} {step.cpu:7.2f} CPU s  {step.read} read, {step.deleted} deleted  ({stages})")
    mean = sum(cpu) / len(cpu)
    print(
        f"{name}: {len(cpu)} commits; full {full:.1f} CPU s (the first {first.cpu:.1f}); mean {mean:.2f} "
        f"({mean / full:.1%}, target {MEAN:.0%}), median {median(cpu):.2f} ({median(cpu) / full:.1%}), "
        f"p90 {percentile(cpu, 0.9):.2f} ({percentile(cpu, 0.9) / full:.1%}, target {P90:.0%}); "
        f"graphs {'equal' if equal else 'DIFFER'}",
        flush=True,
    )


def _index(tree: Path, commit: str, environ: Mapping[str, str]) -> Step:
    cost = run([CLEW, "index", "--json"], tree, environ)
    told = json.loads(cost.output)
    stages = {one["stage"]: one["cpu_seconds"] for one in told["stages"]}
    return Step(commit, cost.cpu, cost.wall, stages, told["read"], told["deleted"])


def _full(scratch: Path, tree: Path, environ: Mapping[str, str]) -> tuple[float, str]:
    """The CPU seconds of an index from nothing, and its graph hash."""
    other = scratch / "full"
    shutil.rmtree(other, ignore_errors=True)
    _git(scratch, "clone", "-q", "--no-checkout", "--local", str(tree), str(other))
    _check_out(other, _git(tree, "rev-parse", "HEAD").strip())
    cost = run([CLEW, "index", "--json"], other, environ)
    return cost.cpu, _hash(other, environ)


def _equals_full(scratch: Path, tree: Path, environ: Mapping[str, str]) -> bool:
    return _full(scratch, tree, environ)[1] == _hash(tree, environ)


def _hash(tree: Path, environ: Mapping[str, str]) -> str:
    return run([CLEW, "graph", "--format", "hash", "--candidates"], tree, environ).output.strip()


def _check_out(tree: Path, commit: str) -> None:
    _git(tree, "checkout", "-q", "--force", "--detach", commit)


def _git(where: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=where, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
