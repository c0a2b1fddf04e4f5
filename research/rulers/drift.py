"""Whether memories say that their code moved on, exactly when it did: over real commits of a Python repository.

python -m research.rulers.drift --repo path [--commits 200] [--symbols 200]

Memories are tied to random functions and classes of an old commit. After each later commit, what Clew says of each is
compared with what Python's own parser finds in the files: the same source under the same name, other source, or none.

Renames are counted of all functions and classes that a commit takes away: those of which the same source, but for the
name, is under a new name afterwards, and under no other. What else is told to have moved is listed with --show.
"""

import argparse
import ast
import random
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

from clew.engine import Engine
from clew.memory.subjects import Drift
from clew.model.code import split_id
from clew.model.memory import Subject


@dataclass
class Renames:
    """Symbols that a commit removed, pure renames apart, with the drift that Clew reports for each."""

    plain: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)
    shown: list[str] = field(default_factory=list)

    def look(self, engine: Engine, before: "World", after: "World") -> None:
        """After a commit is indexed."""
        new = {node: source for node, source in after.source.items() if node not in before.source and source}
        at = Counter(_nameless(node, source) for node, source in new.items())
        where = {_nameless(node, source): node for node, source in new.items()}
        for node, source in before.source.items():
            if node in after.source or not source or after.at[source]:
                continue
            versions = engine.nodes.versions(*split_id(node))
            if not versions or versions[-1].current:
                continue
            said = engine.memory.code.state_of(Subject(node, versions[-1].digest))
            nameless = _nameless(node, source)
            if at[nameless] == 1 and where[nameless].rpartition("::")[2] != node.rpartition("::")[2]:
                right = said.now == where[nameless]
                told = "followed" if right else "told as elsewhere" if said.now else "told as gone"
                self.plain[told] += 1
                if not right:
                    self.shown.append(f"{node} is {where[nameless]}, told as {said.describe()}")
            else:
                self.others[said.drift] += 1
                if said.now:
                    self.shown.append(f"{node} told as {said.describe()}")

    def report(self, *, show: bool) -> None:
        print(f"  renamed and nothing else: {dict(self.plain)} of {self.plain.total()}")
        print(f"  taken away, or renamed and changed: {dict(self.others)} of {self.others.total()}")
        for line in self.shown if show else ():
            print(f"    {line}")


def _nameless(id: str, source: str) -> str:
    return re.sub(rf"\b{re.escape(id.rpartition('::')[2])}\b", "?", dedent(source))


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True, text=True).stdout


def definitions(path: Path) -> dict[str, str]:
    """The own source of each function and class by its scope, without what is defined inside of it.

    Of several of one name (overloads, setters) it is empty: which is meant, Python cannot say.
    """
    try:
        text = path.read_text("utf-8")
        tree = ast.parse(text)
    except (OSError, SyntaxError, ValueError):
        return {}
    lines = text.splitlines()
    found: dict[str, str] = {}
    for scope, node in _within(tree, ""):
        inner = {line for _, one in _within(node, "") for line in _lines(one)}
        own = "\n".join(lines[line - 1] for line in _lines(node) if line not in inner)
        found[scope] = "" if scope in found else own
    return found


def _lines(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> range:
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    return range(first, (node.end_lineno or node.lineno) + 1)


def _within(tree: ast.AST, outer: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            scope = f"{outer}::{node.name}" if outer else node.name
            yield scope, node
            yield from _within(node, scope)


class World:
    """Every definition of a checkout, by its path and scope."""

    def __init__(self, root: Path) -> None:
        files = git(root, "ls-files", "*.py").splitlines()
        self.source = {
            f"{name}::{scope}": source for name in files for scope, source in definitions(root / name).items()
        }
        self.at = Counter(self.source.values())


def truth(world: World, id: str, source: str) -> Drift | None:
    """None where there are several of the name now."""
    now = world.source.get(id)
    if now == "":
        return None
    if now is not None:
        return Drift.CURRENT if now == source else Drift.CHANGED
    return Drift.MOVED if world.at[source] else Drift.GONE


def measure(repo: Path, commits: int, symbols: int, *, show: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        subprocess.run(["git", "clone", "-q", str(repo), str(root)], check=True)
        line = git(root, "rev-list", "--first-parent", f"--max-count={commits + 1}", "HEAD").split()[::-1]
        git(root, "checkout", "-q", line[0])
        with Engine.open(root, environ={"CLEW_BOOTSTRAP_ENABLED": "false"}) as engine:
            engine.index()
            then = {name: source for name, source in World(root).source.items() if source}
            chosen = random.Random(7).sample(sorted(then), min(symbols, len(then)))
            subjects = [one for one in engine.memory.code.subjects(chosen) if one.is_known]
            print(f"{len(subjects)} of {len(chosen)} symbols of {line[0][:10]}; {len(line) - 1} commits")
            renames = Renames()
            report(follow(engine, root, line[1:], subjects, then, renames))
            renames.report(show=show)


def follow(
    engine: Engine, root: Path, line: list[str], subjects: list[Subject], then: dict[str, str], renames: Renames
) -> Counter[tuple[Drift, Drift]]:
    """How often each truth was told as what."""
    told: Counter[tuple[Drift, Drift]] = Counter()
    shown: set[tuple[str, Drift, Drift]] = set()
    before = World(root)
    for commit in line:
        git(root, "checkout", "-q", "-f", commit)
        engine.index()
        world = World(root)
        renames.look(engine, before, world)
        before = world
        for subject in subjects:
            right, said = truth(world, subject.id, then[subject.id]), engine.memory.code.state_of(subject)
            if right is None:
                continue
            told[right, said.drift] += 1
            if right != said.drift and (subject.id, right, said.drift) not in shown:
                shown.add((subject.id, right, said.drift))
                print(f"  {commit[:10]} {split_id(subject.id)[1]}: is {right}, told as {said.describe()}")
    return told


def report(told: Counter[tuple[Drift, Drift]]) -> None:
    for (right, said), n in sorted(told.items()):
        print(f"  {right:14s} told as {said:14s} {n}")
    unchanged = sum(n for (right, said), n in told.items() if (right is Drift.CURRENT) == (said is Drift.CURRENT))
    print(
        f"  flagged exactly when not as it was: {unchanged} of {told.total()} ({100 * unchanged / told.total():.3f} %)"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repo", type=Path, required=True, help="a repository of Python code, with history")
    options.add_argument("--commits", type=int, default=200)
    options.add_argument("--symbols", type=int, default=200)
    options.add_argument("--show", action="store_true", help="list what is told to have moved, to be looked at")
    given = options.parse_args()
    measure(given.repo, given.commits, given.symbols, show=given.show)


if __name__ == "__main__":
    main()
