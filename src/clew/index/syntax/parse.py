"""From source text to its definitions, imports and calls, by one query per language. It never fails."""

import inspect
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from clew.index.syntax.call_dataflow import call_context
from clew.index.syntax.chains import LONGEST, STRING, chain_start, without_arguments
from clew.index.syntax.definition import Definition
from clew.index.syntax.definitions import Definitions, leading_doc, parse_declarator
from clew.index.syntax.imports import ImportCollector
from clew.index.syntax.ranges import LineIndex, Range
from clew.index.syntax.trees import (
    broken,
    extreme_source,
    extreme_tree,
    query_of,
    tree_of,
    with_functions,
    with_rescued,
)
from clew.languages.grammars import grammar
from clew.languages.member_names import spelled_name
from clew.languages.profile import Language
from clew.model.code import Import
from clew.model.words import Kind

if TYPE_CHECKING:
    from tree_sitter import Node, Query


# Captures that a query alone cannot evaluate: the profile of the language has functions for them.
_PATH_STARTS = {"wanted": ". "}  # of the value of a binding: a type is told from its members
APART = frozenset({"binding", "callback", "fields"})


# The context of a name in the tree: whether it is called, and its arguments.

_ARGUMENT_LISTS = frozenset({"arguments", "argument_list", "value_arguments", "initializer_list"})
_BEFORE_BLOCKS = ("value_arguments", "annotated_lambda")  # a block may follow them
_WITH_TYPES = "generic_function"


def is_read(node: "Node") -> bool:
    """Whether an expression is neither a bracketed callee, nor an assignment target."""
    around = node.parent
    if around is not None and around.type == _WITH_TYPES:
        node, around = around, around.parent
    if around is None:
        return True
    if around.type == "call_expression":
        return around.child_by_field_name("function") != node
    return around.type != "assignment_expression" or around.child_by_field_name("left") != node


def is_in_attribute(node: "Node") -> bool:
    while (parent := node.parent) is not None and parent.type == "token_tree":
        node = parent
    return parent is not None and parent.type == "attribute"


def arguments_of(captures: "dict[str, list[Node]]") -> int:
    """How many arguments a call has: those of a list, and blocks of code behind it."""
    passed = [*captures.get("call.args", ()), *captures.get("call.count", ())]
    if not passed:
        return -1
    lists = [node for node in passed if node.type in _ARGUMENT_LISTS]
    inside = sum(not child.type.endswith("comment") for node in lists for child in node.named_children)
    call = passed[0].parent if passed[0].type in _BEFORE_BLOCKS else None
    behind = call.next_named_sibling if call is not None else None
    return inside + len(passed) - len(lists) + (behind is not None and behind.type == "annotated_lambda")


LONGEST_LITERAL = 4000  # bytes of a table or a list that are looked at
LONGEST_ARGUMENTS = 800  # bytes; more are a program of their own, passed as a function
MOST_ERRORS = 5  # syntax errors told apart; the rest are counted

