"""In a tree that is too large for one sweep: answers tell lines of files as they are, and that not all were seen."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clew.engine import Engine
from clew.index.disk.scan_state import AT_ONCE
from clew.index.refresh import MOST_FILES, NEWEST
from clew.workspaces import Workspaces
from tests.conftest import LONG_AGO_NS
from tests.surfaces.processes import clew
from tests.tools.asking import asking

FOLDERS = 6 * AT_ONCE  # which need no reading
PATIENCE = 60.0  # seconds, on a busy machine
ABOVE = "import os\nimport re\nimport sys\n"
SHOP = "from core import charge\n\n\ndef buy(card):\n    return charge(card)\n"
CHANGED = {
    "core.py": ("def charge(card):\n    return card.take()\n", None),
    "shop.py": (SHOP, ABOVE + SHOP),
    "gone.py": (SHOP.replace("buy", "sell"), ""),
    "heir.py": ("from base import Base\n\n\nclass Heir(Base):\n    def go(self):\n        return self.stay()\n", None),
    "base.py": (
        "class Base:\n    def stay(self):\n        return 1\n",
        "# one\n\nclass Base:\n    def stay(self): ...\n",
    ),
    "lone.py": ("def zebra_alone():\n    return 1\n", None),
    "name.py": ("NAMES = ['zebra_alone']\n", "# one\n# two\nNAMES = ['zebra_alone']\n"),
    "one.py": ("def twice(): ...\n", None),
    "two.py": ("def twice(): ...\n", ""),
}


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Indexed, and edited since; no run beside a question sees to it."""
    monkeypatch.setenv("CLEW_BOOTSTRAP_ENABLED", "false")
    for n in range(FOLDERS):
        (tmp_path / f"d{n}").mkdir()
    for path, (before, _) in CHANGED.items():
        _write(tmp_path / path, before)
    workspaces = Workspaces(tmp_path)
    workspaces.get().index()
    workspaces.close()
    for path, (_, after) in CHANGED.items():
        if after:
            (tmp_path / path).write_text(after, "utf-8")
        elif after == "":
            (tmp_path / path).unlink()
    monkeypatch.setenv("CLEW_QUERY_REFRESH_BUDGET_MS", "1")
    return tmp_path


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    os.utime(path, ns=(LONG_AGO_NS, LONG_AGO_NS))


def lines(value: Any) -> set[tuple[str, int]]:
    """All lines that an answer tells of, whatever it calls them."""
    if isinstance(value, list):
        return set().union(*map(lines, value))
    if not isinstance(value, dict):
        return set()
    path = value.get("path") or value.get("file") or value.get("file_path")
    line = value.get("line") or value.get("first_line") or value.get("start_line")
    return set().union({(path, line)} if path and line else (), *map(lines, value.values()))


Told = Callable[[dict[str, Any]], object]


WITH_CALLS = {"context": "with-deps"}


def _first(data: dict[str, Any]) -> tuple[str, int]:
    item = data["items"][0]
    return item["symbol"], item["first_line"]


@pytest.mark.parametrize(
    ("tool", "arguments", "told", "expected"),
    [
        ("code_explain", {"element": "charge"}, lambda d: d["dependents"], {("shop.py", 8)}),
        ("code_explain", {"element": "Heir"}, lambda d: d["slices"], {("base.py", 3), ("base.py", 4)}),
        ("code_explain", {"element": "zebra_alone"}, lambda d: d["named"]["places"], ["name.py:3"]),
        ("code_explain", {"element": "twice"}, lambda d: [d], {("one.py", 1)}),
        ("semantic_slice", {"symbol": "charge", **WITH_CALLS}, lambda d: d["incoming_callers"], {("shop.py", 8)}),
        ("semantic_slice", {"symbol": "Heir.go", **WITH_CALLS}, lambda d: d["outgoing_calls"], {("base.py", 4)}),
        ("graph_query", {"query": "charge", "limit": 1}, lambda d: d["results"][0]["callers"], {("shop.py", 8)}),
        ("query_context", {"query": "buy"}, lambda d: [h for h in d["hits"] if h["label"] == "buy"], {("shop.py", 7)}),
        (
            "context_pack",
            {"task": "charge", "format": "json"},
            lambda d: d["core_symbols"][0]["incoming_callers"],
            {("shop.py", 8)},
        ),
        ("context_pack", {"task": "buy", "focus": "buy"}, _first, ("shop.py::buy", 7)),
    ],
)
def test_lines_are_those_of_the_files_as_they_are(
    large: Path, tool: str, arguments: dict[str, Any], told: Told, expected: object
) -> None:
    with asking(large) as ask:
        said = ask(tool, **arguments)

    found = told(said["data"])
    assert (lines(found) if isinstance(expected, set) else found) == expected
    assert "not checked" in said["summary"]


@pytest.mark.parametrize("tool", ["graph_health", "query_graph_neighborhood", "hybrid_search", "context_pack_create"])
def test_every_answer_says_that_not_all_was_seen(large: Path, tool: str) -> None:
    arguments = {"query_graph_neighborhood": {"node_id": "charge"}, "graph_health": {}}.get(tool, {"query": "charge"})
    with asking(large) as ask:
        assert "files or folders were not checked" in ask(tool, **arguments)["summary"]


def test_what_is_named_is_looked_for_in_all_of_the_tree(large: Path) -> None:
    """A file that has come since is in no answer's files: only a sweep finds it."""
    (large / "d3" / "new.py").write_text("def okapi(): ...\n", "utf-8")
    with asking(large) as ask:
        said = [ask("code_explain", element="okapi"), ask("context_pack", task="okapi", focus="okapi")]

    assert [one["ok"] for one in said] == [True, True]


def test_the_graph_is_told_as_it_is(large: Path) -> None:
    """Who wants all of it waits for all of it."""
    told = clew("graph", cwd=large)

    assert ("shop.py::buy" in told.out, "gone.py" in told.out) == (True, False)
    assert "not checked" not in told.err


def test_where_too_many_changed_for_one_answer_they_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_BOOTSTRAP_ENABLED", "false")
    _write(tmp_path / "core.py", "def charge(card): ...\n")
    for n in range(MOST_FILES + NEWEST + 1):
        _write(tmp_path / f"shop_{n:02}.py", SHOP)
    with asking(tmp_path) as ask, Engine.open(tmp_path) as engine:
        engine.index()
        for n in range(MOST_FILES + NEWEST + 1):
            (tmp_path / f"shop_{n:02}.py").write_text(ABOVE + SHOP, "utf-8")
        said = ask("code_explain", element="charge")

    fresh = said["data"]["freshness"]
    assert (fresh["stale"], fresh["stale_files"][:2]) == (MOST_FILES + 1, ["shop_00.py", "shop_01.py"])
    assert f"{MOST_FILES + 1} files have changed since indexing (shop_00.py, " in said["summary"]


def test_what_there_was_no_time_for_is_looked_at_beside(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLEW_BOOTSTRAP_ENABLED")
    (large / "d3" / "new.py").write_text("def okapi(): ...\n", "utf-8")
    with asking(large) as ask:
        ask("query_context", query="charge")
    with Engine.open(large) as engine:
        deadline = time.monotonic() + PATIENCE
        while (known := engine.files.known_at("d3/new.py")) is None and time.monotonic() < deadline:
            time.sleep(0.2)

    assert known
