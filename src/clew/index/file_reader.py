"""The index of one file: from bytes on disk to everything the store keeps of it. Runs in a worker; touches no database.

`FileReader.read_content` shows the stages of a file, `parse_by_language` those of its source.
"""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from blake3 import blake3
from msgspec.structs import replace

from clew.index.disk import binary
from clew.index.disk.binary import HEAD_BYTES, binary_reason
from clew.index.extract.decorators import decorators_of
from clew.index.facts import CallFact, Facts, NameMention
from clew.index.facts_cache import pack_facts
from clew.index.named_calls import pack_named_calls
from clew.index.rules import FORMAT, parser_versions
from clew.index.settings_files import reader_of
from clew.index.syntax import units
from clew.index.syntax.parse import Outline, outline
from clew.index.syntax.ranges import LineIndex
from clew.index.syntax.units import OutlineUnit
from clew.languages import language_in
from clew.languages.detection import PROSE
from clew.languages.plugins import load_languages
from clew.languages.profile import Language
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


class ParsedFile(NamedTuple):
    """What a file defines and says; `problems` are reported with its reading."""

    facts: Facts
    pieces: list[units.ChunkPiece]
    symbols: Sequence[Symbol] = ()
    problems: Sequence[str] = ()


_NO_WORDS: Mapping[bytes, int] = {}


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
        self._scrubber = Scrubber.from_settings(config.security)

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
            return self.read_content(wanted.path, content, digest, seen)
        except MemoryError:  # says nothing of the file: the next run tries again
            return UnreadFile(wanted.path, "failed", "there was not enough memory", *seen)

    def read_past(self, past: PastFile) -> Reading | UnreadFile:
        """Read a content that git kept."""
        if reason := binary_reason(past.content[:HEAD_BYTES], past.path.rpartition("/")[2], self._config.indexing):
            return UnreadFile(past.path, "binary", reason)
        try:
            return self.read_content(
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

    def read_content(
        self, path: str, content: bytes, digest: bytes, seen: tuple[int, int, int], *, is_past: bool = False
    ) -> Reading:
        """Decode, detect the language, replace secrets, parse, read settings, count words; `seen` is its stamp."""
        source, problem = in_utf8(content)
        language = language_in(path, source, self._languages)
        source, redactions = self._scrubber.scrub_bytes(source, path)
        limit = self._config.chunking.of(language).max_tokens
        facts, pieces, symbols, problems = self._parse(path, language, source, limit, is_past=is_past)
        if not is_past and (reads_settings := reader_of(path)):
            facts = replace(facts, settings=reads_settings(source.decode()))
        words = b"" if is_past else _words(path, pieces, made=is_made(source))
        size, mtime_ns, checked_ns = seen
        return Reading(
            path=path,
            language=language,
            size=size,
            mtime_ns=mtime_ns,
            checked_ns=checked_ns,
            digest=digest,
            text_digest=_fingerprint(source, limit, self._languages.plugin(language)),
            lines=source.count(b"\n") + (not source.endswith(b"\n") and bool(source)),
            text=pack_text(source),
            layout=pack(Layout(tuple(symbols), tuple(piece.chunk for piece in pieces))),
            words=words,
            facts=b"" if is_past else pack_facts(facts),
            defined=tuple(Defined(s.scope, s.name, s.kind, s.digest) for s in symbols),
            chunks=len(pieces),
            redactions=redactions,
            problems=(*([problem] if problem else ()), *problems),
            named=pack_named_calls(facts) if is_past else b"",
        )

    def _parse(self, path: str, name: str, source: bytes, limit: int, *, is_past: bool) -> ParsedFile:
        """By its language; as paragraphs, where no language reads the file or its parser fails."""
        language = self._languages.by_name.get(name)
        if language is None or is_locked(path):
            facts = Facts(mentions=() if is_past else _mentions(name, [], source))
            return ParsedFile(facts, units.paragraphs(source, limit))
        if language.may_be_minified and binary.is_minified(source):
            return _as_paragraphs(source, limit, "minified")
        try:
            if is_past:
                return parse_past(language, source, limit)
            return parse_by_language(language, source, limit)
        except MemoryError:
            raise
        except RecursionError:
            return _as_paragraphs(source, limit, "nested too deeply")
        except Exception as error:  # noqa: BLE001 - whatever it is, all other files are to be indexed
            failed = f"{language.plugin or language.name} failed: {type(error).__name__}: {error}"
            return _as_paragraphs(source, limit, failed)


def parse_by_language(language: Language, source: bytes, limit: int) -> ParsedFile:
    """Outline, nest the definitions, cut chunks, extract facts, list symbols."""
    parsed = outline(language, source)
    if parsed.unread:
        return _unread_as_paragraphs(parsed, source, limit)
    arranged, source = units.nest_definitions(parsed), parsed.readable or source
    pieces = _cut(language, arranged, parsed, source, limit)
    facts = _facts_or_problem(language, arranged, parsed, source)
    lines, mentions = facts.lines or _head_lines(arranged, facts, source), _mentions(language.name, arranged, source)
    calls = [*facts.calls, *_calls_in_errors(language, arranged, parsed, facts, source)]
    facts = replace(facts, lines=lines, mentions=mentions, calls=calls)
    symbols = units.symbols(arranged, pieces, source, decorators_of(arranged, parsed.marks))
    return ParsedFile(facts, pieces, symbols, parsed.problems)


def parse_past(language: Language, source: bytes, limit: int) -> ParsedFile:
    """As `parse_by_language`, with the facts that the past is asked for: calls by name."""
    parsed = outline(language, source)
    if parsed.unread:
        return _unread_as_paragraphs(parsed, source, limit)
    arranged, source = units.nest_definitions(parsed), parsed.readable or source
    pieces = _cut(language, arranged, parsed, source, limit)
    symbols = units.symbols(arranged, pieces, source, decorators_of(arranged, parsed.marks))
    return ParsedFile(_facts_or_problem(language, arranged, parsed, source), pieces, symbols)


def _cut(
    language: Language, arranged: list[OutlineUnit], parsed: Outline, source: bytes, limit: int
) -> list[units.ChunkPiece]:
    pieces = units.pieces(arranged, parsed, source, limit, language.rest)
    if language.imports_as_context:
        return units.with_imports(pieces, [one for _, one in parsed.imports])
    return pieces


def _as_paragraphs(source: bytes, limit: int, reason: str) -> ParsedFile:
    return ParsedFile(Facts(), units.paragraphs(source, limit), (), [f"kept as paragraphs: {reason}"])


def _unread_as_paragraphs(parsed: Outline, source: bytes, limit: int) -> ParsedFile:
    facts = Facts(imports=tuple(one for _, one in parsed.imports))
    return ParsedFile(facts, units.paragraphs(source, limit), (), parsed.problems)


def _calls_in_errors(
    language: Language, arranged: list[OutlineUnit], parsed: Outline, facts: Facts, source: bytes
) -> Sequence[CallFact]:
    if parsed.root is None or language.preprocessed or not (parsed.root.has_error or parsed.lost):
        return ()
    return calls_in(parsed, arranged, facts.calls, source)


def _facts_or_problem(language: Language, arranged: list[units.OutlineUnit], seen: Outline, source: bytes) -> Facts:
    """A file that Clew has a fault with costs its calls, which it says, and not the index of all others."""
    try:
        return _facts(language, arranged, seen, source)
    except (RecursionError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, its symbols are to be found
        seen.problems.append(f"its calls were not read: {type(error).__name__}: {error}")
        return Facts(imports=tuple(one for _, one in seen.imports))


def _facts(language: Language, arranged: list[units.OutlineUnit], seen: Outline, source: bytes) -> Facts:
    if language.facts_of is not None:
        own: Facts = language.facts_of(arranged, seen, source)
        return own
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
    how = f"{FORMAT} {limit} {plugin} ".encode() + parser_versions() + b"\n"
    return blake3(how).update(source).digest()
