"""The edges that each file shows, at rest: one packed value per version of a file, and per belief about it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter, lt
from typing import NamedTuple

import msgspec
from blake3 import blake3
from msgspec import Struct

from clew.model.code import Edge
from clew.model.errors import StoreCorrupt
from clew.model.words import EdgeKind, EvidenceKind
from clew.store.database import Database, Later, Where
from clew.store.packing import pack, unpack, unpack_text
from clew.store.together import together

DIGEST_BYTES = 16
FILES_AT_ONCE = 500
SURE = 1000  # confidences are kept in thousandths
LIKELY = 0.5  # an edge that is less sure is a candidate, and told apart

KINDS = tuple(EdgeKind)  # their places are stored
EVIDENCE = tuple(EvidenceKind)
_KIND_PLACES = {kind.value: place for place, kind in enumerate(KINDS)}
_EVIDENCE_PLACES = {kind.value: place for place, kind in enumerate(EVIDENCE)}


def is_unsure(edge: Edge) -> bool:
    """Likely and no more: told by a name alone, or one of two. Confidences of history are shares of commits."""
    return edge.confidence <= LIKELY and edge.kind is not EdgeKind.CO_CHANGES


class FileEdge(Struct, frozen=True, order=True, gc=False):
    """An edge as a file shows it: from one of its scopes to an id, at a line."""

    scope: str
    kind: str
    target: str
    line: int
    evidence: str
    confidence: float


class Loose(Struct, frozen=True, order=True, gc=False):
    """A call that could not be resolved: from a scope, at a line, as written, and why."""

    scope: str
    line: int
    written: str
    reason: str


class Linked(NamedTuple):
    """All that linking found in one file."""

    edges: tuple[FileEdge, ...] = ()
    loose: tuple[Loose, ...] = ()


class FileLinks(NamedTuple):
    """The packed links of a file in the current view, and their digest."""

    file: int
    digest: bytes
    data: bytes


class LinkRecord(NamedTuple):
    """The links of the versions of a file from `born` up to but not including `died`, as believed in a period."""

    born: int
    died: int
    known_from: int
    known_to: int
    linked: Linked


class PackedLinks(Struct, array_like=True):
    """By columns, which pack well; scopes and targets are numbers in the lists of names."""

    scope_names: list[str] = []
    target_names: list[str] = []
    scopes: list[int] = []
    kinds: bytes = b""
    targets: list[int] = []
    lines: list[int] = []
    evidence: bytes = b""
    confidence: list[int] = []
    loose: list[tuple[int, int, str, str]] = []


class Joined(Struct, frozen=True, array_like=True):
    """The opening of the packed global summary: by class id, the scopes elsewhere that add members to it."""

    joined: dict[str, tuple[tuple[str, str], ...]]


class Links:
    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._where = where._asdict()
        self._joined = b"", Joined({})  # the last that was unpacked

    def current(self) -> dict[int, bytes]:
        """The digests of the links that hold now, by file."""
        return together(self._db, self.current_later)[0]

    def current_later(self) -> Later[dict[int, bytes]]:
        return self._digests("link_digests")

    def current_of(self, files: Sequence[int]) -> dict[int, bytes]:
        """The same of some files."""
        return together(self._db, partial(self.current_of_later, files))[0]

    def current_of_later(self, files: Sequence[int]) -> Later[dict[int, bytes]]:
        return self._digests("link_digests_of", numbers=msgspec.json.encode(files).decode())

    def _digests(self, query: str, **of: str) -> Later[dict[int, bytes]]:
        rows = self._db.later(query, **of, **self._where)
        return lambda: {row["file"]: row["digest"] for row in rows()}

    def show(self, file: int, version: int, packed: bytes, was: bytes | None, known: int) -> bool:
        """Store the links of a new version of a file; `was` is the digest of the previous ones.

        Unchanged links keep their row. Returns whether anything changed.
        """
        digest = digest_of(packed)
        if digest == was:
            return False
        if was is not None:
            self._db.execute("link_end", file=file, died=version, **self._where)
        self._put(file, version, digest, packed, known)
        return True

    def relink(self, file: int, version: int, packed: bytes, was: bytes | None, known: int) -> bool:
        """Store new links of an unchanged file, after its names resolve differently; they are valid from now on.

        For earlier versions of the file, the old links stay valid. Returns whether anything changed.
        """
        digest = digest_of(packed)
        if digest == was:
            return False
        when = {"file": file, "version": version, "known_from": known, **self._where}
        self._db.execute("link_held_before", **when)
        self._db.execute("link_forget", **when)
        self._put(file, version, digest, packed, known)
        return True

    def precede(self, file: int, versions: Sequence[tuple[int, bytes]], known: int) -> None:
        """Add the links of versions before the first that is known, the newest first; empty where there are none.

        Those that are the same in the next version are one with them.
        """
        spans: list[tuple[int, int, bytes]] = []
        for number, packed in versions:
            if spans and spans[-1][0] == number + 1 and spans[-1][2] == packed:
                spans[-1] = (number, *spans[-1][1:])
            else:
                spans.append((number, number + 1, packed))
        self._db.execute_many(
            "link_past",
            [
                {"file": file, "born": born, "died": died, "known_from": known, "digest": digest_of(packed),
                 "data": packed, **self._where}
                for born, died, packed in spans
                if packed
            ],
        )  # fmt: skip

    def record(self, file: int) -> Iterator[LinkRecord]:
        """All links that a file ever had, by version and by when that was known."""
        for row in self._db.query("link_record", file=file, **self._where):
            yield LinkRecord(row["born"], row["died"], row["known_from"], row["known_to"], unpack_links(row["data"]))

    def find_damaged(self, files: Sequence[int]) -> list[int]:
        """Records whose links were damaged or lost."""
        return [one.file for one in self.of(files) if not _is_whole(one)]

    def forget(self, files: Iterable[int], known: int) -> None:
        """Discard the links of files, so that new ones take their place."""
        for file in files:
            self._db.execute("link_forget", file=file, known_from=known, **self._where)

    def end(self, file: int, version: int) -> None:
        """The file is gone: its links end before the version that will never be."""
        self._db.execute("link_end", file=file, died=version, **self._where)
        self._db.execute("forget_link_input", file=file, **self._where)

    def _put(self, file: int, version: int, digest: bytes, packed: bytes, known: int) -> None:
        self._db.execute(
            "link_put", file=file, born=version, known_from=known, digest=digest, data=packed, **self._where
        )

    def of(self, files: Sequence[int]) -> Iterator[FileLinks]:
        """The current links of many files, in batches."""
        for start in range(0, len(files), FILES_AT_ONCE):
            yield from together(self._db, partial(self._of, files[start : start + FILES_AT_ONCE]))[0]

    def _of(self, files: Sequence[int]) -> Later[list[FileLinks]]:
        rows = self._db.later("link_of", numbers=msgspec.json.encode(files).decode(), **self._where)
        return lambda: [FileLinks(row["file"], row["digest"], row["data"]) for row in rows()]

    def each_later(self, files: Sequence[int]) -> Later[list[bytes]]:
        """Packed, of some files, in the order given; empty of one that was not linked yet."""
        held = self._of(files)

        def read() -> list[bytes]:
            by_file = {one.file: one.data for one in held()}
            return [by_file.get(file, b"") for file in files]

        return read

    def global_summary(self) -> bytes:
        """The packed summary of all files from the last link stage; empty if there was none."""
        return together(self._db, self.settled_later)[0]

    def settled_later(self) -> Later[bytes]:
        rows = self._db.later("settled_get", **self._where)
        return lambda: next((row["data"] for row in rows()), b"")

    def added_members(self) -> Mapping[str, tuple[tuple[str, str], ...]]:
        """Where members of classes are written outside of them, as paths and scopes."""
        packed, known = self.global_summary(), self._joined
        if packed != known[0]:  # it seldom is another, and to unpack it takes as long as a search
            known = self._joined = packed, unpack(packed, Joined) if packed else Joined({})
        return known[1].joined

    def inputs(self) -> dict[int, bytes]:
        """By file, the inputs that its links depend on; none of files whose inputs are not known."""
        return {row["file"]: row["data"] for row in self._db.query("link_inputs", **self._where) if row["data"]}

    def put_inputs(self, inputs: Iterable[tuple[int, bytes]]) -> None:
        self._db.execute_many("link_input_put", [{"file": file, "data": data, **self._where} for file, data in inputs])

    def settle(self, packed: bytes) -> None:
        self._db.execute("settled_put", data=packed, **self._where)

    def each_as_of(self, versions: Mapping[int, int], known: int) -> Iterator[tuple[int, Linked]]:
        """The links of given versions of files, as believed at a time, each with the file's number."""
        files = list(versions)
        for start in range(0, len(files), FILES_AT_ONCE):
            numbers = msgspec.json.encode(files[start : start + FILES_AT_ONCE]).decode()
            for row in self._db.query("link_believed", numbers=numbers, known=known, **self._where):
                if row["born"] <= versions[row["file"]] < row["died"]:
                    yield row["file"], unpack_links(row["data"])


