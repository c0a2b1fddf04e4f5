"""Symbols: what did not change keeps its version, what did is superseded, nothing is overwritten."""

import pytest

from clew.model.code import Defined
from clew.model.time import FOREVER
from clew.model.words import Kind
from clew.store.database import Database, Where
from clew.store.files import Files, Stamp
from clew.store.graph import Nodes, NodeVersion
from tests.conftest import DAY_1, DAY_2
from tests.store.readings import a_reading, begin

FILE = 1


def defined(scope: str, digest: bytes = b"1", kind: Kind = Kind.FUNCTION) -> Defined:
    return Defined(scope, scope.rpartition("::")[2], kind, digest)


def version(born: int, died: int = FOREVER, digest: bytes = b"1", kind: Kind = Kind.FUNCTION) -> NodeVersion:
    return NodeVersion(born, died, kind, digest)


@pytest.fixture
def nodes(db: Database, where: Where) -> Nodes:
    begin(Files(db, where), a_reading("app.py"), DAY_1, Stamp(1, DAY_1))
    return Nodes(db, where)


def test_a_changed_symbol_supersedes_its_old_version_and_an_unchanged_one_keeps_it(nodes: Nodes) -> None:
    nodes.define(FILE, 1, [defined("kept"), defined("changed")])
    nodes.define(FILE, 2, [defined("kept"), defined("changed", b"2")])

    assert nodes.versions("app.py", "kept") == [version(1)]
    assert nodes.versions("app.py", "changed") == [version(1, 2), version(2, digest=b"2")]


def test_a_symbol_that_became_another_kind_is_another_version(nodes: Nodes) -> None:
    nodes.define(FILE, 1, [defined("Thing")])
    nodes.define(FILE, 2, [defined("Thing", kind=Kind.CLASS)])

    assert nodes.versions("app.py", "Thing") == [version(1, 2), version(2, kind=Kind.CLASS)]


def test_a_symbol_that_went_and_came_back_has_two_versions(nodes: Nodes) -> None:
    nodes.define(FILE, 1, [defined("back")])
    nodes.define(FILE, 2, [])
    nodes.define(FILE, 3, [defined("back")])

    assert nodes.versions("app.py", "back") == [version(1, 2), version(3)]


def test_the_symbols_of_a_file_end_with_it(nodes: Nodes) -> None:
    nodes.define(FILE, 1, [defined("a"), defined("b", kind=Kind.CLASS)])
    nodes.end(FILE, 2)

    assert nodes.versions("app.py", "a") == [version(1, 2)]
    assert nodes.counts() == {}
    assert nodes.find_named("a", 9) == []


def test_symbols_are_found_by_name_in_path_order(nodes: Nodes, db: Database, where: Where) -> None:
    begin(Files(db, where), a_reading("also.py"), DAY_1, Stamp(1, DAY_1))
    nodes.define(FILE, 1, [defined("Card::charge", kind=Kind.METHOD), defined("other")])
    nodes.define(2, 1, [defined("charge")])

    assert nodes.find_named("charge", 9) == [("also.py::charge", Kind.FUNCTION), ("app.py::Card::charge", Kind.METHOD)]
    assert nodes.counts() == {"function": 2, "method": 1}


def test_names_are_sorted_by_their_bytes(nodes: Nodes) -> None:
    """Every engine and server in the same order, whatever its language is."""
    names = ["B", "_", "a", "ä", "é", "日", "Z", "z_", "za"]
    nodes.define(FILE, 1, [Defined(f"{scope}::same", "same", Kind.FUNCTION, b"1") for scope in names])

    ordered = sorted(names, key=str.encode)
    assert [symbol for symbol, _ in nodes.find_named("same", 99)] == [f"app.py::{name}::same" for name in ordered]


def test_a_symbol_is_so_since_the_version_it_was_born_in(db: Database, where: Where, nodes: Nodes) -> None:
    nodes.define(FILE, 1, [defined("kept"), defined("changed"), defined("gone")])
    begin(Files(db, where), a_reading("app.py", b"two\n"), DAY_2, Stamp(1, DAY_2))
    nodes.define(FILE, 2, [defined("kept"), defined("changed", b"2")])

    assert nodes.since(FILE) == {"kept": DAY_1, "changed": DAY_2}
