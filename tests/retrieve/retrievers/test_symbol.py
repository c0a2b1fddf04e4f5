"""By name: exact, qualified, by how it begins; by stack trace; by file; by a quoted message."""

import math

import pytest

from clew.retrieve.retrievers.symbol import (
    ASKED_FOR,
    BEGINS_SO,
    FILE_NAMED,
    NAMED,
    OUTER_FRAME,
    POINTED_AT,
    QUOTED,
    SAID,
)
from tests.conftest import Repository
from tests.retrieve.retrievers.asking import seen
from tests.retrieve.retrievers.conftest import Made

FILES = {
    "shop/cart.py": '''class Cart:
    def total(self, customer):
        """All of it."""
        return best_rebate(customer)

    def add(self, quantity):
        if quantity < 1:
            raise ValueError("quantity must be at least one")
''',
    "shop/bill.py": "class Bill:\n    def total(self):\n        return 1\n\n\ndef render_invoice(): ...\n",
    "shop/rebates.py": "def best_rebate(customer):\n    return max(customer.rates)\n\n\ndef json(): ...\n",
    "shop/rules.json": '{"name": "rules"}\n',
}
TRACE = """Traceback (most recent call last):
  File "/srv/app/shop/cart.py", line 4, in total
    return best_rebate(customer)
  File "/srv/app/shop/rebates.py", line 2, in best_rebate
ValueError: max() arg is an empty sequence
"""
CART, BILL = "shop/cart.py::Cart::total", "shop/bill.py::Bill::total"


def scores(made: Made, question: str) -> dict[str, float]:
    return {name: one.score for name, one in seen(made(FILES), "symbol", question).items()}


@pytest.mark.parametrize("question", ["best_rebate", "BEST_REBATE", "`best_rebate`", "best_rebate()"])
def test_a_question_that_is_a_name_finds_what_has_it(made: Made, question: str) -> None:
    assert scores(made, question) == {"shop/rebates.py::best_rebate": ASKED_FOR}


@pytest.mark.parametrize(
    "question", ["where is best_rebate defined?", "function best_rebate", "who calls `best_rebate`"]
)
def test_a_question_about_a_name_finds_what_has_it(made: Made, question: str) -> None:
    assert scores(made, question) == {"shop/rebates.py::best_rebate": ASKED_FOR}


def test_a_question_about_a_name_that_nothing_has_finds_nothing_by_name(made: Made) -> None:
    assert scores(made, "where is best_reb defined?") == {}


def test_another_spelling_is_another_name(made: Made) -> None:
    assert scores(made, "bestRebate") == {}  # its words are full text's


def test_all_of_a_name_are_found(made: Made) -> None:
    assert scores(made, "total") == {CART: ASKED_FOR, BILL: ASKED_FOR}


@pytest.mark.parametrize(
    "question", ["Cart.total", "Cart::total", "Cart#total", "cart.Cart.total", "shop.cart.Cart.total"]
)
def test_a_qualified_name_finds_the_one_inside(made: Made, question: str) -> None:
    assert scores(made, question) == {CART: ASKED_FOR}


def test_one_that_is_qualified_by_something_else_finds_all_of_the_name(made: Made) -> None:
    assert {*scores(made, "Order.total")} == {CART, BILL}


def test_how_a_name_begins_is_worth_less(made: Made) -> None:
    found = seen(made(FILES), "symbol", "rend")

    assert {name: one.score for name, one in found.items()} == {"shop/bill.py::render_invoice": ASKED_FOR * BEGINS_SO}
    assert found["shop/bill.py::render_invoice"].detail == "begins with rend"


def test_two_letters_begin_nothing(made: Made) -> None:
    assert scores(made, "re") == {}


def test_a_name_in_a_sentence_counts_a_little_the_less_the_more_have_it(made: Made) -> None:
    one, two = scores(made, "why does best_rebate fail"), scores(made, "why does `total` fail")

    assert one == {"shop/rebates.py::best_rebate": NAMED}
    assert two == dict.fromkeys((CART, BILL), pytest.approx(NAMED / math.sqrt(2)))


def test_plain_words_name_nothing(made: Made) -> None:
    assert scores(made, "how is the total computed") == {}


def test_a_trace_points_at_its_innermost_frame_and_less_at_those_around(made: Made) -> None:
    found = seen(made(FILES), "symbol", TRACE)

    assert found["shop/rebates.py::best_rebate"].score == POINTED_AT
    assert found[CART].score == pytest.approx(POINTED_AT * OUTER_FRAME)
    assert found["shop/rebates.py::best_rebate"].detail == "/srv/app/shop/rebates.py:2"


@pytest.mark.parametrize(
    "trace",
    [
        'it ends so:\n  File "shop/cart.py", line 4, in total\n  File "shop/rebates.py", line 2, in best_rebate\n',
        "shop/cart.py:4: in total\n    return best_rebate(customer)\nshop/rebates.py:2: in best_rebate\n",
    ],
)
def test_of_a_trace_that_is_cut_out_or_told_by_pytest_the_last_frame_is_the_innermost(made: Made, trace: str) -> None:
    found = scores(made, trace)

    assert found["shop/rebates.py::best_rebate"] == POINTED_AT
    assert found[CART] == pytest.approx(POINTED_AT * OUTER_FRAME)


