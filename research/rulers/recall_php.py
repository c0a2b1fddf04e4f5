"""Recall of PHP calls seen at run time: `python -m research.rulers.recall_php --repo PATH -- phpunit's arguments`.

Indexes a checkout, runs its tests with phpunit under xdebug's function trace, and compares the target of each written
call with the graph, as `research.rulers.recall` does for Python. `research/rulers/php/traced.php` loads classes and
reports where they are defined. The kinds are those of `research.rulers.recall`; a call that only left the tree is
`let out` if no edge of confidence 0.5 or more leads into the tree, else `wrong`. Of the edges of such confidence at
calls that led into the tree, those that lead neither to what ran nor to what it overrides are `beside`.

Left out: calls that nobody wrote (magic methods, callbacks of built-in functions, autoloading), calls of closures and
of classes without a name, doubles that a test library makes, and calls of the code that lead into tests.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import tree_sitter_php
from tree_sitter import Language, Parser, Query, QueryCursor

from clew.model.code import EXTERNAL
from clew.text.paths import is_test_path
from research.rulers.calibration import NUMBER

PREPENDED = Path(__file__).parent / "php" / "traced.php"
TRACE = (
    "mode=trace start_with_request=yes trace_format=1 use_compression=0 trace_output_name=run "
    "var_display_max_depth=0 var_display_max_children=0 var_display_max_data=0"
)
GRAMMAR = Language(tree_sitter_php.language_php())
WRITTEN = """
(function_call_expression function: [(name) (qualified_name) (relative_name)] @name) @call
(member_call_expression name: (name) @name) @call
(nullsafe_member_call_expression name: (name) @name) @call
(scoped_call_expression name: (name) @name) @call
(object_creation_expression [(name) (qualified_name)] @name @made) @call
"""
CLASSES = ("class", "interface")
GROUPS = {"wrong": ", led out", "let out": ", led out", "beside": ", edges", "to the point": ", edges"}
MAKER = "__construct"


class Site(NamedTuple):
    """A call as it is written: its name, the lines from its beginning to its name."""

    name: str
    first: int
    line: int
    made: str


class Call(NamedTuple):
    path: str
    line: int
    callee: str
    is_ours: bool


@dataclass(slots=True)
class World:
    """What was loaded, and where it is defined."""

    root: str
    classes: dict[str, dict[str, Any]]
    functions: dict[str, list[Any]]

    def place(self, callee: str) -> tuple[str, int, str] | None:
        """File, line and class of what a trace calls so; nothing of closures and doubles."""
        holder, sign, name = callee.replace("->", "::").rpartition("::")
        if not sign:
            found = self.functions.get(name.lower())
        else:
            methods = self.classes.get(holder, {}).get("methods") or {}
            found = methods.get(name) or next((at for own, at in methods.items() if own.lower() == name.lower()), None)
        return (found[0].removeprefix(self.root), found[1], found[2]) if found else None

    def above(self, name: str) -> list[str]:
        return list(self.classes.get(name, {}).get("above", ()))


@dataclass(slots=True)
class Told:
    """What the graph says, by the place of a call; and what is defined where."""

    nodes: dict[str, list[tuple[int, int, str]]] = field(default_factory=lambda: defaultdict(list))
    classes: set[str] = field(default_factory=set)
    edges: dict[tuple[str, int], list[tuple[str, float]]] = field(default_factory=lambda: defaultdict(list))
    unresolved: dict[tuple[str, int], list[str]] = field(default_factory=lambda: defaultdict(list))

    def read(self, lines: bytes) -> "Told":
        for one in map(json.loads, lines.splitlines()):
            where = (one["evidence"]["path"], one["evidence"]["line"]) if "evidence" in one else ("", 0)
            if one.get("kind") == "CALLS":
                self.edges[where].append((one["target"], one["confidence"]))
            elif one["type"] == "unresolved":
                self.unresolved[where].append(one["written"])
            elif one["type"] == "node":
                self.classes |= {one["id"]} if one["kind"] in CLASSES else set()
                self.nodes[one["path"]].append((one["first_line"], one["last_line"], one["id"]))
        return self

    def defined(self, path: str, line: int, name: str) -> set[str]:
        """What of a name has a line among its own, but for what only stands around it."""
        holding = [one for one in self.nodes.get(path, ()) if one[0] <= line <= one[1] and _own(one[2]) == name.lower()]
        return {max(holding)[2]} if holding else set()


def main() -> None:
    parser = argparse.ArgumentParser(prog="research.rulers.recall_php", description=__doc__)
    parser.add_argument("--repo", type=Path, default=Path.cwd(), help="A checkout, which gets a `.clew/`.")
    parser.add_argument("--show", default="", help="Print the calls of one kind, as `code:candidate`.")
    parser.add_argument("--kept", type=Path, help="A file with the calls of an earlier run, or to keep them in.")
    parser.add_argument("tests", nargs="*", help="What phpunit is given.")
    given = parser.parse_args()
    root = given.repo.resolve()
    clew = [sys.executable, "-P", "-m", "clew"]
    subprocess.run([*clew, "index"], cwd=root, check=True, stdout=subprocess.DEVNULL)
    graph = subprocess.run(
        [*clew, "graph", "--format", "jsonl", "--candidates"], cwd=root, check=True, capture_output=True
    )
    told = Told().read(graph.stdout)
    if given.kept and given.kept.exists():
        kept = json.loads(given.kept.read_text())
    else:
        kept = _run(root, given.tests)
        if given.kept:
            given.kept.write_text(json.dumps(kept))
    world = World(f"{root}/", **kept["world"])
    _compare(root, told, world, [Call(*one) for one in kept["calls"]], given.show)


def _run(root: Path, tests: list[str]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        trace, out = Path(folder) / "run.xt", Path(folder) / "world.json"
        os.mkfifo(trace)
        settings = [f"xdebug.{one}" for one in (*TRACE.split(), f"output_dir={folder}")]
        settings += [f"auto_prepend_file={PREPENDED}", "memory_limit=-1", "error_reporting=8191"]
        flags = [part for one in settings for part in ("-d", one)]
        where = {**os.environ, "TRACED_ROOT": str(root), "TRACED_OUT": str(out)}
        command = ["php", *flags, "/usr/bin/phpunit", *tests]
        with (
            Path(f"{folder}/log").open("w") as log,
            subprocess.Popen(command, cwd=root, env=where, stdout=log) as process,
        ):
            with trace.open(encoding="utf-8", errors="replace") as lines:
                calls = _traced(lines, f"{root}/")
            process.wait()
        print(Path(f"{folder}/log").read_text()[-600:], file=sys.stderr)
        return {"calls": sorted(calls), "world": json.loads(out.read_text())}


def _traced(lines: TextIO, root: str) -> set[Call]:
    """Each call that stands in a file of the tree, but those that built-in functions make."""
    found, is_user = set[Call](), [True] * 4096
    for line in lines:
        parts = line.split("\t", 11)
        if len(parts) < 10 or parts[2] != "0":
            continue
        level, callee, ours, path = int(parts[0]), parts[5], parts[6] == "1", parts[8]
        is_user[level % 4096] = ours
        if path.startswith(root) and path.endswith(".php") and is_user[(level - 1) % 4096] and not parts[7]:
            found.add(Call(path.removeprefix(root), int(parts[9]), callee, ours))
    return found


def _compare(root: Path, told: Told, world: World, calls: list[Call], show: str) -> None:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    sites = {path: _sites(root / path) for path in {call.path for call in calls}}
    led: dict[tuple[str, Site], set[str]] = defaultdict(set)
    for call in calls:
        for site in _written(sites[call.path], call):
            led[call.path, site].add(call.callee)
    for (path, site), callees in sorted(led.items()):
        part = "tests" if is_test_path(path) else "code"
        for kind, target in _kinds(told, world, path, site, callees):
            if kind == "":
                continue
            counts[f"{part}{GROUPS.get(kind, '')}"][kind] += 1
            if show == f"{part}:{kind}":
                text = (root / path).read_text(errors="replace").splitlines()[site.line - 1].strip()
                print(f"{path}:{site.line}: {text} -> {target}")
    for part, found in sorted(counts.items()):
        every = max(found.total(), 1)
        shares = ", ".join(f"{kind} {count:,} ({count / every:.1%})" for kind, count in found.most_common())
        print(f"{root.name}, {part}: {found.total():,}: {shares}")


def _sites(path: Path) -> dict[int, list[Site]]:
    source, found = path.read_bytes(), defaultdict[int, list[Site]](list)
    tree = Parser(GRAMMAR).parse(source)
    for _, captures in QueryCursor(Query(GRAMMAR, WRITTEN)).matches(tree.root_node):
        (whole,), (name,) = captures["call"], captures["name"]
        first, line = (source.count(b"\n", 0, node.start_byte) + 1 for node in (whole, name))
        text = source[name.start_byte : name.end_byte].decode(errors="replace").rpartition("\\")[2]
        site = Site(MAKER, first, first, text) if "made" in captures else Site(text, first, line, "")
        found[site.line].append(site)
    return found


def _written(sites: dict[int, list[Site]], call: Call) -> list[Site]:
    name = call.callee.replace("->", "::").rpartition("::")[2].rpartition("\\")[2].lower()
    return [site for site in dict.fromkeys(sites.get(call.line, ())) if site.name.lower() == name]


def _kinds(told: Told, world: World, path: str, site: Site, callees: set[str]) -> list[tuple[str, str]]:
    edges = [
        edge
        for line in range(site.first, site.line + 1)
        for edge in told.edges[path, line]
        if _named(told, edge[0], site)
    ]
    inner, is_double = [], False
    for callee in sorted(callees):
        at = world.place(callee)
        if at and at[0] and "eval()'d" in at[0]:
            is_double = True
        elif at and at[0] and not at[0].startswith("/"):
            inner.append((callee, at))
        elif at is None and "::" in callee.replace("->", "::"):
            is_double = True
    if not inner:
        outer = told.classes | {
            one for one, _ in edges if one.startswith(EXTERNAL)
        }  # a class may have others set it up
        into = [one for one, confidence in edges if confidence >= 0.5 and one not in outer]
        return [] if is_double else [("wrong" if into else "let out", " ".join(sorted(callees)))]
    found = [(_kind(told, world, path, site, at, edges), callee) for callee, at in inner]
    if is_double or not all(kind for kind, _ in found):
        return found
    right = set[str]().union(*(_fitting(told, world, at, site) for _, at in inner))
    sure = [one for one, confidence in edges if confidence >= 0.5 and not one.startswith(EXTERNAL)]
    sure = [one for one in sure if not site.made or one not in told.classes]
    return [*found, *(("to the point" if one in right else "beside", one) for one in dict.fromkeys(sure))]


def _fitting(told: Told, world: World, at: tuple[str, int, str], site: Site) -> set[str]:
    return told.defined(at[0], at[1], site.name) | _above(told, world, at, site.name)


def _named(told: Told, target: str, site: Site) -> bool:
    if site.made:
        return _own(target) == MAKER or target in told.classes or target.startswith(EXTERNAL)
    return _own(target) == site.name.lower()


def _own(target: str) -> str:
    return NUMBER.sub("", target).replace(".", "::").replace("\\", "::").rpartition("::")[2].lower()


def _kind(
    told: Told, world: World, path: str, site: Site, at: tuple[str, int, str], edges: list[tuple[str, float]]
) -> str:
    if not is_test_path(path) and is_test_path(at[0]):
        return ""
    wanted = told.defined(at[0], at[1], site.name)
    if not wanted:
        return ""
    above, heirs = _above(told, world, at, site.name), _makers(told, world, at[2]) if site.made else set()
    best = max((confidence for one, confidence in edges if one in wanted | heirs), default=0.0)
    if best >= 0.5:
        return "right"
    if any(one in above and confidence >= 0.5 for one, confidence in edges):
        return "overridden"
    if best or any(one in above for one, _ in edges):
        return "candidate"
    written = [one for line in range(site.first, site.line + 1) for one in told.unresolved[path, line]]
    if any(one.endswith(site.made or site.name) for one in written):
        return "unresolved"
    if any(one.startswith(EXTERNAL) for one, _ in edges):
        return "outside"
    if any(confidence >= 0.5 for _, confidence in edges):
        return "elsewhere"
    return "unresolved" if edges else "absent"


def _above(told: Told, world: World, at: tuple[str, int, str], name: str) -> set[str]:
    found = set[str]()
    for holder in world.above(at[2]):
        method = world.place(f"{holder}::{name}")
        if method:
            found |= told.defined(method[0], method[1], name)
    return found


def _makers(told: Told, world: World, holder: str) -> set[str]:
    """The classes whose constructor is that of a class: itself, and those that inherit it."""
    found = set[str]()
    for name, known in world.classes.items():
        if name == holder or holder in known["above"]:
            made = (known["methods"] or {}).get(MAKER)
            if made and made[2] == holder:
                path, line = known["at"]
                found |= told.defined(path.removeprefix(world.root), line, name.rpartition("\\")[2])
    return found


if __name__ == "__main__":
    main()
