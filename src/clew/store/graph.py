"""Nodes and edges at rest. A symbol that did not change keeps its version when its file changes."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec import Struct

from clew.model.code import Defined, Edge, symbol_id
from clew.model.time import FOREVER
from clew.model.words import EdgeKind, EvidenceKind, Kind
from clew.store.database import Database, Row, Where


class NodeVersion(Struct, frozen=True):
    """The versions of a file, from `born` up to but not including `died`, that hold a symbol unchanged."""

    born: int
    died: int
    kind: Kind
    digest: bytes

    @property
    def current(self) -> bool:
        return self.died == FOREVER


class Placed(NamedTuple):
    """A symbol of the current view, in the file of that number."""

    file: int
    scope: str
    kind: str
    name: str
    digest: bytes


class Nodes:
    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._where = where._asdict()

    def define(self, file: int, version: int, defined: Iterable[Defined]) -> None:
        """Make `defined` the symbols of this version: end what is gone or changed, begin what is new."""
        here = {"file": file, **self._where}
        rows = self._db.query("node_live", **here) if version > 1 else ()
        live = {row["scope"]: (row["kind"], row["digest"]) for row in rows}
        new = {d.scope: d for d in defined}
        gone = [scope for scope, was in live.items() if scope not in new or was != _face(new[scope])]
        begun = [d for scope, d in new.items() if live.get(scope) != _face(d)]
        self._db.execute_many("node_end", [{"scope": scope, "died": version, **here} for scope in gone])
        self._db.execute_many(
            "node_put",
            [
                {"scope": d.scope, "born": version, "kind": d.kind, "name": d.name, "digest": d.digest, **here}
                for d in begun
            ],
        )

    def end(self, file: int, version: int) -> None:
        """The file is gone: its symbols end before the version that will never be."""
        self._db.execute("node_end_all", file=file, died=version, **self._where)

    def named(self, name: str, limit: int) -> list[tuple[str, Kind]]:
        """The ids and kinds of the symbols with exactly this name."""
        rows = self._db.query("node_named", name=name, limit=limit, **self._where)
        return [(symbol_id(row["path"], row["scope"]), Kind(row["kind"])) for row in rows]

    def versions(self, path: str, scope: str) -> list[NodeVersion]:
        rows = self._db.query("node_versions", path=path, scope=scope, **self._where)
        return [NodeVersion(row["born"], row["died"], Kind(row["kind"]), row["digest"]) for row in rows]

    def all(self) -> Iterator[Placed]:
        """In no order."""
        for row in self._db.query("node_all", **self._where):
            yield Placed(row["file"], row["scope"], row["kind"], row["name"], row["digest"])

    def counts(self) -> dict[str, int]:
        return {row["kind"]: row["n"] for row in self._db.query("node_counts", **self._where)}


class Edges:
    """Edges that were read from source. That a file defines its symbols is in their ids, and not stored again."""

    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._where = where._asdict()

    def show(self, file: int, version: int, edges: Iterable["Shown"], known: int) -> None:
        """Make `edges` what this version of the file shows; one that stays keeps its row."""
        live = self._live(file) if version > 1 else set()
        new = set(edges)
        self._end("edge_end", file, live - new, {"died": version})
        self._put(file, version, new - live, known)

    def relink(self, file: int, version: int, edges: Iterable["Shown"], known: int) -> None:
        """The file is the same, but what its names lead to is not: believe the new edges from now on.

        Of earlier versions of the file, the old edges stay true.
        """
        live = self._live(file)
        new = set(edges)
        when = {"known_from": known, "version": version}
        self._end("edge_held_before", file, live - new, when)
        self._end("edge_forget", file, live - new, when)
        self._put(file, version, new - live, known)

    def end(self, file: int, version: int) -> None:
        self._db.execute("edge_end_all", file=file, died=version, **self._where)

    def of(self, path: str, scope: str) -> list[Edge]:
        return [_to_edge(row) for row in self._db.query("edge_from", path=path, scope=scope, **self._where)]

    def to(self, target: str) -> list[Edge]:
        return [_to_edge(row) for row in self._db.query("edge_to", target=target, **self._where)]

    def all(self) -> Iterator[tuple[int, "Shown"]]:
        """With the numbers of the files that show them, in no order."""
        for row in self._db.query("edge_all", **self._where):
            yield row["file"], _to_shown(row)

    def counts(self) -> dict[str, int]:
        return {row["kind"]: row["n"] for row in self._db.query("edge_counts", **self._where)}

    def _live(self, file: int) -> set["Shown"]:
        return set(map(_to_shown, self._db.query("edge_live", file=file, **self._where)))

    def _put(self, file: int, version: int, edges: set["Shown"], known: int) -> None:
        common = {"file": file, "born": version, "known_from": known, **self._where}
        self._db.execute_many("edge_put", [{**edge.row(), **common} for edge in sorted(edges)])

    def _end(self, statement: str, file: int, edges: set["Shown"], when: dict[str, int]) -> None:
        rows = [{"scope": e.scope, "kind": e.kind, "target": e.target, "line": e.line} for e in sorted(edges)]
        self._db.execute_many(statement, [{**row, "file": file, **when, **self._where} for row in rows])


class Shown(Struct, frozen=True, order=True):
    """An edge as a file shows it: from one of its scopes to an id, at a line."""

    scope: str
    kind: str
    target: str
    line: int
    evidence: str
    confidence: float

    def row(self) -> dict[str, object]:
        return {
            "scope": self.scope, "kind": self.kind, "target": self.target, "line": self.line,
            "evidence": self.evidence, "confidence": self.confidence,
        }  # fmt: skip


def _face(defined: Defined) -> tuple[str, bytes]:
    """What makes a symbol the same as before."""
    return defined.kind, defined.digest


def _to_shown(row: Row) -> Shown:
    return Shown(row["scope"], row["kind"], row["target"], row["line"], row["evidence"], row["confidence"])


def _to_edge(row: Row) -> Edge:
    return Edge(
        source=symbol_id(row["path"], row["scope"]),
        target=row["target"],
        kind=EdgeKind(row["kind"]),
        path=row["path"],
        line=row["line"],
        evidence=EvidenceKind(row["evidence"]),
        confidence=row["confidence"],
    )
