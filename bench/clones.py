"""A clone that `clew index` is measured on: what a run costs, stage by stage, and the hash of its graph."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.measure import run

CLEW = Path(sys.executable).with_name("clew")


@dataclass(frozen=True, slots=True)
class IndexRun:
    """The cost of one run of `clew index`, in seconds and bytes."""

    cpu: float
    wall: float
    resident: int
    stages: Mapping[str, float]
    read: int
    deleted: int

    def longest_stages(self) -> str:
        return ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in self.stages.items() if seconds >= 0.05)


@dataclass(frozen=True, slots=True)
class Clone:
    root: Path
    environ: Mapping[str, str]

    def index(self) -> IndexRun:
        cost = run([CLEW, "index", "--json"], self.root, self.environ)
        report = json.loads(cost.output)
        stages = {one["stage"]: one["cpu_seconds"] for one in report["stages"]}
        return IndexRun(cost.cpu, cost.wall, cost.resident, stages, report["read"], report["deleted"])

    def graph_hash(self) -> str:
        return run([CLEW, "graph", "--format", "hash", "--candidates"], self.root, self.environ).output.strip()

    def check_out(self, commit: str) -> None:
        self.git("checkout", "-q", "--force", "--detach", commit)

    def commits(self, most: int) -> list[str]:
        """The last commits of the first-parent history, the newest first."""
        return self.git("log", "--first-parent", "--format=%H", f"-{most}").split()

    def git(self, *arguments: str) -> str:
        return git(self.root, *arguments)


def clone(source: Path, root: Path, environ: Mapping[str, str]) -> Clone:
    """Without a work tree as yet."""
    git(source, "clone", "-q", "--no-checkout", "--local", ".", str(root))
    return Clone(root, environ)


def plain_environment(*, background: bool = False) -> dict[str, str]:
    """Without settings of the caller; without `background`, no process goes on that would be counted or not."""
    environ = {name: text for name, text in os.environ.items() if not name.startswith("CLEW_")}
    return environ if background else {**environ, "CLEW_BOOTSTRAP_ENABLED": "false"}


def git(where: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=where, check=True, capture_output=True, text=True).stdout
