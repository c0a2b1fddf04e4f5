"""Methods that nobody writes: `attr_accessor :bank`, `describe Card do` of Ruby, `record Card(Bank bank)` of Java."""

from clew.index.facts import Attr, Def, Made, Name, Param, This, Values
from clew.index.gathering.names import Names
from clew.index.gathering.places import Places, inside
from clew.index.syntax.parse import Mark
from clew.model.code import SCOPE


def attributes(names: Names, places: Places, marks: dict[str, list[Mark]]) -> dict[str, Values]:
    """Bind `bank=`, which is the same definition as `bank`; and tell that this gives what `@bank` is.

    What goes by another name gives what it gives by its own.
    """
    found: dict[str, Values] = {}
    for unit in filter(None, [places.unit(mark.at) for mark in marks["attribute.written"]]):
        holder, _, name = unit.scope.rpartition(SCOPE)
        names.bind(places.first(holder), f"{name.partition('#')[0]}=", (Def(unit.scope),))
    for unit in filter(None, [places.unit(mark.at) for mark in marks["attribute"]]):
        found[unit.scope] = names.read(f"@{unit.definition.name}", unit.scope)
    for mark in marks["aliased"]:
        if around := places.unit(mark.at):
            found[around.scope] = names.read(f"{mark.detail.removeprefix(':')}()", around.scope)
    return found | _components(names, places, marks["component"])


def _components(names: Names, places: Places, marks: list[Mark]) -> dict[str, Values]:
    """`card.bank()` gives what the record has by that name, if it does not say itself how."""
    found: dict[str, Values] = {}
    for mark in marks:
        holder = places.class_at(mark.at)
        held, own = names.bound[holder][mark.text], inside(holder, mark.text)
        if own in places.by_scope and not any(isinstance(value, Def) for value in held):
            found[own] = tuple(value for value in held if not isinstance(value, Param))
            held.append(Def(own))
    return {own: values for own, values in found.items() if values}


def described(names: Names, marks: list[Mark]) -> None:
    """What a file of RSpec's examples calls the class that it is about, and an object of it."""
    for mark in marks[:1]:
        values = (names.path(mark.text.split("::"), ""),)
        names.bind("", "described_class", values)
        names.bind("", "subject", tuple(Made(Attr(value, "new")) for value in values))


def by_side(names: Names, values: Values, scope: str) -> Values:
    """What is called; where a class and its objects may have methods of one name, those of what `self` is."""
    match values:
        case (Name(around, name),):
            defined = [value.scope for value in names.bound[around][name] if isinstance(value, Def)]
            own = names.named("self", scope) if not names.statics.isdisjoint(defined) else None
            return (Attr(own, name),) if own is not None and own in (Def(around), This(around)) else values
    return values
