"""The outline of a Python file, read directly from its tree: the same as `query.scm`, without opening
every node.

Opened nodes stay cached for the deep reader. A tree with errors is left to the query.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from clew.index.syntax.definition import Definition
from clew.index.syntax.definitions import LONGEST_NAME, in_order
from clew.index.syntax.parse import CapturedMark, Outline, attach_docs, clip, comparable, parse_root, query_outline
from clew.index.syntax.ranges import LineIndex, Range
from clew.languages.profile import Language
from clew.languages.python.extract.bindings import COMPOUND, body_of, name_of
from clew.model.words import Kind

if TYPE_CHECKING:
    from tree_sitter import Node

_BRANCHING = ("if_statement", "try_statement")  # whose assignments bind names of the module
_KINDS = {"class_definition": Kind.CLASS, "function_definition": Kind.FUNCTION}


def outline(language: Language, source: bytes) -> Outline:
    found = parse_root(language, source)
    if found.root is None or found.root.has_error or found.lost:
        return query_outline(language, source, found)
    return _Walk(language, comparable(source), found).all()


class _Walk:
    def __init__(self, language: Language, source: bytes, found: Outline) -> None:
        self._private = language.private_prefix
        self._source = source
        self._lines = LineIndex(source)
        self._found = found
        self._docs: list[Range] = []

    def all(self) -> Outline:
        assert self._found.root is not None
        self._of_file(self._found.root)
        todo = [self._found.root]  # and no recursion: generated code nests deeper than calls may
        while todo:
            for child in todo.pop().named_children:
                kind = child.type
                if kind in COMPOUND:
                    if kind == "block":
                        self._doc(child)
                    todo.append(child)
                elif kind in _KINDS:
                    todo += self._definition(kind, child, child)
                elif kind == "decorated_definition":
                    todo += self._decorators(child)
        self._found.definitions = in_order(self._found.definitions)
        attach_docs(self._found, sorted(self._docs))
        return self._found

    def _of_file(self, root: "Node") -> None:
        """Its own doc, and its variables."""
        children = root.named_children
        first = next((child for child in children if child.type != "comment"), None)
        self._doc_in(first)
        for child in children:
            if child.type == "type_alias_statement":
                self._alias(child)
            elif child.type == "expression_statement":
                self._assign(child)
            elif child.type in _BRANCHING:
                for block in _branches(child):
                    for statement in block.named_children:
                        if statement.type == "expression_statement":
                            self._assign(statement)

    def _assign(self, statement: "Node") -> None:
        for part in statement.children:
            if part.type == "assignment" and (name := part.children[0]).type == "identifier":
                self._variable(part, name)

    def _alias(self, node: "Node") -> None:
        """`type Payer = Card | Cash`, and `type Pair[T] = …`."""
        name = node.child_by_field_name("left")
        while name is not None and name.type != "identifier":
            name = name.named_children[0] if name.named_children else None
        if name is not None:
            self._variable(node, name)

    def _doc(self, block: "Node") -> None:
        children = block.children
        self._doc_in(children[0] if children else None)

    def _doc_in(self, statement: "Node | None") -> None:
        parts = statement.children if statement is not None and statement.type == "expression_statement" else []
        if parts and parts[0].type == "string":
            self._docs.append((parts[0].start_byte, parts[0].end_byte))

    def _decorators(self, node: "Node") -> "list[Node]":
        opened: list[Node] = []
        for child in node.named_children:
            kind = child.type
            if kind in _KINDS:
                opened += self._definition(kind, child, node)
            elif kind == "decorator":
                for mark in child.named_children:
                    if mark.type != "comment":
                        start = mark.start_byte
                        text = clip(start, mark.end_byte, self._source)
                        self._found.marks.append(CapturedMark("decorator", start, text))
        return opened

    def _definition(self, kind: str, node: "Node", outer: "Node") -> "list[Node]":
        """Take a class or a function, which may be decorated; gives its body."""
        name, body = name_of(node), body_of(node)
        if name is None or body is None:
            return []
        self._doc(body)
        self._add(_KINDS[kind], name, node.start_byte, body.start_byte, outer, bodied=True)
        return [body]

    def _variable(self, node: "Node", name: "Node") -> None:
        end = self._source.find(b"\n", name.start_byte, node.end_byte)
        self._add(Kind.VARIABLE, name, node.start_byte, node.end_byte if end < 0 else end, node, bodied=False)

    def _add(self, kind: Kind, name: "Node", head: int, head_end: int, outer: "Node", *, bodied: bool) -> None:
        named, start, end = name.start_byte, outer.start_byte, outer.end_byte
        written = self._source[named : name.end_byte].decode("utf-8", "replace")
        first, last = self._lines.at(start), self._lines.at(max(end - 1, start))
        exported = not written.startswith(self._private)
        self._found.definitions.append(
            Definition(kind, written[:LONGEST_NAME], start, end, first, last, (head, head_end), exported, named, bodied)
        )


def _branches(statement: "Node") -> "Iterator[Node]":
    """The blocks of an `if` or a `try`, with those of its clauses."""
    for child in statement.named_children:
        if child.type == "block":
            yield child
        else:
            yield from (inner for inner in child.named_children if inner.type == "block")
