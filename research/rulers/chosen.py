"""How often a name has one answer: `python -m research.rulers.chosen --repo PATH`.

Classes and functions of a checkout are asked for by their whole names. "Of one file": all that is to be chosen from has
one name in one file, as overloads do.
"""

import argparse
import random
import time
from pathlib import Path

from bench import copies
from bench.measure import percentile

from clew.engine import Engine
from clew.model.code import SCOPE
from clew.model.words import CLASSES, Kind
from clew.text.paths import Among, lies_among
from clew.tools.code import code_explain
from clew.tools.explanation import Choices

SEED = 6
ASKED = (*CLASSES, Kind.FUNCTION, Kind.METHOD)


def main() -> None:
    parser = argparse.ArgumentParser(prog="research.rulers.chosen", description=__doc__)
    parser.add_argument("--repo", type=Path, required=True, help="A checkout; it is copied, never touched.")
    parser.add_argument("--names", type=int, default=300, help="How many are drawn at random.")
    parser.add_argument("--show", action="store_true", help="Name what is to be chosen from.")
    options = parser.parse_args()
    with copies.indexed(options.repo) as engine:
        names = sorted(_names(engine))
        random.Random(SEED).shuffle(names)
        _report(engine, options.repo.name, names[: options.names], show=options.show)


def _names(engine: Engine) -> set[str]:
    return {
        one.scope.partition("#")[0]
        for content in engine.files.contents()
        if lies_among(content.path) is Among.CODE
        for one in engine.files.symbols_in(content.file, content.version)
        if one.kind in ASKED
    }


def _report(engine: Engine, project: str, names: list[str], *, show: bool) -> None:
    chosen, of_one, times = [], 0, []
    for name in names:
        start = time.perf_counter()
        found = code_explain(engine, name)
        times.append(1000 * (time.perf_counter() - start))
        if isinstance(found, Choices):
            chosen.append(name)
            of_one += len({one.id.partition("#")[0] for one in found.choices}) == 1
    slow = percentile(times, 0.95)
    print(f"{project}: of {len(names)} names {len(chosen)} to be chosen from, of one file {of_one}; p95 {slow:.0f} ms")
    if show:
        print("\n".join(f"  {name.replace(SCOPE, '.')}" for name in chosen))


if __name__ == "__main__":
    main()
