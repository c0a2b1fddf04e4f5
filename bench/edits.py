"""Measures the cost of small edits: `python -m bench.edits --repo PATH`.

The places to edit are chosen from the index of a clone, always the same ones, in any language that has functions. After
each edit, `clew index` runs in the clone. In a second clone with the same edits, `clew explain` is asked instead: the
first answer may be stale beyond the files that the edit affects most, the complete one is not. At the end the graph
hash is compared with that of an index made from nothing.
"""

import argparse
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from blake3 import blake3

from bench.clones import CLEW, Clone, IndexRun, clone, plain_environment
from bench.measure import run
from clew.engine import Engine
from clew.graph import rows
from clew.graph.rows import NodeRow
from clew.model.words import EdgeKind, Kind

BACK = 100  # commits
LONGEST = 60  # lines of a function that is edited
MOST_CALLERS = 20  # files that call a function that is edited
LIMIT = 600.0  # seconds that an answer may take to be complete
LOOK = 0.05
_FUNCTIONS = (Kind.FUNCTION, Kind.METHOD)
_CALL = re.compile(r"^\s+[\w.:>-]+\([^()]*\);?\s*$")  # a line that is a call and nothing else


@dataclass(frozen=True, slots=True)
class Edit:
    """`subject` is explained after it."""

    name: str
    subject: str
    apply: Callable[[Clone], None]


@dataclass(frozen=True, slots=True)
class Figures:
    edit: str
    index: IndexRun
    first: float
    complete: float


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.edits", description=__doc__)
    parser.add_argument("--repo", type=Path, required=True, help="A repository; it is cloned, never touched.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clew-edits-") as scratch:
        return 0 if measure(options.repo.resolve(), Path(scratch)).equal else 1


@dataclass(frozen=True, slots=True)
class Table:
    full: IndexRun
    rows: tuple[Figures, ...]
    equal: bool


def measure(repo: Path, scratch: Path) -> Table:
    indexed = clone(repo, scratch / "indexed", plain_environment())
    asked = clone(repo, scratch / "asked", plain_environment(background=True))
    for tree in (indexed, asked):
        tree.check_out("HEAD")
    full = indexed.index()
    asked.index()
    print(f"{repo.name}: full index {full.cpu:.1f} CPU s, {full.wall:.1f} s, {full.resident >> 20} MB", flush=True)
    measured = []
    for edit in Places(indexed).edits():
        edit.apply(indexed)
        cost = indexed.index()
        edit.apply(asked)
        first, complete = _explain(asked, edit.subject)
        measured.append(Figures(edit.name, cost, first, complete))
        _print(measured[-1], full)
    equal = _full_hash(indexed, scratch / "full") == indexed.graph_hash()
    print(f"graphs {'equal' if equal else 'DIFFER'}", flush=True)
    return Table(full, tuple(measured), equal)


def _print(one: Figures, full: IndexRun) -> None:
    cost = one.index
    print(
        f"  {one.edit:34} {cost.cpu:6.2f} CPU s ({cost.cpu / full.cpu:6.1%}) {cost.wall:6.2f} s;  "
        f"explain {one.first:6.2f} s, complete {one.complete:6.2f} s  ({cost.longest_stages()})",
        flush=True,
    )


def _explain(tree: Clone, subject: str) -> tuple[float, float]:
    """Seconds to the first answer, and to one that no linking is behind of."""
    command: list[str | Path] = [CLEW, "explain", subject, "--json"]
    started = time.monotonic()
    run(command, tree.root, tree.environ)
    first = time.monotonic() - started
    with Engine.open(tree.root, environ={**tree.environ, "CLEW_QUERY_REFRESH": "false"}) as engine:
        if engine.checkouts.state(engine.where).linked:
            return first, first
        while not engine.checkouts.state(engine.where).linked:
            if time.monotonic() - started > LIMIT:
                raise SystemExit(f"{subject}: no complete answer in {LIMIT:.0f} s")
            time.sleep(LOOK)
    run(command, tree.root, tree.environ)
    return first, time.monotonic() - started


def _full_hash(tree: Clone, root: Path) -> str:
    shutil.copytree(tree.root, root, symlinks=True, ignore=shutil.ignore_patterns(".clew"))
    other = Clone(root, tree.environ)
    other.index()
    return other.graph_hash()


@dataclass(frozen=True, slots=True)
class Function:
    """A function, its lines in its file, and the other files that call it."""

    node: NodeRow
    lines: tuple[str, ...]
    callers: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


