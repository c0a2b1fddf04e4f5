"""What is said of functions that nothing in a tree is known to call: `python -m research.rulers.zeros --repo PATH`.

"Bare": code_explain says that there are no callers and that the name stands in no other line, and nothing more.
"""

import argparse
import random
import time
from collections import Counter
from pathlib import Path

from bench import copies
from bench.measure import percentile

from clew.engine import Engine
from clew.model.code import symbol_id
from clew.model.words import Kind
from clew.tools.code import code_explain
from clew.tools.explanation import CodeExplain

SEED = 4
CALLED = (Kind.FUNCTION, Kind.METHOD)


def main() -> None:
    parser = argparse.ArgumentParser(prog="research.rulers.zeros", description=__doc__)
    parser.add_argument("--repo", type=Path, required=True, help="A checkout; it is copied, never touched.")
    parser.add_argument("--functions", type=int, default=400, help="How many are drawn at random.")
    parser.add_argument("--show", action="store_true", help="Name what stays bare, and what may be put together.")
    options = parser.parse_args()
    with copies.indexed(options.repo) as engine:
        ids = _functions(engine)
        random.Random(SEED).shuffle(ids)
        _report(engine, options.repo.name, ids[: options.functions], show=options.show)


def _functions(engine: Engine) -> list[str]:
    return sorted(
        symbol_id(content.path, one.scope)
        for content in engine.files.contents()
        for one in engine.files.symbols_in(content.file, content.version)
        if one.kind in CALLED
    )


def _report(engine: Engine, name: str, ids: list[str], *, show: bool) -> None:
    told: Counter[str] = Counter()
    took = []
    for one in ids:
        start = time.perf_counter()
        found = code_explain(engine, one)
        if not isinstance(found, CodeExplain) or found.named is None:
            continue
        took.append(1000 * (time.perf_counter() - start))
        is_bare = not (found.named.count or found.put_together or found.outside)
        told["nothing leads to"] += 1
        told["its name in no other line"] += not found.named.count
        told["may be put together"] += found.put_together is not None
        told["may be called from outside"] += bool(found.outside)
        told["bare"] += is_bare
        if show and (is_bare or found.put_together):
            print(f"  {'bare' if is_bare else 'put together'} {one} {found.put_together or ''}")
    counts = ", ".join(f"{what} {count}" for what, count in told.items())
    times = f"{percentile(took, 0.5):.0f} ms, p95 {percentile(took, 0.95):.0f} ms" if took else "none"
    print(f"{name}: of {len(ids)} functions {counts}; these take {times}", flush=True)


if __name__ == "__main__":
    main()
