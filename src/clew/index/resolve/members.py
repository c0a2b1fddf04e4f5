"""Members of things: of modules, of classes by the order of what they inherit, of objects, of what is outside."""

from collections.abc import Mapping

from clew.index.resolve.flow import Var
from clew.index.resolve.names import FUNCTIONS, Names
from clew.index.resolve.things import Sort, Thing
from clew.index.resolve.tree import Tree
from clew.model.code import SCOPE

MADE, MADE_MEMBER = "()", "()."  # views of what is outside: what a call made, and a member of it
MOST_PARTS = 6  # of the name of what is outside
MOST_HAVING = 8  # heirs that define what a class itself does not have; with more, nothing is said

_PROPERTIES = frozenset({"property", "cached_property", "abstractproperty"})


class Members(Names):
    def __init__(self, tree: Tree, heirs: Mapping[str, tuple[str, ...]], stored: frozenset[str]) -> None:
        super().__init__(tree, heirs, stored)
        self._members: dict[tuple[Thing, str], Var] = {}

    def member(self, of: Var, name: str) -> Var:
        if of.inner is None:
            of.inner = {}
        key = f".{name}"
        found = of.inner.get(key)
        if found is None:
            if of.fixed is not None:
                found = of.inner[key] = self.member_of(of.fixed, name)
            else:
                target = found = of.inner[key] = self.flow.var()
                self.flow.watch(of, lambda thing: self.flow.lead(self.member_of(thing, name), target))
        return found

    def member_of(self, thing: Thing, name: str) -> Var:
        key = thing, name
        found = self._members.get(key)
        if found is None:
            found = self._members[key] = self.flow.var()
            self._fill_member(thing, name, found)
        return found

    def _fill_member(self, thing: Thing, name: str, target: Var) -> None:
        sort, flow = thing.sort, self.flow
        if sort is Sort.OBJECT and name == "__class__":
            flow.give(target, self.thing(Sort.CLASS, thing.path, thing.scope))
        elif sort is Sort.OBJECT or sort is Sort.CLASS:
            self._inherited(thing, name, target, 0)
        elif sort is Sort.PARENT:
            self._inherited(thing, name, target, 1)
        elif sort is Sort.MODULE:
            found = self.tree.holder(thing.path, name)
            if found:
                flow.link(self.found(found), target)
            else:
                self.wait_for((thing.path, "", name), target)
        elif sort is Sort.OUTSIDE:
            seen_from = thing.view if thing.view not in (MADE, MADE_MEMBER) else ""
            files = self.tree.files(seen_from, f"{thing.path}.{name}") if seen_from else ()
            inner = self.thing(Sort.MODULE, files[0]) if files else self._further(thing, name)
            flow.give(target, inner)
        elif sort is Sort.BOX:
            flow.give(target, self.thing(Sort.TAKER, thing.path, thing.scope, f"{name}:{thing.view}"))
        elif sort in FUNCTIONS:
            self.wait_for((thing.path, thing.scope, f".{name}"), target)

    def _further(self, thing: Thing, name: str) -> Thing:
        """A member of what is outside. Of what a call made, only one is told, or `x = x.next()` would never end."""
        if thing.view == MADE:
            return self.thing(Sort.OUTSIDE, f"{thing.path}.{name}", thing.path, MADE_MEMBER)
        if thing.view == MADE_MEMBER:
            return self.thing(Sort.OUTSIDE, f"{thing.scope}.{name}", thing.scope, MADE_MEMBER)
        if thing.path.count(".") >= MOST_PARTS:
            return thing
        return self.thing(Sort.OUTSIDE, f"{thing.path}.{name}", "", thing.view)

    def _inherited(self, thing: Thing, name: str, target: Var, first: int) -> None:
        """A member by the order of classes: what objects are given adds up, of the classes' own the first counts."""
        is_object = thing.sort is not Sort.CLASS
        order = self.tree.order(self.thing(Sort.CLASS, thing.path, thing.scope))[first:]
        found = given = False
        for one in order:
            if one.sort is Sort.OUTSIDE:
                if not found and not given:
                    self.flow.give(target, self.tree.outside(f"{one.path}.{name}"))
                    found = True
                continue
            names = self.tree.facts(one.path).names.get(one.scope, {})
            if f".{name}" in names and is_object:
                given = True
                self.flow.link(self.name(one.path, one.scope, f".{name}"), target)
            if name in self.stored:
                if is_object:
                    self.wait_for((one.path, one.scope, f".{name}"), target)
                self.wait_for((one.path, one.scope, name), target)
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
                self.flow.lead(self.returns(thing.path, thing.scope), target)
            elif "staticmethod" not in marks and (is_object or "classmethod" in marks):
                self.flow.add(target, (self.thing(Sort.METHOD, thing.path, thing.scope),))
            else:
                self.flow.add(target, (thing,))

        self.flow.watch(source, bind)

    def _of_heirs(self, thing: Thing, name: str, target: Var) -> None:
        """What a class does not have, those that inherit from it may."""
        having = []
        for heir in self.heirs.get(thing.id, ()):
            path, _, scope = heir.partition(SCOPE)
            names = self.tree.facts(path).names.get(scope, {})
            having += [(path, scope, key, bound) for key, bound in ((name, True), (f".{name}", False)) if key in names]
        if len(having) <= MOST_HAVING:
            for path, scope, key, bound in having:
                source = self.name(path, scope, key)
                self._bind(source, target, True) if bound else self.flow.link(source, target)
