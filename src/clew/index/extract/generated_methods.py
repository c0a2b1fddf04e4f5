"""Methods that nobody writes: `attr_accessor :bank`, `describe Card do` of Ruby, `record Card(Bank bank)` of Java."""

from clew.index.extract.binder import Binder
from clew.index.extract.scope_map import ScopeMap, inside
from clew.index.facts import Attr, Call, Def, Param, ScopedName, This, Values
from clew.index.syntax.parse import CapturedMark
from clew.model.code import SCOPE


def bind_generated_methods(names: Binder, places: ScopeMap, marks: dict[str, list[CapturedMark]]) -> dict[str, Values]:
    """Bind `bank=` to the definition of `bank`; its result is `@bank`.

    An alias has the result of its original.
    """
    found: dict[str, Values] = {}
    for unit in filter(None, [places.unit(mark.at) for mark in marks["attribute.written"]]):
        holder, _, name = unit.scope.rpartition(SCOPE)
        names.bind(places.first(holder), f"{name.partition('#')[0]}=", (Def(unit.scope),))
    for unit in filter(None, [places.unit(mark.at) for mark in marks["attribute"]]):
        found[unit.scope] = names.read_expression(f"@{unit.definition.name}", unit.scope)
    for mark in marks["aliased"]:
        if around := places.unit(mark.at):
            found[around.scope] = names.read_expression(f"{mark.detail.removeprefix(':')}()", around.scope)
    return found | _bind_record_components(names, places, marks["component"])


def _bind_record_components(names: Binder, places: ScopeMap, marks: list[CapturedMark]) -> dict[str, Values]:
    """`card.bank()` returns the record's component, unless it is defined explicitly."""
    found: dict[str, Values] = {}
    for mark in marks:
        holder = places.class_at(mark.at)
        held, own = names.bound[holder][mark.text], inside(holder, mark.text)
        if own in places.by_scope and not any(isinstance(value, Def) for value in held):
            found[own] = tuple(value for value in held if not isinstance(value, Param))
            held.append(Def(own))
    return {own: values for own, values in found.items() if values}


def bind_described_class(names: Binder, marks: list[CapturedMark]) -> None:
    """The names of RSpec for the described class and its instance."""
    for mark in marks[:1]:
        values = (names.path(mark.text.split("::"), ""),)
        names.bind("", "described_class", values)
        names.bind("", "subject", tuple(Call(Attr(value, "new")) for value in values))


def by_side(names: Binder, values: Values, scope: str) -> Values:
    """The callee; where a class and its instances may have methods of one name, those of `self`'s side."""
    match values:
        case (ScopedName(around, name),):
            defined = [value.scope for value in names.bound[around][name] if isinstance(value, Def)]
            own = names.resolve_name("self", scope) if not names.statics.isdisjoint(defined) else None
            return (Attr(own, name),) if own is not None and own in (Def(around), This(around)) else values
    return values
