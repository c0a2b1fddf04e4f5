"""From source text to its definitions, imports and calls, by one query per language. It never fails."""

import inspect
import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from clew.index.chains import LONGEST, last_member, type_name
from clew.index.languages import Language, grammar, query_text
from clew.index.ranges import Range
from clew.model.code import Import
from clew.model.words import Kind

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

LONGEST_NAME = 120
LONGEST_LITERAL = 4000  # bytes of a table or a list that are looked at
LONGEST_ARGUMENTS = 800  # bytes; more are a program of their own, passed as a function
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
    "property": Kind.VARIABLE,
}
# What is said of a scope, and the capture of the type or value that goes with it; `@key` is the member of a value.
_MARKS = {
    "base": "", "implements": "", "decorator": "", "package": "", "exported": "", "param": "", "returned": "",
    "result": "", "typed": "type", "field": "type", "assigned": "value", "reassigned": "value", "offered": "value",
    "each": "of", "taken": "key",
}  # fmt: skip
_RANK = {kind: rank for rank, kind in enumerate(dict.fromkeys(_DEFINITIONS.values()))}
_FUNCTIONS = (Kind.FUNCTION, Kind.METHOD)
_NEWLINE = re.compile(rb"\n")
_QUOTES = re.compile(r"^[rRbBuUfF]*(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$")
_COMMENT_MARKS = re.compile(r"^\s*(?:/\*+|\*+/|\*|//+|#+)\s?|\s*\*+/\s*$", re.MULTILINE)


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
    member: bool = False  # an entry of an object: no name of its own in the scope around
    bodied: bool = False  # more than a signature or a plain value
    lexical: bool = False  # its `this` is that of what is around
    into: str = ""  # the scope that its contents belong to, if it is not its own: `impl Card`
    receiver: str = ""  # the scope that it belongs to itself: `func (c *Card) Charge()`


@dataclass(frozen=True, slots=True)
class Mark:
    """Something said of the scope that it stands in; `detail` is the type or the value that goes with a name."""

    kind: str
    at: int
    text: str
    detail: str = ""


class Callsite(NamedTuple):
    """A call: where it stands (byte, line), what is called and what is passed, as written."""

    at: int
    line: int
    callee: str
    args: str = ""
    bare: bool = False  # a name that is a call only where nothing binds it


@dataclass(slots=True)
class Outline:
    """What one pass over the tree found."""

    definitions: list[Definition] = field(default_factory=list)
    doc: Range | None = None
    imports: list[Import] = field(default_factory=list)
    calls: list[Callsite] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    lambdas: list[Range] = field(default_factory=list)  # functions, named or not: what one returns is not its holder's
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

    source = _readable(source)
    root = _parser(language).parse(source).root_node
    result = Outline(statements=[(child.start_byte, child.end_byte) for child in root.children], root=root)
    lines = Lines(source)
    found: dict[Range, Definition] = {}
    docs: list[Range] = []
    errors: set[int] = set()
    imported: dict[int, Import] = {}
    for _, captures in QueryCursor(_query(language)).matches(root):
        if "call" in captures or "call.bare" in captures:
            result.calls.append(_call(captures, source, lines))
        elif imports := captures.get("import"):
            _import(imported, imports[0], captures, source, lines)
        elif lambdas := captures.get("lambda"):
            result.lambdas.append((lambdas[0].start_byte, lambdas[0].end_byte))
        elif doc := captures.get("doc"):
            docs.append((doc[0].start_byte, doc[0].end_byte))
        elif error := captures.get("error"):
            errors.add(lines.at(error[0].start_byte))
        elif kind := next((kind for kind in captures if kind in _MARKS), None):
            result.marks.extend(_marks(kind, captures, source))
        else:
            _add(found, _definition(language, captures, source, lines))
    _extend(found, lines, len(source))
    result.imports = list(imported.values())
    result.definitions = sorted(found.values(), key=lambda d: (d.start, -d.end, _RANK[d.kind]))
    _document(result, docs)
    result.problems = _syntax_problems(errors)
    return result


def _readable(source: bytes) -> bytes:
    """Text that a query can compare: the binding's predicates fail on what is not UTF-8."""
    try:
        source.decode()
    except UnicodeDecodeError:
        return bytes(byte if byte < 128 else ord("?") for byte in source)
    return source


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