# What is said of a scope, and the capture of the type or value that goes with it; `@key` is the member of a value.
_MARKS = {
    "base": "", "implements": "", "decorator": "", "package": "", "subpackage": "", "exported": "", "param": "",
    "returned": "", "result": "", "local": "", "property": "", "self": "", "element": "", "generic": "bound",
    "typed": "type", "field": "type", "assigned": "value", "reassigned": "value", "offered": "value", "each": "of",
    "taken": "key", "rest": "", "handed": "", "itself": "", "plain": "type", "static": "", "canonical": "",
    "results": "", "second": "value", "third": "value", "hoisted": "", "relative": "", "everywhere": "",
    "put": "value", "narrowed": "type", "attribute": "", "attribute.written": "", "described": "", "built": "",
    "component": "", "alias": "", "first": "value", "latter": "value",
    "asserted": "value", "single": "", "case": "", "hiding": "", "awaited": "",
    "aliased": "original", "lent": "value", "passed": "type", "optional": "default", **dict.fromkeys(APART, ""),
}  # fmt: skip
# What a match is, whatever else it captures; the first of them counts.
_ROLES = (
    "call", "call.bare", "call.set", "call.update", "call.new", "call.setup", "call.tokens", "call.read", "import",
    "lambda", "part", "item", "uncalled", "doc", "documented", "error",
)  # fmt: skip
_DECLARED = ("param", "typed", "each", "plain")  # names that stand inside of a declarator, where there are any
_LINKS = re.compile(r"\.|->|::")
_LINE_COMMENT = re.compile(rb"(?<=[\s)])//[^\n\"]*$", re.MULTILINE)
_BEFORE_MEMBER = re.compile(rb"\s+(?=\??\.|::|->)")
_ON_ITSELF = (b"tap", b"then", b"yield_self")  # what Ruby's blocks are given by these is what they are called on
_CALLS = re.compile(rb"(?:(?:await|new)\s+)*[\w$]+(?:\s*\??\.[\w$]+)*(?:\(|(?:(?<=apply)|(?<=also)) \{)")
_OPENS_CALL = re.compile(rb"(?:::<[^()]*>)?(!?)(?:\(|(?<=!)[\[{])")
_OPENING_QUOTES = re.compile(r"[rRbBuUfF]*(?:\"\"\"|'''|\"|')")
_CLOSING_QUOTES = ('"""', "'''", '"', "'")
_COMMENT_MARKS = re.compile(
    r"^[ \t]*(?:/\*+!?|\*+/|\*|//+!?|#+|--+(?:[ \t]*[|^](?=\s))?)[ \t]?|\s*\*+/\s*$", re.MULTILINE
)
_SUMMARY = re.compile(r"\s*</?summary>\s*")  # how C# says which part of a comment comes first


class CapturedMark(Struct, frozen=True, gc=False):
    """Something said of the scope that it stands in; `detail` is the type or the value that goes with a name."""

    kind: str
    at: int
    text: str
    detail: str = ""
    end: int = -1  # where the detail ends


class Callsite(NamedTuple):
    """A call: its place (byte, line), the callee and the arguments, as written."""

    at: int
    line: int
    callee: str
    args: str = ""
    bare: bool = False  # a name that is a call only where nothing binds it
    makes: bool = False  # an object of a type, which is what is written
    passed: int = -1  # how many arguments, if known
    is_statement: bool = False  # what it gives goes nowhere
    given: str = ""  # what stands behind the callee, as written
    sets_up: bool = False  # what may be a type above, by its constructor
    reads: bool = False  # a member, which may be a method that is called without brackets
    unsure: bool = False  # a call only if something of the tree has the name


@dataclass(slots=True)
class Outline:
    """The results of one pass over the tree."""

    definitions: list[Definition] = field(default_factory=list)
    doc: Range | None = None
    imports: list[tuple[int, Import]] = field(default_factory=list)  # each with where it stands
    calls: list[Callsite] = field(default_factory=list)
    marks: list[CapturedMark] = field(default_factory=list)
    lambdas: list[Range] = field(default_factory=list)  # functions, named or not: what one returns is not its holder's
    blocks: list[Range] = field(default_factory=list)  # that bind names of their own, in languages where they do
    statements: list[Range] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    root: "Node | None" = None  # of the tree, which is dropped with the outline
    lost: tuple[Range, ...] = ()  # what the tree has nothing of, since nothing could be made of it
    cuts: list[int] = field(default_factory=list)  # where there is no tree: where lines may be cut into passages
    readable: bytes = b""  # the same text, byte by byte, with what is not for readers blanked out
    unread: bool = False  # nothing could be made of it: its paragraphs have to do


def outline(language: Language, source: bytes) -> Outline:
    """By the language's own splitter or walker, if it has one, or by its grammar and query."""
    if own := language.splitter or language.walker:
        found: Outline = import_module(own).outline(language, source)
        return found
    return by_query(language, source)


