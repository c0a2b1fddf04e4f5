"""Readings by hand, with only what a test cares about spelled out."""

from blake3 import blake3

from clew.model.code import Chunk, Layout, Reading, Redaction, Span
from clew.model.words import Kind
from clew.store.files import FileNumbering, Files, Stamp
from clew.store.packing import pack, pack_text
from clew.store.postings import KIND_CODES, pack_words
from clew.text.terms import count_words
from tests.conftest import LONG_AGO_NS


def a_reading(path: str, text: bytes = b"text\n", redactions: tuple[Redaction, ...] = ()) -> Reading:
    """A file that is one module chunk; its words are those of the text and the path."""
    digest = blake3(text).digest()
    chunk = Chunk("", "", Kind.MODULE, Span(0, len(text), 1, text.count(b"\n")), 1, digest[:8])
    empty: dict[bytes, int] = {}
    counts = (count_words(path.encode()), empty, empty, empty, count_words(text))
    return Reading(
        path=path,
        language="python",
        size=len(text),
        mtime_ns=LONG_AGO_NS,
        checked_ns=2 * LONG_AGO_NS,
        digest=digest,
        text_digest=digest,
        lines=text.count(b"\n"),
        text=pack_text(text),
        layout=pack(Layout((), (chunk,))),
        words=pack_words(bytes([KIND_CODES[Kind.MODULE]]), [counts]),
        facts=pack(()),
        defined=(),
        chunks=1,
        redactions=redactions,
        problems=(),
    )


def begin(files: Files, reading: Reading, at: int, stamp: Stamp) -> int:
    """A new content of a file, which ends the one before; returns the file's number."""
    known = files.known_at(reading.path)
    file, version, _ = FileNumbering(files).next(reading.path, known)
    if known:
        files.end(file, at, stamp)
    files.keep([reading])
    files.begin(file, version, reading, (at, False), stamp)
    return file
