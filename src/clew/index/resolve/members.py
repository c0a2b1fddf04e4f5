"""Members of values: of modules, of classes in method resolution order, of objects, of external values."""

from collections.abc import Iterable, Sequence

from clew.index.facts import (
    AWAITED,
    DELEGATE,
    Call,
    Def,
    NarrowedValue,
    Param,
    TypeArgumentCall,
    UnboundName,
    Values,
    WrappedType,
)
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.common_methods import COMMON
from clew.index.resolve.evaluator_part import EvaluationContext, EvaluatorPart
from clew.index.resolve.provenance import HOLDING, MADE, MADE_MEMBER, MAPPED, PLAIN, SUPPLIED, made_by, method_of
from clew.index.resolve.solver import PointsToSet
from clew.index.resolve.value_sets import FUNCTIONS, CalledMember, MemberKey, PlainKey, Slot, name_of
from clew.languages.libraries import (
    MEMBERLESS,
    UNIVERSAL,
    base_lacks,
    has_objects,
    is_held_value,
    is_of_every_object,
    makes_objects,
    object_lacks,
)
from clew.model.code import SCOPE

# What makes something else of what it is called on, whoever has it.
MAPPING = frozenset(
    "map flatMap flat_map concatMap switchMap mergeMap mapNotNull then thenApply thenCompose reduce fold collect "
    "zip zipWith transform cast groupBy group_by values_list aggregate count exists Select".split()
)
MOST_PARTS = 6  # of the name of what is outside
MOST_HAVING = 8  # heirs that define what a class itself does not have; with more, nothing is said

_NARROWED = "narrowed"
GET = "__get__"
_STRUCTURAL = ("typing.Protocol", "typing_extensions.Protocol")  # what has the same members is one, too
_PROPERTIES = frozenset({"property", "cached_property", "abstractproperty"})


