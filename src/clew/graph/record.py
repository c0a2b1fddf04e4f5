"""The record of time as lines of JSON: transactions, the versions of files and symbols, and what replaced what."""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from msgspec import Struct

from clew.graph.view import EdgeLine, NodeLine, UnresolvedLine, View
from clew.model.code import symbol_id
from clew.model.time import FOREVER, to_iso
from clew.model.words import EvidenceKind
from clew.store.database import Database, Where
from clew.store.files import Files
from clew.store.graph import NodeRecord, Nodes
from clew.store.links import LinkRecord, Links
from clew.store.transactions import Transactions
from clew.text.escaping import escape

_encode = msgspec.json.Encoder().encode
_BY_NAME = frozenset({EvidenceKind.NAMED_CALL, EvidenceKind.NAMED_IMPORT})


class TransactionLine(Struct, frozen=True, tag_field="type", tag="transaction", omit_defaults=True):
    id: str
    kind: str
    time: str
    status: str
    agent: str = ""
    session: str = ""
    commit: str = ""
    duration_us: int = 0
    counts: dict[str, int] = {}


class VersionLine(Struct, frozen=True, tag_field="type", tag="version", omit_defaults=True):
    """When a content was true and since when that is known; without an end, it still is."""

    id: str
    of: str
    kind: str
    valid_from: str
    known_from: str
    valid_to: str = ""
    known_to: str = ""
    transaction: str = ""
    digest: str = ""


class EdgeVersionLine(Struct, frozen=True, tag_field="type", tag="edge_version", omit_defaults=True):
    """When an edge was true and since when that is known. One that is `approximate` was found by names alone, in a
    content that git kept."""

    source: str
    kind: str
    target: str
    valid_from: str
    known_from: str
    valid_to: str = ""
    known_to: str = ""
    transaction: str = ""
    line: int = 0
    confidence: float = 1.0
    approximate: bool = False


class RecordEdge(Struct, frozen=True, tag_field="type", tag="edge"):
    source: str
    kind: str
    target: str


class _Held(NamedTuple):
    """One version of a file, as it is believed now; `known_from` is when it was first heard of."""

    valid_from: int
    valid_to: int
    known_from: int
    known_to: int
    tx: int
    digest: bytes


class _HeldEdge(NamedTuple):
    """An edge in a period, as believed in another one."""

    valid_from: int
    valid_to: int
    known_from: int
    known_to: int
    tx: int
    line: int
    confidence: float


def record_lines(db: Database, where: Where) -> Iterator[bytes]:
    """Transactions by age, then each file's versions and those of its symbols, with AFFECTS and SUPERSEDES edges."""
    names: dict[int, str] = {}
    for one in reversed(Transactions(db, where).latest(1_000_000_000)):
        names[one.tx] = node = f"transaction::{one.id}"
        yield _line(
            TransactionLine(
                node, one.type, to_iso(one.started_at), one.status, one.author.agent, one.author.session, one.commit,
                one.duration, dict(one.counts),
            )
        )  # fmt: skip
    files, links = Files(db, where), Links(db, where)
    symbols: dict[int, list[NodeRecord]] = {}
    for held in Nodes(db, where).record():
        symbols.setdefault(held.file, []).append(held)
    paths = files.paths()
    by_file = {file: _versions(files, path) for file, path in paths.items()}
    spans = _spans(paths, symbols, {file: versions for file, (versions, _) in by_file.items()})
    for file, path in sorted(paths.items(), key=lambda one: one[1]):
        versions, writers = by_file[file]
        for tx in sorted(writers):
            yield _line(RecordEdge(names.get(tx, f"transaction::{tx}"), "AFFECTS", path))
        yield from _of_file(path, versions, names)
        yield from _of_symbols(path, symbols.get(file, ()), versions, names)
        yield from _of_edges(path, links.record(file), versions, names, spans)


def _versions(files: Files, path: str) -> tuple[dict[int, _Held], set[int]]:
    found: dict[int, _Held] = {}
    writers = set()
    for one in files.history(path):
        writers.add(one.tx)
        first = found.get(one.version)
        found[one.version] = _Held(
            one.valid_from, one.valid_to, first.known_from if first else one.known_from, one.known_to,
            first.tx if first else one.tx, one.digest,
        )  # fmt: skip
    return found, writers


def _of_file(path: str, versions: dict[int, _Held], names: dict[int, str]) -> Iterator[bytes]:
    before = ""
    for number in sorted(versions):
        node = f"{path}@{number}"
        yield _line(_version(node, path, "file", versions[number], versions[number], names))
        if before:
            yield _line(RecordEdge(node, "SUPERSEDES", before))
        before = node


