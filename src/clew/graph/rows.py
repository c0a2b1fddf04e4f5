"""The graph as rows of nodes and edges, for query languages. Pure, but for reading the layouts of files."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from clew.graph.full_graph import FullGraph
from clew.model.code import EXTERNAL, SCOPE, Symbol, split_id, symbol_id
from clew.model.words import Kind
from clew.store.files import Files
from clew.store.links import EVIDENCE, KINDS, SURE

# The label of each kind of node in Cypher.
LABELS = {
    Kind.FILE: "File", Kind.MODULE: "Module", Kind.CLASS: "Class", Kind.INTERFACE: "Class", Kind.FUNCTION: "Function",
    Kind.METHOD: "Function", Kind.VARIABLE: "Variable", Kind.EXTERNAL: "External",
}  # fmt: skip
OTHER = "Other"
NODE_COLUMNS = (
    "id", "name", "kind", "path", "language", "signature", "doc", "first_line", "last_line", "exported",
)  # fmt: skip
EDGE_COLUMNS = ("source", "target", "kind", "line", "confidence", "evidence")


class NodeRow(Struct, frozen=True):
    """A node; texts are empty and lines 0 where a kind has none."""

    id: str
    name: str
    kind: str
    path: str
    language: str
    signature: str
    doc: str
    first_line: int
    last_line: int
    exported: bool

    @property
    def label(self) -> str:
        return LABELS.get(Kind(self.kind), OTHER)


class EdgeRow(Struct, frozen=True):
    source: str
    target: str
    kind: str
    line: int
    confidence: float
    evidence: str


def nodes(graph: FullGraph, files: Files) -> Iterator[NodeRow]:
    """All nodes, in the order of their ids."""
    contents = {one.path: one for one in files.contents()}
    lengths = files.lengths()
    paths = {one.file: one.path for one in contents.values()}
    symbols: dict[str, Symbol] = {}
    for file, some in files.symbols(sorted(paths)):
        symbols.update((symbol_id(paths[file], one.scope), one) for one in some)
    for node_id, kind in zip(graph.ids, graph.kinds, strict=True):
        path, _ = split_id(node_id)
        content, symbol = contents.get(path), symbols.get(node_id)
        yield NodeRow(
            id=node_id,
            name=symbol.name if symbol else _name(node_id),
            kind=str(kind),
            path=path if content else "",
            language=content.language if content else "",
            signature=symbol.signature if symbol else "",
            doc=symbol.doc if symbol else "",
            first_line=symbol.span.first if symbol else int(content is not None),
            last_line=symbol.span.last if symbol else lengths.get(content.file, 0) if content else 0,
            exported=symbol.exported if symbol else False,
        )


def edges(graph: FullGraph) -> Iterator[EdgeRow]:
    """All edges, with those of git history."""
    columns = graph.all_edges
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for source, target, kind, line, evidence, confidence in rows:
        yield EdgeRow(
            graph.ids[source],
            graph.ids[target],
            str(KINDS[kind]),
            line,
            round(confidence / SURE, 3),
            str(EVIDENCE[evidence]),
        )


def _name(node_id: str) -> str:
    return node_id.removeprefix(EXTERNAL).rpartition(SCOPE)[2].rpartition("/")[2]


def plain(values: Sequence[object], longest: int) -> tuple[object, ...]:
    """Values as an answer can hold them."""
    return tuple(_plain(value, longest) for value in values)


def _plain(value: object, longest: int) -> object:
    if isinstance(value, str):
        return value if len(value) <= longest else f"{value[:longest]}…"
    if isinstance(value, dict):
        return {
            str(name): _plain(one, longest)
            for name, one in value.items()
            if name not in ("_id", "_ID", "_src", "_dst", "_SRC", "_DST")
        }
    if isinstance(value, list | tuple):
        return [_plain(one, longest) for one in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    return str(value)
