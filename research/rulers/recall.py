"""What becomes of the calls that really happen: `python -m research.rulers.recall --repo PATH -- tests`.

Indexes a checkout of Python code, runs its tests with pytest in this process, and notes where each call that is written
down really leads. Of those that lead into the tree, each pair of a call and what it called is

- `right`: an edge of confidence 0.5 or more leads there;
- `overridden`: one leads to a method that what was called overrides;
- `candidate`: only one of less confidence leads to either;
- `unresolved`: the call is said to be so, or candidates for it are others;
- `outside`: it is said to lead out of the tree;
- `elsewhere`: it is said to lead to something else;
- `absent`: nothing is said of it.

Left out: calls that the interpreter makes of itself (operators, properties, `with`), callbacks of functions in C, and
generators and coroutines, which run where they are awaited or gone through. What tests pass to the code that they test
is not followed by design: calls of the code that lead into tests are left out, too.
"""

import argparse
import ast
import dis
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from clew.model.code import EXTERNAL, SCOPE, symbol_id
from clew.text.paths import is_test_path
from research.rulers.calibration import LATER, NUMBER, run

CALLS = frozenset({"CALL", "CALL_FUNCTION_EX", "CALL_KW"})
CACHE = dis.opmap.get("CACHE", 0)
MAKERS = ("__init__", "__new__", "__call__")

Place = tuple[str, int, int, int, int]  # path, line, last line, column, last column


