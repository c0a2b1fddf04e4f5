"""Packs that were written: read again, sharded, and never lost, whoever is killed while writing."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from clew.model.errors import DiskFull, InvalidInput, NotFound, StoreCorrupt, StoreNewer, StoreReadOnly
from clew.pack.records import Records
from tests.pack.packs import a_pack, an_id

WRITERS = 3
KILLS = 8
SEED = 20260101


def test_a_pack_comes_back_as_it_was_written(tmp_path: Path) -> None:
    written = structs.replace(a_pack(7), created_at="2026-01-01T00:00:00Z")
    Records(tmp_path).write(written)

    assert Records(tmp_path).read(an_id(7)) == written
    (line,) = (tmp_path / "context_packs.jsonl").read_bytes().splitlines()
    assert msgspec.json.decode(line)["request"]["query"] == "login"


def test_a_pack_is_written_once(tmp_path: Path) -> None:
    kept = Records(tmp_path)
    kept.write(structs.replace(a_pack(7), created_at="first"))
    kept.write(structs.replace(a_pack(7), created_at="second"))

    assert kept.read(an_id(7)).created_at == "first"
    assert (tmp_path / "context_packs.jsonl").read_bytes().count(b"\n") == 1


def test_what_was_not_written_is_not_found_and_what_is_no_id_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=an_id(1)):
        Records(tmp_path).read(an_id(1))
    with pytest.raises(InvalidInput, match="pack_id"):
        Records(tmp_path).read("../../etc/passwd")


def test_a_pack_that_only_quotes_an_id_is_not_taken_for_it(tmp_path: Path) -> None:
    kept = Records(tmp_path)
    kept.write(a_pack(1, query=f'what is "packId":"{an_id(2)}"?'))

    with pytest.raises(NotFound):
        kept.read(an_id(2))


def test_another_format_is_refused_by_its_code(tmp_path: Path) -> None:
    Records(tmp_path).write(structs.replace(a_pack(1), format_version=2))

    with pytest.raises(StoreNewer, match="format 2") as caught:
        Records(tmp_path).read(an_id(1))
    assert caught.value.code == "CLEW_E_CONTRACT_VERSION"


def test_a_torn_line_costs_nothing_but_itself(tmp_path: Path) -> None:
    kept = Records(tmp_path)
    kept.write(a_pack(1))
    with (tmp_path / "context_packs.jsonl").open("ab") as file:
        file.write(msgspec.json.encode(a_pack(2))[:-20])

    with pytest.raises(NotFound):
        kept.read(an_id(2))
    kept.write(a_pack(3))
    kept.write(a_pack(2))
    assert [kept.read(an_id(n)).pack_id for n in (1, 2, 3)] == [an_id(1), an_id(2), an_id(3)]


def test_the_beginning_of_an_id_is_enough_if_it_is_of_one_pack_alone(tmp_path: Path) -> None:
    kept = Records(tmp_path)
    alike = [f"{'ab' * 6}{number:052x}" for number in (1, 2)]
    other = f"{'cd' * 6}{3:052x}"
    for name in (*alike, other):
        kept.write(structs.replace(a_pack(1), pack_id=name))

    assert kept.read(other[:12]).pack_id == other
    with pytest.raises(InvalidInput, match="beginning of 2 ids") as caught:
        kept.read("ab" * 6)
    assert alike[0] in caught.value.hint
    with pytest.raises(NotFound):
        kept.read("ef" * 6)


@pytest.mark.parametrize("damage", [('"sections":[]', '"sections":[7]'), ('"budgets":{', '"budgets":')])
def test_a_damaged_record_says_so_and_is_replaced_when_the_pack_is_written_again(
    tmp_path: Path, damage: tuple[str, str]
) -> None:
    kept, file = Records(tmp_path), tmp_path / "context_packs.jsonl"
    kept.write(a_pack(7))
    file.write_text(file.read_text("utf-8").replace(*damage), "utf-8")

    with pytest.raises(StoreCorrupt, match="is damaged") as caught:
        kept.read(an_id(7))
    assert "context_pack_create" in caught.value.hint
    kept.write(a_pack(7))
    assert kept.read(an_id(7)) == a_pack(7)


def test_a_newer_schema_is_refused_by_its_code(tmp_path: Path) -> None:
    Records(tmp_path).write(structs.replace(a_pack(1), schema_version="2.0.0"))

    with pytest.raises(StoreNewer, match=r"2\.0\.0") as caught:
        Records(tmp_path).read(an_id(1))
    assert caught.value.code == "CLEW_E_CONTRACT_VERSION"


def test_what_grows_too_large_becomes_shards_with_a_sidecar(tmp_path: Path) -> None:
    size = len(msgspec.json.encode(a_pack(1)))
    kept = Records(tmp_path, max_shard_bytes=3 * size)
    for number in range(8):
        kept.write(a_pack(number))

    assert all(kept.read(an_id(number)).pack_id == an_id(number) for number in range(8))
    parts = sorted(path.name for path in tmp_path.glob("*.part-*.jsonl"))
    assert parts[0] == "context_packs.part-00000.jsonl"
    meta = msgspec.json.decode((tmp_path / "context_packs.meta.json").read_bytes())
    assert [shard["path"] for shard in meta["shards"]] == parts
    assert all((tmp_path / shard["path"]).stat().st_size == shard["bytes"] for shard in meta["shards"])
    manifest = msgspec.json.decode((tmp_path / "context_packs.manifest.json").read_bytes())
    assert (manifest["current"], manifest["meta"]) == ("context_packs.jsonl", "context_packs.meta.json")


def test_a_file_up_to_the_bound_stays_one(tmp_path: Path) -> None:
    line = len(msgspec.json.encode(a_pack(1))) + 1
    for bound, shards in ((2 * line, 0), (2 * line - 1, 1)):
        folder = tmp_path / str(bound)
        folder.mkdir()
        kept = Records(folder, max_shard_bytes=bound)
        kept.write(a_pack(1))
        kept.write(a_pack(2))
        assert len(list(folder.glob("*.part-*.jsonl"))) == shards


def test_a_disk_that_is_full_leaves_no_half_of_a_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Records(tmp_path)
    kept.write(a_pack(1))
    before = (tmp_path / "context_packs.jsonl").read_bytes()

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFull):
        kept.write(a_pack(2))
    assert (tmp_path / "context_packs.jsonl").read_bytes() == before


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreReadOnly, match="missing"):
        Records(tmp_path / "missing").write(a_pack(1))


WRITER = """
import sys
from pathlib import Path
from clew.pack.records import Records
from tests.pack.packs import a_pack
folder, start = Path(sys.argv[1]), int(sys.argv[2])
kept = Records(folder, max_shard_bytes=40_000)
for number in range(start, start + 100_000):
    kept.write(a_pack(number))
    print(number, flush=True)