def test_a_link_points_at_what_stands_there(made: Made) -> None:
    found = seen(made(FILES), "symbol", "as https://github.com/acme/shop/blob/main/shop/cart.py#L7-L8 says")

    assert [*found] == ["shop/cart.py::Cart::add"]
    assert found["shop/cart.py::Cart::add"].score == POINTED_AT


def test_traces_of_others_have_their_innermost_frame_first(made: Made) -> None:
    found = scores(made, "Error: x\n    at total (/app/shop/cart.py:4:1)\n    at other (/app/shop/bill.py:3:1)\n")

    assert found[CART] == POINTED_AT
    assert found[BILL] == pytest.approx(POINTED_AT * OUTER_FRAME)


@pytest.mark.parametrize("line", [7, 99])
def test_a_frame_whose_line_moved_points_at_what_it_names(made: Made, line: int) -> None:
    found = seen(made(FILES), "symbol", f'File "/srv/app/shop/cart.py", line {line}, in total\n')

    assert {name: one.score for name, one in found.items()} == {CART: POINTED_AT}


@pytest.mark.parametrize(
    "frame",
    [
        "at Shop.Cart.total[T](Int32 one) in /srv/shop/cart.py:line 99",
        "/srv/shop/cart.py:99:in 'block in total'",
        "at Object.total [as add] (/srv/shop/cart.py:99:1)",
    ],
)
def test_a_frame_names_more_than_the_function(made: Made, frame: str) -> None:
    assert scores(made, f"it breaks\n  {frame}\n")[CART] == POINTED_AT


def test_of_several_that_are_called_so_the_one_that_stands_where_the_frame_says(made: Made) -> None:
    text = "class A:\n    def go(self): ...\n\n\nclass B:\n    def go(self): ...\n"
    found = seen(made({"shop/two.rb": "", "shop/two.py": text}), "symbol", "shop/two.py:90:in 'B#go'")

    assert {*found} == {"shop/two.py::B::go"}


@pytest.mark.parametrize("name", ["<lambda>", "Cart", "elsewhere"])
def test_a_frame_that_is_in_something_of_its_name_keeps_to_the_line(made: Made, name: str) -> None:
    found = scores(made, f'File "/srv/app/shop/cart.py", line 7, in {name}\n')

    assert found == {"shop/cart.py::Cart::add": POINTED_AT}


def test_frames_of_libraries_point_at_nothing_here(made: Made) -> None:
    trace = 'File "/usr/lib/python3/site-packages/other/cart.py", line 4, in total\n'

    assert scores(made, f"it breaks:\n{trace}") == {}


@pytest.mark.parametrize("question", ["shop/cart.py", "cart.py", "./shop/cart.py", "look at ../shop/cart.py please"])
def test_a_file_that_is_named_is_found_with_all_in_it(made: Made, question: str) -> None:
    found = scores(made, question)

    assert {name for name, score in found.items() if score == FILE_NAMED} == {
        "shop/cart.py::Cart", CART, "shop/cart.py::Cart::add"
    }  # fmt: skip


def test_a_file_is_meant_rather_than_what_is_called_like_its_suffix(made: Made) -> None:
    assert scores(made, "rules.json") == {"shop/rules.json": FILE_NAMED, "shop/rebates.py::json": NAMED}
    assert scores(made, "json") == {"shop/rebates.py::json": ASKED_FOR}


def test_a_hidden_folder_is_part_of_a_path(made: Made, repository: Repository) -> None:
    for path in (".github/ci.yml", ".gitlab/ci.yml"):
        repository.write(path, "name: checks\n")
    repository.commit()

    assert {*scores(made, "what is in .github/ci.yml")} == {".github/ci.yml::name"}


def test_a_quoted_message_finds_the_code_that_has_it(made: Made) -> None:
    found = seen(made(FILES), "symbol", 'where does "quantity must be at least one" come from')

    assert {name: round(one.score, 3) for name, one in found.items()} == {"shop/cart.py::Cart::add": SAID}
    assert found["shop/cart.py::Cart::add"].detail == "contains 6 words of it in a row"


def test_a_message_that_is_pasted_finds_the_code_that_says_it(made: Made) -> None:
    pasted = "it broke\n\nValueError: Quantity must be at least one, not 0"
    found = seen(made(FILES), "symbol", pasted)

    assert {name: one.detail for name, one in found.items()} == {
        "shop/cart.py::Cart::add": "contains 7 words of it in a row"
    }
    assert not seen(made(FILES), "symbol", "one quantity must never be at the least")


def test_words_of_a_quote_that_stand_apart_are_worth_less(made: Made) -> None:
    found = seen(made(FILES), "symbol", 'where does "at least quantity one" come from')

    assert {name: one.score for name, one in found.items()} == {"shop/cart.py::Cart::add": QUOTED}


def test_what_is_gone_has_no_name(made: Made, repository: Repository) -> None:
    made(FILES)
    repository.delete("shop/bill.py")

    assert {*scores(lambda _: made({}), "total")} == {CART}


def test_what_has_the_words_of_a_message_is_not_said_to_have_the_message(made: Made) -> None:
    found = seen(made(FILES), "symbol", '"at least one must be quantity"')

    assert [one.detail for one in found.values()] == ["has the words of “at least one must be quantity”"]
