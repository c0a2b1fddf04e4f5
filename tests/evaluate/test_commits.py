from pathlib import Path

from clew.evaluate import choosing, world
from clew.evaluate.choosing import choose
from clew.evaluate.history import History
from clew.evaluate.report import Case, Request
from clew.evaluate.world import SourceFiles
from clew.languages import BUILT_IN

from .conftest import CARD, INVOICE, Past


def cases(past: Past, base: str, tmp_path: Path) -> list[Case]:
    root = past.repository.root
    history = History(root)
    chosen = choose(history, Request(root, base=base), SourceFiles(BUILT_IN))
    tree = tmp_path / "base"
    past.repository.git("worktree", "add", "-q", "--detach", str(tree), chosen.base)
    seen = world.read(tree, history.paths(chosen.base), BUILT_IN, lambda done: None)
    return choosing.cases(chosen, history, seen, BUILT_IN)


def first_commit(past: Past) -> str:
    return past.repository.git("rev-list", "--max-parents=0", "HEAD")


def test_a_case_tells_the_files_and_the_functions_that_its_commit_changed(grown: Past, tmp_path: Path) -> None:
    found = cases(grown, first_commit(grown), tmp_path)

    assert [case.functions for case in found] == [
        ("src/card.py::Card::charge",),
        ("src/invoice.py::total",),
        ("src/invoice.py::render",),
    ]
    assert found[2].files == ("src/invoice.py", "src/store.py")
    assert [case.time for case in found] == sorted(case.time for case in found)


def test_functions_are_found_where_they_stood_when_they_were_changed(past: Past, tmp_path: Path) -> None:
    base = past.repository.git("rev-parse", "HEAD")
    moved = CARD.replace("class Card", "\n\n\n\n\n\nclass Card")
    past.commit("Add empty lines above the cards", src__card_py=moved)
    past.commit("Refund twice as much", src__card_py=moved.replace("-amount", "-2 * amount"))

    assert [case.functions for case in cases(past, base, tmp_path)] == [(), ("src/card.py::Card::refund",)]


def test_a_function_that_the_base_does_not_have_is_no_answer(past: Past, tmp_path: Path) -> None:
    base = past.repository.git("rev-parse", "HEAD")
    longer = f"{INVOICE}\n\ndef taxed(lines):\n    return total(lines) * 1.2\n"
    past.commit("Compute taxes of an invoice", src__invoice_py=longer)
    past.commit("Lower the taxes of an invoice", src__invoice_py=longer.replace("1.2", "1.1").replace("sum(", "sum( "))

    assert [case.functions for case in cases(past, base, tmp_path)] == [(), ("src/invoice.py::total",)]
