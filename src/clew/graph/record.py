"""The record of time as lines of JSON: transactions, the versions of files and symbols, and what replaced what."""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from msgspec import Struct

from clew.model.code import symbol_id
from clew.model.time import FOREVER, to_iso
from clew.store.database import Database, Where
from clew.store.files import Files
from clew.store.graph import NodeRecord, Nodes
from clew.store.transactions import Transactions

_encode = msgspec.json.Encoder().encode


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
    files = Files(db, where)
    symbols: dict[int, list[NodeRecord]] = {}
    for held in Nodes(db, where).record():
        symbols.setdefault(held.file, []).append(held)
    for file, path in sorted(files.paths().items(), key=lambda one: one[1]):
        versions, writers = _versions(files, path)
        for tx in sorted(writers):
            yield _line(RecordEdge(names.get(tx, f"transaction::{tx}"), "AFFECTS", path))
        yield from _of_file(path, versions, names)
        yield from _of_symbols(path, symbols.get(file, ()), versions, names)


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


def _version(node: str, of: str, kind: str, first: _Held, last: _Held, names: dict[int, str]) -> VersionLine:
    return VersionLine(
        node, of, kind, to_iso(first.valid_from), to_iso(first.known_from), _end(last.valid_to), _end(last.known_to),
        names.get(first.tx, ""), first.digest.hex(),
    )  # fmt: skip


def _end(moment: int) -> str:
    return "" if moment == FOREVER else to_iso(moment)


def _line(value: Struct) -> bytes:
    return bytes(_encode(value)) + b"\n"
