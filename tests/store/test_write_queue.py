"""Writers of one file take turns; none waits for ever, and who dies gives its turn back."""

import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

from clew.store.sqlite import SQLite
from clew.store.write_queue import Turns

HOLDING = """
import sys, time
from pathlib import Path
from clew.store.sqlite import SQLite
with SQLite(Path(sys.argv[1])) as db, db.transaction():
    print("held", flush=True)
    time.sleep(60)
"""


def test_writers_of_many_threads_all_get_in(tmp_path: Path) -> None:
    with closing(SQLite(tmp_path / "clew.db")) as db:
        db.define("CREATE TABLE written (n INTEGER)")

        def write(n: int) -> None:
            for _ in range(20):
                with db.transaction():
                    db.define(f"INSERT INTO written VALUES ({n})")

        threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert _count(tmp_path / "clew.db") == 160


def test_who_is_killed_in_its_turn_gives_it_back(tmp_path: Path) -> None:
    with closing(SQLite(tmp_path / "clew.db")) as db:
        holder = subprocess.Popen(
            [sys.executable, "-c", HOLDING, str(tmp_path / "clew.db")], stdout=subprocess.PIPE, text=True
        )
        assert holder.stdout and holder.stdout.readline() == "held\n"
        killing = threading.Timer(0.3, holder.send_signal, [signal.SIGKILL])
        killing.start()
        with db.transaction():
            db.define("CREATE TABLE written (n INTEGER)")
        holder.wait()
        holder.stdout.close()


def test_a_turn_that_does_not_come_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    first, second = Turns(tmp_path / "turn"), Turns(tmp_path / "turn")
    first.take(1)

    began = time.monotonic()
    second.take(0.1)  # SQLite would say now that the file is locked
    assert time.monotonic() - began >= 0.1
    first.give_back()
    second.take(5)
    second.give_back()
    first.take(5)
    first.close()
    second.close()


def test_where_no_file_can_be_made_there_is_no_order_and_no_error(tmp_path: Path) -> None:
    turns = Turns(tmp_path / "nowhere" / "turn")

    turns.take(1)
    turns.give_back()
    turns.close()


def _count(path: Path) -> int:
    with closing(sqlite3.connect(path)) as raw:
        return int(raw.execute("SELECT COUNT(*) FROM written").fetchone()[0])
