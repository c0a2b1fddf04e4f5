"""Histories that are not whole or not in order: each has a clear answer."""

import subprocess
import time
from pathlib import Path

import pytest

from clew.engine import Engine
from clew.history.git_import import IMPORT, ImportRequest
from clew.model.time import to_iso
from tests.conftest import DAY, DAY_1, Repository
from tests.history.test_git_import import committed, recorded
from tests.tools.asking import asking


def function(body: int) -> str:
    return f"def charge(rows):\n    return [row + {body} for row in rows]\n"


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "shop")
    made.root.mkdir()
    made.git("init", "-q", "-b", "main")
    for number in range(4):
        made.write("pay.py", function(number))
        made.commit(DAY_1 + number * DAY, f"change {number}")
    return made


def test_a_shallow_clone_says_where_it_ends(shop: Repository, tmp_path: Path) -> None:
    place = tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth", "2", f"file://{shop.root}", str(place)], check=True)
    with Engine.open(place) as engine:
        engine.index()
        done = engine.import_history(ImportRequest())
    assert done.commits == 2
    assert "shallow" in " ".join(done.notes)
    with asking(place) as ask:
        told = ask("semantic_slice", symbol="charge", as_of="HEAD~1")
        assert "row + 2" in str(told["data"])
        missing = ask("semantic_slice", symbol="charge", as_of="HEAD~3")
        assert missing["errorCode"] == "CLEW_E_INVALID_INPUT"
        assert "shallow" in missing["hint"]
        assert "shallow" in ask("history_search", query="who knows charge")["summary"]


def test_rewritten_history_leaves_what_was_known(shop: Repository) -> None:
    with Engine.open(shop.root) as engine:
        engine.index()
        run = engine.transactions.latest(1)[0]
        shop.git("reset", "-q", "--hard", "HEAD~2")
        shop.write("pay.py", function(9))
        shop.commit(DAY_1 + 9 * DAY, "another line")
        engine.index()
        engine.import_history(ImportRequest())
    with asking(shop.root) as ask:
        assert "row + 3" in str(ask("semantic_slice", symbol="charge", as_of=run.id)["data"])
        assert "row + 9" in str(ask("semantic_slice", symbol="charge", as_of="HEAD")["data"])
        assert "row + 1" in str(ask("semantic_slice", symbol="charge", as_of="HEAD~1")["data"])


def test_clocks_that_run_backwards_keep_the_order_of_the_branch(tmp_path: Path) -> None:
    made = Repository(tmp_path)
    made.git("init", "-q", "-b", "main")
    commits = []
    for number, day in enumerate((0, 50, 10, 11)):  # the second commit's clock was ahead
        made.write("pay.py", function(number))
        commits.append(made.commit(DAY_1 + day * DAY))
    with Engine.open(made.root) as engine:
        engine.index()
        done = engine.import_history(ImportRequest())
        assert "1 commits are dated after a later commit" in " ".join(done.notes)
        versions = sorted(
            (one.valid_from, one.valid_to, engine.files.text(one.text))
            for one in engine.files.history("pay.py")
            if one.known_to > DAY_1 * 10
        )
        assert [text for _, _, text in versions] == [function(number).encode() for number in range(4)]
        assert recorded(engine, DAY_1) == committed(made.root, commits[0])


@pytest.mark.parametrize("how", ["replace", "grafts"])
def test_replaced_and_grafted_commits_are_read_as_git_shows_them(shop: Repository, how: str) -> None:
    commits = shop.git("rev-list", "HEAD").split()  # the newest first
    if how == "replace":  # the second commit is left out of the history
        shop.git("replace", "--graft", commits[1], commits[3])
    else:
        (shop.root / ".git" / "info" / "grafts").write_text(f"{commits[1]} {commits[3]}\n", encoding="ascii")
    with Engine.open(shop.root) as engine:
        engine.index()
        done = engine.import_history(ImportRequest())
    assert done.commits == 3
    assert "1 commit is replaced or grafted here" in " ".join(done.notes)
    with asking(shop.root) as ask:
        assert "row + 0" in str(ask("semantic_slice", symbol="charge", as_of="HEAD~2")["data"])
        told = ask("diff_since", since="HEAD~2", until="HEAD~1")
        assert "replaced or grafted" in told["summary"]
        assert [one["id"] for one in told["data"]["modified"] if one["kind"] != "file"] == ["pay.py::charge"]
        past = ask("impact_analyze", since="HEAD~1", as_of="HEAD~1")
        assert past["ok"], past


def test_what_is_in_submodules_is_named(shop: Repository, tmp_path: Path) -> None:
    outer = Repository(tmp_path / "outer")
    outer.root.mkdir()
    outer.git("init", "-q", "-b", "main")
    outer.write("main.py", function(1))
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(shop.root), "shop")
    outer.commit(DAY_1)
    with Engine.open(outer.root) as engine:
        engine.index()
        assert "Submodules are not imported." in engine.import_history(ImportRequest()).notes


def test_a_repository_without_commits_says_so(tmp_path: Path) -> None:
    made = Repository(tmp_path)
    made.git("init", "-q")
    made.write("pay.py", function(1))
    with Engine.open(made.root) as engine:
        engine.index()
    with asking(made.root) as ask:
        assert ask("semantic_slice", symbol="charge", as_of="HEAD~1")["summary"] == "this repository has no commits"


def test_a_project_in_a_folder_of_a_repository_has_its_own_past(tmp_path: Path) -> None:
    made = Repository(tmp_path)
    made.git("init", "-q", "-b", "main")
    for number in range(3):
        made.write("app/pay.py", function(number))
        made.write("other/far.py", function(number))
        made.commit(DAY_1 + number * DAY)
    (tmp_path / "app" / ".clew").mkdir()
    with Engine.open(tmp_path / "app") as engine:
        engine.index()
        done = engine.import_history(ImportRequest())
        assert (done.commits, done.versions) == (3, 2)
        assert recorded(engine, DAY_1).keys() == {"pay.py"}
    with asking(tmp_path / "app") as ask:
        told = ask("query_context", query="charge rows", as_of=to_iso(DAY_1 + DAY))
        assert {one["file_path"] for one in told["data"]["hits"]} == {"pay.py"}
        assert "row + 1" in str(told["data"])


def test_the_settings_import_in_the_background(shop: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.surfaces.processes import clew

    monkeypatch.setenv("CLEW_HISTORY_IMPORT_COMMITS", "3")
    assert clew("index", cwd=shop.root).code == 0
    with Engine.open(shop.root) as engine:
        deadline = time.monotonic() + 60
        while not (done := engine.transactions.of_type(IMPORT, 1)) or done[0].status == "running":
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert done[0].counts["commits"] == 3
