"""Operations on values during extraction: parts, the same in another scope, and limits of their number."""

import re
from collections.abc import Callable, Mapping

from clew.index.facts import (
    AWAITED,
    Attr,
    Call,
    Def,
    ImportedName,
    Subscript,
    Super,
    This,
    TypeArgumentCall,
    UnboundName,
    Value,
    Values,
)
from clew.index.syntax.lines import LineIndex
from clew.model.code import SCOPE

MOST_VALUES = 8  # that a name is given in one scope; one with more is as good as unknown

_AWAITING = ("await", "await?")
_LOAD = re.compile(r"""\s*\(\s*["'`]([^"'`]+)["'`]\s*\)""")


def part_of(whole: Value, key: str) -> Value:
    """A member, the rest (`...rest`), or an element."""
    if key.startswith("..."):
        return whole
    return Attr(whole, key) if key else Subscript(whole)


def at_path(whole: Value, path: str) -> Value:
    """A member of a member: `onPay.card`."""
    for name in path.split("."):
        whole = Attr(whole, name)
    return whole


def same_above(above: Super, scope: str) -> Value:
    """The same method in the base class; for the class itself, its constructor."""
    own = scope.rpartition(SCOPE)[2].partition("#")[0]
    return Attr(above, own) if own != above.scope.rpartition(SCOPE)[2] else above


def types_without(types: dict[str, Values], others: dict[str, Values]) -> dict[str, Values]:
    left = {scope: tuple(one for one in found if one not in others.get(scope, ())) for scope, found in types.items()}
    return {scope: found for scope, found in left.items() if found}


def lines_of(
    lines: LineIndex, said_at: Mapping[tuple[str, Value], int], *tables: dict[str, Values]
) -> dict[str, tuple[int, ...]]:
    """By scope, the lines of a table's entries, one table after the other."""
    found: dict[str, tuple[int, ...]] = {}
    for table in tables:
        for scope, values in table.items():
            found[scope] = (*found.get(scope, ()), *(lines.at(said_at[scope, one]) for one in values))
    return found


def limit_values(values: list[Value], *, is_told: bool = False) -> Values:
    """All definitions, since those of one name are overloads; of too many other values none, or the first ones."""
    if len(values) <= MOST_VALUES:
        return tuple(values)
    defined = [value for value in values if isinstance(value, Def)]
    others = [value for value in values if not isinstance(value, Def)]
    return (*defined, *(others if is_told or len(others) <= MOST_VALUES else ())[:MOST_VALUES])


def made_with(value: Value, maker: str) -> Value:
    """`Card.new(1).pay` with the result of the constructor's definition."""
    match value:
        case Call(Attr(This(scope), name)) | Attr(This(scope), name) if name == maker:
            return Call(Attr(Def(scope), maker))
        case Call(Attr(of, name)) | Attr(of, name) if name == maker:
            return Call(Attr(made_with(of, maker), maker))
        case Attr(of, name):
            return Attr(made_with(of, maker), name)
        case Call(by):
            return Call(made_with(by, maker))
        case TypeArgumentCall(of, kind):
            return TypeArgumentCall(made_with(of, maker), kind)
    return value


def replace_loader(text: str, value: Value, loads: frozenset[str]) -> Value:
    """The same, with the module in place of the call that gives it."""
    match value:
        case Call(UnboundName(name)) if name in loads:
            given = _LOAD.match(text, text.index(name) + len(name))
            return ImportedName(given[1]) if given else value
        case Attr(of, name):
            return Attr(replace_loader(text, of, loads), name)
        case Call(by):
            return Call(replace_loader(text, by, loads))
        case TypeArgumentCall(of, kind):
            return TypeArgumentCall(replace_loader(text, of, loads), kind)
    return value


def skip_transparent(value: Value, transparent: frozenset[str], member: Callable[[Value, str], Value]) -> Value:
    """Without methods that return their receiver."""
    if type(value) is Attr:
        of, name = skip_transparent(value.of, transparent, member), value.name
        if name in _AWAITING:
            return Attr(of, AWAITED)
        return member(of, name) if name == "super" else value if of is value.of else Attr(of, name)
    if type(value) is Call:
        if type(value.by) is Attr and value.by.name in transparent:
            return skip_transparent(value.by.of, transparent, member)
        return Call(skip_transparent(value.by, transparent, member))
    if type(value) is TypeArgumentCall:
        return TypeArgumentCall(skip_transparent(value.of, transparent, member), value.kind)
    return Subscript(skip_transparent(value.of, transparent, member), value.key) if type(value) is Subscript else value
