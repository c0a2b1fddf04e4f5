"""Excerpts: whole units, shortened by whole inner parts; and where they lie in the real file."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from clew.index.file_reader import FileReader, FileToRead
from clew.model.code import Chunk, Layout, Reading, Redaction
from clew.retrieve.excerpt import around, in_file, outline, signature, whole
from clew.runtime.settings import ChunkRules, Config
from clew.store.packing import unpack

SOURCE = """class Card:
    \"\"\"Plastic.\"\"\"

    def charge(self, amount):
        check(amount)
        return amount

    @property
    def owner(self):
        owner = self._owner
        return owner


def pay(card): return card.charge(1)
"""


def chunks(root: Path, source: str = SOURCE) -> tuple[Layout, dict[str, Chunk]]:
    (root / "app.py").write_text(source, "utf-8")
    reading = FileReader(root, Config()).read_file(FileToRead("app.py", b""))
    assert isinstance(reading, Reading)
    layout = unpack(reading.layout, Layout)
    return layout, {chunk.scope: chunk for chunk in layout.chunks}


def folded(root: Path, source: str, scope: str) -> str:
    layout, by_scope = chunks(root, source)
    return outline(source.encode(), layout.chunks, layout.chunks.index(by_scope[scope]))


def shown(root: Path, scope: str) -> str:
    return folded(root, SOURCE, scope)


def test_a_class_is_folded_by_its_methods(tmp_path: Path) -> None:
    assert shown(tmp_path, "Card") == 'class Card:\n    """Plastic."""\n\n    … charge, owner, 8 lines'


def test_what_stands_between_methods_is_shown(tmp_path: Path) -> None:
    source = SOURCE.replace("    @property\n", "    limit = 3\n\n    @property\n")

    assert folded(tmp_path, source, "Card").endswith("    … charge, 3 lines\n\n    limit = 3\n\n    … owner, 4 lines")


def test_a_function_is_folded_to_its_signature(tmp_path: Path) -> None:
    assert shown(tmp_path, "Card::charge") == "def charge(self, amount):\n… 2 lines"


def test_a_decorated_function_keeps_its_decorator(tmp_path: Path) -> None:
    assert shown(tmp_path, "Card::owner") == "@property\n    def owner(self):\n… 2 lines"


def test_what_is_one_line_stays_whole(tmp_path: Path) -> None:
    assert shown(tmp_path, "pay") == "def pay(card): return card.charge(1)"


def test_one_line_is_not_folded(tmp_path: Path) -> None:
    source = "def f():\n    return 1\n"

    assert folded(tmp_path, source, "f") == "def f():\n    return 1"


def test_a_whole_unit_is_its_text(tmp_path: Path) -> None:
    _, by_scope = chunks(tmp_path)

    assert whole(SOURCE.encode(), by_scope["pay"]) == "def pay(card): return card.charge(1)"


def test_only_the_outermost_inner_units_are_named(tmp_path: Path) -> None:
    source = "class A:\n    class B:\n        def f(self):\n            pass\n"

    assert folded(tmp_path, source, "A") == "class A:\n    … B, 3 lines"


LONG = "def pay(card):\n" + "".join(
    f"    if card.is_{i}:\n        card.charge({i})\n        card.note({i})\n" for i in range(4)
)


def long_chunk(root: Path, source: str, name: str = "app.py", limit: int = 20) -> Chunk:
    """The chunk that has passages."""
    (root / name).write_text(source, "utf-8")
    chunking = Config().chunking
    for language in ("python", "typescript"):
        chunking = chunking.with_rules(language, ChunkRules(limit))
    reading = FileReader(root, Config(chunking=chunking)).read_file(FileToRead(name, b""))
    assert isinstance(reading, Reading)
    layout = unpack(reading.layout, Layout)
    return next(chunk for chunk in layout.chunks if chunk.passages)


def test_a_long_unit_is_shown_by_its_opening_and_one_passage(tmp_path: Path) -> None:
    chunk = long_chunk(tmp_path, LONG)
    first, second, _, last = (around(LONG.encode(), chunk, passage) for passage in chunk.passages)

    block = "    if card.is_{0}:\n        card.charge({0})\n        card.note({0})"
    opening = "def pay(card):"
    assert first == f"{opening}\n{block.format(0)}\n… 9 lines"
    assert second == f"{opening}\n… 3 lines\n{block.format(1)}\n… 6 lines"
    assert last == f"{opening}\n… 9 lines\n{block.format(3)}"


def test_a_passage_that_begins_in_the_first_line_goes_on_from_there(tmp_path: Path) -> None:
    lines = "".join(f"  send(user, {i}, now());\n" for i in range(8))
    source = f"export function deliver(user: User) {{\n{lines}}}\n"
    chunk = long_chunk(tmp_path, source, "mail.ts")

    shown = around(source.encode(), chunk, chunk.passages[0])

    assert shown.startswith("export function deliver(user: User) {\n  send(user, 0, now());\n")
    assert shown.endswith(f"… {chunk.span.last - chunk.passages[0].last} lines")


def test_an_entry_of_a_long_literal_is_shown_with_its_first_line(tmp_path: Path) -> None:
    source = "LIMITS = {\n" + "".join(f"    'name_{i}': ({i}, {i}, {i}),\n" for i in range(12)) + "}\n"
    chunk = long_chunk(tmp_path, source)

    assert around(source.encode(), chunk, chunk.passages[1]).startswith("LIMITS = {\n… 2 lines\n    'name_2'")


def test_a_passage_never_takes_more_than_the_unit(tmp_path: Path) -> None:
    source = "def f():\n    a\n    b\n"
    chunk = long_chunk(tmp_path, source, limit=1)

    for passage in chunk.passages:
        assert len(around(source.encode(), chunk, passage)) <= len(whole(source.encode(), chunk))


def test_an_offset_after_a_stand_in_is_shifted_back() -> None:
    redactions = (Redaction(10, 14, 10), Redaction(20, 50, 10))  # one grew by 6, the other shrank by 20

    assert [in_file(at, redactions) for at in (0, 10, 20, 22, 26)] == [0, 10, 14, 16, 20]
    assert in_file(36, redactions) == 50
    assert in_file(40, redactions) == 54


def test_an_offset_inside_a_stand_in_is_the_secrets_start() -> None:
    assert in_file(15, (Redaction(10, 14, 10),)) == 10


secrets = st.lists(st.tuples(st.integers(0, 8), st.integers(1, 30)), max_size=5)


@given(secrets)
def test_every_kept_byte_leads_back_to_itself(gaps: list[tuple[int, int]]) -> None:
    """Number the bytes of a file, replace some ranges, and ask for each byte that is left."""
    redactions, kept, at = list[Redaction](), list[int | None](), 0
    for gap, length in gaps:
        kept += range(at, at + gap)
        redactions.append(Redaction(at + gap, at + gap + length, 10))
        kept += [None] * 10
        at += gap + length
    kept += range(at, at + 5)

    for offset, original in enumerate(kept):
        if original is not None:
            assert in_file(offset, tuple(redactions)) == original


def test_a_signature_is_told_without_the_comments_before_it(tmp_path: Path) -> None:
    source = "/**\n * Pays it.\n */\n// Soon.\n@Now\nvoid pay(Card card) {\n  card.charge();\n}\n"
    (tmp_path / "A.java").write_text(f"class A {{\n{source}}}\n", "utf-8")
    reading = FileReader(tmp_path, Config()).read_file(FileToRead("A.java", b""))
    assert isinstance(reading, Reading)
    (pay,) = (chunk for chunk in unpack(reading.layout, Layout).chunks if chunk.scope.endswith("pay"))
    written = (tmp_path / "A.java").read_bytes()

    assert written[pay.span.start : pay.span.end].startswith(b"/**")
    assert signature(written, pay).split() == [b"@Now", b"void", b"pay(Card", b"card)"]
