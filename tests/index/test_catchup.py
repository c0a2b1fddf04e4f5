"""After a change that others can see, answers come at once: near edges are right, and all of them soon after."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from clew.engine import Engine, new_id, now
from clew.graph.view import graph_hash
from clew.index.catchup import MOST_BEGINNINGS, CatchUp
from clew.index.index_lease import IndexLease
from clew.index.link_stage import LinkedAhead, LinkStage
from clew.index.working_tree import WorkingTree
from clew.model.search import Query
from clew.store.files import Content
from clew.store.leases import LINKING
from clew.tools.code import graph_health
from tests.conftest import Repository
from tests.index.test_real_edits import STEPS, Editor, compare, furnish
from tests.views import current_view, targets_of

SOON = 60.0  # seconds, on a machine that has other things to do


@pytest.fixture(autouse=True)
def never_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_QUERY_LINK_AT_ONCE", "0")
    monkeypatch.setenv("CLEW_QUERY_REFRESH_BUDGET_MS", "60000")


@pytest.fixture
def shop(repository: Repository, backend: str) -> Repository:
    repository.write("pay/card.py", "class Card:\n    def charge(self):\n        return 1\n")
    repository.write("pay/till.py", "from pay.card import Card\n\n\ndef take():\n    return Card().charge()\n")
    repository.write("pay/later.py", "from pay.soon import wish\n\n\ndef hope():\n    wish()\n    refund()\n")
    repository.commit()
    with Engine.open(repository.root) as engine:
        engine.index()
    return repository


@contextmanager
def nobody_catches_up(engine: Engine) -> Iterator[None]:
    """Whoever would is told that somebody does."""
    with IndexLease(engine.db, engine.where, "1 on a host elsewhere", now, LINKING).hold(0):
        yield


def tree_of(engine: Engine) -> WorkingTree:
    return WorkingTree(engine.place.root, engine.config, engine.where, engine.place.snapshots)


def fresh_hash(root: Path, folder: Path) -> str:
    with Engine.open(root, environ={"CLEW_STORAGE_DB_PATH": str(folder / new_id() / "clew.db")}) as engine:
        engine.index()
        return graph_hash(engine.db, engine.where)


def refreshed(engine: Engine) -> None:
    """What has just changed is indexed, and the rest is behind."""
    with nobody_catches_up(engine):
        assert engine.refresh().linking
    assert engine.checkouts.state(engine.where).behind


def test_what_changed_and_whom_it_concerns_are_linked_at_once(shop: Repository, tmp_path: Path) -> None:
    shop.write("pay/card.py", "class Card:\n    def debit(self):\n        return 1\n")
    shop.write("pay/soon.py", "def wish():\n    return 1\n")
    with Engine.open(shop.root) as engine:
        refreshed(engine)
        assert not any(target.endswith("::charge") for target in targets_of(engine, "pay/till.py::take"))
        assert "pay/soon.py::wish" in targets_of(engine, "pay/later.py::hope")

        engine.catch_up()

        assert engine.checkouts.state(engine.where).linked
        assert graph_hash(engine.db, engine.where) == fresh_hash(shop.root, tmp_path)


def test_a_file_that_is_gone_leaves_no_edge_to_it(shop: Repository, tmp_path: Path) -> None:
    (shop.root / "pay/card.py").unlink()
    with Engine.open(shop.root) as engine:
        refreshed(engine)
        assert not any(target.startswith("pay/card.py") for target in targets_of(engine, "pay/till.py::take"))

        engine.catch_up()

        assert graph_hash(engine.db, engine.where) == fresh_hash(shop.root, tmp_path)


def test_an_answer_says_that_edges_are_behind_until_they_are_not(shop: Repository) -> None:
    shop.write("pay/card.py", "class Card:\n    def charge(self, more):\n        return more\n")
    with Engine.open(shop.root) as engine, nobody_catches_up(engine):
        assert engine.search(Query("card", 5)).freshness.linking
        assert engine.search(Query("card", 5)).freshness.linking
    with Engine.open(shop.root, read_only=True) as engine:
        assert engine.refresh().linking
    with Engine.open(shop.root) as engine:
        engine.catch_up()
        assert not engine.search(Query("card", 5)).freshness.linking


def test_a_second_change_goes_on_from_the_first(shop: Repository, tmp_path: Path) -> None:
    with Engine.open(shop.root) as engine:
        shop.write("pay/card.py", "class Card:\n    def debit(self):\n        return 1\n")
        refreshed(engine)
    with Engine.open(shop.root) as engine:
        shop.write("pay/till.py", "from pay.card import Card\n\n\ndef take():\n    return Card().debit()\n")
        refreshed(engine)
        assert "pay/card.py::Card::debit" in targets_of(engine, "pay/till.py::take")
        engine.catch_up()
        assert graph_hash(engine.db, engine.where) == fresh_hash(shop.root, tmp_path)


def test_a_run_on_the_tree_links_what_is_behind(shop: Repository, tmp_path: Path) -> None:
    shop.write("pay/card.py", "class Card:\n    pass\n")
    with Engine.open(shop.root) as engine:
        refreshed(engine)
        engine.index()
        assert engine.checkouts.state(engine.where).linked
        assert graph_hash(engine.db, engine.where) == fresh_hash(shop.root, tmp_path)


USING = "from pay.card import Card\nfrom pay.coin import Coin\n\n\ndef use(it):\n    it.charge()\n\n\nuse(Card())\n"
FILLING = "from pay.use import Card, Coin, use\n\n\ndef fill():\n    {}\n"


@pytest.mark.parametrize(("passed", "is_new"), [("use(Card())", False), ("use(Coin())", True)])
@pytest.mark.parametrize("by_run", [True, False])
def test_a_body_that_passes_what_was_passed_before_leaves_other_files_as_they_were(
    shop: Repository, tmp_path: Path, passed: str, is_new: bool, by_run: bool
) -> None:
    shop.write("pay/use.py", USING)
    shop.write("pay/coin.py", "class Coin:\n    def charge(self):\n        return 1\n")
    shop.write("pay/box.py", FILLING.format("pass"))
    with Engine.open(shop.root) as engine:
        engine.index()
        shop.write("pay/box.py", FILLING.format(passed))
        refreshed(engine)
        assert engine.checkouts.state(engine.where).unsettled

        engine.index() if by_run else engine.catch_up()

        assert engine.checkouts.state(engine.where).linked
        assert ("pay/coin.py::Coin::charge" in targets_of(engine, "pay/use.py::use")) is is_new
        assert by_run or engine.transactions.latest(1)[0].counts["linked"] == is_new
        assert graph_hash(engine.db, engine.where) == fresh_hash(shop.root, tmp_path)


def test_what_others_see_by_name_is_more_than_what_is_passed(shop: Repository) -> None:
    shop.write("pay/card.py", "class Card:\n    def debit(self):\n        return 1\n")
    with Engine.open(shop.root) as engine:
        refreshed(engine)
        assert not engine.checkouts.state(engine.where).unsettled


@pytest.mark.parametrize("in_vain", [1, MOST_BEGINNINGS])
def test_what_was_found_about_another_state_is_not_stored(
    shop: Repository, monkeypatch: pytest.MonkeyPatch, in_vain: int
) -> None:
    """Somebody edits while all files are linked: it begins again; and if that never ends, keeps them waiting once."""
    shop.write("pay/card.py", "class Card:\n    def debit(self):\n        return 1\n")
    looked = LinkStage.link_ahead
    with Engine.open(shop.root) as engine, Engine.open(shop.root) as other:
        refreshed(engine)
        beginnings = []

        def edited(linkage: LinkStage, contents: list[Content], goes_on: Callable[[], bool]) -> LinkedAhead | None:
            found = looked(linkage, contents, goes_on)
            beginnings.append(found)
            if len(beginnings) <= in_vain:
                shop.write("pay/card.py", f"class Card:\n    def credit_{len(beginnings)}(self):\n        return 1\n")
                other.refresh()
            return found

        monkeypatch.setattr(LinkStage, "link_ahead", edited)
        CatchUp(engine.db, tree_of(engine), now, new_id).run(0)

        assert len(beginnings) == in_vain + 1
        assert engine.checkouts.state(engine.where).linked


def test_a_later_change_goes_by_what_an_earlier_one_brought(shop: Repository, tmp_path: Path) -> None:
    """Packages that are new, and what is gone, hold for the next change while edges are behind."""
    main = "package app;\nimport org.tools.Tool;\npublic class Main { void run() { Tool.go(); } }\n"
    steps = (
        {"lib/x/Tool.java": "package org.tools;\npublic class Tool { public static void go() {} }\n"},
        {"src/app/Main.java": main, "pay/card.py": "class Card:\n    pass\n"},
        {"pay/hall.py": "def use(x):\n    return x.charge()\n"},
    )
    for step in steps:
        with Engine.open(shop.root) as engine:
            for path, text in step.items():
                shop.write(path, text)
            refreshed(engine)
    with Engine.open(shop.root) as engine, nobody_catches_up(engine):
        assert "lib/x/Tool.java::Tool::go" in targets_of(engine, "src/app/Main.java::Main::run")
        assert targets_of(engine, "pay/hall.py::use") == []
    with Engine.open(shop.root) as engine:
        assert engine.catch_up()
        assert graph_hash(engine.db, engine.where) == fresh_hash(shop.root, tmp_path)


def test_what_another_release_read_is_not_linked(shop: Repository) -> None:
    shop.write("pay/card.py", "class Card:\n    pass\n")
    with Engine.open(shop.root) as engine:
        refreshed(engine)
        with engine.db.transaction():
            engine.checkouts.follow(engine.where, b"read-99 of another release")

        assert not engine.catch_up()


def test_edges_that_are_in_doubt_are_not_hidden(shop: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """As while a run stores what it linked, or after it was killed."""
    monkeypatch.setenv("CLEW_BOOTSTRAP_ENABLED", "false")
    with Engine.open(shop.root) as engine:
        with engine.db.transaction():
            engine.checkouts.change(engine.where, new_id(), 1)

        assert engine.refresh().linking


def test_it_is_all_done_by_itself(shop: Repository, tmp_path: Path) -> None:
    """A question in a process of its own starts what brings the rest up to date, and does not wait for it."""
    shop.write("pay/card.py", "class Card:\n    def debit(self):\n        return 1\n")
    command = [sys.executable, "-P", "-m", "clew", "-C", str(shop.root), "search", "debit"]
    asked = subprocess.run(command, capture_output=True, text=True, check=True, env=dict(os.environ))
    assert "debit" in asked.stdout
    with Engine.open(shop.root) as engine:
        deadline = time.monotonic() + SOON
        while engine.checkouts.state(engine.where).behind and time.monotonic() < deadline:
            time.sleep(0.1)
        assert engine.checkouts.state(engine.where).linked
        assert graph_hash(engine.db, engine.where) == fresh_hash(shop.root, tmp_path)
        while not (health := graph_health(engine)).linking_cpu_seconds and time.monotonic() < deadline:
            time.sleep(0.1)
        assert "the last linking in the background took" in health.summary()


def test_where_nothing_runs_in_the_background_a_question_waits(
    shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_BOOTSTRAP_ENABLED", "false")
    shop.write("pay/card.py", "class Card:\n    def debit(self):\n        return 1\n")
    with Engine.open(shop.root) as engine:
        assert not engine.refresh().linking
        assert engine.checkouts.state(engine.where).linked


def test_whatever_is_edited_near_linking_goes_on_and_ends_right(repository: Repository, tmp_path: Path) -> None:
    furnish(repository)
    repository.commit()
    editor = Editor(repository, 0)
    with Engine.open(repository.root) as engine:
        engine.index()
    for step in range(STEPS):
        editor.step()
        with Engine.open(repository.root) as engine:
            with nobody_catches_up(engine):
                engine.refresh()
            assert_no_edge_leads_nowhere(engine)
            if step % 6 == 5:
                engine.index() if engine.refresh().pending else engine.catch_up()
                compare(engine, repository.root, tmp_path / f"fresh-{step}")


def assert_no_edge_leads_nowhere(engine: Engine) -> None:
    views = current_view(engine)
    there = {path for view in views for path in (view.path, *(f"{view.path}::{scope}" for scope in view.facts.kinds))}
    for view in views:
        for edge in view.links.edges:
            assert edge.target in there or edge.target.startswith("external::"), (view.path, edge)
