"""From an outline to symbols and chunks: names, nesting, and the words of each."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from blake3 import blake3
from msgspec import Struct
from msgspec.structs import replace

from clew.index.syntax.definition import Definition
from clew.index.syntax.parse import Outline, doc_text
from clew.index.syntax.ranges import (
    LineIndex,
    Range,
    clip_ranges,
    cut,
    group_ranges,
    join,
    length,
    strip_range,
    subtract,
)
from clew.model.code import SCOPE, Chunk, Import, Span, Symbol
from clew.model.words import Kind
from clew.text.tokens import CHARACTERS_PER_TOKEN, ascii_by_characters, by_characters

if TYPE_CHECKING:
    from tree_sitter import Node


# Passages of chunks that are too long to be ranked or shown as one: cut where statements start, never inside one.


class Cutter:
    """Cuts the pieces of one file, by a limit in tokens. Its tree is walked once, and only if a piece is too long."""

    def __init__(self, outline: Outline, source: bytes, limit: int) -> None:
        self.source = source
        self.limit = limit
        self._outline = outline

    def passages(self, own: list[Range]) -> tuple[Span, ...]:
        """The passages of a piece with this own text, in order; none if one would be enough.

        Neighbours are joined across short gaps.
        """
        if length(own) <= self.limit * CHARACTERS_PER_TOKEN:
            return ()
        parts = [part for whole in own for part in cut(whole, self._starts) if self.source[slice(*part)].strip()]
        groups = group_ranges(parts, self.limit)
        return tuple(map(self._span, groups)) if len(groups) > 1 else ()

    def _span(self, where: Range) -> Span:
        start, end = strip_range(self.source, where)
        return Span(start, end, self._lines.at(start), self._lines.at(end - 1))

    @cached_property
    def _lines(self) -> LineIndex:
        return LineIndex(self.source)

    @cached_property
    def _starts(self) -> list[int]:
        root = self._outline.root
        return line_starts(root, self.source, self.limit * CHARACTERS_PER_TOKEN) if root else self._outline.cuts


def line_starts(root: "Node", source: bytes, size: int) -> list[int]:
    """The lines that begin with a node of at most this size in bytes, or with one that cannot be opened.

    A longer node is opened if it has several lines. By a cursor: generated code nests deeper than calls may, and a
    literal may have a million entries.
    """
    found: list[int] = []
    cursor = root.walk()
    seen, line_end = 0, -1
    while (node := cursor.node) is not None:
        start, end = node.start_byte, node.end_byte
        newline = source.rfind(b"\n", seen, start)  # only the first node of a line can begin it
        if newline >= 0 and not source[newline:start].strip():
            found.append(newline + 1)
        seen = max(seen, start)
        if line_end < start:
            line_end = source.find(b"\n", start) % (len(source) + 1)  # the last line ends with the text
        if end - start > size and line_end < end and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return found
    return found


DIGEST_BYTES = 8  # enough to tell two versions of one symbol apart
LONGEST_SIGNATURE = 400
LONGEST_SCOPE = 600  # bytes; with the longest path it must fit a key of PostgreSQL's, which end at 2704
DEEPEST = 32  # definitions inside of each other; deeper ones are generated code, and belong to what holds them
LONGEST_DOC = 300  # of the first paragraph, which is what lists show

_OPENS_BODY = " :;{=\\"  # and an arrow
_COMMENT = re.compile(r"(?<=:)\s*#[^\"']*\Z")  # what has a quote may be part of a text
# Apart, since Python 3.11 takes longer to look a member of an enumeration up than to compare ten of them.
_FUNCTION, _METHOD, _INTERFACE = Kind.FUNCTION, Kind.METHOD, Kind.INTERFACE
_VARIABLE, _BLOCK, _STATEMENT = Kind.VARIABLE, Kind.BLOCK, Kind.STATEMENT
_FUNCTIONS = (_FUNCTION, _METHOD)
_HOLDERS = (Kind.CLASS, _INTERFACE)
_OWN = ("this", "self")  # receivers that are whatever is around
_NEVER_CHUNKS = (_VARIABLE,)
_WORD = re.compile(rb"[\w$]+")
_BRACKETS = b" \t\r\n{},"  # around and between mappings


class OutlineUnit(Struct):
    """A definition in its place: its scope, and the units inside it."""

    definition: Definition
    parent: "OutlineUnit | None"
    scope: str
    inner: "list[OutlineUnit]" = []
    again: list[Definition] = []  # of a variable, where else it is assigned

    @property
    def range(self) -> Range:
        return self.definition.start, self.definition.end

    @property
    def within(self) -> str:
        """The scope of its contents."""
        if not self.definition.is_scope:
            return self.parent.within if self.parent else ""
        return self.definition.into or self.scope

    @property
    def label(self) -> str:
        """The label in lists; for data, the path of keys."""
        d, parent = self.definition, self.parent
        nested = d.is_data and parent is not None and parent.definition.is_data
        return d.label or (f"{parent.label}.{d.name}" if parent is not None and nested else d.name)


class ChunkWords(Struct, frozen=True, gc=False):
    """The texts of one chunk, by field, for ranking; `passages` are the parts of the code, if it is too long."""

    context: bytes = b""
    name: bytes = b""
    signature: bytes = b""
    doc: bytes = b""
    code: bytes = b""
    passages: tuple[bytes, ...] = ()


class ChunkPiece(Struct, frozen=True, gc=False):
    chunk: Chunk
    words: ChunkWords


def nest_definitions(outline: Outline) -> list[OutlineUnit]:
    """Nest the definitions, in order of their start, and name them: a second one of a name takes `#2`.

    A variable that is assigned several times is one.
    """
    units: list[OutlineUnit] = []
    stack: list[OutlineUnit] = []
    taken: dict[str, int] = {}
    variables: dict[str, OutlineUnit] = {}
    offered = {mark.detail or mark.text for mark in outline.marks if mark.kind in ("exported", "offered")}
    for definition in outline.definitions:
        if len(stack) >= DEEPEST and _holds(stack[-1], definition):
            continue
        while stack and not _holds(stack[-1], definition):
            stack.pop()
        parent = stack[-1] if stack else None
        definition.exported |= parent is None and definition.name in offered
        held = parent and (parent.definition.kind in _HOLDERS or _adds(parent))
        if definition.kind is _FUNCTION and (held or definition.receiver):
            definition.kind = _METHOD
        if parent and parent.definition.kind in _FUNCTIONS and _is_local(definition):
            continue
        definition.into = definition.into and _inside(parent, definition.into)
        scope = _scope(definition, parent)
        if len(scope.encode()) > LONGEST_SCOPE:
            continue
        if _is_value(definition) and (known := variables.get(scope)):
            known.again.append(definition)
            continue
        taken[scope] = taken.get(scope, 0) + 1
        if taken[scope] > 1:
            scope = f"{scope}#{taken[scope]}"
        unit = OutlineUnit(definition, parent, scope)
        if parent:
            parent.inner.append(unit)
        if _is_value(definition):
            variables.setdefault(unit.scope, unit)
        units.append(unit)
        stack.append(unit)
    return units


def _scope(definition: Definition, parent: OutlineUnit | None) -> str:
    if not definition.receiver or definition.receiver in _OWN:
        return _inside(parent, definition.name)
    while parent is not None and not parent.definition.namespace:
        parent = parent.parent
    return _inside(parent, f"{definition.receiver}{SCOPE}{definition.name}")


def _inside(parent: OutlineUnit | None, name: str) -> str:
    around = parent.within if parent else ""
    return f"{around}{SCOPE}{name}" if around else name


def _adds(unit: OutlineUnit) -> bool:
    """Whether its contents become part of a type that is defined elsewhere."""
    return bool(unit.definition.into) and not unit.definition.namespace


def _is_local(definition: Definition) -> bool:
    """Inside a function, variables are local, and so are prototypes."""
    return not definition.bodied and (definition.kind is _VARIABLE or definition.kind in _FUNCTIONS)


def _is_value(definition: Definition) -> bool:
    return definition.kind is _VARIABLE and not (definition.is_object or definition.bodied)


def _holds(unit: OutlineUnit, definition: Definition) -> bool:
    """Whether a definition, which does not start earlier, lies inside; those of one statement lie side by side."""
    return definition.start < unit.definition.end and unit.range != (definition.start, definition.end)


def symbols(
    units: list[OutlineUnit], found: list[ChunkPiece], source: bytes, decorators: Mapping[str, tuple[str, ...]]
) -> list[Symbol]:
    """Most are chunks too, which were measured already."""
    chunks = {(piece.chunk.scope, piece.chunk.span.start): piece.chunk for piece in found}
    return [
        _symbol(unit, chunks.get((unit.scope, unit.range[0])), source, decorators.get(unit.scope, ()))
        for unit in units
        if not unit.definition.into
    ]


def pieces(units: list[OutlineUnit], outline: Outline, source: bytes, limit: int, rest: Kind) -> list[ChunkPiece]:
    """The chunks of a file: its units, and the code outside of them. `limit` is in tokens."""
    chunked = [unit for unit in units if _is_chunk(unit, source, limit)]
    places = {id(unit) for unit in chunked}
    outer = [unit.range for unit in chunked if not _holder(unit, places)]
    cutter = Cutter(outline, source, limit)
    found = [_unit_piece(unit, _holes(unit, places), cutter) for unit in chunked]
    found += _rest(outline, outer, cutter, rest)
    return sorted(found, key=lambda piece: (piece.chunk.span.start, -piece.chunk.span.end))


def with_imports(found: list[ChunkPiece], imports: Sequence[Import]) -> list[ChunkPiece]:
    """The pieces of symbols, with the imports that each one's text uses in its context."""
    named = [
        (alias.encode(), f"{one.module} {name}".encode())
        for one in imports
        for name, alias in zip(one.names or ("",) * len(one.aliases), one.aliases or one.names, strict=True)
    ]
    if not named:
        return found
    return [_with_imports(piece, named) if piece.chunk.scope else piece for piece in found]


