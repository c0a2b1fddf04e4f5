"""Formats without a grammar: whatever the text, chunks never cross and lose nothing; what is broken is kept."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.index.file_reader import FileReader, FileToRead
from clew.index.syntax.parse import Outline, outline
from clew.languages import LANGUAGES, language_named
from clew.languages.profile import Language
from clew.model.code import Chunk, Layout, Reading
from clew.runtime.settings import ChunkRules, Config
from clew.store.packing import unpack

SPLIT = [language for language in LANGUAGES if language.splitter]
every_splitter = pytest.mark.parametrize("language", SPLIT, ids=lambda language: language.name)
every_language = pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)

PARTS = (
    *("a: 1\n", "b:\n", "  c: |\n", "    text\n", "- name: x\n", "---\n", "# note\n", "\n", "\n\n", "  ", "\t"),
    *("[t]\n", "[[t.u]]\n", "k = [\n", "]\n", '"""', "'''", "'", '"', "\\", "é東", "go\n", "union U = A\n", "RUN x\n"),
    *("select 1;\n", "create table t (\n", ");\n", "begin\n", "end;\n", "$$", "-- c\n", "/* c */", "delimiter //\n"),
    *("message M {\n", "rpc R(A) returns (B);\n", "}\n", "{", "type T {\n", "query Q($a: I = {x: 1}) {"),
    *("Title\n", "-----\n", "~~~~~\n", ".. _t:\n\n", ".. code-block:: py\n\n   x\n", "Words::\n\n   y\n"),
    *("<section id='s'>", "</section>", "<h1>A</h1>", "<h2>B", "</h2>\n", "<script>", "</script>", "<!-- ", " -->"),
    *("all: b\n", "\trm\n", "define D\n", "endef\n", "X := 1 \\\n", "include a.mk\n", "ifeq (a,b)\n", "FROM a AS b\n"),
)  # fmt: skip
texts = st.lists(st.sampled_from(PARTS), max_size=14).map("".join)


def chunks(root: Path, name: str, source: bytes, limit: int = 400) -> tuple[tuple[Chunk, ...], tuple[str, ...]]:
    """The chunks of a file, and the problems."""
    (root / name).write_bytes(source)
    config = Config(chunking=Config().chunking.with_rules("other", ChunkRules(limit)))
    reading = FileReader(root, config).read_file(FileToRead(name, b""))
    assert isinstance(reading, Reading)
    return unpack(reading.layout, Layout).chunks, reading.problems


