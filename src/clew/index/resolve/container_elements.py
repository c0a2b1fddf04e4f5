"""Elements of things: of containers by key, and of objects that can be gone through; what functions pass on."""

from clew.index.facts import (
    Attr,
    ImportedName,
    ScopedName,
    UnboundName,
)
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.evaluator_part import EvaluationContext, EvaluatorPart
from clew.index.resolve.provenance import ITEMS, MADE, MADE_MEMBER, MAPPED, PAIR, PLAIN, VALUES, rest_from
from clew.index.resolve.solver import PointsToSet
from clew.index.resolve.value_sets import FUNCTIONS, Site, Slot
from clew.languages.libraries import CONTAINERS, is_holder
from clew.languages.member_names import (
    ITSELF,
    KEY,
    LAST,
    PROMISED,
    VALUE,
    NamelessMember,
    PassedValue,
    ResultPart,
    TakenValue,
    spelled_name,
)
from clew.model.code import SCOPE

ELEMENT = "element"
LONGEST_REST = 32  # elements left out from a container's start; from there on, places are not told apart


class ContainerElements(EvaluatorPart):
    def __init__(self, context: EvaluationContext) -> None:
        super().__init__(context)
        self._known_keys: dict[Slot, PointsToSet] = {}  # elements with a key, or with any
        self._elements: dict[AbstractValue, PointsToSet] = {}
        self._lead_element = self._on_element

    def element(self, of: PointsToSet, key: str) -> PointsToSet:
        if of.inner is None:
            of.inner = {}
        derived = ELEMENT, key
        found = of.inner.get(derived)
        if found is None:
            if of.fixed is not None:
                found = of.inner[derived] = self._element_of(of.fixed, key)
            else:
                target = found = of.inner[derived] = self.flow.new_set()
                self.flow.on_each(of, self._lead_element, key, target)
        return found

    def _on_element(self, thing: AbstractValue, key: str, target: PointsToSet) -> None:
        self.flow.add_subset_now(self._element_of(thing, key), target)

    def _element_of(self, thing: AbstractValue, key: str) -> PointsToSet:
        if thing.kind == value_kinds.BOX:
            return self._element_of_container(thing, key)
        if thing.kind == value_kinds.SUPPLIED:
            if thing.provenance in (MADE_MEMBER, MAPPED):
                return self.nothing
            return self.members.together(
                [self.members.supplied_members(thing), *map(self.flow.constant, self.members.maker(thing))]
            )
        if thing.kind == value_kinds.OUTSIDE:  # of a container, nobody knows what it holds
            if is_holder(thing.path):
                return self.nothing
            return (
                self.flow.constant(thing) if thing.path not in CONTAINERS or thing.provenance != MADE else self.nothing
            )
        if self.tree.is_declarative(thing.path):
            return self._declared_element(thing, key)
        if thing.kind == value_kinds.CLASS and key != "*":
            return self.flow.constant(thing)  # `Stack[int]`, which is not asked what it holds
        if thing.kind != value_kinds.OBJECT:
            return self.nothing
        return self._iterate(thing) if key == "*" else self._field(thing, key)

    def _field(self, thing: AbstractValue, key: str) -> PointsToSet:
        """An element of a named tuple, by its place."""
        fields = self.tree.facts(thing.path).params.get(thing.scope, ()) if key.isdecimal() else ()
        return (
            self.members.member_of(thing, fields[int(key)])
            if key.isdecimal() and int(key) < len(fields)
            else self.nothing
        )

    def _declared_element(self, thing: AbstractValue, key: str) -> PointsToSet:
        """Of a type that holds others, what it holds; a function or class with type arguments is itself."""
        rules = self.tree.rules(thing.path)
        if rules.keys_are_members and key.isidentifier():
            return self.members.member_of(thing, key)
        if thing.kind == value_kinds.OBJECT and (operator := rules.index_operator):  # else a pointer, or an array
            chosen = self.tree.members(self.tree.home(thing.path, thing.scope), operator)
            return (
                self.sets.instances_of(self.members.member_of(thing, operator)) if chosen else self.flow.constant(thing)
            )
        if thing.kind == value_kinds.OBJECT and key.isdecimal() and rules.fields_by_place:
            return self._field(thing, key)
        if thing.kind == value_kinds.OBJECT:
            return self.members.member_of(thing, "")
        return self.flow.constant(thing) if thing.kind != value_kinds.MODULE else self.nothing

    def _element_of_container(self, box: AbstractValue, key: str) -> PointsToSet:
        view, keyed = box.provenance, box.scope.rpartition(SCOPE)[2].startswith(("<dict", "**"))
        if key.endswith(":") and key[:-1].isdecimal():
            start = int(key[:-1]) + view.start
            return self.flow.constant(
                self.thing(value_kinds.BOX, box.path, box.scope, rest_from(min(start, LONGEST_REST)))
            )
        if view == ITEMS:
            pair = self.thing(value_kinds.BOX, box.path, box.scope, PAIR)
            return self.flow.constant(pair) if key == "*" else self.nothing
        if view == PAIR:
            return self.every(box.path, box.scope) if key != "0" else self.nothing
        if key in ("", "*") or view == VALUES:  # but going through a dictionary gives its keys
            return self.nothing if keyed and key == "*" and view == PLAIN else self.every(box.path, box.scope)
        if view.is_rest and key.isdecimal():
            key = str(int(key) + view.start)
        return self._at(box.path, box.scope, key)

    def _at(self, path: str, scope: str, key: str) -> PointsToSet:
        found = self._known_keys.get((path, scope, key))
        if found is None:
            found = self._known_keys[path, scope, key] = self.flow.new_set()
            for known in (key, ""):
                self.flow.add_subset(self.sets.name(path, scope, known), found)
                self.sets.wait_for((path, scope, known), found)
        return found

    def every(self, path: str, scope: str) -> PointsToSet:
        """All elements of a container."""
        found = self.sets.box_contents.get((path, scope))
        if found is None:
            for key in self.sets.before.names(path, scope):
                self.sets.slot((path, scope, key))
            found = self.sets.box_contents[path, scope] = self.flow.new_set()
            for key in self.tree.facts(path).names.get(scope, {}):
                self.flow.add_subset(self.sets.name(path, scope, key), found)
            for slot in self.sets.slots_by_scope.get((path, scope), ()):
                self.flow.add_subset(slot, found)
        return found

    def _iterate(self, thing: AbstractValue) -> PointsToSet:
        """The elements of an object by the iterator protocol: `__iter__`, then `__next__` repeatedly."""
        found = self._elements.get(thing)
        if found is None:
            found = self._elements[thing] = self.flow.new_set()
            self.flow.on_each(self.sets.instances_of(self.members.member_of(thing, "__iter__")), self._step, found)
        return found

    def _step(self, iterator: AbstractValue, target: PointsToSet, _: None) -> None:
        if iterator.kind == value_kinds.OBJECT:
            self.flow.add_subset_now(self.sets.instances_of(self.members.member_of(iterator, "__next__")), target)
        else:
            self.flow.add_subset_now(self._element_of(iterator, "*"), target)

    def passed_value(self, thing: AbstractValue, name: NamelessMember) -> PointsToSet:
        """What a function gives in some place, or passes to one that it takes; what a function of a type is passed."""
        if thing.kind == value_kinds.SUPPLIED:
            return self.members.supplied_members(thing)
        if isinstance(name, PassedValue) and name.place == PROMISED:
            return self._promise_result(thing)
        if isinstance(name, PassedValue) and name.place in (KEY, VALUE):
            if thing.kind == value_kinds.TAKER:
                return self.every(thing.path, thing.scope) if name.place == VALUE else self.nothing
            name = PassedValue(int(name.place == VALUE), name.function)
        told = self.tree.facts(thing.path).returns if thing.kind != value_kinds.OUTSIDE else {}
        if thing.kind in FUNCTIONS:
            own = f"{thing.scope}{SCOPE}{name.text}"
            return self.summaries.returns(thing.path, own) if own in told else self._passed_by_type(thing, name)
        if thing.kind == value_kinds.TAKER:
            lending = self.tree.rules(thing.path).library.lending
            is_lent = name in lending.get(thing.provenance.of, ())
            return self.every(thing.path, thing.scope) if is_lent else self.nothing
        if thing.kind == value_kinds.CLASS and self.tree.rules(thing.path).constructors_take_functions:
            return self.members.member(self.members.member_of(thing, self.tree.constructor(thing.path)), name)
        if thing.kind != value_kinds.OBJECT:
            return self.nothing
        order = self.tree.order(self.thing(value_kinds.CLASS, thing.path, thing.scope))
        owns = [(one.path, f"{one.scope}{SCOPE}{name.text}") for one in order if one.kind == value_kinds.CLASS]
        telling = [own for own in owns if own[1] in self.tree.facts(own[0]).returns]
        if not telling and self.tree.rules(thing.path).functional_interfaces:
            return self._passed_by_method([one for one in order if one.kind == value_kinds.CLASS], name)
        return self.summaries.returns(*telling[0]) if telling else self.nothing

    def _promise_result(self, thing: AbstractValue) -> PointsToSet:
        """What is passed to what comes `then`: a thing itself, if that is promised and has no such method."""
        own = self.tree.home(thing.path, thing.scope) if thing.kind == value_kinds.OBJECT else thing
        if own.kind == value_kinds.CLASS and self.tree.members(own, "then"):
            return self.members.member(self.members.member_of(thing, "then"), PassedValue(0, 0))
        return self.flow.constant(thing) if thing.kind in (value_kinds.OBJECT, value_kinds.BOX) else self.nothing

    def _passed_by_method(self, order: list[AbstractValue], name: NamelessMember) -> PointsToSet:
        """The parameter of the only abstract method of an interface."""
        left = [
            (one.path, own) for one in order for own in self.tree.facts(one.path).declared if _is_of(own, one.scope)
        ]
        if len(left) != 1 or not isinstance(name, PassedValue) or name.function != ITSELF or name.place < 0:
            return self.nothing
        (path, scope), params = left[0], self.tree.facts(left[0][0]).params.get(left[0][1], ())
        return self.sets.name(path, scope, params[name.place]) if name.place < len(params) else self.nothing

    def _passed_by_type(self, function: AbstractValue, name: NamelessMember) -> PointsToSet:
        """What is passed to a parameter by the type that it has: `PassedValue(1, 0)` is the second that a `Payer` is
        given."""
        if not self.tree.rules(function.path).function_types or isinstance(name, ResultPart) or name.place < 0:
            return self.nothing
        if isinstance(name, TakenValue):
            return self._taken_at(function, name.place)
        if name.function != ITSELF:
            params = self.tree.facts(function.path).params.get(function.scope, ())
            number = len(params) - 1 if name.function == LAST else name.function
            return self.members.member(self._taken_at(function, number), PassedValue(name.place))
        is_declared = function.scope in self.tree.facts(function.path).declared
        return self._taken_at(function, name.place) if is_declared else self.nothing

    def _taken_at(self, function: AbstractValue, number: int) -> PointsToSet:
        """The points-to set of a parameter, by its position; the last may be variadic."""
        params = self.tree.facts(function.path).params.get(function.scope, ())
        if not params:
            return self.nothing
        taken = self.sets.name(function.path, function.scope, params[min(number, len(params) - 1)])
        return taken if number < len(params) - 1 else self.members.together([taken, self.element(taken, "")])

    def supplied_for(self, site: Site) -> list[PointsToSet]:
        """`session.get(Card, 1)` may give a card, and so may `session.scalar(select(Card))`."""
        named = [
            value
            for values in site.call.args
            for value in values
            if isinstance(value, ScopedName | UnboundName | ImportedName | Attr)
        ]
        kinds = [
            one
            for value in named
            if spelled_name(value.name)[:1].isupper()
            for one in self.tree.static(site.path, value)
        ]
        handed = [self._supplied_of(self.sets.values(site.path, values)) for values in site.call.args if values]
        return [*handed, *(self.members.supplied_members(one) for one in kinds if one.kind == value_kinds.CLASS)]

    def _supplied_of(self, given: PointsToSet) -> PointsToSet:
        if given.fixed is not None:
            return given if given.fixed.kind == value_kinds.SUPPLIED else self.nothing
        found = self.flow.new_set()
        self.flow.on_each(given, self._supply_on, found)
        return found

    def _supply_on(self, thing: AbstractValue, target: PointsToSet, _: None) -> None:
        if thing.kind == value_kinds.SUPPLIED:
            self.flow.add_subset_now(self.flow.constant(thing), target)


def _is_of(scope: str, holder: str) -> bool:
    return scope.rpartition(SCOPE)[0] == holder
