"""From nodes to the units that show them."""

import gc
import weakref

import pytest

from clew.engine import Engine
from clew.pack.shelf import Shelf, Standing
from clew.retrieve.source_cache import Holder
from tests.conftest import Repository

SOURCE = '''"""Über Karten: 😀."""

LIMIT = 3


class Card:
    def charge(self):
        def inner():
            return LIMIT
        return inner()
'''


@pytest.fixture
def shelf(repository: Repository, engine: Engine) -> Shelf:
    repository.write("card.py", SOURCE)
    repository.write("empty.py", "")
    engine.index()
    return Shelf(engine.place.root, engine.corpus(), Holder(engine.files), engine.files)


def text(found: Standing | None) -> str:
    assert found is not None
    unit = found.unit()
    return unit.source[unit.chunk.span.start : unit.chunk.span.end].decode()


def test_a_symbol_is_shown_by_its_own_chunk_or_the_one_around_it(shelf: Shelf) -> None:
    for one, symbol in (("card.py::Card", "Card"), ("card.py::Card::charge", "Card::charge")):
        found = shelf.chunk_of(one)
        assert found is not None
        assert found.symbol == f"card.py::{symbol}"
    inner = shelf.chunk_of("card.py::Card::charge::inner")
    assert inner is not None
    assert inner.symbol == "card.py::Card::charge"


def test_a_variable_is_shown_by_what_it_stands_in_and_a_file_by_its_own_lines(shelf: Shelf) -> None:
    found = shelf.chunk_of("card.py::LIMIT")

    assert found is not None
    assert (found.symbol, found.id) == ("", "card.py")
    assert "LIMIT = 3" in text(found)
    assert text(shelf.chunk_of("card.py")).startswith('"""Über')


def test_what_is_not_there_or_has_no_text_is_not_shown(shelf: Shelf) -> None:
    assert shelf.chunk_of("gone.py::f") is None
    assert shelf.chunk_of("card.py::nothing") is None
    assert shelf.chunk_of("empty.py") is None


def test_a_chunk_is_found_by_its_uid_only_while_it_says_the_same(shelf: Shelf) -> None:
    found = shelf.chunk_of("card.py::Card")
    assert found is not None

    assert shelf.chunk(found.uid) == found
    assert shelf.chunk(found.uid[:-1] + ("0" if found.uid[-1] != "0" else "1")) is None
    assert shelf.chunk("card.py#99@00") is None
    assert shelf.chunk("no uid") is None


def test_ranges_count_utf_16_code_units(shelf: Shelf) -> None:
    found = shelf.chunk_of("card.py::Card")
    assert found is not None
    start, end = found.utf16(found.unit().source)

    units = SOURCE.encode("utf-16-le")
    assert units[2 * start : 2 * end].decode("utf-16-le").strip() == SOURCE[SOURCE.index("class Card") :].strip()


def test_ranges_lie_in_the_file_where_a_secret_was_replaced(repository: Repository, engine: Engine) -> None:
    secret = "AKIA" + "Z2E4C6G8" * 2
    source = f'KEY = "{secret}"\n\n\ndef after():\n    return 1\n'
    repository.write("keys.py", source)
    engine.index()
    found = Shelf(engine.place.root, engine.corpus(), Holder(engine.files), engine.files).chunk_of("keys.py::after")
    assert found is not None
    start, end = found.utf16(found.unit().source)

    assert source[start:end].strip() == "def after():\n    return 1"


def test_with_who_asked_it_goes_what_it_holds(repository: Repository, engine: Engine) -> None:
    """A corpus and the texts of files: to look for garbage comes seldom."""
    repository.write("card.py", SOURCE)
    engine.index()
    mine = Shelf(engine.place.root, engine.corpus(), Holder(engine.files), engine.files)
    gc.disable()
    try:
        assert mine.chunk_of("card.py::Card") and not mine.is_prose("card.py")
        gone = weakref.ref(mine)
        del mine
        assert gone() is None
    finally:
        gc.enable()
