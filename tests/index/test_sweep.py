"""What a stat vouches for, and what it cannot."""

import math
import os
from pathlib import Path

import pytest

from clew.index.disk.scan_state import (
    AT_ONCE,
    MISSING,
    UNPROVEN,
    Doubts,
    PatternSource,
    ScanState,
    StatScan,
    doubts_about,
    proven_stamp,
    read_state,
    stamp_at,
    stat_if_unreadable,
    state_mark,
    write_state,
)
from clew.store.files import RACY_NS

MANY = 3 * AT_ONCE


def stat_of(file: Path) -> tuple[int, int]:
    status = file.stat()
    return status.st_size, status.st_mtime_ns


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for i in range(MANY):
        (tmp_path / f"f{i}").write_text("x")
    return tmp_path


def seen(root: Path) -> ScanState:
    return ScanState(files={file.name: stat_of(file) for file in root.iterdir()})


def sweep(root: Path, known: ScanState) -> Doubts:
    return StatScan(str(root), known, follow_links=False, start=0).scan(math.inf)


def test_what_is_as_it_was_is_not_in_doubt(root: Path) -> None:
    doubts = sweep(root, seen(root))

    assert (doubts.any, doubts.unchecked) == (False, 0)


def test_what_is_not_as_it_was_is(root: Path) -> None:
    known = seen(root)
    (root / "f1").write_text("longer")
    os.utime(root / "f2", ns=(1, 1))
    (root / "f3").unlink()
    (root / "f4").unlink()
    (root / "f4").symlink_to("f5")

    assert sorted(sweep(root, known).files) == ["f1", "f2", "f3", "f4"]
    assert sweep(root, known).files["f3"] is None


def test_what_was_read_within_a_tick_of_the_clock_is(root: Path) -> None:
    known = ScanState(files={"f1": (1, UNPROVEN)})

    assert list(sweep(root, known).files) == ["f1"]


def test_folders_and_rules_are_looked_at_too(root: Path) -> None:
    (root / "sub").mkdir()
    folders = {"": stamp_at(str(root)), "sub/": stamp_at(str(root / "sub"))}
    known = ScanState(
        folders=folders, sources={".gitignore": PatternSource(MISSING, b"")}, watched={"f1": stamp_at(f"{root}/f1")}
    )
    assert not sweep(root, known).any

    (root / "sub" / "new").write_text("x")
    (root / "f1").write_text("other")
    assert (sweep(root, known).folders, sweep(root, known).others) == (["sub/"], ["f1"])
    assert not sweep(root, known).rules
    (root / ".gitignore").write_text("x")
    assert sweep(root, known).rules


def test_a_sweep_that_ran_out_of_time_is_gone_on_with(root: Path) -> None:
    known = seen(root)
    (root / f"f{MANY - 1}").write_text("longer")
    order = StatScan(str(root), known, follow_links=False, start=len(known.files) - 7)

    sweeps = [order.scan(-math.inf) for _ in range(MANY // AT_ONCE + 2)]

    assert all(one.unchecked >= len(known.files) - AT_ONCE for one in sweeps)
    assert [path for one in sweeps for path in one.files].count(f"f{MANY - 1}") >= 1


def test_files_can_be_doubted_for_another_reason(root: Path) -> None:
    doubts = doubts_about(root, ["f1", "none", "f1/none"])

    assert [status is None for status in doubts.files.values()] == [False, True, True]


def test_a_stamp_proves_something_only_after_a_while() -> None:
    assert proven_stamp(100, 100 + RACY_NS) == UNPROVEN
    assert proven_stamp(100, 101 + RACY_NS) == 100
    assert stat_if_unreadable(5, 100, 100) == (5, UNPROVEN)
    assert stat_if_unreadable(5, 100, 101 + RACY_NS) == (5, 100)
    assert stat_if_unreadable(5, 100, 99) == (5, 100), "a clock that runs behind must not have it read for ever"


def test_what_was_seen_is_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    assert (read_state(tmp_path), state_mark(tmp_path)) == (None, (0, 0))
    kept = ScanState("tx", "stamp", b"rules", {"a": (1, 2)}, {"": 3}, skipped=frozenset({"b/"}))
    write_state(tmp_path / "new", kept)
    before = state_mark(tmp_path / "new")

    assert read_state(tmp_path / "new") == kept
    write_state(tmp_path / "new", ScanState())
    assert state_mark(tmp_path / "new") != before
    write_state(tmp_path / "new", kept)
    whole = (tmp_path / "new" / "seen").read_bytes()
    for torn in (b"torn", whole.replace(b"stamp", b"st\xffmp"), whole.replace(b"\xa1a", b"\xa1z")):
        assert torn != whole
        (tmp_path / "new" / "seen").write_bytes(torn)
        assert read_state(tmp_path / "new") is None
    (tmp_path / "file").write_text("")
    write_state(tmp_path / "file", kept)  # where nothing can be kept, nothing is said
