"""Precision and recall of `clew diff` on refactorings that people confirmed: RefactoringMiner's oracles.

    python -m bench.refactorings ORACLE.json PLACE [--limit N] [--show]

PLACE is the oracles' folder `commits`, which has the changed files of each commit before and after it; or a folder of
clones named `owner+name/repo` or `owner+name`. Each commit of the oracle is compared with its parent.
"""

import argparse
import json
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from clew.history.differ import Difference, SymbolDelta
from clew.history.trees import ChangedFile, CommitTree, Reader, Tree, compare
from clew.index.history import git
from clew.languages import BUILT_IN
from clew.text.secrets import Scrubber

Pair = tuple[str, str, str]  # category, simple name before, simple name after
_METHOD = re.compile(r"([\w$.]+)\(")
CATEGORIES = ("rename function", "move function", "rename class", "move class", "extract function")


def expected(refactoring: dict[str, str]) -> Iterator[Pair]:
    kind, said = refactoring["type"], refactoring["description"]
    if kind in ("Rename Method", "Rename Function"):
        before, _, after = said.partition(" renamed to ")
        yield "rename function", method(before), method(after)
    elif kind in ("Move Method", "Move And Rename Method", "Pull Up Method", "Push Down Method"):
        before, _, after = said.removeprefix(kind).partition(" to ")
        names = method(before), method(after)
        yield "move function", *names
        if names[0] != names[1]:
            yield "rename function", *names
    elif kind in ("Rename Class", "Move Class", "Move And Rename Class"):
        before, after = re.split(r" (?:renamed to|moved to|moved and renamed to) ", said.removeprefix(f"{kind} "))
        first, second = (simple(name) for name in (before, after))
        if "Move" in kind:
            yield "move class", first, second
        if first != second:
            yield "rename class", first, second
    elif kind in ("Extract Method", "Extract And Move Method"):
        new, _, old = said.removeprefix(kind).partition(" extracted from ")
        yield "extract function", method(old), method(new)


def method(text: str) -> str:
    found = _METHOD.search(text)
    return found[1].rpartition(".")[2] if found else (text.split() or [""])[-1]


def simple(name: str) -> str:
    """The last name; of a Python module, that of its file."""
    name = name.strip()
    is_module = name.endswith(".__module__")
    last = name.removesuffix(".__module__").rpartition(".")[2]
    return f"{last}.py" if is_module else last


def found(difference: Difference) -> Iterator[Pair]:
    for name, word in (("renamed", "rename"), ("moved", "move")):
        for one in getattr(difference, name):
            if category := category_of(one):
                yield f"{word} {category}", last(one.origin), last(one.id)
    for one in difference.added:
        for origin in filter(None, (one.origin, *one.also_from)):
            yield "extract function", last(origin), last(one.id)


def category_of(one: SymbolDelta) -> str:
    if one.kind in ("function", "method"):
        return "function"
    is_module = one.kind == "file" and one.path.endswith(".py")
    return "class" if one.kind in ("class", "interface") or is_module else ""


def last(node_id: str) -> str:
    scope = node_id.rpartition("::")[2].partition("#")[0]
    if "::" in node_id:
        return scope.rpartition(".")[2]
    path = node_id.removesuffix("/__init__.py")
    return path.rpartition("/")[2].removesuffix(".py") + ".py"


class FilesTree:
    """Files of one side of a change, as the oracles keep them."""

    def __init__(self, folder: Path, paths: Sequence[str]) -> None:
        self._folder = folder
        self._paths = paths
        self.label = folder.name

    def contents(self, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        for path in paths:
            if (file := self._folder / path).is_file():
                yield path, file.read_bytes()

    def changed_files(self, newer: Tree) -> list[ChangedFile]:
        assert isinstance(newer, FilesTree)
        old, new = dict(self.contents(self._paths)), dict(newer.contents(newer._paths))
        paths = sorted(path for path in old.keys() | new.keys() if old.get(path) != new.get(path))
        return [ChangedFile(path, "old" * (path in old), "new" * (path in new)) for path in paths]


def sides(place: Path, entry: dict[str, str]) -> tuple[Tree, Tree] | None:
    """The state before a commit and the one after it; None if neither a clone nor its files are there."""
    for listed in place.glob(f"*-{entry['sha1']}.json"):
        known, stem = json.loads(listed.read_text("utf-8")), listed.stem.rpartition("-")[0]
        before, after = (place / f"{stem}-{known[name]}" for name in ("parentCommitId", "currentCommitId"))
        return FilesTree(before, known["filesBefore"]), FilesTree(after, known["filesCurrent"])
    root = mirror(place, entry["repository"])
    parent = git.resolve(root, f"{entry['sha1']}^1") if root else None
    return (CommitTree(root, parent), CommitTree(root, entry["sha1"])) if root and parent else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("oracle", type=Path)
    parser.add_argument("place", type=Path)
    parser.add_argument("--limit", type=int, default=10_000)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    reader = Reader(BUILT_IN, Scrubber(False, ()))
    hits: dict[str, Counter[str]] = defaultdict(Counter)
    commits, missing, started = 0, 0, time.perf_counter()
    for entry in json.loads(options.oracle.read_text("utf-8"))[: options.limit]:
        both = sides(options.place, entry)
        if both is None:
            missing += 1
            continue
        commits += 1
        wanted = Counter(
            pair for one in entry["refactorings"] if one.get("validation", "TP") != "FP" for pair in expected(one)
        )
        got = Counter(found(compare(*both, reader)))
        for category in CATEGORIES:
            here, there = ({pair for pair in some if pair[0] == category} for some in (wanted, got))
            hits[category].update(both=len(here & there), wanted=len(here), found=len(there))
            if options.show:
                for sign, pairs in (("missed", here - there), ("extra", there - here)):
                    for pair in sorted(pairs):
                        print(f"{sign:7} {entry['sha1'][:10]} {' '.join(pair)}")
    print(f"{commits} commits ({missing} without files), {time.perf_counter() - started:.0f} s")
    total: Counter[str] = Counter()
    for category in CATEGORIES:
        report(category, hits[category])
        total.update(hits[category])
    report("all", total)
    return 0


def report(name: str, counted: Counter[str]) -> None:
    precision = counted["both"] / counted["found"] if counted["found"] else 1.0
    recall = counted["both"] / counted["wanted"] if counted["wanted"] else 1.0
    print(f"{name:18} precision {precision:.3f}  recall {recall:.3f}  ({counted['wanted']} in the oracle)")


def mirror(mirrors: Path, url: str) -> Path | None:
    owner, name = url.removesuffix(".git").split("/")[-2:]
    for place in (mirrors / f"{owner}+{name}" / "repo", mirrors / f"{owner}+{name}"):
        if place.is_dir():
            return place
    return None


if __name__ == "__main__":
    sys.exit(main())