def pack_links(linked: Linked) -> bytes:
    """The same links give the same bytes, regardless of their order."""
    edges: Sequence[FileEdge] = linked.edges
    if not all(map(lt, edges, edges[1:])):  # as linking gives them, they are in order
        edges = sorted(set(edges))
    loose = sorted(set(linked.loose))
    scopes = sorted({e.scope for e in edges} | {one.scope for one in loose})
    targets = sorted({e.target for e in edges})
    scope_of, target_of = ({name: i for i, name in enumerate(names)} for names in (scopes, targets))
    return pack(
        PackedLinks(
            scope_names=scopes,
            target_names=targets,
            scopes=[scope_of[e.scope] for e in edges],
            kinds=bytes([_KIND_PLACES[e.kind] for e in edges]),
            targets=[target_of[e.target] for e in edges],
            lines=[e.line for e in edges],
            evidence=bytes([_EVIDENCE_PLACES[e.evidence] for e in edges]),
            confidence=[SURE if e.confidence == 1 else round(e.confidence * SURE) for e in edges],
            loose=[(scope_of[one.scope], one.line, one.written, one.reason) for one in loose],
        )
    )


def unpack_links(data: bytes) -> Linked:
    p = unpack(data, PackedLinks)
    columns = zip(p.scopes, p.kinds, p.targets, p.lines, p.evidence, p.confidence, strict=True)
    edges = tuple(
        FileEdge(p.scope_names[scope], KINDS[kind], p.target_names[target], line, EVIDENCE[evidence], confidence / SURE)
        for scope, kind, target, line, evidence, confidence in columns
    )
    return Linked(edges, tuple(Loose(p.scope_names[scope], line, text, why) for scope, line, text, why in p.loose))


def digest_of(packed: bytes) -> bytes:
    """The digest of the unpacked content: another release of the packer may give other bytes."""
    return blake3(unpack_text(packed)).digest(length=DIGEST_BYTES)


def _is_whole(held: FileLinks) -> bool:
    try:
        return digest_of(held.data) == held.digest
    except StoreCorrupt:
        return False


def strongest(edges: Iterable[FileEdge]) -> tuple[FileEdge, ...]:
    """The most certain of edges that differ only in confidence or evidence."""
    found: dict[tuple[str, str, str, int], FileEdge] = {}
    for edge in edges:
        place = edge.scope, edge.kind, edge.target, edge.line
        known = found.setdefault(place, edge)
        if known is not edge and (-edge.confidence, edge.evidence) < (-known.confidence, known.evidence):
            found[place] = edge
    return tuple([edge for _, edge in sorted(found.items(), key=itemgetter(0))])


def bare_name(written: str) -> str:
    """The last name of a call as written."""
    end = len(written)
    start = end - written.endswith("=")  # as of what is assigned to
    while start and (written[start - 1].isalnum() or written[start - 1] in "_$!?"):
        start -= 1
    return written[start:end]
