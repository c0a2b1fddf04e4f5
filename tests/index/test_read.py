"""One file, read: what comes out of it, or why nothing does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from blake3 import blake3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.index.file_reader import FileReader, FileToRead, UnreadFile
from clew.model.code import Layout, Reading
from clew.model.words import Kind
from clew.runtime.settings import ChunkRules, Config, Security
from clew.store.packing import unpack, unpack_text
from clew.store.postings import PackedWords

SECRET = "ghp_" + "a1B2" * 9


def read(root: Path, content: bytes, name: str = "app.py", config: Config | None = None) -> Reading:
    (root / name).write_bytes(content)
    result = FileReader(root, config or Config()).read_file(FileToRead(name, b""))
    assert isinstance(result, Reading)
    assert not [said for said in result.problems if "were not read" in said or " failed: " in said]
    return result


def unread(root: Path, name: str, digest: bytes = b"") -> UnreadFile:
    result = FileReader(root, Config()).read_file(FileToRead(name, digest))
    assert isinstance(result, UnreadFile)
    return result


def chunk_texts(reading: Reading) -> list[str]:
    source = unpack_text(reading.text)
    return [source[c.span.start : c.span.end].decode() for c in unpack(reading.layout, Layout).chunks]


def test_a_file_is_read_with_its_size_time_and_digest(tmp_path: Path) -> None:
    reading = read(tmp_path, b"x = 1\ny = 2")
    status = (tmp_path / "app.py").stat()

    assert (reading.size, reading.mtime_ns, reading.lines) == (11, status.st_mtime_ns, 2)
    assert reading.digest == blake3(b"x = 1\ny = 2").digest()
    assert reading.checked_ns > 0
    assert reading.problems == ()


def test_a_file_with_the_content_that_is_known_needs_no_reading(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_bytes(b"x = 1\n")

    result = unread(tmp_path, "app.py", blake3(b"x = 1\n").digest())

    assert (result.reason, result.size) == ("unchanged", 6)


def test_a_file_that_is_gone_says_so(tmp_path: Path) -> None:
    assert unread(tmp_path, "gone.py").reason == "vanished"


def test_what_is_no_file_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "folder.py").mkdir()

    result = unread(tmp_path, "folder.py")

    assert (result.reason, result.detail) == ("unreadable", "Is a directory")


@pytest.mark.parametrize("content", [b"\0" * 100, b"\x7fELF" + bytes(range(256)) * 4], ids=["nul", "elf"])
def test_a_binary_file_shows_by_its_content(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "data").write_bytes(content)

    assert unread(tmp_path, "data").reason == "binary"


def test_text_that_is_not_utf_8_is_read_as_windows_1252(tmp_path: Path) -> None:
    reading = read(tmp_path, b"x = 1  # gr\xf6\xdfe\n\n\ndef f():\n    pass\n")

    assert reading.problems == ("not UTF-8, and it declares no encoding: read as Windows-1252",)
    assert [d.scope for d in reading.defined] == ["x", "f"]


@pytest.mark.parametrize("name", ["a.py", "a.md", "a.ts", "a.txt", "a"])
@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf"], ids=["empty", "blank", "mark"])
def test_a_file_of_nothing_is_a_file(tmp_path: Path, name: str, content: bytes) -> None:
    reading = read(tmp_path, content, name)

    assert reading.defined == ()
    assert reading.lines == content.count(b"\n") + (content == b"\xef\xbb\xbf")


def test_a_line_of_five_megabytes_is_one_line(tmp_path: Path) -> None:
    reading = read(tmp_path, b"x = '" + b"a" * 5_000_000 + b"'\n")

    assert (reading.lines, reading.chunks) == (1, 1)


def test_windows_line_ends_are_kept(tmp_path: Path) -> None:
    reading = read(tmp_path, b"def f():\r\n    return 1\r\n\r\n\r\ndef g():\r\n    return 2\r\n")

    assert chunk_texts(reading) == ["def f():\r\n    return 1", "def g():\r\n    return 2"]
    assert reading.lines == 6


def test_spans_are_bytes_of_the_text(tmp_path: Path) -> None:
    source = "\ufeff# größe 東京\ndef länge():\n    return '€'\n\n\ndef b():\n    pass\n"

    texts = chunk_texts(read(tmp_path, source.encode()))

    assert texts[1:] == ["def länge():\n    return '€'", "def b():\n    pass"]


def test_markdown_sections_hold_the_sections_below_them(tmp_path: Path) -> None:
    texts = chunk_texts(read(tmp_path, b"# A\n\none\n\n## B\n\n```py\n# C\n```\n\n# D\n", "a.md"))

    assert texts == [
        "# A\n\none\n\n## B\n\n```py\n# C\n```\n\n", "## B\n\n```py\n# C\n```\n\n", "```py\n# C\n```\n", "# D\n"
    ]  # fmt: skip


def test_secrets_are_gone_before_anything_is_made_of_the_text(tmp_path: Path) -> None:
    content = f"# größe\ntoken = '{SECRET}'\n\n\ndef f():\n    pass\n".encode()

    reading = read(tmp_path, content)

    (redaction,) = reading.redactions
    assert content[redaction.start : redaction.end].decode() == SECRET
    for packed in (unpack_text(reading.text), *PackedWords(reading.words).vocabulary):
        assert SECRET.encode() not in packed
    assert SECRET.encode() not in repr(unpack(reading.layout, Layout)).encode()
    assert reading.digest == blake3(content).digest()


def test_scrubbing_can_be_turned_off_and_added_to(tmp_path: Path) -> None:
    content = f"token = '{SECRET}'\nname = 'internal-77'\n".encode()

    off = read(tmp_path, content, config=Config(security=Security(scrub_secrets=False)))
    more = read(tmp_path, content, config=Config(security=Security(secret_patterns=(r"internal-\d+",))))

    assert (len(off.redactions), len(more.redactions)) == (0, 2)


def test_the_limit_of_a_chunk_is_the_languages_own(tmp_path: Path) -> None:
    config = Config()
    small = Config(chunking=config.chunking.with_rules("python", ChunkRules(5)))
    content = b"".join(b"name_%d = %d\n" % (i, i) for i in range(20))

    assert read(tmp_path, content).chunks == 1
    assert read(tmp_path, content, config=small).chunks > 5
    assert read(tmp_path, content, "notes.txt", config=small).chunks == 1


def test_the_same_text_cut_otherwise_is_told_apart(tmp_path: Path) -> None:
    """Its chunks have other numbers, so that no snapshot of the one may serve for the other."""
    small = Config(chunking=Config().chunking.with_rules("python", ChunkRules(5)))

    first, second, other = read(tmp_path, b"x"), read(tmp_path, b"x"), read(tmp_path, b"x", config=small)

    assert first.text_digest == second.text_digest != other.text_digest


@given(st.text(st.sampled_from("# a\n`~-*é\r\t>"), max_size=60), st.sampled_from(["a.md", "a.txt"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_every_chunk_of_prose_lies_in_its_text(tmp_path: Path, text: str, name: str) -> None:
    reading = read(tmp_path, text.encode(), name)
    layout = unpack(reading.layout, Layout)

    assert reading.chunks == len(layout.chunks)
    for chunk in layout.chunks:
        assert 0 <= chunk.span.start < chunk.span.end <= len(text.encode())
        assert 1 <= chunk.span.first <= chunk.span.last <= text.count("\n") + 1
        assert chunk.kind in (Kind.SECTION, Kind.BLOCK, Kind.PARAGRAPH)


HASHED = """
import sys
from pathlib import Path
from clew.index.file_reader import FileReader, FileToRead
from clew.runtime.settings import Config

