"""From source text to its definitions, imports and calls, by one query per language. It never fails."""

import inspect
import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from clew.index.chains import LONGEST, type_name
from clew.index.languages import Language, Visibility, grammar, query_text
from clew.index.ranges import Range
from clew.model.code import Import
from clew.model.words import Kind

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

LONGEST_NAME = 120
NEW = "\0"  # opens what is called, where that is a type of which an object is made
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
    "variable": Kind.VARIABLE,
}
_MARKS = ("base", "implements", "decorator", "typed", "assigned", "returned", "result", "param", "package", "exported",
          "subpackage", "local", "property", "self")  # fmt: skip
_DETAILS = {"typed": "type", "assigned": "value"}
_RANK = {kind: rank for rank, kind in enumerate(dict.fromkeys(_DEFINITIONS.values()))}
_WORD = re.compile(rb"\w+")
_LINE_COMMENT = re.compile(rb"(?<=\s)//[^\n\"]*$", re.MULTILINE)
_NEWLINE = re.compile(rb"\n")
_QUOTES = re.compile(r"^[rRbBuUfF]*(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$")
_COMMENT_MARKS = re.compile(r"^[ \t]*(?:/\*+|\*+/|\*|//+|#+)[ \t]?|\s*\*+/\s*$", re.MULTILINE)


_SUMMARY = re.compile(r"\s*</?summary>\s*")  # how C# says which part of a comment comes first


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
    seen: int = 0  # how much its pattern captured: of two that see one definition, the fuller is right


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

    root = _parser(language).parse(source).root_node
    result = Outline(statements=[(child.start_byte, child.end_byte) for child in root.children], root=root)
    lines = Lines(source)
    found: dict[Range, Definition] = {}
    docs: list[Range] = []
    errors: set[int] = set()
    for _, captures in QueryCursor(_query(language)).matches(root):
        if calls := captures.get("call"):
            result.calls.append(_call(calls[0], captures.get("call.on"), source, lines))
        elif made := captures.get("call.new"):
            result.calls.append((made[0].start_byte, lines.at(made[0].start_byte), f"{NEW}{_text(made[0], source)}"))
        elif imports := captures.get("import"):
            result.imports.append(_import(imports, captures, source, lines))
        elif doc := captures.get("doc"):
            docs.append((doc[0].start_byte, doc[0].end_byte))
        elif error := captures.get("error"):
            errors.add(lines.at(error[0].start_byte))
        elif kind := next((kind for kind in _MARKS if kind in captures), None):
            result.marks.extend(_marks(kind, captures, source))
        else:
            _add(found, captures, _definition(language, captures, source, lines))
    _extend(found, lines, len(source))
    result.definitions = sorted(found.values(), key=lambda d: (d.start, -d.end, _RANK[d.kind]))
    _document(result, docs)
    result.problems = _syntax_problems(errors)
    return result


def doc_text(source: bytes, where: Range) -> str:
    """A docstring or comment without its marks."""
    text = source[slice(*where)].decode("utf-8", "replace")
    marks = _COMMENT_MARKS if text[:1] in ("/", "#", "*") else _QUOTES
    return inspect.cleandoc(_SUMMARY.sub("\n\n", marks.sub("", text)))


@cache
def _parser(language: Language) -> "Parser":
    from tree_sitter import Parser

    return Parser(grammar(language))


@cache
def _query(language: Language) -> "Query":
    from tree_sitter import Query

    return Query(grammar(language), query_text(language))


def _add(found: dict[Range, Definition], captures: "dict[str, list[Node]]", definition: Definition | None) -> None:
    """One definition per name and place: two patterns may see the same, and one statement may define two."""
    if definition is None:
        return
    names = captures.get("name")
    place = (names[0].start_byte if names else definition.start), definition.end
    known = found.get(place)
    definition.seen = len(captures)
    if known is None or (-definition.seen, _RANK[definition.kind]) < (-known.seen, _RANK[known.kind]):
        found[place] = definition


