"""Calls by hand: edges and unresolved calls, written where linking writes them."""

from clew.engine import Engine, new_id, now
from clew.model.words import EdgeKind, EvidenceKind
from clew.store.links import FileEdge, Linked, Loose, pack_links, unpack_links


def call(scope: str, target: str, line: int = 1, confidence: float = 1.0) -> FileEdge:
    return FileEdge(scope, EdgeKind.CALLS, target, line, EvidenceKind.CALLSITE, confidence)


def loose(scope: str, written: str, line: int = 1) -> Loose:
    return Loose(scope, line, written, "receiver")


def show(engine: Engine, path: str, *found: FileEdge | Loose) -> None:
    """A file of the index shows these too, from now on."""
    known = engine.files.known_at(path)
    assert known is not None
    was = engine.links.current().get(known.file)
    held = [unpack_links(one.data) for one in engine.links.of([known.file])]
    edges = [*(e for one in held for e in one.edges), *(one for one in found if isinstance(one, FileEdge))]
    unresolved = [*(e for one in held for e in one.loose), *(one for one in found if isinstance(one, Loose))]
    packed = pack_links(Linked(tuple(edges), tuple(unresolved)))
    with engine.db.transaction():
        engine.links.relink(known.file, known.version, packed, was, now())
        engine.checkouts.change(engine.where, new_id(), 1)
        engine.checkouts.link(engine.where)
