"""Clew beside others that find code: `python -m bench.retrieval --on REPOSITORY… --semble PYTHON --crg … --aider …`.

A repository is a checkout or a bare mirror. The cases are those of `clew eval`: a commit's message finds the files and
the functions that the commit changed. ripgrep and BM25 come with Clew; each other tool is asked in the environment
that has it, named by its Python, and left out where none is named. Nothing is downloaded.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from bench import standings
from bench.contest import Contest, Plan, hold
from bench.rivals.asking import Tool
from clew.model.errors import ClewError

# Whose histories constants were chosen on, and whose never were; docs/fitted.md.
FIT = ("flask", "httpx", "express", "django", "gin", "ripgrep", "junit5")
TEST = ("pytest", "vite", "trpc", "cobra", "clap", "okhttp")
PATIENCE = 300.0  # seconds for each tool on each repository
NOT_NAMED = "no Python that has it was named"


def main() -> None:
    given = _arguments()
    contests = [contest for file in given.show for contest in _kept(file)]
    plan = Plan(given.cases, _tools(given), given.seconds, not given.no_ablation)
    for repository in given.on:
        contests.append(_held(repository, plan))
        print(f"## {contests[-1].repository}\n\n{''.join(standings.detail(contests[-1]))}", flush=True)
        if given.keep:
            given.keep.write_bytes(msgspec.json.encode(contests))
    if len(contests) > 1:
        print("".join(_told(contests)))
    for name in _left_out(given):
        print(f"- {name}: not run, {NOT_NAMED}")


def _held(repository: Path, plan: Plan) -> Contest:
    name = _name(repository)
    try:
        return hold(repository, name, plan, lambda said: print(f"{name}: {said}", file=sys.stderr, flush=True))
    except ClewError as error:
        raise SystemExit(f"{repository}: {error}") from error


def _told(contests: Sequence[Contest]) -> Iterator[str]:
    """Fit, test and others apart: what was fitted on says little about others."""
    for title, names in (("Test", TEST), ("Fit", FIT)):
        own = [contest for contest in contests if contest.repository in names]
        if own:
            yield f"## {title}: {', '.join(contest.repository for contest in own)}\n\n"
            yield "By repository: MRR / R@5 of files by ranker, of functions by Clew\n\n"
            yield from standings.by_repository(own)
            yield from standings.summary(own)
    others = [contest for contest in contests if contest.repository not in (*FIT, *TEST)]
    if len(others) > 1:
        yield "## Others\n\n"
        yield from standings.summary(others)


def _name(repository: Path) -> str:
    """Of a mirror in a folder `owner+name`, the name; else that of the folder."""
    named = repository.resolve()
    own = named.parent if named.name in ("repo", "repo.git") else named
    return own.name.rpartition("+")[2].removesuffix(".git")


def _tools(given: argparse.Namespace) -> tuple[Tool, ...]:
    found = []
    if given.semble:
        found.append(Tool("semble, no vectors", "bench.rivals.semble", given.semble))
    if given.semble and given.table:
        table = {"SEMBLE_TABLE": str(given.table.resolve())}
        found.append(Tool("semble, stand-in vectors", "bench.rivals.semble", given.semble, table))
    if given.crg:
        found.append(Tool("code-review-graph", "bench.rivals.code_review_graph", given.crg))
    if given.aider:
        found.append(Tool("aider's map", "bench.rivals.aider", given.aider))
    return tuple(found)


def _left_out(given: argparse.Namespace) -> list[str]:
    named = {"semble": given.semble, "code-review-graph": given.crg, "aider": given.aider}
    return [name for name, python in named.items() if not python]


def _kept(file: Path) -> list[Contest]:
    return msgspec.json.decode(file.read_bytes(), type=list[Contest])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--on", type=Path, nargs="*", default=[], help="checkouts or bare mirrors")
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--semble", type=_program, help="a Python that has semble")
    parser.add_argument("--table", type=Path, help="vectors for semble, of model2vec or bench.static_table")
    parser.add_argument("--crg", type=_program, help="a Python that has code-review-graph")
    parser.add_argument("--aider", type=_program, help="a Python that has aider-chat")
    parser.add_argument("--seconds", type=float, default=PATIENCE, help="for each tool on each repository")
    parser.add_argument("--no-ablation", action="store_true", help="leave out Clew with retrievers switched off")
    parser.add_argument("--keep", type=Path, help="write what was measured to this file")
    parser.add_argument("--show", type=Path, nargs="*", default=[], help="tell of what such files have, too")
    return parser.parse_args()


def _program(path: str) -> Path:
    """As it is, and not where a link leads: an environment's Python is one."""
    return Path(path).absolute()


if __name__ == "__main__":
    main()
