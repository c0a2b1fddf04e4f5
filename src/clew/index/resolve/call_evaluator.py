"""Evaluates calls: passes arguments to parameters, and results to call sites."""

from collections import defaultdict
from collections.abc import Callable

from clew.index.facts import CallFact, Def, StoreFact
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.evaluator_part import EvaluationContext, EvaluatorPart
from clew.index.resolve.provenance import BEHIND, ITEMS, MADE, MADE_MEMBER, MAPPED, VALUES
from clew.index.resolve.single_objects import is_alone, is_but_handed_on, is_single
from clew.index.resolve.solver import PointsToSet
from clew.index.resolve.value_sets import FUNCTIONS, CalledMember, Site, Slot
from clew.languages.libraries import GIVING_TEXT, gives_anything
from clew.model.code import SCOPE

_TAKERS = frozenset("get pop setdefault popleft popitem __enter__ __aenter__ __next__ __anext__".split())
Join = Callable[[PointsToSet, PointsToSet], None]
# What gives back what it is given first, and what may give anything.
_SAME = frozenset(
    "functools.partial functools.partialmethod functools.update_wrapper copy.copy copy.deepcopy asyncio.run "
    "asyncio.wait_for asyncio.create_task asyncio.ensure_future asyncio.shield typing.assert_type copy.replace "
    "dataclasses.replace attr.evolve attrs.evolve msgspec.structs.replace weakref.proxy builtins.staticmethod "
    "builtins.classmethod functools.cache functools.lru_cache functools.singledispatch "
    "itertools.cycle itertools.islice random.sample".split()
)
_ONE_OF = frozenset({"random.choice", "heapq.heappop"})  # what they are given holds it
_TYPED = frozenset({"cast", "NewType", "TypeVar"})  # of what says a type: what they are given says more
_ANYTHING = frozenset(
    f"builtins.{name}"
    for name in (
        "getattr next anext min max sum eval type super map filter iter reversed zip enumerate sorted "
        "vars globals locals Object.values Object.entries Object.assign Object.freeze Object.seal Object.create "
        "Object.fromEntries "
        "Array.from Array.of JSON.parse structuredClone Reflect.get Reflect.apply Reflect.construct "
        "Map.get Map.values Map.entries Map.keys Set.values Set.entries Set.keys "
        "Array.at Array.find Array.pop Array.shift Array.values Array.entries "
        "Promise.all Promise.race Promise.any Promise.allSettled Promise.resolve"
    ).split()
) | {"importlib.import_module", "pickle.load", "pickle.loads"}
# What these give says what a value can do, not which one it is.
_TYPES = ("typing.", "typing_extensions.", "collections.abc.")


