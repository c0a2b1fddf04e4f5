"""Asked for what is there no more, an answer says where it went, or when it can still be seen."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.engine import Engine
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces
from tests.tools.asking import asking

BEFORE = """def total(cents):
    whole = sum(cents)
    for one in cents:
        whole -= one % 5
    return whole


def spare():
    return []
"""


class Asked:
    def __init__(self, root: Path, caller: Caller) -> None:
        self._root = root
        self._caller = caller

    def write(self, name: str, text: str) -> None:
        (self._root / name).write_text(text, "utf-8")
        self("query_context", query="total")  # which sees the edit

    def move(self, name: str, there: str) -> None:
        (self._root / name).rename(self._root / there)
        self("query_context", query="total")

    def __call__(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        envelope: dict[str, Any] = json.loads(answer(self._caller, tool, arguments).body)
        return envelope


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Asked]:
    (tmp_path / "pay.py").write_text(BEFORE, "utf-8")
    with Engine.open(tmp_path, environ={}) as engine:
        engine.index()
    workspaces = Workspaces(tmp_path)
    yield Asked(tmp_path, Caller(workspaces))
    workspaces.close()


@pytest.mark.parametrize("name", ["total", "pay.py::total", "`pay.total()`", "pay.py:total"])
def test_what_was_renamed_and_moved_is_followed(asked: Asked, name: str) -> None:
    asked.write("pay.py", BEFORE.replace("total", "whole_sum"))
    asked.move("pay.py", "money.py")

    for refused in (asked("code_explain", element=name), asked("semantic_slice", symbol=name)):
        assert refused["errorCode"] == "CLEW_E_NOT_FOUND"
        assert refused["hint"] == "pay.py::total is now money.py::whole_sum."


def test_a_file_that_was_moved_is_followed(asked: Asked) -> None:
    asked.move("pay.py", "money.py")

    assert asked("semantic_slice", file="pay.py")["hint"] == "pay.py is now money.py."
    assert asked("code_explain", element="./pay.py")["hint"] == "pay.py is now money.py."


def test_what_is_gone_can_be_seen_as_it_was(asked: Asked) -> None:
    asked.write("pay.py", BEFORE.partition("def spare")[0])
    hint = asked("semantic_slice", symbol="spare")["hint"]
    told = re.fullmatch(r"pay.py::spare is gone; code_explain with as_of=(\S+) shows it as it was\.", hint)

    assert told
    assert asked("code_explain", element="spare", as_of=told[1])["summary"].startswith(
        "function pay.py::spare, lines 8-9"
    )


def test_what_never_was_is_told_as_before(asked: Asked) -> None:
    assert asked("code_explain", element="totl")["hint"] == "Did you mean pay.py::total?"


def test_what_was_is_seen_as_a_run_saw_it(tmp_path: Path) -> None:
    seen = []
    for name in ("first", "second"):
        (tmp_path / "a.py").write_text(f'def login():\n    """Let the {name} in."""\n', "utf-8")
        (tmp_path / "b.py").write_text(f"import a\n\n\ndef {name}():\n    a.login()\n", "utf-8")
        with Engine.open(tmp_path) as engine:
            seen.append(engine.index().transaction)
    with asking(tmp_path) as ask:
        found = [ask("code_explain", element="login", as_of=run)["data"] for run in seen]

    assert [one["summary_line"] for one in found] == ["Let the first in", "Let the second in"]
    assert [one["dependents"][0]["id"] for one in found] == ["b.py::first", "b.py::second"]
