"""Rust: facts that a query cannot extract: trees of `use`, `super` inside of a module, visibility."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from clew.model.code import Import

if TYPE_CHECKING:
    from tree_sitter import Node

# Macros that take what a function would: with a blank for the mark, the grammar sees expressions, and not only tokens.
_LIKE_FUNCTIONS = re.compile(
    rb"\b((?:debug_)?assert(?:_eq|_ne)?|e?print(?:ln)?|write(?:ln)?|format(?:_args)?|dbg|panic|todo|unimplemented"
    rb"|unreachable)!(?=\()"
)
# Macros around whole items, as `pin_project! { pub struct … }`: behind `pin_project!{}`, these are read as any others.
_FRAME = re.compile(
    rb"^([ \t]*+)(?!macro_rules)(?:\w++::)*+\w++!( ++\{)(?=\s*+(?:(?://|#!?\[)[^\n]*+\s*+)*+(?!(?:pub )?struct \w++ *:)"
    rb"(?:pub|struct|enum|fn|impl|mod|trait|use|type|const|static|async|unsafe|extern)\b)",
    re.MULTILINE,
)
_WORDS = frozenset("as async await for if impl let loop match move return unsafe use while fn struct".split())
_LET = re.compile(r"\blet\s+(?:mut\s+)?(\w+)\s*(?::[^=;]*)?=\s*([^;]*);")
_ROOT = re.compile(r"(?:(?<=[(,\s])|^)[^\W\d]\w*(?=\s*[.,)]|$)")
_LAST = re.compile(r"\(.*\)|(?:::)?([^\W\d]\w*).*[)\]}]", re.DOTALL)
_PATHS = ("identifier", "scoped_identifier", "self", "super", "crate", "metavariable")


def is_exported(node: "Node", before: bytes, name: str) -> bool:
    """By `pub`; members of a trait are as visible as the trait, a macro by its attribute."""
    if node.type == "macro_definition":
        return b"macro_export" in _attributes(node)
    holder = node.parent.parent if node.parent is not None and node.parent.type == "declaration_list" else None
    if holder is not None and holder.type == "trait_item":
        return is_exported(holder, before, name)
    if holder is not None and holder.type == "impl_item" and holder.child_by_field_name("trait") is not None:
        return True
    return any(child.type == "visibility_modifier" for child in node.children)


def readable(source: bytes) -> Iterator[bytes]:
    """The same text, byte by byte, as the grammar can read more of it; first, as it may read the most."""
    text = _LIKE_FUNCTIONS.sub(rb"\1 ", source)
    frames = list(_FRAME.finditer(text))
    if any(one[1] for one in frames):
        yield _open_frames(text, frames)
    if outermost := [one for one in frames if not one[1]]:
        yield _open_frames(text, outermost)
    yield text


def _open_frames(text: bytes, frames: list[re.Match[bytes]]) -> bytes:
    """With the frames closed where they open; each ends at the first bracket that closes as far from the margin."""
    bare = bytearray(text)
    for one in frames:
        last = text.find(b"\n" + one[1] + b"}", one.end(2))
        if last >= 0:
            start, end = one.span(2)
            bare[start:end] = b"{}".ljust(end - start)
            bare[last + 1 + len(one[1]) : last + 2 + len(one[1])] = b" "
    return bytes(bare)


def macro_result(body: str) -> str:
    """The last expression of a macro's body, as it is read in its file; "" where there is none, or it is made up."""
    text = body.strip().replace("$crate::", "crate::")
    while text[:1] == "{" and text[-1:] == "}":
        text = text[1:-1].strip()
    names = {name: value if "$" not in value.partition("(")[0] else "()" for name, value in _LET.findall(text)}
    last = _ROOT.sub(lambda root: names.get(root[0], root[0]), text.rpartition(";")[2].strip())
    found = _LAST.fullmatch(last)
    is_whole = all(last.count(one) == last.count(other) for one, other in ("()", "{}", "[]"))
    return last if found and is_whole and found[1] not in _WORDS and "$" not in last.partition("(")[0] else ""


