"""Stated confidence against what happens: `python -m research.rulers.calibration --repo PATH -- tests`.

Indexes a checkout of Python code, runs its tests with pytest in this process, and notes which function each line really
calls. An edge is looked at if its line made any call at all; it is right if that line called its target. So an edge of
a line whose other branch ran counts as wrong: the figures are a lower bound. Left out: targets that are classes (their
`__init__` counts), and generators and coroutines, which run where they are awaited or gone through, not where they are
called.
"""

import argparse
import json
import re
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from clew.model.code import EXTERNAL, SCOPE, symbol_id

LATER = 0x20 | 0x80 | 0x200  # flags of generators, coroutines, and both
BANDS = ((1.0, 1.01), (0.75, 1.0), (0.5, 0.75), (0.3, 0.5), (0.15, 0.3), (0.0, 0.15))

NUMBER = re.compile(r"#\d+")  # which definition of a name it is; Python's own name does not tell

Line = tuple[str, int]


@dataclass(slots=True)
class Seen:
    """What each line of the tree called, and the functions that do not run where they are called."""

    root: str
    calls: dict[Line, set[str]] = field(default_factory=lambda: defaultdict(set))
    later: set[str] = field(default_factory=set)
    _paths: dict[CodeType, str] = field(default_factory=dict)

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        caller = frame.f_back if event == "call" else frame
        if event not in ("call", "c_call") or caller is None:
            return
        target = self._id(frame.f_code) if event == "call" else ""
        if target and frame.f_code.co_flags & LATER:
            self.later.add(target)
        if path := self._path(caller.f_code):
            self.calls[path, caller.f_lineno].add(target)

    def _id(self, code: CodeType) -> str:
        path, scope = self._path(code), code.co_qualname.replace(".<locals>.", SCOPE).replace(".", SCOPE)
        return symbol_id(path, scope) if path else ""

    def _path(self, code: CodeType) -> str:
        found = self._paths.get(code)
        if found is None:
            name = code.co_filename
            found = self._paths[code] = name[len(self.root) :] if name.startswith(self.root) else ""
        return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="research.rulers.calibration", description=__doc__)
    parser.add_argument("--repo", type=Path, default=Path.cwd(), help="A checkout, which gets a `.clew/`.")
    parser.add_argument("tests", nargs="*", help="What pytest is given.")
    given = parser.parse_args()
    root = given.repo.resolve()
    edges, classes = _graph(root)
    seen = Seen(f"{root}/")
    run(root, given.tests, seen.note)
    print(f"{len(seen.calls):,} lines of {root.name} made calls; {sum(map(len, seen.calls.values())):,} pairs seen")
    print(f"{'stated':>12}{'mean':>8}{'edges':>9}{'happened':>10}{'share':>8}")
    looked_at = [
        (edge["confidence"], target in seen.calls[place])
        for edge in edges
        if edge["target"] not in classes and (target := NUMBER.sub("", edge["target"])) not in seen.later
        if (place := (edge["evidence"]["path"], edge["evidence"]["line"])) in seen.calls
    ]
    for low, high in BANDS:
        print(_row(f"{low:g}" if low == 1.0 else f"{low:g} - {high:g}", [e for e in looked_at if low <= e[0] < high]))
    print(_row("all >= 0.5", [e for e in looked_at if e[0] >= 0.5]))


def _row(name: str, band: list[tuple[float, bool]]) -> str:
    if not band:
        return f"{name:>12}{'-':>8}{0:9}"
    right = sum(happened for _, happened in band)
    mean = sum(stated for stated, _ in band) / len(band)
    return f"{name:>12}{mean:8.2f}{len(band):9,}{right:10,}{right / len(band):8.3f}"


def _graph(root: Path) -> tuple[list[dict[str, Any]], set[str]]:
    clew = [sys.executable, "-m", "clew"]
    subprocess.run([*clew, "index"], cwd=root, check=True, stdout=subprocess.DEVNULL)
    command = [*clew, "graph", "--format", "jsonl", "--candidates"]
    told = list(_objects(subprocess.run(command, cwd=root, check=True, capture_output=True).stdout))
    edges = [one for one in told if one.get("kind") == "CALLS" and not one["target"].startswith(EXTERNAL)]
    return edges, {one["id"] for one in told if one.get("kind") == "class"}


def _objects(lines: bytes) -> Iterator[dict[str, Any]]:
    for line in lines.splitlines():
        found = json.loads(line)
        if "kind" in found:
            yield found


def run(root: Path, tests: list[str], note: Callable[[FrameType, str, Any], None]) -> None:
    """Run tests, and note every call that they come to."""
    import pytest

    sys.path.insert(0, str(root))
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir", str(root), *tests])
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


if __name__ == "__main__":
    main()
