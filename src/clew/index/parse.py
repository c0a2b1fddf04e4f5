"""From source text to its definitions, imports and calls, by one query per language. It never fails."""

import inspect
import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from clew.index.chains import LONGEST, chain_start, type_name
from clew.index.languages import Language, grammar, query_text
from clew.index.ranges import Range
from clew.model.code import Import
from clew.model.words import Kind

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

LONGEST_NAME = 120
LONGEST_CALLEE = LONGEST  # a longer one is a chain of calls; its last name says enough
MOST_ERRORS = 5  # syntax errors told apart; the rest are counted

# In order of preference, where two patterns see the same node.
_DEFINITIONS = {
    "class": Kind.CLASS,
    "interface": Kind.INTERFACE,
    "method": Kind.METHOD,
    "function": Kind.FUNCTION,
    "section": Kind.SECTION,
    "heading": Kind.SECTION,
    "block": Kind.BLOCK,
    "impl": Kind.BLOCK,
    "namespace": Kind.BLOCK,
    "variable": Kind.VARIABLE,
}
_MARKS = (
    *("base", "implements", "decorator", "typed", "assigned", "returned", "result", "param", "package", "exported"),
    *("each", "element", "generic"),
)
_DETAILS = {"typed": "type", "assigned": "value", "each": "of", "generic": "bound"}
_FUNCTIONS = (Kind.FUNCTION, Kind.METHOD)
_RANK = {kind: rank for rank, kind in enumerate(dict.fromkeys(_DEFINITIONS.values()))}
_NEWLINE = re.compile(rb"\n")
_LINKS = re.compile(rb"\.|->|::")
_BEFORE_MEMBER = re.compile(rb"\s+(?=\??\.|::|->)")
_OPENS_CALL = re.compile(rb"(!?)(?:\(|(?<=!)[\[{])")
_QUOTES = re.compile(r"^[rRbBuUfF]*(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$")
_COMMENT_MARKS = re.compile(r"^[ \t]*(?:/\*+!?|\*+/|\*|//+!?|#+)[ \t]?|\s*\*+/\s*$", re.MULTILINE)


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
    opens: bool = False  # a heading: what it opens goes on behind it
    doc: Range | None = None
    into: str = ""  # the scope that its contents belong to, if it is not its own: `impl Card`
    receiver: str = ""  # the scope that it belongs to itself: `func (c *Card) Charge()`
    namespace: bool = False  # its contents are named by it, and not its members


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
    imported_at: list[int] = field(default_factory=list)  # where each import stands
    calls: list[tuple[int, int, str]] = field(default_factory=list)  # where (byte, line), and what is called
    marks: list[Mark] = field(default_factory=list)
    statements: list[Range] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    root: "Node | None" = None  # of the tree, which is dropped with the outline


class Lines:
    """From bytes to lines. (The binding's own points crash the process once many have been looked at.)"""

    def __init__(self, source: bytes) -> None:
        self._ends = [match.start() for match in _NEWLINE.finditer(source)]

    def at(self, offset: int) -> int:
        """1-based."""
        return bisect_left(self._ends, offset) + 1


def outline(language: Language, source: bytes) -> Outline:
    from tree_sitter import QueryCursor  # native code, needed only where files are parsed

    root = _parser(language).parse(source).root_node
    result = Outline(statements=[(child.start_byte, child.end_byte) for child in root.children], root=root)
    lines = Lines(source)
    found: dict[tuple[int, int, str], Definition] = {}
    docs: list[Range] = []
    errors: set[int] = set()
    for _, captures in QueryCursor(_query(language)).matches(root):
        if calls := captures.get("call"):
            result.calls.append(_call(captures.get("call.on", calls)[0], calls[0], source, lines))
        elif tokens := captures.get("call.tokens"):
            result.calls += _call_in_tokens(tokens[0], source, lines)
        elif imports := captures.get("import"):
            brought = _imports(language, imports[0], captures, source, lines)
            result.imports += brought
            result.imported_at += [imports[0].start_byte] * len(brought)
        elif doc := captures.get("doc"):
            docs.append((doc[0].start_byte, doc[-1].end_byte))
        elif documented := captures.get("documented"):
            docs += filter(None, [_leading_doc(language, documented[0], source)[1]])
        elif error := captures.get("error"):
            errors.add(lines.at(error[0].start_byte))
        elif kind := next((kind for kind in _MARKS if kind in captures), None):
            result.marks.extend(_marks(kind, captures, source))
        else:
            _add(found, _definition(language, captures, source, lines))
    _extend(found, lines, len(source))
    result.definitions = sorted(found.values(), key=lambda d: (d.start, -d.end, _RANK[d.kind]))
    _document(result, docs)
    result.problems = _syntax_problems(errors)
    return result