def _definition(
    language: Language, captures: "dict[str, list[Node]]", source: bytes, lines: "Lines"
) -> Definition | None:
    capture = next((capture for capture in _DEFINITIONS if capture in captures), None)
    if capture is None:
        return None
    node, kind = captures[capture][0], _DEFINITIONS[capture]
    after = captures.get("name.after")
    names, bodies = captures.get("name", after), captures.get("body")
    name = source[names[0].start_byte : names[0].end_byte].decode("utf-8", "replace") if names else "code"
    into = ""
    outer, exported = _wrapped(language, node)
    opening, doc = _leading_doc(language, outer, source)
    head_start = after[0].start_byte if after else _head_start(language, node)
    named = names[0].start_byte if names else head_start
    whole = kind in (Kind.CLASS, Kind.METHOD, Kind.FUNCTION)
    head_end = bodies[0].start_byte if bodies else node.end_byte if whole else _line_end(source, named)
    if capture == "impl":
        into, name = _last_name(name), f"impl {name}"
    elif after:
        name = f"<{_last_name(name)}>"
    if language.visibility:
        exported = not after and _is_shown(language.visibility, node, source[head_start:named])
    elif not language.exports:
        exported = not name.startswith(language.private_prefix or "\0")
    return Definition(
        kind=kind,
        name=" ".join(_storable(name).strip("\"'`").split())[:LONGEST_NAME] or "untitled",
        start=opening.start_byte,
        end=outer.end_byte,
        first=lines.at(opening.start_byte),
        last=lines.at(max(outer.end_byte - 1, outer.start_byte)),
        head=(head_start, min(head_end, node.end_byte)),
        exported=exported,
        opens=capture == "heading",
        doc=doc,
        into=into,
        receiver=_last_name(_text(receiver[0], source)) if (receiver := captures.get("receiver")) else "",
    )


def _extend(found: dict[Range, Definition], lines: Lines, length: int) -> None:
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


def _head_start(language: Language, node: "Node") -> int:
    """Where the signature starts: behind the annotations that stand inside of a definition."""
    if language.annotations:
        for child in node.children:
            for part in child.children if child.type == "modifiers" else (child,):
                if part.type not in language.annotations:
                    return part.start_byte
    return node.start_byte


def _is_shown(rule: Visibility, node: "Node", before: bytes) -> bool:
    """Whether others see a definition; `before` is what stands before its name."""
    parent = node.parent
    holder = parent.parent if parent else None
    around = {one.type for one in (parent, holder) if one}
    words = set(_WORD.findall(before))
    if words & rule.private or (parent and parent.type in rule.closed):
        return False
    return not rule.public or bool(words & rule.public or node.type in rule.open or around & rule.holders)


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


def _marks(kind: str, captures: "dict[str, list[Node]]", source: bytes) -> list[Mark]:
    details, places = captures.get(_DETAILS.get(kind, ""), []), captures.get("at")
    detail = _text(details[0], source) if details else ""
    at = places[0].start_byte if places else None
    return [Mark(kind, node.start_byte if at is None else at, _text(node, source), detail) for node in captures[kind]]


def _import(nodes: "list[Node]", captures: "dict[str, list[Node]]", source: bytes, lines: "Lines") -> Import:
    names = tuple(_storable(_text(name, source)) for name in captures.get("import.name", []))
    aliases = tuple(_storable(_text(alias, source)) for alias in captures.get("import.alias", []))
    start, end = nodes[0].start_byte, nodes[-1].end_byte  # some grammars have a node for each part of a path
    module = _storable(source[start:end].decode("utf-8", "replace")).strip("\"'`<>")
    return Import(module, names, lines.at(start), aliases, "import.star" in captures)


def _text(node: "Node", source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _last_name(text: str) -> str:
    """`*pay.Card[T]` is Card: the scope that a type's methods belong to."""
    parts = type_name(text)
    return parts[-1] if parts else ""


def _call(node: "Node", on: "list[Node] | None", source: bytes, lines: "Lines") -> tuple[int, int, str]:
    """`on` is what a method is called on, where the grammar has no node for both; a long chain is cut to `….name`."""
    name = source[node.start_byte : node.end_byte]
    whole = source[on[0].start_byte : on[0].end_byte] + b"." + name if on else name
    callee = b" ".join(_LINE_COMMENT.sub(b"", whole).split()) if b"\n" in whole else whole
    if len(callee) > LONGEST:
        callee = "….".encode() + callee.rpartition(b".")[2][-LONGEST:]
    return node.start_byte, lines.at(max(node.start_byte, node.end_byte - 1)), callee.decode("utf-8", "replace")


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
