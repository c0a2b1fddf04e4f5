"""The current graph as text: a line of JSON per node and per edge, sorted by id, without times; and its hash.

The hash is the same wherever the content is the same: after an edit and its undoing, after a rebuild, on either engine.
"""

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from msgspec import Struct

from clew.graph.elements import Page
from clew.model.code import EXTERNAL, symbol_id
from clew.model.time import FOREVER, AsOf, Period
from clew.model.words import EvidenceKind, Kind
from clew.store.database import Database, Where
from clew.store.files import Content, Files
from clew.store.graph import Nodes
from clew.store.histories import Histories
from clew.store.links import LIKELY, Links, unpack_links

_encode = msgspec.json.Encoder().encode


class EdgeEvidence(Struct, frozen=True, order=True, omit_defaults=True):
    """The place and kind of an edge's evidence; evidence from git history has no line, but a count of commits."""

    path: str
    line: int
    kind: str
    support: int = 0


class NodeLine(Struct, frozen=True, tag_field="type", tag="node"):
    """`digest` is of the file's content, or of the symbol's own text; for external nodes, only the id is known."""

    id: str
    kind: str
    path: str = ""
    first_line: int = 0
    last_line: int = 0
    digest: str = ""


class EdgeLine(Struct, frozen=True, tag_field="type", tag="edge", order=True):
    source: str
    kind: str
    target: str
    evidence: EdgeEvidence
    confidence: float


class UnresolvedLine(Struct, frozen=True, tag_field="type", tag="unresolved", order=True):
    """A call that leads nowhere known: as written, and why."""

    source: str
    written: str
    evidence: EdgeEvidence
    reason: str


class View(NamedTuple):
    """Each sorted."""

    nodes: list[NodeLine]
    edges: list[EdgeLine]
    unresolved: list[UnresolvedLine]


def view(db: Database, where: Where, *, candidates: bool = False) -> View:
    """The current view: its edges that are likely, or with their candidates and the unresolved calls all of them."""
    with db.view():
        contents = Files(db, where).contents()
        nodes = _nodes(db, where, contents)
        edges, unresolved = _edges(Links(db, where), contents)
    if not candidates:
        edges, unresolved = [edge for edge in edges if edge.confidence >= LIKELY], []
    ends = {end for edge in edges for end in (edge.source, edge.target) if end.startswith(EXTERNAL)}
    external = [NodeLine(end, Kind.EXTERNAL) for end in ends]
    return View(sorted([*nodes, *external], key=lambda node: node.id), sorted(edges), sorted(unresolved))


def with_history(db: Database, where: Where, found: View) -> View:
    """Add edges from git history among the view's files; they are no part of the content, so the hash omits them."""
    here = {node.id for node in found.nodes}
    edges = [
        EdgeLine(path, e.kind, e.target, EdgeEvidence(path, 0, e.evidence, support=e.line), e.confidence)
        for path, edges in Histories(db, where).together().items()
        for e in edges
        if path in here and e.target in here
    ]
    return found._replace(edges=sorted([*found.edges, *edges]))


def encode(found: View) -> Iterator[bytes]:
    """Nodes, then edges, then unresolved calls; each line ends with a newline."""
    for lines in found:
        for line in lines:
            yield _encode(line) + b"\n"


def lines(db: Database, where: Where, *, candidates: bool = False) -> Iterator[bytes]:
    """The lines that are hashed."""
    return encode(view(db, where, candidates=candidates))


def graph_hash(db: Database, where: Where, *, candidates: bool = False) -> str:
    digest = hashlib.sha256()
    for line in lines(db, where, candidates=candidates):
        digest.update(line)
    return digest.hexdigest()


def _nodes(db: Database, where: Where, contents: list[Content]) -> list[NodeLine]:
    files = Files(db, where)
    paths = {one.file: one.path for one in contents}
    lengths = files.lengths()
    found = [NodeLine(one.path, Kind.FILE, one.path, 1, lengths[one.file], one.digest.hex()) for one in contents]
    spans = {
        (file, symbol.scope): symbol.span for file, symbols in files.symbols([*paths]) for symbol in symbols
    }  # fmt: skip
    for one in Nodes(db, where).all():
        path, span = paths[one.file], spans[one.file, one.scope]
        name = symbol_id(path, one.scope)
        found.append(NodeLine(name, one.kind, path, span.first, span.last, one.digest.hex()))
    return found


def _edges(links: Links, contents: list[Content]) -> tuple[list[EdgeLine], list[UnresolvedLine]]:
    paths = {one.file: one.path for one in contents}
    edges: list[EdgeLine] = []
    unresolved: list[UnresolvedLine] = []
    for held in links.of([*paths]):
        path = paths[held.file]
        linked = unpack_links(held.data)
        edges += [
            EdgeLine(symbol_id(path, e.scope), e.kind, e.target, EdgeEvidence(path, e.line, e.evidence), e.confidence)
            for e in linked.edges
        ]
        unresolved += [
            UnresolvedLine(
                symbol_id(path, o.scope), o.written, EdgeEvidence(path, o.line, EvidenceKind.CALLSITE), o.reason
            )
            for o in linked.loose
        ]
    return edges, unresolved


# Since when a thing has been as it is, and until when.


def period(files: Files, nodes: Nodes, page: Page, scope: str, at: AsOf) -> Period:
    """Interval in which a symbol was valid as it was at a viewpoint, as known there; without a scope, its file's."""
    version = page.version
    if not scope:
        return Period(version.valid_from, version.valid_to)
    held = [one for one in nodes.versions(version.path, scope) if one.born <= version.version < one.died]
    born, died = (held[0].born, held[0].died) if held else (version.version, version.version + 1)
    believed = {one.version: one for one in files.history(version.path) if one.known_from <= at.known < one.known_to}
    during = [one for number, one in believed.items() if born <= number < died]
    start = min((one.valid_from for one in during), default=version.valid_from)
    return Period(start, max((one.valid_to for one in during), default=FOREVER))
