"""Passages: of what is too long, cut between statements, and together all of its own text."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.index.syntax import units
from clew.index.syntax.parse import outline
from clew.index.syntax.units import ChunkPiece
from clew.languages import language_named
from clew.model.words import Kind
from clew.text.tokens import CHARACTERS_PER_TOKEN

LIMIT = 20

statements = st.sampled_from(
    [
        "x = 1",
        "if x:\n    call(x)\n    call(y)",
        "data = [\n    'one',\n    'two',\n]",
        "# note",
        "for i in x:\n    pass",
    ]
)
bodies = st.lists(statements, min_size=1, max_size=30).map("\n".join)


def pieces(source: str, language: str = "python", limit: int = LIMIT) -> dict[str, ChunkPiece]:
    """By scope; what has none, by its number."""
    known = language_named(language)
    assert known is not None
    encoded = source.encode()
    seen = outline(known, encoded)
    found = units.pieces(units.nest_definitions(seen), seen, encoded, limit, Kind.MODULE)
    return {piece.chunk.scope or str(i): piece for i, piece in enumerate(found)}


def shown(source: str, piece: ChunkPiece) -> list[str]:
    return [source.encode()[p.start : p.end].decode() for p in piece.chunk.passages]


def indented(body: str) -> str:
    return "".join(f"    {line}\n" for line in body.splitlines())


def test_what_is_within_the_limit_has_no_passages() -> None:
    assert pieces("def f():\n    return 1\n")["f"].chunk.passages == ()


def test_a_long_function_is_cut_where_statements_start() -> None:
    blocks = [f"if one_{i}:\n    call(number_{i})\n    call(again_{i})" for i in range(6)]
    source = "def f():\n" + indented("\n".join(blocks))

    found = shown(source, pieces(source)["f"])

    assert len(found) > 2
    assert all(text.lstrip().startswith("if one_") for text in found)
    assert all(text.endswith(")") for text in found)


def test_a_statement_that_is_too_long_is_cut_at_its_parts() -> None:
    source = "data = {\n" + "".join(f"    'name_{i}': [{i}, {i}],\n" for i in range(20)) + "}\n"

    (piece,) = pieces(source).values()

    assert len(piece.chunk.passages) > 3
    assert all(text.count("[") == text.count("]") for text in shown(source, piece))
    assert shown(source, piece)[-1].endswith("}")


def test_one_endless_line_has_no_passages() -> None:
    (piece,) = pieces("data = [" + "1, " * 200_000 + "]\n").values()

    assert piece.chunk.passages == ()


def test_nesting_beyond_all_reason_is_cut_all_the_same() -> None:
    deep = 3000
    source = "x = " + "[\n" * deep + "1\n" + "]\n" * deep

    (piece,) = pieces(source).values()

    assert len(piece.chunk.passages) > 10


def test_what_inner_chunks_hold_is_in_no_passage_words() -> None:
    inner = "    def inner():\n" + indented(indented("secret()\n" * 12))
    source = "def f():\n" + "    before()\n" * 12 + inner + "    after()\n" * 12

    words = pieces(source)["f"].words

    assert len(words.passages) > 1
    assert b"secret" not in b"".join(words.passages)
    assert b" ".join(words.passages).split() == words.code.split()


def test_a_method_in_typescript_is_cut_between_statements() -> None:
    body = "".join(f"    if (ready_{i}) {{\n      await send(item_{i});\n    }}\n" for i in range(6))
    source = f"class Mail {{\n  async deliver() {{\n{body}  }}\n}}\n"

    found = shown(source, pieces(source, "typescript")["Mail::deliver"])

    assert len(found) > 2
    assert found[0].startswith("{\n    if (ready_0)")
    assert all(text.lstrip().startswith("if (ready_") for text in found[1:])


def test_a_section_is_cut_between_its_paragraphs_and_items() -> None:
    items = "".join(f"- item {i} of a list that goes on\n" for i in range(6))
    source = f"# Title\n\nThe first paragraph, which says what the list is about.\n\n{items}\nAnd an end.\n"

    found = shown(source, pieces(source, "markdown")["Title"])

    assert len(found) > 2
    assert found[0].startswith("The first paragraph")
    assert all(text.startswith(("- item", "And an end")) for text in found[1:])


@pytest.mark.parametrize("limit", [5, 10, 20])
@given(body=bodies)
@settings(deadline=None)
def test_passages_are_whole_lines_in_order_and_hold_every_word(limit: int, body: str) -> None:
    source = "def f():\n" + indented(body)
    piece = pieces(source, limit=limit)["f"]
    found = piece.chunk.passages
    lines = source.splitlines()

    assert len(found) != 1
    for passage, text in zip(found, shown(source, piece), strict=True):
        assert text.split() == "\n".join(lines[passage.first - 1 : passage.last]).split()
        assert len(text) <= limit * CHARACTERS_PER_TOKEN + max(map(len, lines))
    assert all(a.last < b.first for a, b in pairwise(found))
    if found:
        assert b" ".join(piece.words.passages).split() == piece.words.code.split()
