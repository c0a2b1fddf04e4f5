"""The small sources that the tests of languages use: what is read out of each, and where its calls lead."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import clew
from bench.golden_master.record import graph_of, outline

CASES = "cases"
DATA = Path(__file__).resolve().parents[2] / "tests" / "index"
SOURCE_ENDS, TITLE, FILE, EXPECTED = "=====\n", "== ", "-- ", "->"


def outlined() -> list[str]:
    """The graph of all sources of the outline tests together, and the outline of each."""
    with tempfile.TemporaryDirectory(prefix="clew-oracle-") as scratch:
        tree = Path(scratch) / "sources"
        for case in sorted((DATA / "data").glob("*.txt")):
            _write(tree / case.stem.replace(".", "-") / case.stem, case.read_text("utf-8").partition(SOURCE_ENDS)[0])
        with clew.open(tree) as workspace:
            workspace.index()
            names = sorted(str(file.relative_to(tree)) for file in tree.glob("*/*") if file.is_file())
            rows = [row for name in names if not name.startswith(".") for row in outline(workspace, name)]
        return [*rows, *graph_of(tree)]


def resolved() -> list[str]:
    """Edges and unresolved calls of each resolver case, each in a project of its own."""
    return [
        json.dumps({"case": f"{file.stem}: {title}", **json.loads(row)})
        for file in sorted((DATA / "resolve_data").glob("*.txt"))
        for title, sources in _cases(file.read_text("utf-8"))
        for row in _graph(sources)
    ]


def _graph(sources: dict[str, str]) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="clew-oracle-") as scratch:
        tree = Path(scratch) / "case"
        for path, text in sources.items():
            _write(tree / path, text)
        with clew.open(tree) as workspace:
            workspace.index()
        return graph_of(tree)


def _cases(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Titles, and the sources of each by path."""
    title, sources, path = "", dict[str, str](), ""
    for line in text.splitlines(keepends=True):
        if line.startswith(TITLE):
            title, sources, path = line[len(TITLE) :].strip(), {}, ""
        elif line.startswith(FILE):
            path = line[len(FILE) :].strip()
            sources[path] = ""
        elif line.rstrip() == EXPECTED:
            yield title, sources
            path = ""
        elif path:
            sources[path] += line


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
