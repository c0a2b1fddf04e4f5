"""One file, read: from bytes on disk to everything the store keeps of it. Runs in a worker; touches no database."""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from blake3 import blake3
from msgspec import structs
from msgspec.structs import replace

from clew.index.disk import binary
from clew.index.disk.binary import HEAD_BYTES, binary_reason
from clew.index.extract.decorators import decorators_of
from clew.index.facts import CallFact, Facts, NameMention
from clew.index.facts_cache import pack_facts
from clew.index.languages import language_in
from clew.index.languages.detection import PROSE
from clew.index.languages.language import Language
from clew.index.languages.plugins import load_languages
from clew.index.named_calls import pack_named_calls
from clew.index.python import python_facts
from clew.index.rules import FORMAT
from clew.index.settings_files import reader_of
from clew.index.syntax import units
from clew.index.syntax.parse import Outline, outline
from clew.index.syntax.ranges import LineIndex
from clew.index.syntax.units import OutlineUnit
from clew.model.code import Defined, Layout, Reading, Symbol
from clew.runtime.plain import open_plain
from clew.runtime.plugins import Offer
from clew.runtime.settings import Config
from clew.store.links import bare_name
from clew.store.packing import pack, pack_text
from clew.store.postings import KIND_CODES, FieldCounts, pack_words
from clew.text.encodings import in_utf8
from clew.text.made import is_made
from clew.text.paths import is_locked
from clew.text.secrets import Scrubber
from clew.text.terms import count_words

if TYPE_CHECKING:
    from tree_sitter import Node


# Calls in code with syntax errors: an unfinished edit loses no caller.

MOST = 200  # calls of a file
_CALL = re.compile(rb"(?<![\w$])([^\W\d][\w$]*)[!?]?\s?\(")
_DEFINES = re.compile(rb"\b(?:def|function|fn|func|fun|class|sub|macro|interface|struct|enum|record)\s+\Z")
_WORDS = frozenset(
    "if elif else for foreach while until unless switch match case catch except return yield await assert del not "
    "and or in is with when print lambda using lock fixed sizeof typeof super this self "
    "function fn func new throw do try".split()
)


def calls_in(
    outline: Outline, arranged: Sequence[OutlineUnit], known: Sequence[CallFact], source: bytes
) -> list[CallFact]:
    """The calls that are not known already."""
    assert outline.root is not None
    lines = LineIndex(source)
    seen = {(call.line, bare_name(call.written)) for call in known}
    found: dict[tuple[int, str], CallFact] = {}
    for start, end in (*_ranges(outline.root), *outline.lost):
        for one in _CALL.finditer(source, start, end):
            name, line = one[1].decode("utf-8", "replace"), lines.at(one.start())
            defines = _DEFINES.search(source, max(start, one.start() - 20), one.start())
            if name not in _WORDS and (line, name) not in seen and not defines:
                found.setdefault((line, name), CallFact(_scope(arranged, one.start()), line, name, ()))
    return list(found.values())[:MOST]


def _ranges(root: "Node") -> Iterator[tuple[int, int]]:
    """Of the outermost nodes that are errors."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.is_error:
            yield node.start_byte, node.end_byte
        elif node.has_error:
            todo += reversed(node.children)


def _scope(arranged: Sequence[OutlineUnit], at: int) -> str:
    """The innermost unit that a place lies in."""
    around = [unit for unit in arranged if unit.definition.start <= at < unit.definition.end]
    return min(around, key=lambda unit: unit.definition.end - unit.definition.start).scope if around else ""


_Parsed = tuple[Facts, list[units.ChunkPiece], list[Symbol], list[str]]
_NO_WORDS: Mapping[bytes, int] = {}
_DEEP = {"python": python_facts}  # languages with a reader of their own


@dataclass(frozen=True, slots=True)
class FileToRead:
    """A file to read; if its content is still `digest`, nothing needs to be done."""

    path: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class PastFile:
    """A content that a path had once. Its text, symbols, chunks and calls by name are read: nothing ranks it."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """Why a file gave no reading. `reason` is a skip's reason, `failed`, or `unchanged`."""

    path: str
    reason: str
    detail: str
    size: int = 0
    mtime_ns: int = 0
    checked_ns: int = 0


