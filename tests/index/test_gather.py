"""What files say of their own names and calls, where it does not show in where the calls lead."""

from clew.index.syntax import units
from clew.index.syntax.parse import outline
from clew.languages import language_named, language_of
from tests.index.worlds import facts_of


def test_each_of_several_declarators_has_its_own_calls() -> None:
    facts = facts_of("a.js", "var a = function () { x(); }, b = () => y(),\n  c = class { m() { z(); } };")

    assert [(call.scope, call.written) for call in facts.calls] == [("a", "x"), ("b", "y"), ("c::m", "z")]


def test_each_of_several_declarators_has_its_own_text() -> None:
    source = b"// Of a.\nexport const a = () => 1,\n  // Of b.\n  b = () => 2;\n"
    language = language_named(language_of("a.ts"))
    assert language is not None
    found = [unit.definition for unit in units.nest_definitions(outline(language, source))]

    texts = [source[one.start : one.end].decode() for one in found]
    assert texts == ["// Of a.\nexport const a = () => 1", "// Of b.\n  b = () => 2"]
    assert [(one.first, one.last, one.exported) for one in found] == [(1, 2, True), (3, 4, True)]
