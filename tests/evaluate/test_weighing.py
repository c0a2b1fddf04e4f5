import numpy as np
import pytest

from clew.engine import Engine
from clew.evaluate import world
from clew.evaluate.rankers import ranking
from clew.evaluate.report import Case, Ranks
from clew.evaluate.stage import signaller
from clew.evaluate.tuning import objective, weighable
from clew.evaluate.world import World
from clew.languages import BUILT_IN
from clew.model.search import Query
from clew.runtime.place import find_place

from .conftest import Past

QUERY = "charge the card an amount of money and render the lines of an invoice"
UNDIVERSE = {"CLEW_QUERY_MMR_LAMBDA": "1"}


def seen_by(past: Past) -> World:
    return world.read(past.repository.root, ["src/card.py", "src/invoice.py", "src/store.py"], BUILT_IN, lambda _: None)


@pytest.mark.parametrize("fusion", ["evidence", "rrf", "cascade"])
@pytest.mark.parametrize("weight", ["0.65", "0.1", "0"])
def test_weighed_anew_a_case_ranks_as_a_search_by_those_weights_does(past: Past, fusion: str, weight: str) -> None:
    seen = seen_by(past)
    settings = {**UNDIVERSE, "CLEW_PROVIDERS_HYBRID_FUSION_STRATEGY": fusion}
    root = past.repository.root
    case = Case("", QUERY, 0, tuple(seen.files), tuple(seen.functions))
    with Engine.open(root, environ=settings) as opened:
        opened.index()
        prepared = weighable(case, signaller(opened)(QUERY), seen)
    with Engine.open(root, environ={**settings, "CLEW_PROVIDERS_GIT_HISTORY_WEIGHT": weight}) as opened:
        searched = ranking(opened.search(Query(QUERY, 100)).hits, seen, seen.files)

    got = prepared.ranks({"git_history": float(weight)})
    assert got.files == tuple(searched.files.index(one) + 1 if one in searched.files else 0 for one in case.files)
    assert got.functions == tuple(
        searched.functions.index(one) + 1 if one in searched.functions else 0 for one in case.functions
    )
    assert any(got.files)


def test_a_checkout_is_asked_about_once_and_weighed_often(past: Past) -> None:
    with Engine.open(past.repository.root, environ={}) as opened:
        opened.index()
        signals = signaller(opened)(QUERY)

    assert set(signals.scores) == find_place(past.repository.root, {}).settings.config.retrievers().keys()
    assert signals.failed == ()
    assert not signals.fuse(dict.fromkeys(signals.weights, 0.0)).any()
    assert (signals.fuse({}) == signals.fuse(signals.weights)).all()


def test_the_objective_adds_up_files_and_functions() -> None:
    found = objective([Ranks((1,), (2,)), Ranks((4,), ()), Ranks((0,), ())])

    assert found[0] == pytest.approx(1 + 0.5 + 0.7 * 3 * 0.5)  # the one case with a function counts for all
    assert found[1:] == pytest.approx([0.25 + 0.5, 0.0])
    assert np.mean(found) == pytest.approx(1.25 / 3 + 0.5 * 2 / 3 + 0.7 * 0.5)