def _of_symbols(
    path: str, symbols: "tuple[NodeRecord, ...] | list[NodeRecord]", versions: dict[int, _Held], names: dict[int, str]
) -> Iterator[bytes]:
    before: dict[str, str] = {}
    for one in sorted(symbols, key=lambda held: (held.scope, held.born)):
        during = [number for number in versions if one.born <= number < one.died]
        if not during:
            continue
        of = symbol_id(path, one.scope)
        node = f"{of}@{one.born}"
        first, last = versions[min(during)], versions[max(during)]
        yield _line(_version(node, of, one.kind, first._replace(digest=one.digest), last, names))
        if one.scope in before:
            yield _line(RecordEdge(node, "SUPERSEDES", before[one.scope]))
        before[one.scope] = node


_Span = tuple[int, int]


def _spans(
    paths: dict[int, str], symbols: dict[int, list[NodeRecord]], held: dict[int, dict[int, _Held]]
) -> dict[str, list[_Span]]:
    """By id of a file or symbol, the periods in which it was there, as is believed now."""
    found: dict[str, list[_Span]] = {}
    for file, versions in held.items():
        path = paths[file]
        found[path] = [(one.valid_from, one.valid_to) for one in versions.values()]
        for symbol in symbols.get(file, ()):
            during = [one for number, one in versions.items() if symbol.born <= number < symbol.died]
            if during:
                span = min(one.valid_from for one in during), max(one.valid_to for one in during)
                found.setdefault(symbol_id(path, symbol.scope), []).append(span)
    return found


def _of_edges(
    path: str, links: Iterator[LinkRecord], versions: dict[int, _Held], names: dict[int, str],
    spans: dict[str, list[_Span]],
) -> Iterator[bytes]:  # fmt: skip
    """The edges that a file shows, each with its four times; approximate ones while their target was there."""
    found: dict[tuple[str, str, str, bool], list[_HeldEdge]] = {}
    for row in links:
        during = [number for number in versions if row.born <= number < row.died]
        if not during:
            continue
        first, last = versions[min(during)], versions[max(during)]
        known = max(first.known_from, row.known_from), last.known_to if row.known_to == FOREVER else row.known_to
        for edge in row.linked.edges:
            approximate = edge.evidence in _BY_NAME and row.died != FOREVER
            there = spans.get(edge.target)
            for start, end in _within(first.valid_from, last.valid_to, there, approximate=approximate):
                key = edge.scope, edge.kind, edge.target, approximate
                held = _HeldEdge(start, end, *known, first.tx, edge.line, edge.confidence)
                found.setdefault(key, []).append(held)
    for (scope, kind, target, approximate), some in sorted(found.items()):
        for one in _join_edges(some):
            yield _line(
                EdgeVersionLine(
                    symbol_id(path, scope), kind, target, to_iso(one.valid_from), to_iso(one.known_from),
                    _end(one.valid_to), _end(one.known_to), names.get(one.tx, ""), one.line, one.confidence,
                    approximate,
                )
            )  # fmt: skip


def _join_edges(some: list[_HeldEdge]) -> list[_HeldEdge]:
    """An edge that holds on in the next version of its file is one, though it may stand on another line there."""
    joined: list[_HeldEdge] = []
    for one in sorted(some):
        last = joined[-1] if joined else None
        if last and one.known_to == last.known_to and last.valid_from <= one.valid_from <= last.valid_to:
            joined[-1] = last._replace(valid_to=max(last.valid_to, one.valid_to))
        else:
            joined.append(one)
    return joined


def _within(start: int, end: int, there: list[_Span] | None, *, approximate: bool) -> list[_Span]:
    """A period; of an approximate edge, the parts of it in which the target was there."""
    if not approximate:
        return [(start, end)]
    parts = sorted((max(start, first), min(end, last)) for first, last in there or ())
    joined: list[_Span] = []
    for first, last in parts:
        if first >= last:
            continue
        if joined and first <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], last)
        else:
            joined.append((first, last))
    return joined


def _version(node: str, of: str, kind: str, first: _Held, last: _Held, names: dict[int, str]) -> VersionLine:
    return VersionLine(
        node, of, kind, to_iso(first.valid_from), to_iso(first.known_from), _end(last.valid_to), _end(last.known_to),
        names.get(first.tx, ""), first.digest.hex(),
    )  # fmt: skip


def _end(moment: int) -> str:
    return "" if moment == FOREVER else to_iso(moment)


def _line(value: Struct) -> bytes:
    return bytes(_encode(value)) + b"\n"


# The graph for other programs: GraphML for graph editors and libraries, DOT for Graphviz.

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
