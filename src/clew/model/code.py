"""The code graph: files, symbols, the chunks that hold their text, the edges between them.

Values that a run makes by the hundred thousand are named tuples: they travel between processes and into
the store as arrays.
"""

import re
from typing import NamedTuple

from msgspec import Struct

from clew.model.time import FOREVER
from clew.model.words import EdgeKind, EvidenceKind, Kind

SCOPE = "::"
EXTERNAL = "external::"  # begins the id of what is outside

_NUMBER = re.compile(r"#\d+(?=::|$)")


class Span(NamedTuple):
    """A place in a file: UTF-8 bytes, half-open, and lines, 1-based and inclusive."""

    start: int
    end: int
    first: int
    last: int


class Symbol(NamedTuple):
    """A named definition. Its id is its file's path and its scope."""

    scope: str
    name: str
    kind: Kind
    span: Span
    signature: str
    doc: str
    exported: bool
    body: int  # where the signature ends and the body begins
    digest: bytes  # of the symbol's own text, nested symbols left out
    decorators: tuple[str, ...] = ()  # annotations, attributes: as written, without the `@`
    reassigned: tuple[Span, ...] = ()  # of a variable, where it is assigned again


class Chunk(NamedTuple):
    """A whole unit of a file. Nested chunks lie inside its span; its own words are those outside of them.

    A chunk with an own text over the limit has passages, in order: for ranking, and for shortened display.
    """

    scope: str
    label: str
    kind: Kind
    span: Span
    tokens: int
    digest: bytes
    passages: tuple[Span, ...] = ()
    body: int = 0  # where the signature ends; 0 where there is none


class Import(NamedTuple):
    """An import as written; `names` are the imported names, `aliases` their local names."""

    module: str
    names: tuple[str, ...]
    line: int
    aliases: tuple[str, ...] = ()  # as many as names, or none; of a module without names, its own
    star: bool = False  # all that it offers is taken


class Layout(NamedTuple):
    """Where everything stands in one version of a file."""

    symbols: tuple[Symbol, ...]
    chunks: tuple[Chunk, ...]


class Redaction(NamedTuple):
    """A secret that was replaced before storing: where it stood in the file, and how long its stand-in is.

    `digest` has the first digits of the secret's digest: equal secrets have equal ones.
    """

    start: int
    end: int
    stand_in: int
    kind: str = ""
    digest: str = ""
    line: int = 0


class Defined(NamedTuple):
    """The stored facts of a symbol, to find it by name and to follow its versions."""

    scope: str
    name: str
    kind: Kind
    digest: bytes


class Reading(NamedTuple):
    """All that was read out of one file. The long parts are packed already, by the worker that read it."""

    path: str
    language: str
    size: int
    mtime_ns: int
    checked_ns: int
    digest: bytes  # of the file as it is
    text_digest: bytes  # of the text as stored, after scrubbing, and of how it is cut into chunks
    lines: int
    text: bytes
    layout: bytes
    words: bytes
    facts: bytes
    defined: tuple[Defined, ...]
    chunks: int
    redactions: tuple[Redaction, ...]
    problems: tuple[str, ...]
    named: bytes = b""  # of a past content: what it calls and imports, by name


class FileVersion(Struct, frozen=True):
    """One content of one file, with the four times of its record."""

    path: str
    file: int
    version: int
    digest: bytes
    text: bytes  # digest of the text as stored and cut
    language: str
    lines: int
    committed: bool
    valid_from: int
    known_from: int
    valid_to: int = FOREVER
    known_to: int = FOREVER
    tx: int = 0  # the transaction that wrote this belief


class Edge(Struct, frozen=True):
    """A relation that was read from source, with its evidence."""

    source: str
    target: str
    kind: EdgeKind
    path: str
    line: int
    evidence: EvidenceKind
    confidence: float


def symbol_id(path: str, scope: str) -> str:
    return f"{path}{SCOPE}{scope}" if scope else path


def touch(one: str, other: str) -> bool:
    """Whether one id is the other, or stands inside of it."""
    return one == other or one.startswith(f"{other}{SCOPE}") or other.startswith(f"{one}{SCOPE}")


def split_id(id: str) -> tuple[str, str]:
    """The path and the scope of a symbol's id."""
    path, _, scope = id.partition(SCOPE)
    return path, scope


def without_numbers(id: str) -> str:
    """An id or a scope without the numbers that tell definitions of one name apart."""
    return _NUMBER.sub("", id) if "#" in id else id


def chunk_uid(path: str, ordinal: int, digest: bytes) -> str:
    """A chunk's address and fingerprint in one: it can be looked up, and it tells when the text has changed."""
    return f"{path}#{ordinal}@{digest.hex()}"
