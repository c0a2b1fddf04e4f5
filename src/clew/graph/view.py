"""The current graph as text: a line of JSON per node and per edge, sorted by id, without times; and its hash.

The hash is the same wherever the content is the same: after an edit and its undoing, after a rebuild, on either engine.
"""

import hashlib
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from clew.model.code import symbol_id
from clew.store.database import Database, Where
from clew.store.files import Files
from clew.store.graph import Nodes
from clew.store.links import Links, unpack_links

_encode = msgspec.json.Encoder().encode


class NodeLine(Struct, frozen=True, tag_field="type", tag="node"):
    """`digest` is of the file's content, or of the symbol's own text."""

    id: str
    kind: str
    digest: str


class EdgeLine(Struct, frozen=True, tag_field="type", tag="edge", order=True):
    """`line` is where it is shown, in the file of its source."""

    source: str
    kind: str
    target: str
    line: int
    evidence: str
    confidence: float


def lines(db: Database, where: Where) -> Iterator[bytes]:
    """Nodes, then edges; each line ends with a newline."""
    with db.view():
        contents = Files(db, where).contents()
        paths = {one.file: one.path for one in contents}
        files = [NodeLine(one.path, "file", one.digest.hex()) for one in contents]
        symbols = [
            NodeLine(symbol_id(paths[one.file], one.scope), one.kind, one.digest.hex())
            for one in Nodes(db, where).all()
        ]
        held = Links(db, where).of([one.file for one in contents])
        edges = [
            EdgeLine(symbol_id(paths[one.file], e.scope), e.kind, e.target, e.line, e.evidence, e.confidence)
            for one in held
            for e in unpack_links(one.data).edges
        ]
    for line in (*sorted([*files, *symbols], key=lambda node: node.id), *sorted(edges)):
        yield _encode(line) + b"\n"


def graph_hash(db: Database, where: Where) -> str:
    digest = hashlib.sha256()
    for line in lines(db, where):
        digest.update(line)
    return digest.hexdigest()
