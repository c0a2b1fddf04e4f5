"""What sources of Java and Kotlin define and where they call by name, so that class files can be held against them."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import tree_sitter_java
import tree_sitter_kotlin
from tree_sitter import Language, Node, Parser

CLASSES = frozenset(
    "class_declaration object_declaration companion_object interface_declaration enum_declaration record_declaration "
    "annotation_type_declaration enum_entry".split()
)
FUNCTIONS = frozenset("function_declaration method_declaration".split())
_RECEIVERS = frozenset({"user_type", "nullable_type", "parenthesized_type"})
_PARAMETERS = frozenset({"parameter", "formal_parameter", "spread_parameter"})
_COMMENTS = frozenset({"line_comment", "block_comment", "comment", "multiline_comment"})
_GENERIC = 40  # tokens that type arguments may be
_BEYOND = 8  # lines that a compiler may give a call before its name


@dataclass(frozen=True, slots=True)
class Definition:
    name: str
    chain: tuple[str, ...]  # the classes that it stands in
    line: int
    first: int
    last: int
    is_class: bool
    takes: int = 0
    is_expected: bool = False
    is_local: bool = False


@dataclass(slots=True)
class Source:
    path: str
    package: str = ""
    end: int = 0
    definitions: list[Definition] = field(default_factory=list)
    written: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))

    def around(self, line: int) -> Definition | None:
        """The innermost function with a line."""
        return max(
            (one for one in self.definitions if not one.is_class and one.first <= line <= one.last),
            key=lambda one: (one.first, -one.last),
            default=None,
        )

    def classed(self, chain: tuple[str, ...]) -> Definition | None:
        return next((one for one in self.definitions if one.is_class and (*one.chain, one.name) == chain), None)

    def declared(self, chain: tuple[str, ...], name: str, takes: int) -> Definition | None:
        """A function without a body: by its class, its name and how much it takes."""
        named = [one for one in self.definitions if not one.is_class and (one.chain, one.name) == (chain, name)]
        fitting = [one for one in named if one.takes == takes]
        return fitting[0] if len(fitting) == 1 else named[0] if len(named) == 1 else None

    def called(self, name: str, line: int) -> int | None:
        """Where a call of a name is written that a compiler says to be in a line."""
        lines = self.written.get(name, ())
        return min((one for one in lines if line <= one <= line + _BEYOND), default=None)


def read(root: Path, path: Path) -> Source:
    language = tree_sitter_kotlin if path.suffix == ".kt" else tree_sitter_java
    tree = Parser(Language(language.language())).parse(path.read_bytes())
    source = Source(path.relative_to(root).as_posix(), end=len(path.read_bytes().splitlines()))
    for child in tree.root_node.children:
        if child.type in ("package_header", "package_declaration"):
            words = (child.text or b"").decode().replace(";", " ").split()
            source.package = words[words.index("package") + 1].replace("`", "")
    _define(tree.root_node, source, (), is_local=False, is_expected=False)
    tokens = list(_leaves(tree.root_node))
    for number, token in enumerate(tokens):
        if (name := _called(tokens, number)) is not None:
            source.written[name].add(token.start_point[0] + 1)
    return source


def _define(node: Node, source: Source, chain: tuple[str, ...], *, is_local: bool, is_expected: bool) -> None:
    for child in node.children:
        inner, local, expected = chain, is_local, is_expected or _is_expected(child)
        if child.type in CLASSES or child.type in FUNCTIONS:
            name = _name(child)
            is_class = child.type in CLASSES
            source.definitions.append(
                Definition(
                    _text(name) if name else "Companion",
                    chain,
                    (name or child).start_point[0] + 1,
                    child.start_point[0] + 1,
                    child.end_point[0] + 1,
                    is_class,
                    0 if is_class else _takes(child),
                    expected,
                    is_local,
                )
            )
            inner, local = (*chain, source.definitions[-1].name) if is_class else chain, not is_class
        elif child.type in ("object_literal", "class_body") and node.type != "class_declaration":
            inner = (*chain, "") if child.type == "object_literal" or node.type.startswith("object_creation") else chain
        _define(child, source, inner, is_local=local, is_expected=expected)


def _name(node: Node) -> Node | None:
    return node.child_by_field_name("name") or next((one for one in node.children if one.type == "identifier"), None)


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace").strip("`")


def _is_expected(node: Node) -> bool:
    return any(one.type == "modifiers" and "expect" in _text(one).split() for one in node.children)


def _takes(node: Node) -> int:
    """How many parameters it has as the machine counts: what is extended is the first, a continuation the last."""
    name = _name(node)
    count = 0
    for child in node.children:
        if child.type in _RECEIVERS and name is not None and child.end_byte <= name.start_byte and child.next_sibling:
            count += child.next_sibling.type == "."
        elif child.type in ("function_value_parameters", "formal_parameters"):
            count += sum(one.type in _PARAMETERS for one in child.children)
        elif child.type == "modifiers":
            count += "suspend" in _text(child).split()
    return count


def _leaves(node: Node) -> Iterator[Node]:
    if node.type in _COMMENTS:
        return
    if not node.children:
        yield node
    for child in node.children:
        yield from _leaves(child)


def _called(tokens: list[Node], number: int) -> str | None:
    """The name that is called by a token, if it is one."""
    token = tokens[number]
    parent = token.parent
    if "identifier" not in token.type or parent is None:
        return None
    if (parent.type in CLASSES or parent.type in FUNCTIONS) and _name(parent) == token:
        return None
    if parent.type == "infix_expression" and token.prev_sibling is not None and token.next_sibling is not None:
        return _text(token)
    after = _behind(tokens, number + 1)
    return _text(token) if after in ("(", "{", "annotated_lambda") else None


def _behind(tokens: list[Node], number: int) -> str:
    """The token behind a name and its type arguments."""
    depth = 0
    for token in tokens[number : number + _GENERIC]:
        if token.type == "<":
            depth += 1
        elif token.type in (">", ">>", ">>>") and depth:
            depth -= len(token.type)
        elif not depth:
            return token.type
        elif token.type in (";", "{", "}"):
            break
    return ""
