"""Whether what is asked for by its name comes first: `python -m research.rulers.named --repo PATH`.

Names of functions, methods and classes that only one thing of a checkout has, asked for as people ask.
"""

import argparse
import random
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from bench import copies

from clew.engine import Engine
from clew.model.code import SCOPE
from clew.model.search import Hit, Query
from clew.model.words import Kind

SEED, SHORTEST, LOOKED_AT = 5, 4, 10
KINDS = (Kind.FUNCTION, Kind.METHOD, Kind.CLASS, Kind.INTERFACE)
WAYS = (
    "{name}", "{owner}.{name}", "{kind} {name}", "where is {name} defined?", "{name} implementation",
    "who calls {name}", "how does {name} work", "fix bug in {name}", "add a timeout parameter to {name}",
    "rename {name} to something shorter", "why does {name} fail with an empty list",
    "what breaks if I change {name}", "what depends on {name}", "impact of renaming {name}",
    "is {name} safe to delete?",
)  # fmt: skip


class Thing(NamedTuple):
    name: str
    owner: str
    kind: str
    path: str
    line: int

    def asked(self, way: str) -> str:
        return way.format(**self._asdict()).removeprefix(".")

    def is_in(self, hit: Hit) -> bool:
        return hit.path == self.path and hit.first_line <= self.line <= hit.last_line


def main() -> None:
    parser = argparse.ArgumentParser(prog="research.rulers.named", description=__doc__)
    parser.add_argument("--repo", type=Path, required=True, help="A checkout; it is copied, never touched.")
    parser.add_argument("--names", type=int, default=60)
    parser.add_argument("--variables", action="store_true", help="Ask for constants, fields and the like instead.")
    options = parser.parse_args()
    with copies.indexed(options.repo) as engine:
        things = _things(engine, (Kind.VARIABLE,) if options.variables else KINDS, options.names)
        print(f"{options.repo.name}: {len(things)} names that one thing has; the first of 10 hits, none of 10 hits")
        for way in WAYS:
            ranks = [_rank(engine, one, way) for one in things]
            print(f"  {way:40s} {ranks.count(1):4d} {ranks.count(0):4d}", flush=True)


def _things(engine: Engine, kinds: tuple[Kind, ...], most: int) -> list[Thing]:
    by_name = defaultdict(list)
    for content in engine.files.contents():
        for one in engine.files.symbols_in(content.file, content.version):
            if one.kind in kinds:
                owner = one.scope.split(SCOPE)[-2:-1]
                thing = Thing(one.name, "".join(owner), one.kind.value, content.path, one.span.first)
                by_name[one.name].append(thing)
    unique = sorted(found[0] for found in by_name.values() if len(found) == 1)
    named = [one for one in unique if one.name.isidentifier() and len(one.name) >= SHORTEST]
    return random.Random(SEED).sample(named, min(most, len(named)))


def _rank(engine: Engine, thing: Thing, way: str) -> int:
    """Of the first hit that is the thing or what it stands in; 0 if there is none."""
    hits = engine.search(Query(thing.asked(way), LOOKED_AT)).hits
    return next((rank for rank, hit in enumerate(hits, 1) if thing.is_in(hit)), 0)


if __name__ == "__main__":
    main()
