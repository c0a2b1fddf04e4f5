"""Elision: a unit in ever longer forms, cut only between whole inner parts."""

from pathlib import Path

from clew.pack.elision import Unit, forms, longest
from tests.retrieve.test_excerpt import LONG, chunks, long_chunk


def unit(root: Path, source: str, scope: str) -> Unit:
    layout, by_scope = chunks(root, source)
    return Unit(source.encode(), layout.chunks, layout.chunks.index(by_scope[scope]))


def test_a_short_function_is_folded_or_whole(tmp_path: Path) -> None:
    source = "def add(a, b):\n    total = a + b\n    print(total)\n    return total\n"

    assert list(forms(unit(tmp_path, source, "add"))) == ["def add(a, b):\n… 3 lines", source.rstrip()]


def test_a_class_is_folded_then_outlined_then_whole(tmp_path: Path) -> None:
    methods = "".join(f"    def m{i}(self):\n        x = {i}\n        y = x\n        return y\n\n" for i in range(3))
    source = f"class A:\n{methods}"

    folded, outlined, whole = forms(unit(tmp_path, source, "A"))
    assert folded.startswith("class A:\n… ")
    assert outlined == "class A:\n    … m0, m1, m2, 14 lines"
    assert whole == source.rstrip()


def test_a_long_function_grows_by_whole_passages_around_the_best(tmp_path: Path) -> None:
    long = Unit(LONG.encode(), [long_chunk(tmp_path, LONG)], 0, best=3)
    block = "    if card.is_{0}:\n        card.charge({0})\n        card.note({0})"

    folded, one, two, *_, whole = forms(long)

    assert folded == "def pay(card):\n… 12 lines"
    assert one == f"def pay(card):\n… 6 lines\n{block.format(2)}\n… 3 lines"
    assert two == f"def pay(card):\n… 3 lines\n{block.format(1)}\n{block.format(2)}\n… 3 lines"
    assert whole == LONG.rstrip()


def test_the_longest_form_that_fits_is_taken_and_nothing_is_cut_in_a_line(tmp_path: Path) -> None:
    long = Unit(LONG.encode(), [long_chunk(tmp_path, LONG)], 0)
    lines = {*LONG.splitlines()}

    for most in range(len(LONG) + 1):
        shown = longest(long, lambda text, most=most: len(text) <= most)  # type: ignore[misc]  # a default is not typed
        assert len(shown) <= most
        assert all(line in lines or line.startswith("… ") for line in shown.splitlines())
