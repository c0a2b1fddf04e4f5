"""Where the comments of a source are, by its grammar."""

from functools import cache
from typing import TYPE_CHECKING

from clew.index.languages import grammar
from clew.index.languages.language import Language
from clew.index.syntax.parse import comparable
from clew.index.syntax.ranges import Range
from clew.index.syntax.trees import tree_of

if TYPE_CHECKING:
    from tree_sitter import Node, Query


def comment_ranges(language: Language, source: bytes) -> list[Range]:
    """In order; none for a language without a grammar, or with a grammar without comments."""
    return comments_in(language, tree_of(language, comparable(source)).root) if language.grammar else []


def comments_in(language: Language, root: "Node") -> list[Range]:
    """The same, of a tree that is there already."""
    query = _query(language) if language.grammar else None
    if query is None:
        return []
    from tree_sitter import QueryCursor  # native code, needed only where files are parsed

    captured = QueryCursor(query).captures(root).get("comment", [])
    return sorted((node.start_byte, node.end_byte) for node in captured)


@cache
def _query(language: Language) -> "Query | None":
    from tree_sitter import Query

    known = grammar(language)
    kinds = [known.node_kind_for_id(n) or "" for n in range(known.node_kind_count) if known.node_kind_is_named(n)]
    comments = sorted({kind for kind in kinds if kind.endswith("comment") and not kind.startswith("_")})
    usable = [kind for kind in comments if known.id_for_node_kind(kind, True)]
    return Query(known, " ".join(f"({kind}) @comment" for kind in usable)) if usable else None
