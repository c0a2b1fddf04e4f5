"""An index that another release made: what lies there cannot be opened, and nothing may stumble over it."""

import sqlite3
import tomllib
from contextlib import closing
from pathlib import Path

import pytest

from clew.engine import Engine
from clew.index.rules import FORMAT, PARSERS, is_current, parser_versions, rules_of
from clew.model.errors import IndexOutdated, StoreNewer
from clew.model.run import Mode
from clew.model.search import Query
from tests.conftest import Repository, clew
from tests.views import current_view

ALONE = {"CLEW_BOOTSTRAP_ENABLED": "false"}  # no run in the background
ASKED = Query("charge a card", 5)
OLDEST = bytes(32)  # rules that do not say their format
ANOTHER = b"read-7 " + bytes(32)
NEWER = b"read-99999 " + bytes(32)


@pytest.fixture
def indexed(repository: Repository) -> Repository:
    repository.write("shop.py", "from bank import charge\n\n\ndef pay(card):\n    return charge(card)\n")
    repository.write("bank.py", "def charge(card):\n    return card\n")
    repository.write("notes.txt", "How cards are charged.\n")
    repository.commit()
    with Engine.open(repository.root) as engine:
        engine.index()
    return repository


def made_by(root: Path, rules: bytes, packed: bytes | str) -> None:
    """As if another release had indexed it, whose packed values begin otherwise."""
    with closing(sqlite3.connect(root / ".clew" / "clew.db")) as db, db:
        db.execute("UPDATE checkout SET rules = ?", (rules,))
        db.execute("UPDATE extract SET words = ?, facts = ?", (packed, packed))
    for file in (root / ".clew" / "snapshots").rglob("*.snapshot"):
        file.unlink()


def view(root: Path) -> object:
    with Engine.open(root, environ=ALONE) as engine:
        return current_view(engine)


@pytest.mark.parametrize("rules", [OLDEST, ANOTHER], ids=["oldest", "another"])
@pytest.mark.parametrize("packed", ["", b"", b"\x01\x02\x03\x04\x05", bytes(64)], ids=["text", "none", "five", "zeros"])
def test_an_index_of_another_release_is_made_anew(indexed: Repository, rules: bytes, packed: bytes | str) -> None:
    whole = view(indexed.root)
    made_by(indexed.root, rules, packed)
    with Engine.open(indexed.root, environ=ALONE) as engine:
        with pytest.raises(IndexOutdated):
            engine.search(ASKED)
        assert engine.index().read == 3
        assert engine.search(ASKED).hits
    assert view(indexed.root) == whole


def test_from_its_first_file_on_it_is_no_index_of_the_other_release(indexed: Repository) -> None:
    """Which would else open what it cannot read, and after a run that was killed for ever."""

    def killed(progress: object) -> None:
        raise KeyboardInterrupt

    whole = view(indexed.root)
    made_by(indexed.root, ANOTHER, b"\x01")
    with Engine.open(indexed.root, environ=ALONE) as engine:
        with pytest.raises(KeyboardInterrupt):
            engine.index(report=killed)
        left = engine.checkouts.state(engine.where).rules
        assert left.startswith(FORMAT.encode()) and left != rules_of(engine.config)
        with pytest.raises(IndexOutdated):
            engine.search(ASKED)
        assert engine.index().read == 3
    assert view(indexed.root) == whole


def test_the_parsers_are_those_that_clew_requires() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    required = {one.partition(">")[0] for one in project["dependencies"]}

    assert {one for one in required if one.startswith("tree-sitter")} == set(PARSERS)
    assert b"" not in parser_versions().split(b",")


def test_newer_parsers_read_all_files_again_and_older_ones_leave_them_alone(
    indexed: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "upgraded" / "tree_sitter_python-99.0.dist-info").mkdir(parents=True)
    with monkeypatch.context() as upgraded, Engine.open(indexed.root, environ=ALONE) as engine:
        upgraded.syspath_prepend(tmp_path / "upgraded")
        parser_versions.cache_clear()
        assert engine.index().read == 3
        assert engine.index().read == 0
        newer = engine.checkouts.state(engine.where).rules
    parser_versions.cache_clear()
    with Engine.open(indexed.root, environ=ALONE) as engine:
        indexed.write("bank.py", "def charge_twice(card):\n    return card\n")
        assert engine.refresh().newer
        assert engine.search(ASKED).hits
        with pytest.raises(StoreNewer, match=r"tree-sitter-python 99\.0"):
            engine.index()
        assert engine.checkouts.state(engine.where).rules == newer
        assert is_current(newer, engine.config)
        assert engine.index(Mode.FULL).read == 3
        assert engine.checkouts.state(engine.where).rules == rules_of(engine.config)
        assert not engine.refresh().newer


def test_the_command_says_what_to_do(indexed: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ALONE.items():
        monkeypatch.setenv(name, value)
    made_by(indexed.root, ANOTHER, b"\x01")
    for command in (["search", "charge"], ["status"], ["pack", "charge a card"], ["explain", "charge"]):
        done = clew(*command, root=indexed.root)
        assert done.returncode == IndexOutdated.exit_code, command
        assert "older release" in done.stderr and "clew index" in done.stderr and "Traceback" not in done.stderr
    assert clew("index", "--quiet", root=indexed.root).returncode == 0
    assert clew("search", "charge", root=indexed.root).returncode == 0


def test_what_cannot_be_read_again_goes(indexed: Repository) -> None:
    """Of an index by the same format it would stay."""
    made_by(indexed.root, ANOTHER, b"\x01")
    settings = {**ALONE, "CLEW_BOOTSTRAP_MAX_INITIAL_FILES": "1"}
    with Engine.open(indexed.root, environ=settings) as engine:
        assert engine.index().files == 1
    with Engine.open(indexed.root, environ=ALONE) as engine:
        assert engine.index().files == 3


def test_an_index_of_a_newer_release_is_left_alone(indexed: Repository) -> None:
    made_by(indexed.root, NEWER, b"\x01")
    with Engine.open(indexed.root, environ=ALONE) as engine:
        with pytest.raises(StoreNewer):
            engine.search(ASKED)
        with pytest.raises(StoreNewer):
            engine.index()
        assert engine.checkouts.state(engine.where).rules == NEWER
        engine.index(Mode.FULL)
        assert engine.checkouts.state(engine.where).rules.startswith(FORMAT.encode())
        assert engine.search(ASKED).hits
