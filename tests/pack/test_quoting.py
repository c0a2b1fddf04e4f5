"""How a unit is told in a line, and that its code is whole lines."""

from pathlib import Path

import pytest

import clew
from clew.pack.quoting import without_decorators
from clew.tools.briefing_views import Briefing, PackItem

SETUP = "\n".join(f"register('brush {n}', {n})" for n in range(90))  # more than one part holds
FILES = {
    "reader.rb": """class Reader
  attr_reader :cursor, :limit

  def advance
    @cursor += 1
  end
end
""",
    "routes.py": '''import click


class Routes:
    @click.command("routes", short_help="Show the routes.")
    @click.option("--sort", type=click.Choice(("endpoint", "methods")), help="By what to sort them.")
    def list_routes(self, sort):
        """Print all routes."""
        return sorted(self.known, key=sort)
''',
    "widget.js": f"""'use strict'

{SETUP}

const widget = {{
  paint: function () {{
    return strokes
  }},
  colour: 'purple gradient of the widget',
  border: 2,
}}

{SETUP}
""",
}


def pack(root: Path, task: str, max_tokens: int = 2000) -> Briefing:
    for name, text in FILES.items():
        (root / name).write_text(text, "utf-8")
    with clew.open(root) as workspace:
        workspace.index()
        made: Briefing = workspace.context_pack(task=task, max_tokens=max_tokens)
    return made


def item(pack: Briefing, symbol: str) -> PackItem:
    return next(one for one in pack.items if one.symbol == symbol)


@pytest.mark.parametrize(
    ("task", "symbol"),
    [("advance the cursor", "reader.rb::Reader::advance"), ("list_routes sorted", "routes.py::Routes::list_routes")],
)
def test_code_stands_there_in_whole_lines(tmp_path: Path, task: str, symbol: str) -> None:
    shown = item(pack(tmp_path, task), symbol)
    lines = FILES[shown.path].splitlines()

    assert shown.form == "whole"
    assert shown.code.splitlines() == lines[shown.first_line - 1 : shown.last_line]


def test_what_begins_in_the_middle_of_a_line_is_told_with_its_beginning(tmp_path: Path) -> None:
    shown = item(pack(tmp_path, "Reader cursor"), "reader.rb::Reader::cursor")

    assert shown.signature.startswith("attr_reader :cursor")
    assert not shown.code or shown.code.startswith("  attr_reader :cursor")


def test_a_line_names_the_thing_and_not_its_decorators(tmp_path: Path) -> None:
    assert item(pack(tmp_path, "list_routes"), "routes.py::Routes::list_routes").signature == (
        "def list_routes(self, sort):"
    )


def test_remarks_between_attributes_are_no_names() -> None:
    signature = '#[must_use]\n/// The `Handler` of requests.\n#[cfg(feature = "Handler")]\npub trait Handler<T>'

    assert without_decorators(signature, "Handler") == "pub trait Handler<T>"


def test_what_stands_between_symbols_is_told_by_the_line_that_says_most(tmp_path: Path) -> None:
    first = pack(tmp_path, "purple gradient").items[0]

    assert (first.symbol, first.kind, first.form) == ("widget.js", "block", "whole")
    assert first.signature == "colour: 'purple gradient of the widget',"
    assert first.code.startswith("  colour: 'purple gradient of the widget',\n  border: 2,\n}")
