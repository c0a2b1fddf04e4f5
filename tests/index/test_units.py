"""Units: chunks are whole, their words are their own, and their names are unique."""

from hypothesis import given
from hypothesis import strategies as st

from clew.index.syntax import units
from clew.index.syntax.parse import outline
from clew.index.syntax.units import ChunkPiece
from clew.languages import language_named
from clew.model.code import Symbol
from clew.model.words import Kind

PYTHON = language_named("python")
PLENTY = 10_000

texts = st.text(st.sampled_from("def f(x): class\n\t\"'#@=.é東\r0"), max_size=80)


def pieces(source: str, limit: int = PLENTY) -> list[ChunkPiece]:
    assert PYTHON is not None
    encoded = source.encode()
    seen = outline(PYTHON, encoded)
    return units.pieces(units.nest_definitions(seen), seen, encoded, limit, Kind.MODULE)


def symbols(source: str) -> dict[str, Symbol]:
    assert PYTHON is not None
    seen = outline(PYTHON, source.encode())
    return {symbol.scope: symbol for symbol in units.symbols(units.nest_definitions(seen), [], source.encode(), {})}


def texts_of(source: str, limit: int = PLENTY) -> dict[str, str]:
    """The text of each chunk, by scope."""
    return {
        piece.chunk.scope: source.encode()[piece.chunk.span.start : piece.chunk.span.end].decode()
        for piece in pieces(source, limit)
    }


@given(
    st.lists(
        st.sampled_from(["class A:", "    x = 1", "    def f(self):", "        def g(): ...", "def f(): ...", "y = 2"])
    )
)
def test_a_symbol_that_is_a_chunk_is_told_as_if_it_were_none(lines: list[str]) -> None:
    assert PYTHON is not None
    source = "\n".join(lines).encode()
    seen = outline(PYTHON, source)
    arranged = units.nest_definitions(seen)
    chunked = units.pieces(arranged, seen, source, PLENTY, Kind.MODULE)

    assert units.symbols(arranged, chunked, source, {}) == units.symbols(arranged, [], source, {})


def test_symbols_of_one_scope_are_told_apart_by_their_places() -> None:
    markdown, source = language_named("markdown"), b"# C\n\none\n\n# C\n\ntwo\n\n# C#2\n\nthree\n"
    assert markdown is not None
    seen = outline(markdown, source)
    arranged = units.nest_definitions(seen)
    chunked = units.pieces(arranged, seen, source, PLENTY, Kind.SECTION)

    assert [one.span.first for one in units.symbols(arranged, chunked, source, {})] == [1, 5, 9]


def test_a_function_inside_a_function_is_part_of_it() -> None:
    source = "def outer():\n    def inner():\n        pass\n    return inner\n"

    assert list(texts_of(source)) == ["outer"]


def test_a_function_inside_one_that_is_too_long_stands_alone_too() -> None:
    source = "def outer():\n    def inner():\n        pass\n" + "    filler()\n" * 20

    assert list(texts_of(source, limit=20)) == ["outer", "outer::inner"]


STATEMENTS = ["x = 1", "# note", "try:\n    import a\nexcept E:\n    def f(): ...", "def g(): ..."]


@given(st.lists(st.sampled_from(STATEMENTS)))
def test_every_line_lies_in_the_words_of_some_chunk(statements: list[str]) -> None:
    source = "\n".join(statements)
    words = b"\n".join(b"\n".join((p.words.signature, p.words.doc, p.words.code)) for p in pieces(source, limit=5))

    for line in source.splitlines():
        assert all(word in words for word in line.encode().split())


def test_definitions_may_be_nested_beyond_all_reason() -> None:
    source = "".join(f"{' ' * i}def f{i}():\n" for i in range(90)) + " " * 90 + "pass\n"

    assert len(symbols(source)) == units.DEEPEST


def test_decorators_belong_to_what_they_decorate() -> None:
    source = "@one\n@two(3)\ndef f():\n    pass\n"

    assert texts_of(source)["f"] == source.rstrip("\n")
    assert symbols(source)["f"].signature == "def f()"


def test_comments_above_a_body_are_no_part_of_a_signature() -> None:
    source = "def f(self) -> None:  # later\n    #: a table of cards\n    # more\n    self.cards = {}\n"

    assert symbols(source)["f"].signature == "def f(self) -> None"
    assert symbols("def f():\n    # first\n    pass\n")["f"].signature == "def f()"
    assert symbols('def f(x=": # no"):\n    pass\n')["f"].signature == 'def f(x=": # no")'