class FileReader:
    """Reads files by one configuration, and by the languages that are built in or that plug-ins bring."""

    def __init__(self, root: Path, config: Config, plugins: tuple[Offer, ...] = ()) -> None:
        self._root = root
        self._config = config
        self._languages = load_languages(plugins).known
        self._limit = cache(lambda language: config.chunking.of(language).max_tokens)
        self._scrubber = Scrubber.configured(config.security)

    def read_file(self, wanted: FileToRead) -> Reading | UnreadFile:
        """Read one file; a file that vanished, is binary or cannot be read says so."""
        checked = time.time_ns()
        file = self._root / wanted.path
        try:
            status = file.stat()
            content, reason = self._content(file)
        except FileNotFoundError:
            return UnreadFile(wanted.path, "vanished", "gone since the scan")
        except OSError as error:
            return UnreadFile(wanted.path, "unreadable", error.strerror or type(error).__name__)
        seen = (status.st_size, status.st_mtime_ns, checked)
        if reason:
            return UnreadFile(wanted.path, "binary", reason, *seen)
        digest = blake3(content).digest()
        if digest == wanted.digest:
            return UnreadFile(wanted.path, "unchanged", "", *seen)
        try:
            return self._understand(wanted.path, content, digest, seen)
        except MemoryError:  # says nothing of the file: the next run tries again
            return UnreadFile(wanted.path, "failed", "there was not enough memory", *seen)

    def read_past(self, past: PastFile) -> Reading | UnreadFile:
        """Read a content that git kept."""
        if reason := binary_reason(past.content[:HEAD_BYTES], past.path.rpartition("/")[2], self._config.indexing):
            return UnreadFile(past.path, "binary", reason)
        try:
            return self._understand(
                past.path, past.content, blake3(past.content).digest(), (len(past.content), 0, 0), is_past=True
            )
        except MemoryError:
            return UnreadFile(past.path, "failed", "there was not enough memory")

    def _content(self, file: Path) -> tuple[bytes, str | None]:
        """The bytes, or why they are not text: seen from the first few, so that a large binary is not read."""
        with open_plain(file) as opened:
            head = opened.read(HEAD_BYTES)
            reason = binary_reason(head, file.name, self._config.indexing)
            return (head, reason) if reason else (head + opened.read(), None)

    def _understand(
        self, path: str, content: bytes, digest: bytes, seen: tuple[int, int, int], *, is_past: bool = False
    ) -> Reading:
        source, problem = in_utf8(content)
        language = language_in(path, source, self._languages)
        source, redactions = self._scrubber.scrub_bytes(source, path)
        facts, pieces, symbols, complaints = self._parse(path, language, source, is_past=is_past)
        if not is_past and (reads_settings := reader_of(path)):
            facts = replace(facts, settings=reads_settings(source.decode()))
        size, mtime_ns, checked_ns = seen
        return Reading(
            path=path,
            language=language,
            size=size,
            mtime_ns=mtime_ns,
            checked_ns=checked_ns,
            digest=digest,
            text_digest=_fingerprint(source, self._limit(language), self._languages.plugin(language)),
            lines=source.count(b"\n") + (not source.endswith(b"\n") and bool(source)),
            text=pack_text(source),
            layout=pack(Layout(tuple(symbols), tuple(piece.chunk for piece in pieces))),
            words=b"" if is_past else _words(path, pieces, made=is_made(source)),
            facts=b"" if is_past else pack_facts(facts),
            defined=tuple(Defined(s.scope, s.name, s.kind, s.digest) for s in symbols),
            chunks=len(pieces),
            redactions=redactions,
            problems=(*([problem] if problem else ()), *complaints),
            named=pack_named_calls(facts) if is_past else b"",
        )

    def _parse(self, path: str, name: str, source: bytes, *, is_past: bool) -> _Parsed:
        limit = self._limit(name)
        language = self._languages.by_name.get(name)
        if language is None or is_locked(path):
            return (
                Facts(mentions=() if is_past else _mentions(name, [], source)),
                units.paragraphs(source, limit),
                [],
                [],
            )
        if name in binary.LANGUAGES and binary.is_minified(source):
            return Facts(), units.paragraphs(source, limit), [], ["kept as paragraphs: minified"]
        try:
            return self._read_by(language, source, limit, is_past=is_past)
        except MemoryError:
            raise
        except RecursionError:
            return Facts(), units.paragraphs(source, limit), [], ["kept as paragraphs: nested too deeply"]
        except Exception as error:  # noqa: BLE001 - whatever it is, all other files are to be indexed
            said = f"kept as paragraphs: {language.plugin or language.name} failed: {type(error).__name__}: {error}"
            return Facts(), units.paragraphs(source, limit), [], [said]

    def _read_by(self, language: Language, source: bytes, limit: int, *, is_past: bool) -> _Parsed:
        seen: Outline = outline(language, source)
        if seen.unread:
            facts = Facts(imports=tuple(one for _, one in seen.imports))
            return facts, units.paragraphs(source, limit), [], seen.problems
        arranged, source = units.nest_definitions(seen), seen.readable or source
        pieces = units.pieces(arranged, seen, source, limit, language.rest)
        if language.imports_as_context:
            pieces = units.with_imports(pieces, [one for _, one in seen.imports])
        if is_past:
            symbols = units.symbols(arranged, pieces, source, decorators_of(arranged, seen.marks))
            return _facts_of_most(language, arranged, seen, source), pieces, symbols, []
        facts = _facts_of_most(language, arranged, seen, source)
        told = _mentions(language.name, arranged, source)
        facts = structs.replace(facts, lines=facts.lines or _head_lines(arranged, facts, source), mentions=told)
        if seen.root is not None and (seen.root.has_error or seen.lost) and not language.preprocessed:
            lost = calls_in(seen, arranged, facts.calls, source)
            facts = structs.replace(facts, calls=[*facts.calls, *lost])
        symbols = units.symbols(arranged, pieces, source, decorators_of(arranged, seen.marks))
        return facts, pieces, symbols, seen.problems


