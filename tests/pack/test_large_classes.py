"""A pack around a method of a class that is far too large to be shown."""

from pathlib import Path

import pytest

import clew
from clew.tools.briefing_views import Briefing, PackItem

MEMBERS = "\n".join(
    f"""    def column_{n}(self):
        # Rows come from the cursor.
        return [row[{n}] for row in self.cursor.execute("select {n}", timeout=30, retries=3, batch=100)]

    column_{n}.alters_data = True
"""
    for n in range(60)
)
TABLE = f'''class Table:
    """Rows of a database."""

    def upsert_row(self, row):
        """Update a row, or insert it."""
        return self.insert_new(row) or self.cursor.update(row)

    def insert_new(self, row):
        # Whatever it has of its own.
        #
        # And nothing else.
        return self.cursor.insert(row)

{MEMBERS}'''


@pytest.fixture
def pack(tmp_path: Path) -> Briefing:
    (tmp_path / "table.py").write_text(TABLE, "utf-8")
    with clew.open(tmp_path) as workspace:
        workspace.index()
        made: Briefing = workspace.context_pack(
            task="Table class: Table.upsert_row updates rows of a database", max_tokens=2500
        )
    return made


def item(pack: Briefing, symbol: str) -> PackItem:
    return next(one for one in pack.items if one.symbol == symbol)


def test_the_class_takes_few_lines_beside_its_method(pack: Briefing) -> None:
    assert pack.entry_point == "table.py::Table::upsert_row"
    assert item(pack, "table.py::Table::upsert_row").form == "whole"
    assert item(pack, "table.py::Table").code.count("alters_data") < 5


def test_what_the_method_calls_stands_around_it_though_the_class_matches_too(pack: Briefing) -> None:
    assert item(pack, "table.py::Table").form != "whole"
    assert item(pack, "table.py::Table::insert_new").reason == "called by Table.upsert_row"


def test_remarks_before_a_body_are_not_of_its_signature(pack: Briefing) -> None:
    assert item(pack, "table.py::Table::insert_new").signature == "def insert_new(self, row):"


def test_what_would_be_its_first_line_alone_is_told_in_a_line(pack: Briefing) -> None:
    """A block of code with a mark in it says no more, and takes more."""
    alone = [
        one.symbol for one in pack.items if one.code and not one.code.partition("\n")[2].partition("… ")[0].strip()
    ]

    assert [one for one in alone if item(pack, one).form != "whole"] == []
