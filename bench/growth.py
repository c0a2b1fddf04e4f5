"""How indexing grows with the size of a tree: `python -m bench.growth --repo PATH --svg docs/growth.svg`.

Trees of 10,000 to 1,000,000 lines, made of the files of one checkout: every n-th file for the small ones, whole copies
side by side for those that are larger than the checkout. A copy finds itself first, as a project of a monorepo would.
"""

import argparse
import json
import math
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench import limit
from bench.measure import run
from clew.engine import Engine
from clew.graph.edges import counts

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
MEGABYTE = 1_000_000
WIDTH, HEIGHT, LEFT, TOP, GAP = 320, 220, 60, 40, 60


@dataclass(frozen=True, slots=True)
class Point:
    lines: int
    files: int
    edges: int
    cpu: float
    resident: float
    size: float


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.growth", description=__doc__)
    parser.add_argument("--repo", type=Path, required=True, help="A large checkout; it is copied, never touched.")
    parser.add_argument("--svg", type=Path, help="Where to draw it.")
    options = parser.parse_args()
    work = sorted(path for path, _ in limit.work_of(options.repo).files)
    points = []
    print(f"{'lines':>10}{'files':>8}{'edges':>9}{'CPU s':>8}{'MB':>6}{'.clew MB':>10}{'CPU s / 100,000 lines':>24}")
    for size in SIZES:
        with tempfile.TemporaryDirectory(prefix="clew-growth-") as scratch:
            point = _measured(Path(scratch), options.repo, work, size)
        points.append(point)
        print(
            f"{point.lines:10,}{point.files:8,}{point.edges:9,}{point.cpu:8.1f}{point.resident:6.0f}{point.size:10.1f}"
            f"{point.cpu * 100_000 / point.lines:24.2f}",
            flush=True,
        )
    if options.svg:
        options.svg.write_text(_drawn(points), "utf-8")


def _measured(scratch: Path, repo: Path, work: list[str], size: int) -> Point:
    lines = sum(_fill(scratch, repo, work, size))
    (scratch / ".clew").mkdir()
    environ = {name: text for name, text in os.environ.items() if not name.startswith("CLEW_")}
    cost = run([Path(sys.executable).with_name("clew"), "index", "--json"], scratch, environ)
    stored = sum(file.stat().st_size for file in (scratch / ".clew").rglob("*") if file.is_file())
    with Engine.open(scratch, environ=environ) as engine:
        edges = sum(counts(engine.corpus()).values())
    files = json.loads(cost.output)["files"]
    return Point(lines, files, edges, cost.cpu, cost.resident / MEGABYTE, stored / MEGABYTE)


def _fill(target: Path, repo: Path, work: list[str], size: int) -> Iterator[int]:
    """Copy files until there are enough lines; gives those of each file."""
    counted = {path: (repo / path).read_bytes().count(b"\n") for path in work}
    whole = sum(counted.values())
    every = max(1, whole // size)
    left = size
    for copy in range(math.ceil(size / whole)):
        for path in work[::every]:
            if left <= 0:
                return
            place = target / f"part_{copy}" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(repo / path, place)
            left -= counted[path]
            yield counted[path]


def _drawn(points: list[Point]) -> str:
    panels = [
        ("CPU seconds", [point.cpu for point in points]),
        ("peak resident, MB", [point.resident for point in points]),
        ("size of .clew/, MB", [point.size for point in points]),
    ]
    width = LEFT + len(panels) * (WIDTH + GAP)
    body = "".join(
        _panel(LEFT + i * (WIDTH + GAP), title, [point.lines for point in points], values)
        for i, (title, values) in enumerate(panels)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT + 2 * TOP}" '
        f'font-family="sans-serif" font-size="11">\n<rect width="100%" height="100%" fill="white"/>\n{body}</svg>\n'
    )


def _panel(left: int, title: str, lines: list[int], values: list[float]) -> str:
    """Both axes by powers of ten: what grows evenly is a line of slope one."""
    bottom = TOP + HEIGHT
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

    def x(count: int) -> float:
        return left + (math.log10(count) - 4) / 2.05 * WIDTH

    def y(value: float) -> float:
        return bottom - (math.log10(value) - low) / (high - low) * HEIGHT

    out = [f'<text x="{left}" y="{TOP - 14}" font-size="13">{title}</text>']
    for power in range(low, high + 1):
        at = y(10.0**power)
        out.append(f'<path d="M{left} {at:.1f}h{WIDTH}" stroke="#ddd"/>')
        out.append(f'<text x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
    out += [
        f'<text x="{x(count):.1f}" y="{bottom + 16}" text-anchor="middle">{count:,} lines</text>'
        for count in (10_000, 100_000, 1_000_000)
    ]
    path = " ".join(f"{x(n):.1f},{y(v):.1f}" for n, v in zip(lines, values, strict=True))
    out.append(f'<polyline points="{path}" fill="none" stroke="#2563eb" stroke-width="2"/>')
    for n, v in zip(lines, values, strict=True):
        out.append(f'<circle cx="{x(n):.1f}" cy="{y(v):.1f}" r="3" fill="#2563eb"/>')
        out.append(f'<text x="{x(n):.1f}" y="{y(v) - 8:.1f}" text-anchor="middle">{v:.3g}</text>')
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    main()
