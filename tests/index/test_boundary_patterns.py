"""Ignore patterns mean what they mean to git: git itself is asked."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.index.disk import ignore
from clew.index.disk.scan import scan
from clew.runtime.settings import Indexing, Watcher

SEGMENTS = (
    "a",
    "b",
    "ab",
    "c.py",
    "*",
    "**",
    "?",
    "a*",
    "*b",
    "*.py",
    "*a*b",
    "*b*",
    "a*?",
    "[ab]",
    "[!a]",
    r"\a",
    "[[:alpha:]]",
    "[]a]",
)
patterns = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(("", "", "!")),
    st.sampled_from(("", "", "/")),
    st.lists(st.sampled_from(SEGMENTS), min_size=1, max_size=4).map("/".join),
    st.sampled_from(("", "", "/", "  ")),
)
paths = st.lists(st.sampled_from(("a", "b", "ab", "c.py")), min_size=1, max_size=4).map("/".join)
ignore_files = st.dictionaries(
    st.sampled_from(("", "a/", "a/b/")), st.lists(patterns, min_size=1, max_size=5), min_size=1, max_size=2
)


HOSTILE = ["*a" * 40 + "b", "**/a" * 40 + "/b", "a*" * 40 + "[!ac]", "/**/" + "*a/**/" * 30 + "b"]


@pytest.mark.parametrize("pattern", HOSTILE, ids=lambda one: one[:8])
def test_no_pattern_takes_more_than_its_path_is_long(pattern: str) -> None:
    """In a process of its own: one that tries every way through a pattern has no end."""
    asked = f"""
from clew.index.disk.ignore import parse
patterns = parse([{pattern!r}], "test")
print(patterns.match("a" * 200 + "c"), patterns.match("a/" * 100 + "c"))
"""
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, timeout=60, check=True)

    assert done.stdout == "None None\n"


def what_git_keeps(root: Path) -> set[str]:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "HOME": str(root), "XDG_CONFIG_HOME": str(root)}
    subprocess.run(["git", "init", "-q", str(root)], check=True, env=environment)
    command = ["git", "-C", str(root), "ls-files", "--others", "--exclude-standard", "-z"]
    listing = subprocess.run(command, check=True, capture_output=True, env=environment).stdout
    return set(listing.decode().split("\0")[:-1])


def grow(root: Path, files: set[str], ignores: dict[str, list[str]]) -> None:
    """Paths whose parent is already a file are left out."""
    for path in sorted(files):
        if not any(parent.is_file() for parent in (root / path).parents) and not (root / path).exists():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).touch()
    for folder, lines in ignores.items():
        if (root / folder).is_dir():
            (root / folder / ".gitignore").write_text("\n".join(lines), "utf-8")


@settings(max_examples=40, deadline=None)
@given(files=st.sets(paths, min_size=1, max_size=12), ignores=ignore_files)
def test_a_scan_keeps_what_git_would_add(files: set[str], ignores: dict[str, list[str]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        grow(root, files, ignores)
        kept = what_git_keeps(root)

        found = scan(root, Watcher(ignore_patterns=()), Indexing())

        assert {file.path for file in found.files} == kept


def hides(pattern: str, path: str, *, case_sensitive: bool = True) -> bool:
    match = ignore.parse([pattern], "test", case_sensitive=case_sensitive).match(path)
    return match is not None and match.hidden


@pytest.mark.parametrize("line", ["", "  ", "# note", "/", "!", "a//b", "[a", "[z-a]", "a\\"])
def test_a_line_that_git_cannot_read_names_nothing(line: str) -> None:
    assert not ignore.is_valid(line)


def test_spaces_at_the_end_count_only_when_escaped() -> None:
    assert hides("a  ", "a")
    assert hides("a\\ ", "a ")
    assert not hides("a\\ ", "a")


def test_a_folder_survives_a_pattern_for_what_is_in_it() -> None:
    assert not hides("logs/**", "logs/")
    assert not hides("logs/*", "logs/")
    assert hides("logs/**", "logs/today")


def test_case_counts_unless_told_otherwise() -> None:
    assert not hides("Build", "build/")
    assert hides("Build", "build/", case_sensitive=False)


def test_a_byte_order_mark_is_no_part_of_the_first_pattern(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_bytes(b"\xef\xbb\xbf*.log\r\n")

    patterns = ignore.load(tmp_path / ".gitignore", ".gitignore")

    assert patterns is not None
    assert patterns.match("a.log") == ignore.PatternMatch(True, "*.log")


def test_a_file_that_is_not_there_has_no_patterns(tmp_path: Path) -> None:
    assert ignore.load(tmp_path / ".gitignore", ".gitignore") is None


@pytest.mark.parametrize(
    "text",
    ["\n".join(f"name{n}" for n in range(ignore.MOST_RULES + 1)), "# a comment\n" * (ignore.MOST_BYTES // 8)],
    ids=["too many", "too long"],
)
def test_a_source_without_an_end_hides_all_below_it_and_says_why(tmp_path: Path, text: str) -> None:
    """Reading a part of it would show what the rest hides."""
    folder = tmp_path / "vendored"
    folder.mkdir()
    for file in (tmp_path / "a.py", folder / "b.py"):
        file.write_text("x = 1\n")
    (folder / ".gitignore").write_text(text)
    found = scan(tmp_path, Watcher(), Indexing())

    assert [file.path for file in found.files] == ["a.py"]
    assert "vendored/b.py" in [one.path for one in found.skipped if "more than 10000 patterns" in one.detail]


def test_as_many_patterns_as_are_read_are_read() -> None:
    patterns = ignore.parse([f"name{n}" for n in range(ignore.MOST_RULES)], "test")

    assert patterns.match(f"name{ignore.MOST_RULES - 1}") == ignore.PatternMatch(True, f"name{ignore.MOST_RULES - 1}")
    assert patterns.match("a.py") is None
