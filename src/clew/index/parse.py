"""From source text to its definitions, imports and calls, by one query per language. It never fails."""

import inspect
import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from clew.index.chains import type_name
from clew.index.extremes import extreme_source, extreme_tree
from clew.index.languages import Language, grammar, query_text
from clew.index.nesting import extend
from clew.index.ranges import Range
from clew.model.code import Import
from clew.model.words import Kind

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

LONGEST_NAME = 120
LONGEST_CALLEE = 160  # a longer one is a chain of calls; its last name says enough
MOST_ERRORS = 5  # syntax errors told apart; the rest are counted
FAR = 400  # bytes to look back for the beginning of a line
NAMING_WORDS = 4  # of a statement that has no name

# In order of preference, where two patterns see the same node.
_DEFINITIONS = {
    "class": Kind.CLASS,
    "interface": Kind.INTERFACE,
    "method": Kind.METHOD,
    "function": Kind.FUNCTION,
    "section": Kind.SECTION,
    "heading": Kind.SECTION,
    "block": Kind.BLOCK,
    "fence": Kind.BLOCK,
    "statement": Kind.STATEMENT,
    "impl": Kind.BLOCK,
    "variable": Kind.VARIABLE,
}
_MARKS = ("base", "implements", "decorator", "typed", "assigned", "returned", "result", "param", "package", "exported")
_DETAILS = {"typed": "type", "assigned": "value"}
_RANK = {kind: rank for rank, kind in enumerate(dict.fromkeys(_DEFINITIONS.values()))}
_NEWLINE = re.compile(rb"\n")
_QUOTES = re.compile(r"^[rRbBuUfF]*(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$")
_COMMENT_MARKS = re.compile(r"^\s*(?:/\*+|\*+/|\*|//+|#+|--+)\s?|\s*\*+/\s*$", re.MULTILINE)


@dataclass(slots=True)
class Definition:
    """A definition while its file is being read. `start` takes in its decorators and leading comments."""

    kind: Kind
    name: str
    start: int
    end: int
    first: int
    last: int
    head: Range  # the signature
    exported: bool
    level: int = 0  # of a heading, from 1: what it opens goes on behind it
    doc: Range | None = None
    into: str = ""  # the scope that its contents belong to, if it is not its own: `impl Card`
    receiver: str = ""  # the scope that it belongs to itself: `func (c *Card) Charge()`
    label: str = ""  # what lists show, if it is not the name
    is_scope: bool = True  # else what stands inside belongs to the scope around: a cell of a notebook
    signature: str = ""  # if it is not the head as it stands in the source


@dataclass(frozen=True, slots=True)
class Mark:
    """Something said of the scope that it stands in; `detail` is the type or the value that goes with a name."""

    kind: str
    at: int
    text: str
    detail: str = ""


@dataclass(slots=True)
class Outline:
    """What one pass over the tree found."""

    definitions: list[Definition] = field(default_factory=list)
    doc: Range | None = None
    imports: list[Import] = field(default_factory=list)
    calls: list[tuple[int, int, str]] = field(default_factory=list)  # where (byte, line), and what is called
    marks: list[Mark] = field(default_factory=list)
    statements: list[Range] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    root: "Node | None" = None  # of the tree, which is dropped with the outline
    cuts: list[int] = field(default_factory=list)  # where there is no tree: where lines may be cut into passages
    readable: bytes = b""  # the same text, byte by byte, with what is not for readers blanked out
    unread: bool = False  # nothing could be made of it: its paragraphs have to do


class Lines:
    """From bytes to lines. (The binding's own points crash the process once many have been looked at.)"""

    def __init__(self, source: bytes) -> None:
        self._ends = [match.start() for match in _NEWLINE.finditer(source)]

    def at(self, offset: int) -> int:
        """1-based."""
        return bisect_left(self._ends, offset) + 1


def outline(language: Language, source: bytes) -> Outline:
    """By the language's own splitter, if it has one, or by its grammar and query."""
    if language.splitter:
        found: Outline = import_module(language.splitter).outline(language, source)
        return found
    return by_query(language, source)


