"""The order in which items enter a pack: sections take turns by their shares, whatever the budget is."""

from collections.abc import Sequence

import pytest

from clew.pack.request import BudgetOptions
from clew.pack.sections import SectionEntry
from clew.pack.shares import ExcerptSize, TurnOrder, order_turns
from tests.pack.standings import a_lead, a_request, a_seed_lead, a_standing

GRAPH = ("callers", "callees", "usages", "tests")


def entry(id: str, section: str) -> SectionEntry:
    path, _, scope = id.partition("::")
    lead = a_seed_lead(id, 0.9) if section == "seeds" else a_lead(id, section)
    return SectionEntry(lead, a_standing(path, scope))


def entries(each: int = 6) -> list[SectionEntry]:
    """Seeds come first in rank."""
    return [entry(f"{section}{i}.py::f", section) for section in ("seeds", *GRAPH) for i in range(each)]


def entered(order: TurnOrder) -> list[str]:
    return [one.section for one in order.entries]


def test_every_section_has_an_item_before_any_has_two() -> None:
    order = order_turns(entries(), a_request())

    assert entered(order)[0] == "seeds"
    assert sorted(entered(order)[:5]) == sorted(("seeds", *GRAPH))


def test_seeds_have_the_largest_share_unless_the_graph_is_asked_about() -> None:
    usual, impact = (
        entered(order_turns(entries(20), a_request(intent=intent)))[:20] for intent in ("answer", "impact")
    )

    assert usual.count("seeds") == max(usual.count(name) for name in usual)
    assert impact[0] == "seeds"
    assert impact.count("callers") > impact.count("seeds")


@pytest.mark.parametrize("cap", [1, 5, 23])
def test_a_cap_on_items_shows_the_beginning_of_the_same_order(cap: int) -> None:
    whole = order_turns(entries(), a_request())
    cut = order_turns(entries(), a_request(budgets=BudgetOptions(max_items=cap)))

    assert [one.lead.id for one in cut.entries] == [one.lead.id for one in whole.entries[:cap]]
    assert {turn.entry for turn in cut.turns} == set(range(cap))


def test_an_item_enters_before_it_grows_and_sections_keep_their_rank() -> None:
    order = order_turns(entries(), a_request())

    for number in range(len(order.entries)):
        grown = [turn.size for turn in order.turns if turn.entry == number]
        assert grown[-1] is ExcerptSize.WHOLE
    for name in ("seeds", *GRAPH):
        assert [one.lead.id for one in order.entries if one.section == name] == [f"{name}{i}.py::f" for i in range(6)]


def test_most_of_the_budget_is_for_the_code_that_matches() -> None:
    of = order_turns(entries(30), a_request(budgets=BudgetOptions(max_items_per_section=80))).entries[:20]

    assert 2 * entered_seeds(of) >= len(of)
    assert {one.section for one in of} == {"seeds", *GRAPH}


def entered_seeds(some: Sequence[SectionEntry]) -> int:
    return sum(one.section == "seeds" for one in some)
