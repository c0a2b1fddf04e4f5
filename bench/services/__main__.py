"""Precision and recall of the service graph against an answer key.

A key is a text file with a line per connection, `source -> target kind`, and `?` behind those that need not be found.
Monitoring is not counted unless the key has some.
"""

import sys
from collections import defaultdict
from pathlib import Path

import click

from clew.engine import Engine

KEYS = Path(__file__).parent
KINDS = {"grpc": "calls", "http": "calls", "graphql": "calls", "network": "calls"}


@click.command()
@click.argument("systems", nargs=-1, required=True)
def main(systems: tuple[str, ...]) -> None:
    """Measure SYSTEMS: each is a checkout, or checkout=key where the key is not named after its folder."""
    for system in systems:
        folder, _, named = system.partition("=")
        root = Path(folder)
        key = Path(named) if named else KEYS / f"{root.name}.txt"
        if not key.is_file():
            sys.exit(f"there is no answer key {key}")
        measure(root, key)


def measure(root: Path, key: Path) -> None:
    wanted, allowed = read_key(key)
    with Engine.open(root) as engine:
        engine.index()
        system = engine.services.current().system
    found = {(one.source, one.target, KINDS.get(one.kind, one.kind)) for one in system.edges if one.confidence >= 0.5}
    if not any(kind == "monitoring" for *_, kind in wanted):
        found = {one for one in found if one[2] != "monitoring"}
    by_kind: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for one in sorted(found | wanted):
        by_kind[one[2]].append(one)
    print(f"{root.name}: {len(system.services)} services")
    for kind, rows in [*sorted(by_kind.items()), ("all", sorted(found | wanted))]:
        right = [one for one in rows if one in found and one in wanted]
        wrong = [one for one in rows if one in found and one not in wanted | allowed]
        missed = [one for one in rows if one not in found]
        precision = len(right) / (len(right) + len(wrong)) if right or wrong else 1.0
        recall = len(right) / (len(right) + len(missed)) if right or missed else 1.0
        counts = f"{len(right)} right, {len(wrong)} wrong, {len(missed)} missed"
        print(f"  {kind:14} precision {precision:.2f}  recall {recall:.2f}  ({counts})")
        if kind != "all":
            for one in wrong:
                print(f"      wrong:  {one[0]} -> {one[1]}")
            for one in missed:
                print(f"      missed: {one[0]} -> {one[1]}")


def read_key(path: Path) -> tuple[set[tuple[str, str, str]], set[tuple[str, str, str]]]:
    wanted: set[tuple[str, str, str]] = set()
    allowed: set[tuple[str, str, str]] = set()
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split()
        if len(words) >= 4:
            (allowed if words[-1] == "?" else wanted).add((words[0], words[2], words[3]))
    return wanted, allowed


if __name__ == "__main__":
    main()