def by_query(language: Language, source: bytes) -> Outline:
    from tree_sitter import QueryCursor  # native code, needed only where files are parsed

    reason = extreme_source(source)
    root = _parser(language).parse(b"" if reason else source).root_node
    if reason := reason or extreme_tree(root):
        return Outline(problems=[f"kept as paragraphs: {reason}"], unread=True)
    result = Outline(statements=[(child.start_byte, child.end_byte) for child in root.children], root=root)
    lines = Lines(source)
    found: dict[Range, Definition] = {}
    docs: list[Range] = []
    items: list[Range] = []
    errors: set[int] = set()
    for _, captures in QueryCursor(_query(language)).matches(root):
        if calls := captures.get("call"):
            result.calls.append(_call(calls[0], source, lines))
        elif imports := captures.get("import"):
            result.imports.append(_import(imports[0], captures, source, lines))
        elif item := captures.get("item"):
            items.append((item[0].start_byte, item[0].end_byte))
        elif doc := captures.get("doc"):
            docs.append((doc[0].start_byte, doc[0].end_byte))
        elif error := captures.get("error"):
            errors.add(lines.at(error[0].start_byte))
        elif kind := next((kind for kind in _MARKS if kind in captures), None):
            result.marks.extend(_marks(kind, captures, source))
        else:
            _add(found, _definition(language, captures, source, lines))
    sections = [d for d in found.values() if d.kind is Kind.SECTION]
    extend(sorted(sections, key=lambda d: (d.start, d.level)), lines, len(source))
    result.definitions = sorted(found.values(), key=lambda d: (d.start, -d.end, _RANK[d.kind]))
    _document(result, docs)
    result.statements = items or result.statements
    result.problems = _syntax_problems(errors)
    result.unread = bool(errors) and not result.definitions and language.rest is not Kind.MODULE
    return result


def doc_text(source: bytes, where: Range) -> str:
    """A docstring or comment without its marks."""
    text = source[slice(*where)].decode("utf-8", "replace").strip()
    marks = _COMMENT_MARKS if text[:1] in ("/", "#", "*", "-") else _QUOTES
    return inspect.cleandoc(marks.sub("", text))


@cache
def _parser(language: Language) -> "Parser":
    from tree_sitter import Parser

    return Parser(grammar(language))


@cache
def _query(language: Language) -> "Query":
    from tree_sitter import Query

    return Query(grammar(language), query_text(language))


def _add(found: dict[Range, Definition], definition: Definition | None) -> None:
    if definition is None:
        return
    place = definition.head[0], definition.end
    known = found.get(place)
    if known is None or _RANK[definition.kind] < _RANK[known.kind]:
        found[place] = definition


def _definition(
    language: Language, captures: "dict[str, list[Node]]", source: bytes, lines: "Lines"
) -> Definition | None:
    capture = next((capture for capture in _DEFINITIONS if capture in captures), None)
    if capture is None:
        return None
    node, kind = captures[capture][0], _DEFINITIONS[capture]
    names, bodies = captures.get("name"), captures.get("body")
    name = _text(names[0], source) if names else _first_words(node, source) if capture == "statement" else "code"
    into = ""
    outer, exported = _wrapped(language, node)
    opening, doc = _leading_doc(language, outer, source)
    head_end = bodies[0].start_byte if bodies else _line_end(source, node.start_byte, node.end_byte)
    if capture == "impl":
        into, name = _last_name(name), f"impl {name}"
    return Definition(
        kind=kind,
        name=" ".join(_unquoted(_storable(name)).split())[:LONGEST_NAME] or "untitled",
        start=opening.start_byte,
        end=outer.end_byte,
        first=lines.at(opening.start_byte),
        last=lines.at(max(outer.end_byte - 1, outer.start_byte)),
        head=(node.start_byte, min(head_end, node.end_byte)),
        exported=exported if language.exports else not name.startswith(language.private_prefix or "\0"),
        level=_level(captures, source) if capture == "heading" else 0,
        label=f"{name} code" if capture == "fence" and names else "",
        doc=doc,
        into=into,
        receiver=_last_name(_text(receiver[0], source)) if (receiver := captures.get("receiver")) else "",
    )


def _level(captures: "dict[str, list[Node]]", source: bytes) -> int:
    underlines = captures.get("level")
    return 2 if underlines and _text(underlines[0], source).startswith("-") else 1


