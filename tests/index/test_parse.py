"""Parsing never fails: whatever the bytes, it returns what it found, and the problems."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.syntax.chains import LONGEST
from clew.index.syntax.parse import MOST_ERRORS, Outline, doc_text, outline
from clew.index.syntax.ranges import LineIndex
from clew.languages import LANGUAGES, language_named
from clew.languages.profile import Language

every_language = pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)


def parse(name: str, source: str) -> Outline:
    language = language_named(name)
    assert language is not None
    return outline(language, source.encode())


@every_language
@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\n",
        b"\xef\xbb\xbf",
        b"\0\0\0",
        b"}{)(",
        b'"""',
        b"'" * 99,
        b"#" * 9,
        b"\xff\xfe",
        b"(" * 3000,
        b"```\n" * 99,
    ],
    ids=repr,
)
def test_no_source_makes_a_parser_fail(language: Language, source: bytes) -> None:
    assert _lie_inside(outline(language, source), source)


@every_language
@given(source=st.binary(max_size=60))
def test_random_bytes_do_not_make_a_parser_fail(language: Language, source: bytes) -> None:
    assert _lie_inside(outline(language, source), source)


def _lie_inside(found: Outline, source: bytes) -> bool:
    return all(0 <= d.start <= d.head[0] <= d.head[1] <= d.end <= len(source) for d in found.definitions)


def test_syntax_errors_are_told_with_their_lines() -> None:
    assert parse("python", "x = 1\ny = (\n").problems == ["syntax error at line 2"]
    assert parse("python", "x = 1\n").problems == []


def test_many_syntax_errors_are_counted() -> None:
    (problem,) = parse("python", "def f(:\n    pass\n\n" * 20).problems

    assert len(problem.partition(" and ")[0].split(", ")) == MOST_ERRORS
    assert problem.endswith("more")


def test_what_follows_a_syntax_error_is_still_found() -> None:
    names = [d.name for d in parse("python", "x = = 1\n\n\ndef fine():\n    pass\n").definitions]

    assert "fine" in names


def test_a_byte_order_mark_hides_nothing() -> None:
    (definition,) = parse("python", "\ufeffdef f():\n    pass\n").definitions

    assert (definition.name, definition.first, definition.last) == ("f", 1, 2)


def test_places_are_bytes_and_lines() -> None:
    source = 'größe = "東京"\n\n\ndef länge():\n    return größe\n'
    variable, function = parse("python", source).definitions

    encoded = source.encode()
    assert variable.name == "größe"
    assert encoded[function.start : function.end].decode() == "def länge():\n    return größe"
    assert (function.first, function.last) == (4, 5)


def test_carriage_returns_do_not_shift_lines() -> None:
    (definition,) = parse("python", "import os\r\n\r\n\r\ndef f():\r\n    return 1\r\n").definitions

    assert (definition.first, definition.last) == (4, 5)


def test_a_doc_belongs_to_the_definition_it_opens() -> None:
    source = '"""The file."""\n\n\ndef f():\n    """The function."""\n'
    found = parse("python", source)

    assert found.doc is not None
    assert doc_text(source.encode(), found.doc) == "The file."
    doc = found.definitions[0].doc
    assert doc is not None
    assert doc_text(source.encode(), doc) == "The function."


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (b'"""One.\n\n    Two.\n    """', "One.\n\nTwo."),
        (b"r'''raw'''", "raw"),
        (b"/** One.\n * Two.\n */", "One.\nTwo."),
        (b"// one\n// two", "one\ntwo"),
        (b"# hash", "hash"),
    ],
)
def test_docs_come_without_their_marks(source: bytes, text: str) -> None:
    assert doc_text(source, (0, len(source))) == text


def test_a_long_chain_of_calls_is_named_by_its_end() -> None:
    chain = "x" + ".step()" * LONGEST + ".last()\n"
    callees = [call.callee for call in parse("javascript", chain).calls]

    assert "….last" in callees
    assert all(len(callee) <= LONGEST for callee in callees)


def test_a_name_that_begins_with_an_underscore_is_not_exported() -> None:
    exported = {d.name: d.exported for d in parse("python", "def _a(): ...\ndef b(): ...\n").definitions}

    assert exported == {"_a": False, "b": True}


@given(st.lists(st.sampled_from([b"a", b"\n", b"\r\n", "é".encode()]), max_size=20).map(b"".join))
def test_a_line_is_one_more_than_the_newlines_before(source: bytes) -> None:
    lines = LineIndex(source)

    assert [lines.at(i) for i in range(len(source))] == [source.count(b"\n", 0, i) + 1 for i in range(len(source))]


def test_underlined_headings_open_sections_too() -> None:
    markdown = language_named("markdown")
    assert markdown is not None
    source = b"Title\n=====\nintro\n\nSecond\n------\nmore\n\n# Third\nlast\n"

    found = [(d.name, d.first, d.last) for d in outline(markdown, source).definitions]

    assert found == [("Title", 1, 8), ("Second", 5, 8), ("Third", 9, 10)]


def test_a_comment_above_an_assigned_function_documents_it() -> None:
    javascript = language_named("javascript")
    assert javascript is not None
    source = b"/** Sends. */\nres.send = function (body) {};\nconst o = {\n  get: () => 1,\n};\n"

    found = {d.name: (d.first, d.doc is not None) for d in outline(javascript, source).definitions}

    assert found == {"send": (1, True), "o": (3, False), "get": (4, False)}


def test_a_comment_above_the_first_thing_in_a_body_documents_it_in_ruby() -> None:
    source = (
        "module Pay\n  # A card.\n  class Card\n    ##\n    # Charges it.\n    def charge\n    end\n\n"
        "    def refund; end\n  end\nend\n\nmodule Bare\n  # Of nothing below.\n\n  class Gate; end\nend\n"
    )

    found = {d.name: (d.first, d.doc is not None) for d in parse("ruby", source).definitions}

    assert found == {
        "Pay": (1, False), "Card": (2, True), "charge": (4, True), "refund": (9, False), "Bare": (13, False),
        "Gate": (16, False),
    }  # fmt: skip


@pytest.mark.parametrize("name", ["javascript", "typescript", "tsx"])
def test_a_default_export_without_a_name_is_called_default(name: str) -> None:
    language = language_named(name)
    assert language is not None
    source = b"class A {\n  run = () => 1;\n}\nexport default function () {\n  return 2;\n}\n"

    found = [(d.name, d.kind, d.exported) for d in outline(language, source).definitions]

    assert found == [("A", "class", False), ("run", "method", False), ("default", "function", True)]
