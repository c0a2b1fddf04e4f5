"""Walks along the graph from the code a commit changed: `python -m research.rulers.led --on REPOSITORY… [--cases 100]`.

The cases are commits of `clew eval` that changed several functions. From each of the first few of them a walk is made
on the commit's base, and told is where the others are among the functions that it comes by: how many of them among ten
and forty, and the mean of 1 / the place of the first.
"""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import clew
from clew.engine import Engine
from clew.evaluate import choosing, world
from clew.evaluate.choosing import choose
from clew.evaluate.history import History
from clew.evaluate.report import Request
from clew.evaluate.stage import APART, checkout
from clew.evaluate.world import SourceFiles
from clew.graph.walk_graph import Web, nearest, walk
from clew.languages.plugins import load_languages, offered_languages
from clew.model.code import split_id, touch

FEW, MANY = 10, 40
LOOKED_AT = 200  # nodes of a walk
BEGUN = 4  # functions of a commit that a walk begins at


class Led(NamedTuple):
    """Means over walks."""

    walks: float
    few: float
    many: float
    reciprocal: float


def main() -> None:
    parser = argparse.ArgumentParser(prog="research.rulers.led", description=__doc__)
    parser.add_argument("--on", type=Path, nargs="+", required=True, help="Checkouts or bare mirrors.")
    parser.add_argument("--cases", type=int, default=100, help="Commits of each.")
    options = parser.parse_args()
    print(f"{'':24s} walks  of {FEW}  of {MANY}  MRR")
    every = [_measured(repository, options.cases) for repository in options.on]
    _print("mean", Led(*(mean(column) for column in zip(*every, strict=True))))


def _measured(repository: Path, cases: int) -> Led:
    known, history = load_languages(offered_languages()).known, History(repository)
    chosen = choose(history, Request(repository, cases=cases), SourceFiles(known))
    with checkout(history, chosen.base, None) as root:
        os.environ.update(APART)
        with clew.open(root) as workspace:
            workspace.index()
            seen = world.read(root, history.paths(chosen.base), known, lambda _: None)
            changed = [sorted(case.functions) for case in choosing.cases(chosen, history, seen, known)]
            found = list(_walks(workspace.engine, changed))
    led = Led(len(found), *(mean(column) for column in zip(*found, strict=True)))
    _print("/".join(repository.resolve().parts[-2:])[-24:], led)
    return led


def _walks(engine: Engine, changed: list[list[str]]) -> Iterator[tuple[float, float, float]]:
    web = Web(engine.corpus(), engine.histories.together())
    for functions in changed:
        for begin in functions[:BEGUN]:
            others = [one for one in functions if not touch(one, begin)]
            if others and web.find(begin) >= 0:
                places = _places(web, begin)
                ranks = [places.get(one, LOOKED_AT) for one in others]
                few, many = (mean(rank < most for rank in ranks) for most in (FEW, MANY))
                first = min(ranks)
                yield few, many, 1 / (first + 1) if first < LOOKED_AT else 0.0


def _places(web: Web, begin: str) -> dict[str, int]:
    ids = (near.id for near in nearest(web, walk(web, {begin: 1.0}), LOOKED_AT))
    functions = [one for one in ids if split_id(one)[1] and not touch(one, begin)]
    return {one: place for place, one in enumerate(functions)}


def _print(name: str, led: Led) -> None:
    print(f"{name:24s} {led.walks:5.0f}  {led.few:.3f}  {led.many:.3f}  {led.reciprocal:.3f}", flush=True)


if __name__ == "__main__":
    main()
