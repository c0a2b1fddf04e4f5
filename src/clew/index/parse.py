"""From source text to its definitions, imports and calls, by one query per language. It never fails."""

import inspect
import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from clew.index.chains import type_name
from clew.index.declarators import declared
from clew.index.languages import Language, grammar, query_text
from clew.index.preprocessor import readable
from clew.index.ranges import Range
from clew.model.code import SCOPE, Import
from clew.model.words import Kind

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

LONGEST_NAME = 120
LONGEST_CALLEE = 160  # a longer one is a chain of calls; its last name says enough
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
    *("base", "implements", "decorator", "typed", "assigned", "returned", "result", "param", "package"),
    *("exported", "private", "field"),
)
_DECLARED = ("param", "typed")
_DETAILS = {"typed": "type", "field": "type", "assigned": "value"}
_RANK = {kind: rank for rank, kind in enumerate(dict.fromkeys(_DEFINITIONS.values()))}
_NEWLINE = re.compile(rb"\n")
_LINKS = re.compile(rb"\.|->|::")
_QUOTES = re.compile(r"^[rRbBuUfF]*(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$")
_COMMENT_MARKS = re.compile(r"^[ \t]*(?:/\*+|\*+/|\*|//+|#+)[ \t]?|[ \t]*\*+/\s*$", re.MULTILINE)


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
    declared: bool = False  # without a body: a prototype, an overload, what is abstract


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


class Lines:
    """From bytes to lines. (The binding's own points crash the process once many have been looked at.)"""

    def __init__(self, source: bytes) -> None:
        self._ends = [match.start() for match in _NEWLINE.finditer(source)]

    def at(self, offset: int) -> int:
        """1-based."""
        return bisect_left(self._ends, offset) + 1


def outline(language: Language, source: bytes) -> Outline:
    from tree_sitter import QueryCursor  # native code, needed only where files are parsed

    root = _root(language, source)
    result = Outline(statements=[(child.start_byte, child.end_byte) for child in root.children], root=root)
    lines = Lines(source)
    found: dict[tuple[int, int, str], Definition] = {}
    docs: list[Range] = []
    errors: set[int] = set()
    for _, captures in QueryCursor(_query(language)).matches(root):
        if calls := captures.get("call"):
            result.calls.append(_call(captures.get("call.on", calls)[0], calls[0], source, lines))
        elif imports := captures.get("import"):
            result.imports.append(_import(imports[0], captures, source, lines))
        elif doc := captures.get("doc"):
            docs.append((doc[0].start_byte, doc[0].end_byte))
        elif error := captures.get("error"):
            errors.add(lines.at(error[0].start_byte))
        elif kind := next((kind for kind in _MARKS if kind in captures), None):
            result.marks.extend(_marks(language, kind, captures, source))
        else:
            _add(found, _definition(language, captures, source, lines))
    _extend(found, lines, len(source))
    result.definitions = sorted(found.values(), key=lambda d: (d.start, -d.end, _RANK[d.kind]))
    _document(result, docs)
    _hide(result)
    result.problems = _syntax_problems(errors)
    return result


def _root(language: Language, source: bytes) -> "Node":
    root = _parser(language).parse(source).root_node
    if language.preprocessed and root.has_error and (text := readable(source)) is not source:
        return _parser(language).parse(text).root_node
    return root


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
    name = definition.name.partition("(")[0]  # what a macro defines is named with its arguments: `TEST(Card, charges)`
    place = definition.head[0], definition.end, name
    known = found.get(place)
    if known is None or (_RANK[definition.kind], known.name) < (_RANK[known.kind], definition.name):
        found[place] = definition


