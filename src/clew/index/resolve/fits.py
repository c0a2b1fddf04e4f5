"""Whether what is passed may be what a parameter takes, by their types: no only where that is sure. Java's rules."""

from clew.index.facts import Narrowed, Typed
from clew.index.gathering.told import ARRAY, PRIMITIVES
from clew.index.resolve import sorts
from clew.index.resolve.expressed import expressed
from clew.index.resolve.things import Thing
from clew.index.resolve.tree import Tree
from clew.model.words import Kind

Type = str | Thing | None  # a type that is known by its name, one of the tree or outside, or one that cannot be told

_WIDER = {
    "byte": "byte short int long float double",
    "short": "short int long float double",
    "char": "char int long float double",
    "int": "int long float double",
    "long": "long float double",
    "float": "float double",
    "double": "double",
    "boolean": "boolean",
}
_BOXES = {
    "byte": "Byte",
    "short": "Short",
    "char": "Character",
    "int": "Integer",
    "long": "Long",
    "float": "Float",
    "double": "Double",
    "boolean": "Boolean",
}
_OF_VALUES = "Object Comparable Serializable Constable ConstantDesc"
# What takes a value of these types, and of no others: nothing extends them.
_TAKEN_AS = {
    "String": frozenset(f"String CharSequence {_OF_VALUES}".split()),
    "Class": frozenset(f"Class Type AnnotatedElement GenericDeclaration TypeDescriptor OfField {_OF_VALUES}".split()),
    ARRAY: frozenset({ARRAY, "Object", "Cloneable", "Serializable"}),
}
for _primitive, _wider in _WIDER.items():
    _TAKEN_AS[f"{_primitive}{ARRAY}"] = frozenset({f"{_primitive}{ARRAY}", "Object", "Cloneable", "Serializable"})
    _number = "" if _primitive in ("char", "boolean") else "Number"
    _TAKEN_AS[_primitive] = frozenset(f"{_wider} {_BOXES[_primitive]} {_number} {_OF_VALUES}".split())
    _TAKEN_AS[_BOXES[_primitive]] = _TAKEN_AS[_primitive]
_ROOT = "java.lang.Object"
_OF_ANY = frozenset("Object Comparable Serializable Constable Enum Record Annotation".split())


def type_of(tree: Tree, path: str, told: Typed) -> Type:
    if isinstance(told, str):
        return told or None
    things = tree.static(path, told) if not isinstance(told, Narrowed) else [expressed(tree, path, told.of)]
    found = {thing for thing in things if thing is not None and thing.sort in (sorts.CLASS, sorts.OUTSIDE)}
    if len(found) != 1:
        return None
    (one,) = found
    name = one.path.rpartition(".")[2]
    return name if one.sort == sorts.OUTSIDE and name in _TAKEN_AS else one


def is_nearer(tree: Tree, given: Type, one: Type, other: Type) -> bool:
    """Whether of two types that both take something the first is the more special one. No where that is not sure."""
    if given is None or one is None or other is None:
        return False
    if given in (one, other):  # nothing is nearer than the type itself, even where it is not known what that extends
        return given == one
    if given in _WIDER and (one in PRIMITIVES) != (other in PRIMITIVES):
        return one in PRIMITIVES
    if one in PRIMITIVES or other in PRIMITIVES:
        return one not in PRIMITIVES if given not in _WIDER else str(other) in _WIDER[str(one)].split()
    if isinstance(other, Thing) and other.path == _ROOT:
        return True
    if isinstance(one, str):
        return _may_value_be(tree, one, other) and not (isinstance(other, str) and _may_value_be(tree, other, one))
    return isinstance(other, Thing) and other in tree.order(one)


def may_be(tree: Tree, given: Type, taken: Type) -> bool:
    if given is None or taken is None or given == taken:
        return True
    if isinstance(given, str):
        return _may_value_be(tree, given, taken)
    if isinstance(taken, str):
        return False
    if given.path == _ROOT:
        return taken.path == _ROOT
    above = [one for one in tree.order(given) if one.sort == sorts.OUTSIDE]
    if given.sort == sorts.CLASS and taken.sort == sorts.CLASS:
        return taken in tree.order(given) or not all(_is_of_java(one) for one in above)
    if taken.sort == sorts.CLASS:
        return not _is_of_java(given)
    return bool(above) or taken.path.rpartition(".")[2] in _OF_ANY


def _may_value_be(tree: Tree, given: str, taken: str | Thing) -> bool:
    """Whether a literal, or a value of a type that nothing extends, is taken."""
    if given == "null":
        return taken not in PRIMITIVES
    if given == "->":
        return isinstance(taken, Thing) and (taken.sort == sorts.OUTSIDE or _is_interface(tree, taken))
    if isinstance(taken, Thing):
        return taken.sort == sorts.OUTSIDE and taken.path.rpartition(".")[2] in _TAKEN_AS[given]
    return taken in _TAKEN_AS[given]


def _is_interface(tree: Tree, one: Thing) -> bool:
    return tree.facts(one.path).kinds.get(one.scope) == Kind.INTERFACE.value


def _is_of_java(one: Thing) -> bool:
    """Whether it is known to know nothing of the tree."""
    return one.path.startswith(("java.", "javax.", "kotlin."))
