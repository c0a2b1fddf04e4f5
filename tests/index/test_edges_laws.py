"""What must hold of edges whatever the tree: no order matters, and what was agreed is enough to go on."""

import random
from collections.abc import Mapping

import pytest

from clew.index.facts import Facts
from clew.index.link_stage import Linker
from clew.index.resolve import interface
from clew.model.words import EdgeKind
from clew.store.links import FileEdge
from tests.index.edges import linked, read
from tests.index.worlds import tree_of

SOURCES = {
    "pay/__init__.py": "from .card import Card\n",
    "pay/card.py": "LIMIT = 3\nclass Card:\n    def charge(self, n): return n\ndef enter_gate(x): return x\n",
    "pay/main.py": "from pay import Card\nfrom pay.card import LIMIT, enter_gate\n"
    "def pay(n: Card):\n    y = enter_gate(n)\n    return y, LIMIT, enter_gate\n",
    "pay/work.py": "from pay.card import Card, LIMIT\nclass Work(Card):\n    @property\n"
    "    def sum(self): return LIMIT()\n    def run(self): return [self.charge, self.sum]\n"
    "def later(work: Work): return work.run\n",
    "tests/test_card.py": "from pay.card import Card\ndef test_charge():\n    Card().charge(1)\n",
    "docs/a.md": "# Card\n\n`enter_gate` and `Card.charge`, `later_on()`\n",
    "web/a.ts": "import { b } from './b'\nexport function a(x: b) { return b }\n",
    "web/b.ts": "export class b {}\n",
}
KINDS = {
    EdgeKind.USES, EdgeKind.EXPORTS, EdgeKind.TESTS, EdgeKind.DATAFLOW, EdgeKind.MENTIONS, EdgeKind.DOCUMENTS
}  # fmt: skip


def linker_of(facts: Mapping[str, Facts]) -> Linker:
    world, languages = tree_of(facts)
    return Linker(world, facts.__getitem__, languages, None)


def test_the_world_has_edges_of_every_kind() -> None:
    assert {edge.kind for edges in linked(read(SOURCES)).values() for edge in edges} >= KINDS


@pytest.mark.parametrize("seed", range(5))
def test_no_order_matters(seed: int) -> None:
    facts = read(SOURCES)
    shuffled = random.Random(seed).sample(sorted(facts), len(facts))

    assert linked({path: facts[path] for path in shuffled}) == linked(facts)


@pytest.mark.parametrize("path", SOURCES)
def test_going_on_from_what_was_agreed_is_the_same(path: str) -> None:
    facts = read(SOURCES)
    world, languages = tree_of(facts)
    whole = linker_of(facts)
    later = Linker(world, facts.__getitem__, languages, whole.agreed)

    assert later.link(path) == whole.link(path)


def test_a_new_definition_changes_the_interface_and_what_prose_leads_to() -> None:
    old = read(SOURCES)
    new = {**old, **read({"pay/card.py": SOURCES["pay/card.py"] + "def later_on(): ...\n"})}

    assert interface(new["pay/card.py"]) != interface(old["pay/card.py"])
    assert _to(new, "pay/card.py::later_on") == ["docs/a.md"]


@pytest.mark.parametrize(
    "inside", ["    y = LIMIT\n", "    # LIMIT\n", "    y = enter_gate\n    y()\n", "    Card, LIMIT\n"]
)
def test_what_a_body_refers_to_is_nothing_to_others(inside: str) -> None:
    old = read({**SOURCES, "pay/own.py": "from pay.card import *\ndef own():\n    pass\n"})
    new = {**old, **read({"pay/own.py": f"from pay.card import *\ndef own():\n    pass\n{inside}"})}
    was, now = linked(old), linked(new)

    assert old["pay/own.py"] != new["pay/own.py"] or "#" in inside
    assert interface(new["pay/own.py"]) == interface(old["pay/own.py"])
    assert linker_of(new).agreed == linker_of(old).agreed
    assert {path: now[path] for path in SOURCES} == {path: was[path] for path in SOURCES}


def _to(facts: Mapping[str, Facts], target: str) -> list[str]:
    found: dict[str, tuple[FileEdge, ...]] = linked(facts)
    return sorted(path for path, edges in found.items() if any(edge.target == target for edge in edges))
