"""Python's outline is read off the tree; the query, which sees trees with errors, must see the same."""

from pathlib import Path

import pytest

from clew.index.syntax.parse import Outline, by_query, outline
from clew.languages import language_named

SOURCES = sorted(Path(__file__).parents[2].joinpath("src/clew/index").rglob("*.py"))
ODD = {
    "a string in a branch": 'import a\nif a:\n    "said"\n\ndef f():\n    pass\n',
    "a doc behind comments": '# one\n# two\n"""Doc."""\nx = 1\n',
    "a comment before a doc": 'def f():\n    # why\n    """No doc."""\n',
    "decorators with comments": "@one  # why\n@two(3)\n# more\nasync def f(): ...\n",
    "classes in functions": 'def f():\n    class A:\n        "Doc."\n        def g(self): return 1\n    return A\n',
    "definitions in branches": "try:\n    def f(): 1\nexcept E: f = 2\nelse:\n    class A: pass\nfinally:\n    b = 1\n",
    "several targets": "a = b = 1\nc, d = 2, 3\ne: int = 4\nf: int\ng.h = 5; i = 6\nj += 7\n",
    "a match": "match a:\n    case 1:\n        'said'\n        def f(): pass\n",
    "loops and with": "for a in b:\n    def f(): pass\nelse:\n    class B: pass\nwith a as c:\n    def g(): pass\n",
    "letters beyond ASCII": 'def größe():\n    "Maß."\n\nимя = 1\n',
    "private names": "_a = 1\ndef _b(): pass\nclass __C: pass\n",
    "carriage returns": "def f():\r\n    'Doc.'\r\n    return 1\r\n\r\nx = 1\r\n",
    "types by another name": "type Payer = Card | Cash\ntype Pair[T] = tuple[T, T]\ntype _Own = int\n",
    "nothing": "",
    "an error": "def f(:\n    pass\n\nclass A:\n    x = 1\n",
}


def seen(found: Outline) -> tuple[object, ...]:
    marks = sorted(found.marks, key=lambda mark: mark.at)
    return found.definitions, found.doc, marks, found.statements, found.problems, found.unread


@pytest.mark.parametrize("source", ODD.values(), ids=ODD.keys())
def test_the_walk_sees_what_the_query_sees(source: str) -> None:
    language = language_named("python")
    assert language is not None
    assert seen(outline(language, source.encode())) == seen(by_query(language, source.encode()))


def test_they_see_the_same_in_whole_files() -> None:
    language = language_named("python")
    assert language is not None
    for file in SOURCES:
        source = file.read_bytes()
        assert seen(outline(language, source)) == seen(by_query(language, source)), file.name


def test_blocks_may_lie_deeper_than_calls_may() -> None:
    language = language_named("python")
    assert language is not None
    source = "".join(f"{' ' * depth}if a:\n" for depth in range(1500)) + " " * 1500 + "b = 1\n"
    assert seen(outline(language, source.encode())) == seen(by_query(language, source.encode()))
