"""What must be linked again when a file changes."""

from pathlib import Path

import pytest

from clew.index.affected_files import ExportDiff
from clew.index.file_reader import FileReader, FileToRead
from clew.model.code import Reading
from clew.runtime.settings import Config

BEFORE = "def charge(card):\n    return card.pay()\n"


def facts(root: Path, text: str) -> bytes:
    (root / "a.py").write_text(text)
    reading = FileReader(root, Config()).read_file(FileToRead("a.py", b""))
    assert isinstance(reading, Reading)
    return reading.facts


@pytest.mark.parametrize(
    ("after", "otherwise", "shown"),
    [
        (BEFORE, False, False),
        (BEFORE.replace("card.pay()", "card.pay(1)"), False, False),
        (BEFORE.replace("    return", "    charge(card)\n    return"), True, False),
        (BEFORE.replace("charge", "refund"), True, True),
    ],
)
def test_others_depend_on_what_a_file_offers_not_on_what_it_does(
    tmp_path: Path, after: str, otherwise: bool, shown: bool
) -> None:
    faces = ExportDiff(by_scope=False)
    faces.compare("a.py", [facts(tmp_path, BEFORE)], facts(tmp_path, after))
    assert (faces.changed, faces.shown) == (otherwise, shown)
