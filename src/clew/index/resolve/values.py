"""From values as files tell them to sets of things: names, members, elements, and what calls give."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from clew.index.facts import (
    Attr,
    Box,
    Called,
    Def,
    Free,
    Item,
    Made,
    Name,
    Param,
    Ref,
    Result,
    Super,
    This,
    Value,
    Values,
)
from clew.index.resolve.things import Propagation, Sort, Thing, Var
from clew.index.resolve.tree import Tree, member_of
from clew.model.code import SCOPE

MOST_PARTS = 6  # of the name of what is outside
LONGEST_REST = 32  # elements that are left out of a container from its start; from there on, places are not told apart
MOST_HEIRS = 8  # that define what a class itself does not have; with more, nothing is said

Slot = tuple[str, str, str]  # path, scope and name of what others fill: a parameter, a member, an element

_PROPERTIES = frozenset({"property", "cached_property", "abstractproperty"})
FUNCTIONS = (Sort.FUNCTION, Sort.METHOD)


class Evaluation:
    """Sets are made when they are first asked for, once each; `flow` fills them."""

    def __init__(self, tree: Tree, heirs: Mapping[str, tuple[str, ...]]) -> None:
        self.tree = tree
        self.flow = Propagation()
        self._heirs = heirs
        self._thing = tree.things.thing
        self._nothing = Var()
        self._names: dict[Slot, Var] = {}
        self._members: dict[tuple[Thing, str], Var] = {}
        self._callees: dict[tuple[str, int], Var] = {}
        self._results: dict[tuple[str, int], Var] = {}
        self._elements: dict[Thing, Var] = {}
        self._boxes: dict[tuple[str, str], Var] = {}
        self._slots: dict[Slot, Var] = {}
        self._slots_of: dict[tuple[str, str], list[Var]] = defaultdict(list)
        self._waiting: dict[Slot, list[Var]] = defaultdict(list)

    def values(self, path: str, values: Values) -> Var:
        if len(values) == 1:
            return self.value(path, values[0])
        if not values:
            return self._nothing
        union = Var()
        for value in values:
            self.flow.link(self.value(path, value), union)
        return union

    def value(self, path: str, value: Value) -> Var:
        match value:
            case Name(scope, name):
                return self.name(path, scope, name)
            case Attr(of, name):
                return self.member(self.value(path, of), name)
            case Result(number):
                return self.result(path, number)
            case Def(scope):
                return self.flow.only(self.tree.defined(path, scope))
            case Ref(module, name):
                return self._imported(path, module, name)
            case Param(scope, name):
                if name.startswith("*"):
                    return self.flow.only(self._thing(Sort.BOX, path, f"{scope}{SCOPE}{name}"))
                return self.slot((path, scope, name))
            case This(scope):
                return self.flow.only(self._thing(Sort.OBJECT, path, scope))
            case Free(name):
                return self._found(self.tree.free(path, name))
            case Item(of, key):
                return self.element(self.value(path, of), key)
            case Made(by):
                return self._made(self.value(path, by))
            case Box(scope):
                return self.flow.only(self._thing(Sort.BOX, path, scope))
            case Super(scope):
                return self.flow.only(self._thing(Sort.PARENT, path, scope))

    def name(self, path: str, scope: str, name: str) -> Var:
        key = path, scope, name
        found = self._names.get(key)
        if found is None:
            found = self._names[key] = Var()
            for value in self.tree.facts(path).names.get(scope, {}).get(name, ()):
                self.flow.link(self.value(path, value), found)
            if not scope:
                self._await(key, found)
        return found

    def slots(self) -> Iterator[tuple[Slot, Var]]:
        """All that others fill, with what they fill it with."""
        return iter(self._slots.items())

    def slot(self, slot: Slot) -> Var:
        found = self._slots.get(slot)
        if found is None:
            found = self._slots[slot] = Var()
            self._slots_of[slot[0], slot[1]].append(found)
            for waiting in self._waiting.pop(slot, ()):
                self.flow.link(found, waiting)
            if every := self._boxes.get((slot[0], slot[1])):
                self.flow.link(found, every)
        return found

    def _await(self, slot: Slot, target: Var) -> None:
        """What is ever put into a slot goes to the target; most slots never come to be."""
        found = self._slots.get(slot)
        if found is not None:
            self.flow.link(found, target)
        else:
            self._waiting[slot].append(target)

    def _found(self, where: tuple[str, str] | str | Thing | None) -> Var:
        if isinstance(where, tuple):
            return self.name(where[0], "", where[1])
        if isinstance(where, str):
            return self.flow.only(self._thing(Sort.MODULE, where))
        return self.flow.only(where) if where is not None else self._nothing

    def _imported(self, path: str, module: str, name: str) -> Var:
        tree = self.tree
        files = tree.files(path, module)
        if not name:
            if not files:
                return self.flow.only(self._absent(path, module))
            return self.flow.only(self._thing(Sort.MODULE, files[0]))
        for file in files:
            found = tree.holder(file, name)
            if found is not None:
                return self._found(found)
        inner = tree.files(path, member_of(module, name))
        if inner:
            return self.flow.only(self._thing(Sort.MODULE, inner[0]))
        if files:
            return self.member(self.flow.only(self._thing(Sort.MODULE, files[0])), name)
        return self.flow.only(tree.outside(member_of(module, name)))

    def _absent(self, path: str, module: str) -> Thing:
        """A module that is no file: outside, unless it may be a folder of files, seen from where it was imported."""
        return self._thing(Sort.OUTSIDE, module, "", path if self.tree.is_folder(module) else "")

    def member(self, of: Var, name: str) -> Var:
        if of.inner is None:
            of.inner = {}
        key = f".{name}"
        found = of.inner.get(key)
        if found is None:
            if type(of.things) is frozenset and of.things:  # of one thing, for good
                (thing,) = of.things
                found = of.inner[key] = self.member_of(thing, name)
            else:
                target = found = of.inner[key] = Var()
                self.flow.watch(of, lambda thing: self.flow.link(self.member_of(thing, name), target))
        return found

    def member_of(self, thing: Thing, name: str) -> Var:
        key = thing, name
        found = self._members.get(key)
        if found is None:
            found = self._members[key] = Var()
            self._fill_member(thing, name, found)
        return found

    def _fill_member(self, thing: Thing, name: str, target: Var) -> None:
        sort, flow = thing.sort, self.flow
        if sort is Sort.OBJECT and name == "__class__":
            flow.add(target, (self._thing(Sort.CLASS, thing.path, thing.scope),))
        elif sort is Sort.OBJECT or sort is Sort.CLASS:
            self._inherited(thing, name, target, 0)
        elif sort is Sort.PARENT:
            self._inherited(thing, name, target, 1)
        elif sort is Sort.MODULE:
            found = self.tree.holder(thing.path, name)
            flow.link(self._found(found), target) if found else self._await((thing.path, "", name), target)
        elif sort is Sort.OUTSIDE:
            files = self.tree.files(thing.view, f"{thing.path}.{name}") if thing.view else ()
            inner = self._thing(Sort.MODULE, files[0]) if files else self._further(thing, name)
            flow.add(target, (inner,))
        elif sort is Sort.BOX:
            flow.add(target, (self._thing(Sort.TAKER, thing.path, thing.scope, f"{name}:{thing.view}"),))
        elif sort in FUNCTIONS:
            self._await((thing.path, thing.scope, f".{name}"), target)

    def _further(self, thing: Thing, name: str) -> Thing:
        """A member of what is outside; far out, all is one, or `x = x.next()` would never end."""
        if thing.path.count(".") >= MOST_PARTS:
            return thing
        return self._thing(Sort.OUTSIDE, f"{thing.path}.{name}", "", thing.view)

    def _inherited(self, thing: Thing, name: str, target: Var, first: int) -> None:
        """A member by the order of classes: what objects are given adds up, of the classes' own the first counts."""
        is_object = thing.sort is not Sort.CLASS
        order = self.tree.order(self._thing(Sort.CLASS, thing.path, thing.scope))[first:]
        found = given = False
        for one in order:
            if one.sort is Sort.OUTSIDE:
                if not found and not given:
                    self.flow.add(target, (self.tree.outside(f"{one.path}.{name}"),))
                    found = True
                continue
            names = self.tree.facts(one.path).names.get(one.scope, {})
            if f".{name}" in names and is_object:
                given = True
                self.flow.link(self.name(one.path, one.scope, f".{name}"), target)
            if is_object:
                self._await((one.path, one.scope, f".{name}"), target)
            self._await((one.path, one.scope, name), target)
            if name in names and not found:
                found = True
                self._bind(self.name(one.path, one.scope, name), target, is_object)
        if not found and not given and thing.sort is Sort.OBJECT:
            self._of_heirs(thing, name, target)

    def _bind(self, source: Var, target: Var, is_object: bool) -> None:
        def bind(thing: Thing) -> None:
            if thing.sort is not Sort.FUNCTION:
                self.flow.add(target, (thing,))
                return
            marks = self.tree.facts(thing.path).decorators.get(thing.scope, ())
            if is_object and any(mark.partition("(")[0].rpartition(".")[2] in _PROPERTIES for mark in marks):
                self.flow.link(self.returns(thing.path, thing.scope), target)
            elif "staticmethod" not in marks and (is_object or "classmethod" in marks):
                self.flow.add(target, (self._thing(Sort.METHOD, thing.path, thing.scope),))
            else:
                self.flow.add(target, (thing,))

        self.flow.watch(source, bind)

    def _of_heirs(self, thing: Thing, name: str, target: Var) -> None:
        """What a class does not have, those that inherit from it may."""
        having = []
        for heir in self._heirs.get(thing.id, ()):
            path, _, scope = heir.partition(SCOPE)
            names = self.tree.facts(path).names.get(scope, {})
            having += [(path, scope, key, bound) for key, bound in ((name, True), (f".{name}", False)) if key in names]
        if len(having) <= MOST_HEIRS:
            for path, scope, key, bound in having:
                source = self.name(path, scope, key)
                self._bind(source, target, True) if bound else self.flow.link(source, target)

    def element(self, of: Var, key: str) -> Var:
        if of.inner is None:
            of.inner = {}
        found = of.inner.get(f"[{key}")
        if found is None:
            target = found = of.inner[f"[{key}"] = Var()
            self.flow.watch(of, lambda thing: self._fill_element(thing, key, target))
        return found

    def _fill_element(self, thing: Thing, key: str, target: Var) -> None:
        if thing.sort is Sort.BOX:
            self._of_box(thing, key, target)
        elif thing.sort is Sort.OUTSIDE:
            self.flow.add(target, (thing,))
        elif thing.sort is Sort.OBJECT and key == "*":
            self.flow.link(self._iterated(thing), target)

    def _of_box(self, box: Thing, key: str, target: Var) -> None:
        view, keyed = box.view, box.scope.rpartition(SCOPE)[2].startswith(("<dict", "**"))
        if key.endswith(":") and key[:-1].isdecimal():
            start = int(key[:-1]) + (int(view) if view.isdecimal() else 0)
            self.flow.add(target, (self._thing(Sort.BOX, box.path, box.scope, str(min(start, LONGEST_REST))),))
        elif view == "items":
            if key == "*":
                self.flow.add(target, (self._thing(Sort.BOX, box.path, box.scope, "pair"),))
        elif view == "pair":
            if key != "0":
                self.flow.link(self.every(box.path, box.scope), target)
        elif key in ("", "*") or view == "values":
            if not (keyed and key == "*" and not view):  # going through a dictionary gives its keys
                self.flow.link(self.every(box.path, box.scope), target)
        else:
            if view.isdecimal() and key.isdecimal():
                key = str(int(key) + int(view))
            self.flow.link(self._at(box.path, box.scope, key), target)

    def _at(self, path: str, scope: str, key: str) -> Var:
        found = self._names.get((path, scope, f"[{key}"))
        if found is None:
            found = self._names[path, scope, f"[{key}"] = Var()
            for known in (key, ""):
                self.flow.link(self.name(path, scope, known), found)
                self._await((path, scope, known), found)
        return found

    def every(self, path: str, scope: str) -> Var:
        """All elements of a container."""
        found = self._boxes.get((path, scope))
        if found is None:
            found = self._boxes[path, scope] = Var()
            for key in self.tree.facts(path).names.get(scope, {}):
                self.flow.link(self.name(path, scope, key), found)
            for slot in self._slots_of.get((path, scope), ()):
                self.flow.link(slot, found)
        return found

    def _iterated(self, thing: Thing) -> Var:
        """What going through an object gives: it is asked for an iterator, and that for the next, again and again."""
        found = self._elements.get(thing)
        if found is None:
            target = found = self._elements[thing] = Var()

            def step(iterator: Thing) -> None:
                if iterator.sort is Sort.OBJECT:
                    self.flow.link(self._made(self.member_of(iterator, "__next__")), target)
                else:
                    self._fill_element(iterator, "*", target)

            self.flow.watch(self._made(self.member_of(thing, "__iter__")), step)
        return found

    def callee(self, path: str, number: int) -> Var:
        found = self._callees.get((path, number))
        if found is None:
            found = self._callees[path, number] = self.values(path, self.tree.facts(path).calls[number].callee)
        return found

    def result(self, path: str, number: int) -> Var:
        found = self._results.get((path, number))
        if found is None:
            target = found = self._results[path, number] = Var()
            call = self.tree.facts(path).calls[number]
            self.flow.watch(self.callee(path, number), lambda thing: self.give(thing, target, path, call))
        return found

    def _made(self, of: Var) -> Var:
        if of.inner is None:
            of.inner = {}
        found = of.inner.get("()")
        if found is None:
            target = found = of.inner["()"] = Var()
            self.flow.watch(of, lambda thing: self.give(thing, target, "", None))
        return found

    def an_object(self, of: Thing) -> Thing:
        return self._thing(Sort.OBJECT, of.path, of.scope)

    def give(self, thing: Thing, target: Var, path: str, call: Called | None) -> None:
        raise NotImplementedError  # calls are read by those who know functions

    def returns(self, path: str, scope: str) -> Var:
        raise NotImplementedError
