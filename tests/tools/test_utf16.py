"""Files in UTF-16, as Windows' tools write them, are read, quoted and looked after as all others are."""

from pathlib import Path

import pytest

import clew

SOURCE = """using System;\r
\r
namespace Pay {\r
    // Größe, 模块, 🎉\r
    public class Card {\r
        public int Charge(int cents) {\r
            return Fees.Of(cents);\r
        }\r
    }\r
}\r
"""
FEES = "namespace Pay { static class Fees { public static int Of(int cents) { return cents / 50; } } }\n"


@pytest.fixture(params=["utf-16-le", "utf-16-be"])
def card(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    (tmp_path / "Fees.cs").write_text(FEES, "utf-8")
    (tmp_path / "Card.cs").write_bytes(f"\ufeff{SOURCE}".encode(request.param))
    return tmp_path / "Card.cs"


def test_a_file_in_utf16_is_parsed_and_quoted_by_its_lines(card: Path) -> None:
    with clew.open(card.parent) as project:
        project.index()
        (hit,) = project.search("charge a card", limit=1)
        fees = project.code_explain(element="Fees.Of", profile="debug")
        sliced = project.semantic_slice(symbol="Card.Charge")

    assert (hit.path, hit.symbol) == ("Card.cs", "Card.cs::Card::Charge")
    assert [one.id for one in fees.dependents] == ["Card.cs::Card::Charge"]
    assert (sliced.start_line, sliced.end_line) == (6, 8)
    assert "\n".join(SOURCE.split("\r\n")[5:8]).strip() == sliced.code.replace("\r", "").strip()


def test_what_changed_in_a_file_in_utf16_is_seen_and_read(card: Path) -> None:
    codec = "utf-16-le" if card.read_bytes().startswith(b"\xff\xfe") else "utf-16-be"
    with clew.open(card.parent) as project:
        project.index()
        unchanged = project.index()
        card.write_bytes(f"\ufeff// one line more\r\n{SOURCE.replace('Charge', 'Refund')}".encode(codec))
        sliced = project.semantic_slice(symbol="Card.Refund")

    assert unchanged.read == 0
    assert (sliced.start_line, sliced.end_line) == (7, 9)
    assert "Fees.Of(cents)" in sliced.code