def _wrapped(language: Language, node: "Node") -> "tuple[Node, bool]":
    """The node with what belongs to it (decorators, `export`), and whether it is exported."""
    exported = node.type in language.exports
    while (parent := node.parent) is not None and parent.type in language.wrappers:
        exported = exported or parent.type in language.exports
        node = parent
    return node, exported


def _leading_doc(language: Language, node: "Node", source: bytes) -> "tuple[Node, Range | None]":
    """The first of the comments that stand right above a node, and the range of them all."""
    if not language.doc_before:
        return node, None
    opening = node
    last = upper = node.prev_sibling
    while (
        upper is not None
        and upper.type in language.doc_before
        and begins_line(source, upper.start_byte)
        and not source[upper.end_byte : opening.start_byte].strip()
        and source.count(b"\n", upper.end_byte, opening.start_byte) <= 1
    ):
        opening, upper = upper, upper.prev_sibling
    if opening is node or last is None:
        return node, None
    return opening, (opening.start_byte, last.end_byte)


def _document(result: Outline, docs: list[Range]) -> None:
    """Give each docstring to the definition whose body it opens; one that opens the file is the file's."""
    by_body = {definition.head[1]: definition for definition in result.definitions}
    opening = result.definitions[0].start if result.definitions else None
    for doc in docs:
        if holder := by_body.get(doc[0]):
            holder.doc = doc
        elif result.doc is None and (opening is None or doc[0] < opening):
            result.doc = doc


def _marks(kind: str, captures: "dict[str, list[Node]]", source: bytes) -> list[Mark]:
    details = captures.get(_DETAILS.get(kind, ""), [])
    detail = _text(details[0], source) if details else ""
    return [Mark(kind, node.start_byte, _text(node, source), detail) for node in captures[kind]]


def _import(node: "Node", captures: "dict[str, list[Node]]", source: bytes, lines: "Lines") -> Import:
    names = tuple(_storable(_text(name, source)) for name in captures.get("import.name", []))
    aliases = tuple(_storable(_text(alias, source)) for alias in captures.get("import.alias", []))
    module = _storable(_text(node, source)).strip("\"'`<>")
    return Import(module, names, lines.at(node.start_byte), aliases, "import.star" in captures)


def _text(node: "Node", source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _last_name(text: str) -> str:
    """`*pay.Card[T]` is Card: the scope that a type's methods belong to."""
    parts = type_name(text)
    return parts[-1] if parts else ""


def _call(node: "Node", source: bytes, lines: "Lines") -> tuple[int, int, str]:
    callee = source[node.start_byte : node.end_byte]
    if len(callee) > LONGEST_CALLEE or b"\n" in callee:
        callee = callee.rpartition(b".")[2][-LONGEST_CALLEE:]
    return node.start_byte, lines.at(node.start_byte), callee.decode("utf-8", "replace")


def _syntax_problems(errors: set[int]) -> list[str]:
    if not errors:
        return []
    lines = ", ".join(str(line) for line in sorted(errors)[:MOST_ERRORS])
    more = f" and {len(errors) - MOST_ERRORS} more" if len(errors) > MOST_ERRORS else ""
    return [f"syntax error at line {lines}{more}"]


def _storable(name: str) -> str:
    """Without the one character that PostgreSQL has no place for."""
    return name.replace("\0", "")


def _unquoted(name: str) -> str:
    quoted = len(name) > 1 and name[0] in "\"'`" and name[-1] == name[0]
    return name[1:-1] if quoted else name


def _first_words(node: "Node", source: bytes) -> str:
    head = source[node.start_byte : min(node.end_byte, node.start_byte + LONGEST_NAME)].partition(b"\n")[0]
    return b" ".join(head.strip(b" \\").split()[:NAMING_WORDS]).decode("utf-8", "replace")


def begins_line(source: bytes, at: int) -> bool:
    """Whether only white space stands before a place in its line, as far as can be seen without looking far."""
    return not source[max(at - FAR, 0) : at].rpartition(b"\n")[2].strip()


def _line_end(source: bytes, start: int, end: int) -> int:
    line_end = source.find(b"\n", start, end)
    return end if line_end < 0 else line_end
