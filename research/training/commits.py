"""A commit's message, and each function that it changed, as that was before. Git itself says where functions begin."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from clew.evaluate.choosing import query_of, reason_against, subject_of
from clew.evaluate.world import SourceFiles
from research.training.bags import Pair

MOST_COMMITS = 1500  # of one repository, the newest
MOST_FILES = 6
MOST_PLACES = 10  # more is a sweep
LINES_AROUND = 25  # of a long function, this many before and behind the first change
LONGEST = 2000  # characters
LONGEST_QUERY = 600

# Which of git's own patterns says where functions begin.
_DRIVERS = {
    "python": ("py",), "golang": ("go",), "rust": ("rs",), "java": ("java",), "kotlin": ("kt", "kts"),
    "cpp": ("c", "h", "cc", "cpp", "hpp", "cxx"), "csharp": ("cs",), "ruby": ("rb",), "php": ("php",),
}  # fmt: skip
_SUFFIXES = [
    f"*.{end}" for ends in (*_DRIVERS.values(), ("ts", "tsx", "js", "jsx", "mjs", "scala", "swift")) for end in ends
]
_ENTRY = re.compile(r"^diff --git a/(.*?) b/.*$", re.MULTILINE)
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?(.*)$", re.MULTILINE)


class _Place(NamedTuple):
    path: str
    header: str
    lines: list[str]


def read(repo: Path, sources: SourceFiles, scratch: Path, until: str = "HEAD") -> Iterator[Pair]:
    """`until`: the newest commit that is looked at."""
    for entry in _log(repo, scratch, until):
        sha, _, rest = entry.partition("\x02")
        message, _, diff = rest.partition("\x03")
        query = query_of(message)[:LONGEST_QUERY]
        if not query or reason_against(message):
            continue
        places = [*_places(diff)]
        if not 0 < len({place.path for place in places}) <= MOST_FILES or len(places) > MOST_PLACES:
            continue
        asked = [place for place in places if place.path in sources]
        for place in asked:
            yield Pair("commit", sha, query, _text(place))
        yield from _said(sha, message)


def _said(sha: str, message: str) -> Iterator[Pair]:
    """Split a message into its subject and its body."""
    subject = subject_of(message)
    body = query_of(message.strip().partition("\n")[2])
    if len(body.split()) >= 15 and query_of(subject):
        yield Pair("prose", f"{sha} said", query_of(subject), body[:LONGEST])


def _log(repo: Path, scratch: Path, until: str) -> Iterator[str]:
    attributes = scratch / "attributes"
    attributes.write_text("".join(f"*.{end} diff={name}\n" for name, ends in _DRIVERS.items() for end in ends))
    done = subprocess.run(
        [
            "git", "-C", str(repo), "-c", f"core.attributesFile={attributes}", "-c", "diff.renames=false", "log",
            "--no-merges", f"--max-count={MOST_COMMITS}", "--format=%x01%H%x02%B%x03", "-p", "-W", "--no-color",
            "--diff-filter=M", "--no-ext-diff", "--no-textconv", until, "--", *_SUFFIXES,
        ],
        check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip  # a mirror may lack its largest files: what git tells until it meets one is taken
    text = done.stdout.decode("utf-8", "replace")
    yield from text.split("\x01")[1:]


def _places(diff: str) -> Iterator[_Place]:
    """Changed lines of a diff, by file and function."""
    parts = _ENTRY.split(diff)
    for path, told in zip(parts[1::2], parts[2::2], strict=True):
        hunks = _HUNK.split(told)
        for header, body in zip(hunks[1::2], hunks[2::2], strict=True):
            yield _Place(path, header, body.split("\n"))


def _text(place: _Place) -> str:
    """The old side, from its beginning, or around the first change if that lies deep."""
    changes = [number for number, line in enumerate(place.lines) if line[:1] in ("+", "-")]
    first = changes[0] if changes else 0
    start = 0 if first < LINES_AROUND else first - LINES_AROUND
    old = [line[1:] for line in place.lines[start : start + 3 * LINES_AROUND] if line[:1] in (" ", "-")]
    return f"{place.path}\n{place.header}\n" + "\n".join(old)[:LONGEST]
