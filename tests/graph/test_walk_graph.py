"""The web: which steps a walk may take, what they weigh, and the same bits however the corpus came together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.engine import Engine
from clew.graph import walk_graph as webs
from clew.graph.algorithms.push import EPSILON
from clew.graph.walk_graph import LED_FROM, LED_TO, MEMBERS, NearNode, Web, nearest, walk
from clew.model.words import EdgeKind, EvidenceKind
from clew.store.corpus import Corpus
from clew.store.histories import Together
from clew.store.links import KINDS, FileEdge
from tests.conftest import Repository
from tests.graph.worlds import Shows, a_corpus, anew, laid_over, shown

CALLS, IMPORTS, USES = EdgeKind.CALLS, EdgeKind.IMPORTS, EdgeKind.USES


def steps(web: Web, id: str) -> list[tuple[str, str, float]]:
    found = web.steps(np.array([web.find(id)], np.int64))
    rows = zip(found.target.tolist(), found.kind.tolist(), found.strength.tolist(), strict=True)
    return sorted((KINDS[kind].value, web.numbering.id(target), round(sure, 6)) for target, kind, sure in rows)


def shares(web: Web, *seeds: str, epsilon: float = 1e-5) -> dict[str, float]:
    reached = walk(web, dict.fromkeys(seeds, 1.0), epsilon=epsilon)
    return {near.id: near.share for near in nearest(web, reached, len(reached.nodes))}


def test_edges_are_walked_both_ways_by_kind_and_confidence() -> None:
    web = Web(anew({"a.py": [shown("f", CALLS, "b.py::g", confidence=0.8)], "b.py": []}))

    assert steps(web, "a.py::f") == [("CALLS", "b.py::g", 0.72)]
    assert steps(web, "b.py::g") == [("CALLS", "a.py::f", 0.72)]


def test_edges_of_a_kind_count_once_by_the_surest() -> None:
    edges = [shown("f", CALLS, "b.py", line, sure) for line, sure in ((1, 0.6), (2, 0.9), (3, 0.7))]
    web = Web(anew({"a.py": [*edges, shown("f", USES, "b.py", 4)]}))

    assert steps(web, "a.py::f") == [("CALLS", "b.py", 0.81), ("USES", "b.py", 0.6)]
    assert steps(web, "b.py") == [("CALLS", "a.py::f", 0.81), ("USES", "a.py::f", 0.6)]


def test_neither_candidates_nor_loops_nor_what_is_outside_is_walked() -> None:
    edges = [
        shown("f", CALLS, "a.py::f"),
        shown("f", CALLS, "b.py::g", confidence=0.49),
        shown("f", CALLS, "external::print"),
        shown("h", CALLS, "external::print"),
    ]
    web = Web(anew({"a.py": edges}))

    assert steps(web, "a.py::f") == []
    assert web.find("external::print") == -1
    assert shares(web, "a.py::f") == {"a.py::f": 1.0}


def test_ids_tell_what_stands_in_what() -> None:
    edges = [shown(scope, CALLS, "external::x") for scope in ("", "C", "C#2::m", "C::m", "C::m::inner", "Card::m")]
    web = Web(anew({"a.py": edges, "a.py-old": [shown("", CALLS, "external::x")]}))

    assert steps(web, "a.py") == [
        ("DEFINES", "a.py::C", 0.6),
        ("DEFINES", "a.py::C#2::m", 0.6),
        ("DEFINES", "a.py::Card::m", 0.6),
    ]
    assert steps(web, "a.py::C") == [("CONTAINS", "a.py::C::m", 0.5), ("DEFINES", "a.py", 0.6)]
    assert steps(web, "a.py::C::m::inner") == [("CONTAINS", "a.py::C::m", 0.5)]
    assert steps(web, "a.py-old") == []


def test_the_members_of_a_large_thing_share_what_a_few_would_weigh() -> None:
    edges = [shown(scope, CALLS, "external::x") for scope in ("", *(f"f{i:03}" for i in range(100)))]
    found = steps(Web(anew({"a.py": edges})), "a.py")

    assert len(found) == 100
    assert sum(weight for *_, weight in found) == pytest.approx(MEMBERS * 0.6)


def test_what_calls_a_thing_shares_what_a_few_would_weigh_and_so_does_what_it_calls() -> None:
    callers = {f"{n:02}.py": [shown("f", CALLS, "hub.py::f")] for n in range(30)}
    web = Web(anew({**callers, "hub.py": [shown("f", CALLS, f"own.py::f{n:02}") for n in range(20)], "own.py": []}))
    found = steps(web, "hub.py::f")

    assert sum(sure for _, end, sure in found if end.startswith("own")) == pytest.approx(LED_TO * 0.9)
    assert sum(sure for _, end, sure in found if end[0].isdigit()) == pytest.approx(LED_FROM * 0.9, rel=1e-4)


def test_what_is_laid_over_counts_among_those_that_share() -> None:
    now = {**{f"{n:02}.py": [shown("f", CALLS, "hub.py::f")] for n in range(12)}, "hub.py": []}

    assert steps(Web(laid_over({**now, "05.py": []}, now)), "hub.py::f") == steps(Web(anew(now)), "hub.py::f")


def test_a_symbol_that_nothing_touches_begins_at_what_it_stands_in() -> None:
    web = Web(anew({"a.py": [shown("", IMPORTS, "b.py")]}))

    assert shares(web, "a.py::C::lonely") == shares(web, "a.py")
    assert shares(web, "nowhere.py::f") == {}
    assert shares(web, "nowhere.py", "a.py") == shares(web, "a.py")


def test_a_hub_draws_less_than_a_friend() -> None:
    callers = {f"c{i:03}.py": [shown("", CALLS, "log.py")] for i in range(400)}
    now = {**callers, "a.py": [shown("", CALLS, "log.py"), shown("", CALLS, "friend.py")]}
    found = shares(Web(anew(now)), "a.py")

    assert found["friend.py"] > 1.5 * found["log.py"]


def test_files_that_changed_together_are_steps_if_history_is_given() -> None:
    told = FileEdge("", EdgeKind.CO_CHANGES, "b.py", 5, EvidenceKind.TOOLING, 0.5)
    gone = FileEdge("", EdgeKind.CO_CHANGES, "gone.py", 5, EvidenceKind.TOOLING, 0.5)
    together: Together = {"a.py": (told, gone)}
    corpus = anew({"a.py": [shown("", IMPORTS, "external::os")], "b.py": [shown("", IMPORTS, "external::os")]})

    assert steps(Web(corpus), "a.py") == []
    assert steps(Web(corpus, together), "a.py") == [("CO_CHANGES", "b.py", 0.25)]
    assert steps(Web(corpus, together), "b.py") == []


def test_an_empty_corpus_reaches_nothing() -> None:
    for corpus in (a_corpus(), anew({})):
        assert shares(Web(corpus), "a.py", "a.py::f") == {}


def test_the_nearest_come_first_and_ties_go_by_id() -> None:
    web = Web(anew({"a.py": [shown("", CALLS, f"{name}.py") for name in "dcb"]}))
    reached = walk(web, {"a.py": 1.0})

    assert [near.id for near in nearest(web, reached, 3)] == ["a.py", "b.py", "c.py"]
    assert nearest(web, reached, 1) == [NearNode("a.py", float(reached.shares.max()))]


paths = st.sampled_from(["a.py", "b.py", "c.py", "d.py", "e.py"])
scopes = st.sampled_from(["", "C", "C#2", "C::m", "C::n", "f", "g"])
kinds = st.sampled_from([CALLS, IMPORTS, USES, EdgeKind.TESTS])
targets = st.one_of(st.builds(lambda p, s: f"{p}::{s}" if s else p, paths, scopes), st.just("external::os"))
edges = st.builds(shown, scopes, kinds, targets, st.integers(1, 3), st.sampled_from([0.3, 0.5, 0.77, 1.0]))
trees = st.dictionaries(paths, st.lists(edges, max_size=6), max_size=5)


@given(before=trees, now=trees)
def test_laying_over_changes_no_bit(before: Shows, now: Shows) -> None:
    """Whatever was before: files changed, came and went."""
    whole, over = Web(anew(now)), Web(laid_over(before, now))
    names = [f"{path}::{scope}" if scope else path for path in "abcde" for scope in ("", "C", "C::m", "f")]
    ids = [name.replace("::", ".py::", 1) if "::" in name else f"{name}.py" for name in names]

    for one in ids:
        assert shares(over, one) == shares(whole, one), one
    assert shares(over, *ids) == shares(whole, *ids)


def everything(corpus: Corpus, ids: list[str]) -> dict[str, dict[str, float]]:
    web = Web(corpus)
    return {one: shares(web, one) for one in ids}


def test_an_index_that_was_edited_walks_as_one_made_anew(repository: Repository, engine: Engine) -> None:
    for name in "abcdef":
        after = chr(ord(name) + 1)
        repository.write(f"{name}.py", f"import {after}\n\n\ndef run_{name}():\n    {after}.run_{after}()\n")
    repository.write("base.py", "class Base:\n    def go(self):\n        self.stop()\n\n    def stop(self): ...\n")
    engine.index()
    engine.corpus()
    repository.write(
        "c.py", "import a\nimport base\n\n\nclass More(base.Base):\n    def go(self):\n        a.run_a()\n"
    )
    repository.write("new.py", "import c\n\n\ndef make():\n    return c.More()\n")
    repository.delete("e.py")
    engine.index()

    over = engine.corpus()
    engine._corpora.renew()
    with Engine.open(repository.root) as again:
        whole = again.corpus()
        assert (len(over.parts), len(whole.parts)) == (2, 1)
        ids = sorted({one for corpus in (over, whole) for part in corpus.parts for one in part.postings.graph.ids})
        found = everything(over, ids)
        assert found == everything(whole, ids)

    assert "c.py::More" in found["new.py::make"]


def test_shares_are_told_of_the_ids_that_are_asked_for() -> None:
    web = Web(anew({"a.py": [shown("f", CALLS, "b.py::g"), shown("h", CALLS, "c.py::i")]}))
    reached = walk(web, {"a.py::f": 1.0})

    found = webs.shares(web, reached, ["b.py::g", "c.py::i", "nowhere"])

    assert found.keys() == {"b.py::g", "c.py::i"}
    assert found["b.py::g"] == shares(web, "a.py::f", epsilon=EPSILON)["b.py::g"] > found["c.py::i"]
