"""Decorators belong to the definition that they are written on, and only as many as anybody reads are kept."""

from hypothesis import given
from hypothesis import strategies as st

from clew.index.extract import decorators
from clew.index.extract.decorators import decorators_of
from clew.index.syntax import units
from clew.index.syntax.parse import outline
from clew.languages import language_named
from clew.model.code import Layout, Span, Symbol
from clew.model.words import Kind
from clew.store.packing import pack, unpack

texts = st.text(st.sampled_from("@def f(x): class\n\t\"'#=.é東\r0"), max_size=80)


def decorated(source: str, language: str = "python") -> dict[str, tuple[str, ...]]:
    known = language_named(language)
    assert known is not None
    seen = outline(known, source.encode())
    return decorators_of(units.nest_definitions(seen), seen.marks)


def test_a_decorator_belongs_to_the_innermost_definition() -> None:
    source = "@a\nclass Card:\n    @b\n    def charge(self):\n        @c\n        def inner(): ...\n"

    assert decorated(source) == {"Card": ("a",), "Card::charge": ("b",), "Card::charge::inner": ("c",)}


def test_one_on_several_lines_is_told_on_one() -> None:
    assert decorated("@route(\n    '/pay',\n)\ndef pay(): ...\n") == {"pay": ("route( '/pay', )",)}


def test_a_long_one_is_cut_and_too_many_are_left_out() -> None:
    found = decorated(f"@mark({'1' * 200})\n" + "@again\n" * 30 + "def pay(): ...\n")["pay"]

    assert len(found) == decorators.MOST
    assert (len(found[0]), found[0][-1]) == (decorators.LONGEST + 1, "…")


def test_what_is_written_on_a_parameter_or_in_a_body_is_not_the_functions() -> None:
    assert decorated("class A { void f(@Named int x) { @Local int y = 1; } }", "java") == {}


@given(texts)
def test_any_text_gives_decorators_of_definitions_that_are_there(source: str) -> None:
    known = language_named("python")
    assert known is not None
    scopes = {unit.scope for unit in units.nest_definitions(outline(known, source.encode()))}

    assert set(decorated(source)) <= scopes


def test_a_layout_that_was_stored_before_decorators_were_is_still_read() -> None:
    symbol = Symbol("f", "f", Kind.FUNCTION, Span(0, 9, 1, 1), "def f()", "", True, 8, b"digest")
    stored = pack(((tuple(symbol)[:-1],), ()))

    assert unpack(stored, Layout) == Layout((symbol,), ())
