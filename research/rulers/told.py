"""What a graph says of calls, by the place where they are written: `clew graph --format jsonl --candidates`, read."""

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from clew.model.code import EXTERNAL, SCOPE
from research.rulers.calibration import NUMBER

ABOVE = frozenset({"INHERITS", "IMPLEMENTS"})
CLASSES = frozenset({"class", "interface"})
SURE = 0.5  # an edge of less is a candidate

Place = tuple[str, int]  # path, line
Edge = tuple[str, float]  # target, confidence


@dataclass(slots=True)
class Told:
    nodes: dict[str, list[tuple[int, int, str]]] = field(default_factory=lambda: defaultdict(list))
    classes: set[str] = field(default_factory=set)
    scopes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # classes of each
    edges: dict[Place, list[Edge]] = field(default_factory=lambda: defaultdict(list))
    unresolved: dict[Place, list[str]] = field(default_factory=lambda: defaultdict(list))
    bases: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def read(self, lines: bytes) -> "Told":
        for one in map(json.loads, lines.splitlines()):
            where = (one["evidence"]["path"], one["evidence"]["line"]) if "evidence" in one else ("", 0)
            if one.get("kind") == "CALLS":
                self.edges[where].append((one["target"], one["confidence"]))
            elif one.get("kind") in ABOVE:
                self.bases[one["source"]].add(one["target"])
            elif one["type"] == "unresolved":
                self.unresolved[where].append(one["written"])
            elif one["type"] == "node":
                self.classes |= {one["id"]} if one["kind"] in CLASSES else set()
                if one["kind"] in CLASSES:
                    self.scopes[one["id"].partition(SCOPE)[2]].add(one["id"])
                self.nodes[one["path"]].append((one["first_line"], one["last_line"], one["id"]))
        return self

    def defined(self, path: str, line: int, name: str) -> str | None:
        """What of a name has a line among its own, but for what only stands around it."""
        holding = [one for one in self.nodes.get(path, ()) if one[0] <= line <= one[1] and own_name(one[2]) == name]
        return max(holding)[2] if holding else None

    def parts(self, one: str) -> set[str]:
        """The other parts of a class that is written in several files; in C# any of these may stand for all."""
        path, _, scope = one.partition(SCOPE)
        return self.scopes.get(scope, set()) - {one} if path.endswith(".cs") else set()

    def above(self, holder: str) -> Iterator[str]:
        """All that something inherits from, near first."""
        found, todo = {holder}, [holder]
        while todo:
            new = sorted(self.bases.get(todo.pop(0), set()) - found)
            found |= set(new)
            todo += new
            yield from new


def of(root: Path) -> Told:
    """Of a checkout, which gets a `.clew/`."""
    clew = [sys.executable, "-P", "-m", "clew"]
    subprocess.run([*clew, "index"], cwd=root, check=True, stdout=subprocess.DEVNULL)
    graph = [*clew, "graph", "--format", "jsonl", "--candidates"]
    return Told().read(subprocess.run(graph, cwd=root, check=True, capture_output=True).stdout)


def own_name(target: str) -> str:
    """The last part of an id, without its number; of what is outside, too."""
    plain = NUMBER.sub("", target)
    if plain.startswith(EXTERNAL):
        plain = plain.removeprefix(EXTERNAL).replace(".", SCOPE).replace("\\", SCOPE).replace("/", SCOPE)
    return plain.rpartition(SCOPE)[2]
