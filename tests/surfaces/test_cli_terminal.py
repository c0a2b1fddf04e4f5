"""On a terminal: colours, and a progress bar while work is long."""

import os
import pty
import subprocess
from collections.abc import Mapping
from pathlib import Path

from clew.model.errors import NotFound

from .processes import CLEW, PATIENCE

COLOUR = "\x1b["
MANY = 120


def on_a_terminal(*arguments: str, cwd: Path, env: Mapping[str, str] | None = None, code: int = 0) -> str:
    """What a person sees."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", **(env or {})}
    process = subprocess.Popen([*CLEW, *arguments], cwd=cwd, env=environment, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    try:
        while part := os.read(ours, 65536):
            seen += part
    except OSError:  # on Linux, the other end of a terminal closes with an error
        pass
    finally:
        os.close(ours)
    assert process.wait(PATIENCE) == code
    return seen.decode()


def grow(root: Path) -> None:
    for n in range(MANY):
        (root / f"m{n}.py").write_text(f'def handle_{n}():\n    """Case {n}."""\n' * 20, "utf-8")


def test_answers_are_in_colour(indexed: Path) -> None:
    assert f"{COLOUR}32mtokens.py:6-8" in on_a_terminal("search", "validate", "token", cwd=indexed)


def test_no_color_is_heard(indexed: Path) -> None:
    assert COLOUR not in on_a_terminal("search", "validate", "token", cwd=indexed, env={"NO_COLOR": "1"})


def test_a_run_shows_how_far_it_is_how_fast_and_how_long(tmp_path: Path) -> None:
    grow(tmp_path)
    seen = on_a_terminal("index", cwd=tmp_path)

    assert "indexing" in seen
    assert f"/{MANY}" in seen
    assert "files/s" in seen
    assert f"{MANY} files" in seen.splitlines()[-1]


def test_quiet_shows_no_bar(tmp_path: Path) -> None:
    grow(tmp_path)

    assert on_a_terminal("index", "--quiet", cwd=tmp_path) == ""


def test_the_bar_can_be_switched_off(tmp_path: Path) -> None:
    grow(tmp_path)
    seen = on_a_terminal("index", cwd=tmp_path, env={"CLEW_BOOTSTRAP_SHOW_PROGRESS": "false"})

    assert "files/s" not in seen
    assert f"{MANY} files" in seen


def test_a_pack_is_shown_by_sections_with_a_bar_for_its_budget(indexed: Path) -> None:
    seen = on_a_terminal("pack", "validate", "token", "--max-tokens", "600", cwd=indexed)

    assert f"{COLOUR}1mCODE" in seen
    assert "why: matches" in seen
    assert "█" in seen
    assert "of 600 tokens" in seen


def test_what_stands_in_files_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    text = 'def zebra():\n    """Stripes \x1b]0;title\x07, \x1b[2J and \u202e."""\n'
    (tmp_path / "zebra.py").write_text(text, "utf-8")
    on_a_terminal("index", "--quiet", cwd=tmp_path)
    seen = on_a_terminal("slice", "zebra", cwd=tmp_path)

    assert r"Stripes \u001b]0;title\u0007, \u001b[2J and \u202e." in seen
    assert f"{COLOUR}32mzebra.py:1-2" in seen


def test_names_of_files_in_a_hint_are_shown_and_not_obeyed(tmp_path: Path) -> None:
    (tmp_path / "zebra\x1b]0;title\x07.py").write_text("def stripes(): ...\n", "utf-8")
    on_a_terminal("index", cwd=tmp_path)
    seen = on_a_terminal("explain", "zebr\x1b]0;title\x07", cwd=tmp_path, code=NotFound.exit_code)

    assert r"zebra\u001b]0;title\u0007.py" in seen
    assert "\x1b]" not in seen
