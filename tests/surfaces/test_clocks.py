"""A clock that is centuries ahead, and files that are: every command answers, and none fails with a traceback."""

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import Repository

from .processes import clew

AHEAD = 10_000_000_000  # seconds; to the year 2343, beyond what nanoseconds in 64 bits can tell

LATER = f"""
import time
_time, _time_ns = time.time, time.time_ns
time.time = lambda: _time() + {AHEAD}
time.time_ns = lambda: _time_ns() + {AHEAD} * 1_000_000_000
"""

COMMANDS = (
    ("index",),
    ("search", "charge"),
    ("memory", "add", "observation", "cards are tokens"),
    ("memory", "recall", "cards"),
    ("claims", "claim", "pay.py"),
    ("pack", "charge a card"),
    ("index",),
    ("status",),
)


def test_a_clock_in_the_year_2343_is_no_reason_to_fail(repository: Repository, tmp_path: Path) -> None:
    repository.write("pay.py", "def charge(card):\n    return card\n")
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / "sitecustomize.py").write_text(LATER, "utf-8")
    environ = {**os.environ, "PYTHONPATH": str(tmp_path / "later")}
    for command in COMMANDS:
        asked = [sys.executable, "-m", "clew", *command]
        done = subprocess.run(asked, cwd=repository.root, env=environ, capture_output=True, text=True)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), (command, done.stderr)


def test_a_file_from_the_year_2343_is_indexed_and_its_edits_are_seen(repository: Repository) -> None:
    file = repository.write("pay.py", "def charge(card):\n    return card\n")
    os.utime(file, (AHEAD * 1.18, AHEAD * 1.18))
    assert clew("index", cwd=repository.root).code == 0
    file.write_text("def refund(card):\n    return card\n", "utf-8")
    os.utime(file, (AHEAD * 1.18, AHEAD * 1.18))

    assert "refund" in clew("search", "refund", cwd=repository.root).out
