"""Packs for stack traces show the line in question: `python -m research.rulers.traced --repo PATH… [--moved 40]`.

Lines in the middle of long functions of Python, each pasted as the last frame of a trace with the code that it quotes.
`--moved` is how far the trace's number is off, as in one of another release.
"""

import argparse
import random
from pathlib import Path
from typing import NamedTuple

from bench import copies

import clew
from clew.engine import Engine
from clew.surfaces.library import Workspace
from clew.text.paths import is_test_path

SEED, LEAST_LINES, LEAST_LETTERS = 4, 60, 16
BUDGETS = 500, 1000, 2000


class Spot(NamedTuple):
    path: str
    name: str
    line: int
    text: str

    def trace(self, moved: int) -> str:
        where = f'  File "/opt/app/{self.path}", line {self.line + moved}, in {self.name}'
        return f"Traceback (most recent call last):\n{where}\n    {self.text}\nValueError: nothing"


def main() -> None:
    parser = argparse.ArgumentParser(prog="research.rulers.traced", description=__doc__)
    parser.add_argument("--repo", type=Path, nargs="+", required=True, help="Checkouts; copied, never touched.")
    parser.add_argument("--traces", type=int, default=60, help="Of each.")
    parser.add_argument("--moved", type=int, default=0, help="Lines that numbers are off.")
    options = parser.parse_args()
    print(f"traces, packs that show the line, of {', '.join(map(str, BUDGETS))} tokens:")
    for checkout in options.repo:
        with copies.indexed(checkout) as engine, clew.open(engine.place.root) as workspace:
            some = _spots(engine, options.traces)
            counts = [sum(_shows(workspace, one, options.moved, budget) for one in some) for budget in BUDGETS]
        print(f"  {checkout.name:24s} {len(some):4d} {' '.join(f'{count:4d}' for count in counts)}", flush=True)


def _spots(engine: Engine, most: int) -> list[Spot]:
    """Lines whose text stands once in their file."""
    found = []
    for content in engine.files.contents():
        if content.language != "python" or is_test_path(content.path):
            continue
        lines = [line.strip() for line in engine.files.text(content.text).decode("utf-8", "replace").splitlines()]
        for symbol in engine.files.symbols_in(content.file, content.version):
            first, last = symbol.span.first, symbol.span.last
            if last - first >= LEAST_LINES and str(symbol.kind) in ("function", "method"):
                own = [i for i in range(first + 20, last) if _is_code(lines[i - 1]) and lines.count(lines[i - 1]) == 1]
                found += [Spot(content.path, symbol.scope.rpartition("::")[2], i, lines[i - 1]) for i in own[-1:]]
    found.sort()
    return random.Random(SEED).sample(found, min(most, len(found)))


def _is_code(line: str) -> bool:
    return len(line) >= LEAST_LETTERS and not line.startswith("#")


def _shows(workspace: Workspace, spot: Spot, moved: int, budget: int) -> bool:
    return spot.text in workspace.context_pack(task=spot.trace(moved), max_tokens=budget).text


if __name__ == "__main__":
    main()
