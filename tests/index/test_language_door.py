"""Languages from outside come by the door of the built-in ones: a profile, a query, and rules if they differ."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

import pytest

from clew.engine import Engine
from clew.graph.view import lines
from clew.index.extract.query_extractor import extract_facts
from clew.index.facts import Facts
from clew.index.modules import SourceTree
from clew.index.resolve.language_rules import rules_named
from clew.index.settings_files import settings_of
from clew.index.syntax import units
from clew.index.syntax.parse import outline
from clew.languages import BUILT_IN
from clew.languages.plugins import language_of_name
from tests.index.test_resolve_languages import DATA, cases_of
from tests.packages import install

# Built-in languages once more, under other names: they take the very files, which built-in ones have by their endings.
AGAIN = """
    from dataclasses import replace

    from clew.languages import BUILT_IN

    FILES = {files}
    AGAIN = [
        replace(BUILT_IN.by_name[name], name=f"again-{{name}}", extensions=(), filenames=files, interpreters=())
        for name, files in FILES.items()
    ]
"""
CASES = 3  # of each language
BY_DEFAULT = Path(__file__).parents[1] / "languages" / "data"
FILES = [*sorted(DATA.glob("*.txt")), *(BY_DEFAULT / f"{name}.txt" for name in ("julia", "lua"))]


def facts_by(names: Mapping[str, str], sources: Mapping[str, str]) -> dict[str, Facts]:
    return {path: _facts(names[path], path, text.encode()) for path, text in sources.items()}


def _facts(language: str, path: str, source: bytes) -> Facts:
    profile = language_of_name(language)
    if profile is None:
        return Facts(settings=settings_of(path, source.decode()) or {})
    seen = outline(profile, source)
    arranged = units.nest_definitions(seen)
    if profile.facts_of is not None:
        own: Facts = profile.facts_of(arranged, seen, source)
        return own
    return extract_facts(profile, arranged, seen, source)


def tree_by(names: Mapping[str, str], facts: Mapping[str, Facts]) -> SourceTree:
    packages = [(rules_named(names[path]).language, one.package, path) for path, one in facts.items() if one.package]
    return SourceTree.of(facts, packages, {path: one.settings for path, one in facts.items() if one.settings})


def sources_in(file: Path) -> dict[str, str]:
    """The files of its first cases, each case in a folder of its own."""
    text = file.read_text("utf-8")
    if file.parent == BY_DEFAULT:
        return dict(one.split("\n", 1) for one in f"\n{text.partition('->')[0]}".split("\n== ")[1:])
    cases = enumerate(islice(cases_of(text), CASES))
    return {f"case{n}/{path}": source for n, (_, files, _) in cases for path, source in files.items()}


def graph_of(root: Path, store: Path) -> tuple[list[bytes], dict[str, str]]:
    """Each node, edge, candidate and unresolved call of an index made from nothing, and the languages of its files."""
    with Engine.open(root, environ={"CLEW_STORAGE_DB_PATH": str(store / "clew.db")}) as engine:
        engine.index()
        languages = {one.path: one.language for one in engine.files.contents()}
        return list(lines(engine.db, engine.where, candidates=True)), languages


def is_code(language: str) -> bool:
    return language in BUILT_IN.by_name and bool(BUILT_IN.by_name[language].grammar)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_built_in_language_under_another_name_gives_the_same_graph(file: Path, site: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    for path, source in sources_in(file).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(source, "utf-8")
    graph, languages = graph_of(root, tmp_path / "before")
    of_code = {path: name for path, name in languages.items() if is_code(name)}
    files = defaultdict[str, set[str]](set)
    for path, name in of_code.items():
        files[name].add(path.rpartition("/")[2])
    offered = {name: tuple(sorted(some)) for name, some in files.items()}
    install(site, "clew-again", {"again": "clew_again:AGAIN"}, {"clew_again.py": AGAIN.format(files=offered)})
    again, renamed = graph_of(root, tmp_path / "after")

    assert of_code
    assert renamed == {**languages, **{path: f"again-{name}" for path, name in of_code.items()}}
    assert again == graph
