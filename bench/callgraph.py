"""Call edges against PyCG's micro-benchmark: `python -m bench.callgraph --pycg PATH`.

PATH is a clone of vitsalis/PyCG, bare or not, or a folder that has its `micro-benchmark`. Nothing of it is copied here.
Both sides are normalised alike: calls of built-ins are left out, and a call of a class is one of its `__init__`, if it
has or inherits one.
"""

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from clew.index.facts import Facts
from clew.index.modules import SourceTree
from clew.index.resolve import Resolver
from clew.index.syntax import units
from clew.index.syntax.parse import outline
from clew.languages import language_named, language_of
from clew.languages.python.extract import python_facts
from clew.model.code import EXTERNAL, SCOPE, split_id

SNIPPETS = "micro-benchmark/snippets"
REFERENCE = "scored the same way: PyCG 0.979 / 0.944, 107 exact; code-review-graph 0.955 / 0.417, 30 exact"

PATIENCE = 120  # seconds
THEIRS = """
import sys, time
sys.setrecursionlimit(100_000)
from pycg.pycg import CallGraphGenerator
from pycg.utils.constants import CALL_GRAPH_OP
start = time.process_time()
CallGraphGenerator(sys.argv[2:], sys.argv[1], -1, CALL_GRAPH_OP).analyze()
print(time.process_time() - start)
"""

Edges = set[tuple[str, str]]


@dataclass(slots=True)
class Score:
    found: int = 0
    right: int = 0
    wanted: int = 0
    exact: int = 0
    cases: int = 0
    wrong: list[str] = field(default_factory=list)

    def add(self, case: str, found: Edges, wanted: Edges) -> None:
        self.found += len(found)
        self.right += len(found & wanted)
        self.wanted += len(wanted)
        self.exact += found == wanted
        self.cases += 1
        self.wrong += [f"{case}: not there {a} -> {b}" for a, b in sorted(found - wanted)]
        self.wrong += [f"{case}: missed {a} -> {b}" for a, b in sorted(wanted - found)]

    def __str__(self) -> str:
        precision = self.right / self.found if self.found else 1.0
        recall = self.right / self.wanted if self.wanted else 1.0
        exact = f"{self.exact:3d} of {self.cases:3d} exact"
        return f"precision {precision:.3f}  recall {recall:.3f}  {exact}  ({self.right} of {self.wanted} edges)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pycg", type=Path, required=True, help="a clone of vitsalis/PyCG")
    parser.add_argument("--wrong", action="store_true", help="show every edge that differs")
    parser.add_argument("--on", type=Path, nargs="*", default=[], help="packages to time both on, side by side")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        snippets = _snippets(given.pycg, Path(scratch))
        show(snippets, wrong=given.wrong)
        for package in given.on:
            _beside(snippets.parent.parent, package.resolve())


def _beside(pycg: Path, package: Path) -> None:
    """The CPU time of both on one package; PyCG, from its clone, is given a few minutes."""
    files = sorted(package.rglob("*.py"))
    sources = {str(file.relative_to(package.parent)): file.read_bytes() for file in files}
    lines = sum(source.count(b"\n") for source in sources.values())
    start = time.process_time()
    edges(sources)
    own = time.process_time() - start
    command: list[str | Path] = [sys.executable, "-c", THEIRS, package.parent, *files]
    environ = os.environ | {"PYTHONPATH": str(pycg)}
    try:
        done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=PATIENCE)
        said = f"{float(done.stdout):.1f}" if done.returncode == 0 else f"failed ({done.stderr.strip()[-60:]})"
    except subprocess.TimeoutExpired:
        said = f"more than {PATIENCE}"
    print(f"{package.name}: {len(files)} files, {lines:,} lines; Clew {own:.2f} CPU s, PyCG {said}")


def show(snippets: Path, *, wrong: bool) -> None:
    by_category: dict[str, Score] = defaultdict(Score)
    total = Score()
    spent, lines = 0.0, 0
    for expected in sorted(snippets.glob("*/*/callgraph.json")):
        case = expected.parent
        wanted = _wanted(json.loads(expected.read_text("utf-8")))
        sources = {str(f.relative_to(case)): f.read_bytes() for f in sorted(case.rglob("*.py"))}
        lines += sum(source.count(b"\n") for source in sources.values())
        start = time.process_time()
        found = edges(sources)
        spent += time.process_time() - start
        for score in (by_category[case.parent.name], total):
            score.add(f"{case.parent.name}/{case.name}", found, wanted)
    print("builtins left out; class -> __init__ normalised")
    for category, score in sorted(by_category.items()):
        print(f"{category:14s}{score}")
    print(f"{'all':14s}{total}")
    print(REFERENCE)
    print(f"{lines} lines, {spent / max(lines, 1) * 1e6:.0f} ms of CPU per 1,000 lines")
    print("\n".join(total.wrong if wrong else ()))


def edges(sources: dict[str, bytes]) -> Edges:
    """The call edges of a small tree, by dotted names."""
    facts = {path: _facts(path, source) for path, source in sources.items()}
    world, languages = SourceTree.of(facts), {path: language_of(path) for path in facts}
    resolver = Resolver.settle(world, facts.__getitem__, languages, facts)
    found: Edges = set()
    for path, calls in resolver.calls(facts):
        for call in calls:
            targets = {dotted(target) for target, _ in call.targets if not _is_class(target, facts)}
            found |= {(dotted(f"{path}{SCOPE}{call.scope}"), target) for target in targets if target}
    return found


def dotted(symbol: str) -> str:
    """`nested/__init__.py::Card::charge` is nested.Card.charge; what is built in is nothing."""
    if symbol.startswith(EXTERNAL):
        name = symbol.removeprefix(EXTERNAL)
        return "" if name.startswith("builtins.") else name
    path, scope = split_id(symbol)
    module = path.removesuffix(".py").removesuffix("__init__").strip("/").replace("/", ".")
    return ".".join(filter(None, [module, *scope.split(SCOPE)]))


def _is_class(target: str, facts: dict[str, Facts]) -> bool:
    path, scope = split_id(target)
    return path in facts and facts[path].kinds.get(scope) == "class"


def _wanted(graph: dict[str, list[str]]) -> Edges:
    return {(caller, callee) for caller, callees in graph.items() for callee in callees if not callee.startswith("<")}


def _facts(path: str, source: bytes) -> Facts:
    language = language_named(language_of(path))
    assert language is not None
    seen = outline(language, source)
    return python_facts(units.nest_definitions(seen), seen, source)


def _snippets(given: Path, scratch: Path) -> Path:
    for folder in (given / SNIPPETS, given):
        if next(folder.glob("*/*/callgraph.json"), None):
            return folder
    packed = subprocess.run(
        ["git", f"--git-dir={given}", "archive", "HEAD", SNIPPETS, "pycg"], check=True, capture_output=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(scratch, filter="data")
    return scratch / SNIPPETS


if __name__ == "__main__":
    main()
