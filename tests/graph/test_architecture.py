"""Selectors of architecture rules name files by folder, glob and dotted module, also with import-linter's wildcards."""

import pytest

from clew.graph.architecture import Selectors

PATHS = ("src/shop/go/profile.py", "src/shop/jvm/kotlin/profile.py", "src/shop/profile/words.py", "src/shop/pay.py")


@pytest.mark.parametrize(
    ("selector", "places"),
    [
        ("shop.*.profile", {0}),
        ("shop.**.profile", {0, 1}),
        ("shop.*", {0, 1, 2, 3}),
        ("shop.profile", {2}),
        ("src/shop/*.py", {0, 1, 2, 3}),
        ("shop.*.words.*", set()),
    ],
)
def test_a_module_may_be_named_with_wildcards(selector: str, places: set[int]) -> None:
    select = Selectors(PATHS, {})

    assert select.find(selector) == places
    assert bool(select.problems) is not bool(places)
