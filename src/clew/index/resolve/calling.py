"""What calls pass on, and what they give back: the part of evaluation that goes through functions."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from clew.index.facts import Called, Def, Name, Param, Stored, Value
from clew.index.resolve import sorts
from clew.index.resolve.containers import GIVING, MAKING_ANYTHING, SAME
from clew.index.resolve.elements import Elements
from clew.index.resolve.families import APART
from clew.index.resolve.flow import Var
from clew.index.resolve.members import MADE, MADE_MEMBER
from clew.index.resolve.names import CALL, FUNCTIONS, Site, Slot
from clew.index.resolve.things import Thing
from clew.index.resolve.tree import Tree
from clew.model.code import SCOPE

_TAKERS = frozenset("get pop setdefault popleft popitem __enter__ __aenter__ __next__ __anext__".split())
Join = Callable[[Var, Var], None]
# What gives back what it is given first, and what may give anything.
_SAME = frozenset({"functools.partial", "functools.partialmethod", "copy.copy", "copy.deepcopy"})
_ANYTHING = frozenset(
    f"builtins.{name}"
    for name in "getattr next anext min max sum eval type super vars map filter iter reversed zip enumerate".split()
) | {"importlib.import_module"}
_HOLDERS_OF_JAVA = ("java.util.", "java.lang.ThreadLocal.", "java.lang.ref.")  # what they give is of any type
# What these give says what a value can do, not which one it is.
_TYPES = ("typing.", "typing_extensions.", "collections.abc.")


class Shape(NamedTuple):
    """What a function takes: all names, those by place, and what takes the rest."""

    names: tuple[str, ...]
    places: list[str]
    rest: str | None
    keyed: str | None


class Calling(Elements):
    """Calls fill the parameters of what they call, once `connect` was asked to let them.

    What tests pass says nothing of what the tested code is given in earnest: it stays among the tests.
    """

    def __init__(self, tree: Tree, heirs: Mapping[str, tuple[str, ...]], stored: frozenset[str]) -> None:
        super().__init__(tree, heirs, stored)
        self._split: dict[tuple[str, str], tuple[tuple[str, ...], Var]] = {}
        self._returns: dict[tuple[str, str], Var] = {}
        self._results_of: dict[tuple[Site | None, Thing], Var] = {}
        self._passed: set[tuple[Site, Thing]] = set()
        self._shapes: dict[Thing, Shape] = {}
        self._arriving, self._passing = self._arrive, self._pass_once
        self.decorated: set[Slot] = set()  # parameters that decorators take what they decorate by
        self.crowded: frozenset[Slot] = frozenset()  # those of them that were settled to hold too many

    def settle(self) -> None:
        """Let everything flow that was connected, until nothing is new and no slot is over its bound."""
        while not self.flow.run():
            self._passed.clear()
            self.flow.begin_anew()
        self.rest()

    def rest(self) -> None:
        """All that was asked for is found: forget the calls that it took."""
        self.flow.rest()
        self._passed.clear()
        self._results_of.clear()

    def connect(self, path: str) -> None:
        """Let everything flow that a file passes to calls, or puts into members and elements."""
        facts = self.tree.facts(path)
        for number, call in enumerate(facts.calls):
            if call.args or call.keywords:
                self._connect_call(self.callee(path, number, call), Site(path, call))
        for store in facts.stores:
            self._connect_store(path, store)

    def _connect_call(self, callee: Var, site: Site) -> None:
        if callee.fixed is None:
            self.flow.watch(callee, self._arriving, site)
        elif (entry := self._entry(callee.fixed)) is not None:
            if entry.fixed is None:
                self.flow.watch(entry, self._passing, site)
            elif entry.fixed.sort in FUNCTIONS:
                self._pass(site, entry.fixed, self.flow.link)

    def _arrive(self, thing: Thing, site: Site, _: None) -> None:
        entry = self._entry(thing)
        if entry is not None and entry.fixed is not None:
            self._pass_once(entry.fixed, site, None)
        elif entry is not None:
            self.flow.follow(entry, self._passing, site)

    def _entry(self, thing: Thing) -> Var | None:
        """The functions that calling a thing enters."""
        if thing.sort in FUNCTIONS:
            return self.flow.only(thing)
        if thing.sort == sorts.CLASS:
            return self.made_by(thing)
        if thing.sort == sorts.MODULE:
            return self.member_of(thing, "default") if self.tree.family(thing.path) == "ecma" else None
        return self.member_of(thing, self.tree.called(thing.path)) if thing.sort == sorts.OBJECT else None

    def made_by(self, one: Thing) -> Var:
        """What sets up a new object of a class: where a language says so, only if it is the class's own."""
        tree, name = self.tree, self.tree.constructor(one.path)
        if tree.own_constructors(one):
            bound = (value for part in tree.parts(one) for value in tree.bound(*part).get(name, ()))
            if not any(isinstance(value, Def) for value in bound):  # a field may be called so, too
                return self.nothing
        return self.member_of(self.an_object(one), f"{name}{CALL}" if tree.family(one.path) in APART else name)

    def _pass_once(self, function: Thing, site: Site, _: None) -> None:
        if function.sort in FUNCTIONS and (site, function) not in self._passed:
            self._passed.add((site, function))
            self._pass(site, function, self.flow.lead)

    def _connect_store(self, path: str, store: Stored) -> None:
        self.flow.watch(self.values(path, store.of), self._put, path, store)

    def _put(self, thing: Thing, path: str, store: Stored) -> None:
        slot = _slot_of(thing, store)
        if slot is not None and not self._strays(path, slot[0]):
            self.flow.lead(self.values(path, store.values), self.slot(slot))

    def _pass(self, site: Site, function: Thing, join: Join) -> None:
        path, call = site.path, site.call
        at, scope = function.path, function.scope
        if self._strays(path, at):
            return
        names, places, rest, keyed = self._shape(function)
        if _decorates(call) and (slot := self._decorated_by(function)):
            self.decorated.add(slot)
        for i, values in enumerate(call.args, function.sort == sorts.METHOD):
            if values and i < len(places):
                join(self.values(path, values), self.slot((at, scope, places[i])))
            elif values and rest:
                join(self.values(path, values), self.slot((at, f"{scope}{SCOPE}{rest}", str(i - len(places)))))
        for name, values in call.keywords.items():
            if name in names:
                join(self.values(path, values), self.slot((at, scope, name)))
            elif name in ("*", "**"):
                self._spread(path, call, function, join, name)
            elif keyed:
                join(self.values(path, values), self.slot((at, f"{scope}{SCOPE}{keyed}", name)))

    def _strays(self, path: str, into: str) -> bool:
        """Whether something would flow from tests into what they test."""
        return self.tree.is_test(path) and not self.tree.is_test(into)

    def _shape(self, function: Thing) -> Shape:
        found = self._shapes.get(function)
        if found is None:
            names = self.tree.facts(function.path).params.get(function.scope, ())
            rest = next((name for name in names if name.startswith("*") and name[1:2] not in ("", "*")), None)
            keyed = next((name for name in names if name.startswith("**")), None)
            found = self._shapes[function] = Shape(names, _places(names), rest, keyed)
        return found

    def _spread(self, path: str, call: Called, function: Thing, join: Join, stars: str) -> None:
        """`f(*some, **more)`: elements go to the parameters that are left, each by its place or name."""
        at, scope = function.path, function.scope
        _, places, rest, keyed = self._shape(function)
        source = self.values(path, call.keywords[stars])
        first = len(call.args) + (function.sort == sorts.METHOD) if stars == "*" else 0
        for i, name in enumerate(places[first:]):
            join(self.element(source, str(i) if stars == "*" else name), self.slot((at, scope, name)))
        whole = rest if stars == "*" else keyed
        if whole:
            join(self.element(source, ""), self.slot((at, f"{scope}{SCOPE}{whole}", "")))

    def given_by(self, thing: Thing, site: Site | None) -> Var:
        sort = thing.sort
        if sort in FUNCTIONS:
            own, others = self._returned(thing.path, thing.scope)
            if site is None or not (own or _decorates(site.call)):
                return self.returns(thing.path, thing.scope) if own else others
            return self._handed_back(thing, site)
        if sort == sorts.CLASS:
            return self.flow.only(self.an_object(thing))
        if sort == sorts.OUTSIDE:
            return self._from_outside(thing, site)
        if sort == sorts.TAKER:
            return self._taken(thing)
        if sort == sorts.MODULE and self.tree.family(thing.path) == "ecma":
            return self.made(self.member_of(thing, "default"))
        return self._called(thing, site) if sort == sorts.OBJECT else self.nothing

    def _handed_back(self, function: Thing, site: Site) -> Var:
        """What a function returns to this caller, who knows what it passed."""
        found = self._results_of.get((site, function))
        if found is None:
            found = self._results_of[site, function] = self.flow.var()
            own, others = self._returned(function.path, function.scope)
            self.flow.link(others, found)
            for name in own:
                for source in self._given(site, function, name):
                    self.flow.link(source, found)
            if _decorates(site.call) and (slot := self._decorated_by(function)):
                self._leave_decorated(site, slot, found)
        return found

    def _decorated_by(self, decorator: Thing) -> Slot | None:
        """The parameter that a function of Python takes what it decorates by."""
        places = self._shape(decorator).places[decorator.sort == sorts.METHOD :]
        return (decorator.path, decorator.scope, places[0]) if places and not self.tree.family(decorator.path) else None

    def _leave_decorated(self, site: Site, slot: Slot, result: Var) -> None:
        """Where a decorator stands for more than its wrapper could be told to call, a call leads to both."""
        source = self.values(site.path, site.call.args[0])
        if slot in self.crowded:
            self.flow.link(source, result)
        else:
            self.flow.when_crowded(self.slot(slot), source, result)

    def _called(self, thing: Thing, site: Site | None) -> Var:
        """What calling an object gives."""
        entry = self.member_of(thing, self.tree.called(thing.path))
        if entry.fixed is not None:
            return self.given_by(entry.fixed, site) if entry.fixed.sort in FUNCTIONS else self.nothing
        found = self._results_of.get((site, thing))
        if found is None:
            found = self._results_of[site, thing] = self.flow.var()
            self.flow.watch(entry, self._enter, site, found)
        return found

    def _enter(self, one: Thing, site: Site | None, target: Var) -> None:
        if one.sort in FUNCTIONS:
            self.flow.lead(self.given_by(one, site), target)

    def returns(self, path: str, scope: str) -> Var:
        """All that a function may return, whoever calls it."""
        own, others = self._returned(path, scope)
        if not own:
            return others
        found = self._returns.get((path, scope))
        if found is None:
            found = self._returns[path, scope] = self.flow.var()
            for source in (others, *(self.slot((path, scope, name)) for name in own)):
                self.flow.link(source, found)
        return found

    def _returned(self, path: str, scope: str) -> tuple[tuple[str, ...], Var]:
        """The parameters that a function hands back, which each caller knows by itself, and all else it returns."""
        found = self._split.get((path, scope))
        if found is None:
            facts = self.tree.facts(path)
            own: dict[str, None] = {}
            others: dict[Value, None] = {}
            todo, seen = list(facts.returns.get(scope, ())), set[Value]()
            while todo:
                value = todo.pop()
                if value in seen:
                    continue
                seen.add(value)
                if isinstance(value, Param) and value.scope == scope and not value.name.startswith("*"):
                    own[value.name] = None
                elif isinstance(value, Name) and value.scope == scope:
                    todo += facts.names.get(scope, {}).get(value.name, ())
                else:
                    others[value] = None
            union = self.flow.var()
            found = self._split[path, scope] = tuple(sorted(own)), union
            sources = [self.value(path, value) for value in others]
            if self.tree.makes_objects(path, scope):
                sources.append(self.flow.only(self.thing(sorts.OBJECT, path, scope)))
            if len(sources) == 1 and sources[0].fixed is not None and not own:
                found = self._split[path, scope] = (), sources[0]
            for source in sources:
                self.flow.link(source, union)
        return found

    def _given(self, site: Site, function: Thing, name: str) -> Iterator[Var]:
        """What a call passes for one parameter."""
        path, call = site.path, site.call
        places = self._shape(function).places
        place = places.index(name) - (function.sort == sorts.METHOD) if name in places else -1
        if 0 <= place < len(call.args):
            yield self.values(path, call.args[place])
        if name in call.keywords:
            yield self.values(path, call.keywords[name])
        if place >= len(call.args) and "*" in call.keywords:
            yield self.element(self.values(path, call.keywords["*"]), str(place - len(call.args)))
        if "**" in call.keywords:
            yield self.element(self.values(path, call.keywords["**"]), name)

    def _from_outside(self, thing: Thing, site: Site | None) -> Var:
        """What is outside makes more of it; but as a decorator it is taken to leave what it decorates as it is."""
        if site is not None and (site.call.written.startswith("@") or thing.path in _SAME):
            return self.values(site.path, site.call.args[0]) if site.call.args else self.nothing
        if thing.path in _ANYTHING or thing.path.startswith(_TYPES):
            return self.nothing
        if thing.path.startswith("std::") and thing.path.rpartition(".")[2] in MAKING_ANYTHING:
            return self.nothing
        if thing.path.startswith(_HOLDERS_OF_JAVA) and thing.path.rpartition(".")[2] in GIVING["jvm"]:
            return self.nothing
        maker = thing.scope if thing.view == MADE_MEMBER else thing.path
        return self.flow.only(self.thing(sorts.OUTSIDE, maker, "", MADE))

    def _taken(self, taker: Thing) -> Var:
        """What a container's method gives: elements, or the container as it is gone through otherwise."""
        method, _, view = taker.view.partition(":")
        if family := self.tree.family(taker.path):
            box = self.flow.only(self.thing(sorts.BOX, taker.path, taker.scope, view))
            return (
                box
                if method in SAME.get(family, ())
                else self.every(taker.path, taker.scope)
                if method in GIVING.get(family, ())
                else self.nothing
            )
        if method in ("values", "items", "copy", "__iter__", "__aiter__"):
            view = method if method in ("values", "items") else view
            return self.flow.only(self.thing(sorts.BOX, taker.path, taker.scope, view))
        return self.every(taker.path, taker.scope) if method in _TAKERS else self.nothing


def _decorates(call: Called) -> bool:
    return bool(call.args) and call.written.startswith("@")


def _places(names: tuple[str, ...]) -> list[str]:
    """The parameters that are passed by place."""
    places: list[str] = []
    for name in names:
        if name.startswith("*"):
            break
        places.append(name)
    return places


def _slot_of(thing: Thing, store: Stored) -> Slot | None:
    if store.item:
        return (thing.path, thing.scope, store.name) if thing.sort == sorts.BOX else None
    if thing.sort in (sorts.OBJECT, *FUNCTIONS):
        return thing.path, thing.scope, f".{store.name}"
    if thing.sort == sorts.CLASS:
        return thing.path, thing.scope, store.name
    return (thing.path, "", store.name) if thing.sort == sorts.MODULE else None