def doc_text(source: bytes, where: Range) -> str:
    """A docstring or comment without its marks."""
    text = source[slice(*where)].decode("utf-8", "replace")
    marks = _COMMENT_MARKS if text[:1] in ("/", "#", "*") else _QUOTES
    return inspect.cleandoc(marks.sub("", text))


@cache
def _parser(language: Language) -> "Parser":
    from tree_sitter import Parser

    return Parser(grammar(language))


@cache
def _query(language: Language) -> "Query":
    from tree_sitter import Query

    return Query(grammar(language), query_text(language))


def _add(found: dict[tuple[int, int, str], Definition], definition: Definition | None) -> None:
    if definition is None:
        return
    place = definition.head[0], definition.end, definition.name
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
    name = source[names[0].start_byte : names[0].end_byte].decode("utf-8", "replace") if names else "code"
    into = ""
    outer, exported = _wrapped(language, node)
    opening, doc = _leading_doc(language, outer, source)
    head = node.start_byte, bodies[0].start_byte if bodies else _head_end(node, kind, source)
    if language.is_exported:
        exported = language.is_exported(node, name)
    elif not language.exports:
        exported = not name.startswith(language.private_prefix or "\0")
    if capture == "namespace":
        into, name = _last_name(name), f"namespace {name}"
    elif capture == "impl":
        into, name = _last_name(name), source[slice(*head)].decode("utf-8", "replace")
    elif capture == "function" and "macro" in captures:
        name = f"{name}!"
    return Definition(
        kind=kind,
        name=" ".join(_storable(name).strip("\"'`").split())[:LONGEST_NAME] or "untitled",
        start=opening.start_byte,
        end=outer.end_byte,
        first=lines.at(opening.start_byte),
        last=lines.at(max(outer.end_byte - 1, outer.start_byte)),
        head=head,
        exported=exported,
        opens=capture == "heading",
        doc=doc,
        into=into,
        receiver=_last_name(_text(receiver[0], source)) if (receiver := captures.get("receiver")) else "",
        namespace=capture == "namespace",
    )


def _head_end(node: "Node", kind: Kind, source: bytes) -> int:
    """Of a definition without a body: a function is all signature, of another its first line says enough."""
    return node.end_byte if kind in _FUNCTIONS else min(_line_end(source, node.start_byte), node.end_byte)


def _extend(found: dict[tuple[int, int, str], Definition], lines: Lines, length: int) -> None:
    """Let each heading reach to the next one, or to the end of the section it stands in."""
    headings = sorted((d for d in found.values() if d.opens), key=lambda d: d.start)
    sections = [(d.start, d.end) for d in found.values() if d.kind is Kind.SECTION and not d.opens]
    openings = sorted([start for start, _ in sections] + [heading.start for heading in headings])
    for heading in headings:
        around = [end for start, end in sections if start <= heading.start < end]
        following = [start for start in openings if start >= heading.end]
        heading.end = min([length, *around, *following])
        heading.last = lines.at(max(heading.end - 1, heading.start))


def _wrapped(language: Language, node: "Node") -> "tuple[Node, bool]":
    """The node with what belongs to it (decorators, `export`), and whether it is exported."""
    exported = node.type in language.exports
    while (parent := node.parent) is not None and parent.type in language.wrappers:
        exported = exported or parent.type in language.exports
        node = parent
    return node, exported


