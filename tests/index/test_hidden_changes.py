"""Edits that no other file can notice are linked alone; whatever is edited, the result is that of a full index."""

import random
from pathlib import Path

import pytest

from clew.engine import Engine
from clew.index.link_stage import GlobalFacts, WholeProgram
from clew.model.run import RunStage
from tests.conftest import Repository, seeds
from tests.views import current_view

from .test_consistency import a_fresh_index

SHOP = """
from pay.base import Base


class Card(Base):
    def charge(self, amount):
        return self.gate.send(amount)


def checkout(card):
    return card.charge(1)
"""
BASE = """
class Base:
    def __init__(self, gate):
        self.gate = gate

    def refund(self):
        return self.gate.send(-1)


class Gate:
    def send(self, amount):
        return amount
"""
TESTS = """
from pay.base import Gate
from pay.shop import Card, checkout


def test_checkout():
    assert checkout(Card(Gate())) == 1
    Card(Gate()).refund()
"""
UNNOTICED = {
    "a function that nobody mentions": ("pay/base.py", BASE + "\n\ndef unheard(x):\n    return isinstance(x, str)\n"),
    "it is renamed": ("pay/base.py", BASE + "\n\ndef unseen(x):\n    return isinstance(x, str)\n"),
    "it is gone": ("pay/base.py", BASE),
    "a body that calls something outside": ("pay/shop.py", SHOP + "\n    print(len('x'), 1)\n"),
    "a new test with an import": ("tests/test_shop.py", TESTS + "\n\ndef test_import():\n    import json\n"),
    "other imports in a file of tests": (
        "tests/test_shop.py",
        TESTS.replace("from pay.base", "import os\nfrom pay.base"),
    ),
}
NOTICED = {
    "a method that hides an inherited one": (
        "pay/shop.py",
        SHOP.replace("    def charge", "    def refund(self):\n        return 0\n\n    def charge"),
    ),
    "a function that others call by that name": ("pay/base.py", BASE + "\n\ndef checkout(card): ...\n"),
    "a base class less": ("pay/shop.py", SHOP.replace("(Base)", "")),
    "a value that is passed on": ("pay/shop.py", SHOP + "\n\ncheckout(Card(Base(None)))\n"),
}


def test_edits_that_others_cannot_notice_leave_them_alone(
    repository: Repository, engine: Engine, tmp_path: Path
) -> None:
    for path, text in (("pay/base.py", BASE), ("pay/shop.py", SHOP), ("tests/test_shop.py", TESTS)):
        repository.write(path, text)
    repository.write("pay/__init__.py", "")
    engine.index()
    for number, (what, (path, text)) in enumerate({**UNNOTICED, **NOTICED}.items()):
        repository.write(path, text)
        stages = {one.stage for one in engine.index().stages}
        assert (RunStage.PROGRAM in stages) is (what in NOTICED), what
        if what in NOTICED or number == len(UNNOTICED) - 1:
            assert current_view(engine) == a_fresh_index(repository.root, tmp_path / str(number))[0], what


def solved_again(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Index, and report whether the values passed in the whole program were solved anew."""
    solved = []
    solve = WholeProgram.solve

    def solve_and_note(program: WholeProgram) -> GlobalFacts:
        solved.append(program)
        return solve(program)

    with monkeypatch.context() as patched:
        patched.setattr(WholeProgram, "solve", solve_and_note)
        engine.index()
    return bool(solved)


def calls_of(count: int) -> str:
    made = "".join(f"\n\ndef test_{number}():\n    run(lambda: {number})\n" for number in range(count))
    return f"from pay.base import Gate\n\n\ndef run(step):\n    step()\n{made}"


KEPT = {
    "a method of a class that is used": ("pay/base.py", BASE + "\n    def settle(self):\n        return 1\n"),
    "a class that others inherit from": (
        "pay/base.py",
        BASE.replace("class Base", "class Root: ...\n\n\nclass Base"),
    ),
    "one more function for a slot with many": ("tests/test_many.py", calls_of(42)),
}
SOLVED = {
    "a value that is passed on": ("pay/shop.py", SHOP + "\n\ncheckout(Gate)\n"),
    "so few that they are told apart": ("tests/test_many.py", calls_of(20)),
    "a parameter of another name": (
        "pay/shop.py",
        SHOP.replace("(card)", "(paper)").replace("card.", "paper.") + "\n\ncheckout(Gate)\n",
    ),
}


def test_the_solution_is_kept_as_long_as_nothing_that_it_read_changes(
    repository: Repository, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = SHOP.replace("import Base", "import Base, Gate")
    for path, text in (("pay/base.py", BASE), ("pay/shop.py", shop), ("tests/test_shop.py", TESTS)):
        repository.write(path, text)
    repository.write("tests/test_many.py", calls_of(40))
    repository.write("pay/__init__.py", "")
    engine.index()
    for number, (what, (path, text)) in enumerate({**KEPT, **SOLVED}.items()):
        repository.write(path, text.replace(SHOP, shop))
        assert solved_again(engine, monkeypatch) is (what in SOLVED), what
        assert current_view(engine) == a_fresh_index(repository.root, tmp_path / f"kept{number}")[0], what


NAMES = ("load", "save", "send", "take", "unheard")


def a_module(chance: random.Random, others: list[str]) -> str:
    """Functions and classes that pass a few things to each other, some of them across files."""
    lines = [f"from {other} import {chance.choice(NAMES)}" for other in chance.sample(others, 2)]
    lines += [f"import {chance.choice(others)}"]
    for name in chance.sample(NAMES, 3):
        called, passed = chance.choice(NAMES), chance.choice((*NAMES, "1", "'x'"))
        if chance.random() < 0.4:
            base = chance.choice(("", "(Thing)", "(load)"))
            lines += [
                f"class {name}{base}:",
                f"    def {called}(self, x):",
                f"        self.{passed.strip(chr(39))}_ = x",
            ]
            lines += [f"        return x.{chance.choice(NAMES)}({passed})"]
        else:
            lines += [
                f"def {name}(x=None):",
                f"    y = {called}({passed})",
                f"    return {chance.choice(('x', 'y', '1'))}",
            ]
    return "\n".join([*lines, f"{chance.choice(NAMES)}({chance.choice(NAMES)})", ""])


@seeds(2)
def test_random_edits_of_python_give_what_a_full_index_gives(
    repository: Repository, engine: Engine, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    modules = ["a", "b", "c", "tests.test_a", "tests.test_b"]
    for module in modules:
        repository.write(f"{module.replace('.', '/')}.py", a_module(chance, modules))
    engine.index()
    for step in range(16):
        module = chance.choice(modules)
        file = repository.root / f"{module.replace('.', '/')}.py"
        text = a_module(chance, modules)
        if chance.random() < 0.6:  # a small edit: one line more, less, or another
            lines, new = file.read_text("utf-8").splitlines(), text.splitlines()
            at = chance.randrange(len(lines))
            lines[at : at + chance.randrange(2)] = [
                f"def {chance.choice(NAMES)}{step}(x): return x",
                chance.choice(new[:3]),
            ]
            text = "\n".join([*lines, ""])
        repository.write(f"{module.replace('.', '/')}.py", text)
        engine.index()
        if step % 8 == 7:
            assert current_view(engine) == a_fresh_index(repository.root, tmp_path / f"fresh-{step}")[0]
