"""Why something stands around the best matches, in words that name nothing which cannot be found."""

from typing import cast

import pytest

from clew.graph.paths import Path, Ways
from clew.model.code import Edge
from clew.model.words import EdgeKind, EvidenceKind
from clew.pack.around import About, Around, short

SEED, CALLER, CALLED = "shop/cart.py::Cart::checkout", "shop/till.py::Till::close", "shop/payment.py::charge"


def edge(source: str, target: str) -> Edge:
    return Edge(source, target, EdgeKind.CALLS, source.partition("::")[0], 7, EvidenceKind.CALLSITE, 1.0)


class Known:
    """One way from the seed to what is called, by a caller."""

    def to(self, id: str) -> Path:
        return Path(SEED, id, (edge(CALLER, SEED), edge(CALLER, id)))


def why(id: str, *there: str) -> str:
    found = Around((SEED,), About(), {}, {}, (id,), {}, {}, cast(Ways, Known()))
    return found.why(id, there).reason


@pytest.mark.parametrize(
    ("there", "reason"),
    [
        ((SEED, CALLER), "called by Till.close, near Cart.checkout"),
        ((SEED,), "called by Till.close in till.py, near Cart.checkout"),
        ((), "called by Till.close in till.py"),
    ],
)
def test_what_is_not_there_is_named_with_its_file_and_no_seed_that_is_not(there: tuple[str, ...], reason: str) -> None:
    assert why(CALLED, *there) == reason


def test_what_stands_in_the_same_file_is_named_by_its_last_names() -> None:
    assert why("shop/till.py::Till::sum", SEED) == "called by Till.close, near Cart.checkout"


def test_a_member_of_what_is_there_is_named_by_its_last_names() -> None:
    assert why(CALLED, SEED, "shop/till.py::Till") == "called by Till.close, near Cart.checkout"


def test_which_of_several_of_a_name_it_is_says_nothing_in_a_line() -> None:
    assert short("shop/till.py::Till::close#2") == "Till.close"