@dataclass(slots=True)
class Seen:
    """Which instruction of the tree called which function of it."""

    root: str
    pairs: set[tuple[CodeType, int, CodeType]] = field(default_factory=set)
    _in_c: set[int] = field(default_factory=set)

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            caller = frame.f_back
            is_ours = caller is not None and self._is_ours(frame.f_code) and self._is_ours(caller.f_code)
            if caller is not None and is_ours and id(caller) not in self._in_c:
                self.pairs.add((caller.f_code, caller.f_lasti, frame.f_code))
        elif event == "c_call":
            self._in_c.add(id(frame))
        else:
            self._in_c.discard(id(frame))

    def _is_ours(self, code: CodeType) -> bool:
        return code.co_filename.startswith(self.root) and code.co_filename.endswith(".py")

    def calls(self) -> Iterator[tuple[Place, str]]:
        for caller, at, called in self.pairs:
            while at and caller.co_code[at] == CACHE:
                at -= 2
            first, last, start, end = list(caller.co_positions())[at // 2]
            if first is None or last is None or start is None or end is None:
                continue
            is_call = dis.opname[caller.co_code[at]] in CALLS
            if is_call and not called.co_flags & LATER and "<" not in called.co_qualname.rpartition(".")[2]:
                scope = called.co_qualname.replace(".<locals>.", SCOPE).replace(".", SCOPE)
                place = caller.co_filename.removeprefix(self.root), first, last, start, end
                yield place, symbol_id(called.co_filename.removeprefix(self.root), scope)


@dataclass(slots=True)
class Told:
    """What the graph says, by the place of a call."""

    nodes: set[str] = field(default_factory=set)
    edges: dict[tuple[str, int], list[tuple[str, float]]] = field(default_factory=lambda: defaultdict(list))
    unresolved: dict[tuple[str, int], set[str]] = field(default_factory=lambda: defaultdict(set))
    bases: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def read(self, lines: bytes) -> "Told":
        for one in map(json.loads, lines.splitlines()):
            where = (one["evidence"]["path"], one["evidence"]["line"]) if "evidence" in one else ("", 0)
            if one.get("kind") == "CALLS":
                self.edges[where].append((NUMBER.sub("", one["target"]), one["confidence"]))
            elif one.get("kind") == "INHERITS":
                self.bases[one["source"]].add(one["target"])
            elif one["type"] == "unresolved":
                self.unresolved[where].add(one["written"].rpartition(".")[2])
            elif one["type"] == "node":
                self.nodes.add(NUMBER.sub("", one["id"]))
        return self

    def overridden(self, target: str) -> set[str]:
        holder, _, name = target.rpartition(SCOPE)
        found, todo = set[str](), [holder]
        while todo:
            new = self.bases.get(todo.pop(), set()) - found
            found |= new
            todo += new
        return {f"{one}{SCOPE}{name}" for one in found}


def main() -> None:
    parser = argparse.ArgumentParser(prog="research.rulers.recall", description=__doc__)
    parser.add_argument("--repo", type=Path, default=Path.cwd(), help="A checkout, which gets a `.clew/`.")
    parser.add_argument("--show", default="", help="Print the calls of one kind, as `code:outside`.")
    parser.add_argument("tests", nargs="*", help="What pytest is given.")
    given = parser.parse_args()
    root = given.repo.resolve()
    clew = [sys.executable, "-m", "clew"]
    subprocess.run([*clew, "index"], cwd=root, check=True, stdout=subprocess.DEVNULL)
    graph = subprocess.run(
        [*clew, "graph", "--format", "jsonl", "--candidates"], cwd=root, check=True, capture_output=True
    )
    told = Told().read(graph.stdout)
    seen = Seen(f"{root}/")
    run(root, given.tests, seen.note)
    counts: dict[str, Counter[str]] = {"code": Counter(), "tests": Counter()}
    for place, target in sorted(set(seen.calls())):
        part, name = "tests" if is_test_path(place[0]) else "code", _name(root, place)
        if not name or _is_left_out(target, name, part, told):
            continue
        kind = _kind(told, place, target, name)
        counts[part][kind] += 1
        if given.show == f"{part}:{kind}":
            print(f"{place[0]}:{place[1]}: {name} -> {target}")
    for part, found in counts.items():
        every = max(found.total(), 1)
        shares = ", ".join(f"{kind} {count:,} ({count / every:.1%})" for kind, count in found.most_common())
        print(f"{root.name}, {part}: {found.total():,} calls: {shares}")


def _is_left_out(target: str, name: str, part: str, told: Told) -> bool:
    own = target.rpartition(SCOPE)[2]
    is_special = re.fullmatch(r"__\w+__", own) is not None and own not in (*MAKERS, name)
    return is_special or target not in told.nodes or (part == "code" and is_test_path(target.partition(SCOPE)[0]))


def _name(root: Path, place: Place) -> str:
    """What a call is written by; "" if it is no call that has a name."""
    path, first, last, start, end = place
    lines = (root / path).read_bytes().splitlines()[first - 1 : last]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    try:
        called = ast.parse(b"(" + b"\n".join(lines) + b"\n)", mode="eval").body
    except SyntaxError:
        return ""
    called = called.func if isinstance(called, ast.Call) else called
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""


def _kind(told: Told, place: Place, target: str, name: str) -> str:
    path, first, last = place[:3]
    edges = [edge for line in range(first, last + 1) for edge in told.edges.get((path, line), ())]
    holder, _, own = target.rpartition(SCOPE)
    wanted, above = {target, holder} if own in MAKERS else {target}, told.overridden(target)
    best = max((confidence for one, confidence in edges if one in wanted), default=0.0)
    if best >= 0.5:
        return "right"
    if any(one in above and confidence >= 0.5 for one, confidence in edges):
        return "overridden"
    if best or any(one in above for one, _ in edges):
        return "candidate"
    if any(name in told.unresolved.get((path, line), ()) for line in range(first, last + 1)):
        return "unresolved"
    named = [(one, confidence) for one, confidence in edges if re.split(r"::|\.", one)[-1] == name]
    if any(one.startswith(EXTERNAL) for one, _ in named):
        return "outside"
    if any(confidence >= 0.5 for _, confidence in named or edges):
        return "elsewhere"
    return "unresolved" if edges else "absent"


if __name__ == "__main__":
    main()
