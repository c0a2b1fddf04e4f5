"""Nothing in a repository makes Clew read, write, run or send anything outside of it and of the user's own data.

Clew works in every hostile repository, without a network and under strace; every system call of it and of its children
that opens, changes, starts or connects something is then looked at.
"""

import hashlib
import json
import os
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.hostile import trace
from tests.hostile.repositories import CASES, PLANTED, SECRET, World, build

LONGEST = 240.0  # seconds for all repositories together, on a busy machine
TOKENS = {"GITHUB_TOKEN": f"{SECRET}-token", "AWS_SECRET_ACCESS_KEY": f"{SECRET}-key"}

pytestmark = pytest.mark.needs(strace=trace.is_there())


class Done(NamedTuple):
    """What Clew said in each repository, what it did that it must not, and what of the world has changed."""

    said: dict[str, dict[str, list[Any]]]
    findings: list[str]
    changed: list[str]


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    world = build(tmp_path_factory.mktemp("hostile"))
    before = contents(world)
    results, calls, temporary = world.base / "results.json", world.base / "calls", world.base / "tmp"
    temporary.mkdir()
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(world.home),
        "TMPDIR": str(temporary),
        "PYTHONDONTWRITEBYTECODE": "1",
        "LANG": "C.UTF-8",
        **TOKENS,
    }
    victim = Path(__file__).with_name("victim.py")
    trace.run([sys.executable, "-P", str(victim), str(world.repositories), str(results)], calls, environ, LONGEST)
    after = contents(world)
    return Done(
        json.loads(results.read_text("utf-8")),
        trace.findings(calls, sandbox(world)),
        sorted(path for path in {*before, *after} if before.get(path) != after.get(path)),
    )


def sandbox(world: World) -> trace.Sandbox:
    """Clew's folder in each repository and the user's data may change; the rest of a repository may be read."""
    home, repositories = re.escape(str(world.home)), re.escape(str(world.repositories))
    base = re.escape(str(world.base))
    changes = (
        rf"{repositories}/\w+/\.clew(?:$|/)", rf"{home}/\.local(?:/share(?:/clew(?:$|/.*))?)?$", rf"{base}/tmp(?:$|/)",
        rf"{base}/results\.json$", "/dev/(?:null|tty)$",
    )  # fmt: skip
    knows = (
        rf"{base}/other/\.git(?:/config)?$"  # which says whether a repository that a `.git` leads to knows this folder
    )
    reads = (
        rf"{repositories}(?:$|/)", rf"{home}/\.gitconfig$", rf"{home}/\.config(?:/git|/clew)?(?:$|/)", knows,
    )  # fmt: skip
    return trace.Sandbox(world.base, [*map(re.compile, changes)], [*map(re.compile, reads)])


def contents(world: World) -> dict[str, str]:
    """Every file of the user and of the other project, but the user's data; of the repositories, all but `.clew`."""
    own = world.home / ".local"
    found: dict[str, str] = {}
    for folder in (world.home, world.other, world.repositories):
        for top, folders, files in os.walk(folder):
            folders[:] = [name for name in folders if name != ".clew" and Path(top, name) != own]
            for name in files:
                file = Path(top, name)
                path = str(file.relative_to(world.base))
                if file.is_symlink():
                    found[path] = str(file.readlink())
                elif file.is_file():
                    found[path] = hashlib.sha256(file.read_bytes()).hexdigest()
                else:
                    found[path] = "special"
    return found


def test_nothing_is_read_written_run_or_sent_outside(done: Done) -> None:
    assert not done.findings


def test_nothing_of_the_user_or_of_the_repositories_has_changed(done: Done) -> None:
    assert not done.changed


@pytest.mark.parametrize("name", CASES)
def test_it_ends_without_a_fault_and_tells_no_secret(done: Done, name: str) -> None:
    said = done.said[name]
    faults = {command: code for command, (code, _) in said.items() if not isinstance(code, int) or code == 1}

    assert not faults
    assert not [
        command for command, (_, text) in said.items() if SECRET in text or PLANTED in text or "Traceback" in text
    ]


def test_there_are_more_than_thirty(done: Done) -> None:
    assert len(CASES) >= 30
    assert done.said.keys() == CASES.keys()
