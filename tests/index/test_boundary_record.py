"""The record of which settings decided what is indexed."""

from pathlib import Path

from msgspec import structs

from clew.index.disk import boundary_record
from clew.runtime.place import MAIN
from clew.runtime.settings import Config, Watcher


def test_only_changes_are_recorded_and_each_tree_has_its_own(tmp_path: Path) -> None:
    narrow = structs.replace(Config(), watcher=Watcher(watch_paths=("src/",), debounce_ms=900))

    first = boundary_record.note(tmp_path, MAIN, Config(), "2026-01-01T00:00:00Z")
    again = boundary_record.note(tmp_path, MAIN, Config(), "2026-01-02T00:00:00Z")
    changed = boundary_record.note(tmp_path, MAIN, narrow, "2026-01-03T00:00:00Z")
    with (tmp_path / "boundary.jsonl").open("ab") as torn:
        torn.write(b'{"at": "2026')

    assert first is not None
    assert "indexing.max_file_size_mb" in first.changed
    assert again is None
    assert changed is not None
    assert changed.changed == {"watcher.watch_paths": '["src/"]'}
    assert boundary_record.read(tmp_path, MAIN) == [first, changed]
    assert boundary_record.read(tmp_path, "worktree:other") == []