def by_query(language: Language, source: bytes) -> Outline:
    return query_outline(language, source, parse_root(language, source))


def parse_root(language: Language, source: bytes) -> Outline:
    """The tree alone, and its outermost statements; or why there is none."""
    source, reason = comparable(source), extreme_source(source, nests_comments=language.nests_comments)
    root, lost = tree_of(language, b"" if reason else source)
    if reason := reason or extreme_tree(root):
        return Outline(problems=[f"kept as paragraphs: {reason}"], unread=True)
    return Outline(statements=[(child.start_byte, child.end_byte) for child in root.children], root=root, lost=lost)


def query_outline(language: Language, source: bytes, result: Outline) -> Outline:
    """An outline that has its tree, with all that the query sees in it."""
    from tree_sitter import QueryCursor  # native code, needed only where files are parsed

    root, source = result.root, comparable(source)
    if root is None:
        return result
    lines = LineIndex(source)
    definitions, imports = Definitions(language, source, lines), ImportCollector(language, source, lines)
    docs, items, uncalled, errors = list[Range](), list[Range](), list[Range](), set[int]()
    ranges = {"lambda": result.lambdas, "part": result.blocks, "item": items, "uncalled": uncalled}
    setters: dict[tuple[int, str], Callsite] = {}
    for _, captures in QueryCursor(query_of(language)).matches(root):
        role = _role(tuple(captures))
        if role in _MARKS:
            result.marks.extend(_marks(language, role, captures, source))
        elif not role:
            definitions.add(captures)
        elif role == "call.set":
            call = _call(language, {**captures, "call": captures[role]}, source, lines)
            setters[call.at, call.callee] = call._replace(callee=f"{call.callee}=")
        elif role.startswith("call"):
            result.calls += _calls(language, role, captures, source, lines)
        elif role in ranges:
            ranges[role].append((captures[role][0].start_byte, captures[role][0].end_byte))
        elif role == "import":
            imports.add(captures)
        elif role == "doc":
            docs.append((captures[role][0].start_byte, captures[role][-1].end_byte))
        elif role == "documented":
            docs += filter(None, [leading_doc(language, captures[role][0], source)[1]])
        else:  # an error, by a query that asks for it in words of its own
            errors.add(lines.at(captures[role][0].start_byte))
    if setters:  # what is assigned to is not read
        result.calls = [setters.get((call.at, call.callee), call) for call in result.calls]
    result.definitions, result.imports = definitions.in_source_order(), imports.imports_with_positions()
    if language.functions_in_lines and (root.has_error or result.lost):
        result.definitions = with_functions(language, result.definitions, source)
        names = {one.named for one in result.definitions}
        result.calls = [call for call in result.calls if call.at not in names]
    if language.heads_like_calls:
        heads = {at for one in result.definitions for at in range(one.head[0], one.named + 1)}
        result.calls = [call for call in result.calls if call.at not in heads]
    if uncalled:
        result.calls = _outside_of(uncalled, result.calls)
    attach_docs(result, docs)
    result.statements = items or result.statements
    errors |= {lines.at(node.start_byte) for node in broken(language, root)} | _rescue_lost_lines(
        language, source, lines, result
    )
    result.problems = _syntax_problems(errors)
    result.unread = bool(errors) and not result.definitions and language.rest is not Kind.MODULE
    return result


def _outside_of(uncalled: list[Range], calls: list[Callsite]) -> list[Callsite]:
    """Calls that do not lie in types and patterns, which may be written like calls."""
    starts, ends = list[int](), list[int]()
    for start, end in sorted(uncalled):
        if not ends or start >= ends[-1]:  # an inner range adds nothing
            starts.append(start)
            ends.append(end)
    places = [bisect_right(starts, call.at) - 1 for call in calls]
    return [call for call, place in zip(calls, places, strict=True) if place < 0 or call.at >= ends[place]]


@cache
def _role(captured: tuple[str, ...]) -> str:
    """The capture of a match that determines its role; "" for a definition."""
    return next(filter(captured.__contains__, _ROLES), "") or next(filter(_MARKS.__contains__, captured), "")