def _definition(
    language: Language, captures: "dict[str, list[Node]]", source: bytes, lines: "Lines"
) -> Definition | None:
    capture = next((capture for capture in _DEFINITIONS if capture in captures), None)
    if capture is None:
        return None
    node, kind = captures[capture][0], _DEFINITIONS[capture]
    names, bodies = captures.get("name", captures.get("name.whole")), captures.get("body")
    name = source[names[0].start_byte : names[0].end_byte].decode("utf-8", "replace") if names else "code"
    into, receiver = "", _last_name(_text(receivers[0], source)) if (receivers := captures.get("receiver")) else ""
    outer, exported = _wrapped(language, node)
    opening, doc = _leading_doc(language, outer, source)
    head_end = bodies[0].start_byte if bodies else _line_end(source, node.start_byte)
    if capture in ("impl", "namespace"):
        into = _last_name(name) if language.separator == SCOPE else SCOPE.join(declared(name).path)
        name = f"{capture} {name}"
    elif language.declarators and "name" in captures:
        inside = declared(name)
        if not inside.path or (kind is Kind.FUNCTION and not inside.takes):
            return None
        *path, name = inside.path
        receiver = SCOPE.join(path)
    return Definition(
        kind=kind,
        name=" ".join(_storable(name).strip("\"'`").split())[:LONGEST_NAME] or "untitled",
        start=opening.start_byte,
        end=outer.end_byte,
        first=lines.at(opening.start_byte),
        last=lines.at(max(outer.end_byte - 1, outer.start_byte)),
        head=(node.start_byte, min(head_end, node.end_byte)),
        exported=exported if language.exports else not name.startswith(language.private_prefix or "\0"),
        opens=capture == "heading",
        doc=doc,
        into=into,
        receiver=receiver,
        namespace=capture == "namespace",
        declared=not bodies or _text(bodies[0], source) == ";",
    )


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
    """The first of the comments that stand right above a node, and the range of them all."""
    if not language.doc_before:
        return node, None
    opening, upper = node, node.prev_sibling
    while (
        upper is not None
        and upper.type in language.doc_before
        and not source[upper.end_byte : opening.start_byte].strip()
        and source.count(b"\n", upper.end_byte, opening.start_byte) <= 1
        and not source[
            source.rfind(b"\n", 0, upper.start_byte) + 1 : upper.start_byte
        ].strip()  # else of what it follows
    ):
        opening, upper = upper, upper.prev_sibling
    if opening is node:
        return node, None
    return opening, (opening.start_byte, node.prev_sibling.end_byte if node.prev_sibling else node.start_byte)


def _document(result: Outline, docs: list[Range]) -> None:
    """Give each docstring to the definition whose body it opens; one that opens the file is the file's."""
    by_body = {definition.head[1]: definition for definition in result.definitions}
    opening = result.definitions[0].start if result.definitions else None
    for doc in docs:
        if holder := by_body.get(doc[0]):
            holder.doc = doc
        elif result.doc is None and (opening is None or doc[0] < opening):
            result.doc = doc


def _hide(result: Outline) -> None:
    """What is said to be private is not exported; those of one statement are so together."""
    starts = [definition.start for definition in result.definitions]
    for mark in result.marks:
        if mark.kind == "private" and (i := bisect_right(starts, mark.at)):
            start = starts[i - 1]
            while i and starts[i - 1] == start:
                i -= 1
                if mark.at < result.definitions[i].head[1]:
                    result.definitions[i].exported = False


def _marks(language: Language, kind: str, captures: "dict[str, list[Node]]", source: bytes) -> list[Mark]:
    details = captures.get(_DETAILS.get(kind, ""), [])
    detail = _text(details[0], source) if details else ""
    marks = [Mark(kind, node.start_byte, _text(node, source), detail) for node in captures[kind]]
    if language.declarators and kind in _DECLARED:
        seen = [(mark, declared(mark.text)) for mark in marks]
        named = [(mark, one.name) for mark, one in seen if one.name and not (one.takes and kind == "typed")]
        return [Mark(kind, mark.at, name, detail) for mark, name in named]
    return marks


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


def _call(on: "Node", node: "Node", source: bytes, lines: "Lines") -> tuple[int, int, str]:
    """A call of `node`, on a receiver that is a node apart in some languages."""
    callee = b" ".join(source[on.start_byte : node.end_byte].split())
    if len(callee) > LONGEST_CALLEE:
        callee = "….".encode() + _LINKS.split(callee)[-1][-LONGEST_CALLEE:]
    return on.start_byte, lines.at(node.start_byte), callee.decode("utf-8", "replace")


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
