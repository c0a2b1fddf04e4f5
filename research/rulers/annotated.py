"""Whether questions that others wrote find the files that they name.

`python -m research.rulers.annotated --questions FOLDER --mirrors FOLDER [--semble PYTHON]`; the first is the folder
`benchmarks` of semble: `repos.json`, and questions in `annotations/<name>.json`. As there, the part of a repository
that it names is indexed, without its history, and the figure is NDCG@10: hits in order, each file that answers counts
by its first one. Repositories come from mirrors in `FOLDER/owner+name/repo`.
"""

import argparse
import json
import math
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench.rivals.asking import Tool, asking
from bench.rivals.talk import Found

import clew
from clew.engine import Engine

AMONG = 10  # hits
SECONDS = 600  # that another tool may take for one repository


class Target(NamedTuple):
    """A file, or lines of it, which any hit there finds."""

    path: str
    first: int = 0
    last: int = 0

    def is_at(self, found: Found) -> bool:
        apart = self.last and (found.last < self.first or found.first > self.last)
        return found.path == self.path and not apart


class Question(NamedTuple):
    kind: str
    text: str
    targets: tuple[Target, ...]


class Repository(NamedTuple):
    name: str
    mirror: Path
    revision: str
    root: str

    def lay_out(self, target: Path) -> None:
        packed = subprocess.run(
            ["git", "-C", self.mirror, "archive", self.revision, *filter(None, [self.root])],
            capture_output=True, check=True,
        )  # fmt: skip
        below = len([*filter(None, self.root.split("/"))])
        subprocess.run(["tar", "x", "-C", target, f"--strip-components={below}"], input=packed.stdout, check=True)


class Judged(NamedTuple):
    repository: str
    kind: str
    figures: tuple[float, ...]  # of each tool


def main() -> None:
    parser = argparse.ArgumentParser(prog="research.rulers.annotated", description=__doc__)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--semble", type=Path, help="A Python that has it: asked too, without vectors.")
    parser.add_argument("names", nargs="*", help="of repositories; all, if none is named")
    given = parser.parse_args()
    judged: list[Judged] = []
    for repository in repositories(given.questions, given.mirrors, given.names):
        with tempfile.TemporaryDirectory(prefix="clew-annotated-") as scratch:
            root = Path(scratch)
            repository.lay_out(root)
            asked = [*questions(given.questions / "annotations" / f"{repository.name}.json", repository.root, root)]
            told = [_clew(root, asked), *([_semble(given.semble, root, asked)] if given.semble else [])]
        judged += [
            Judged(repository.name, one.kind, figures)
            for one, figures in zip(asked, zip(*told, strict=True), strict=True)
        ]
        print(row(repository.name, [one for one in judged if one.repository == repository.name]), flush=True)
    for kind in sorted({one.kind for one in judged}):
        print(row(f"all: {kind}", [one for one in judged if one.kind == kind]))
    print(row("all", judged))


def repositories(folder: Path, mirrors: Path, names: Sequence[str]) -> Iterator[Repository]:
    """Those that there are questions about and mirrors of; of the others it is said."""
    for one in json.loads((folder / "repos.json").read_text("utf-8")):
        if (names and one["name"] not in names) or not (folder / "annotations" / f"{one['name']}.json").exists():
            continue
        owner, name = one["url"].removesuffix(".git").split("/")[-2:]
        mirror = mirrors / f"{owner}+{name}" / "repo"
        if not mirror.exists():
            print(f"left out: there is no mirror of {owner}/{name}")
            continue
        known = subprocess.run(
            ["git", "-C", mirror, "cat-file", "-e", one["revision"]], capture_output=True, check=False
        )
        if known.returncode:
            print(f"{one['name']}: its revision is not in the mirror, the newest is taken")
        yield Repository(
            one["name"], mirror, "HEAD" if known.returncode else one["revision"], one.get("benchmark_root") or ""
        )


def questions(file: Path, part: str, root: Path) -> Iterator[Question]:
    """Those of whose files some are there."""
    for one in json.loads(file.read_text("utf-8")):
        wanted = (_target(raw, part) for raw in (*one["relevant"], *one.get("secondary", ())))
        if there := tuple(target for target in wanted if (root / target.path).exists()):
            yield Question(one["category"], one["query"], there)


def _target(raw: Any, part: str) -> Target:
    told: dict[str, Any] = {"path": raw} if isinstance(raw, str) else raw
    path = told["path"].removeprefix(f"{part}/") if part else told["path"]
    return Target(path, told.get("start_line") or 0, told.get("end_line") or 0)


def _clew(root: Path, asked: Sequence[Question]) -> list[float]:
    with Engine.open(root, create=True) as engine:
        engine.index()
    with clew.open(root) as workspace:
        return [
            ndcg(
                one, [Found(hit.path, hit.first_line, hit.last_line) for hit in workspace.search(one.text, limit=AMONG)]
            )
            for one in asked
        ]


def _semble(python: Path, root: Path, asked: Sequence[Question]) -> list[float]:
    with asking(Tool("semble", "bench.rivals.semble", python), root, SECONDS) as tool:
        return [ndcg(one, tool.ask(one.text, AMONG).found) for one in asked]


def ndcg(question: Question, found: Sequence[Found]) -> float:
    ranks = {
        next((rank for rank, one in enumerate(found[:AMONG], 1) if target.is_at(one)), 0) for target in question.targets
    } - {0}
    best = sum(_gain(rank) for rank in range(1, min(len(question.targets), AMONG) + 1))
    return sum(map(_gain, ranks)) / best


def _gain(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def row(name: str, judged: Sequence[Judged]) -> str:
    """The mean of each tool, with its standard error."""
    columns = [*zip(*(one.figures for one in judged), strict=True)]
    told = [f"{statistics.mean(one):.3f} ±{statistics.pstdev(one) / math.sqrt(len(one)):.3f}" for one in columns]
    return f"{name:24s} {len(judged):5d}  {'   '.join(told)}"


if __name__ == "__main__":
    main()
