"""Detects sources and trees that no parser or query can process in reasonable time, before the time is spent.

By their content and never by the clock, so that every machine decides the same.
"""

import re
from itertools import accumulate
from operator import sub
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

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
