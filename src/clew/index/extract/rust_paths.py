"""Paths of Rust: their roots, and the imports that they stand for."""

import re
from collections.abc import Collection, Sequence

from clew.index.facts import Attr, Call, Def, ImportedName, Subscript, TypeArgumentCall, UnboundName, Value
from clew.model.code import SCOPE

_PATH = re.compile(r"[\s&*!(]*([a-z_]\w*(?:::\w+)+)(?![!\w])")
# Types whose names look like those of modules.
_PRIMITIVES = frozenset("bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize".split())


def member(of: Value, name: str, modules: Collection[str]) -> Value:
    """A member; `super` of a module in this file is its parent."""
    if name == "super" and isinstance(of, Def):
        return above(name, of.scope, modules)
    return ImportedName(name) if name == "super" and of == ImportedName("self") else Attr(of, name)


def above(root: str, scope: str, modules: Collection[str]) -> Value:
    """The root of a path in Rust: a module outside of the file, or the one around the scope."""
    around = [within for within in modules if f"{scope}{SCOPE}".startswith(f"{within}{SCOPE}")]
    if root != "super" or not around:
        return ImportedName(root)
    outer = max(around, key=len).rpartition(SCOPE)[0]
    return Def(outer) if outer else ImportedName("self")


def is_crate(value: Value) -> bool:
    """Whether a path of Rust that starts with it starts outside of the file."""
    return isinstance(value, UnboundName) and value.name[:1].islower() and value.name not in _PRIMITIVES


def imported_path(parts: Sequence[str]) -> Value:
    """`http::request::Parts::new` is `new` of the import `use http::request::Parts`."""
    end = next((i for i, part in enumerate(parts) if i and part[:1].isupper()), len(parts) - 1)
    value: Value = ImportedName("::".join(parts[:end]), parts[end])
    for part in parts[end + 1 :]:
        value = Attr(value, part)
    return value


def as_imported(value: Value, text: str) -> Value:
    """The same, if it starts with a path of Rust of which the file binds nothing."""
    path = _PATH.match(text)
    first, *rest = path[1].split("::") if path else ("",)
    written: Value = UnboundName(first)
    for part in rest:
        written = Attr(written, part)
    return _replace(value, written, imported_path([first, *rest])) if rest and is_crate(UnboundName(first)) else value


def _replace(value: Value, old: Value, new: Value) -> Value:
    if value == old:
        return new
    match value:
        case Attr(of, name):
            return Attr(_replace(of, old, new), name)
        case Call(by):
            return Call(_replace(by, old, new))
        case Subscript(of, key):
            return Subscript(_replace(of, old, new), key)
        case TypeArgumentCall(of, kind):
            return TypeArgumentCall(_replace(of, old, new), kind)
    return value
