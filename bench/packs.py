"""Changed code in packs: `python -m bench.packs --on REPOSITORY… [--issues CLONE --repos NAME… --mirrors --keep]`.

Tasks are commit messages (`--on`; those of `clew eval`) or issues (`--issues`; SWE-bench instances outside of Lite).
Each answer is judged by three measures: the share of the changed files that it shows anything of; the share of the
changed functions whose whole body it shows; and recall, precision and F1 of lines, where the relevant lines are those
of the changed functions and the opening lines of the classes around them.

Beside packs: search hits written out in full, the best chunks by plain BM25, and what other tools name. Of these, as
much is shown as fits: what does not fit is skipped, which Clew never does. Clew's estimate of tokens counts all.
"""

import argparse
import json
import os
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import clew
from bench import issue_tasks
from bench.issue_tasks import Instances
from bench.pack_lines import Lines, LineScore, SourceTexts, joined, mean, score, shown_lines, symbols_of, with_context
from bench.rivals.asking import Failed, Tool, asking
from clew.evaluate import choosing, world
from clew.evaluate.baselines import BM25, TextCorpus
from clew.evaluate.choosing import choose
from clew.evaluate.history import History
from clew.evaluate.report import Request
from clew.evaluate.stage import APART, checkout
from clew.evaluate.world import SourceFiles
from clew.languages.plugins import load_languages, offered_languages
from clew.model.code import chunk_uid, split_id, symbol_id
from clew.surfaces.library import Workspace
from clew.text.encodings import as_utf8
from clew.text.tokens import estimate

BUDGETS = (1000, 2000, 4000, 8000)
DEEP = 150  # places that another tool is asked for
PATIENCE = 300.0  # seconds for each tool on each repository
FIRST = 5  # files that a search names, which an agent would read
PACK, HITS, CHUNKS = "clew pack", "search hits in full", "BM25 chunks"
RANKED = "bm25.json"  # in a kept checkout's .git: what BM25 found for its issue


class Place(NamedTuple):
    """Lines of a file; without lines, its path alone. `shown` are those that are shown, if not all of them are."""

    path: str
    first: int
    last: int
    shown: frozenset[int] | None = None

    @property
    def lines(self) -> frozenset[int]:
        return (
            frozenset(range(self.first, self.last + 1))
            if self.shown is None and self.last
            else self.shown or frozenset()
        )

    def holds(self, other: "Place") -> bool:
        same = self.path == other.path and self.shown is None and self.last > 0
        return same and self.first <= other.first and other.last <= self.last


class Target(NamedTuple):
    """The code that a task changes."""

    query: str
    files: tuple[str, ...]
    bodies: tuple[Place, ...]
    lines: Lines


class Share(NamedTuple):
    """Shares of changed files, functions and lines that a pack shows, and its tokens."""

    files: float
    functions: float | None
    lines: LineScore | None
    tokens: int


Shares = dict[tuple[str, int], list[Share]]  # by contender and budget


def main() -> None:
    given = _arguments()
    everything: list[Shares] = []
    for repository in given.on or ():
        shares, said = _of_commits(repository, given)
        everything.append(shares)
        print(f"## {repository}\n\n{said}\n\n{''.join(_table([shares]))}", flush=True)
    for repo in given.repos or ():
        shares = _of_issues(repo, given)
        everything.append(shares)
        print(f"## Issues of {repo}: {len(shares[PACK, BUDGETS[0]])} tasks\n\n{''.join(_table([shares]))}", flush=True)
    if len(everything) > 1:
        print(f"## Mean over {len(everything)} repositories\n\n{''.join(_table(everything))}")


def _of_commits(repository: Path, given: argparse.Namespace) -> tuple[Shares, str]:
    known, history = load_languages(offered_languages()).known, History(repository)
    chosen = choose(history, Request(repository, cases=given.cases), SourceFiles(known))
    shares: Shares = {}
    with checkout(history, chosen.base, None) as root:
        os.environ.update(APART)
        with clew.open(root) as workspace:
            workspace.index()
            seen = world.read(root, history.paths(chosen.base), known, lambda _: None)
            targets = [
                _target(workspace, case.query, case.files, case.functions)
                for case in choosing.cases(chosen, history, seen, known)
            ]
            _say(f"{repository}: {len(targets)} cases")
            texts = SourceTexts(root)
            by_bm25 = _by_bm25(workspace, seen.files)
            for target in targets:
                _judge(shares, workspace, texts, target, by_bm25)
            said = _reading(workspace, seen.files, targets, shares)
        for tool in _tools(given):
            _judge_tool(shares, tool, root, targets)
    return shares, said


