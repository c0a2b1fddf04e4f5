from pathlib import Path

import pytest

from clew.evaluate import world
from clew.evaluate.rankers import draw, without
from clew.evaluate.world import World
from clew.languages import BUILT_IN

from .conftest import CARD, INVOICE

GO = """package pay

// Charge takes an amount of money from the owner.
// It may fail.
func Charge(amount int) int {
	return amount
}
"""
JS = """/**
 * Give the money back to its owner.
 *
 * @param {number} amount
 */
function refund(amount) {
  return -amount
}
"""


def world_of(root: Path, **files: str) -> World:
    for name, text in files.items():
        (root / name.replace("_", ".")).write_text(text, "utf-8")
    return world.read(root, [name.replace("_", ".") for name in files], BUILT_IN, lambda done: None)


def queries(seen: World) -> dict[str, str]:
    return {case.functions[0]: case.query for case in draw(seen, 100).cases}


def test_the_first_sentence_of_what_documents_a_function_asks_for_it(tmp_path: Path) -> None:
    seen = world_of(tmp_path, card_py=CARD, refund_js=JS)

    assert queries(seen) == {
        "card.py::Card::charge": "Take an amount of money from the card's owner.",
        "card.py::Card::refund": "Give money back to whoever paid before.",
        "refund.js::refund": "Give the money back to its owner.",
    }


def test_a_function_is_not_asked_for_by_its_own_name(tmp_path: Path) -> None:
    assert queries(world_of(tmp_path, pay_go=GO)) == {"pay.go::Charge": "takes an amount of money from the owner."}


def test_sentences_are_told_without_spaces_too(tmp_path: Path) -> None:
    text = 'def charge():\n    """从卡中扣除一定金额。然后返回余额。"""\n    return 1\n'

    assert queries(world_of(tmp_path, card_py=text)) == {"card.py::charge": "从卡中扣除一定金额。"}


def test_functions_that_say_little_nothing_or_the_same_are_left_out_and_counted(tmp_path: Path) -> None:
    same = 'def {}():\n    """Do what the base class says."""\n    return 1\n'
    short = 'def short():\n    """Just this."""\n'
    seen = world_of(tmp_path, a_py=same.format("one") + same.format("two") + short + "def none(): ...\n")
    drawn = draw(seen, 100)

    assert drawn.cases == []
    assert drawn.left_out == {
        "not documented": 1,
        "first sentence of fewer than 4 words": 1,
        "same first sentence as another function": 2,
    }


def test_a_sample_is_the_same_every_time_and_no_larger_than_asked_for(tmp_path: Path) -> None:
    seen = world_of(tmp_path, card_py=CARD, invoice_py=INVOICE, refund_js=JS)
    two = [case.id for case in draw(seen, 2).cases]

    assert [case.id for case in draw(seen, 2).cases] == two
    assert [case.id for case in draw(seen, 100).cases][:2] == two
    assert draw(seen, 2).left_out["more than were asked for"] == 2


@pytest.mark.parametrize(("name", "source"), [("card.py", CARD), ("pay.go", GO), ("refund.js", JS)])
def test_what_is_taken_out_leaves_everything_else_where_it_is(name: str, source: str, tmp_path: Path) -> None:
    seen = world_of(tmp_path, **{name.replace(".", "_"): source})
    drawn = draw(seen, 100)
    text = without(source.encode(), drawn.docs[name]).decode()
    (tmp_path / name).write_text(text, "utf-8")
    again = world.read(tmp_path, [name], BUILT_IN, lambda done: None)

    assert len(text) == len(source)
    assert text.count("\n") == source.count("\n")
    assert again.functions.keys() == seen.functions.keys()
    for case in drawn.cases:
        assert not any(word in text for word in ("money", "owner"))
        assert case.query not in text


def test_a_docstring_that_is_all_there_is_stays_a_body(tmp_path: Path) -> None:
    source = "def later():\n    '''Do all of this another day.'''\n"
    drawn = draw(world_of(tmp_path, a_py=source), 100)
    text = without(source.encode(), drawn.docs["a.py"]).decode()

    assert text == f"def later():\n    '''{' ' * 27}'''\n"
    compile(text, "a.py", "exec")