reading = FileReader(Path(sys.argv[1]), Config()).read_file(FileToRead("a.py", b""))
print(reading.facts.hex(), reading.layout.hex(), reading.words.hex())
"""


def test_a_reading_is_the_same_bytes_however_strings_are_hashed(tmp_path: Path) -> None:
    bound = "\n".join(f"        {name} = make_{name}()" for name in ("alpha", "beta", "gamma", "delta", "epsilon"))
    (tmp_path / "a.py").write_text(f"def f(items):\n    for item in items:\n{bound}\n    return alpha(beta, gamma)\n")
    readings = {
        subprocess.run(
            [sys.executable, "-c", HASHED, str(tmp_path)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "1234"
    }

    assert len(readings) == 1


def test_a_fault_of_ours_costs_the_calls_of_a_file_and_not_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise IndexError("of some kind")

    monkeypatch.setattr("clew.index.extract.query_extractor.extract_facts", fail)
    (tmp_path / "a.go").write_text("package a\n\nfunc Load() {}\n")
    reading = FileReader(tmp_path, Config()).read_file(FileToRead("a.go", b""))

    assert isinstance(reading, Reading)
    assert reading.problems == ("its calls were not read: IndexError: of some kind",)
    assert [one.name for one in reading.defined] == ["Load"]
