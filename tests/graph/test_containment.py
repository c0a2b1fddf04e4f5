"""What stands in what: as the whole graph says it, of the nodes that edges touch."""

import numpy as np

from clew.engine import Engine
from clew.graph.walk_graph import NOWHERE, Numbering, Within
from clew.model.words import EdgeKind
from clew.store.links import KINDS
from tests.conftest import Repository
from tests.graph.worlds import anew, laid_over, shown

SOURCE = """\
def outer():
    def inner():
        print()
    inner()


class Card:
    def charge(self):
        outer()

    def refund(self):
        self.charge()
"""


def told(numbering: Numbering) -> set[tuple[str, str]]:
    """Pairs of what contains and what is contained, asked both ways."""
    within = Within(numbering)
    nodes = np.array([i for i in range(numbering.size) if numbering.find(numbering.id(i)) >= 0], np.int64)
    outer = within.outer(nodes)
    upward = {(int(o), int(n)) for o, n in zip(outer, nodes, strict=True) if o != NOWHERE}
    counts, inner = within.inner(nodes)
    assert upward == set(zip(np.repeat(nodes, counts).tolist(), inner.tolist(), strict=True))
    return {(numbering.id(a), numbering.id(b)) for a, b in upward}


def test_it_is_what_the_whole_graph_says(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", SOURCE)
    repository.write("b.py", "import a\n\na.outer()\na.Card().refund()\n")
    engine.index()
    whole, containing = engine.graph(), {KINDS.index(EdgeKind.CONTAINS), KINDS.index(EdgeKind.DEFINES)}
    rows = zip(whole.edges.source.tolist(), whole.edges.target.tolist(), whole.edges.kind.tolist(), strict=True)

    expected = {(whole.ids[a], whole.ids[b]) for a, b, kind in rows if kind in containing}

    assert told(Numbering(engine.corpus())) == expected != set()


def test_what_is_gone_contains_nothing_and_what_is_new_is_contained() -> None:
    out = "external::x"
    before = {"a.py": [shown("", EdgeKind.IMPORTS, out), shown("C", EdgeKind.CALLS, out)], "b.py": []}
    now = {"a.py": [shown("", EdgeKind.IMPORTS, out), shown("C::m", EdgeKind.CALLS, out)], "b.py": []}

    assert told(Numbering(laid_over(before, now))) == told(Numbering(anew(now))) == {("a.py", "a.py::C::m")}
