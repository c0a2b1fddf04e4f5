"""Sections: what belongs in which, caps at their boundaries, each chunk once, and what lacks evidence."""

import pytest

from clew.model.words import EdgeKind, EvidenceKind
from clew.pack.gather import RouteStep
from clew.pack.request import BudgetOptions, ExpansionOptions
from clew.pack.scoring import Lead
from clew.pack.sections import RULES, SECTIONS, allot, distinct, gaps, place, routes
from clew.pack.shelf import Standing
from tests.pack.standings import a_candidate, a_lead, a_request, a_seed_lead, a_standing, a_step

K = EdgeKind


def follow(lead: Lead) -> Standing:
    path, _, scope = lead.id.partition("::")
    return a_standing(path, scope)


@pytest.mark.parametrize(
    ("steps", "section", "rule"),
    [
        ([a_step(K.CALLS)], "callees", "call-neighbor"),
        ([a_step(K.CALLS, forward=False)], "callers", "call-neighbor"),
        ([a_step(K.CALLS), a_step(K.CALLS)], "callees", "call-neighbor"),
        ([a_step(K.CALLS), a_step(K.CALLS, forward=False)], "related", "neighborhood"),
        ([a_step(K.IMPORTS)], "imports", "import-neighbor"),
        ([a_step(K.IMPORTS, forward=False)], "usages", "import-consumer"),
        ([a_step(K.EXPORTS)], "exports", "export-neighbor"),
        ([a_step(K.EXPORTS, forward=False)], "exports", "export-neighbor"),
        ([a_step(K.USES, forward=False)], "usages", "usage-neighbor"),
        ([a_step(K.INHERITS), a_step(K.USES)], "usages", "usage-neighbor"),
        ([a_step(K.DATAFLOW)], "dataflow", "dataflow-neighbor"),
        ([a_step(K.CALLS), a_step(K.USES)], "related", "neighborhood"),
        ([a_step(K.TESTS, forward=False)], "tests", "test-neighbor"),
        ([a_step(K.TESTS)], "related", "neighborhood"),
        ([a_step(K.DOCUMENTS, forward=False)], "docs", "doc-neighbor"),
        ([a_step(K.CONTAINS), a_step(K.DEFINES)], "related", "same-file"),
        ([a_step(K.CO_CHANGES)], "related", "co-change"),
    ],
)
def test_what_the_graph_leads_to_has_its_section(steps: list[RouteStep], section: str, rule: str) -> None:
    assert place(a_candidate("b.py::g", *steps), a_request(), prose=False) == (section, rule)
    assert section in SECTIONS
    assert rule in RULES


def test_tests_and_prose_have_their_own_whatever_led_there() -> None:
    caller = a_candidate("tests/test_b.py::g", a_step(K.CALLS, forward=False))

    assert place(caller, a_request(), prose=False) == ("tests", "test-neighbor")
    assert place(a_candidate("docs/a.md"), a_request(), prose=True) == ("docs", "doc-neighbor")


def test_who_imports_a_module_belongs_to_exports_where_these_are_asked_for() -> None:
    request = a_request(expansion=ExpansionOptions(include_exports=True))

    assert place(a_candidate("b.py", a_step(K.IMPORTS, forward=False)), request, prose=False)[0] == "exports"


def test_routes_follow_what_the_request_names() -> None:
    kinds = {route.name: route.along.kinds for route in routes(a_request())}
    assert kinds["code"] == {K.CALLS, K.USES, K.INHERITS, K.IMPLEMENTS}
    assert kinds["modules"] == {K.IMPORTS}
    assert kinds.keys() == {"code", "modules", "tests", "docs"}

    narrow = ExpansionOptions(edge_types=("import",), include_same_file_neighbors=True)
    assert {one.name for one in routes(a_request(expansion=narrow, seed_mode="code"))} == {
        "modules",
        "tests",
        "same-file",
    }


@pytest.mark.parametrize("cap", [1, 24, 25])
def test_a_section_holds_as_many_as_its_cap_and_no_more(cap: int) -> None:
    leads = [a_lead(f"m{i:02}.py::f") for i in range(25)]
    found = allot(leads, a_request(budgets=BudgetOptions(max_items_per_section=cap)), follow)

    assert len(found.entries) == cap
    assert found.dropped["budget"] == 25 - cap


def test_files_are_opened_only_while_there_is_room() -> None:
    opened: list[str] = []

    def noted(lead: Lead) -> Standing:
        opened.append(lead.id)
        return follow(lead)

    allot([a_lead(f"m{i}.py::f") for i in range(9)], a_request(budgets=BudgetOptions(max_items=2)), noted)
    assert opened == ["m0.py::f", "m1.py::f"]


def test_a_node_stands_in_the_first_section_that_it_fits() -> None:
    leads = [a_lead("b.py::g", "related"), a_lead("b.py::g", "usages"), a_lead("b.py::g", "docs")]
    found, again = distinct(leads)

    assert [lead.section for lead in found] == ["usages"]
    assert again == 2


def test_a_chunk_is_shown_once_and_by_its_seed_first() -> None:
    standing = a_standing("a.py", "f")
    leads = [
        a_seed_lead("a.py::f", 0.1),
        a_lead("a.py::f::inner", score=1.0),
        a_lead("b.py::g"),
        a_lead("b.py::g::inner"),
    ]
    shown = {"a.py::f::inner": standing, "b.py::g::inner": a_standing("b.py", "g")}
    found = allot(leads, a_request(), lambda lead: shown.get(lead.id) or follow(lead))

    assert sorted(entry.lead.id for entry in found.entries) == ["a.py::f", "b.py::g"]
    assert found.dropped["duplicate"] == 2


def test_what_nothing_shows_is_not_supported() -> None:
    found = allot([a_lead("empty.py")], a_request(), lambda _: None)

    assert (found.entries, found.dropped["unsupported"]) == ((), 1)


def test_a_gap_is_a_step_without_evidence_that_counts() -> None:
    read, guessed = a_step(), a_step(K.TESTS, evidence=EvidenceKind.NAME)
    candidate = a_candidate("b.py::g", read, guessed)

    assert gaps(candidate, a_request()) == [guessed.edge]
    only_imports = ExpansionOptions(evidence_kinds=("importStmt",))
    assert gaps(candidate, a_request(expansion=only_imports)) == [read.edge, guessed.edge]
    assert gaps(candidate, a_request(expansion=ExpansionOptions(require_evidence=False))) == []
    assert gaps(candidate, a_request(strictness="loose")) == []
    assert gaps(candidate, a_request(strictness="strict")) == [guessed.edge]
