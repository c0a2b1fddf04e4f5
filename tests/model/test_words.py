"""The documents' words for kinds, and ours."""

import pytest

from clew.model.words import EdgeKind, EvidenceKind, Kind, edges_named, kinds_named, pack_edge, pack_evidence


@pytest.mark.parametrize(
    ("word", "kinds"),
    [
        ("CALLS", {EdgeKind.CALLS}),
        ("call", {EdgeKind.CALLS}),
        ("usage", {EdgeKind.USES, EdgeKind.INHERITS, EdgeKind.IMPLEMENTS}),
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


def test_packs_have_their_own_words_for_edges_and_evidence() -> None:
    assert [pack_edge(kind) for kind in (EdgeKind.CALLS, EdgeKind.INHERITS, EdgeKind.TESTS)] == [
        "call",
        "usage",
        "tests",
    ]
    assert {pack_evidence(kind) for kind in EvidenceKind} == {
        "callsite", "identifier", "importStmt", "span", "tooling", "",
    }  # fmt: skip
    assert [kind for kind in EvidenceKind if not pack_evidence(kind)] == [EvidenceKind.NAME]
