"""Compiler-known calls against the graph: `python -m research.rulers.compared --repo PATH CALLS`.

CALLS has a line for each call written in the checkout whose target a compiler, or a run, has reported:

    {"path": "src/a.kt", "line": 12, "name": "pay", "to": [["src/card.kt", 4, "pay"]]}

`line` is the line of the called name; `to` lists the definitions it may lead to (a path, one of its lines, its name; a
class stands for its constructors), and is empty if the call leaves the tree. The programs in `research/rulers/oracles/`
write such lines. The checkout is indexed. Each call into the tree is

- `right`: an edge of confidence 0.5 or more leads there;
- `related`: one leads to a method that overrides the target, or is overridden by it;
- `candidate`: only an edge of less confidence leads to any of them;
- `unresolved`: the graph reports it as unresolved, or has other candidates;
- `outside`: the graph reports a target outside the tree;
- `elsewhere`: the graph reports another target;
- `absent`: the graph reports nothing.

Calls that leave the tree are `let out`, or `led inside` by an edge of 0.5 or more. For the edges at all these calls the
share that is right is listed by confidence; calls of one name in one line share theirs.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from clew.model.code import EXTERNAL, SCOPE
from clew.text.paths import is_test_path
from research.rulers import told
from research.rulers.told import SURE, Edge, Told, own_name

LONGEST = 160  # of a line that is shown
NEAR = 3  # lines that a compiler's line of a call may be off
BANDS = (1.0, 0.5, 0.3, 0.15, 0.0)
MAKERS = frozenset({"constructor", "init", "__init__", "__construct", "initialize", "new", "this"})


class Call(NamedTuple):
    path: str
    line: int
    name: str
    to: tuple[tuple[str, int, str], ...]


class Verdict(NamedTuple):
    call: Call
    kind: str
    edges: tuple[tuple[float, bool], ...]  # into the tree: how sure, and whether it is right


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="research.rulers.compared", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repo", type=Path, default=Path.cwd(), help="A checkout, which gets a `.clew/`.")
    parser.add_argument(
        "--show", default="", help="Print the calls of one kind, as `code:outside`, or `tests:wrong edge`."
    )
    parser.add_argument("calls", type=Path, help="A file of calls, a line each.")
    given = parser.parse_args()
    root = given.repo.resolve()
    report(root, list(verdicts(told.of(root), read(given.calls))), given.show)


def read(path: Path) -> list[Call]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return sorted({Call(one["path"], one["line"], one["name"], tuple(sorted(map(tuple, one["to"])))) for one in lines})


def verdicts(graph: Told, calls: Iterable[Call]) -> Iterator[Verdict]:
    places: dict[tuple[str, int, str], list[Call]] = defaultdict(list)
    for call in calls:
        places[call.path, call.line, call.name].append(call)
    for group in places.values():
        yield from _in_one_place(graph, group)


def _in_one_place(graph: Told, calls: list[Call]) -> Iterator[Verdict]:
    line = _line(graph, calls[0])
    edges = [edge for edge in graph.edges.get((calls[0].path, line), ()) if _is_named(edge[0], calls[0].name)]
    into = [edge for edge in edges if not edge[0].startswith(EXTERNAL)]
    found = [(call, _wanted(graph, call)) for call in calls if call.to]
    right = set[str]().union(*(wanted for _, wanted in found))
    marked = tuple((confidence, one in right or _is_related(graph, one, right)) for one, confidence in into)
    if not found:
        is_led = any(confidence >= SURE for _, confidence in into)
        yield Verdict(calls[0], "led inside" if is_led else "let out", marked)
    elif all(wanted for _, wanted in found):
        for number, (call, wanted) in enumerate(found):
            yield Verdict(call, _kind(graph, call, line, edges, wanted), () if number else marked)


def _wanted(graph: Told, call: Call) -> set[str]:
    """What the graph calls the things that a call may lead to."""
    found = {one for at in call.to if (one := graph.defined(*at))}
    return found | {other for one in found for other in _makes(graph, one)}


def report(root: Path, found: list[Verdict], show: str = "") -> None:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    shares: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for one in found:
        part = "tests" if is_test_path(one.call.path) else "code"
        counts[part if one.call.to else f"{part}, leading out"][one.kind] += 1
        shares[part] += one.edges
        is_wrong = any(confidence >= SURE and not right for confidence, right in one.edges)
        if show == f"{part}:{one.kind}" or (is_wrong and show == f"{part}:wrong edge"):
            text = (root / one.call.path).read_text(errors="replace").splitlines()[one.call.line - 1].strip()[:LONGEST]
            led = " ".join(f"{path}:{line} {name}" for path, line, name in one.call.to)
            print(f"{one.call.path}:{one.call.line}: {text} -> {led or 'outside'}")
    for part, kinds in sorted(counts.items()):
        every = kinds.total()
        told_of = ", ".join(f"{kind} {count:,} ({count / every:.1%})" for kind, count in kinds.most_common())
        print(f"{root.name}, {part}: {every:,} calls: {told_of}")
    for part, edges in sorted(shares.items()):
        print(f"{root.name}, {part}, edges that are right: {'; '.join(_bands(edges))}")


def _bands(edges: list[tuple[float, bool]]) -> Iterator[str]:
    above = 2.0
    for least in BANDS:
        band = [right for confidence, right in edges if least <= confidence < above]
        above = least
        if band:
            yield f"from {least} {sum(band) / len(band):.3f} of {len(band):,}"


def _line(graph: Told, call: Call) -> int:
    """Where the graph knows of a call by this name, nearest to where it is said to be."""
    for off in (0, *(sign * step for step in range(1, NEAR + 1) for sign in (1, -1))):
        place = call.path, call.line + off
        written = (own_name(one) for one in graph.unresolved.get(place, ()))
        if any(one.endswith(call.name) for one in written):
            return place[1]
        if any(_is_named(one, call.name) for one, _ in graph.edges.get(place, ())):
            return place[1]
    return call.line


def _is_named(target: str, name: str) -> bool:
    own = own_name(target)
    is_maker = own in MAKERS or (own == "apply" and target.partition(SCOPE)[0].endswith(".scala"))
    return own == name or (is_maker and own_name(target.rpartition(SCOPE)[0]) == name)


def _kind(graph: Told, call: Call, line: int, edges: list[Edge], right: set[str]) -> str:
    best = max((confidence for one, confidence in edges if one in right), default=0.0)
    related = [confidence for one, confidence in edges if _is_related(graph, one, right)]
    if best >= SURE:
        return "right"
    if any(confidence >= SURE for confidence in related):
        return "related"
    if best or related:
        return "candidate"
    if any(own_name(one).endswith(call.name) for one in graph.unresolved.get((call.path, line), ())):
        return "unresolved"
    if any(one.startswith(EXTERNAL) for one, _ in edges):
        return "outside"
    if any(confidence >= SURE for _, confidence in edges):
        return "elsewhere"
    return "unresolved" if edges else "absent"


def _makes(graph: Told, target: str) -> Iterator[str]:
    """A class and its constructors are one."""
    holder, _, own = target.rpartition(SCOPE)
    if holder in graph.classes and (own in MAKERS or own_name(holder) == own_name(target)):
        yield from (holder, *graph.parts(holder))
    if target in graph.classes:
        path = target.partition(SCOPE)[0]
        names = {*MAKERS, own_name(target)}
        yield from (
            one for _, _, one in graph.nodes[path] if one.rpartition(SCOPE)[0] == target and own_name(one) in names
        )


def _is_related(graph: Told, one: str, right: set[str]) -> bool:
    holder, _, _ = one.rpartition(SCOPE)
    for other in right:
        above, _, _ = other.rpartition(SCOPE)
        if own_name(one) == own_name(other) and (_is_above(graph, above, holder) or _is_above(graph, holder, above)):
            return True
    return False


def _is_above(graph: Told, upper: str, lower: str) -> bool:
    above = {one for part in graph.parts(lower) for one in graph.above(part)} | set(graph.above(lower))
    return not above.isdisjoint({upper, *graph.parts(upper)})


if __name__ == "__main__":
    main()
