"""What can still be read of a damaged database, and what a new one has of it."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from clew.model.agents import Identity
from clew.model.memory import EpisodeDraft, EpisodeType
from clew.store import migrations
from clew.store.carving import carve
from clew.store.checkouts import Checkouts
from clew.store.database import Where
from clew.store.episodes import Episodes
from clew.store.rescue import faults, rescue
from clew.store.sqlite import SQLite, which
from tests.conftest import DAY_1

PAGE = 4096
COUNT = 400
WHO = Identity("ann", "one")
HERE = Where(1, 1)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A closed database with episodes of all lengths, in a tree of several levels, and a tree of derived rows."""
    path = tmp_path / "clew.db"
    with SQLite(path) as db:
        migrations.migrate(db, migrations.all_migrations(), DAY_1)
        Checkouts(db).ensure("shop", "", "main", DAY_1)
        episodes = Episodes(db, HERE)
        with db.transaction():
            for n in range(COUNT):
                text = f"é{n} " + "as it was found " * (n % 7) * (n % 50)
                draft = EpisodeDraft(EpisodeType.OBSERVATION, text, metadata={"confidence": 0.5})
                episodes.add(f"id-{n}", WHO, draft, [], DAY_1)
            db.execute_many("blob_put", [{"project": 1, "digest": bytes([n]), "data": bytes(9000)} for n in range(200)])
    return path


def ids(path: Path) -> set[str]:
    with SQLite(path) as db:
        return {str(row["id"]) for row in db.query("move_out_episode", project=1, after=0, limit=2 * COUNT)}


def pages_of(path: Path, table: str) -> dict[int, str]:
    with closing(sqlite3.connect(path)) as raw:
        try:
            return dict(raw.execute("SELECT pageno, pagetype FROM dbstat WHERE name = ?", (table,)))
        except sqlite3.OperationalError:
            pytest.skip("this SQLite cannot tell its pages")


def overwrite(path: Path, page: int, data: bytes = b"") -> None:
    with path.open("r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(data or random.Random(page).randbytes(PAGE))


def test_what_is_carved_is_what_is_read(database: Path) -> None:
    tables = ("episode", "blob", "project")
    with closing(sqlite3.connect(database)) as raw:
        read = {(table, *row) for table in tables for row in raw.execute(f"SELECT * FROM {table}")}
    carved = [row for row in carve(database) if row.table in tables]

    assert {(row.table, *row.values) for row in carved} == read
    assert len(carved) == len(read)
    assert not any(row.torn for row in carved)


def test_a_sound_file_has_no_faults(database: Path) -> None:
    assert faults(database) == []


@pytest.mark.parametrize("spoil", [lambda page: bytes(PAGE), lambda page: b"", lambda page: b"\xff" * PAGE])
def test_without_the_first_page_nothing_is_lost(database: Path, spoil: Callable[[int], bytes]) -> None:
    overwrite(database, 1, spoil(1))

    assert faults(database)
    rescued = rescue(database, "shop", DAY_1, which(database))

    assert ids(database) == {f"id-{n}" for n in range(COUNT)}
    assert rescued is not None
    assert rescued.rows["episode"] == COUNT
    assert rescued.aside.exists()
    assert faults(database) == []


def test_without_the_pages_that_lead_to_others_nothing_is_lost(database: Path) -> None:
    inner = [page for page, kind in pages_of(database, "episode").items() if kind == "internal"]
    assert inner
    for page in inner:
        overwrite(database, page)

    assert faults(database)
    rescue(database, "shop", DAY_1, which(database))

    assert ids(database) == {f"id-{n}" for n in range(COUNT)}


def test_of_a_lost_page_only_its_rows_are(database: Path) -> None:
    leaf = [page for page, kind in pages_of(database, "episode").items() if kind == "leaf"][3]
    with closing(sqlite3.connect(database)) as raw:
        (on_it,) = raw.execute("SELECT ncell FROM dbstat WHERE pageno = ?", (leaf,)).fetchone()
    overwrite(database, leaf)

    assert faults(database)
    rescue(database, "shop", DAY_1, which(database))

    assert len(ids(database)) == COUNT - on_it


def test_of_a_file_that_is_cut_the_rest_is_there(database: Path) -> None:
    last = max(pages_of(database, "episode"))
    with database.open("r+b") as file:
        file.truncate(last * PAGE)

    assert faults(database)
    rescue(database, "shop", DAY_1, which(database))

    assert ids(database) == {f"id-{n}" for n in range(COUNT)}


def test_what_only_the_log_has_is_not_lost(database: Path, tmp_path: Path) -> None:
    with SQLite(database) as db:
        Episodes(db, HERE).add("id-last", WHO, EpisodeDraft(EpisodeType.OBSERVATION, "last"), [], DAY_1)
        killed = tmp_path / "killed.db"  # as a process that is killed leaves it
        killed.write_bytes(database.read_bytes())
        log = database.with_name("clew.db-wal").read_bytes()
    killed.with_name("killed.db-wal").write_bytes(log)
    overwrite(killed, 3)

    rescue(killed, "shop", DAY_1, which(killed))

    assert "id-last" in ids(killed)


def test_what_was_written_over_does_not_come_back(database: Path) -> None:
    """Pages that a shorter table gave back keep their bytes."""
    with closing(sqlite3.connect(database)) as raw:
        raw.execute("PRAGMA secure_delete = OFF")
        raw.execute("DELETE FROM episode WHERE episode <= 300")
        raw.commit()

    assert sum(row.table in ("", "episode") and len(row.values) == 17 for row in carve(database)) == COUNT - 300


def test_a_project_that_lost_its_name_has_its_own_again(database: Path) -> None:
    (page,) = pages_of(database, "project")
    overwrite(database, page, bytes(PAGE))

    rescue(database, "shop", DAY_1, which(database))

    with SQLite(database) as db:
        assert Checkouts(db).find("shop", "main") == Checkouts(db).ensure("shop", "", "main", DAY_1)
        assert Episodes(db, HERE).latest(1)


def test_letters_that_are_lost_do_not_cost_a_text(database: Path) -> None:
    content = database.read_bytes()
    at = content.index("é299 ".encode())
    database.write_bytes(content[:at] + b"\xff\xfe\xff" + content[at + 3 :])

    assert faults(database)
    rescue(database, "shop", DAY_1, which(database))

    assert "id-299" in ids(database)


def test_what_somebody_else_has_mended_meanwhile_is_left_as_it_is(database: Path) -> None:
    overwrite(database, 1, bytes(PAGE))
    damaged = which(database)
    rescue(database, "shop", DAY_1, damaged)
    mended = which(database)

    assert rescue(database, "shop", DAY_1, damaged) is None
    assert which(database) == mended
