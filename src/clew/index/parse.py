"""From source text to its definitions, imports and calls, by one query per language. It never fails."""

import inspect
import re
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from clew.index.chains import LONGEST, chain_start
from clew.index.declarators import declared
from clew.index.definitions import Definition, Definitions, leading_doc
from clew.index.languages import grammar, query_text
from clew.index.languages.language import Language
from clew.index.lines import Lines
from clew.index.preprocessor import readable
from clew.index.ranges import Range
from clew.model.code import Import

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

MOST_ERRORS = 5  # syntax errors told apart; the rest are counted

# What is said of the scope that it stands in, and the capture of the type or the value that goes with a name.
_MARKS = {
    "base": "", "implements": "", "decorator": "", "package": "", "subpackage": "", "exported": "", "param": "",
    "returned": "", "result": "", "local": "", "property": "", "self": "", "element": "", "generic": "bound",
    "typed": "type", "field": "type", "assigned": "value", "each": "of",
}  # fmt: skip
_DECLARED = ("param", "typed")  # names that stand inside of a declarator, where there are any
_LINKS = re.compile(rb"\.|->|::")
_LINE_COMMENT = re.compile(rb"(?<=\s)//[^\n\"]*$", re.MULTILINE)
_BEFORE_MEMBER = re.compile(rb"\s+(?=\??\.|::|->)")
_OPENS_CALL = re.compile(rb"(!?)(?:\(|(?<=!)[\[{])")
_QUOTES = re.compile(r"^[rRbBuUfF]*(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$")
_COMMENT_MARKS = re.compile(r"^[ \t]*(?:/\*+!?|\*+/|\*|//+!?|#+)[ \t]?|\s*\*+/\s*$", re.MULTILINE)
_SUMMARY = re.compile(r"\s*</?summary>\s*")  # how C# says which part of a comment comes first


@dataclass(frozen=True, slots=True)
class Mark:
    """Something said of the scope that it stands in; `detail` is the type or the value that goes with a name."""

    kind: str
    at: int
    text: str
    detail: str = ""


class Callsite(NamedTuple):
    """A call: where it stands (byte, line), and what is called, as written."""

    at: int
    line: int
    callee: str
    makes: bool = False  # an object of a type, which is what is written


@dataclass(slots=True)
class Outline:
    """What one pass over the tree found."""

    definitions: list[Definition] = field(default_factory=list)
    doc: Range | None = None
    imports: list[Import] = field(default_factory=list)
    imported_at: list[int] = field(default_factory=list)  # where each import stands
    calls: list[Callsite] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    statements: list[Range] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    root: "Node | None" = None  # of the tree, which is dropped with the outline


def outline(language: Language, source: bytes) -> Outline:
    from tree_sitter import QueryCursor  # native code, needed only where files are parsed

    root = _root(language, source)
    result = Outline(statements=[(child.start_byte, child.end_byte) for child in root.children], root=root)
    lines = Lines(source)
    definitions = Definitions(language, source, lines)
    docs: list[Range] = []
    errors: set[int] = set()
    for _, captures in QueryCursor(_query(language)).matches(root):
        if calls := captures.get("call"):
            result.calls.append(_call(captures.get("call.on", calls)[0], calls[0], source, lines))
        elif made := captures.get("call.new"):
            start = made[0].start_byte
            result.calls.append(Callsite(start, lines.at(start), _text(made[0], source), makes=True))
        elif tokens := captures.get("call.tokens"):
            result.calls += _call_in_tokens(tokens[0], source, lines)
        elif imports := captures.get("import"):
            brought = _imports(language, imports, captures, source, lines)
            result.imports += brought
            result.imported_at += [imports[0].start_byte] * len(brought)
        elif doc := captures.get("doc"):
            docs.append((doc[0].start_byte, doc[-1].end_byte))
        elif documented := captures.get("documented"):
            docs += filter(None, [leading_doc(language, documented[0], source)[1]])
        elif error := captures.get("error"):
            errors.add(lines.at(error[0].start_byte))
        elif kind := next((kind for kind in captures if kind in _MARKS), None):
            result.marks.extend(_marks(language, kind, captures, source))
        else:
            definitions.add(captures)
    result.definitions = definitions.sorted()
    _document(result, docs)
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
    return inspect.cleandoc(_SUMMARY.sub("\n\n", marks.sub("", text)))


