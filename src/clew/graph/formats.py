"""The graph for other programs: GraphML for graph editors and libraries, DOT for Graphviz."""

from collections.abc import Iterator

from clew.graph.view import EdgeLine, NodeLine, UnresolvedLine, View
from clew.text.xml import escape

_NODE_FIELDS = {"kind": "string", "path": "string", "first_line": "int", "last_line": "int"}
_EDGE_FIELDS = {
    "relation": "string", "evidence_path": "string", "evidence_line": "int", "evidence_kind": "string",
    "evidence_support": "int", "confidence": "double", "written": "string", "reason": "string",
}  # fmt: skip
_UNRESOLVED = "UNRESOLVED"


def graphml(found: View) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for target, fields in (("node", _NODE_FIELDS), ("edge", _EDGE_FIELDS)):
        for name, kind in fields.items():
            yield f'  <key id="{name}" for="{target}" attr.name="{name}" attr.type="{kind}"/>\n'
    yield '  <graph edgedefault="directed">\n'
    for node in _all_nodes(found):
        data = {name: getattr(node, name) for name in _NODE_FIELDS}
        yield f'    <node id="{escape(node.id)}">{_data(data)}</node>\n'
    for source, target, data in _all_edges(found):
        yield f'    <edge source="{escape(source)}" target="{escape(target)}">{_data(data)}</edge>\n'
    yield "  </graph>\n</graphml>\n"


def dot(found: View) -> Iterator[str]:
    yield 'digraph clew {\n  rankdir=LR;\n  node [shape=box, fontname="sans-serif"];\n'
    for node in _all_nodes(found):
        yield f"  {_quote(node.id)} [kind={_quote(node.kind)}, label={_quote(_label(node))}];\n"
    for source, target, data in _all_edges(found):
        style = "dashed" if data["relation"] == _UNRESOLVED or float(str(data["confidence"])) < 1 else "solid"
        label = f"label={_quote(str(data['relation']))}, confidence={data['confidence']}, style={style}"
        yield f"  {_quote(source)} -> {_quote(target)} [{label}];\n"
    yield "}\n"


def _all_nodes(found: View) -> list[NodeLine]:
    """The graph's nodes and all other ends of edges: both formats require the ends of edges to be present."""
    known = {node.id for node in found.nodes}
    ends = {end for source, target, _ in _all_edges(found) for end in (source, target)} - known
    return [*found.nodes, *(NodeLine(end, "unknown") for end in sorted(ends))]


def _all_edges(found: View) -> Iterator[tuple[str, str, dict[str, object]]]:
    for edge in found.edges:
        yield edge.source, edge.target, {"relation": edge.kind, **_evidence(edge), "confidence": edge.confidence}
    for one in found.unresolved:
        told = {"relation": _UNRESOLVED, **_evidence(one), "confidence": 0.0}
        yield one.source, f"unresolved::{one.written}", {**told, "written": one.written, "reason": one.reason}


def _evidence(one: EdgeLine | UnresolvedLine) -> dict[str, object]:
    shown = one.evidence
    told: dict[str, object] = {"evidence_path": shown.path, "evidence_kind": shown.kind}
    return {**told, **({"evidence_support": shown.support} if shown.support else {"evidence_line": shown.line})}


def _data(fields: dict[str, object]) -> str:
    return "".join(f'<data key="{name}">{escape(str(value))}</data>' for name, value in fields.items())


def _quote(text: str) -> str:
    safe = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\0", "\ufffd")
    return f'"{safe}"'


def _label(node: NodeLine) -> str:
    return node.id.rpartition("::")[2] or node.id
