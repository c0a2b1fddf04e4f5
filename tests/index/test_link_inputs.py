"""The inputs of a file's links: what was read of others, and whether a change concerns it."""

from collections.abc import Mapping

from clew.index.facts import Facts
from clew.index.link_stage import Linker
from clew.index.resolve.link_inputs import InputChanges, ProgramState
from tests.index.edges import read
from tests.index.worlds import tree_of

CARD = "def charge():\n    return 1\n"
PYTHON = {
    "pay/card.py": CARD,
    "pay/user.py": "from pay.card import charge\n\ncharge().settle()\n",
    "pay/other.py": "def wait():\n    pass\n\nwait()\n",
}
GO = {
    "pay/card.go": "package pay\n\nfunc Charge() int { return 1 }\n",
    "pay/user.go": "package pay\n\nfunc Use() { Charge() }\n",
    "pay/later.go": "package pay\n\nfunc Wait() { Credit() }\n",
}


def concerned(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """The files whose links may be others after a change."""
    facts = read(before), read(after)
    (world, languages), (world_after, languages_after) = map(tree_of, facts)
    linker = Linker(world, facts[0].__getitem__, languages, None)
    inputs = {path: linker.link_with_inputs(path)[1] for path in before}
    later = Linker(world_after, facts[1].__getitem__, languages_after, None)
    changed = {p: (facts[0].get(p, Facts()), facts[1][p]) for p in after if before.get(p) != after[p]}
    changes = InputChanges(
        ProgramState(world, languages, *linker.agreed.parts()),
        ProgramState(world_after, languages_after, *later.agreed.parts()),
        changed,
        linker.lookups,
    )
    return sorted(path for path, hashes in inputs.items() if changes.concern(hashes) and path not in changed)


def test_a_change_of_a_function_concerns_the_files_that_read_its_file() -> None:
    assert concerned(PYTHON, PYTHON | {"pay/card.py": CARD.replace("1", "wait")}) == ["pay/user.py"]


def test_a_new_function_concerns_only_the_files_that_looked_for_its_name() -> None:
    more = CARD + "\n\ndef refund():\n    return charge()\n"
    missing = PYTHON | {"pay/later.py": "from pay.card import refund\n\nrefund()\n"}

    assert concerned(missing, missing | {"pay/card.py": more}) == ["pay/later.py"]


def test_a_new_method_of_a_base_class_concerns_those_who_look_it_up_in_a_subclass() -> None:
    base = "class Base:\n    def charge(self): ...\n"
    files = {
        "pay/base.py": base,
        "pay/shop.py": "from pay.base import Base\n\nclass Shop(Base): ...\n",
        "pay/user.py": "from pay.shop import Shop\n\nShop().refund()\n",
        "pay/other.py": "from pay.shop import Shop\n\nShop().charge()\n",
    }

    assert concerned(files, files | {"pay/base.py": base + "    def refund(self): ...\n"}) == ["pay/user.py"]


def test_a_new_fixture_concerns_the_tests_that_may_request_it() -> None:
    gate = "import pytest\n\n\n@pytest.fixture\ndef gate():\n    return Gate()\n"
    tests = {"tests/conftest.py": gate, "tests/test_card.py": "def test_card(card):\n    card.charge()\n"}

    fixture = "\n\n@pytest.fixture\ndef card(gate):\n    return Card(gate)\n"
    helper = "\n\ndef wallet(gate):\n    return Card(gate)\n"
    assert concerned(tests, tests | {"tests/conftest.py": gate + fixture}) == ["tests/test_card.py"]
    assert concerned(tests, tests | {"tests/conftest.py": gate + helper}) == []


def test_a_new_file_concerns_those_whose_modules_it_is() -> None:
    missing = {path: text for path, text in PYTHON.items() if path != "pay/card.py"}

    assert concerned(missing, PYTHON) == ["pay/user.py"]


def test_a_new_function_of_a_package_concerns_the_files_that_call_its_name() -> None:
    more = GO["pay/card.go"] + "\nfunc Credit() int { return 2 }\n"

    assert concerned(GO, GO | {"pay/card.go": more}) == ["pay/later.go"]


def test_links_with_unknown_inputs_are_made_again() -> None:
    facts = read(PYTHON)
    world, languages = tree_of(facts)
    state = ProgramState(world, languages, *Linker(world, facts.__getitem__, languages, None).agreed.parts())

    changes = InputChanges(state, state, {}, ())

    assert changes.concern(b"")