def _rescue_lost_lines(language: Language, source: bytes, lines: LineIndex, result: Outline) -> set[int]:
    """Add definitions from the text of lost lines; returns the starts of these lines."""
    if not result.lost:
        return set()
    result.definitions = with_rescued(language, result.definitions, source, result.lost)
    behind = {end for _, end in result.lost}
    return {lines.at(start) for start, _ in result.lost if start not in behind}


def comparable(source: bytes) -> bytes:
    """Text that a query can compare: the binding's predicates fail on invalid UTF-8."""
    if source.isascii():
        return source
    try:
        source.decode()
    except UnicodeDecodeError:
        return bytes(byte if byte < 128 else ord("?") for byte in source)
    return source


def doc_text(source: bytes, where: Range) -> str:
    """A docstring or comment without its marks."""
    text = source[slice(*where)].decode("utf-8", "replace").strip()
    plain = _COMMENT_MARKS.sub("", text) if text[:1] in ("/", "#", "*", "-") else _unquote(text)
    if "summary>" in plain:
        plain = _SUMMARY.sub("\n\n", plain)
    return inspect.cleandoc(plain)


def _unquote(text: str) -> str:
    if opening := _OPENING_QUOTES.match(text):
        text = text[opening.end() :]
    quotes = next(filter(text.endswith, _CLOSING_QUOTES), "")
    return text.removesuffix(quotes)


def attach_docs(result: Outline, docs: list[Range]) -> None:
    """Give each docstring to the definition with the body that it opens; one that opens the file is the file's."""
    by_body = {definition.head[1]: definition for definition in result.definitions}
    opening = result.definitions[0].start if result.definitions else None
    for doc in docs:
        if holder := by_body.get(doc[0]):
            holder.doc = doc
        elif result.doc is None and (opening is None or doc[0] < opening):
            result.doc = doc


def _marks(language: Language, kind: str, captures: "dict[str, list[Node]]", source: bytes) -> list[CapturedMark]:
    """`@at` is where a mark belongs, if not where it stands."""
    if kind in APART:
        return _taken_apart(language, captures, source)
    details, keys, places = captures.get(_MARKS[kind], []), captures.get("key"), captures.get("at")
    end = details[-1].end_byte if details else -1
    detail = clip(details[0].start_byte, end, source) if details else ""
    end = max(end, captures[kind][0].end_byte) if details else -1
    if language.declarators and details and _is_const(details[0], source):
        detail = f"const {detail}"
    if within := captures.get("within"):
        start = captures["after"][0].end_byte if "after" in captures else within[0].start_byte
        return [CapturedMark(kind, start, _text(captures[kind][0], source), detail, within[0].end_byte)]
    if keys and details and kind != "taken":
        detail += f".{_text(keys[0], source)}"
    marks = [
        CapturedMark(kind, (places or [node])[0].start_byte, clip(node.start_byte, node.end_byte, source), detail, end)
        for node in captures[kind]
    ]
    if not language.declarators or kind not in _DECLARED:
        return marks
    seen, is_type = [(mark, parse_declarator(mark.text)) for mark in marks], kind in ("typed", "plain")
    named = [(mark, one) for mark, one in seen if one.name and not (one.takes and is_type)]
    return [replace(mark, text=one.name, detail=_pointer_type(mark) if is_type else mark.detail) for mark, one in named]


def _is_const(type_: "Node", source: bytes) -> bool:
    """Whether `const` stands before or behind a type."""
    beside = (type_.prev_sibling, type_.next_sibling)
    return any(one is not None and one.type == "type_qualifier" and _text(one, source) == "const" for one in beside)


def _pointer_type(mark: CapturedMark) -> str:
    """The type of a name, with the stars that stand before that, and one where there are brackets behind it."""
    return f"{mark.detail}{'*' * (mark.text.count('*') + mark.text.count('['))}" if mark.detail else ""


