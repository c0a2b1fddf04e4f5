"""Which names the statements of a Python body bind, before any of them is read: a name may be used before its line."""

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from tree_sitter import Node

DEEPEST = 150  # blocks or expressions inside of each other; deeper ones are generated, or broken

_PATTERNS = frozenset(
    "pattern_list tuple_pattern list_pattern list_splat_pattern tuple list parenthesized_expression "
    "expression_list as_pattern_target".split()
)
_ASSIGNMENTS = frozenset({"assignment", "augmented_assignment"})
DEFINITIONS = frozenset({"function_definition", "class_definition"})
_BINDING_NOTHING = frozenset({"return_statement", "comment", "pass_statement", "raise_statement"})
COMPOUND = frozenset(
    "if_statement for_statement while_statement try_statement with_statement match_statement block elif_clause "
    "else_clause except_clause except_group_clause finally_clause case_clause ERROR".split()
)


class Bindings(Struct):
    """The number of bindings of each name in one scope, the compound statement of each, and names of other scopes."""

    counts: dict[str, int] = {}
    within: dict[int, tuple[str, ...]] = {}  # by the id of a compound statement's node
    outer: set[str] = set()  # global
    enclosing: set[str] = set()  # nonlocal


def bindings(body: "Node", source: bytes) -> Bindings:
    found = Bindings()
    order: list[str] = []
    _scan(body, source, found, order, 0)
    for name in order:
        found.counts[name] = found.counts.get(name, 0) + 1
    return found


def body_of(definition: "Node") -> "Node | None":
    """The block of a function or class: its last child, which stays cached for all callers."""
    last = definition.children[-1]
    return last if last.type == "block" else definition.child_by_field_name("body")


def decorated_in(node: "Node") -> "Node | None":
    """The definition that decorators stand before, open as its body is."""
    last = node.children[-1]
    return last if last.type in DEFINITIONS else node.child_by_field_name("definition")


def name_of(definition: "Node") -> "Node | None":
    """Usually the child after `def` or `class`."""
    parts = definition.children
    if len(parts) > 1 and parts[1].type == "identifier":
        return parts[1]
    return definition.child_by_field_name("name")


def target_names(node: "Node", source: bytes) -> list[str]:
    """The names in the left side of an assignment."""
    kind = node.type
    if kind == "identifier":
        return [_text(node, source)]
    if kind in _PATTERNS:
        return [name for child in node.named_children for name in target_names(child, source)]
    return []


def imported_names(node: "Node", source: bytes) -> list[tuple[str, str]]:
    """The names of an import statement, each with its local name."""
    found = []
    for child in node.children_by_field_name("name"):
        if child.type == "aliased_import":
            name, alias = (_text(part, source) for part in child.named_children[:2])
            found.append((name, alias))
        else:
            found.append((_text(child, source), ""))
    return found


def _scan(node: "Node", source: bytes, found: Bindings, order: list[str], depth: int) -> None:
    if depth > DEEPEST:
        return
    for child in node.named_children:
        kind = child.type
        if kind == "expression_statement":
            _bind_assignment(child, source, order)
        elif kind in _BINDING_NOTHING:
            continue
        elif kind in COMPOUND:
            start = len(order)
            _bind_compound(child, kind, source, order)
            _scan(child, source, found, order, depth + 1)
            found.within[child.id] = tuple(
                dict.fromkeys(order[start:])
            )  # in order: facts are the same bytes everywhere
        elif kind in DEFINITIONS or kind == "decorated_definition":
            _bind_definition(child, kind, source, order)
        elif kind in ("import_statement", "import_from_statement"):
            whole = kind == "import_statement"
            order += [
                alias or (name.partition(".")[0] if whole else name) for name, alias in imported_names(child, source)
            ]
        elif kind == "global_statement":
            found.outer.update(_text(name, source) for name in child.named_children)
        elif kind == "nonlocal_statement":
            found.enclosing.update(_text(name, source) for name in child.named_children)


def _bind_assignment(statement: "Node", source: bytes, order: list[str]) -> None:
    for child in statement.children:  # a comma among them binds nothing
        while child.type in _ASSIGNMENTS:
            parts = child.children
            left = parts[0]
            if left.type == "identifier":
                order.append(_text(left, source))
            else:
                order += target_names(left, source)
            child = parts[-1]


def _bind_compound(node: "Node", kind: str, source: bytes, order: list[str]) -> None:
    """The bindings in the head of a compound statement."""
    if kind == "for_statement":
        left = node.child_by_field_name("left")
        order += target_names(left, source) if left is not None else []
    elif kind == "with_statement":
        for clause in node.named_children:
            if clause.type == "with_clause":
                for item in clause.named_children:
                    order += _alias(item.named_children[0] if item.named_children else item, source)
    elif kind in ("except_clause", "except_group_clause"):
        for child in node.named_children:
            order += _alias(child, source)
    elif kind == "case_clause":
        for child in node.named_children:
            if child.type == "case_pattern":
                order += captured_names(child, source)


def _alias(node: "Node", source: bytes) -> list[str]:
    if node.type != "as_pattern":
        return []
    return [name for child in node.named_children[1:] for name in target_names(child, source)]


def captured_names(pattern: "Node", source: bytes) -> list[str]:
    """The names that a `case` binds: all plain names, without dots and calls."""
    found = []
    for child in pattern.named_children:
        if child.type == "identifier" and pattern.type in ("as_pattern", "splat_pattern"):
            found.append(_text(child, source))
        elif child.type == "dotted_name":
            if pattern.type in ("case_pattern", "keyword_pattern") and len(child.named_children) == 1:
                found.append(_text(child, source))
        elif child.type != "identifier":
            found += captured_names(child, source)
    return [name for name in found if name != "_"]


def _bind_definition(node: "Node", kind: str, source: bytes, order: list[str]) -> None:
    inner = decorated_in(node) if kind == "decorated_definition" else node
    name = name_of(inner) if inner is not None else None
    if name is not None:
        order.append(_text(name, source))


def _text(node: "Node", source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")
