"""Code that was squeezed into endless lines is kept as text: it has no symbols, and no calls."""

import pytest

from clew.engine import Engine
from clew.index.disk.binary import is_minified
from tests.conftest import Repository
from tests.views import search

ONE = "function e(t,n){return t(n)}var r=e((i)=>i+1,2);"
SQUEEZED = f"/*! Cards 1.2 */\n{ONE * 400}\n"
TABLE = "export const rates = [" + "1.25," * 4000 + "]\nexport function rate(i) { return rates[i] }\n"
PLAIN = "\n".join(f"function pay_{i}(card) {{\n  return card.take({i})\n}}" for i in range(400))


@pytest.mark.parametrize(("text", "expected"), [(SQUEEZED, True), (TABLE, False), (PLAIN, False), (ONE, False)])
def test_few_endless_lines_of_functions_are(text: str, expected: bool) -> None:
    assert is_minified(text.encode()) is expected


def test_it_has_no_symbols_and_is_found_by_its_words(repository: Repository, engine: Engine) -> None:
    repository.write("page/cards.js", SQUEEZED)
    repository.write("src/rates.js", TABLE)
    report = engine.index()

    assert (report.failed, report.problems) == ((), 1)
    assert engine.nodes.counts().keys() == {"function", "variable"}
    assert {hit.path for hit in search(engine, "Cards 1.2")} == {"page/cards.js"}
    assert search(engine, "rate")[0].path == "src/rates.js"