def _add(found: dict[Range, Definition], definition: Definition | None) -> None:
    if definition is None:
        return
    place = definition.head[0], definition.end
    known = found.get(place)
    if known is None or (_RANK[definition.kind], known.bodied) < (_RANK[known.kind], definition.bodied):
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
    head_end = _line_end(source, node.start_byte)
    if bodies or kind in _FUNCTIONS:  # one without a body is all signature
        head_end = _body_start(language, bodies[0]) if bodies else node.end_byte
    if capture == "impl":
        into, name = _last_name(name), f"impl {name}"
    return Definition(
        kind=kind,
        name=" ".join(_storable(name).strip("\"'`:").split())[:LONGEST_NAME] or "untitled",
        start=opening.start_byte,
        end=outer.end_byte,
        first=lines.at(opening.start_byte),
        last=lines.at(max(outer.end_byte - 1, outer.start_byte)),
        head=(node.start_byte, min(head_end, node.end_byte)),
        exported=exported if language.exports else not name.startswith(language.private_prefix or "\0"),
        opens=capture == "heading",
        doc=doc,
        member=capture == "property",
        bodied=bool(bodies),
        lexical=bool(bodies and language.lexical and bodies[0].parent and bodies[0].parent.type in language.lexical),
        into=into,
        receiver=_last_name(_text(receiver[0], source)) if (receiver := captures.get("receiver")) else "",
    )


def _body_start(language: Language, body: "Node") -> int:
    """Where a signature ends: before the comments that stand above the body, where a grammar leaves them out of it."""
    while (upper := body.prev_sibling) is not None and upper.type in language.doc_before:
        body = upper
    return body.start_byte


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


def _leading_doc(language: Language, node: "Node", source: bytes) -> "tuple[Node, Range | None]":
    """The first of the comments and decorators that stand right above a node, and the range of the comments."""
    opening, upper = node, node.prev_sibling
    comments: list[Node] = []
    while (
        upper is not None
        and (upper.type in language.doc_before or upper.type in language.leading)
        and not source[upper.end_byte : opening.start_byte].strip()
        and source.count(b"\n", upper.end_byte, opening.start_byte) <= 1
    ):
        comments += [upper] if upper.type in language.doc_before else []
        opening, upper = upper, upper.prev_sibling
    return opening, (comments[-1].start_byte, comments[0].end_byte) if comments else None


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
    details, keys = captures.get(_MARKS[kind], []), captures.get("key", [])
    detail = _clipped(details[0], source) if details else ""
    if keys and details and kind != "taken":
        detail += f".{_text(keys[0], source)}"
    return [Mark(kind, node.start_byte, _clipped(node, source), detail) for node in captures[kind]]


def _import(
    found: dict[int, Import], node: "Node", captures: "dict[str, list[Node]]", source: bytes, lines: "Lines"
) -> None:
    """What one statement takes from a module is one import, however many matches see it."""
    names = [_storable(_text(name, source)) for name in captures.get("import.name", [])]
    aliases = [_storable(_text(alias, source)) for alias in captures.get("import.alias", [])]
    if default := captures.get("import.default"):
        names, aliases = ["default"], [_text(default[0], source)]
    star = "import.star" in captures
    place = node.start_byte if names or star or not aliases else -1 - node.start_byte  # a module under its own alias
    if (known := found.get(place)) is None:
        beside = "./" if "import.beside" in captures else ""  # named by a path from the file
        module = beside + _storable(_text(node, source)).strip("\"'`<>")
        found[place] = Import(module, tuple(names), lines.at(node.start_byte), tuple(aliases), star)
        return
    taken = known.names + tuple(names)
    called = (known.aliases or known.names) + tuple(aliases or names)
    found[place] = known._replace(names=taken, aliases=called if called != taken else (), star=known.star or star)


def _text(node: "Node", source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _clipped(node: "Node", source: bytes) -> str:
    """As much of an expression as anybody reads."""
    longest = LONGEST_LITERAL if source[node.start_byte : node.start_byte + 1] in (b"{", b"[", b"(") else LONGEST
    end = min(node.end_byte, node.start_byte + longest + 1)
    return source[node.start_byte : end].decode("utf-8", "replace")


def _last_name(text: str) -> str:
    """`*pay.Card[T]` is Card: the scope that a type's methods belong to."""
    parts = type_name(text)
    return parts[-1] if parts else ""


def _call(captures: "dict[str, list[Node]]", source: bytes, lines: "Lines") -> Callsite:
    """A callee that is too long to be read goes by its last name."""
    bare = "call" not in captures
    node = captures["call.bare" if bare else "call"][0]
    start = on[0].start_byte if (on := captures.get("call.on")) else node.start_byte
    callee = source[start : node.end_byte].decode("utf-8", "replace")
    args = ""
    if (passed := captures.get("call.args")) and passed[0].end_byte - passed[0].start_byte <= LONGEST_ARGUMENTS:
        args = _text(passed[0], source)
    written = callee if len(callee) <= LONGEST else f"….{last_member(callee[-LONGEST:])}"
    return Callsite(start, lines.at(node.end_byte - 1), written, args, bare)


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
