"""Elixir: facts that a query cannot extract: which functions are private, and imports of several modules at once."""

from typing import TYPE_CHECKING

from clew.model.code import Import

if TYPE_CHECKING:
    from tree_sitter import Node

_PRIVATE = frozenset({b"defp", b"defmacrop", b"defguardp"})


def is_exported(node: "Node", before: bytes, name: str) -> bool:
    return _PRIVATE.isdisjoint(before.split())


def imports_of(node: "Node", line: int) -> list[Import]:
    """`alias Shop.Card, as: Gold` binds a name, `alias Shop.{Card, Gate}` two, `import Shop.Log` brings functions."""
    target, arguments = node.child_by_field_name("target"), node.named_children[-1]
    word = _text(target)
    modules = _modules(arguments.named_children[0])
    if word == "alias":
        alias = _alias(arguments)
        return [Import(module, (), line, (alias or module.rpartition(".")[2],)) for module in modules]
    return [Import(module, (), line, (), word == "import") for module in modules]


def _modules(node: "Node") -> list[str]:
    if node.type != "dot":
        return [_text(node)]
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    names = right.named_children if right is not None and right.type == "tuple" else []
    return [f"{_text(left)}.{_text(one)}" for one in names]


def _alias(arguments: "Node") -> str:
    """The name that `as:` gives."""
    pairs = [pair for one in arguments.named_children if one.type == "keywords" for pair in one.named_children]
    named = [pair.child_by_field_name("value") for pair in pairs if _text(pair).startswith("as:")]
    return _text(named[0]) if named else ""


def _text(node: "Node | None") -> str:
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""
