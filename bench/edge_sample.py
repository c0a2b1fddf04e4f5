"""Call edges to judge by reading: `python -m bench.edge_sample --repo PATH --ending .lua`.

PATH is a checkout with an index (`clew index`). The output is how many call sites lead where, then a random sample of
the edges into the project, and of the sites that lead elsewhere, each with its line and the first line of its target.
The same checkout and seed give the same sample. A call site is a name on a line of a function.
"""

import argparse
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from clew.model.code import EXTERNAL, SCOPE
from clew.store.links import LIKELY

KINDS = ("inside", "external", "candidates", "unresolved")


@dataclass(frozen=True, slots=True, order=True)
class CallClaim:
    """A call site and one of its targets; without a target, `reason` says why."""

    path: str
    line: int
    source: str
    name: str
    target: str = ""
    confidence: float = 0.0
    reason: str = ""

    @property
    def site(self) -> tuple[str, int, str, str]:
        return self.path, self.line, self.source, self.name

    @property
    def kind(self) -> str:
        if not self.target:
            return "unresolved"
        if self.target.startswith(EXTERNAL):
            return "external"
        return "inside" if self.confidence >= LIKELY else "candidates"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, required=True, help="an indexed checkout")
    parser.add_argument("--ending", action="append", required=True, help="of files whose calls are read: .lua")
    parser.add_argument("--kind", default="CALLS", help="of the edges; USES for languages without calls")
    parser.add_argument("--edges", type=int, default=20, help="edges into the project to show")
    parser.add_argument("--others", type=int, default=5, help="sites to show of each other kind")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rows = exported(given.repo)
    spans = {row["id"]: (row["path"], row["first_line"]) for row in rows if row["type"] == "node" and row["path"]}
    claims = [claim for claim in claims_of(rows, given.kind) if claim.path.endswith(tuple(given.ending))]
    print(shares(claims))
    draw = random.Random(given.seed)
    for kind in KINDS:
        found = sorted(claim for claim in claims if claim.kind == kind)
        for claim in sorted(draw.sample(found, min(len(found), given.edges if kind == "inside" else given.others))):
            print(f"\n{kind} {claim.path}:{claim.line} {claim.name}\n    {_line(given.repo, claim.path, claim.line)}")
            print(f"  {claim.target} ({claim.confidence:g})" if claim.target else f"  {claim.reason}")
            if claim.target in spans:
                path, first = spans[claim.target]
                print(f"    {path}:{first} {_line(given.repo, path, first)}")


def exported(repo: Path) -> list[dict[str, Any]]:
    command: list[str | Path] = [sys.executable, "-m", "clew", "-C", repo, "graph", "--format", "jsonl", "--candidates"]
    lines = subprocess.run(command, check=True, capture_output=True).stdout.splitlines()
    return [msgspec.json.decode(line) for line in lines]


def claims_of(rows: Iterable[Mapping[str, Any]], kind: str) -> list[CallClaim]:
    """Each edge of the kind, and each unresolved call."""
    claims: list[CallClaim] = []
    for row in rows:
        if row["type"] == "edge" and row["kind"] == kind:
            place = row["evidence"]
            name = _name_of(row["target"])
            claims.append(
                CallClaim(place["path"], place["line"], row["source"], name, row["target"], row["confidence"])
            )
        elif row["type"] == "unresolved" and kind == "CALLS":
            place = row["evidence"]
            claims.append(CallClaim(place["path"], place["line"], row["source"], row["written"], reason=row["reason"]))
    return claims


def shares(claims: Sequence[CallClaim]) -> str:
    """How many sites lead where; a site with several claims counts as the first of `KINDS` among them."""
    by_site: dict[tuple[str, int, str, str], set[str]] = defaultdict(set)
    for claim in claims:
        by_site[claim.site].add(claim.kind)
    counts = dict.fromkeys(KINDS, 0)
    for kinds in by_site.values():
        counts[min(kinds, key=KINDS.index)] += 1
    told = ", ".join(f"{kind} {count} ({count / max(len(by_site), 1):.0%})" for kind, count in counts.items())
    return f"{len(by_site)} call sites: {told}"


def _name_of(target: str) -> str:
    return target.removeprefix(EXTERNAL).rpartition(SCOPE)[2].rpartition(".")[2].partition("#")[0]


def _line(repo: Path, path: str, number: int) -> str:
    lines = (repo / path).read_text("utf-8", errors="replace").split("\n")
    return lines[number - 1].strip()[:150] if number <= len(lines) else ""


if __name__ == "__main__":
    main()