@every_splitter
@given(source=texts, limit=st.sampled_from([2, 8, 400]))
@settings(deadline=None)
def test_chunks_never_cross_and_lose_nothing(
    language: Language, source: str, limit: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.getbasetemp()
    name = f"x{language.extensions[0]}"
    encoded = source.encode()
    spans = [chunk.span for chunk in chunks(root, name, encoded, limit)[0]]

    covered = bytearray(encoded)
    for span in spans:
        assert span.first == encoded.count(b"\n", 0, span.start) + 1
        assert not any(span.start < other.start < span.end < other.end for other in spans)
        encoded[span.start : span.end].decode()  # never in the middle of a character
        covered[span.start : span.end] = b" " * (span.end - span.start)
    assert covered.split() == []


@every_language
@pytest.mark.parametrize("source", [b"[" * 100_000, b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 50_000], ids=len)
def test_brackets_beyond_all_reason_are_kept_as_they_are(language: Language, source: bytes) -> None:
    found = outline(language, source)

    assert found.unread or language.splitter
    assert len(found.definitions) <= 1


def test_why_a_text_was_not_understood_is_told(tmp_path: Path) -> None:
    found, problems = chunks(tmp_path, "x.json", b"[" * 6000)

    assert [chunk.kind for chunk in found] == ["paragraph"]
    assert problems == ("kept as paragraphs: 6000 brackets inside each other",)


@pytest.mark.parametrize(
    ("name", "source", "why"),
    [
        ("x.swift", b"/*" * 4000, "4000 comments that are never closed"),
        ("x.py", b"x = " + b"a => " * 4000 + b"1", "nested too deeply"),
    ],
)
def test_what_no_reader_gets_through_is_kept_as_paragraphs(tmp_path: Path, name: str, source: bytes, why: str) -> None:
    found, problems = chunks(tmp_path, name, source)

    assert {chunk.kind for chunk in found} == {"paragraph"}
    assert problems == (f"kept as paragraphs: {why}",)


def test_comments_that_are_closed_are_as_many_as_one_likes() -> None:
    assert not outlined("swift", "/* a */ func f() {}\n" * 200).unread


def test_a_paragraph_of_a_million_marks_is_kept_as_it_is() -> None:
    assert outlined("markdown", "a: " * 30_000).unread
    assert not outlined("markdown", "a: " * 3_000).unread


def test_a_yaml_file_may_have_more_lines_than_its_grammar_can_count() -> None:
    source = "".join(f"key{i}:\n  name: n{i}\n" for i in range(20_000))

    assert [one.name for one in outlined("yaml", source).definitions][-1] == "key19999"


def test_what_a_template_says_about_yaml_moves_no_key() -> None:
    source = "spec:\n{{- if .x }}\n  a:\n    b: 1\n{{- end }}\nlast: 2\n"

    assert [(one.name, one.first, one.last) for one in outlined("yaml", source).definitions] == [
        ("spec", 1, 4), ("a", 3, 4), ("last", 6, 6),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("statement", "name", "label"),
    [
        ("CREATE TABLE users (id int)", "users", "CREATE users"),
        ("create temp table if not exists a.b as select 1", "a.b", "CREATE a.b"),
        ("CREATE INDEX idx_users_email ON users (email)", "idx_users_email", "INDEX users.email"),
        ("CREATE INDEX i ON users (lower(email))", "i", "INDEX users.lower"),
        ("CREATE MATERIALIZED VIEW v AS SELECT 1", "v", "CREATE v"),
        ("INSERT OR IGNORE INTO users VALUES (1)", "INSERT users", "INSERT users"),
        ("select a, b from (select 1) x, users", "select a, b from", "select a, b from"),
        ("DROP INDEX CONCURRENTLY IF EXISTS i", "DROP i", "DROP i"),
        ("VACUUM", "VACUUM", "VACUUM"),
    ],
)
def test_a_statement_is_named_by_what_it_makes_or_touches(statement: str, name: str, label: str) -> None:
    (found,) = outlined("sql", f"{statement};\n").definitions

    assert (found.name, found.label) == (name, label)


@pytest.mark.parametrize(
    ("metadata", "names"),
    [
        ('{"kernelspec": {"language": "python"}}', ["cell 1", "f"]),
        ('{"language_info": {"name": "Python"}}', ["cell 1", "f"]),
        ("{}", ["cell 1", "f"]),
        ('{"kernelspec": {"language": "fortran"}}', ["cell 1"]),
        ("null", ["cell 1", "f"]),
    ],
)
def test_a_cell_is_read_in_the_language_of_its_notebook(metadata: str, names: list[str]) -> None:
    source = f'{{"cells": [{{"cell_type": "code", "source": "def f(): ..."}}], "metadata": {metadata}}}'

    assert [one.name for one in outlined("jupyter", source).definitions] == names


@pytest.mark.parametrize(
    "source",
    ["", "[]", "{}", '{"cells": 1}', '{"cells": [{}]}', '{"cells": [{"cell_type": "code"}]}', "[" * 99_999],
    ids=lambda source: source[:20],
)
def test_what_is_no_notebook_is_told(source: str) -> None:
    found = outlined("jupyter", source)

    assert found.unread
    assert found.problems[0].startswith("not a notebook")


def test_what_a_notebook_quotes_is_in_the_file(tmp_path: Path) -> None:
    line = '    "def f():\\n",\n    "    return \\"\\ud83d\\ude00\\"\\n",\n'
    source = f'{{"cells": [{{"cell_type": "code",\n   "source": [\n{line}    "x = 1"]}}]}}\n'.encode()
    found, _ = chunks(tmp_path, "x.ipynb", source)
    (function,) = (chunk for chunk in found if chunk.label == "f")

    assert source[function.span.start : function.span.end].decode() == line.strip().removesuffix(",")
    assert (function.span.first, function.span.last) == (3, 4)


def outlined(name: str, source: str) -> Outline:
    language = language_named(name)
    assert language is not None
    return outline(language, source.encode())