def _taken_apart(language: Language, captures: "dict[str, list[Node]]", source: bytes) -> list[CapturedMark]:
    """The bindings of patterns, with the fields of their positions; and arguments of callbacks."""
    marks: list[CapturedMark] = []
    bindings_of = language.bindings_of
    for one in (found for node in captures.get("binding", ()) for found in bindings_of(node)) if bindings_of else ():
        last = one.last or one.value
        detail = clip(one.value.start_byte, last.end_byte, source) if one.value is not None and last else ""
        if one.members:
            detail += f"{_PATH_STARTS.get(one.kind, '.')}{'.'.join(map(spelled_name, one.members))}"
        end = max(one.end, one.name.end_byte)
        marks.append(CapturedMark(one.kind, one.name.start_byte, _text(one.name, source), detail, end))
    fields, passed = language.own_fields_of, language.callbacks_of
    named = [("typed", *found) for node in captures.get("fields", ()) for found in fields(node)] if fields else []
    if passed:
        named += [("passed", one.text, type_) for node in captures.get("callback", ()) for one, type_ in passed(node)]
    for kind, name, type_ in named:
        marks.append(CapturedMark(kind, type_.start_byte, name, _text(type_, source), type_.end_byte))
    return marks


def _text(node: "Node", source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def clip(start: int, end: int, source: bytes) -> str:
    """The relevant beginning of an expression; a long chain of calls without its arguments."""
    longest = LONGEST_LITERAL if source[start : start + 1] in (b"{", b"[", b"(") else LONGEST
    if longest < end - start <= LONGEST_LITERAL and _CALLS.match(source, start):
        return without_arguments(source[start:end].decode("utf-8", "replace"))
    return source[start : min(end, start + longest + 1)].decode("utf-8", "replace")


def _calls(
    language: Language, role: str, captures: "dict[str, list[Node]]", source: bytes, lines: LineIndex
) -> list[Callsite]:
    if role in ("call", "call.bare"):
        return [_call(language, captures, source, lines)]
    if role == "call.new":
        return [_constructor_call(captures, source, lines)]
    if role in ("call.tokens", "call.read"):
        return (_call_in_tokens if role == "call.tokens" else _member_read)(captures[role][0], source, lines)
    call = _call(language, {**captures, "call": captures[role]}, source, lines)
    if role == "call.update":  # what is read and assigned to at once
        return [call._replace(callee=f"{call.callee}=")]
    return [call._replace(sets_up=True)]


def _call(language: Language, captures: "dict[str, list[Node]]", source: bytes, lines: LineIndex) -> Callsite:
    """On a receiver that is a node apart in some languages: `card charge 3` and `card.send(:charge)`."""
    is_bare = "call" not in captures
    node = captures["call.bare" if is_bare else "call"][0]
    start, end, args = node.start_byte, node.end_byte, ""
    end += source.startswith(b"!(", end)  # a macro that is read as a function
    is_sent = node.type == "simple_symbol"
    written = source[start + is_sent : end]
    if language.callee_of and "call.dotted" in captures:
        written = language.callee_of(node, source)
    if ons := captures.get("call.on"):
        is_apart = is_sent or source[ons[0].end_byte : start].isspace()
        start = ons[0].start_byte
        written = source[start : ons[0].end_byte] + b"." + written if is_apart else source[start:end]
    if handed := captures.get("call.by"):
        written = _by_element(handed[0], written, source)
    if (passed := captures.get("call.args")) and passed[0].end_byte - passed[0].start_byte <= LONGEST_ARGUMENTS:
        args = _text(passed[0], source)
    is_statement, given = call_context(node, source)
    if not given and (counted := captures.get("call.count")):  # `Card card{1}`, whose arguments stand behind a name
        given = f"({_text(counted[0], source)[1:-1]})"
    count = arguments_of(captures)
    return Callsite(start, lines.at(end - 1), _callee(written), args, is_bare, False, count, is_statement, given)


def _by_element(by: "Node", written: bytes, source: bytes) -> bytes:
    """A method reference passed by name is called on the elements of blocks: `cards.map(&:pay)`."""
    is_itself = source[by.start_byte : by.end_byte] in _ON_ITSELF
    return written if is_itself else b"_." + written.rpartition(b".")[2]


def _member_read(node: "Node", source: bytes, lines: LineIndex) -> list[Callsite]:
    """A member that is neither called in brackets nor assigned to."""
    if node.end_byte - node.start_byte > LONGEST or not is_read(node):
        return []
    written = _callee(source[node.start_byte : node.end_byte])
    return [Callsite(node.start_byte, lines.at(node.end_byte - 1), written, reads=True)]


def _constructor_call(captures: "dict[str, list[Node]]", source: bytes, lines: LineIndex) -> Callsite:
    node = captures["call.new"][0]
    start = captures.get("call.at", [node])[0].start_byte
    is_statement, given = call_context(node, source)
    text, count = _text(node, source), arguments_of(captures)
    return Callsite(start, lines.at(start), text, "", False, True, count, is_statement, given)


def _call_in_tokens(node: "Node", source: bytes, lines: LineIndex) -> list[Callsite]:
    """A call by its last name, where the grammar has no expressions: its receiver stands before it."""
    opens = _OPENS_CALL.match(source, node.end_byte)
    if opens is None:
        return []
    start = chain_start(source, node.start_byte)
    is_given = source[max(0, start - 3) : start].rstrip().endswith(b"=")
    if is_in_attribute(node) and not is_given:  # it names an option
        return []
    return [Callsite(start, lines.at(node.start_byte), _callee(source[start : node.end_byte] + opens[1]))]


def _callee(written: bytes) -> str:
    """On one line, without comments; too long a chain is told without arguments, or a text, or cut to `….name`."""
    if b"\n" in written:
        written = _LINE_COMMENT.sub(b"", written)
    callee = b" ".join(_BEFORE_MEMBER.sub(b"", written).split()).decode("utf-8", "replace")
    if len(callee) > LONGEST and (text := STRING.match(callee)):
        callee = f'"…"{callee[text.end() :]}'
    if len(callee) <= LONGEST:
        return callee
    short = without_arguments(callee) if len(callee) <= LONGEST_LITERAL else callee
    return short if len(short) <= LONGEST else f"….{_LINKS.split(callee)[-1][-LONGEST:]}"


def _syntax_problems(errors: set[int]) -> list[str]:
    if not errors:
        return []
    lines = ", ".join(str(line) for line in sorted(errors)[:MOST_ERRORS])
    more = f" and {len(errors) - MOST_ERRORS} more" if len(errors) > MOST_ERRORS else ""
    return [f"syntax error at line {lines}{more}"]


# Where the comments of a source are, by its grammar.


def comment_ranges(language: Language, source: bytes) -> list[Range]:
    """In order; none for a language without a grammar, or with a grammar without comments."""
    return comments_in(language, tree_of(language, comparable(source)).root) if language.grammar else []


def comments_in(language: Language, root: "Node") -> list[Range]:
    """The same, of a tree that is there already."""
    query = _comment_query(language) if language.grammar else None
    if query is None:
        return []
    from tree_sitter import QueryCursor  # native code, needed only where files are parsed

    captured = QueryCursor(query).captures(root).get("comment", [])
    return sorted((node.start_byte, node.end_byte) for node in captured)


@cache
def _comment_query(language: Language) -> "Query | None":
    from tree_sitter import Query

    known = grammar(language)
    kinds = [known.node_kind_for_id(n) or "" for n in range(known.node_kind_count) if known.node_kind_is_named(n)]
    comments = sorted({kind for kind in kinds if kind.endswith("comment") and not kind.startswith("_")})
    usable = [kind for kind in comments if known.id_for_node_kind(kind, True)]
    return Query(known, " ".join(f"({kind}) @comment" for kind in usable)) if usable else None