def _leading_doc(language: Language, node: "Node", source: bytes) -> "tuple[Node, Range | None]":
    """The first of the comments and attributes that stand right above a node, and the range of the comments."""
    if not language.doc_before:
        return node, None
    opening, upper = node, node.prev_sibling
    comments: list[Node] = []
    while upper is not None and _leads(language, upper, opening, source):
        if upper.type in language.doc_before:
            comments.append(upper)
        opening, upper = upper, upper.prev_sibling
    return opening, (comments[-1].start_byte, _text_end(comments[0], source)) if comments else None


def _leads(language: Language, upper: "Node", opening: "Node", source: bytes) -> bool:
    """Whether a node belongs to the one below it: on lines of its own, and no empty line between."""
    if upper.type not in language.doc_before and upper.type not in language.leading:
        return False
    end = _text_end(upper, source)
    line = source.rfind(b"\n", 0, upper.start_byte) + 1
    between, before = source[end : opening.start_byte], source[line : upper.start_byte]
    is_inner = source[upper.start_byte : upper.start_byte + 3] in (b"//!", b"/*!")  # of what is around, in Rust
    return not between.strip() and between.count(b"\n") <= 1 and not before.strip() and not is_inner


def _text_end(node: "Node", source: bytes) -> int:
    """Without the end of the line, which some grammars count to a comment."""
    return node.end_byte - source.endswith(b"\n", node.start_byte, node.end_byte)


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
    detail = source[details[0].start_byte : details[-1].end_byte].decode("utf-8", "replace") if details else ""
    return [Mark(kind, node.start_byte, _text(node, source), detail) for node in captures[kind]]


def _imports(
    language: Language, node: "Node", captures: "dict[str, list[Node]]", source: bytes, lines: "Lines"
) -> list[Import]:
    if language.imports_of:
        return language.imports_of(node, lines.at(node.start_byte))
    names = tuple(_storable(_text(name, source)) for name in captures.get("import.name", []))
    aliases = tuple(_storable(_text(alias, source)) for alias in captures.get("import.alias", []))
    module = _storable(_text(node, source)).strip("\"'`<>")
    return [Import(module, names, lines.at(node.start_byte), aliases, "import.star" in captures)]


def _text(node: "Node", source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _last_name(text: str) -> str:
    """`*pay.Card[T]` is Card: the scope that a type's methods belong to."""
    parts = type_name(text)
    return parts[-1] if parts else ""


def _call(on: "Node", node: "Node", source: bytes, lines: "Lines") -> tuple[int, int, str]:
    """A call of `node`, on a receiver that is a node apart in some languages."""
    return on.start_byte, lines.at(node.end_byte - 1), _callee(source[on.start_byte : node.end_byte])


def _call_in_tokens(node: "Node", source: bytes, lines: "Lines") -> list[tuple[int, int, str]]:
    """A call by its last name, where the grammar sees no expressions: what it is called on stands before it."""
    opens = _OPENS_CALL.match(source, node.end_byte)
    if opens is None or _is_in_attribute(node):
        return []
    start = chain_start(source, node.start_byte)
    return [(start, lines.at(node.start_byte), _callee(source[start : node.end_byte] + opens[1]))]


def _is_in_attribute(node: "Node") -> bool:
    while (parent := node.parent) is not None and parent.type == "token_tree":
        node = parent
    return parent is not None and parent.type == "attribute"


def _callee(written: bytes) -> str:
    """On one line; too long a chain is cut to `….name`."""
    callee = b" ".join(_BEFORE_MEMBER.sub(b"", written).split())
    if len(callee) > LONGEST_CALLEE:
        callee = "….".encode() + _LINKS.split(callee)[-1][-LONGEST_CALLEE:]
    return callee.decode("utf-8", "replace")


def _syntax_problems(errors: set[int]) -> list[str]:
    if not errors:
        return []
    lines = ", ".join(str(line) for line in sorted(errors)[:MOST_ERRORS])
    more = f" and {len(errors) - MOST_ERRORS} more" if len(errors) > MOST_ERRORS else ""
    return [f"syntax error at line {lines}{more}"]


def _storable(name: str) -> str:
    """Without the one character that PostgreSQL has no place for."""
    return name.replace("\0", "")


def _line_end(source: bytes, start: int) -> int:
    end = source.find(b"\n", start)
    return len(source) if end < 0 else end
