"""Symbols at rest. One that did not change keeps its version when its file changes."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import msgspec
from msgspec import Struct

from clew.model.code import Defined, symbol_id
from clew.model.time import FOREVER
from clew.model.words import Kind
from clew.store.database import Database, Later, Where
from clew.store.together import together


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


class NodeRecord(NamedTuple):
    """One version of a symbol: which versions of its file hold it."""

    file: int
    scope: str
    kind: str
    born: int
    died: int
    digest: bytes


Faces = dict[str, tuple[str, bytes]]


class Turned(NamedTuple):
    """A symbol that an index run took away or brought: `version` is the first of its file without it, or with it."""

    path: str
    version: int
    scope: str
    kind: str
    ended: bool


class Nodes:
    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._where = where._asdict()

    def faces_later(self, files: Sequence[int]) -> Later[dict[int, Faces]]:
        """The current symbols of some files: by scope, the kind and digest that identify an unchanged symbol."""
        rows = self._db.later("node_live_of", numbers=msgspec.json.encode(files).decode(), **self._where)

        def faces() -> dict[int, Faces]:
            found: dict[int, Faces] = {file: {} for file in files}
            for row in rows():
                found[row["file"]][row["scope"]] = row["kind"], row["digest"]
            return found

        return faces

    def define(self, file: int, version: int, defined: Iterable[Defined], live: Faces | None = None) -> None:
        """Make `defined` the symbols of this version: end symbols that are gone or changed, begin new ones.

        `live` are the symbols before it; read from the store if not given.
        """
        here = {"file": file, **self._where}
        if live is None:
            live = together(self._db, partial(self.faces_later, [file]))[0][file] if version > 1 else {}
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

    def precede(self, file: int, first: int, versions: Sequence[tuple[int, Sequence[Defined]]]) -> None:
        """Add the symbols of versions before the `first` one that is known, the newest first.

        A symbol that is the same in the next version is one with it: it was only born earlier.
        """
        here = {"file": file, **self._where}
        rows = self._db.query("node_held", file=file, version=first, **self._where)
        after = {row["scope"]: (row["kind"], row["digest"], first) for row in rows}
        begun: dict[tuple[str, int], dict[str, object]] = {}
        extended: dict[tuple[str, int], int] = {}
        for number, defined in versions:
            now: dict[str, tuple[str, bytes, int]] = {}
            for one in {d.scope: d for d in defined}.values():
                was = after.get(one.scope)
                if was and was[:2] == _face(one):
                    key = one.scope, was[2]
                    if key in begun:
                        begun[one.scope, number] = {**begun.pop(key), "born": number}
                    else:
                        extended[one.scope, number] = extended.pop(key, was[2])
                else:
                    begun[one.scope, number] = {
                        "scope": one.scope, "born": number, "died": number + 1, "kind": one.kind, "name": one.name,
                        "digest": one.digest, **here,
                    }  # fmt: skip
                now[one.scope] = one.kind, one.digest, number
            after = now
        moved = [{"scope": scope, "born": born, "was": was, **here} for (scope, born), was in extended.items()]
        self._db.execute_many("node_extend", moved)
        self._db.execute_many("node_past", list(begun.values()))

    def live(self, file: int) -> dict[str, bytes]:
        """The symbols of a file as it is now: their digests by scope."""
        return {row["scope"]: row["digest"] for row in self._db.query("node_live", file=file, **self._where)}

    def kinds(self, file: int) -> dict[str, Kind]:
        """The kind of each current symbol of a file, by scope."""
        return {row["scope"]: Kind(row["kind"]) for row in self._db.query("node_live", file=file, **self._where)}

    def end(self, file: int, version: int) -> None:
        """The file is gone: its symbols end before the version that will never be."""
        self._db.execute("node_end_all", file=file, died=version, **self._where)

    def find_named(self, name: str, limit: int) -> list[tuple[str, Kind]]:
        """The ids and kinds of the symbols with exactly this name."""
        rows = self._db.query("node_named", name=name, limit=limit, **self._where)
        return [(symbol_id(row["path"], row["scope"]), Kind(row["kind"])) for row in rows]

    def alike(self, name: str, digest: bytes) -> list[str]:
        """The ids of the symbols that have this name and are, to the byte, as the digest says."""
        return [
            symbol_id(row["path"], row["scope"])
            for row in self._db.query("node_alike", name=name, digest=digest, **self._where)
        ]

    def last_of(self, path: str) -> list[tuple[str, bytes]]:
        """The names and digests of the symbols that a file has, or had when it went."""
        rows = list(self._db.query("node_of", path=path, **self._where))
        last = max((row["died"] for row in rows), default=0)
        return [(row["name"], row["digest"]) for row in rows if row["died"] == last]

    def ever_named(self, name: str) -> list[str]:
        """The ids of all symbols that ever had exactly this name."""
        rows = self._db.query("node_ever_named", name=name, **self._where)
        return [symbol_id(row["path"], row["scope"]) for row in rows]

    def versions(self, path: str, scope: str) -> list[NodeVersion]:
        rows = self._db.query("node_versions", path=path, scope=scope, **self._where)
        return [NodeVersion(row["born"], row["died"], Kind(row["kind"]), row["digest"]) for row in rows]

    def digests(self, ids: Iterable[tuple[str, str]]) -> dict[tuple[str, str], bytes]:
        """Digests of the given paths and scopes in the current view."""
        wanted = set(ids)
        if not wanted:
            return {}
        names, scopes = (msgspec.json.encode(sorted(set(some))).decode() for some in zip(*wanted, strict=True))
        rows = self._db.query("node_digests", names=names, scopes=scopes, **self._where)
        found = {(row["path"], row["scope"]): row["digest"] for row in rows}
        return {one: digest for one, digest in found.items() if one in wanted}

    def run_of_end(self, path: str, version: int) -> int:
        """The index run that found that this version of a file does not hold any more; 0 if it does."""
        rows = self._db.query("run_of_end", path=path, version=version, **self._where)
        return next((int(row["tx"]) for row in rows), 0)

    def files_of_run(self, run: int) -> int:
        """How many files it changed."""
        return int(next(iter(self._db.query("run_files", tx=run, **self._where)))["n"])

    def changed_in_run(self, run: int) -> list[Turned]:
        """The symbols that an index run removed and added, by name; changed symbols are not included."""
        found: dict[tuple[str, int, str], list[Turned]] = {}
        for ended, query in ((True, "node_ended_by"), (False, "node_begun_by")):
            for row in self._db.query(query, tx=run, **self._where):
                one = Turned(row["path"], row["version"], row["scope"], row["kind"], ended)
                found.setdefault((one.path, one.version, one.scope), []).append(one)
        return [turned[0] for turned in found.values() if len(turned) == 1]

    def record(self) -> Iterator[NodeRecord]:
        """Every version of every symbol, in no order."""
        for row in self._db.query("node_record", **self._where):
            yield NodeRecord(row["file"], row["scope"], row["kind"], row["born"], row["died"], row["digest"])

    def since(self, file: int) -> dict[str, int]:
        """By scope, when each symbol of a file became true as it is: with the version that it was born in."""
        return {row["scope"]: row["valid_from"] for row in self._db.query("node_since", file=file, **self._where)}

    def all(self) -> Iterator[Placed]:
        """In no order."""
        for row in self._db.query("node_all", **self._where):
            yield Placed(row["file"], row["scope"], row["kind"], row["name"], row["digest"])

    def counts(self) -> dict[str, int]:
        return {row["kind"]: row["n"] for row in self._db.query("node_counts", **self._where)}


def _face(defined: Defined) -> tuple[str, bytes]:
    """The kind and digest by which an unchanged symbol is recognized."""
    return defined.kind, defined.digest
