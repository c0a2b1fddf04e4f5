"""Reports of failures as tasks: the function that raises the message and the one that must change are both shown."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import clew
from clew.surfaces.library import Workspace
from clew.tools.briefing_views import Briefing

LINES = "".join(f"    table.settle(row, {n})\n" for n in range(25))
FILES = {
    "sheet/__init__.py": "",
    "sheet/units.py": '''class UnknownUnit(Exception):
    """A unit that nobody knows."""


def parse_unit(text):
    """The unit that stands behind a number."""
    name = text.strip().lower()
    if name not in UNITS:
        raise UnknownUnit(f"cannot convert {text!r} to a known unit of length")
    return UNITS[name]
''',
    "sheet/table.py": f"""from sheet.units import parse_unit


def read_cells(row):
    cells = []
    for cell in row:
        number, _, unit = cell.partition(" ")
        cells.append((float(number), parse_unit(unit)))
    return cells


def merge_rows(table, row):
{LINES}    return table
""",
    **{
        f"sheet/part_{n}.py": f'def skip_row_{n}(table, row):\n    """Blank cells of a table are skipped."""\n{LINES}'
        for n in range(25)
    },
}
QUOTED = """Reading a table with blank cells

`read_cells` fails with "cannot convert '' to a known unit of length" if a row has blank cells. They should be skipped.
"""
PASTED = """Blank cells break the reading of a table

When a row of my table has a blank cell, read_cells fails:

    UnknownUnit error: cannot convert '' to a known unit of length

I expected blank cells to be skipped, as spreadsheets do.
"""
TRACE = """Blank cells are not skipped

Traceback (most recent call last):
  File "/home/me/run.py", line 3, in <module>
    print(load(sys.argv[1]))
  File "/site-packages/sheet/table.py", line 8, in read_cells
    cells.append((float(number), parse_unit(unit)))
  File "/site-packages/sheet/units.py", line 9, in parse_unit
    raise UnknownUnit(f"cannot convert {text!r} to a known unit of length")
sheet.units.UnknownUnit: cannot convert '' to a known unit of length
"""


@pytest.fixture(scope="module")
def sheets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root: Path = tmp_path_factory.mktemp("sheets")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    with clew.open(root) as workspace:
        workspace.index()
        yield workspace


@pytest.mark.parametrize("report", [QUOTED, PASTED, TRACE], ids=["quoted", "pasted", "trace"])
def test_the_raising_function_and_the_one_to_change_lead(sheets: Workspace, report: str) -> None:
    pack: Briefing = sheets.context_pack(task=report, max_tokens=500)
    whole = {one.symbol for one in pack.items[:3] if one.form == "whole"}

    assert whole >= {"sheet/units.py::parse_unit", "sheet/table.py::read_cells"}


def test_a_message_without_any_name_leads_to_its_function(sheets: Workspace) -> None:
    report = "Blank cells of a row of a table\n\nSkipping them says “cannot convert '' to a known unit of length”."
    pack: Briefing = sheets.context_pack(task=report, max_tokens=500)

    assert pack.items[0].symbol == "sheet/units.py::parse_unit"
