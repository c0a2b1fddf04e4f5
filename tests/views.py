"""What an index holds, told without numbers and times: two indexes of the same tree must tell the same."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from clew.engine import Engine
from clew.graph.edges import edges_of
from clew.index.facts import Facts
from clew.index.facts_cache import unpack_facts
from clew.model.code import Layout, Redaction
from clew.model.search import Hit, Query
from clew.store.database import Row
from clew.store.links import Linked, unpack_links
from clew.store.moving import BY_FILE, BY_KEY
from clew.store.together import together

OWN_BOOKS = frozenset({"graph_tx", "usage"})  # what every run or question writes, changed or not

EVERYTHING = 1_000_000

Rows = list[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class FileView:
    """One file of the current view."""

    path: str
    language: str
    text: bytes
    layout: Layout
    nodes: tuple[tuple[object, ...], ...]
    links: Linked
    words: bytes
    facts: Facts
    redactions: tuple[Redaction, ...]


def _plain(facts: Facts) -> Facts:
    return replace(facts, calls=tuple(facts.calls))


def current_view(engine: Engine) -> list[FileView]:
    """Everything the index says of the present, sorted by path."""
    contents = engine.files.contents()
    packed = engine.extracts.facts([one.file for one in contents])
    facts = {one.path: _plain(unpack_facts(data)) for one, data in zip(contents, packed, strict=True)}
    held = together(engine.db, partial(engine.links.each_later, [one.file for one in contents]))[0]
    links = {one.path: unpack_links(data) for one, data in zip(contents, held, strict=True)}
    views = []
    for content in contents:
        here = {"file": content.file, **engine.where._asdict()}
        views.append(
            FileView(
                path=content.path,
                language=content.language,
                text=engine.files.text(content.text),
                layout=engine.files.layout(content.file, content.version),
                nodes=_rows(engine, "node_live", ("scope", "kind", "digest"), here),
                links=links[content.path],
                words=engine.extracts.words(content.file),
                facts=facts[content.path],
                redactions=engine.files.redactions(content.file, content.version),
            )
        )
    return views


def ranked(engine: Engine, *questions: str) -> list[tuple[str, float, str]]:
    """The hits of some questions: what, how well, and why."""
    hits = [hit for text in questions for hit in search(engine, text)]
    return [(hit.chunk_id, hit.score, hit.reasons[0].detail) for hit in hits]


def search(engine: Engine, text: str, limit: int = 50) -> tuple[Hit, ...]:
    return engine.search(Query(text, limit)).hits


def tables(engine: Engine) -> dict[str, Rows]:
    """Every row of every table that only a change may touch."""
    project = {"project": engine.where.project, "limit": EVERYTHING}
    here = {"after": 0, "upto": EVERYTHING, **engine.where._asdict()}
    found = {name: _dump(engine, name, {"after": first, **project}) for name, (_, first) in BY_KEY.items()}
    found |= {name: _dump(engine, name, here) for name in BY_FILE}
    return {name: rows for name, rows in found.items() if name not in OWN_BOOKS}


def _dump(engine: Engine, name: str, params: Mapping[str, object]) -> Rows:
    rows = engine.db.query(f"move_out_{name}", **params)
    return sorted((tuple(dict(row).values()) for row in rows), key=repr)  # type: ignore[call-overload]  # mappings


def faults(database: Path) -> list[str]:
    """What the engine finds wrong with its own file."""
    with closing(sqlite3.connect(database)) as raw:
        return [row for (row,) in raw.execute("PRAGMA integrity_check") if row != "ok"]


def targets_of(engine: Engine, id: str) -> list[str]:
    """Where the edges of an id lead."""
    return [edge.target for edge in edges_of(engine.corpus(), id)]


def layout_of(engine: Engine, path: str) -> Layout:
    known = engine.files.known_at(path)
    assert known is not None
    return engine.files.layout(known.file, known.version)


def _rows(engine: Engine, query: str, columns: tuple[str, ...], here: dict[str, int]) -> tuple[tuple[object, ...], ...]:
    def values(row: Row) -> tuple[object, ...]:
        return tuple(row[column] for column in columns)

    return tuple(sorted(map(values, engine.db.query(query, **here))))
