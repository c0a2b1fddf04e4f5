"""A zero that does not lie: what nothing is known to call is told with the calls that may lead to it."""

import pytest

from clew.engine import Engine
from clew.graph.edges import Current, edges_around
from clew.graph.elements import Elements
from clew.graph.possible_callers import add_possible_callers
from clew.graph.surroundings import Past, Surroundings, surroundings
from clew.model.time import NOW
from tests.conftest import Repository

CASES = {
    "a method that overrides another is called through that": (
        {
            "base.py": "class Base:\n    def run(self):\n        self.step()\n\n    def step(self): ...\n",
            "own.py": "from base import Base\n\n\nclass Own(Base):\n    def step(self): ...\n",
        },
        "own.py::Own::step",
        ["base.py::Base::run"],
    ),
    "also if that is written in another part of its class": (
        {
            "Pool.Calls.cs": "namespace Pay;\npartial class Pool {\n  void Go() { Put(); }\n}\n",
            "Pool.cs": "namespace Pay;\npartial class Pool {\n  protected virtual void Put() { }\n}\n",
            "Own.cs": "namespace Pay;\nclass Own : Pool {\n  protected override void Put() { }\n}\n",
        },
        "Own.cs::Own::Put",
        ["Pool.Calls.cs::Pool::Go"],
    ),
    "one that overrides what is outside, through that": (
        {
            "own.py": "import lib\n\n\nclass Own(lib.Base):\n    def step(self): ...\n",
            "use.py": "import lib\n\n\ndef use(one: lib.Base):\n    one.step()\n",
        },
        "own.py::Own::step",
        ["use.py::use"],
    ),
    "an overload is called if another of its name is": (
        {
            "A.java": "class A {\n  void run() { put(1); }\n  void put(int n) { }\n  void put(String s) { }\n}\n",
        },
        "A.java::A::put#2",
        ["A.java::A::run"],
    ),
    "what a header declares is called as what defines it": (
        {
            "desk.h": "int open_desk(int n);\n",
            "desk.c": '#include "desk.h"\nint open_desk(int n) { return n; }\n',
            "main.c": '#include "desk.h"\nint main(void) { return open_desk(1); }\n',
        },
        "desk.h::open_desk",
        ["main.c::main"],
    ),
    "what an interface promises is called as what implements it": (
        {
            "Gate.java": "interface Gate {\n  void open();\n}\n",
            "Door.java": "class Door implements Gate {\n  public void open() { }\n}\n",
            "Use.java": "class Use {\n  void use(Door door) { door.open(); }\n}\n",
        },
        "Gate.java::Gate::open",
        ["Use.java::Use::use"],
    ),
    "in Go any type with such a method may be what is called": (
        {
            "gate.go": "package pay\n\ntype Gate interface {\n\tOpen()\n\tShut()\n}\n\nfunc Use(g Gate) { g.Open() }\n",
            "half.go": "package pay\n\ntype Half struct{}\n\nfunc (h Half) Open() {}\n",
        },
        "half.go::Half::Open",
        ["gate.go::Use"],
    ),
    "what is said to be outside may be what has its name": (
        {
            "own.py": "class Own:\n    def fly_away(self): ...\n",
            "use.py": "from lib import load\n\n\ndef use():\n    load('own').fly_away()\n",
        },
        "own.py::Own::fly_away",
        ["use.py::use"],
    ),
    "what a language brings along is not": (
        {"own.js": "class Own { parse() {} }\n", "use.js": "export function use() { return JSON.parse('1') }\n"},
        "own.js::Own::parse",
        [],
    ),
}


def around(engine: Engine, id: str, *, past: bool = False) -> Surroundings:
    elements, corpus = Elements(engine.files), engine.corpus()
    name = id.rpartition("::")[2].partition("#")[0]
    look = Past(engine.files, engine.links, NOW) if past else Current(corpus)
    return surroundings(
        [id], add_possible_callers(look, elements, [id], edges_around(corpus, elements.inside(id), name))
    )


@pytest.mark.parametrize("case", CASES)
def test_what_nothing_is_known_to_call_is_told_with_what_may(case: str, repository: Repository, engine: Engine) -> None:
    files, asked, callers = CASES[case]
    for path, text in files.items():
        repository.write(path, text)
    engine.index()

    found = around(engine, asked)

    assert (found.callers, [one.id for one in found.candidates]) == (0, callers)
    assert found == around(engine, asked, past=True)


def test_what_is_called_is_told_with_calls_of_what_it_overrides(repository: Repository, engine: Engine) -> None:
    repository.write("base.py", "class Base:\n    def run(self):\n        self.step()\n\n    def step(self): ...\n")
    repository.write(
        "own.py", "from base import Base\n\n\nclass Own(Base):\n    def step(self): ...\n\n\nOwn().step()\n"
    )
    engine.index()

    found = around(engine, "own.py::Own::step")

    assert found.callers == 1
    assert [(one.id, one.confidence) for one in found.candidates] == [("base.py::Base::run", 0.25)]


def test_a_call_that_is_known_is_no_candidate_besides(repository: Repository, engine: Engine) -> None:
    repository.write("base.py", "class Base:\n    def step(self): ...\n\n\nclass Own(Base):\n    def step(self): ...\n")
    repository.write("use.py", "from base import Own\n\nOwn().step()\n")
    engine.index()

    found = around(engine, "base.py::Own::step")

    assert (found.callers, found.candidates) == (1, ())


def test_a_closure_of_php_is_asked_for_by_the_name_of_its_variable(repository: Repository, engine: Engine) -> None:
    repository.write("a.php", "<?php\nfunction f() { $check = function ($n) { return $n; }; return $check; }\n")
    repository.write("b.php", "<?php\nfunction g($check) { return $check(1); }\n")
    engine.index()

    found = around(engine, "a.php::f::check")

    assert [one.written for one in found.unresolved] == ["$check"]
    assert found.candidates == ()


def test_calls_on_what_comes_from_outside_are_leads_beside_callers(repository: Repository, engine: Engine) -> None:
    repository.write("own.py", "class Own:\n    def step(self): ...\n\n\nOwn().step()\n")
    repository.write("use.py", "import far\n\n\ndef given(): far.pick([]).step()\n\n\ndef made(): far.Thing().step()\n")
    engine.index()

    found = around(engine, "own.py::Own::step")

    assert found.callers == 1
    assert [(one.id, one.confidence) for one in found.candidates] == [("use.py::given", 0.1)]
    assert found == around(engine, "own.py::Own::step", past=True)


def test_what_is_made_in_a_class_may_stand_for_something_else(repository: Repository, engine: Engine) -> None:
    repository.write("own.py", "class Own:\n    def step(self): ...\n\n\nOwn().step()\n")
    repository.write(
        "card.py", "import far\n\n\nclass Card:\n    own = far.Key()\n\n    def go(self): self.own.step()\n"
    )
    repository.write("use.py", "import far\n\n\ndef made(): far.Thing().step()\n")
    engine.index()

    found = around(engine, "own.py::Own::step")

    assert [(one.id, one.confidence) for one in found.candidates] == [("card.py::Card::go", 0.1)]
    assert found == around(engine, "own.py::Own::step", past=True)
