"""From a text to its tree: of the ways to read it that a language knows, the first without errors, or the best."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import accumulate, chain
from operator import sub
from typing import TYPE_CHECKING, NamedTuple

from clew.index.syntax.definition import Definition, clip_overlaps
from clew.index.syntax.definitions import KINDS, LONGEST_NAME, in_order
from clew.index.syntax.error_recovery import IndentedLine, lines_of
from clew.index.syntax.ranges import LineIndex, Range, blank_ranges, length
from clew.languages.grammars import compile_query, grammar, query_text
from clew.languages.profile import Language
from clew.model.words import Kind

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query


# Definitions in lines that a grammar could make nothing of, by the words that introduce them and by indentation.

_KINDS = {
    **dict.fromkeys((b"class", b"struct", b"enum", b"union", b"record", b"object", b"actor", b"module"), Kind.CLASS),
    **dict.fromkeys((b"interface", b"trait", b"protocol", b"type"), Kind.INTERFACE),
    **dict.fromkeys((b"def", b"fn", b"func", b"fun", b"function", b"macro"), Kind.FUNCTION),
}
_HEAD = re.compile(
    rb"[ \t]*(?:(?:public|private|protected|internal|fileprivate|package|static|final|abstract|sealed|open|data|inline"
    rb"|export|default|declare|async|pub(?:\([^()\n]*\))?|unsafe|const|virtual|override|partial|readonly|case|implicit"
    rb"|inner|actual|expect|external|suspend|mutating|nonisolated|@\w+(?:\([^()\n]*\))?)[ \t]+)*"
    rb"(" + b"|".join(_KINDS) + rb")[ \t]+(?:<[^<>\n]*>[ \t]*)?([^\W\d][\w$]*[?!]?)(?=\s*(?:[<(\[{:=;]|\w+\b|$))"
)
_HIDES = re.compile(rb"\b(?:private|fileprivate|protected|internal)\b")
_SHOWS = re.compile(rb"\b(?:public|export|pub)\b")


def with_rescued(
    language: Language, definitions: list[Definition], source: bytes, lost: tuple[Range, ...]
) -> list[Definition]:
    """The definitions of a tree, and those rescued from its lost ranges; none crosses another."""
    both = in_order([*definitions, *rescue_definitions(language, source, lost)])
    clip_overlaps(both, LineIndex(source))
    return both


def with_functions(language: Language, definitions: list[Definition], source: bytes) -> list[Definition]:
    """Those of a tree with errors, and the functions that only the lines show."""
    if language.functions_in_lines is None:
        return definitions
    lines = LineIndex(source)
    known = {one.named: one for one in definitions if one.kind is Kind.FUNCTION}
    shown = list(language.functions_in_lines(source))
    cut = [one for one in shown if one.name_start in known and known[one.name_start].end != one.end]
    for one in cut:  # where a tree has errors, its function may end anywhere
        found = known[one.name_start]
        found.end, found.last = one.end, lines.at(one.end - 1)
    found_in_lines = [
        Definition(
            kind=Kind.FUNCTION,
            name=source[one.name_start : one.name_end].decode("utf-8", "replace")[:LONGEST_NAME],
            start=one.doc[0] if one.doc else one.start,
            end=one.end,
            first=lines.at(one.doc[0] if one.doc else one.start),
            last=lines.at(one.end - 1),
            head=(one.start, len(source[: one.head_end].rstrip(b"{ \t\n"))),
            exported=True,
            named=one.name_start,
            bodied=True,
            doc=one.doc,
        )
        for one in shown
        if one.name_start not in known
    ]
    both = in_order([*definitions, *found_in_lines])
    clip_overlaps(both, lines)
    return both


def rescue_definitions(language: Language, source: bytes, lost: tuple[Range, ...]) -> list[Definition]:
    """Each extends over all lines with deeper indentation, and its closing line."""
    starts = {start for start, _ in lost}
    lines = list(lines_of(source))
    found = []
    for at, line in enumerate(lines):
        if line.start in starts and (head := _HEAD.match(source, line.start, line.end)):
            found.append(_definition(language, head, source, lines[at : _last(lines, at) + 1], at + 1))
    return found


def _last(lines: list[IndentedLine], at: int) -> int:
    """The last line of the definition that begins here."""
    last = at
    for place in range(at + 1, len(lines)):
        line = lines[place]
        if line.indent >= 0:
            if line.indent < lines[at].indent or (line.indent == lines[at].indent and not line.goes_on):
                break
            last = place
    return last


def _definition(
    language: Language, head: re.Match[bytes], source: bytes, lines: list[IndentedLine], first: int
) -> Definition:
    start = lines[0].start + len(head[0]) - len(head[0].lstrip())
    name = head[2].decode("utf-8", "replace")[:LONGEST_NAME]
    return Definition(
        kind=_KINDS[head[1]],
        name=name,
        start=start,
        end=len(source[: lines[-1].end].rstrip()),
        first=first,
        last=first + len(lines) - 1,
        head=(start, len(source[: lines[0].end].rstrip(b"\r\n {"))),
        exported=_is_exported(language, head[0], name),
        named=head.start(2),
        bodied=len(lines) > 1,
    )


def _is_exported(language: Language, head: bytes, name: str) -> bool:
    if language.shown_by_case:
        return name[:1].isupper()
    if language.shown_by_word:
        return _SHOWS.search(head) is not None
    return not _HIDES.search(head) and not name.startswith(language.private_prefix or "\0")


# Detects sources and trees that no parser or query can process in reasonable time, before the time is spent.

MOST_OPEN = 5_000  # brackets inside each other, or never closed; a parser's time may grow with their square
MOST_MARKS = 10_000  # nameless nodes in one, such as brackets in an error: a query's time grows with their square
MOST_UNCLOSED = 100  # comments in each other; some scanners take the cube of their number
DEEPEST = 10_000  # levels of nesting; beyond 65,535 a query's time grows with their square too
WIDE = 50_000  # bytes; only an error or a larger node can be that bad

_COMMENTS = re.compile(rb"/\*|\*/")
_SIGNS = bytes.maketrans(b"([{)]}", b"\x01\x01\x01\xff\xff\xff")  # as signed bytes, 1 and -1
_OTHERS = bytes(set(range(256)) - set(b"([{)]}"))


def extreme_source(source: bytes, *, nests_comments: bool = False) -> str:
    """The reason that a text is extreme; "" if it is not."""
    if nests_comments and source.count(b"/*") > MOST_UNCLOSED:
        marks = _COMMENTS.findall(source)
        if (unclosed := 2 * marks.count(b"/*") - len(marks)) > MOST_UNCLOSED:
            return f"{unclosed} comments that are never closed"
    if len(source) <= MOST_OPEN:
        return ""
    signs = source.translate(_SIGNS, _OTHERS)
    if signs.count(b"\x01") <= MOST_OPEN:
        return ""
    depths = list(accumulate(memoryview(signs).cast("b"), initial=0))
    deepest = max(map(sub, depths, accumulate(depths, min)))
    return f"{deepest} brackets inside each other" if deepest > MOST_OPEN else ""


def extreme_tree(root: "Node") -> str:
    """The same for a tree. Only large nodes and errors are examined."""
    cursor = root.walk()
    while (node := cursor.node) is not None:
        nameless = node.child_count - node.named_child_count
        if nameless > MOST_MARKS and nameless > node.child_count * 0.9:
            return f"{nameless} marks in one piece"
        if cursor.depth > DEEPEST:
            return f"more than {DEEPEST} levels of nesting"
        if (node.has_error or node.end_byte - node.start_byte > WIDE) and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return ""
    return ""


# How much of a text a parser could make nothing of.


def unread(root: "Node") -> int:
    """Bytes that stand in errors, and one for each thing that is missing."""
    lost, todo = 0, [root]
    while todo:
        node = todo.pop()
        if node.is_error:
            lost += node.end_byte - node.start_byte
        elif node.is_missing:
            lost += 1
        elif node.has_error:
            todo += node.children
    return lost


LARGEST_MENDED = 200_000  # bytes; a larger text with errors is read as it is
LONG = 10  # lines of an error that may hide more; where there are macros, most are short, and hide nothing
_ERRORS = "[(ERROR) (MISSING)] @error"


class ParsedTree(NamedTuple):
    """Without the `lost` ranges: blanked, because they were unparsable and hid the code around them."""

    root: "Node"
    lost: tuple[Range, ...] = ()


def tree_of(language: Language, source: bytes) -> ParsedTree:
    tried: dict[bytes, Node] = {}
    for text in _preprocess(language, source) if language.preprocessed else _readable(language, source):
        if text not in tried:
            tried[text] = root = _parse(language, text)
            if not root.has_error:
                return ParsedTree(root)
    best = ParsedTree(min(tried.values(), key=unread))
    if not language.is_code or len(source) > LARGEST_MENDED or extreme_tree(best.root):
        return best
    return _without_unreadable_lines(language, best, tried) if _hides(language, best.root) else best


@cache
def query_of(language: Language) -> "Query":
    """Without the patterns for errors, which visit every node; most files have no errors."""
    return compile_query(language, query_text(language).replace(_ERRORS, ""))


def broken(language: Language, root: "Node") -> "list[Node]":
    """The nodes with syntax errors, if the language's query asks for them."""
    from tree_sitter import QueryCursor

    query = _errors(language) if root.has_error else None
    return QueryCursor(query).captures(root).get("error", []) if query is not None else []


