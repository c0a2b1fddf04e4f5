"""The documents' words for kinds, and ours."""

import pytest

from clew.model.words import EdgeKind, Kind, edges_named, kinds_named


@pytest.mark.parametrize(
    ("word", "kinds"),
    [
        ("CALLS", {EdgeKind.CALLS}),
        ("call", {EdgeKind.CALLS}),
        ("usage", {EdgeKind.USES}),
        ("import", {EdgeKind.IMPORTS}),
        ("export", {EdgeKind.EXPORTS}),
        ("dataflow", {EdgeKind.DATAFLOW}),
        ("DEFINED_IN", {EdgeKind.DEFINES, EdgeKind.CONTAINS}),
        ("DEFINES_SYMBOL", {EdgeKind.DEFINES, EdgeKind.CONTAINS}),
        ("IMPLEMENTED_BY", {EdgeKind.IMPLEMENTS}),
        ("sings", set[EdgeKind]()),
    ],
)
def test_edges_have_many_names(word: str, kinds: set[EdgeKind]) -> None:
    assert set(edges_named(word)) == kinds


def test_nodes_too() -> None:
    assert set(kinds_named("CODE_FUNCTION")) == {Kind.FUNCTION, Kind.METHOD}
    assert kinds_named("FILE") == (Kind.FILE,)
    assert Kind.METHOD in kinds_named("symbol")
    assert kinds_named("poem") == ()
