"""Regular files are opened, and nothing else: no pipe, no device, and among Clew's own files no link."""

import os
import sys
from pathlib import Path

import pytest

from clew.runtime.plain import OwnMode, open_own, open_plain, read_own, read_plain

MODES: tuple[OwnMode, ...] = ("rb", "r+b", "ab", "wb", "xb")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices are files elsewhere")


@pytest.mark.parametrize("mode", MODES)
def test_a_pipe_is_refused_without_waiting_for_its_other_end(tmp_path: Path, mode: OwnMode) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    with pytest.raises(OSError):
        open_own(pipe, mode)
    with pytest.raises(OSError):
        open_plain(pipe)


def test_an_endless_device_is_refused(tmp_path: Path) -> None:
    link = tmp_path / "clew.db"
    link.symlink_to("/dev/zero")

    with pytest.raises(OSError):
        read_plain(link)


@pytest.mark.parametrize("mode", MODES)
def test_a_link_among_clews_own_files_is_neither_read_nor_written(tmp_path: Path, mode: OwnMode) -> None:
    target, link = tmp_path / "profile", tmp_path / "packs.jsonl"
    target.write_text("mine", "utf-8")
    link.symlink_to(target)

    with pytest.raises(OSError):
        open_own(link, mode)
    assert target.read_text("utf-8") == "mine"
    assert read_plain(link) == b"mine"


def test_own_files_are_written_added_to_and_read(tmp_path: Path) -> None:
    file = tmp_path / "own"
    steps: tuple[tuple[OwnMode, bytes], ...] = (("xb", b"long first text"), ("wb", b"second"), ("ab", b" third"))
    for mode, text in steps:
        with open_own(file, mode) as opened:
            opened.write(text)

    assert read_own(file) == b"second third"
    with pytest.raises(FileExistsError):
        open_own(file, "xb")


def test_a_file_beyond_its_limit_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"12345")

    assert read_own(tmp_path / "large", 5) == b"12345"
    with pytest.raises(OSError, match="more than 4 bytes"):
        read_own(tmp_path / "large", 4)
