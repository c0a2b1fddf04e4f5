"""The commands that tests fork: as those that a shell starts."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.forking import zygote
from tests.surfaces.processes import CLEW, started

PATIENCE = 30.0
ASK_AND_END = """
import os
from pathlib import Path
from tests.forking import zygote

one = zygote()
one.run(["--version"], Path.cwd(), os.environ, "", 30.0)
print(one.process.pid)
"""


@pytest.mark.parametrize(
    "arguments",
    [["index", "--quiet"], ["config", "engine.port"], ["search", "okapi"], ["nonsense"], ["search", "okapi", "--json"]],
)
def test_a_fork_says_and_leaves_what_a_started_one_does(tmp_path: Path, arguments: list[str]) -> None:
    begun = started(*CLEW, "-C", str(tmp_path), *arguments, cwd=tmp_path)
    forked = zygote().run(["-C", str(tmp_path), *arguments], tmp_path, os.environ, "", PATIENCE)

    assert (forked.returncode, forked.stdout, forked.stderr) == (begun.code, begun.out, begun.err)


def test_a_fork_has_the_folder_the_environment_and_the_input_that_it_is_given(tmp_path: Path) -> None:
    environ = {**os.environ, "CLEW_ENGINE_PORT": "4711"}
    said = zygote().run(["config", "engine.port", "--json"], tmp_path, environ, "", PATIENCE)
    piped = zygote().run(["mcp"], tmp_path, environ, '{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n', PATIENCE)

    assert "4711" in said.stdout
    assert '"id":1' in piped.stdout.replace(" ", "")


def test_a_fork_that_finds_no_end_is_killed(tmp_path: Path) -> None:
    assert zygote().run(["serve", "--port", "0"], tmp_path, os.environ, "", 1.0).returncode == -9


def test_what_python_asks_for_once_is_for_a_process_of_its_own() -> None:
    assert zygote().can(["index"], os.environ)
    assert not zygote().can(["index"], {**os.environ, "PYTHONSAFEPATH": "1"})


def test_it_ends_with_whoever_asked() -> None:
    home = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", ASK_AND_END], cwd=home, capture_output=True, text=True, check=True)
    deadline = time.monotonic() + PATIENCE

    while Path(f"/proc/{done.stdout.strip()}").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