def _readable(language: Language, source: bytes) -> Iterator[bytes]:
    return chain(language.readable(source) if language.readable else (), (source,))


def _preprocess(language: Language, source: bytes) -> Iterator[bytes]:
    """Like the preprocessor, in any case: code may parse well and still be misread."""
    from clew.index.syntax.preprocessor import (
        readable,  # its expressions take a while to compile, and most have no need
    )

    text = readable(source, is_broken=_parse(language, source).has_error)
    yield text
    yield from language.readable(text) if language.readable else ()


def _hides(language: Language, root: "Node") -> bool:
    """Whether there are errors that may hide the code around them."""
    errors = [one for one in broken(language, root) if one.is_error]
    least = LONG if language.preprocessed else 0
    return any((one.text or b"").count(b"\n") >= least for one in errors)


def _without_unreadable_lines(language: Language, best: ParsedTree, tried: "dict[bytes, Node]") -> ParsedTree:
    """Without the lines that nothing can be made of, if more is defined then, or more is read."""
    from clew.index.syntax.error_recovery import unreadable  # few files need them

    weight = _count_definitions(language, best.root), -unread(best.root)
    for text in tried:
        lost = unreadable(text, lambda part: not _parse(language, part).has_error)
        root = _parse(language, blank_ranges(text, lost))
        if extreme_tree(root):
            continue
        count = _count_definitions(language, root) + len(rescue_definitions(language, text, lost))
        if (other := (count, -unread(root) - length(lost))) > weight:
            best, weight = ParsedTree(root, lost), other
    return best


def _count_definitions(language: Language, root: "Node") -> int:
    """How many definitions a query sees."""
    from tree_sitter import QueryCursor

    matches = QueryCursor(query_of(language)).matches(root)
    return sum(not KINDS.keys().isdisjoint(captures) for _, captures in matches)


@cache
def _parser(language: Language) -> "Parser":
    from tree_sitter import Parser

    return Parser(grammar(language))


def _parse(language: Language, text: bytes) -> "Node":
    return _parser(language).parse(text).root_node


@cache
def _errors(language: Language) -> "Query | None":
    return compile_query(language, _ERRORS) if _ERRORS in query_text(language) else None
