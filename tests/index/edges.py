"""Small trees, read and linked: their edges as text."""

from collections.abc import Mapping

from clew.index.extract.mentions import mentions
from clew.index.facts import Facts
from clew.index.link_stage import Linker
from clew.index.syntax.parse import outline
from clew.index.syntax.units import nest_definitions
from clew.languages import language_named, language_of
from clew.model.words import EdgeKind
from clew.store.links import FileEdge
from tests.index.worlds import facts_of, tree_of


def read(sources: Mapping[str, str]) -> dict[str, Facts]:
    return {path: _facts(path, text) for path, text in sources.items()}


def linked(facts: Mapping[str, Facts]) -> dict[str, tuple[FileEdge, ...]]:
    world, languages = tree_of(facts)
    linker = Linker(world, facts.__getitem__, languages, None)
    return {path: linker.link(path).edges for path in facts}


def edges(kind: EdgeKind, sources: Mapping[str, str], path: str) -> list[str]:
    """Those of a kind that a file shows: `scope:line -> target (evidence confidence)`."""
    found = [edge for edge in linked(read(sources))[path] if edge.kind == kind]
    return [f"{e.scope}:{e.line} -> {e.target} ({e.evidence} {e.confidence:g})" for e in found]


def leads(kind: EdgeKind, sources: Mapping[str, str], path: str) -> list[str]:
    """The same, without lines and evidence."""
    found = [edge for edge in linked(read(sources))[path] if edge.kind == kind]
    return sorted({f"{e.scope} -> {e.target}" for e in found})


def _facts(path: str, text: str) -> Facts:
    language, source = language_named(language_of(path)), text.encode()
    units = nest_definitions(outline(language, source)) if language else []
    told = mentions(language_of(path), units, source)
    facts = facts_of(path, text)
    return Facts(**{**{name: getattr(facts, name) for name in facts.__struct_fields__}, "mentions": told})
