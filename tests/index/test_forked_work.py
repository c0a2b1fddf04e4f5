"""Work that copies of the process do."""

import os
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from clew.engine import Engine
from clew.index.forked_work import TOGETHER, CopyReport, forked_results, possible_copies
from clew.index.link_stage import MANY_FILES
from clew.store.links import Links
from tests.surfaces.processes import clew

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="no other system copies processes safely")

ITEMS = [str(number) for number in range(5 * TOGETHER)]


def test_results_come_in_the_order_of_the_items_and_each_copy_reports() -> None:
    done: list[str] = []
    taken: list[list[str]] = []

    def work(item: str) -> str:
        done.append(item)
        return item * 2

    notes = CopyReport(list[str], lambda: done, taken.append)

    assert list(forked_results(ITEMS, work, str, notes, 2)) == [item * 2 for item in ITEMS]
    assert sorted([*done, *(item for some in taken for item in some)], key=int) == ITEMS
    assert len(taken) == 2


def test_the_share_of_a_copy_that_dies_is_done_here() -> None:
    original = os.getpid()

    def work(item: str) -> str:
        if os.getpid() != original and int(item) % TOGETHER == 3:
            os._exit(1)
        return item

    assert list(forked_results(ITEMS, work, str, CopyReport(int, lambda: 0, lambda note: None), 2)) == ITEMS


def children() -> set[str]:
    return {child for task in Path("/proc/self/task").iterdir() for child in (task / "children").read_text().split()}


def test_closing_ends_the_copies() -> None:
    before = children()
    with closing(forked_results(ITEMS, str, str, CopyReport(int, lambda: 0, lambda note: None), 2)) as results:
        next(results)
        assert len(children() - before) == 2
    assert children() == before


def test_copies_link_as_one_process_does(tmp_path: Path) -> None:
    """The graph and all inputs of links: the next run, too, links the same files."""
    for number in range(MANY_FILES):
        (tmp_path / f"m{number}.py").write_text(
            f"from m{number // 2} import f{number // 2}\n\n\ndef f{number}(value):\n    return f{number // 2}(value)\n",
            "utf-8",
        )
    found = []
    for workers in ("1", "3"):
        clew("index", "--full", cwd=tmp_path, env={"CLEW_BOOTSTRAP_PARALLEL_WORKERS": workers})
        with Engine.open(tmp_path) as engine:
            links = Links(engine.db, engine.where)
            found.append((clew("graph", "--candidates", cwd=tmp_path).out, links.inputs(), links.global_summary()))
    assert found[0] == found[1]


def test_a_process_with_threads_is_not_copied() -> None:
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    try:
        assert possible_copies(8) == 0
    finally:
        ended.set()
        thread.join()