def _with_imports(piece: ChunkPiece, imports: list[tuple[bytes, bytes]]) -> ChunkPiece:
    words = piece.words
    used = {*_WORD.findall(words.signature), *_WORD.findall(words.code)}
    brought = [what for alias, what in imports if alias in used]
    return ChunkPiece(piece.chunk, replace(words, context=b" ".join((words.context, *brought)))) if brought else piece


def paragraphs(source: bytes, limit: int) -> list[ChunkPiece]:
    """A text without a grammar: whole paragraphs, as many together as the limit allows."""
    ranges, most = list[Range](), limit * CHARACTERS_PER_TOKEN
    for start, end in _paragraph_ranges(source):
        ranges += [(start, end)] if end - start <= most else _lines_of(start, end, source)
    lines = LineIndex(source)
    return [_loose(source, range_, Kind.PARAGRAPH, lines) for range_ in group_ranges(ranges, limit)]


def _symbol(unit: OutlineUnit, chunk: Chunk | None, source: bytes, decorators: tuple[str, ...]) -> Symbol:
    d = unit.definition
    return Symbol(
        unit.scope,
        d.name.rpartition(SCOPE)[2] if d.kind in _HOLDERS else d.name,  # `class Pay::Card` of Ruby
        d.kind,
        chunk.span if chunk else Span(d.start, d.end, d.first, d.last),
        _signature(d, source),
        _first_paragraph(doc_text(source, d.doc)) if d.doc else "",
        d.exported,
        d.head[1],
        chunk.digest if chunk and not unit.inner else _own_digest(unit, source),
        decorators,
        tuple(Span(one.start, one.end, one.first, one.last) for one in unit.again),
    )