class Places:
    """The places to edit: each in a file of its own, chosen by the hash of its id."""

    def __init__(self, tree: Clone) -> None:
        self._tree = tree
        self._used: set[str] = set()
        with Engine.open(tree.root, environ=tree.environ) as engine:
            nodes = [node for node in rows.nodes(engine.graph(), engine.files) if node.path]
            edges = [edge for edge in rows.edges(engine.graph()) if edge.confidence >= 1]
        self._nodes = {node.id: node for node in sorted(nodes, key=lambda node: _order(node.id))}
        self._names = {node.name for node in nodes}
        self._callers: dict[str, set[str]] = {}
        self._bases: list[tuple[str, str]] = []
        for edge in edges:
            source, target = self._nodes.get(edge.source), self._nodes.get(edge.target)
            if source and target and edge.kind == EdgeKind.CALLS and source.path != target.path:
                self._callers.setdefault(target.id, set()).add(source.path)
            if source and target and edge.kind == EdgeKind.INHERITS:
                self._bases.append((source.id, target.id))
        self._functions = [found for node in self._nodes.values() if (found := self._function(node))]

    def edits(self) -> Iterator[Edit]:
        some = next(iter(self._functions), None)
        if some is None:
            raise SystemExit("no function to edit was found")
        yield Edit("nothing", some.node.id, lambda tree: None)
        for choose in (self._body, self._addition, self._rename, self._removal, self._signature, self._base):
            edit = choose()
            if edit:
                yield edit
        yield from self._files()
        yield from self._switch()

    def _function(self, node: NodeRow) -> Function | None:
        """A function whose name occurs in its first line alone."""
        if node.kind not in _FUNCTIONS or not 3 <= node.last_line - node.first_line + 1 <= LONGEST:
            return None
        lines = self._lines(node.path)[node.first_line - 1 : node.last_line]
        if not lines or [n for n, line in enumerate(lines) if _word(node.name).search(line)] != [0]:
            return None
        return Function(node, tuple(lines), tuple(sorted(self._callers.get(node.id, ()))))

    def _lines(self, path: str) -> list[str]:
        return (self._tree.root / path).read_text("utf-8", "surrogateescape").split("\n")

    def _choose(self, fits: Callable[[Function], bool]) -> Function | None:
        """The first function that fits, in files that no other edit is about."""
        for one in self._functions:
            if not self._used.intersection((one.node.path, *one.callers)) and fits(one):
                self._used.update((one.node.path, *one.callers))
                return one
        return None

    def _called(self, fits: Callable[[Function], bool] = lambda one: True) -> Function | None:
        return self._choose(lambda one: 1 <= len(one.callers) <= MOST_CALLERS and fits(one))

    def _body(self) -> Edit | None:
        """A call is made twice."""
        found = self._choose(lambda one: bool(_call_lines(one)))
        if not found:
            return None
        at = found.node.first_line + _call_lines(found)[0]
        return Edit(
            "a body",
            found.node.id,
            partial(_splice, path=found.node.path, start=at, end=at, lines=[found.lines[at - found.node.first_line]]),
        )

    def _addition(self) -> Edit | None:
        """A copy of a function under a name that is nowhere else."""
        found = self._choose(lambda one: _is_alone(self._lines(one.node.path), one))
        if not found:
            return None
        node, name = found.node, self._new_name(found.node.name)
        copy = _word(node.name).sub(name, found.text).split("\n")
        subject = node.id[: len(node.id) - len(node.name)] + name
        return Edit(
            "add a function that nobody mentions",
            subject,
            partial(_splice, path=node.path, start=node.last_line, end=node.last_line, lines=["", *copy]),
        )

    def _rename(self) -> Edit | None:
        """With all its callers."""
        found = self._called(lambda one: sum(one.node.name == other.node.name for other in self._functions) == 1)
        if not found:
            return None
        node, name = found.node, self._new_name(found.node.name)

        def apply(tree: Clone) -> None:
            for path in (node.path, *found.callers):
                _write(tree, path, _word(node.name).sub(name, _read(tree, path)))

        return Edit("rename a function", node.id[: len(node.id) - len(node.name)] + name, apply)

    def _removal(self) -> Edit | None:
        found = self._called()
        if not found:
            return None
        node = found.node
        return Edit(
            "remove a function",
            found.callers[0],
            partial(_splice, path=node.path, start=node.first_line - 1, end=node.last_line, lines=[]),
        )

    def _signature(self) -> Edit | None:
        """The last parameter is gone."""
        found = self._called(lambda one: _without_last_parameter(one) != "")
        if not found:
            return None
        node, line = found.node, _without_last_parameter(found)
        return Edit(
            "change a signature",
            node.id,
            partial(_splice, path=node.path, start=node.first_line - 1, end=node.first_line, lines=[line]),
        )

    def _base(self) -> Edit | None:
        """A class inherits from another class that is a base elsewhere."""
        for heir, base in sorted(self._bases, key=lambda pair: _order("\0".join(pair))):
            one, old = self._nodes[heir], self._nodes[base]
            names = (self._nodes[other].name for _, other in self._bases if self._nodes[other].language == one.language)
            name = next((name for name in names if name not in (old.name, one.name)), "")
            line = self._lines(one.path)[one.first_line - 1]
            if name and one.path not in self._used and _word(old.name).search(line):
                self._used.add(one.path)
                changed = _word(old.name).sub(name, line)
                return Edit(
                    "change a base class",
                    one.id,
                    partial(_splice, path=one.path, start=one.first_line - 1, end=one.first_line, lines=[changed]),
                )
        return None

    def _files(self) -> Iterator[Edit]:
        """A copy of a file beside it; and without a file that others call."""
        found = self._choose(lambda one: True)
        if found:
            path = Path(found.node.path)
            added = path.with_name(f"{self._new_name(path.stem)}{path.suffix}").as_posix()
            yield Edit("add a file", added, lambda tree: _write(tree, added, _read(tree, found.node.path)))
        gone = self._called()
        if gone:
            yield Edit("delete a file", gone.callers[0], lambda tree: (tree.root / gone.node.path).unlink())

    def _switch(self) -> Iterator[Edit]:
        commits = self._tree.commits(BACK + 1)
        if len(commits) > BACK:
            there = self._tree.git("ls-tree", "-r", "--name-only", "-z", commits[BACK]).split("\0")
            paths = {one.node.path for one in self._functions}.intersection(there)
            subject = min(paths, key=_order)
            yield Edit(f"switch to a commit {BACK} back", subject, lambda tree: _switch_to(tree, commits[BACK]))

    def _new_name(self, name: str) -> str:
        return next(
            new for n in range(1, 1000) if (new := f"{name}{'_' if '_' in name else ''}anew{n}") not in self._names
        )


