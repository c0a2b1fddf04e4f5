"""Pages of a database overwritten at random: what is said of it, whether `clew rebuild` mends it, and what is lost.

python -m bench.damage [--tries 40] [--seed 1]

What agents wrote is not derivable: a row of theirs may be gone only if its own page was overwritten. What is derived
must be as it would be from nothing.
"""

import argparse
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import json

import clew
from bench import worlds
from bench.worlds import World

FILES = 60
EPISODES, OTHERS = 300, 12  # so that episodes take many pages
PAGE = 4096
WRITTEN = (
    "episode",
    "episode_entity",
    "claim",
    "task",
    "task_change",
    "feature",
    "note",
    "learning",
    "learning_entity",
)
ASKED = (
    ("search", "how is a balance checked"),
    ("memory", "list"),
    ("claims",),
    ("tasks",),
    ("graph", "--format", "jsonl"),
)

Rows = dict[str, set[tuple[Any, ...]]]
Page = tuple[int, str]  # its number, and the table or index that it is of


@dataclass(slots=True)
class Outcome:
    said: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.damage", description=__doc__)
    parser.add_argument("--tries", type=int, default=40, help="How many times a page is overwritten.")
    parser.add_argument("--seed", type=int, default=1, help="Of the repository and the damage.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clew-damage-") as scratch:
        outcome = run(Path(scratch), options.tries, options.seed)
    for said, count in sorted(outcome.said.items()):
        print(f"{count:7} {said}")
    print(f"        rows lost: {dict(outcome.lost) or 'none'}")
    for wrong in outcome.wrong:
        print(f"  wrong: {wrong}")
    print(f"verdict: {f'{len(outcome.wrong)} faults' if outcome.wrong else 'good'}")
    sys.exit(bool(outcome.wrong))


def run(scratch: Path, tries: int, seed: int) -> Outcome:
    world, chance, outcome = worlds.build(scratch / "world", FILES, seed), random.Random(seed), Outcome()
    _write(world)
    place, sound = world.root / ".clew", scratch / "sound"
    shutil.copytree(place, sound)
    before, whole = _rows(place / "clew.db"), _hash(world)
    pages = _pages(sound / "clew.db")
    for number in range(tries):
        shutil.rmtree(place)
        shutil.copytree(sound, place)
        how, page = chance.choice(list(DAMAGES)), chance.choice(pages)
        if number % 4 == 0:  # else most damage strikes texts of files
            page = chance.choice([page for page in pages if page[1] in WRITTEN])
        DAMAGES[how](place / "clew.db", page[0], chance)
        what = f"{how}, page {page[0]} ({page[1]})"
        _ask(world, what, outcome)
        _mend(world, what, whole, outcome)
        _compare(before, place / "clew.db", what, page, how, outcome)
    return outcome


def _write(world: World) -> None:
    with clew.open(world.root) as project:
        project.index()
        files = [world.path(number).relative_to(world.root).as_posix() for number in range(0, FILES, 4)]
        for n in range(EPISODES):
            text = f"{n} about {worlds.WORDS[n % len(worlds.WORDS)]}: " + "as it was found, " * (n % 40)
            project.episode_add("OBSERVATION", text, entities=[files[n % len(files)]])
        for n in range(OTHERS):
            project.task_update(f"T-{n}", title=f"task {n}")
            project.agent_claim(files[n], intent=f"change {n}")


def _blank(file: Path, page: int, chance: random.Random) -> None:
    _put(file, page, bytes(PAGE))


def _noise(file: Path, page: int, chance: random.Random) -> None:
    _put(file, page, chance.randbytes(PAGE))


def _scratch(file: Path, page: int, chance: random.Random) -> None:
    with file.open("r+b") as raw:
        raw.seek((page - 1) * PAGE + chance.randrange(PAGE - 200))
        raw.write(chance.randbytes(200))


def _cut(file: Path, page: int, chance: random.Random) -> None:
    with file.open("r+b") as raw:
        raw.truncate((page - 1) * PAGE + chance.randrange(PAGE))


def _put(file: Path, page: int, data: bytes) -> None:
    with file.open("r+b") as raw:
        raw.seek((page - 1) * PAGE)
        raw.write(data)


DAMAGES: dict[str, Callable[[Path, int, random.Random], None]] = {
    "blank": _blank, "noise": _noise, "scratch": _scratch, "cut": _cut,
}  # fmt: skip


def _ask(world: World, what: str, outcome: Outcome) -> None:
    for command in (*ASKED, ("index",)):
        done = _clew(world, *command)
        if done.returncode not in (0, 6) or "Traceback" in done.stderr:
            outcome.wrong.append(f"{what}: {command[0]} says {_told(done)}")
        outcome.said[f"{command[0]} {'says that it is damaged' if done.returncode else 'answers'}"] += 1


def _mend(world: World, what: str, whole: str, outcome: Outcome) -> None:
    done = _clew(world, "rebuild")
    if done.returncode:
        outcome.wrong.append(f"{what}: rebuild says {_told(done)}")
        outcome.said["rebuild refuses"] += 1
        return
    outcome.said["rebuild mends"] += 1
    for command in ASKED:
        if (done := _clew(world, *command)).returncode:
            outcome.wrong.append(f"{what}: after rebuild {command[0]} says {_told(done)}")
    if (found := _hash(world)) != whole:
        outcome.wrong.append(f"{what}: after rebuild the graph is another ({found[:12]}, not {whole[:12]})")


def _compare(before: Rows, file: Path, what: str, page: Page, how: str, outcome: Outcome) -> None:
    try:
        after = _rows(file)
    except sqlite3.Error as error:
        outcome.wrong.append(f"{what}: what agents wrote cannot be read: {error}")
        return
    for table, rows in before.items():
        lost = len(rows - after[table])
        outcome.lost.update({table: lost} if lost else {})
        if lost and how != "cut" and page[1] != table:
            outcome.wrong.append(f"{what}: {lost} of {len(rows)} rows of {table} are lost")


def _clew(world: World, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "clew", *arguments, "--json"]
    return subprocess.run(command, cwd=world.root, capture_output=True, encoding="utf-8", check=False)


def _told(done: subprocess.CompletedProcess[str]) -> str:
    return f"{done.returncode} {(done.stdout[-300:] + done.stderr[-300:]).strip()!r}"


def _hash(world: World) -> str:
    done = _clew(world, "tool", "graph_health", "--with-hash", "true")
    return str(json.decode(done.stdout).get("data", {}).get("graph_hash", done.stdout[:200]))


def _rows(file: Path) -> Rows:
    """What agents wrote, by table."""
    with closing(sqlite3.connect(file)) as db:
        columns = {"claim": "fence, id, target, agent, session, intent, since"}  # the others change with the index
        return {table: set(db.execute(f"SELECT {columns.get(table, '*')} FROM {table}")) for table in WRITTEN}


def _pages(file: Path) -> list[Page]:
    with closing(sqlite3.connect(file)) as db:
        return sorted((page, name) for name, page in db.execute("SELECT name, pageno FROM dbstat"))


if __name__ == "__main__":
    main()
