"""What packs hold of what a commit changed: `python -m bench.packs --on REPOSITORY… [--semble PYTHON --aider …]`.

The cases are those of `clew eval`. Of each pack: the share of the changed files that it shows anything of, and of the
changed functions whose whole body stands in it. Beside it the best chunks by plain BM25, and what other tools name, as
much as fits: what does not fit is skipped, which Clew never does. All are counted by Clew's estimate of tokens.
"""

import argparse
import os
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import clew
from bench.rivals.asking import Failed, Tool, asking
from clew.evaluate import commits, world
from clew.evaluate.baselines import BM25, Texts
from clew.evaluate.checkout import checkout
from clew.evaluate.choosing import choose
from clew.evaluate.history import History
from clew.evaluate.report import Case, Request
from clew.evaluate.sources import Sources
from clew.evaluate.stage import APART
from clew.evaluate.world import World
from clew.index.languages.plugins import load_languages, offered_languages
from clew.model.code import chunk_uid, split_id
from clew.surfaces.library import Workspace
from clew.text.tokens import estimate

BUDGETS = (1000, 2000, 4000, 8000)
DEEP = 150  # places that another tool is asked for
PATIENCE = 300.0  # seconds for each tool on each repository
FIRST = 5  # files that a search names, which an agent would read


class Place(NamedTuple):
    """Lines of a file; without lines, its path alone. `whole`: no line of them is left out."""

    path: str
    first: int
    last: int
    whole: bool


class Share(NamedTuple):
    """Of the changed files, and of the changed functions, where any were; and the tokens that it took."""

    files: float
    functions: float | None
    tokens: int


Shares = dict[tuple[str, int], list[Share]]  # by contender and budget


def main() -> None:
    given = _arguments()
    everything: list[Shares] = []
    for repository in given.on:
        shares, said = _held(repository, given)
        everything.append(shares)
        print(f"## {repository}\n\n{said}\n\n{''.join(_table([shares]))}", flush=True)
    if len(everything) > 1:
        print(f"## Mean over {len(everything)} repositories\n\n{''.join(_table(everything))}")


def _held(repository: Path, given: argparse.Namespace) -> tuple[Shares, str]:
    known, history = load_languages(offered_languages()).known, History(repository)
    chosen = choose(history, Request(repository, cases=given.cases), Sources(known))
    shares: Shares = {}
    with checkout(history, chosen.base, None) as root:
        os.environ.update(APART)
        with clew.open(root) as workspace:
            workspace.index()
            seen = world.read(root, history.paths(chosen.base), known, lambda _: None)
            cases = commits.cases(chosen, history, seen, known)
            _say(f"{repository}: {len(cases)} cases")
            for budget in BUDGETS:
                shares["clew pack", budget] = [_judged(seen, case, *_packed(workspace, case, budget)) for case in cases]
            _judge_places(shares, "BM25 chunks", seen, cases, _by_bm25(workspace, seen))
            said = _reading(workspace, seen, cases, shares)
        for tool in _tools(given):
            _judge_tool(shares, tool, seen, cases)
    return shares, said


def _packed(workspace: Workspace, case: Case, budget: int) -> tuple[list[Place], int]:
    pack = workspace.context_pack(task=case.query, max_tokens=budget)
    places = [Place(one.path, one.first_line, one.last_line, one.form == "whole") for one in pack.items]
    return places, pack.token_estimate


def _judge_places(
    shares: Shares, name: str, seen: World, cases: Sequence[Case], find: Callable[[str], Iterable[Place]]
) -> None:
    for case in cases:
        found = list(find(case.query))
        for budget in BUDGETS:
            shares.setdefault((name, budget), []).append(_judged(seen, case, *_filled(seen, found, budget)))


def _judge_tool(shares: Shares, tool: Tool, seen: World, cases: Sequence[Case]) -> None:
    try:
        with asking(tool, seen.root, PATIENCE) as ready:

            def find(query: str) -> list[Place]:
                return [Place(one.path, one.first, one.last, True) for one in ready.ask(query, DEEP).found]

            _judge_places(shares, tool.name, seen, cases, find)
    except Failed as failure:
        _say(f"{tool.name}: {failure}")


def _by_bm25(workspace: Workspace, seen: World) -> Callable[[str], Iterator[Place]]:
    """Over the same chunks as Clew's, of the source files."""
    places: dict[str, Place] = {}
    texts: dict[str, bytes] = {}
    for path, text in seen.files.items():
        known = workspace.engine.files.known_at(path)
        if known is None:
            continue
        for number, chunk in enumerate(workspace.engine.files.layout(known.file, known.version).chunks):
            uid = chunk_uid(path, number, chunk.digest)
            places[uid] = Place(path, chunk.span.first, chunk.span.last, True)
            texts[uid] = text[chunk.span.start : chunk.span.end]
    ranked = BM25(Texts(texts))
    return lambda query: (places[uid] for uid in ranked(query))


