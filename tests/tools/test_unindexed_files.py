"""What was not read is told of where something is said to be nowhere, and no longer once it is read or gone."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.engine import Engine
from tests.tools.asking import Ask, asking

SOURCE = "def spare():\n    return 1\n"
LARGE = "-- charge_the_card\n" + "INSERT INTO cards VALUES (1, 'spare');\n" * 10_000


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLEW_INDEXING_MAX_FILE_SIZE_MB", "0.1")
    monkeypatch.setenv("CLEW_BOOTSTRAP_ENABLED", "false")
    monkeypatch.setenv("CLEW_QUERY_REFRESH_BUDGET_MS", "60000")
    (tmp_path / "a.py").write_text(SOURCE, "utf-8")
    (tmp_path / "dump.sql").write_text(LARGE, "utf-8")
    (tmp_path / "film.mp4").write_bytes(b"\0" * 200_000)
    (tmp_path / "film").write_bytes(b"\0" * 200_000)
    with Engine.open(tmp_path) as engine:
        assert engine.index().skipped == {"binary": 1, "too_large": 2}
    return tmp_path


@pytest.fixture
def ask(root: Path) -> Iterator[Ask]:
    with asking(root) as asked:
        yield asked


LEFT = "1 file or folder was not read (for size, name, an error, or as a repository of its own): dump.sql."


def test_nowhere_is_said_of_what_was_read(ask: Ask) -> None:
    found = ask("query_context", query="charge_the_card spare")

    assert f"Not in what is indexed: charge_the_card. {LEFT}" in found["summary"]
    assert found["data"]["unread"] == {"count": 1, "files": ["dump.sql"]}
    assert f"Nothing found. Not in what is indexed: zebra. {LEFT}" in ask("query_context", query="zebra")["summary"]
    assert LEFT not in ask("query_context", query="???")["summary"]
    assert LEFT in json.dumps(ask("context_pack", task="charge_the_card spare"))


@pytest.mark.parametrize("tool", ["graph_query", "hybrid_search"])
def test_so_do_those_say_that_ask_the_graph(ask: Ask, tool: str) -> None:
    found = ask(tool, query="charge_the_card spare")

    assert f"Not in what is indexed: charge_the_card. {LEFT}" in found["summary"]
    assert found["data"]["missed"]["unread"] == {"count": 1, "files": ["dump.sql"]}
    assert ask(tool, query="zebra")["summary"] == f"Nothing found. Not in what is indexed: zebra. {LEFT}"
    assert ask(tool, query="???")["summary"].startswith("Nothing found: it has no word that can be looked for")
    assert "missed" not in ask(tool, query="spare")["data"]


def test_what_is_not_found_may_stand_in_what_was_not_read(ask: Ask) -> None:
    assert ask("code_explain", element="charge_the_card")["hint"].endswith(LEFT)
    assert ask("semantic_slice", symbol="charge_the_card")["hint"].endswith(LEFT)
    assert "its name occurs in no other line that was looked at" in ask("code_explain", element="spare")["summary"]


def test_what_is_read_or_gone_is_no_longer_told_of(root: Path, ask: Ask) -> None:
    (root / "dump.sql").write_text("-- nothing\n", "utf-8")
    (root / "more.sql").write_text(LARGE, "utf-8")
    assert LEFT.replace("dump", "more") in ask("query_context", query="charge_the_card spare")["summary"]

    (root / "more.sql").unlink()
    found = ask("query_context", query="charge_the_card spare")
    assert "Nowhere in this project: charge_the_card." in found["summary"]
    assert "unread" not in found["data"]


@pytest.mark.parametrize("tool", ["code_explain", "semantic_slice"])
def test_of_a_file_that_is_left_out_it_is_said_why(root: Path, ask: Ask, tool: str) -> None:
    (root / "apart" / ".git").mkdir(parents=True)
    (root / "apart" / "b.py").write_text("def apart(): ...\n", "utf-8")
    name = "element" if tool == "code_explain" else "symbol"

    for said in ("apart/b.py", "apart/b.py::apart", "apart/b.py:1"):
        assert ask(tool, **{name: said})["summary"].startswith("apart/b.py is left out of the index (nested_repository")
    assert ask(tool, **{name: "dump.sql"})["summary"].startswith("dump.sql is left out of the index (too_large: 0.4 MB")
    assert "apart/, dump.sql" in ask(tool, **{name: "apart"})["hint"]
    assert ask("semantic_slice", file="film.mp4")["summary"].startswith("film.mp4 is left out of the index (binary")