class CallEvaluator(EvaluatorPart):
    """Calls fill the parameters of their callees, once `connect` was called.

    Arguments from tests say nothing about real ones: they stay among the tests.
    """

    def __init__(self, context: EvaluationContext) -> None:
        super().__init__(context)
        self._results_of: dict[tuple[Site | None, AbstractValue], PointsToSet] = {}
        self._passed: set[tuple[Site, AbstractValue]] = set()
        self._makers: dict[AbstractValue, PointsToSet] = {}
        self._from: dict[AbstractValue, PointsToSet] = {}  # what calls of what is outside give, whatever they pass
        self._fields_of: dict[AbstractValue, dict[str, tuple[AbstractValue, bool]]] = {}
        self._arriving, self._passing = self._arrive, self._pass_once
        self.decorated: dict[Slot, set[Site]] = defaultdict(set)  # where decorators take by one what they decorate
        self._earlier: dict[Slot, list[frozenset[AbstractValue]]] = {}  # contents in rounds that were begun anew
        self.held = 0
        self.crowded: frozenset[Slot] = frozenset()  # those of them that were settled to hold too many

    def solve(self) -> None:
        """Let everything flow that was connected, until nothing is new and no slot is over its bound."""
        while not self.flow.solve():
            self._passed.clear()
            for slot, var in self.sets.slot_sets.items():
                if var.things:
                    self._earlier.setdefault(slot, []).append(var.things)
            self.flow.begin_anew()
        self.held = self.flow.held
        self.forget_calls()

    def unsteady_slots(self) -> tuple[Slot, ...]:
        """The slots that are set aside, or held more in an earlier round than now."""
        aside = {slot for slot, var in self.sets.slot_sets.items() if var.is_aside}
        more = {
            slot
            for slot, some in self._earlier.items()
            if any(not one <= self.sets.slot_sets[slot].things for one in some)
        }
        return tuple(sorted(aside | more))

    def forget_calls(self) -> None:
        """All that was asked for is found: forget the calls that it took."""
        self.flow.release()
        self._passed.clear()
        self._results_of.clear()

    def escaped_files(self) -> tuple[str, ...]:
        """The files with values that a slot of another file held in any round, or did not take."""
        found = {one.path for one in self.flow.dropped}
        for slot, var in self.sets.slot_sets.items():
            for things in (var.things, *self._earlier.get(slot, ())):
                found.update(thing.path for thing in things if thing.path != slot[0])
        return tuple(sorted(found))

    def connect(self, path: str) -> None:
        """Let everything flow that a file passes to calls, or puts into members and elements."""
        facts = self.tree.facts(path)
        is_test = self.tree.is_test(path)
        for number, call in enumerate(facts.calls):
            if call.args or call.keywords:
                callee = self.sets.callee(path, number, call)
                if callee.fixed is None or self._takes(callee.fixed, is_test):
                    self._connect_call(callee, Site(path, call))
        for store in facts.stores:
            self._connect_store(path, store)

    def _takes(self, thing: AbstractValue, is_test: bool) -> bool:
        """Whether arguments may be passed to a callee, from a test or not: most callees are external."""
        if thing.kind == value_kinds.OUTSIDE:
            return False
        return not is_test or thing.kind not in FUNCTIONS or self.tree.is_test(thing.path)

    def _connect_call(self, callee: PointsToSet, site: Site) -> None:
        if callee.fixed is None:
            self.flow.on_each(callee, self._arriving, site)
        elif callee.fixed.kind == value_kinds.CLASS and (fields := self._constructor_fields(callee.fixed)):
            self._fill_fields(site, fields)
        elif (entry := self._entry(callee.fixed)) is not None:
            if entry.fixed is None:
                self.flow.on_each(entry, self._passing, site)
            elif entry.fixed.kind in FUNCTIONS:
                self._pass(site, entry.fixed, self.flow.add_subset)

    def _arrive(self, thing: AbstractValue, site: Site, _: None) -> None:
        if not self._takes(thing, self.tree.is_test(site.path)):
            return
        if thing.kind == value_kinds.CLASS and (fields := self._constructor_fields(thing)):
            self._fill_fields(site, fields)
            return
        entry = self._entry(thing)
        if entry is not None and entry.fixed is not None:
            self._pass_once(entry.fixed, site, None)
        elif entry is not None:
            self.flow.on_each_now(entry, self._passing, site)

    def _entry(self, thing: AbstractValue) -> PointsToSet | None:
        """The functions that calling a thing enters."""
        if thing.kind in FUNCTIONS:
            return self.flow.constant(thing)
        if thing.kind == value_kinds.CLASS:
            return self.members.member_of(thing, "apply") if is_single(self.tree, thing) else self.made_by(thing)
        if thing.kind == value_kinds.MODULE:
            return self.members.member_of(thing, "default") if self.tree.rules(thing.path).default_exports else None
        return (
            self.members.member_of(thing, self.tree.call_operator(thing.path))
            if thing.kind == value_kinds.OBJECT
            else None
        )

    def made_by(self, one: AbstractValue) -> PointsToSet:
        """The initialiser of a class; in languages with explicit constructors, only its own."""
        found = self._makers.get(one)
        if found is None:
            found = self._makers[one] = self.members.together(
                self._find_makers(one)
            )  # one set, filled before it is told
        return found

    def _find_makers(self, one: AbstractValue) -> list[PointsToSet]:
        tree, name = self.tree, self.tree.constructor(one.path)
        if tree.own_constructors(one):
            bound = (value for part in tree.parts(one) for value in tree.scope_bindings(*part).get(name, ()))
            if not any(isinstance(value, Def) for value in bound):  # a field may be called so, too
                return []
        rules = tree.rules(one.path)
        if not rules.has_constructor(tree, one, name):
            return []
        made = self.members.member_of(self.sets.an_object(one), CalledMember(name) if rules.methods_apart else name)
        if tree.is_declarative(one.path) or not tree.members(one, "__new__"):
            return [made]
        return [made, self.members.member_of(self.sets.an_object(one), "__new__")]

    def _pass_once(self, function: AbstractValue, site: Site, _: None) -> None:
        if function.kind in FUNCTIONS and (site, function) not in self._passed:
            self._passed.add((site, function))
            self._pass(site, function, self.flow.add_subset_now)

    def _connect_store(self, path: str, store: StoreFact) -> None:
        self.flow.on_each(self.sets.values(path, store.of), self._store_value, path, store)

    def _store_value(self, thing: AbstractValue, path: str, store: StoreFact) -> None:
        slot = slot_of(thing, store)
        if slot is not None and not self._leaks_from_tests(path, slot[0]):
            self.flow.add_subset_now(self.sets.values(path, store.values), self.sets.slot(slot))

    def _pass(self, site: Site, function: AbstractValue, join: Join) -> None:
        path, call = site.path, site.call
        at, scope = function.path, function.scope
        if self._leaks_from_tests(path, at):
            return
        names, places, rest, keyed = self.summaries.shape_of(function)
        if _decorates(call) and (slot := self._decorated_by(function)):
            self.decorated[slot].add(site)
        for i, values in enumerate(call.args, function.kind == value_kinds.METHOD):
            if values and i < len(places):
                join(self.sets.values(path, values), self.sets.slot((at, scope, places[i])))
            elif values and rest:
                join(
                    self.sets.values(path, values), self.sets.slot((at, f"{scope}{SCOPE}{rest}", str(i - len(places))))
                )
        for name, values in call.keywords.items():
            if name in names:
                join(self.sets.values(path, values), self.sets.slot((at, scope, name)))
            elif name in ("*", "**"):
                self._spread(path, call, function, join, name)
            elif keyed:
                join(self.sets.values(path, values), self.sets.slot((at, f"{scope}{SCOPE}{keyed}", name)))

    def _fill_fields(self, site: Site, fields: dict[str, tuple[AbstractValue, bool]]) -> None:
        """Passes constructor arguments to the fields of a class, by place or by name."""
        path, call = site.path, site.call
        places = [name for name, (_, by_place) in fields.items() if by_place]
        given = [*zip(places, call.args, strict=False), *((n, v) for n, v in call.keywords.items() if n in fields)]
        for name, values in given:
            owner = fields[name][0]
            if values and not self._leaks_from_tests(path, owner.path):
                self.flow.on_each(
                    self.sets.values(path, values), self._keep_passed, (owner.path, owner.scope, f".{name}")
                )

    def _keep_passed(self, thing: AbstractValue, slot: Slot, _: None) -> None:
        """Only callables; for other arguments, the declared type of the field says more."""
        if thing.kind in FUNCTIONS or thing.kind == value_kinds.CLASS:
            self.flow.add_subset_now(self.flow.constant(thing), self.sets.slot(slot))

    def _constructor_fields(self, one: AbstractValue) -> dict[str, tuple[AbstractValue, bool]]:
        """The fields of a Python class without an initialiser of its own: the owner, and if by place."""
        found = self._fields_of.get(one)
        if found is None:
            found = self._fields_of[one] = {}
            order = (
                []
                if self.tree.is_declarative(one.path)
                else [x for x in self.tree.order(one) if x.kind == value_kinds.CLASS]
            )
            if order and not any(self.tree.members(one, name) for name in ("__init__", "__new__")):
                for upper in order[::-1]:
                    names = self.tree.facts(upper.path).params.get(upper.scope, ())
                    found |= {name: (upper, names[0] != "*") for name in names if name != "*"}
        return found

    def _leaks_from_tests(self, path: str, into: str) -> bool:
        """Whether a value would flow from tests into tested code."""
        return self.tree.is_test(path) and not self.tree.is_test(into)

    def _spread(self, path: str, call: CallFact, function: AbstractValue, join: Join, stars: str) -> None:
        """`f(*some, **more)`: elements go to the parameters that are left, each by its place or name."""
        at, scope = function.path, function.scope
        _, places, rest, keyed = self.summaries.shape_of(function)
        source = self.sets.values(path, call.keywords[stars])
        first = len(call.args) + (function.kind == value_kinds.METHOD) if stars == "*" else 0
        for i, name in enumerate(places[first:]):
            join(self.containers.element(source, str(i) if stars == "*" else name), self.sets.slot((at, scope, name)))
        whole = rest if stars == "*" else keyed
        if whole:
            join(self.containers.element(source, ""), self.sets.slot((at, f"{scope}{SCOPE}{whole}", "")))

    def given_by(self, thing: AbstractValue, site: Site | None) -> PointsToSet:
        sort = thing.kind
        if sort in FUNCTIONS:
            if thing.provenance == BEHIND:
                return self.nothing  # what its wrapper makes of it is told by that
            own, others = self.summaries.return_summary(thing.path, thing.scope)
            if site is None or not (own or _decorates(site.call)):
                return self.summaries.returns(thing.path, thing.scope) if own else others
            return self._handed_back(thing, site)
        if sort == value_kinds.CLASS and is_single(self.tree, thing):
            return self._call_object(thing, site) if is_alone(self.tree, thing) else self.nothing
        if sort == value_kinds.CLASS:
            made = self.flow.constant(self.sets.an_object(thing))
            is_decorator = site is not None and _decorates(site.call) and not self.tree.is_declarative(thing.path)
            return self._decorated_by_class(thing, site, made) if is_decorator and site is not None else made
        if sort == value_kinds.OUTSIDE:
            return self._from_outside(thing, site)
        if sort == value_kinds.TAKER:
            return self._container_method_result(thing)
        if sort == value_kinds.MODULE and self.tree.rules(thing.path).default_exports:
            return self.sets.instances_of(self.members.member_of(thing, "default"))
        if sort == value_kinds.MODULE and self.tree.rules(thing.path).modules_are_types:
            return self.flow.constant(thing)
        if sort == value_kinds.SUPPLIED:
            return self.members.supplied_members(thing) if thing.provenance != MAPPED else self.nothing
        return self._call_object(thing, site) if sort == value_kinds.OBJECT else self.nothing

    def _handed_back(self, function: AbstractValue, site: Site) -> PointsToSet:
        """The result of a function for this call site, with its arguments."""
        found = self._results_of.get((site, function))
        if found is None:
            found = self._results_of[site, function] = self.flow.new_set()
            own, others = self.summaries.return_summary(function.path, function.scope)
            self.flow.add_subset(others, found)
            for name in own:
                for source in self.summaries.arguments_for(site, function, name):
                    self.flow.add_subset(source, found)
            if _decorates(site.call) and not self.tree.is_declarative(function.path):
                self._leave_decorated(site, function, found)
        return found

    def _decorated_by_class(self, decorator: AbstractValue, site: Site, made: PointsToSet) -> PointsToSet:
        """A decorator class: its instance stands for the decorated function."""
        found = self._results_of.get((site, decorator))
        if found is None:
            found = self._results_of[site, decorator] = self.flow.new_set()
            self.flow.add_subset(made, found)
            self.flow.on_each(self.sets.values(site.path, site.call.args[0]), self._hide_decorated, found)
        return found

    def _decorated_by(self, decorator: AbstractValue) -> Slot | None:
        """The parameter of a Python decorator that takes the decorated function."""
        places = self.summaries.shape_of(decorator).places[decorator.kind == value_kinds.METHOD :]
        return (
            (decorator.path, decorator.scope, places[0])
            if places and not self.tree.is_declarative(decorator.path)
            else None
        )

    def _leave_decorated(self, site: Site, decorator: AbstractValue, result: PointsToSet) -> None:
        """If a decorator stands for more functions than its wrapper could call, a call leads to both; if for fewer,
        the decorated function is behind the wrapper."""
        source = self.sets.values(site.path, site.call.args[0])
        self.flow.on_each(source, self._hide_decorated, result)
        slot = self._decorated_by(decorator)
        if slot in self.crowded:
            self.flow.add_subset(source, result)
        elif slot:
            self.flow.when_crowded(self.sets.slot(slot), source, result)

    def _hide_decorated(self, thing: AbstractValue, result: PointsToSet, _: None) -> None:
        if thing.kind in FUNCTIONS:
            self.flow.add_subset_now(
                self.flow.constant(self.thing(thing.kind, thing.path, thing.scope, BEHIND)), result
            )

    def _call_object(self, thing: AbstractValue, site: Site | None) -> PointsToSet:
        """The result of calling an object."""
        if thing.kind == value_kinds.OBJECT and is_but_handed_on(self.tree, thing):
            return self.flow.constant(thing)
        entry = self.members.member_of(thing, self.tree.call_operator(thing.path))
        if entry.fixed is not None:
            return self.given_by(entry.fixed, site) if entry.fixed.kind in FUNCTIONS else self.nothing
        found = self._results_of.get((site, thing))
        if found is None:
            found = self._results_of[site, thing] = self.flow.new_set()
            self.flow.on_each(entry, self._enter, site, found)
        return found

    def _enter(self, one: AbstractValue, site: Site | None, target: PointsToSet) -> None:
        if one.kind in FUNCTIONS:
            self.flow.add_subset_now(self.given_by(one, site), target)

    def _from_outside(self, thing: AbstractValue, site: Site | None) -> PointsToSet:
        """An external callee gives an external value; an external decorator is taken to keep the decorated function."""
        is_sized = thing.path == "functools.lru_cache" and site is not None and not site.call.args
        if site is not None and (site.call.written.startswith("@") or (thing.path in _SAME and not is_sized)):
            return self.sets.values(site.path, site.call.args[0]) if site.call.args else self.nothing
        if site is not None and thing.path in _ONE_OF:
            return (
                self.containers.element(self.sets.values(site.path, site.call.args[0]), "")
                if site.call.args
                else self.nothing
            )
        if site is not None and thing.path == "itertools.chain":
            return self.members.together([self.sets.values(site.path, values) for values in site.call.args])
        if thing.path.startswith(_TYPES):
            return (
                self._call_typing_construct(thing, site)
                if thing.path.rpartition(".")[2] in _TYPED and site
                else self.nothing
            )
        made = self._from.get(thing)
        if made is None:
            made = self._from[thing] = (
                self.nothing if thing.path in _ANYTHING or gives_anything(thing.path) else self._made_outside(thing)
            )
        return (
            made
            if site is None or made is self.nothing
            else self.members.together([made, *self.containers.supplied_for(site)])
        )

    def _made_outside(self, thing: AbstractValue) -> PointsToSet:
        maker = thing.scope if thing.provenance == MADE_MEMBER else thing.path
        maker = "builtins.str" if maker in GIVING_TEXT else maker
        return self.flow.constant(self.thing(value_kinds.OUTSIDE, maker, "", MADE))

    def _call_typing_construct(self, thing: AbstractValue, site: Site) -> PointsToSet:
        """`cast(Card, x)` is x, and a card; a type alias is its value."""
        args, keywords = site.call.args, site.call.keywords
        if thing.path.endswith("cast"):
            kinds = self.sets.instances_of(self.sets.values(site.path, args[0])) if args else self.nothing
            return self.members.together([kinds, *(self.sets.values(site.path, values) for values in args[1:])])
        return self.members.together(
            [self.sets.values(site.path, values) for values in (*args[1:], keywords.get("bound", ()))]
        )

    def _container_method_result(self, taker: AbstractValue) -> PointsToSet:
        """The result of a container's method: elements, or another view of the container."""
        method, view = taker.provenance.of, taker.provenance.container
        if self.tree.is_declarative(taker.path):
            library = self.tree.rules(taker.path).library
            box = self.flow.constant(self.thing(value_kinds.BOX, taker.path, taker.scope, view))
            return (
                box
                if method in library.same
                else self.containers.every(taker.path, taker.scope)
                if method in library.giving
                else self.nothing
            )
        if method in ("values", "items", "copy", "__iter__", "__aiter__"):
            view = VALUES if method == "values" else ITEMS if method == "items" else view
            return self.flow.constant(self.thing(value_kinds.BOX, taker.path, taker.scope, view))
        return self.containers.every(taker.path, taker.scope) if method in _TAKERS else self.nothing


def _decorates(call: CallFact) -> bool:
    return bool(call.args) and call.written.startswith("@")


def slot_of(thing: AbstractValue, store: StoreFact) -> Slot | None:
    if store.item:
        return (thing.path, thing.scope, store.name) if thing.kind == value_kinds.BOX else None
    if thing.kind in (value_kinds.OBJECT, *FUNCTIONS):
        return thing.path, thing.scope, f".{store.name}"
    if thing.kind == value_kinds.CLASS:
        return thing.path, thing.scope, store.name
    return (thing.path, "", store.name) if thing.kind == value_kinds.MODULE else None