def _own_digest(unit: OutlineUnit, source: bytes) -> bytes:
    again = [(one.start, one.end) for one in unit.again]
    own = join(source, [*subtract(unit.range, [inner.range for inner in unit.inner]), *again])
    return blake3(own).digest(length=DIGEST_BYTES)


def _signature(definition: Definition, source: bytes) -> str:
    if definition.kind is _BLOCK:
        return ""
    written = definition.signature or source[slice(*definition.head)].decode("utf-8", "replace")
    text = " ".join(_without_comments(written).split())
    text = text.rstrip(_OPENS_BODY)
    while text.endswith("=>"):
        text = text.removesuffix("=>").rstrip(_OPENS_BODY)
    return text if len(text) <= LONGEST_SIGNATURE else f"{text[:LONGEST_SIGNATURE]}…"


def _without_comments(written: str) -> str:
    """Without the comments that Python has between the colon and a body."""
    if "#" not in written:
        return written
    lines = written.rstrip().split("\n")
    while len(lines) > 1 and lines[-1].lstrip().startswith("#"):
        lines.pop()
    if len(lines[-1]) <= LONGEST_SIGNATURE:  # one that is longer is data, and may have thousands of these
        lines[-1] = _COMMENT.sub("", lines[-1])
    return "\n".join(lines) if lines[-1].endswith(":") else written


def _first_paragraph(doc: str) -> str:
    text = " ".join(doc.partition("\n\n")[0].split())
    return text if len(text) <= LONGEST_DOC else f"{text[:LONGEST_DOC]}…"


def _is_chunk(unit: OutlineUnit, source: bytes, limit: int) -> bool:
    """Code inside a function, or declared in an interface, is part of it, unless that is too long.

    So are statements inside anything, and blocks inside blocks with other contents.
    """
    if unit.definition.kind in _NEVER_CHUNKS:
        return False
    parent = unit.parent
    while parent is not None:
        start, end = parent.range
        if _keeps(parent, unit.definition, source) and end - start <= limit * CHARACTERS_PER_TOKEN:
            return False
        parent = parent.parent
    return True


def _keeps(unit: OutlineUnit, inner: Definition, source: bytes) -> bool:
    outer = unit.definition
    if inner.kind is _STATEMENT or outer.kind in _FUNCTIONS:
        return True
    if outer.is_data and inner.is_data:
        return not _holds_blocks_only(unit, source)
    return outer.kind is _INTERFACE and not inner.bodied


