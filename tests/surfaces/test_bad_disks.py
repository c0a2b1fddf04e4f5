"""Disks that cannot be written, and disks that are full: what was indexed can be asked, and nothing is lost."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .processes import HELD_TO_PERMISSIONS, clew, mcp_on_pipes

Mount = Callable[[str], Path]


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Mount]:
    """A disk of its own, of a given size, for the length of a test."""
    disk = tmp_path / "disk"
    disk.mkdir()

    def mount(size: str) -> Path:
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], capture_output=True)
        if made.returncode:
            pytest.skip("needs the right to mount")
        return disk

    yield mount
    subprocess.run(["umount", "-l", disk], capture_output=True)


def grow(root: Path, first: int, last: int) -> None:
    for n in range(first, last):
        body = "\n".join(f"    weigh_{n}_{i}(value, {n * i})" for i in range(40))
        (root / f"case_{n}.py").write_text(f"def handle_case_{n}(value):\n{body}\n", "utf-8")


def fill(disk: Path, *, leaving: int = 0) -> Path:
    """Take what is left, but for so many bytes."""
    file = disk / "fill.bin"
    with file.open("wb", buffering=0) as filling:
        try:
            while filling.write(b"\0" * 4096):
                pass
        except OSError:
            filling.truncate(filling.tell() - leaving)
            return file
    raise AssertionError("the disk has no end")


def remount(disk: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", disk], check=True)


def test_an_index_on_a_read_only_disk_can_be_asked_and_not_written(mounted: Mount, tmp_path: Path) -> None:
    disk = mounted("8m")
    grow(disk, 0, 5)
    assert clew("index", cwd=disk).code == 0
    remount(disk, "ro")

    for command in (("index",), ("rebuild",)):
        done = clew(*command, "--json", cwd=disk)
        assert (done.code, done.json["errorCode"]) == (6, "CLEW_E_STORE_READ_ONLY")
    assert clew("search", "handle", "case", "--json", cwd=disk).json["data"]["hits"]
    assert clew("status", "--json", cwd=disk).json["data"]["status"] == "ready"
    with mcp_on_pipes(disk, tmp_path / "mcp") as pipes:
        pipes.greet()
        assert pipes.call("query_context", query="handle case")["data"]["hits"]


def test_a_read_only_disk_without_an_index_is_said(mounted: Mount) -> None:
    disk = mounted("8m")
    grow(disk, 0, 2)
    remount(disk, "ro")
    done = clew("index", "--json", cwd=disk)

    assert (done.code, done.json["errorCode"]) == (6, "CLEW_E_STORE_READ_ONLY")
    assert "db_path" in done.json["hint"]


def test_a_disk_that_fills_up_loses_nothing_and_goes_on_when_there_is_room(mounted: Mount) -> None:
    disk = mounted("6m")
    grow(disk, 0, 20)
    assert clew("index", "--json", cwd=disk).json["files"] == 20
    grow(disk, 20, 120)
    filling = fill(disk, leaving=200_000)

    done = clew("index", "--json", cwd=disk)
    assert (done.code, done.json["errorCode"]) == (6, "CLEW_E_DISK_FULL")
    assert "Free some space" in done.json["hint"]
    assert clew("search", "handle_case_7", "--json", cwd=disk).json["data"]["hits"][0]["file_path"] == "case_7.py"

    filling.unlink()
    after = clew("index", "--json", cwd=disk)
    assert (after.code, after.json["files"], after.json["failed"]) == (0, 120, [])
    assert clew("search", "handle_case_99", "--json", cwd=disk).json["data"]["hits"][0]["file_path"] == "case_99.py"


def test_a_disk_without_a_byte_left_is_called_full_and_can_still_be_asked(mounted: Mount) -> None:
    disk = mounted("6m")
    grow(disk, 0, 20)
    assert clew("index", cwd=disk).code == 0
    fill(disk)

    assert clew("index", "--json", cwd=disk).json["errorCode"] == "CLEW_E_DISK_FULL"
    assert clew("search", "handle_case_7", "--json", cwd=disk).json["data"]["hits"]


def test_a_disk_that_is_full_from_the_start_is_said_and_leaves_nothing_wrong(mounted: Mount) -> None:
    disk = mounted("1m")
    grow(disk, 0, 3)
    filling = fill(disk)

    done = clew("index", "--json", cwd=disk)
    assert (done.code, done.json["errorCode"]) == (6, "CLEW_E_DISK_FULL")

    filling.unlink()
    assert clew("index", "--json", cwd=disk).json["files"] == 3
    assert (disk / ".clew" / ".gitignore").read_text("utf-8") == "*\n"


def test_without_a_byte_left_the_disk_is_named_and_answers_say_what_they_miss(
    mounted: Mount, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = mounted("8m")
    (tmp_path / "project").mkdir()
    project = tmp_path / "project"
    grow(project, 0, 5)
    monkeypatch.setenv("CLEW_STORAGE_DB_PATH", str(disk / "clew.db"))
    assert clew("index", cwd=project).code == 0
    fill(disk)
    (project / "new.py").write_text("def okapi(): ...\n", "utf-8")
    with mcp_on_pipes(project, tmp_path / "mcp") as pipes:
        pipes.greet()
        kept = pipes.call("episode_add", type="OBSERVATION", content="a zebra")
        found = pipes.call("query_context", query="okapi")

    assert kept["errorCode"] == "CLEW_E_DISK_FULL"
    assert "1 changed file is not indexed yet." in found["summary"]


def test_a_folder_that_may_not_be_entered_is_told(tmp_path: Path) -> None:
    grow(tmp_path, 0, 2)
    assert clew("index", cwd=tmp_path).code == 0
    (tmp_path / ".clew").chmod(0)
    said = [clew(*asked, "--json", cwd=tmp_path, under=HELD_TO_PERMISSIONS) for asked in (("search", "x"), ("index",))]
    (tmp_path / ".clew").chmod(0o755)

    assert [(one.code, one.json["errorCode"]) for one in said] == [(6, "CLEW_E_STORE_READ_ONLY")] * 2


def test_what_stood_in_the_way_when_it_was_opened_is_told_to_who_writes(tmp_path: Path) -> None:
    """Not that the file, which can only be read now, can only be read."""
    grow(tmp_path, 0, 2)
    assert clew("index", cwd=tmp_path).code == 0
    few = ("prlimit", "--fsize=20000")
    kept = clew("memory", "add", "OBSERVATION", "a zebra", "--json", cwd=tmp_path, under=few)

    assert kept.json["errorCode"] == "CLEW_E_DISK_FULL"
    assert clew("memory", "add", "OBSERVATION", "a zebra", cwd=tmp_path).code == 0
