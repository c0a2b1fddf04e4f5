"""How right edges are between a change and the linking of all files, over the last commits of a repository.

Each commit of one to five files is checked out over the index of its parent, refreshed as a question would, and
compared with what linking everything makes of it. The repository is cloned first; nothing is written to it.
"""

import argparse
import os
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from clew.engine import Engine, now
from clew.index.index_lease import IndexLease
from clew.store.leases import LINKING
from clew.store.links import unpack_links
from clew.store.together import together

Edge = tuple[str, str, str, str, int]
MOST_FILES = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--commits", type=int, default=30)
    chosen = parser.parse_args()
    os.environ["CLEW_QUERY_LINK_AT_ONCE"] = "0"
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "repository"
        subprocess.run(["git", "clone", "-q", "--no-hardlinks", chosen.repo, root], check=True)
        _print([_try(root, commit) for commit in _commits(root, chosen.commits)])


def _commits(root: Path, most: int) -> list[str]:
    listed = _git(root, "log", "--first-parent", "--no-merges", "--format=%H", f"-n{10 * most}").split()[:-1]
    few = (one for one in listed if 0 < len(_git(root, "diff", "--name-only", f"{one}^", one).split()) <= MOST_FILES)
    return [one for _, one in zip(range(most), few, strict=False)][::-1]


def _try(root: Path, commit: str) -> Counter[str]:
    _git(root, "checkout", "-q", f"{commit}^")
    with Engine.open(root) as engine:
        engine.index()
        before = set(_edges(engine))
        _git(root, "checkout", "-q", commit)
        with IndexLease(engine.db, engine.where, "1 on this bench", now, LINKING).hold(0):  # so that nobody else does
            started = time.process_time()
            engine.refresh()
            refreshed = time.process_time() - started
        if not engine.checkouts.state(engine.where).behind:
            return Counter(at_once=1)
        near, changed = set(_edges(engine)), set(_git(root, "diff", "--name-only", f"{commit}^", commit).split())
        started = time.process_time()
        engine.catch_up()
        caught = time.process_time() - started
        right = set(_edges(engine))
    elsewhere = {edge for edge in before ^ right if edge[0] not in changed}
    wrong = near ^ right
    return Counter(
        behind=1,
        right=not wrong,
        edges=len(before ^ right),
        elsewhere=len(elsewhere),
        wrong=len(wrong),
        wrong_elsewhere=len({edge for edge in wrong if edge[0] not in changed}),
        refresh_ms=round(refreshed * 1000),
        catch_up_ms=round(caught * 1000),
    )


def _edges(engine: Engine) -> Iterator[Edge]:
    contents = engine.files.contents()
    for one, data in zip(
        contents, together(engine.db, partial(engine.links.each_later, [one.file for one in contents]))[0], strict=True
    ):
        linked = unpack_links(data)
        yield from ((one.path, edge.scope, edge.kind, edge.target, edge.line) for edge in linked.edges)
        yield from ((one.path, call.scope, "unresolved", call.written, call.line) for call in linked.loose)


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", root, *arguments], check=True, capture_output=True, text=True).stdout


def _print(tried: list[Counter[str]]) -> None:
    total = sum(tried, Counter[str]())
    refresh, all_files = (total[name] / max(total["behind"], 1) for name in ("refresh_ms", "catch_up_ms"))
    print(f"{len(tried)} commits; {total['at_once']} change nothing that others see; of the other {total['behind']}:")
    print(f"  {total['right']} are right at once in every edge")
    print(f"  {total['wrong']} of {total['edges']} edges that commits changed are wrong until all files are linked,")
    print(f"  {total['wrong_elsewhere']} of {total['elsewhere']} in files that did not change")
    print(f"  CPU of a commit: refresh {refresh:.0f} ms, linking all files {all_files:.0f} ms")


if __name__ == "__main__":
    main()
