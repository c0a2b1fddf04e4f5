"""Expansion: from an interface to its implementations, with the edge that says so."""

import pytest

from clew.engine import Engine
from clew.graph.elements import Elements
from clew.graph.expansion import MOST_OF_ONE, expand, is_declared
from tests.conftest import Repository

PAY = """\
from abc import ABC, abstractmethod
from typing import Protocol


class Gateway(ABC):
    @abstractmethod
    def charge(self, cents): ...

    def name(self):
        return "gateway"


class Store(Protocol):
    def put(self, key): ...


class Plain:
    def go(self): ...
"""
CARDS = """\
from pay import Gateway, Plain


class Card(Gateway):
    def charge(self, cents):
        return cents


class Gold(Card):
    def charge(self, cents):
        return 2 * cents


class Other(Plain):
    def go(self): ...
"""
SHAPES = """\
interface Shape { double area(); }
abstract class Named { abstract String name(); }
class Round extends Named implements Shape {
    public double area() { return 1; }
    String name() { return "round"; }
}
"""


@pytest.fixture
def found(repository: Repository, engine: Engine) -> Engine:
    repository.write("pay.py", PAY)
    repository.write("cards.py", CARDS)
    repository.write("Shapes.java", SHAPES)
    engine.index()
    return engine


def expanded(engine: Engine, *ids: str) -> list[tuple[str, str]]:
    return [(one.id, one.reason) for one in expand(engine.corpus(), Elements(engine.files), ids)]


def test_an_abstract_class_brings_its_subclasses_the_nearest_first(found: Engine) -> None:
    assert expanded(found, "pay.py::Gateway") == [
        ("cards.py::Card", "inherits from pay.py::Gateway (cards.py:4)"),
        ("cards.py::Gold", "inherits from pay.py::Gateway (cards.py:9)"),
    ]


def test_a_method_that_is_only_declared_brings_those_that_do_it(found: Engine) -> None:
    assert [one for one, _ in expanded(found, "pay.py::Gateway::charge")] == [
        "cards.py::Card::charge",
        "cards.py::Gold::charge",
    ]


def test_an_interface_of_another_language_brings_what_implements_it(found: Engine) -> None:
    assert expanded(found, "Shapes.java::Shape") == [
        ("Shapes.java::Round", "implements Shapes.java::Shape (Shapes.java:3)")
    ]
    assert [one for one, _ in expanded(found, "Shapes.java::Named", "Shapes.java::Shape::area")] == [
        "Shapes.java::Round",
        "Shapes.java::Round::area",
    ]


def test_what_is_whole_itself_brings_nothing(found: Engine) -> None:
    whole = ["pay.py::Plain", "pay.py::Plain::go", "cards.py::Card", "pay.py", "nowhere.py::f", "external::abc.ABC"]

    assert expanded(found, *whole) == []
    corpus, elements = found.corpus(), Elements(found.files)
    assert [one for one in [*whole, "pay.py::Store", "pay.py::Store::put"] if is_declared(corpus, elements, one)] == [
        "pay.py::Store",
        "pay.py::Store::put",
    ]


def test_what_was_asked_for_is_not_added(found: Engine) -> None:
    assert [one for one, _ in expanded(found, "pay.py::Gateway", "cards.py::Card")] == ["cards.py::Gold"]


def test_of_many_only_a_few_are_added_those_nearby_first(repository: Repository, engine: Engine) -> None:
    repository.write("lib/base.py", "from abc import ABC\n\n\nclass Base(ABC): ...\n")
    for i in range(MOST_OF_ONE):
        repository.write(f"far/m{i}.py", f"from lib.base import Base\n\n\nclass Far{i}(Base): ...\n")
    repository.write("lib/near.py", "from lib.base import Base\n\n\nclass Near(Base): ...\n")
    engine.index()

    ids = [one for one, _ in expanded(engine, "lib/base.py::Base")]
    assert (ids[0], len(ids)) == ("lib/near.py::Near", MOST_OF_ONE)