def _order(name: str) -> bytes:
    return blake3(name.encode("utf-8", "surrogateescape")).digest()


def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")


def _call_lines(one: Function) -> list[int]:
    """The numbers of lines that are a call, but for the first and the last line."""
    return [n for n, line in enumerate(one.lines[:-1]) if n and _CALL.match(line)]


def _is_alone(lines: Sequence[str], one: Function) -> bool:
    """Whether the lines of a function have nothing else on them, so that a copy of them is a function too."""
    after = lines[one.node.last_line : one.node.last_line + 1]
    return one.text.count("{") == one.text.count("}") and not any(
        line.strip().startswith((")", "]", ",")) for line in after
    )


def _without_last_parameter(one: Function) -> str:
    """The first line without it; empty if it has not several parameters."""
    line = one.lines[0]
    start = _word(one.node.name).search(line)
    opened = line.find("(", start.end()) if start else -1
    closed = line.find(")", opened)
    inner = line[opened + 1 : closed]
    if opened < 0 or closed < 0 or inner.count(",") < 1 or any(mark in inner for mark in "([{<\"'"):
        return ""
    return f"{line[: opened + 1]}{inner.rpartition(',')[0]}{line[closed:]}"


def _read(tree: Clone, path: str) -> str:
    return (tree.root / path).read_text("utf-8", "surrogateescape")


def _write(tree: Clone, path: str, text: str) -> None:
    (tree.root / path).write_text(text, "utf-8", "surrogateescape")


def _splice(tree: Clone, path: str, start: int, end: int, lines: Sequence[str]) -> None:
    """Other lines instead of those from `start` up to `end`, counted from 0."""
    text = _read(tree, path).split("\n")
    _write(tree, path, "\n".join([*text[:start], *lines, *text[end:]]))


def _switch_to(tree: Clone, commit: str) -> None:
    tree.check_out(commit)
    tree.git("clean", "-qfd")


if __name__ == "__main__":
    sys.exit(main())