@cache
def _parser(language: Language) -> "Parser":
    from tree_sitter import Parser

    return Parser(grammar(language))


@cache
def _query(language: Language) -> "Query":
    from tree_sitter import Query

    return Query(grammar(language), query_text(language))


def _document(result: Outline, docs: list[Range]) -> None:
    """Give each docstring to the definition whose body it opens; one that opens the file is the file's."""
    by_body = {definition.head[1]: definition for definition in result.definitions}
    opening = result.definitions[0].start if result.definitions else None
    for doc in docs:
        if holder := by_body.get(doc[0]):
            holder.doc = doc
        elif result.doc is None and (opening is None or doc[0] < opening):
            result.doc = doc


def _marks(language: Language, kind: str, captures: "dict[str, list[Node]]", source: bytes) -> list[Mark]:
    """`@at` is where a mark belongs, if not where it stands."""
    details, places = captures.get(_MARKS[kind], []), captures.get("at")
    detail = source[details[0].start_byte : details[-1].end_byte].decode("utf-8", "replace") if details else ""
    at = places[0].start_byte if places else None
    marks = [Mark(kind, node.start_byte if at is None else at, _text(node, source), detail) for node in captures[kind]]
    if not language.declarators or kind not in _DECLARED:
        return marks
    seen = [(mark, declared(mark.text)) for mark in marks]
    return [replace(mark, text=one.name) for mark, one in seen if one.name and not (one.takes and kind == "typed")]


def _imports(
    language: Language, nodes: "list[Node]", captures: "dict[str, list[Node]]", source: bytes, lines: Lines
) -> list[Import]:
    line = lines.at(nodes[0].start_byte)
    if language.imports_of:
        return language.imports_of(nodes[0], line)
    names = tuple(_storable(_text(name, source)) for name in captures.get("import.name", []))
    aliases = tuple(_storable(_text(alias, source)) for alias in captures.get("import.alias", []))
    path = source[nodes[0].start_byte : nodes[-1].end_byte]  # some grammars have a node for each part of it
    module = _storable(path.decode("utf-8", "replace")).strip("\"'`<>")
    return [Import(module, names, line, aliases, "import.star" in captures)]


def _text(node: "Node", source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _call(on: "Node", node: "Node", source: bytes, lines: Lines) -> Callsite:
    """A call of `node`, on a receiver that is a node apart in some languages: `card charge 3` is `card.charge(3)`."""
    written = source[on.start_byte : node.end_byte]
    if on is not node and source[on.end_byte : node.start_byte].isspace():
        written = source[on.start_byte : on.end_byte] + b"." + source[node.start_byte : node.end_byte]
    return Callsite(on.start_byte, lines.at(node.end_byte - 1), _callee(written))


def _call_in_tokens(node: "Node", source: bytes, lines: Lines) -> list[Callsite]:
    """A call by its last name, where the grammar sees no expressions: what it is called on stands before it."""
    opens = _OPENS_CALL.match(source, node.end_byte)
    if opens is None or _is_in_attribute(node):
        return []
    start = chain_start(source, node.start_byte)
    return [Callsite(start, lines.at(node.start_byte), _callee(source[start : node.end_byte] + opens[1]))]


def _is_in_attribute(node: "Node") -> bool:
    while (parent := node.parent) is not None and parent.type == "token_tree":
        node = parent
    return parent is not None and parent.type == "attribute"


def _callee(written: bytes) -> str:
    """On one line, without comments; too long a chain is cut to `….name`."""
    if b"\n" in written:
        written = _LINE_COMMENT.sub(b"", written)
    callee = b" ".join(_BEFORE_MEMBER.sub(b"", written).split())
    if len(callee) > LONGEST:
        callee = "….".encode() + _LINKS.split(callee)[-1][-LONGEST:]
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
