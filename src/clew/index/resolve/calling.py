"""What calls pass on, and what they give back: the part of evaluation that goes through functions."""

from collections.abc import Iterator, Mapping

from clew.index.facts import Called, Name, Param, Stored, Value, Values
from clew.index.resolve.things import Sort, Thing, Var
from clew.index.resolve.tree import Tree
from clew.index.resolve.values import FUNCTIONS, Evaluation, Slot
from clew.model.code import SCOPE

_TAKERS = frozenset("get pop setdefault popleft popitem __enter__ __aenter__ __next__ __anext__".split())
_PARTIAL = frozenset({"functools.partial", "functools.partialmethod"})


class Calling(Evaluation):
    """Calls fill the parameters of what they call, unless these are known already (`filled`)."""

    def __init__(self, tree: Tree, heirs: Mapping[str, tuple[str, ...]], unknown: frozenset[Slot]) -> None:
        super().__init__(tree, heirs)
        self._unknown = unknown
        self._split: dict[tuple[str, str], tuple[tuple[str, ...], Var]] = {}
        self._passed: set[tuple[int, Thing]] = set()

    def connect(self, path: str) -> None:
        """Let everything flow that a file passes to calls, or puts into members and elements."""
        facts = self.tree.facts(path)
        for number, call in enumerate(facts.calls):
            if call.args or call.keywords:
                self._connect_call(path, number, call)
        for store in facts.stores:
            self._connect_store(path, store)

    def _connect_call(self, path: str, number: int, call: Called) -> None:
        def arrive(thing: Thing) -> None:
            if thing.sort in FUNCTIONS:
                if (id(call), thing) not in self._passed:
                    self._passed.add((id(call), thing))
                    self._pass(path, call, thing)
            elif thing.sort is Sort.CLASS:
                self.flow.watch(self.member_of(self.an_object(thing), "__init__"), reach)
            elif thing.sort is Sort.OBJECT:
                self.flow.watch(self.member_of(thing, "__call__"), reach)

        def reach(thing: Thing) -> None:
            if thing.sort in FUNCTIONS:
                arrive(thing)

        self.flow.watch(self.callee(path, number), arrive)

    def _connect_store(self, path: str, store: Stored) -> None:
        def put(thing: Thing) -> None:
            slot = _slot_of(thing, store)
            if slot is not None:
                self._fill(path, store.values, slot)

        self.flow.watch(self.values(path, store.of), put)

    def _fill(self, path: str, values: Values, slot: Slot) -> None:
        if slot not in self._unknown:
            self.flow.link(self.values(path, values), self.slot(slot))

    def _pass(self, path: str, call: Called, function: Thing) -> None:
        at, scope = function.path, function.scope
        names = self.tree.facts(at).params.get(scope, ())
        places = _places(names)
        rest = next((name for name in names if name.startswith("*") and name[1:2] not in ("", "*")), None)
        keyed = next((name for name in names if name.startswith("**")), None)
        shift = function.sort is Sort.METHOD
        for i, values in enumerate(call.args, shift):
            if i < len(places):
                self._fill(path, values, (at, scope, places[i]))
            elif rest:
                self._fill(path, values, (at, f"{scope}{SCOPE}{rest}", str(i - len(places))))
        for name, values in call.keywords.items():
            if name in names:
                self._fill(path, values, (at, scope, name))
            elif name not in ("*", "**") and keyed:
                self._fill(path, values, (at, f"{scope}{SCOPE}{keyed}", name))
        self._spread(path, call, function, places, rest, keyed)

    def _spread(
        self, path: str, call: Called, function: Thing, places: list[str], rest: str | None, keyed: str | None
    ) -> None:
        """`f(*some, **more)`: elements go to the parameters that are left, each by its place or name."""
        at, scope = function.path, function.scope
        first = len(call.args) + (function.sort is Sort.METHOD)
        for values, is_keyed in ((call.keywords.get("*", ()), False), (call.keywords.get("**", ()), True)):
            if not values:
                continue
            source = self.values(path, values)
            for i, name in enumerate(places[0 if is_keyed else first :]):
                self._draw(source, name if is_keyed else str(i), (at, scope, name))
            whole = keyed if is_keyed else rest
            if whole:
                self._draw(source, "", (at, f"{scope}{SCOPE}{whole}", ""))

    def _draw(self, source: Var, key: str, slot: Slot) -> None:
        if slot not in self._unknown:
            self.flow.link(self.element(source, key), self.slot(slot))

    def give(self, thing: Thing, target: Var, path: str, call: Called | None) -> None:
        """What calling a thing gives goes to the target."""
        sort = thing.sort
        if sort in FUNCTIONS:
            own, others = self._returned(thing.path, thing.scope)
            self.flow.link(others, target)
            for name in own:
                sources = [self.slot((thing.path, thing.scope, name))]
                for source in sources if call is None else self._given(path, call, thing, name):
                    self.flow.link(source, target)
        elif sort is Sort.CLASS:
            self.flow.add(target, (self.an_object(thing),))
        elif sort is Sort.OBJECT:
            called = self.member_of(thing, "__call__")
            self.flow.watch(called, lambda one: self.give(one, target, path, call) if one.sort in FUNCTIONS else None)
        elif sort is Sort.OUTSIDE:
            self._give_outside(thing, target, path, call)
        elif sort is Sort.TAKER:
            self._give_taken(thing, target)

    def returns(self, path: str, scope: str) -> Var:
        """All that a function may return, whoever calls it."""
        own, others = self._returned(path, scope)
        if not own:
            return others
        found = Var()
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
            self._split[path, scope] = (), self._nothing  # for those that return what they give themselves
            union = Var()
            found = self._split[path, scope] = tuple(sorted(own)), union
            for value in others:
                self.flow.link(self.value(path, value), union)
        return found

    def _given(self, path: str, call: Called, function: Thing, name: str) -> Iterator[Var]:
        """What a call passes for one parameter."""
        names = self.tree.facts(function.path).params.get(function.scope, ())
        places = _places(names)
        place = places.index(name) - (function.sort is Sort.METHOD) if name in places else -1
        if 0 <= place < len(call.args):
            yield self.values(path, call.args[place])
        if name in call.keywords:
            yield self.values(path, call.keywords[name])
        if place >= len(call.args) and "*" in call.keywords:
            yield self.element(self.values(path, call.keywords["*"]), str(place - len(call.args)))
        if "**" in call.keywords:
            yield self.element(self.values(path, call.keywords["**"]), name)

    def _give_outside(self, thing: Thing, target: Var, path: str, call: Called | None) -> None:
        """What is outside makes more of it; but as a decorator it is taken to leave what it decorates as it is."""
        name, _, last = thing.path.rpartition(".")
        is_decorator = call is not None and call.written.startswith("@")
        if call is not None and call.args and (is_decorator or thing.path in _PARTIAL):
            self.flow.link(self.values(path, call.args[0]), target)
        if not is_decorator and thing.path not in _PARTIAL:
            is_special = name and last.startswith("__")  # of the same kind again, or an element of it
            self.flow.add(target, (self.tree.outside(name) if is_special else thing,))

    def _give_taken(self, taker: Thing, target: Var) -> None:
        """What a container's method gives: elements, or the container as it is gone through otherwise."""
        method, _, view = taker.view.partition(":")
        if method in ("values", "items", "copy", "__iter__", "__aiter__"):
            view = method if method in ("values", "items") else view
            self.flow.add(target, (self.tree.things.thing(Sort.BOX, taker.path, taker.scope, view),))
        elif method in _TAKERS:
            self.flow.link(self.every(taker.path, taker.scope), target)


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
        return (thing.path, thing.scope, store.name) if thing.sort is Sort.BOX else None
    if thing.sort in (Sort.OBJECT, *FUNCTIONS):
        return thing.path, thing.scope, f".{store.name}"
    if thing.sort is Sort.CLASS:
        return thing.path, thing.scope, store.name
    return (thing.path, "", store.name) if thing.sort is Sort.MODULE else None
