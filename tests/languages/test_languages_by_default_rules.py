"""Languages that the default rules take as far as they go: `data/*.txt`.

A case is the files of a small tree, each behind `== path`, and behind `->` its symbols, with the first line of their
documentation, and its edges. `CLEW_REWRITE=1 pytest tests/languages` writes the second part anew, on purpose.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from clew.index.link_stage import Linker
from clew.index.syntax import units
from clew.index.syntax.parse import doc_text, outline
from clew.languages.plugins import language_of_name, load_languages, offered_languages
from tests.index.test_language_door import facts_by, tree_by

DATA = Path(__file__).parent / "data"
REWRITE = bool(os.environ.get("CLEW_REWRITE"))


@pytest.mark.parametrize("file", sorted(DATA.glob("*.txt")), ids=lambda file: file.stem)
def test_symbols_imports_and_calls_are_found(file: Path) -> None:
    text, _, expected = file.read_text("utf-8").partition("->\n")
    sources = dict(one.split("\n", 1) for one in f"\n{text}".split("\n== ")[1:])
    shown = "".join(f"{line}\n" for line in (*symbols(sources), *edges(sources)))
    if REWRITE:
        file.write_text(f"{text}->\n{shown}", "utf-8")
        return

    assert shown == expected


def symbols(sources: Mapping[str, str]) -> Iterator[str]:
    for path, text in sources.items():
        language, source = language_of_name(_language_at(path)), text.encode()
        assert language is not None
        seen = outline(language, source)
        for unit in units.nest_definitions(seen):
            one = unit.definition
            doc = f": {doc_text(source, one.doc).splitlines()[0]}" if one.doc else ""
            hidden = "" if one.exported else " (private)"
            yield f"{path}:{one.first}-{one.last} {one.kind.value} {unit.scope}{hidden}{doc}"
        assert seen.problems == []


def edges(sources: Mapping[str, str]) -> Iterator[str]:
    names = {path: _language_at(path) for path in sources}
    facts = facts_by(names, sources)
    linker = Linker(tree_by(names, facts), facts.__getitem__, names, None)
    for path in sources:
        for edge in linker.link(path).edges:
            sure = f" {edge.confidence:g}" if edge.confidence < 1 else ""
            yield f"{path}:{edge.line} {edge.scope or '-'} {edge.kind.lower()} {edge.target}{sure}"


def _language_at(path: str) -> str:
    """Also of a package that is installed for the test."""
    return load_languages(offered_languages()).known.language_of(path)
