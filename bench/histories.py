"""Histories of methods against CodeShovel's oracles: the commits that changed a method, by recall and precision.

    python -m bench.histories ORACLES MIRRORS [--baselines] [--only NAME] [--show]

ORACLES holds CodeShovel's JSON files (`src/test/resources/oracles/{java,python}` of ataraxie/codeshovel), MIRRORS
clones named `owner+name/repo`. Methods of repositories without a clone are counted and left out. `--baselines` asks
`git log -L` and `git log --follow`, too.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from clew.history.definitions import SymbolVersion
from clew.history.lifelines import Lifelines
from clew.history.trees import Reader
from clew.languages import BUILT_IN
from clew.text.secrets import Scrubber

TIMEOUT_S = 120
RENAMED = {"httpie": "cli"}  # repositories that have another name now


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("oracles", type=Path)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("--baselines", action="store_true")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    missing: Counter[str] = Counter()
    for file in sorted(options.oracles.glob("*.json")):
        oracle = json.loads(file.read_text("utf-8"))
        language = "python" if oracle["filePath"].endswith(".py") else "java"
        root = mirror(options.mirrors, oracle["repositoryName"])
        if options.only not in file.name:
            continue
        if root is None:
            missing[language] += 1
            continue
        wanted = set(oracle["expectedResult"])
        asked: dict[str, Callable[[Path, dict[str, Any]], Collection[str]]] = {"clew log": clew_log}
        if options.baselines:
            asked |= {"git log -L": git_log_lines, "git log --follow": git_log_follow}
        for name, ask in asked.items():
            started = time.perf_counter()
            got = ask(root, oracle)
            spent = time.perf_counter() - started
            both = len(wanted & set(got))
            found[language, name].update(both=both, wanted=len(wanted), found=len(got), methods=1, ms=int(1000 * spent))
            found[language, name].update(perfect=set(got) == wanted)
            if isinstance(got, dict) and options.show:
                show(file.name, oracle, got, spent)
    for (language, name), counted in sorted(found.items()):
        precision, recall = counted["both"] / max(1, counted["found"]), counted["both"] / max(1, counted["wanted"])
        print(
            f"{language:7} {name:17} recall {recall:.3f}  precision {precision:.3f}  all right {counted['perfect']} of "
            f"{counted['methods']} methods, {counted['ms'] / counted['methods'] / 1000:.2f} s each"
        )
    print(f"without a clone: {dict(missing)}")
    return 0


def clew_log(root: Path, oracle: dict[str, Any]) -> dict[str, str]:
    lifelines = Lifelines(root, Reader(BUILT_IN, Scrubber(False, ())))
    start = method(lifelines, oracle)
    if start is None:
        return {}
    life = lifelines.follow(oracle["startCommitName"], start)
    return {one.commit: "+".join(one.kinds) for one in life.changes}


def method(lifelines: Lifelines, oracle: dict[str, Any]) -> SymbolVersion | None:
    file = lifelines.definitions(oracle["startCommitName"], oracle["filePath"])
    named = [one for one in file.definitions if one.name == oracle["functionName"]] if file else []
    line = int(oracle["functionStartLine"])
    return min(named, key=lambda one: (not one.symbol.span.first <= line <= one.symbol.span.last,
                                       abs(one.symbol.span.first - line)), default=None)  # fmt: skip


def git_log_lines(root: Path, oracle: dict[str, Any]) -> list[str]:
    start = method(Lifelines(root, Reader(BUILT_IN, Scrubber(False, ()))), oracle)
    if start is None:
        return []
    lines = f"{start.symbol.span.first},{start.symbol.span.last}:{oracle['filePath']}"
    return logged(root, "-s", f"-L{lines}", oracle["startCommitName"])


def git_log_follow(root: Path, oracle: dict[str, Any]) -> list[str]:
    return logged(root, "--follow", oracle["startCommitName"], "--", oracle["filePath"])


def logged(root: Path, *options: str) -> list[str]:
    command = ["git", "-C", str(root), "log", "--format=%H", *options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return []
    return [line for line in done.stdout.splitlines() if re.fullmatch(r"[0-9a-f]{40}", line)]


def show(name: str, oracle: dict[str, Any], got: dict[str, str], spent: float) -> None:
    wanted = oracle["expectedResult"]
    print(f"{name}  {len(set(wanted) & set(got))} of {len(wanted)}, {len(set(got) - set(wanted))} extra, {spent:.1f} s")
    for sha in wanted:
        if sha not in got:
            print(f"    missed {sha[:10]} {wanted[sha]}")
    for sha, kinds in got.items():
        if sha not in wanted:
            print(f"    extra  {sha[:10]} {kinds}")


def mirror(mirrors: Path, name: str) -> Path | None:
    name = RENAMED.get(name, name)
    return next((place for place in sorted(mirrors.glob(f"*+{name}/repo"))), None)


if __name__ == "__main__":
    sys.exit(main())
