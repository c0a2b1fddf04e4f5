"""Whether C# arguments may fit parameters, by their types: no, only if that is certain.

An external type is its last name, one of the tree an abstract value; `Int32?` may be null.
"""

from clew.index.extract.argument_types import ARRAY
from clew.index.facts import NarrowedValue, Typed
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.overloads import OverloadTypes, Type
from clew.index.resolve.program import Program
from clew.languages.csharp.library import NAMES
from clew.languages.java.overloads import type_of_expression
from clew.model.words import Kind

_FLOATING = "Single Double"
_WIDER = {
    "SByte": f"Int16 Int32 Int64 Decimal {_FLOATING}",
    "Byte": f"Int16 UInt16 Int32 UInt32 Int64 UInt64 Decimal {_FLOATING}",
    "Int16": f"Int32 Int64 Decimal {_FLOATING}",
    "UInt16": f"Int32 UInt32 Int64 UInt64 Decimal {_FLOATING}",
    "Int32": f"Int64 Decimal {_FLOATING}",
    "UInt32": f"Int64 UInt64 Decimal {_FLOATING}",
    "Int64": f"Decimal {_FLOATING}",
    "UInt64": f"Decimal {_FLOATING}",
    "Char": f"UInt16 Int32 UInt32 Int64 UInt64 Decimal {_FLOATING}",
    "Single": "Double",
    "Double": "",
    "Decimal": "",
    "Boolean": "",
}
_OF_VALUES = frozenset("Object ValueType IComparable IConvertible IFormattable IEquatable".split())
_TAKEN_AS = {
    "String": frozenset("Object String IEnumerable IComparable IConvertible ICloneable IEquatable".split()),
    "Type": frozenset("Object Type MemberInfo IReflect ICustomAttributeProvider".split()),
}
_DELEGATES = frozenset("Action Func Predicate Comparison Converter EventHandler AsyncCallback".split())
_KNOWN = frozenset({"null", "->", ARRAY, *_TAKEN_AS})
_VALUES = frozenset({*_WIDER, "DateTime", "DateTimeOffset", "TimeSpan", "Guid", "BigInteger"})  # nothing extends them
_LITERALS = {"boolean": "Boolean", "Class": "Type"}
_INTERFACE = Kind.INTERFACE.value  # a delegate, too


def type_of_argument(tree: Program, path: str, told: Typed) -> Type:
    if isinstance(told, str):
        if told.endswith(ARRAY):
            return ARRAY
        name = told.removesuffix("?")
        named = NAMES.get(name, name).rpartition(".")[2]
        return _LITERALS.get(named, named) + told[len(name) :] or None
    known = (
        tree.static(path, told) if not isinstance(told, NarrowedValue) else [type_of_expression(tree, path, told.of)]
    )
    found = {one for one in known if one is not None and one.kind in (value_kinds.CLASS, value_kinds.OUTSIDE)}
    if len(found) != 1:
        return None
    (one,) = found
    return _last(one) if one.kind == value_kinds.OUTSIDE else tree.home(one.path, one.scope)


def is_more_specific(tree: Program, given: Type, one: Type, other: Type) -> bool:
    """Whether of two types that both take something the first is the more special one. No where that is not sure."""
    if given is None or one is None or other is None or one == other:
        return False
    if given in (one, other):
        return given == one
    if isinstance(given, AbstractValue) and not {one, other}.isdisjoint(own := tree.order(given)):
        return one in own and (other not in own or other in _above(tree, one))
    if "Object" in (one, other):
        return other == "Object" and _is_certainly(tree, given, one)
    if isinstance(one, str) and isinstance(other, str):
        return (
            f"{one.removesuffix('?')}?" == other
            or other.removesuffix("?") in _WIDER.get(one.removesuffix("?"), "").split()
        )
    return isinstance(one, AbstractValue) and other in _above(tree, one)


def _above(tree: Program, one: Type) -> set[Type]:
    """The base classes of a class, external types by their names."""
    if not isinstance(one, AbstractValue):
        return set()
    return {_last(each) if each.kind == value_kinds.OUTSIDE else each for each in tree.order(one)}


def _is_certainly(tree: Program, given: Type, one: Type) -> bool:
    """Whether something is known to be of a type, and not only not known to be of another."""
    return given in _KNOWN or str(given).removesuffix("?") in _WIDER or one in _above(tree, given)


def is_assignable(tree: Program, given: Type, taken: Type) -> bool:
    if given is None or taken is None or given == taken or taken == "Object":
        return True
    if any(isinstance(one, AbstractValue) and tree.members(one, "implicit") for one in (given, taken)):
        return True  # something of the tree that is made of others, or the other way round, by a conversion
    if isinstance(given, AbstractValue):
        return _may_class_be(tree, given, taken)
    if given == "->":
        return not _is_plain(taken) if isinstance(taken, str) else _is_interface(tree, taken)
    if given == "null":
        return taken not in _VALUES
    if isinstance(taken, AbstractValue):
        return False
    return _may_value_be(given, taken)


def _may_value_be(given: str, taken: str) -> bool:
    """Of two types outside, of which little is known but for those that nothing extends."""
    plain, wanted = given.removesuffix("?"), taken.removesuffix("?")
    if plain in _WIDER:
        is_wide = wanted == plain or wanted in _WIDER[plain].split()
        return taken in _OF_VALUES or (is_wide and (plain == given or wanted != taken))
    if given in _TAKEN_AS:
        return taken in _TAKEN_AS[given]
    if taken in _DELEGATES:
        return False
    return wanted not in _VALUES and taken != "String" and (given != ARRAY or taken not in _OF_VALUES)


def _may_class_be(tree: Program, given: AbstractValue, taken: str | AbstractValue) -> bool:
    above = tree.order(given)
    if isinstance(taken, AbstractValue):
        return taken in above
    return not _is_plain(taken) and taken not in _DELEGATES and any(one.kind == value_kinds.OUTSIDE for one in above)


def _is_plain(taken: str) -> bool:
    """Whether it takes a value, a text or an array, and neither a function nor anything of the tree."""
    return taken.removesuffix("?") in _VALUES or taken in ("String", ARRAY)


def _last(one: AbstractValue) -> str:
    return one.path.rpartition(".")[2]


def _is_interface(tree: Program, one: AbstractValue) -> bool:
    return tree.facts(one.path).kinds.get(one.scope) == _INTERFACE


OVERLOAD_TYPES = OverloadTypes(type_of_argument, is_assignable, is_more_specific)
