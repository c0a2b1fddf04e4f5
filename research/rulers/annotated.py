"""Whether questions that others wrote find the files that they name.

`python -m research.rulers.annotated --questions FOLDER --mirrors FOLDER [--keep FOLDER] [--history] [--semble PYTHON]`;
the first is the folder `benchmarks` of semble: `repos.json`, and questions in `annotations/<name>.json`. As there, the
part of a repository that it names is indexed, without its history unless `--history` is given, and the figure is
NDCG@10: hits in order, each file that answers counts by its first one. Repositories come from mirrors in
`FOLDER/owner+name/repo`. Checkouts in `--keep` are indexed once and searched again in seconds. `--save FILE` writes the
figure of each question, and `--against FILE` compares with such a file: the mean difference, and its 95 % interval from
resampled questions.
"""

import argparse
import json
import math
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from bench.rivals.asking import Tool, asking
from bench.rivals.talk import Found

import clew
from clew.engine import Engine
from clew.runtime import lent_objects

AMONG = 10  # hits
RESAMPLED = 10_000  # times, for an interval

# Repositories whose questions ranking rules were chosen on, or compared with (docs/fitted.md); others are held out.
SEEN = frozenset(
    "abseil-cpp aiohttp alamofire axum bash-it cats chi circe cobra commons-lang ecto exposed express "
    "fastapi fmtlib gin gson jackson-databind kotlinx-coroutines ktor libuv messagepack-csharp model2vec "
    "nlohmann-json nvim-lspconfig phoenix pydantic rack rxswift serde sinatra tokio trpc vitest zod".split()
)
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

    def clone(self, target: Path) -> None:
        """The same files, with the history that leads to them."""
        subprocess.run(["git", "clone", "--quiet", "--shared", "--no-checkout", self.mirror, target], check=True)
        lent_objects.permit_own(target / ".git")
        run = ["git", "-C", str(target)]
        if self.root:
            subprocess.run([*run, "sparse-checkout", "set", "--no-cone", f"/{self.root}/"], check=True)
        revision = subprocess.run(
            ["git", "-C", self.mirror, "rev-parse", self.revision], capture_output=True, check=True, text=True
        )
        subprocess.run([*run, "checkout", "--quiet", "--detach", revision.stdout.strip()], check=True)

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
    text: str
    figures: tuple[float, ...]  # of each tool


def main() -> None:
    given = _arguments()
    judged: list[Judged] = []
    for repository in repositories(given.questions, given.mirrors, given.names):
        if given.seen is not None and (repository.name in SEEN) is not given.seen:
            continue
        part = repository.root if given.history else ""
        with _checkout(repository, given.keep, history=given.history) as root:
            file = given.questions / "annotations" / f"{repository.name}.json"
            asked = [*questions(file, repository.root, root / part)]
            figures = [_clew(root, asked, part), *([_semble(given.semble, root, asked)] if given.semble else [])]
        judged += [
            Judged(repository.name, one.kind, one.text, own)
            for one, own in zip(asked, zip(*figures, strict=True), strict=True)
        ]
        print(row(repository.name, [one for one in judged if one.repository == repository.name]), flush=True)
    report(judged)
    if given.save:
        given.save.write_text(json.dumps(judged), "utf-8")
    if given.against:
        compare([Judged(*one) for one in json.loads(given.against.read_text("utf-8"))], judged)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="research.rulers.annotated", description=__doc__)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--keep", type=Path, help="where checkouts and their indexes stay")
    parser.add_argument("--history", action="store_true", help="with the commits that lead to the revision")
    parser.add_argument("--semble", type=Path, help="A Python that has it: asked too, without vectors.")
    parser.add_argument("--save", type=Path, help="write the figure of each question to this file")
    parser.add_argument("--against", type=Path, help="compare with what was saved before")
    sides = parser.add_mutually_exclusive_group()
    sides.add_argument("--seen", action="store_true", default=None, help="only repositories that rules were chosen on")
    sides.add_argument("--held-out", dest="seen", action="store_false", help="only the others")
    parser.add_argument("names", nargs="*", help="of repositories; all, if none is named")
    return parser.parse_args()


@contextmanager
def _checkout(repository: Repository, keep: Path | None, *, history: bool) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="clew-annotated-") as scratch:
        root = keep / repository.name if keep else Path(scratch) / repository.name
        if not root.exists():
            if history:
                repository.clone(root)
            else:
                root.mkdir(parents=True)
                repository.lay_out(root)
        with Engine.open(root, create=True) as engine:
            engine.index()
        yield root


def report(judged: Sequence[Judged]) -> None:
    for kind in sorted({one.kind for one in judged}):
        print(row(f"all: {kind}", [one for one in judged if one.kind == kind]))
    for title, is_seen in (("all: seen", True), ("all: held out", False)):
        if own := [one for one in judged if (one.repository in SEEN) is is_seen]:
            print(row(title, own))
    print(row("all", judged))


def compare(before: Sequence[Judged], after: Sequence[Judged]) -> None:
    """Question by question, for the seen, the held-out and all together."""
    known = {(one.repository, one.text): one.figures[0] for one in before}
    pairs = [
        (one, one.figures[0] - known[one.repository, one.text]) for one in after if (one.repository, one.text) in known
    ]
    for title, sides in (("seen", (True,)), ("held out", (False,)), ("all", (True, False))):
        changes = np.array([change for one, change in pairs if (one.repository in SEEN) in sides])
        if len(changes):
            resampled = np.random.default_rng(0).choice(changes, (RESAMPLED, len(changes))).mean(axis=1)
            low, high = np.quantile(resampled, [0.025, 0.975])
            better, worse = np.count_nonzero(changes > 0), np.count_nonzero(changes < 0)
            print(f"{title:24s} {changes.mean():+.4f} [{low:+.4f}, {high:+.4f}], {better} better, {worse} worse")


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
        root = one.get("benchmark_root") or ""
        revision = one["revision"] if _has(mirror, one["revision"]) else "HEAD"
        if revision == "HEAD":
            print(f"{one['name']}: its revision is not in the mirror, the newest is taken")
        if not _has(mirror, f"{revision}:{root}"):
            print(f"left out: {one['name']} has no folder {root} there")
            continue
        yield Repository(one["name"], mirror, revision, root)


def _has(mirror: Path, thing: str) -> bool:
    command = ["git", "-C", str(mirror), "cat-file", "-e", thing]
    return not subprocess.run(command, capture_output=True, check=False).returncode


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


def _clew(root: Path, asked: Sequence[Question], part: str) -> list[float]:
    """`part` is the folder of a checkout with its history whose files the questions are about."""
    with clew.open(root) as workspace:
        return [
            ndcg(
                one,
                [
                    Found(hit.path.removeprefix(f"{part}/") if part else hit.path, hit.first_line, hit.last_line)
                    for hit in workspace.search(one.text, limit=AMONG)
                ],
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