def _of_issues(repo: str, given: argparse.Namespace) -> Shares:
    instances = Instances(given.issues)
    chosen = issue_tasks.spread(instances.of(repo), given.cases)
    mirror = given.mirrors / repo.replace("/", "+") / "repo"
    shares: Shares = {}
    for workspace, task in issue_tasks.opened(instances, chosen, mirror, given.keep):
        _say(task.id)
        target = _target(workspace, task.text, task.files, task.functions)
        _judge(shares, workspace, SourceTexts(workspace.root), target, _kept_bm25(workspace))
    return shares


def _target(workspace: Workspace, query: str, files: Sequence[str], functions: Sequence[str]) -> Target:
    spans = {symbol_id(path, one.scope): one.span for path in files for one in symbols_of(workspace, path)}
    bodies = tuple(Place(split_id(one)[0], spans[one].first, spans[one].last) for one in functions if one in spans)
    return Target(query, tuple(files), bodies, with_context(workspace, functions))


def _judge(
    shares: Shares, workspace: Workspace, texts: SourceTexts, target: Target, by_bm25: Callable[[str], Iterable[Place]]
) -> None:
    for budget in BUDGETS:
        places, tokens = _packed(workspace, texts, target.query, budget)
        shares.setdefault((PACK, budget), []).append(_judged(target, places, tokens))
    hits = [Place(one.path, one.first_line, one.last_line) for one in workspace.search(target.query, limit=DEEP)]
    _judge_places(shares, HITS, texts, target, hits)
    _judge_places(shares, CHUNKS, texts, target, by_bm25(target.query))


def _packed(workspace: Workspace, texts: SourceTexts, query: str, budget: int) -> tuple[list[Place], int]:
    pack = workspace.context_pack(task=query, max_tokens=budget)
    places = []
    for one in pack.items:
        place = Place(one.path, one.first_line, one.last_line)
        if one.form != "whole":
            code = one.code or one.signature
            place = place._replace(shown=frozenset(shown_lines(texts[one.path], one.first_line, one.last_line, code)))
        places.append(place)
    return places, pack.token_estimate


def _judge_places(shares: Shares, name: str, texts: SourceTexts, target: Target, places: Iterable[Place]) -> None:
    found = list(places)
    for budget in BUDGETS:
        shares.setdefault((name, budget), []).append(_judged(target, *_filled(texts, found, budget)))


def _judge_tool(shares: Shares, tool: Tool, root: Path, targets: Sequence[Target]) -> None:
    texts = SourceTexts(root)
    try:
        with asking(tool, root, PATIENCE) as ready:
            for target in targets:
                found = [Place(one.path, one.first, one.last) for one in ready.ask(target.query, DEEP).found]
                _judge_places(shares, tool.name, texts, target, found)
    except Failed as failure:
        _say(f"{tool.name}: {failure}")


def _kept_bm25(workspace: Workspace) -> Callable[[str], Iterable[Place]]:
    """BM25's hits for the one issue of a kept checkout, cached beside it."""

    def find(query: str) -> list[Place]:
        kept = workspace.root / ".git" / RANKED
        if not kept.exists():
            sources = SourceFiles(load_languages(offered_languages()).known)
            listed = [path for path in workspace.engine.files.paths().values() if path in sources]
            texts = {path: as_utf8((workspace.root / path).read_bytes()) for path in listed}
            found = [place for place, _ in zip(_by_bm25(workspace, texts)(query), range(DEEP), strict=False)]
            kept.write_text(json.dumps([place[:3] for place in found]), "utf-8")
        return [Place(path, first, last) for path, first, last in json.loads(kept.read_text("utf-8"))]

    return find


def _by_bm25(workspace: Workspace, files: Mapping[str, bytes]) -> Callable[[str], Iterator[Place]]:
    """Over the same chunks as Clew's, of the source files."""
    places: dict[str, Place] = {}
    texts: dict[str, bytes] = {}
    for path, text in files.items():
        known = workspace.engine.files.known_at(path)
        if known is None:
            continue
        for number, chunk in enumerate(workspace.engine.files.layout(known.file, known.version).chunks):
            uid = chunk_uid(path, number, chunk.digest)
            places[uid] = Place(path, chunk.span.first, chunk.span.last)
            texts[uid] = text[chunk.span.start : chunk.span.end]
    ranked = BM25(TextCorpus(texts))
    return lambda query: (places[uid] for uid in ranked(query))