def imports_of(node: "Node", line: int) -> list[Import]:
    """The imports of `use`, `mod x;` and `extern crate`: a module each, with the imported names."""
    around = _modules_around(node)
    if node.type == "mod_item":
        return [_module_import(node, around, line)]
    if node.type == "extern_crate_declaration":
        name, alias = _text(node.child_by_field_name("name")), _text(node.child_by_field_name("alias"))
        return [Import("crate" if name == "self" else name, (), line, (alias,) if alias else ())]
    taken: dict[str, list[tuple[str, str]]] = {}
    for path, alias in _leaves(node.child_by_field_name("argument"), ()):
        module, name = _split(resolve_super_path(path, around))
        taken.setdefault(module, []).append((name, alias))
    return [one for module, names in taken.items() for one in _imports(module, names, line)]


def resolve_super_path(path: tuple[str, ...], around: tuple[str, ...]) -> tuple[str, ...]:
    """A path as seen from the file: `super` in a module of the file is the file itself."""
    inside = list(around)
    parts = list(path)
    if not inside or parts[0] not in ("self", "super"):
        return path
    while parts and parts[0] in ("self", "super") and (inside or parts[0] == "self"):
        if parts.pop(0) == "super":
            inside.pop()
    return tuple(parts) if parts[:1] == ["super"] else ("self", *inside, *parts)


def _module_import(node: "Node", around: tuple[str, ...], line: int) -> Import:
    """`mod x;`, in the file of its name or in the one that `#[path = "…"]` tells."""
    name = _text(node.child_by_field_name("name"))
    _, told, rest = _attributes(node).partition(b"path")
    if told and rest.lstrip().startswith(b"=") and rest.count(b'"') >= 2:
        return Import(rest.split(b'"')[1].decode("utf-8", "replace"), (), line, (name,))
    return Import("::".join(("self", *around, name)), (), line)


def _imports(module: str, names: list[tuple[str, str]], line: int) -> Iterator[Import]:
    """One for the names, one for a star, one for each module that is taken whole."""
    things = [(name, alias) for name, alias in names if name not in ("*", "")]
    if things:
        renamed = any(alias for _, alias in things)
        aliases = tuple(alias or name for name, alias in things) if renamed else ()
        yield Import(module, tuple(name for name, _ in things), line, aliases)
    if ("*", "") in names:
        yield Import(module, (), line, (), True)
    for _, alias in [one for one in names if one[0] == ""]:
        yield Import(module, (), line, (alias,) if alias else ())


def _split(path: tuple[str, ...]) -> tuple[str, str]:
    """The module and the thing; of `serde` alone, or `self`, the module."""
    return ("::".join(path[:-1]), path[-1]) if len(path) > 1 else (path[0], "")


def _leaves(node: "Node | None", before: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every path of a tree, with its alias, if any; a star is the last part of one."""
    if node is None:
        return
    if node.type == "use_as_clause":
        path = _join_paths(before, _text(node.child_by_field_name("path")))
        if path:
            yield path, _text(node.child_by_field_name("alias"))
    elif node.type == "use_wildcard":
        inner = node.named_children[0] if node.named_children else None
        yield (*_join_paths(before, _text(inner)), "*") if inner or before else ("crate", "*"), ""
    elif node.type == "scoped_use_list":
        inside = _join_paths(before, _text(node.child_by_field_name("path")))
        yield from _leaves(node.child_by_field_name("list"), inside)
    elif node.type == "use_list":
        for child in node.named_children:
            yield from _leaves(child, before)
    elif node.type in _PATHS and (path := _join_paths(before, _text(node))):
        yield path, ""


def _join_paths(before: tuple[str, ...], path: str) -> tuple[str, ...]:
    """`a::b` and `self` is `a::b`; a path that starts with `::` names a crate."""
    parts = tuple(part.strip().removeprefix("r#") for part in path.split("::") if part.strip())
    return before if before and parts == ("self",) else (*before, *parts)


def _modules_around(node: "Node") -> tuple[str, ...]:
    """The modules of the same file that a node stands in, the outermost first."""
    names: list[str] = []
    parent = node.parent
    while parent is not None:
        if parent.type == "mod_item":
            names.append(_text(parent.child_by_field_name("name")))
        parent = parent.parent
    return tuple(reversed(names))


def _attributes(node: "Node") -> bytes:
    """The text of the attributes right above a node."""
    text = b""
    above = node.prev_sibling
    while above is not None and above.type in ("attribute_item", "line_comment", "block_comment"):
        if above.type == "attribute_item":
            text = (above.text or b"") + text
        above = above.prev_sibling
    return text


def _text(node: "Node | None") -> str:
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""
