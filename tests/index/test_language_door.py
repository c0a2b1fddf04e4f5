"""Languages from outside come by the door of the built-in ones: a profile, a query, and rules if they differ."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from clew.index.extract.query_extractor import extract_facts
from clew.index.facts import Facts
from clew.index.modules import SourceTree
from clew.index.resolve import Resolver
from clew.index.resolve.language_rules import rules_named
from clew.index.settings_files import settings_of
from clew.index.syntax import units
from clew.index.syntax.parse import outline
from clew.languages import language_of
from clew.languages.plugins import language_of_name
from tests.index.test_resolve_languages import DATA, cases_of, told
from tests.packages import install

# Every built-in language once more, under another name.
AGAIN = """
    from dataclasses import replace

    from clew.languages import LANGUAGES

    AGAIN = [
        replace(one, name=f"again-{one.name}", extensions=(f".{one.name}-again",), filenames=(), interpreters=())
        for one in LANGUAGES
        if one.rules
    ]
"""
CASES = 3  # of each language


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


def calls_by(names: Mapping[str, str], sources: Mapping[str, str]) -> str:
    facts = facts_by(names, sources)
    return told(facts, Resolver.settle(tree_by(names, facts), facts.__getitem__, names, facts))


@pytest.mark.parametrize("file", sorted(DATA.glob("*.txt")), ids=lambda file: file.stem)
def test_a_built_in_language_that_a_package_brings_under_another_name_is_resolved_alike(file: Path, site: Path) -> None:
    install(site, "clew-again", {"again": "clew_again:AGAIN"}, {"clew_again.py": AGAIN})
    for _, sources, _ in list(cases_of(file.read_text("utf-8")))[:CASES]:
        here = {path: language_of(path) for path in sources}
        again = {path: f"again-{name}" if language_of_name(f"again-{name}") else name for path, name in here.items()}

        assert again != here
        assert calls_by(again, sources) == calls_by(here, sources)
