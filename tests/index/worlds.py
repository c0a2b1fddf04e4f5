"""Small trees, read and resolved."""

from collections.abc import Mapping

from msgspec.structs import replace

from clew.index.extract.query_extractor import extract_facts
from clew.index.facts import Facts
from clew.index.modules import SourceTree
from clew.index.resolve import Resolver
from clew.index.settings_files import settings_of
from clew.index.syntax import units
from clew.index.syntax.parse import outline
from clew.languages import language_named, language_of


def facts_of(path: str, source: str) -> Facts:
    said = settings_of(path, source)
    return replace(_read(path, source), settings=said) if said else _read(path, source)


def _read(path: str, source: str) -> Facts:
    language = language_named(language_of(path))
    if language is None:
        return Facts()
    seen = outline(language, source.encode())
    arranged = units.nest_definitions(seen)
    if language.facts_of is not None:
        own: Facts = language.facts_of(arranged, seen, source.encode())
        return own
    return extract_facts(language, arranged, seen, source.encode())


def tree_of(facts: Mapping[str, Facts]) -> tuple[SourceTree, Mapping[str, str]]:
    languages = {path: language_of(path) for path in facts}
    packages = [(languages[path], one.package, path) for path, one in facts.items() if one.package]
    settings = {path: one.settings for path, one in facts.items() if one.settings}
    return SourceTree.of(facts, packages, settings), languages


def resolver_of(facts: Mapping[str, Facts]) -> Resolver:
    world, languages = tree_of(facts)
    return Resolver.settle(world, facts.__getitem__, languages, facts)