class Members(EvaluatorPart):
    def __init__(self, context: EvaluationContext) -> None:
        super().__init__(context)
        self._members: dict[tuple[AbstractValue, MemberKey], PointsToSet] = {}
        self._owned: dict[tuple[AbstractValue, str, bool], PointsToSet] = {}  # seen from an object or from the class
        self._finding: dict[tuple[AbstractValue, MemberKey], PointsToSet | None] = {}
        self._asked: dict[tuple[str, TypeArgumentCall], PointsToSet] = {}
        self._lead_member, self._lead_bound = self._on_member, self._on_bound

    def narrowed_value(self, path: str, value: NarrowedValue) -> PointsToSet:
        """Only by classes of the tree, with their base classes."""
        of, kinds = self.sets.value(path, value.of), {one for kind in value.to for one in self.tree.static(path, kind)}
        if not kinds or not all(self._is_inherited(one) for one in kinds):
            return of
        if of.inner is None:
            of.inner = {}
        key = _NARROWED, frozenset(kinds)
        found = of.inner.get(key)
        if found is None:
            found = of.inner[key] = self.flow.new_set()
            self.flow.on_each(of, self._narrow, kinds, found)
        return found

    def _narrow(self, thing: AbstractValue, kinds: set[AbstractValue], target: PointsToSet) -> None:
        is_object = thing.kind == value_kinds.OBJECT
        order = self.tree.order(self.thing(value_kinds.CLASS, thing.path, thing.scope)) if is_object else ()
        if not kinds.isdisjoint(order):
            self.flow.add_subset_now(self.flow.constant(thing), target)

    def _is_inherited(self, kind: AbstractValue) -> bool:
        if kind.kind != value_kinds.CLASS:
            return False
        return not any(one.kind == value_kinds.OUTSIDE and one.path in _STRUCTURAL for one in self.tree.order(kind))

    def member(self, of: PointsToSet, name: MemberKey) -> PointsToSet:
        if of.inner is None:
            of.inner = {}
        found = of.inner.get(name)
        if found is None:
            if of.fixed is not None:
                found = of.inner[name] = self.member_of(of.fixed, name)
            else:
                target = found = of.inner[name] = self.flow.new_set()
                self.flow.on_each(of, self._lead_member, name, target)
        return found

    def _on_member(self, thing: AbstractValue, name: MemberKey, target: PointsToSet) -> None:
        self.flow.add_subset_now(self.member_of(thing, name), target)

    def _on_bound(self, thing: AbstractValue, is_object: bool, target: PointsToSet) -> None:
        self.flow.add_subset_now(self._bind_member(thing, is_object), target)

    def member_of(self, thing: AbstractValue, name: MemberKey) -> PointsToSet:
        key = thing, name
        found = self._members.get(key)
        if found is None:
            found = self._of_itself_too(key) if key in self._finding else self._find_once(key)
        return found

    def _of_itself_too(self, key: tuple[AbstractValue, MemberKey]) -> PointsToSet:
        """`this.parts = this.parts.add(…)`: a member's value may depend on itself, so its set exists before it is
        computed."""
        found = self._finding[key]
        if found is None:
            found = self._finding[key] = self.flow.new_set()
        return found

    def _find_once(self, key: tuple[AbstractValue, MemberKey]) -> PointsToSet:
        self._finding[key] = None
        found = self._members[key] = self._find_member(*key)
        before = self._finding.pop(key)
        if before is not None and before is not found:
            self.flow.add_subset(found, before)
        return found

    def _find_member(self, thing: AbstractValue, name: MemberKey) -> PointsToSet:
        if not isinstance(name, str | CalledMember):
            return self.containers.passed_value(thing, name)
        return self.lent.awaited_value(thing) if name == AWAITED else self.find_plain_member(thing, name)

    def find_plain_member(self, thing: AbstractValue, key: PlainKey) -> PointsToSet:
        """A member by its name, of a value of any kind."""
        sort = thing.kind
        if sort == value_kinds.SUPPLIED:
            return self._of_supplied(thing, key)
        if sort != value_kinds.OUTSIDE and self.tree.is_declarative(thing.path):
            found_there = self.declared.declared_member(thing, key)
            return self._with_supplied(thing, found_there) if sort == value_kinds.CLASS else found_there
        name = name_of(key)
        if sort == value_kinds.OBJECT and name == "__class__":
            return self.flow.constant(self.thing(value_kinds.CLASS, thing.path, thing.scope))
        if sort in (value_kinds.OBJECT, value_kinds.CLASS, value_kinds.PARENT):
            return self._inherited_member(thing, name)
        if sort == value_kinds.MODULE:
            found = self.tree.holder(thing.path, name)
            return self.sets.values_at(found) if found else self._stored_member((thing.path, "", name))
        if sort == value_kinds.OUTSIDE:
            if makes_objects(thing.path, name):
                return self.flow.constant(thing)
            is_object = thing.provenance != PLAIN or has_objects(thing.path)
            if (added := self.declared.extension_members(thing, name, is_object=is_object)) is not None:
                return added
            if is_held_value(thing.path, name):
                return self.nothing  # what it holds, if that is known
            if thing.path in MEMBERLESS or (thing.provenance == MADE and base_lacks(thing.path, name)):
                return self.nothing
            is_made = thing.provenance in (MADE, MADE_MEMBER) or thing.path.startswith("Object.")
            if is_made and object_lacks(thing.path, name):
                return self.nothing
            if thing.path in UNIVERSAL and not is_of_every_object(thing.path, name):
                return self.nothing
            seen_from = thing.provenance.file
            files = self.tree.files(seen_from, f"{thing.path}.{name}") if seen_from else ()
            return self.flow.constant(self.thing(value_kinds.MODULE, files[0]) if files else self._further(thing, name))
        if sort == value_kinds.BOX:
            if name not in self.tree.rules(thing.path).library.container_members and not name.startswith("__"):
                return self.nothing
            return self.flow.constant(
                self.thing(value_kinds.TAKER, thing.path, thing.scope, method_of(name, thing.provenance))
            )
        return self._stored_member((thing.path, thing.scope, f".{name}")) if sort in FUNCTIONS else self.nothing

    def _stored_member(self, slot: Slot) -> PointsToSet:
        """The values that other code stores there, if any."""
        if slot[2].lstrip(".") not in self.stored:
            return self.nothing
        found = self.flow.new_set()
        self.sets.wait_for(slot, found)
        return found

    def _further(self, thing: AbstractValue, name: str) -> AbstractValue:
        """A member of an external value. For a call's result, only one level is kept, or `x = x.next()` would never
        end."""
        if thing.provenance == MADE:
            return self.thing(value_kinds.OUTSIDE, f"{thing.path}.{name}", thing.path, MADE_MEMBER)
        if thing.provenance == MADE_MEMBER:
            return self.thing(value_kinds.OUTSIDE, f"{thing.scope}.{name}", thing.scope, MADE_MEMBER)
        if thing.path.count(".") >= MOST_PARTS:
            return thing
        return self.thing(value_kinds.OUTSIDE, f"{thing.path}.{name}", "", thing.provenance)

    def _inherited_member(self, thing: AbstractValue, name: str) -> PointsToSet:
        """A member by method resolution order: an object's own values add up, of the classes' members the first
        counts."""
        is_object, own = thing.kind != value_kinds.CLASS, f".{name}"
        order = self.tree.order(self.thing(value_kinds.CLASS, thing.path, thing.scope))[
            thing.kind == value_kinds.PARENT :
        ]
        sources: list[PointsToSet] = []
        owner: AbstractValue | None = None
        is_open = True  # nothing is said of it but that it is passed
        for one in order:
            if one.kind == value_kinds.OUTSIDE:
                if owner is None and not sources and not base_lacks(one.path, name):
                    owner = one
                    sources.append(self.flow.constant(self.tree.outside(f"{one.path}.{name}")))
                    sources += [self.supplied_members(thing)] if thing.kind == value_kinds.CLASS else []
                continue
            names = self.tree.facts(one.path).names.get(one.scope, {})
            if is_object and own in names:
                sources.append(self.sets.name(one.path, one.scope, own))
                is_open = is_open and names[own] == (Param(one.scope, own),)
            if owner is None and name in names:
                owner = one
                is_constant = is_enum(order) and self._is_constant(one, name, names[name])
                sources.append(
                    self.flow.constant(self.sets.an_object(thing))
                    if is_constant
                    else self._own_member(one, name, is_object)
                )
                if not is_object and not is_constant and any(upper.kind == value_kinds.OUTSIDE for upper in order):
                    sources.append(self._supplied_if_generic(sources[-1], thing))
        if owner is None and not sources and is_object and not name.startswith("__"):
            sources += self._getattr_targets(order, name)
        if owner is None and is_open and thing.kind == value_kinds.OBJECT:
            sources += self._member_of_subclasses(thing, name)
        if name in self.stored:
            for one in order:
                sources += [self._stored_member((one.path, one.scope, key)) for key in (name, own)[: 1 + is_object]]
        return self.together(sources)

    def _of_supplied(self, thing: AbstractValue, key: PlainKey) -> PointsToSet:
        """The member of its class, unless the name is too common; other external members may return an instance
        again."""
        called, one = name_of(key), self.thing(value_kinds.CLASS, thing.path, thing.scope)
        if thing.provenance == MAPPED or (thing.provenance == MADE_MEMBER and not self._is_held(one, called)):
            return self.nothing
        view = MAPPED if called in MAPPING else MADE_MEMBER
        again = self.flow.constant(self.thing(value_kinds.SUPPLIED, one.path, one.scope, view))
        others = [again, *(self.member_of(one, key) for one in self.maker(thing))]
        if called.startswith("__") or thing.provenance == HOLDING or not self.tree.members(one, called):
            return self.together(others)
        own = self.declared.with_provenance(SUPPLIED, self.member_of(self.sets.an_object(one), key))
        return self.together([own, *others]) if called in COMMON else own

    def _is_held(self, one: AbstractValue, called: str) -> bool:
        """`ref<Card>().value.charge()`: a property of such an object may be an instance, judged by a rare member
        name."""
        return self.tree.is_declarative(one.path) and called not in COMMON and bool(self.tree.members(one, called))

    def wrapped_value(self, path: str, value: WrappedType) -> PointsToSet:
        """The type argument that an external type's object may return, `Mono<Card>`, or in Python stand for:
        `Mapped[Card]`."""
        kinds = self.tree.static(path, value.given.by) if isinstance(value.given, Call) else ()
        if self.tree.rules(path).target or any(
            one.kind != value_kinds.OUTSIDE for one in self.tree.static(path, value.of)
        ):
            return self.declared.dereferenced_value(path, value)
        classes = [one for one in kinds if one.kind == value_kinds.CLASS]
        view = HOLDING if self.tree.is_declarative(path) else PLAIN
        return self.together(
            [self.flow.constant(self.thing(value_kinds.SUPPLIED, one.path, one.scope, view)) for one in classes]
        )

    def made_value(self, path: str, value: Call) -> PointsToSet:
        """A call with a class argument may return an instance of it, or with an object argument, that object, if
        nothing more is known."""
        asked = value.by
        if type(asked) is not TypeArgumentCall:
            return self.sets.made_value(path, value)
        is_object = type(asked.kind) is Call
        kind = asked.kind.by if isinstance(asked.kind, Call) else asked.kind
        kinds = [one for one in self.tree.static(path, kind) if one.kind == value_kinds.CLASS]
        if not kinds or self.sets.self_constructed(path, asked.of):
            return self.sets.made_value(path, Call(asked.of))
        found = self._asked.get((path, asked))
        if found is None:
            found = self._asked[path, asked] = self.flow.new_set()
            lead = self._hand_on if is_object else self._hand_over
            self.flow.on_each(self.sets.called_value(path, asked.of), lead, kinds, found)
            if type(asked.of) is UnboundName and not self.tree.static(path, asked.of):  # `app(Card::class)` of PHP
                for one in kinds:
                    self.flow.add_initial(found, self.thing(value_kinds.SUPPLIED, one.path, one.scope))
        return found

    def _hand_over(self, asked: AbstractValue, kinds: list[AbstractValue], target: PointsToSet) -> None:
        self._hand_on(asked, kinds, target)
        for one in kinds:
            if asked.kind in FUNCTIONS and self._may_give(asked, one):
                self.flow.add_subset_now(self.supplied_members(one), target)

    def _hand_on(self, asked: AbstractValue, kinds: list[AbstractValue], target: PointsToSet) -> None:
        """The results of functions in the tree are known."""
        given = self.calls.given_by(asked, None)
        if asked.kind != value_kinds.OUTSIDE:
            self.flow.add_subset_now(given, target)
        elif given.fixed is not None:
            self._take_over(given.fixed, kinds, target)
        else:
            self.flow.on_each_now(given, self._take_over, kinds, target)

    def _take_over(self, given: AbstractValue, kinds: list[AbstractValue], target: PointsToSet) -> None:
        """An external result may be an instance of the class; as long as that has the requested member, it is taken."""
        is_vague = given.kind == value_kinds.OUTSIDE and given.provenance == MADE
        by = [self.thing(value_kinds.SUPPLIED, one.path, one.scope, made_by(given.path)) for one in kinds if is_vague]
        for one in by or [given]:
            self.flow.add_subset_now(self.flow.constant(one), target)

    def maker(self, thing: AbstractValue) -> list[AbstractValue]:
        """The external function that returned it, if known."""
        is_known = thing.provenance.is_made_by
        return [self.thing(value_kinds.OUTSIDE, thing.provenance.of, "", MADE)] if is_known else []

    def makers(self, things: Iterable[AbstractValue]) -> list[AbstractValue]:
        return [maker for one in things if one.kind == value_kinds.SUPPLIED for maker in self.maker(one)]

    def _may_give(self, function: AbstractValue, one: AbstractValue) -> bool:
        """Whether it says nothing of its result, as where that is of a type parameter, or less than the class does."""
        said = self.tree.facts(function.path).returns.get(function.scope, ())
        told = [
            upper for value in said if isinstance(value, Call) for upper in self.tree.static(function.path, value.by)
        ]
        above = self.tree.order(one)
        return all(upper in above or upper.path in UNIVERSAL for upper in told)

    def _with_supplied(self, one: AbstractValue, found: PointsToSet) -> PointsToSet:
        """`Card.find(1)`: an external method that a class inherits may return its instance."""
        above = found.fixed.path.rpartition(".")[0] if found.fixed and found.fixed.kind == value_kinds.OUTSIDE else ""
        if above and self.tree.outside(above) in self.tree.order(self.tree.home(one.path, one.scope)):
            return self.together([found, self.supplied_members(one)])
        return found

    def _supplied_if_generic(self, source: PointsToSet, one: AbstractValue) -> PointsToSet:
        target = self.flow.new_set()
        self.flow.on_each(source, self._supply, one, target)
        return target

    def supplied_members(self, one: AbstractValue) -> PointsToSet:
        return self.flow.constant(self.thing(value_kinds.SUPPLIED, one.path, one.scope))

    def _supply(self, found: AbstractValue, one: AbstractValue, target: PointsToSet) -> None:
        """`objects = models.Manager()` may return an instance of its class on an external member."""
        is_object = found.kind == value_kinds.OBJECT
        order = self.tree.order(self.thing(value_kinds.CLASS, found.path, found.scope)) if is_object else ()
        if found.provenance == MADE or any(upper.kind == value_kinds.OUTSIDE for upper in order):
            self.flow.add_subset_now(self.supplied_members(one), target)

    def _is_constant(self, one: AbstractValue, name: str, values: Values) -> bool:
        """Whether a name of an enum is one of its objects: no method, decorated or not."""
        if name.startswith("_") or any(isinstance(value, Def) for value in values):
            return False
        return f"{one.scope}{SCOPE}{name}" not in self.tree.facts(one.path).kinds

    def _getattr_targets(self, order: Sequence[AbstractValue], name: str) -> list[PointsToSet]:
        """Members that a class delegates by its `__getattr__`."""
        having = [
            one
            for one in order
            if one.kind == value_kinds.CLASS and DELEGATE in self.tree.scope_bindings(one.path, one.scope)
        ]
        return [self.member(self.sets.name(one.path, one.scope, DELEGATE), name) for one in having[:1]]

    def together(self, sources: list[PointsToSet]) -> PointsToSet:
        if len(sources) < 2:
            return sources[0] if sources else self.nothing
        union = self.flow.new_set()
        for source in sources:
            self.flow.add_subset(source, union)
        return union

    def _own_member(self, owner: AbstractValue, name: str, is_object: bool) -> PointsToSet:
        """A class's own member, seen from an object or from the class."""
        key = owner, name, is_object
        found = self._owned.get(key)
        if found is None:
            source = self.sets.name(owner.path, owner.scope, name)
            if source.fixed is not None:
                found = self._owned[key] = self._bind_member(source.fixed, is_object)
            else:
                target = found = self._owned[key] = self.flow.new_set()
                self.flow.on_each(source, self._lead_bound, is_object, target)
        return found

    def _bind_member(self, thing: AbstractValue, is_object: bool) -> PointsToSet:
        """A function of a class becomes a method, a property its result."""
        if thing.kind != value_kinds.FUNCTION:
            return self._descriptor_result(thing) if thing.kind == value_kinds.OBJECT else self.flow.constant(thing)
        marks = self.tree.facts(thing.path).decorators.get(thing.scope, ())
        if is_object and is_property(marks):
            return self.summaries.returns(thing.path, thing.scope)
        if "staticmethod" not in marks and (is_object or "classmethod" in marks):
            return self.flow.constant(self.thing(value_kinds.METHOD, thing.path, thing.scope, thing.provenance))
        return self.flow.constant(thing)

    def _descriptor_result(self, thing: AbstractValue) -> PointsToSet:
        """An object in a class may be a descriptor."""
        itself = self.flow.constant(thing)
        if self.tree.is_declarative(thing.path) or not self.tree.members(
            self.thing(value_kinds.CLASS, thing.path, thing.scope), GET
        ):
            return itself
        return self.together([itself, self.sets.instances_of(self.member_of(thing, GET))])

    def _member_of_subclasses(self, thing: AbstractValue, name: str) -> list[PointsToSet]:
        """Members that a class lacks and its subclasses may have."""
        having: list[PointsToSet] = []
        for heir in self.heirs.get(thing.id, ()):
            path, _, scope = heir.partition(SCOPE)
            names = self.tree.facts(path).names.get(scope, {})
            if name in names:
                having.append(self._own_member(self.thing(value_kinds.CLASS, path, scope), name, True))
            if f".{name}" in names:
                having.append(self.sets.name(path, scope, f".{name}"))
        return having if len(having) <= MOST_HAVING else []


def is_enum(order: Sequence[AbstractValue]) -> bool:
    """Whether a class of Python has an object of its own for each name that it binds."""
    return any(one.kind == value_kinds.OUTSIDE and one.path.startswith("enum.") for one in order)


def is_property(decorators: tuple[str, ...]) -> bool:
    return bool(decorators) and any(one.partition("(")[0].rpartition(".")[2] in _PROPERTIES for one in decorators)