def _filled(texts: SourceTexts, found: Iterable[Place], budget: int) -> tuple[list[Place], int]:
    """Each with its lines under its place, as long as there is room; what lies in what is there is left out."""
    shown: list[Place] = []
    spent = 0
    for place in found:
        if any(one.holds(place) for one in shown):
            continue
        lines = texts[place.path].splitlines()[max(place.first - 1, 0) : place.last]
        head = f"{place.path}:{place.first}-{place.last}\n" if place.last else f"{place.path}\n"
        cost = estimate(head + "\n".join(lines) + "\n")
        if spent + cost <= budget:
            shown.append(place)
            spent += cost
    return shown, spent


def _judged(target: Target, shown: Sequence[Place], tokens: int) -> Share:
    files = statistics.mean(any(one.path == path for one in shown) for path in target.files)
    bodies = [any(one.holds(body) for one in shown) for body in target.bodies]
    lines = score(target.lines, joined((one.path, one.lines) for one in shown)) if target.lines else None
    return Share(files, statistics.mean(bodies) if bodies else None, lines, tokens)


def _reading(workspace: Workspace, files: Mapping[str, bytes], targets: Sequence[Target], shares: Shares) -> str:
    """Tokens of whole files: the changed ones, and the first ones that a search returns."""
    price = {path: estimate(text.decode("utf-8", "replace")) for path, text in files.items()}
    needed = statistics.mean(sum(price.get(path, 0) for path in target.files) for target in targets)
    named = []
    for target in targets:
        paths = dict.fromkeys(hit.path for hit in workspace.search(target.query, limit=100) if hit.path in price)
        named.append(sum(price[path] for path in list(paths)[:FIRST]))
    packs = {budget: statistics.mean(one.tokens for one in shares[PACK, budget]) for budget in BUDGETS}
    first = statistics.mean(named)
    told = ", ".join(
        f"{needed / spent:.1f} and {first / spent:.1f} times a pack of {budget:,}" for budget, spent in packs.items()
    )
    return (
        f"Reading the changed files whole takes {needed:,.0f} tokens on average, the first {FIRST} files of a search "
        f"{first:,.0f}: {told}."
    )


def _table(of: Sequence[Shares]) -> Iterator[str]:
    head = " | ".join(f"{budget:,} tokens" for budget in BUDGETS)
    names = dict.fromkeys(name for shares in of for name, _ in shares)
    for title, cell in (("files / bodies", _files_and_bodies), ("line recall / precision / F1", _lines)):
        yield f"| {title} | {head} |\n|---|{'---|' * len(BUDGETS)}\n"
        for name in names:
            own = [shares for shares in of if (name, BUDGETS[0]) in shares]
            note = f" ({len(own)} repositories)" if len(own) < len(of) else ""
            cells = (cell([shares[name, budget] for shares in own]) for budget in BUDGETS)
            yield f"| {name}{note} | " + " | ".join(cells) + " |\n"
        yield "\n"


def _files_and_bodies(of: Sequence[Sequence[Share]]) -> str:
    files = statistics.mean(statistics.mean(one.files for one in shares) for shares in of)
    bodies = [[one.functions for one in shares if one.functions is not None] for shares in of]
    return f"{files:.3f} / {statistics.mean(statistics.mean(own) for own in bodies if own):.3f}"


def _lines(of: Sequence[Sequence[Share]]) -> str:
    scores = [[one.lines for one in shares if one.lines is not None] for shares in of]
    means = [mean(own) for own in scores if own]
    return " / ".join(f"{statistics.mean(column):.3f}" for column in zip(*means, strict=True))


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
    parser.add_argument("--on", type=Path, nargs="+", help="checkouts or bare mirrors, for commit messages")
    parser.add_argument("--issues", type=Path, help="a clone of SWE-bench/swe-bench-tasks, which may be bare")
    parser.add_argument("--repos", nargs="+", help="whose issues, such as psf/requests")
    parser.add_argument("--mirrors", type=Path, help="where OWNER+NAME/repo are clones of those")
    parser.add_argument("--keep", type=Path, help="where checkouts of issues are kept, with their indexes")
    parser.add_argument("--cases", type=int, default=60, help="of each repository")
    parser.add_argument("--semble", type=Path, help="a Python that has semble")
    parser.add_argument("--aider", type=Path, help="a Python that has aider")
    given = parser.parse_args()
    if not given.on and not (given.issues and given.repos and given.mirrors and given.keep):
        parser.error("name --on, or --issues with --repos, --mirrors and --keep")
    return given


if __name__ == "__main__":
    main()