def _filled(seen: World, found: Iterable[Place], budget: int) -> tuple[list[Place], int]:
    """Each with its lines under its place, as long as there is room; what lies in what is there is left out."""
    shown: list[Place] = []
    spent = 0
    for place in found:
        if place.path not in seen.files or any(_holds(one, place) for one in shown):
            continue
        lines = seen.files[place.path].decode("utf-8", "replace").splitlines()[max(place.first - 1, 0) : place.last]
        head = f"{place.path}:{place.first}-{place.last}\n" if place.last else f"{place.path}\n"
        cost = estimate(head + "\n".join(lines) + "\n")
        if spent + cost <= budget:
            shown.append(place)
            spent += cost
    return shown, spent


def _judged(seen: World, case: Case, shown: Sequence[Place], tokens: int) -> Share:
    files = statistics.mean(any(one.path == path for one in shown) for path in case.files)
    wanted = [(split_id(one)[0], seen.functions[one]) for one in case.functions]
    bodies = [any(_holds(one, Place(path, f.first, f.last, True)) for one in shown) for path, f in wanted]
    return Share(files, statistics.mean(bodies) if bodies else None, tokens)


def _holds(outer: Place, inner: Place) -> bool:
    same = outer.path == inner.path and outer.whole and outer.last > 0
    return same and outer.first <= inner.first and inner.last <= outer.last


def _reading(workspace: Workspace, seen: World, cases: Sequence[Case], shares: Shares) -> str:
    """What reading files whole would have cost: those that had to be changed, and the first that a search names."""
    price = {path: estimate(text.decode("utf-8", "replace")) for path, text in seen.files.items()}
    needed = statistics.mean(sum(price.get(path, 0) for path in case.files) for case in cases)
    named = []
    for case in cases:
        paths = dict.fromkeys(hit.path for hit in workspace.search(case.query, limit=100) if hit.path in price)
        named.append(sum(price[path] for path in list(paths)[:FIRST]))
    packs = {budget: statistics.mean(one.tokens for one in shares["clew pack", budget]) for budget in BUDGETS}
    first = statistics.mean(named)
    told = ", ".join(
        f"{needed / spent:.1f} and {first / spent:.1f} times a pack of {budget:,}" for budget, spent in packs.items()
    )
    return (
        f"Reading the changed files whole takes {needed:,.0f} tokens on average, the first {FIRST} files of a search "
        f"{first:,.0f}: {told}."
    )


def _table(of: Sequence[Shares]) -> Iterator[str]:
    yield "| files / bodies | " + " | ".join(f"{budget:,} tokens" for budget in BUDGETS) + " |\n"
    yield "|---|" + "---|" * len(BUDGETS) + "\n"
    for name in dict.fromkeys(name for shares in of for name, _ in shares):
        own = [shares for shares in of if (name, BUDGETS[0]) in shares]
        cells = []
        for budget in BUDGETS:
            files = statistics.mean(_mean(shares[name, budget], lambda one: one.files) for shares in own)
            bodies = statistics.mean(_mean(shares[name, budget], lambda one: one.functions) for shares in own)
            cells.append(f"{files:.3f} / {bodies:.3f}")
        note = f" ({len(own)} repositories)" if len(own) < len(of) else ""
        yield f"| {name}{note} | " + " | ".join(cells) + " |\n"
    yield "\n"


def _mean(shares: Sequence[Share], of: Callable[[Share], float | None]) -> float:
    return statistics.mean(value for one in shares if (value := of(one)) is not None)


def _tools(given: argparse.Namespace) -> Iterator[Tool]:
    offered_tools: Mapping[str, tuple[str, Path | None]] = {
        "semble, no vectors": ("bench.rivals.semble", given.semble),
        "aider's map": ("bench.rivals.aider", given.aider),
    }
    for name, (module, python) in offered_tools.items():
        if python:
            yield Tool(name, module, python)
        else:
            _say(f"{name}: not run, no Python that has it was named")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--on", type=Path, nargs="+", required=True, help="checkouts or bare mirrors")
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--semble", type=Path, help="a Python that has semble")
    parser.add_argument("--aider", type=Path, help="a Python that has aider")
    return parser.parse_args()


if __name__ == "__main__":
    main()
