"""The current view of an index, to compare two of them, and the faults that one can have in itself."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from clew.engine import Engine
from clew.graph import edges
from clew.model.errors import IndexMissing
from clew.model.search import Query
from clew.store.files import Content
from clew.store.links import unpack_links

MOST_SHOWN = 3  # differences of a kind that are spelled out
HITS = 20


@dataclass(frozen=True, slots=True)
class View:
    """Everything that an answer may depend on, without times and numbers that differ from run to run."""

    files: Mapping[object, object]
    nodes: Mapping[object, object]
    edges: Mapping[object, object]
    layouts: Mapping[object, object]
    answers: Mapping[object, object]


def view(engine: Engine, questions: Sequence[str]) -> View:
    contents = engine.files.contents()
    return View(
        files={one.path: (one.digest, one.text, one.language) for one in contents},
        nodes={(one.path, *node): True for one in contents for node in _nodes(engine, one)},
        edges={(one.path, *edge): True for one in contents for edge in _edges(engine, one)},
        layouts={one.path: engine.files.layout(one.file, one.version) for one in contents},
        answers={question: _answer(engine, question) for question in questions},
    )


def differences(one: View, other: View) -> list[str]:
    """What differs, a line for each kind of thing; none means that the two are equal."""
    lines = []
    for field in fields(View):
        here, there = getattr(one, field.name), getattr(other, field.name)
        keys = sorted(key for key in here.keys() | there.keys() if here.get(key) != there.get(key))
        if keys:
            lines.append(f"{len(keys)} {field.name} differ: {', '.join(map(str, keys[:MOST_SHOWN]))}")
    return lines


def differences_from_scratch(root: Path, scratch: Path, questions: Sequence[str]) -> list[str]:
    """How the index of a tree differs from one that is made of it from nothing, in another place."""
    elsewhere = {**os.environ, "CLEW_STORAGE_DB_PATH": str(scratch / "clew.db")}
    with Engine.open(root) as engine, Engine.open(root, environ=elsewhere) as fresh:
        fresh.index()
        return differences(view(engine, questions), view(fresh, questions))


def faults(engine: Engine, question: str) -> list[str]:
    """What is wrong with an index, whatever state of work it is in."""
    found = [f"integrity: {fault}" for fault in engine.db.check()]
    with engine.db.view():
        contents = engine.files.contents()
        found += [fault for content in contents for fault in _file_faults(engine, content)]
        found += _count_faults(engine, contents)
    return [*found, *_search_faults(engine, question)]


def _file_faults(engine: Engine, content: Content) -> Iterator[str]:
    layout = engine.files.layout(content.file, content.version)
    if set(_nodes(engine, content)) != {(symbol.scope, symbol.kind, symbol.digest) for symbol in layout.symbols}:
        yield f"{content.path}: its nodes are not its symbols"
    if layout.chunks and not engine.files.text(content.text):
        yield f"{content.path}: its text is missing"
    if layout.chunks and not engine.extracts.words(content.file):
        yield f"{content.path}: its words are missing"


def _count_faults(engine: Engine, contents: Sequence[Content]) -> Iterator[str]:
    """What is counted as current must be reached from the current files: nothing twice, nothing left behind."""
    chunks = sum(len(engine.files.layout(one.file, one.version).chunks) for one in contents)
    nodes = sum(len(_nodes(engine, one)) for one in contents)
    shown = sum(len(_edges(engine, one)) for one in contents)
    totals = engine.files.totals()
    counted = (
        totals.files,
        totals.chunks,
        sum(engine.nodes.counts().values()),
        sum(edges.counts(engine.corpus()).values()),
    )
    reached = (len({one.path for one in contents}), chunks, nodes, shown)
    if counted != reached:
        yield f"files, chunks, nodes, edges are counted as {counted}, but there are {reached}"


def _search_faults(engine: Engine, question: str) -> Iterator[str]:
    try:
        hits = engine.search(Query(question, HITS)).hits
    except IndexMissing:
        if engine.files.totals().files:
            yield "search says that there is no index, and there is one"
        return
    if any(not hit.text or not 0 < hit.score <= 1 for hit in hits):
        yield f"a hit for {question!r} has no text, or a score out of range"


def _nodes(engine: Engine, content: Content) -> list[tuple[str, str, bytes]]:
    rows = engine.db.query("node_live", file=content.file, **engine.where._asdict())
    return [(row["scope"], row["kind"], row["digest"]) for row in rows]


def _edges(engine: Engine, content: Content) -> list[tuple[str, str, str, int, str, float]]:
    shown = [edge for held in engine.links.of([content.file]) for edge in unpack_links(held.data).edges]
    return [(e.scope, e.kind, e.target, e.line, e.evidence, e.confidence) for e in shown]


def _answer(engine: Engine, question: str) -> tuple[object, ...]:
    results = engine.search(Query(question, HITS))
    return (
        results.total,
        results.unknown,
        *((hit.chunk_id, hit.symbol, hit.score, hit.reasons) for hit in results.hits),
    )