def _facts_of_most(language: Language, arranged: list[units.OutlineUnit], seen: Outline, source: bytes) -> Facts:
    """A file that Clew has a fault with costs its calls, which it says, and not the index of all others."""
    try:
        return _facts(language, arranged, seen, source)
    except (RecursionError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, its symbols are to be found
        seen.problems.append(f"its calls were not read: {type(error).__name__}: {error}")
        return Facts(imports=tuple(one for _, one in seen.imports))


def _facts(language: Language, arranged: list[units.OutlineUnit], seen: Outline, source: bytes) -> Facts:
    if deep := _DEEP.get(language.name):
        return deep(arranged, seen, source)
    from clew.index.extract.query_extractor import (
        extract_facts,  # with all it reads by; an edit of a Python file needs none of it
    )

    return extract_facts(language, arranged, seen, source)


def _mentions(language: str, arranged: list[units.OutlineUnit], source: bytes) -> tuple[NameMention, ...]:
    if language not in PROSE:
        return ()
    from clew.index.extract.mentions import mentions

    return mentions(language, arranged, source)


def _head_lines(arranged: list[units.OutlineUnit], facts: Facts, source: bytes) -> dict[str, tuple[int, ...]]:
    heads = {unit.scope: unit.definition.head[0] for unit in arranged}
    extending = [scope for scope in (*facts.bases, *facts.implements) if scope in heads]
    if not extending:
        return {}
    lines = LineIndex(source)
    return {scope: (lines.at(heads[scope]),) for scope in extending}


def _words(path: str, pieces: list[units.ChunkPiece], *, made: bool) -> bytes:
    """For each chunk as a whole, and then its passages: their code and context."""
    count = _count_tokens
    contexts = {context: count(b"%b %b" % (path.encode(), context)) for context in {p.words.context for p in pieces}}
    kinds, documents, passages = bytearray(), list[FieldCounts](), list[int]()
    for piece in pieces:
        w = piece.words
        around = (contexts[w.context], count(w.name), count(w.signature), count(w.doc))
        documents.append((*around, count(w.code)))
        passages += range(len(documents), len(documents) + len(w.passages))
        documents += [(*around, count(code)) for code in w.passages]
        kinds += bytes([KIND_CODES[piece.chunk.kind]]) * (1 + len(w.passages))
    return pack_words(bytes(kinds), documents, passages, made=made)


def _count_tokens(text: bytes) -> Mapping[bytes, int]:
    return count_words(text) if text else _NO_WORDS


def _fingerprint(source: bytes, limit: int, plugin: str) -> bytes:
    """Of a text as it is cut: the same text under another limit has other chunks, which no snapshot may mix up."""
    return blake3(f"{FORMAT} {limit} {plugin}\n".encode()).update(source).digest()
