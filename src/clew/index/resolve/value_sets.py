"""From extracted values to points-to sets: names and imports. Sets are created on demand."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from clew.index.facts import (
    Attr,
    Call,
    CallFact,
    CallResult,
    Container,
    Def,
    ImportedName,
    NarrowedValue,
    Param,
    ScopedName,
    Subscript,
    Super,
    This,
    TypeArgumentCall,
    UnboundName,
    Value,
    Values,
    WrappedType,
)
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue, Found
from clew.index.resolve.candidate_selection import select_values
from clew.index.resolve.evaluator_part import EvaluationContext, EvaluatorPart, EvaluatorParts
from clew.index.resolve.program import Where
from clew.index.resolve.provenance import Provenance
from clew.index.resolve.recorded_inputs import SettledSlots
from clew.index.resolve.solver import PointsToSet
from clew.index.resolve.source_index import CLASSES
from clew.languages.member_names import MemberName, spelled_name
from clew.model.code import SCOPE

MOST_IMPORTS = 20  # from file to file until a name is found
_INSTANCES, _BOUND = ("instances", ""), ("bound", "")
FUNCTIONS = (value_kinds.FUNCTION, value_kinds.METHOD)

Slot = tuple[str, str, str]  # path, scope and name of what others fill: a parameter, a member, an element
Passed = tuple[int, str, str, Provenance]  # an abstract value: kind, path, scope, provenance
AllPassed = dict[str, dict[str, dict[str, tuple[Passed, ...]]]]  # by path, scope and name of a slot


class CalledMember(Struct, frozen=True, gc=False):
    """The key of a member that is called, where that may be another one than what is read by its name."""

    name: str


PlainKey = str | CalledMember  # of a member that has a name
MemberKey = MemberName | CalledMember


def name_of(key: PlainKey) -> str:
    return key if isinstance(key, str) else key.name


class Site:
    """A call where it stands."""

    __slots__ = ("call", "path")

    def __init__(self, path: str, call: CallFact) -> None:
        self.path, self.call = path, call


class ValueSets(EvaluatorPart):
    """Sets are made when they are first asked for, once each; `flow` fills them."""

    def __init__(self, context: EvaluationContext) -> None:
        super().__init__(context)
        self._give = self._give_to  # bound once, since it is kept so often
        self.name_sets: dict[Slot, PointsToSet] = {}
        self._frees: dict[tuple[str, str], PointsToSet] = {}
        self._callees: dict[str, list[PointsToSet | None]] = {}  # by path and number, of calls
        self._results: dict[tuple[str, int], PointsToSet] = {}
        self._giving: set[tuple[str, int]] = set()  # calls whose results are on their way
        self._seen_inside: dict[tuple[int, str, str], PointsToSet] = {}
        self.box_contents: dict[tuple[str, str], PointsToSet] = {}  # all elements of each
        self.before = SettledSlots()  # what was settled before: slots that it fills are made when they are asked for
        self.slot_sets: dict[Slot, PointsToSet] = {}
        self.slots_by_scope: dict[tuple[str, str], list[PointsToSet]] = defaultdict(list)
        self._waiting: dict[Slot, list[PointsToSet]] = defaultdict(list)
        self._by_kind: dict[type, Callable[[str, Any], PointsToSet]] = {}

    def join(self, parts: EvaluatorParts) -> None:
        super().join(parts)
        self._by_kind = {
            Def: lambda path, value: self.flow.constant(self.tree.definition_at(path, value.scope)),
            ImportedName: lambda path, value: self._import_values(path, value.module, value.name),
            Param: parts.fixtures.parameter,
            UnboundName: lambda path, value: self._free(path, value.name),
            Subscript: lambda path, value: parts.containers.element(self.value(path, value.of), value.key),
            Call: parts.members.made_value,
            Container: lambda path, value: self._constant(value_kinds.BOX, path, value.scope),
            Super: lambda path, value: self._seen_from_inside(value_kinds.PARENT, path, value.scope),
            WrappedType: parts.members.wrapped_value,
            NarrowedValue: parts.members.narrowed_value,
            TypeArgumentCall: lambda path, value: self.value(path, value.of),
        }

    def values(self, path: str, values: Values) -> PointsToSet:
        if len(values) == 1:
            return self.value(path, values[0])
        if values and self.tree.is_declarative(path):
            values = select_values(self.tree, path, values)
            if len(values) == 1:
                return self.value(path, values[0])
        if not values:
            return self.nothing
        union = self.flow.new_set()
        for value in values:
            self.flow.add_subset(self.value(path, value), union)
        return union

    def value(self, path: str, value: Value) -> PointsToSet:
        if type(value) is ScopedName:  # nearly all are of these kinds, and most were asked for before
            return self.name_sets.get((path, value.scope, value.name)) or self.name(path, value.scope, value.name)
        if type(value) is Attr:
            of, name = self.value(path, value.of), value.name
            return (of.inner and of.inner.get(name)) or self.members.member(of, name)
        if type(value) is CallResult:
            return self._results.get((path, value.call)) or self.result(path, value.call)
        if type(value) is This:
            return self._seen_from_inside(value_kinds.OBJECT, path, value.scope)
        return self._by_kind[type(value)](path, value)

    def made_value(self, path: str, value: Call) -> PointsToSet:
        by = value.by
        if type(by) is Attr and by.name == "bind" and self.tree.rules(path).functions_have_members:
            return self._bound_to(self.value(path, by.of))
        return self.self_constructed(path, by) or self.instances_of(self.called_value(path, by))

    def _bound_to(self, of: PointsToSet) -> PointsToSet:
        """`run.bind(this)` is run; on other values, the result of their own method."""
        if of.inner is None:
            of.inner = {}
        found = of.inner.get(_BOUND)
        if found is None:
            target = found = of.inner[_BOUND] = self.flow.new_set()
            self.flow.on_each(of, self._bind_to, target)
        return found

    def _bind_to(self, thing: AbstractValue, target: PointsToSet, _: None) -> None:
        is_function = thing.kind in FUNCTIONS
        self.flow.add_subset_now(
            self.flow.constant(thing) if is_function else self.instances_of(self.members.member_of(thing, "bind")),
            target,
        )

    def self_constructed(self, path: str, value: Value) -> PointsToSet | None:
        """`Card::default()` gives a card, even where a trait says how, or one from outside."""
        if type(value) is not Attr or not isinstance(value.of, ScopedName | Def | UnboundName | ImportedName):
            return None
        rules = self.tree.rules(path)
        if not rules.complete_bounds:
            return None
        classes = [one for one in self.tree.static(path, value.of) if one.kind == value_kinds.CLASS]
        if len(classes) != 1 or not rules.gives_itself(self.tree, classes[0], spelled_name(value.name)):
            return None
        return self.flow.constant(self.an_object(classes[0]))

    def called_value(self, path: str, value: Value) -> PointsToSet:
        """A callee with a name that no file of the tree binds is external."""
        if type(value) is Attr and (lent := self.lent.lent_method(path, value)) is not None:
            return lent
        if type(value) is Attr and self.tree.rules(path).methods_apart:
            return self.members.member(
                self.value(path, value.of), CalledMember(value.name) if isinstance(value.name, str) else value.name
            )
        if type(value) is UnboundName and self.tree.rules(path).builtin_callees and self._is_nowhere(path, value.name):
            return self.flow.constant(self.tree.outside(f"builtins.{value.name}"))
        return self.value(path, value)

    def _is_nowhere(self, path: str, name: str) -> bool:
        return name not in self.tree.scope_bindings(path, "") and not self.tree.elsewhere.free(path, name)

    def parameter(self, path: str, value: Param) -> PointsToSet:
        if value.name.startswith("*"):
            return self._constant(value_kinds.BOX, path, f"{value.scope}{SCOPE}{value.name}")
        return self.slot((path, value.scope, value.name))

    def _seen_from_inside(self, sort: int, path: str, scope: str) -> PointsToSet:
        """An object of a class, from inside; the class may be written elsewhere."""
        found = self._seen_inside.get((sort, path, scope))
        if found is None:
            home = self.tree.home(path, scope)
            is_outside = home.kind == value_kinds.OUTSIDE
            found = (
                self.instances_of(self.flow.constant(home))
                if is_outside
                else self._constant(sort, home.path, home.scope)
            )
            self._seen_inside[sort, path, scope] = found
        return found

    def _constant(self, sort: int, path: str, scope: str = "") -> PointsToSet:
        return self.flow.constant(self.thing(sort, path, scope))

    def name(self, path: str, scope: str, name: str) -> PointsToSet:
        key = path, scope, name
        found = self.name_sets.get(key)
        if found is None:
            values = self.tree.facts(path).names.get(scope, {}).get(name, ())
            if len(values) > 1 and self.tree.is_declarative(path):
                values = select_values(self.tree, path, values)
            if len(values) == 1 and (found := self._direct_alias(path, values[0], name)):
                self.name_sets[key] = found
                return found
            found = self.name_sets[key] = self.flow.new_set()
            sources = [self.value(path, value) for value in values]
            if len(sources) == 1 and sources[0].fixed is not None and name not in self.stored and found.is_new:
                self.name_sets[key] = sources[0]
                return sources[0]
            for source in sources:
                self.flow.add_subset(source, found)
            if not scope and name in self.stored:
                self.wait_for(key, found)
        return found

    def _direct_alias(self, path: str, value: Value, name: str) -> PointsToSet | None:
        """A name that is but another word for one thing needs no set of its own."""
        if name in self.stored:
            return None
        if isinstance(value, Def | Container | This | Param):
            return self.value(path, value)
        thing = self._thing_of(path, value, 0) if isinstance(value, ImportedName) else None
        return self.flow.constant(thing) if thing is not None else None

    def _thing_of(self, path: str, value: Value, depth: int) -> AbstractValue | None:
        """Where imports lead, if from file to file each names one thing only."""
        if isinstance(value, Def):
            return self.tree.definition_at(path, value.scope)
        if not isinstance(value, ImportedName) or depth > MOST_IMPORTS:
            return None
        where = self.tree.resolve_import(path, value.module, value.name)
        if isinstance(where, list):
            if len(where) != 1:
                return None
            if isinstance(where[0], AbstractValue):
                return where[0]
            where = (where[0][0], where[0][2]) if not where[0][1] else None
            if where is None:
                return None
        if not isinstance(where, tuple):
            return self.thing(value_kinds.MODULE, where) if isinstance(where, str) else where
        values = self.tree.facts(where[0]).names.get("", {}).get(where[1], ())
        if len(values) != 1 or where[1] in self.stored:
            return None
        return self._thing_of(where[0], values[0], depth + 1)

    def slots(self) -> Iterator[tuple[Slot, PointsToSet]]:
        """All slots that other code fills, with their contents."""
        return iter(self.slot_sets.items())

    def slot(self, slot: Slot) -> PointsToSet:
        found = self.slot_sets.get(slot)
        if found is None:
            found = self.slot_sets[slot] = self.flow.new_slot()
            if before := self.before.content(*slot):
                self.flow.fill(found, [self.thing(*thing) for thing in before])
            self.slots_by_scope[slot[0], slot[1]].append(found)
            for waiting in self._waiting.pop(slot, ()):
                self.flow.add_subset(found, waiting)
            if every := self.box_contents.get((slot[0], slot[1])):
                self.flow.add_subset(found, every)
        return found

    def wait_for(self, slot: Slot, target: PointsToSet) -> None:
        """Values of a slot flow to the target; most slots never come to be."""
        if slot in self.slot_sets or self.before.content(*slot):
            self.flow.add_subset(self.slot(slot), target)
        else:
            self._waiting[slot].append(target)

    def values_at(self, where: Where) -> PointsToSet:
        if isinstance(where, list):
            return self._any_of(where)
        if isinstance(where, tuple):
            return self.name(where[0], "", where[1])
        if isinstance(where, str):
            return self._constant(value_kinds.MODULE, where)
        return self.flow.constant(where) if where is not None else self.nothing

    def _any_of(self, found: Found) -> PointsToSet:
        sources = [self.flow.constant(one) if isinstance(one, AbstractValue) else self.name(*one) for one in found]
        if len(sources) < 2:
            return sources[0] if sources else self.nothing
        union = self.flow.new_set()
        for source in sources:
            self.flow.add_subset(source, union)
        return union

    def _free(self, path: str, name: str) -> PointsToSet:
        found = self._frees.get((path, name))
        if found is None:
            found = self._frees[path, name] = self.values_at(self.tree.free(path, name))
        return found

    def _import_values(self, path: str, module: str, name: str) -> PointsToSet:
        where = self.tree.resolve_import(path, module, name)
        if not where and not self.tree.files(path, module):
            return self.nothing
        if not where:  # a module that does not bind the name; perhaps someone puts it there
            return self.members.member(self._constant(value_kinds.MODULE, self.tree.files(path, module)[0]), name)
        return self.values_at(where)

    def callee(self, path: str, number: int, call: CallFact | None = None) -> PointsToSet:
        """The possible callees of a call; `call` if it is at hand."""
        known = self._callees.get(path)
        if known is None:
            known = self._callees[path] = [None] * len(self.tree.facts(path).calls)
        found = known[number]
        if found is None:
            found = known[number] = self._called_values(path, (call or self.tree.facts(path).calls[number]).callee)
        return found

    def callees(self, path: str) -> list[PointsToSet]:
        """Of all calls of a file, in its order."""
        calls = self.tree.facts(path).calls[:]  # all are needed
        known = self._callees.setdefault(path, [None] * len(calls))
        find = self._called_values if self.tree.is_declarative(path) else self.values
        several: dict[Values, PointsToSet] = {}  # of which one is meant: worth keeping, since that takes a while
        for number, call in enumerate(calls):
            if known[number] is None and len(call.callee) == 1:
                known[number] = find(path, call.callee)
            elif known[number] is None:
                known[number] = several[call.callee] = several.get(call.callee) or find(path, call.callee)
        return [callee for callee in known if callee is not None]

    def _called_values(self, path: str, callee: Values) -> PointsToSet:
        """As `values`, where it makes a difference that they are called."""
        if not self.tree.is_declarative(path):
            return self.values(path, callee)
        if (made := self._constructed_class(path, callee)) is not None:
            return made
        if not self.tree.rules(path).methods_apart:
            return self.values(path, callee)
        few = select_values(self.tree, path, callee) if len(callee) > 1 else callee
        return self.called_value(path, few[0]) if len(few) == 1 else self.values(path, few)

    def _constructed_class(self, path: str, callee: Values) -> PointsToSet | None:
        """`this(…)` and `super(…)` call a class, where a language has them."""
        if len(callee) != 1:
            return None
        match callee[0]:
            case This(scope) if not self.tree.rules(path).calls_this:
                home = self.tree.home(path, scope)
                return self.flow.constant(home) if self.tree.facts(path).kinds.get(scope) in CLASSES else None
            case Super(scope) | Attr(Super(scope), "constructor"):
                above = self.tree.bases(self.tree.home(path, scope))[:1]
                return self.flow.constant(above[0]) if above else None
        return None

    def result(self, path: str, number: int) -> PointsToSet:
        key = path, number
        found = self._results.get(key)
        if found is None and key in self._giving:
            found = self._results[key] = self.flow.new_set()
        elif found is None:
            call = self.tree.facts(path).calls[number]
            callee = self.callee(path, number, call)
            found = self._results.get(key) or self._result(callee, key, Site(path, call))
            self._results[key] = found
        return found

    def _result(self, callee: PointsToSet, key: tuple[str, int], site: Site) -> PointsToSet:
        if callee.fixed is None:
            target = self._results[key] = self.flow.new_set()
            self.flow.on_each(callee, self._give, site, target)
            return target
        self._giving.add(key)
        found, on_the_way = self.calls.given_by(callee.fixed, site), self._results.get(key)
        self._giving.discard(key)
        if on_the_way is None or on_the_way.is_new:
            return found
        self.flow.add_subset(found, on_the_way)
        return on_the_way

    def _give_to(self, thing: AbstractValue, site: Site | None, target: PointsToSet) -> None:
        self.flow.add_subset_now(self.calls.given_by(thing, site), target)

    def instances_of(self, of: PointsToSet) -> PointsToSet:
        if of.inner is None:
            of.inner = {}
        found = of.inner.get(_INSTANCES)
        if found is None:
            target = found = of.inner[_INSTANCES] = self.flow.new_set()
            self.flow.on_each(of, self._give, None, target)
        return found

    def an_object(self, of: AbstractValue) -> AbstractValue:
        return self.thing(value_kinds.OBJECT, of.path, of.scope)