"""


def test_nothing_acknowledged_is_lost_when_writers_are_killed(tmp_path: Path) -> None:
    folder = tmp_path / "packs"
    folder.mkdir()
    chance, acknowledged = random.Random(SEED), set[int]()
    begun = 0

    def start() -> "subprocess.Popen[str]":
        nonlocal begun
        begun += 1
        command = [sys.executable, "-c", WRITER, str(folder), str(begun * 1_000_000)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": _path()})

    def end(process: "subprocess.Popen[str]") -> None:
        """Some time after it began to write."""
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(chance.uniform(0.0, 0.05))
        process.send_signal(signal.SIGKILL)
        told = first + process.communicate()[0]
        acknowledged.update(int(line) for line in told.splitlines(keepends=True) if line.endswith("\n"))

    writers = [start() for _ in range(WRITERS)]
    for _ in range(KILLS):
        end(writers.pop(chance.randrange(len(writers))))
        writers.append(start())
    for process in writers:
        end(process)

    kept = Records(folder, max_shard_bytes=40_000)
    assert len(acknowledged) > KILLS
    assert [number for number in acknowledged if kept.read(an_id(number)).pack_id != an_id(number)] == []
    kept.write(a_pack(5))
    assert kept.read(an_id(5)).pack_id == an_id(5)
    assert len(list(folder.glob("*.part-*.jsonl"))) > 0


def _path() -> str:
    return os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])