def _holds_blocks_only(unit: OutlineUnit, source: bytes) -> bool:
    """Whether a key leads to several mappings and nothing else, as `services` of a compose file."""
    inner = [one.range for one in unit.inner]
    gaps = subtract((unit.definition.head[1], unit.range[1]), inner) if len(inner) > 1 else []
    return len(inner) > 1 and not any(source[slice(*gap)].strip(_BRACKETS) for gap in gaps)


def _holder(unit: OutlineUnit, places: set[int]) -> OutlineUnit | None:
    parent = unit.parent
    while parent is not None and id(parent) not in places:
        parent = parent.parent
    return parent


def _holes(unit: OutlineUnit, places: set[int]) -> list[Range]:
    """The nearest chunks inside a unit; a variable between them is no hole."""
    found: list[Range] = []
    for inner in unit.inner:
        found += [inner.range] if id(inner) in places else _holes(inner, places)
    return found


def _unit_piece(unit: OutlineUnit, holes: list[Range], cutter: Cutter) -> ChunkPiece:
    d, source = unit.definition, cutter.source
    head = d.head if d.kind is not _BLOCK else None
    named = sorted(filter(None, (d.doc, head)))
    code = subtract(unit.range, named)
    if holes:
        code = [left for part in subtract(unit.range, holes) for left in subtract(part, named)]
    words = ChunkWords(
        unit.parent.scope.encode() if unit.parent else b"",
        d.name.encode(),
        source[head[0] : head[1]] if head else b"",
        source[d.doc[0] : d.doc[1]] if d.doc else b"",
        join(source, code),
    )
    span = Span(d.start, d.end, d.first, d.last)
    chunk = _chunk(unit.scope, unit.label, d.kind, span, source, d.head[1])
    return _with_passages(ChunkPiece(chunk, words), code, cutter)


def _rest(outline: Outline, outer: list[Range], cutter: Cutter, kind: Kind) -> list[ChunkPiece]:
    """The code outside of every unit: one chunk, or groups of whole statements if that is too much."""
    source, limit = cutter.source, cutter.limit
    gaps = [gap for gap in subtract((0, len(source)), outer) if source[slice(*gap)].strip()]
    if not gaps:
        return []
    if length(gaps) <= limit * CHARACTERS_PER_TOKEN:
        whole = (0, len(source))
        holes = [outline.doc] if outline.doc else []
        code = [left for gap in gaps for left in subtract(gap, holes)]
        words = ChunkWords(doc=join(source, holes), code=join(source, code))
        last = source.count(b"\n", 0, max(len(source) - 1, 0)) + 1
        return [ChunkPiece(_chunk("", "", kind, Span(*whole, 1, last), source), words)]
    starts = [start for start, _ in outline.statements]
    lines = LineIndex(source)
    parts = [part for gap in gaps for part in group_ranges(cut(gap, starts), limit) if source[slice(*part)].strip()]
    return [_with_passages(_loose(source, part, Kind.BLOCK, lines), [part], cutter) for part in parts]


def _with_passages(piece: ChunkPiece, own: list[Range], cutter: Cutter) -> ChunkPiece:
    """A piece with the passages of its own text, if that is too long."""
    spans = cutter.passages(own)
    if not spans:
        return piece
    texts = tuple(join(cutter.source, clip_ranges(own, (span.start, span.end))) for span in spans)
    return ChunkPiece(piece.chunk._replace(passages=spans), replace(piece.words, passages=texts))


def _loose(source: bytes, where: Range, kind: Kind, lines: LineIndex) -> ChunkPiece:
    start, end = strip_range(source, where)
    words = ChunkWords(code=join(source, [(start, end)]))
    span = Span(start, end, lines.at(start), lines.at(max(start, end - 1)))
    return ChunkPiece(_chunk("", "", kind, span, source), words)


def _chunk(scope: str, label: str, kind: Kind, span: Span, source: bytes, body: int = 0) -> Chunk:
    text = source[span.start : span.end]
    tokens = ascii_by_characters(text) if text.isascii() else by_characters(text.decode("utf-8", "replace"))
    return Chunk(scope, label, kind, span, tokens, blake3(text).digest(length=DIGEST_BYTES), (), body)


def _lines_of(start: int, end: int, source: bytes) -> list[Range]:
    """Of a paragraph that is too long to be one: a log, a list, data."""
    lines = []
    for line in source[start:end].splitlines(keepends=True):
        lines.append((start, start + len(line)))
        start += len(line)
    return lines


def _paragraph_ranges(source: bytes) -> list[Range]:
    ranges: list[Range] = []
    start = 0
    for part in source.split(b"\n\n"):
        end = start + len(part)
        if part.strip():
            ranges.append((start, end))
        start = end + 2
    return ranges
