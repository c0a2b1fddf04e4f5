"""Outlines: a file or a class by its declarations, in whole lines, with marks for the rest."""

from pathlib import Path

from clew.pack.outline import outlines
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
    outer, inner, whole = outlined(tmp_path)

    assert outer == "… 6 lines\nclass Card:\n… 16 lines\ndef pay(card):\n… 2 lines"
    assert inner == (
        "… 6 lines\nclass Card:\n… 4 lines\n    @property\n    def owner(\n        self,\n    ) -> str:\n… 4 lines\n"
        "    class Chip:\n        def read(self): return 1\n\n\ndef pay(card):\n… 2 lines"
    )
    assert whole == inner.replace("… 6 lines", "… 4 lines\nLIMIT = 3\n")


def test_a_class_is_told_by_its_members_and_nothing_around_it(tmp_path: Path) -> None:
    first, *_ = outlined(tmp_path, "Card")

    assert first.splitlines()[0] == "class Card:"
    assert "class Chip" in first
    assert "def read" not in first
    assert "pay" not in first


def test_a_function_declares_nothing(tmp_path: Path) -> None:
    assert outlined(tmp_path, "Card::owner") == []
    assert outlined(tmp_path, "pay") == []


def test_every_line_is_the_files_or_a_mark(tmp_path: Path) -> None:
    lines = {*SOURCE.splitlines()}

    assert all(line in lines or line.startswith("… ") for text in outlined(tmp_path) for line in text.splitlines())


def test_what_is_shorter_than_its_mark_is_shown(tmp_path: Path) -> None:
    source = "def a():\n    x = 1\n    return x\n\n# b\ndef b(): ...\n"

    assert outlined(tmp_path, source=source) == ["def a():\n… 4 lines\ndef b(): ..."]
    assert outlined(tmp_path, source="#\ndef b(): ...\n") == ["#\ndef b(): ..."]