def test_a_class_has_the_words_that_its_methods_have_not() -> None:
    source = 'class Card:\n    """Plastic."""\n    kind = "credit"\n\n    def charge(self):\n        return money\n'

    by_scope = {piece.chunk.scope: piece for piece in pieces(source)}

    assert by_scope["Card"].words.doc == b'"""Plastic."""'
    assert b"credit" in by_scope["Card"].words.code
    assert b"money" not in by_scope["Card"].words.code
    assert b"money" in by_scope["Card::charge"].words.code
    assert by_scope["Card::charge"].words.context == b"Card"


def test_a_changed_method_does_not_change_its_class() -> None:
    before = symbols("class A:\n    x = 1\n\n    def f(self):\n        return 1\n")
    after = symbols("class A:\n    x = 1\n\n    def f(self):\n        return 2\n")

    assert before["A"].digest == after["A"].digest
    assert before["A::f"].digest != after["A::f"].digest


def test_definitions_of_the_same_name_are_counted() -> None:
    source = "def f(): pass\n\ndef f(): pass\n\nclass A:\n    def f(self): pass\n    def f(self): pass\n"

    assert list(symbols(source)) == ["f", "f#2", "A", "A::f", "A::f#2"]


def test_what_is_outside_of_every_unit_is_one_chunk() -> None:
    source = "import os\n\n\ndef f():\n    pass\n\n\nos.exit()\n"

    module = next(piece for piece in pieces(source) if piece.chunk.kind is Kind.MODULE)

    assert (module.chunk.span.start, module.chunk.span.end) == (0, len(source))
    assert module.words.code.split() == [b"import", b"os", b"os.exit()"]


def test_a_module_that_is_too_long_is_split_between_statements() -> None:
    statements = [f"name_{i} = [\n    {i},\n]" for i in range(30)]
    source = "\n".join(statements) + "\n"

    blocks = [piece.chunk for piece in pieces(source, limit=20)]

    assert len(blocks) > 5
    assert {chunk.kind for chunk in blocks} == {Kind.BLOCK}
    for chunk in blocks:
        text = source[chunk.span.start : chunk.span.end]
        assert text.startswith("name_")
        assert text.endswith("]")
        assert len(text) <= 20 * 4


def test_a_statement_over_the_limit_stands_alone_and_whole() -> None:
    long = "data = [" + ", ".join(["1"] * 100) + "]"
    source = f"a = 1\n{long}\nb = 2\n"

    assert [source[p.chunk.span.start : p.chunk.span.end] for p in pieces(source, limit=10)] == ["a = 1", long, "b = 2"]


def test_paragraphs_are_put_together_up_to_the_limit() -> None:
    source = b"one one one\n\ntwo two two\n\n" + b"three " * 20 + b"\n\nfour\n"

    found = [source[p.chunk.span.start : p.chunk.span.end].strip() for p in units.paragraphs(source, limit=8)]

    assert found == [b"one one one\n\ntwo two two", (b"three " * 20).strip(), b"four"]


def test_a_file_of_white_space_has_no_chunk() -> None:
    assert pieces("\n \n\t\n") == []
    assert units.paragraphs(b"\n\n \n\n", 100) == []


@given(texts, st.integers(1, 20))
def test_chunks_are_in_order_never_cross_and_lose_nothing(source: str, limit: int) -> None:
    encoded = source.encode()
    found = [piece.chunk.span for piece in pieces(source, limit)]

    assert found == sorted(found, key=lambda span: (span.start, -span.end))
    covered = bytearray(encoded)
    for span in found:
        assert 0 <= span.start < span.end <= len(encoded)
        encoded[span.start : span.end].decode()  # never in the middle of a character
        assert not any(span.start < other.start < span.end < other.end for other in found)
        covered[span.start : span.end] = b" " * (span.end - span.start)
    assert covered.split() == []


@given(texts)
def test_scopes_are_unique(source: str) -> None:
    assert PYTHON is not None
    seen = outline(PYTHON, source.encode())
    scopes = [unit.scope for unit in units.nest_definitions(seen)]

    assert len(scopes) == len(set(scopes))
