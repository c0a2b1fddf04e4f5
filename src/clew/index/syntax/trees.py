"""From a text to its tree: of the ways to read it that a language knows, the first without errors, or the best."""

from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from clew.index.languages import compile_query, grammar, query_text
from clew.index.languages.language import Language
from clew.index.syntax.definitions import KINDS
from clew.index.syntax.extremes import extreme_tree
from clew.index.syntax.ranges import Range, blank_ranges, length

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query


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
    from clew.index.syntax.rescue import rescue_definitions

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
