"""Outlines: a file or a class by its declarations, in whole lines, with marks for the rest."""

from itertools import pairwise
from pathlib import Path

from clew.pack.slicing import outlines
from tests.retrieve.test_excerpt import chunks

SOURCE = '''"""Cards."""

import os

LIMIT = 3

class Card:
    """Plastic."""

    kind = "debit"

    @property
    def owner(
        self,
    ) -> str:
        def inner():
            return 1
        return inner()

    class Chip:
        def read(self): return 1


def pay(card):
    total = 1
    return total
'''


def outlined(root: Path, scope: str = "", source: str = SOURCE) -> list[str]:
    layout, _ = chunks(root, source)
    return list(outlines(source.encode(), {one.scope: one for one in layout.symbols}, scope))


def test_a_file_grows_from_what_it_holds_to_what_that_holds_and_its_variables(tmp_path: Path) -> None:
    shown = outlined(tmp_path)
    outer, inner, whole = shown[1], shown[-2], shown[-1]

    assert shown[0] == "… 6 lines\nclass Card:\n… 19 lines"
    assert outer == "… 6 lines\nclass Card:\n… 16 lines\ndef pay(card):\n… 2 lines"
    assert inner == (
        "… 6 lines\nclass Card:\n… 4 lines\n    @property\n    def owner(\n        self,\n    ) -> str:\n… 4 lines\n"
        "    class Chip:\n        def read(self): return 1\n\n\ndef pay(card):\n… 2 lines"
    )
    assert whole == inner.replace("… 6 lines", "… 4 lines\nLIMIT = 3\n")


def test_a_class_is_told_by_its_members_and_nothing_around_it(tmp_path: Path) -> None:
    first, second, *_ = outlined(tmp_path, "Card")

    assert first.splitlines() == ["class Card:", "… 5 lines", "    def owner(", "… 8 lines"]
    assert "class Chip" in second
    assert "def read" not in second
    assert "pay" not in second


def test_each_grows_by_whole_lines_of_the_one_before(tmp_path: Path) -> None:
    source = "".join(f"@made\ndef f{i}(\n    a,\n):\n    b = a\n    return b\n\n\n" for i in range(40))
    shown = outlined(tmp_path, source=source)

    def told(text: str) -> set[str]:
        return {line for line in text.splitlines() if not line.startswith("… ")}

    assert all(told(short) <= told(long) for short, long in pairwise(shown))
    assert [f"def f{i}(" in text for i, text in enumerate(shown[:3])] == [True] * 3
    assert "    a," not in shown[10]
    assert len(shown) < 60  # of many, more at once


def test_a_function_declares_nothing(tmp_path: Path) -> None:
    assert outlined(tmp_path, "Card::owner") == []
    assert outlined(tmp_path, "pay") == []


def test_every_line_is_the_files_or_a_mark(tmp_path: Path) -> None:
    lines = {*SOURCE.splitlines()}

    assert all(line in lines or line.startswith("… ") for text in outlined(tmp_path) for line in text.splitlines())


def test_what_is_shorter_than_its_mark_is_shown(tmp_path: Path) -> None:
    source = "def a():\n    x = 1\n    return x\n\n# b\ndef b(): ...\n"

    assert outlined(tmp_path, source=source)[-1] == "def a():\n… 4 lines\ndef b(): ..."
    assert outlined(tmp_path, source="#\ndef b(): ...\n") == ["#\ndef b(): ..."]
