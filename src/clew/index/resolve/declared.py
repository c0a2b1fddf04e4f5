"""Members in languages that declare them: of classes and all their parts, of modules, of what literals hold."""

from collections.abc import Mapping, Sequence

from clew.index.facts import ALIASED, Def, Name, Target, Values
from clew.index.languages.rust import TARGET
from clew.index.resolve import sorts
from clew.index.resolve.binding import Binding, Part
from clew.index.resolve.companions import has_object
from clew.index.resolve.containers import GIVING, OF_ECMA, OTHERS, READ_OF_CSHARP, SAME, SAME_OF_CSHARP
from clew.index.resolve.families import APART, CASTING, IMPLIED_CALLS, UNTYPED
from clew.index.resolve.flow import Var
from clew.index.resolve.mixing import OF_CLASSES
from clew.index.resolve.names import CALL, FUNCTIONS, Names
from clew.index.resolve.preludes import ADDED, CLOSED, DERIVED, EVERYTHING, OBJECTS, OF_DOTNET, UNIVERSAL
from clew.index.resolve.standard_ruby import lacks
from clew.index.resolve.supertypes import conforming, supertypes
from clew.index.resolve.things import BELOW, Thing
from clew.index.resolve.tree import Tree
from clew.model.code import split_id
from clew.model.words import Kind

PROPERTY, STATIC = "property", "static"
MOST_ADDED = 16  # types that something of a name is added to, where it is not known of which a thing is
CALLING = ("call", "apply")  # members of a function of JavaScript that call it
_OWN_OF_RUST = ("std::", "core::", "alloc::")
_GIVING_SELF = frozenset({"dup", "clone", "freeze", "itself", "tap", "extend"})
_OF_HOLDERS = GIVING["kotlin"] | SAME["kotlin"]
_READING = IMPLIED_CALLS | {"swift"}  # where what a container gives may be read without brackets
_SAME_OF_KOTLIN = ("values", "entries")
_SEQUENCES = ("Array", "IEnumerable", "IReadOnlyCollection", "ICollection", "IReadOnlyList", "IList")
_OF_PAIRS = {"cpp": "second", "csharp": "Value", "kotlin": "value", "swift": "value"}
_INTERFACE, _METHOD = Kind.INTERFACE.value, Kind.METHOD.value


class Declared(Names):
    def __init__(self, tree: Tree, heirs: Mapping[str, tuple[str, ...]], stored: frozenset[str]) -> None:
        super().__init__(tree, heirs, stored)
        self._added_to: dict[str, Binding] = {}
        self._read_through: dict[tuple[Thing, str], Var] = {}
        self._by_kind[Target] = self._stood_for

    def declared_member(self, thing: Thing, name: str) -> Var:
        sort = thing.sort
        if sort in (sorts.OBJECT, sorts.CLASS, sorts.PARENT):
            return self._of_class(thing, name)
        if name.endswith(CALL):
            return self.member_of(thing, name[:-1])
        if sort == sorts.MODULE:
            return self._of_module(thing, name)
        if sort == sorts.BOX:
            return self._of_literal(thing, name)
        if sort in FUNCTIONS:
            return self._of_function(thing, name)
        if sort == sorts.TAKER and self.tree.language(thing.path) in _READING:
            return self.member(self.given_by(thing, None), name)
        return self.nothing

    def _of_class(self, thing: Thing, called: str) -> Var:
        tree, name = self.tree, called.removesuffix(CALL)
        one = tree.home(thing.path, thing.scope)
        if one.sort == sorts.OUTSIDE:
            return self.extended(one, name) or self.flow.only(tree.outside(f"{one.path}.{name}"))
        if thing.sort == sorts.CLASS and has_object(tree, one):
            return self.nothing
        is_called = called != name
        if tree.family(thing.path) == "ruby" and (own := self._of_ruby(thing, one, called)):
            return own
        order = tree.order(one)[thing.sort == sorts.PARENT :]
        for upper in self._with_side(thing, order, name):
            if upper.sort == sorts.CLASS:
                parts = tree.binding(upper, name)
                if len(parts) > 1 and tree.family(upper.path) == "ruby" and thing.sort != sorts.PARENT:
                    parts = [part for part in parts if self._has_side(thing, part, name)] or parts
                if is_called and tree.family(upper.path) == "php":  # a field is called in brackets only
                    parts = [part for part in parts if any(isinstance(one, Def) for one in tree.bound(*part)[name])]
                found = [self._side_of(thing, part, name) or self._used_at(part, name, is_called) for part in parts]
                if found and thing.sort == sorts.OBJECT and tree.language(thing.path) == "rust":
                    found = [self._with_self(source) for source in found]
                if found and upper is not one and self._is_interface_of_go(one):
                    found = [self._seen_by(one, source) for source in found]
                if found:
                    return self.together(found)
        if thing.sort == sorts.OBJECT and (aliased := self._of_alias(one, name)):
            return self.together(aliased)
        pair = _OF_PAIRS.get(tree.language(thing.path))
        if name == pair and thing.sort == sorts.OBJECT:
            return self.flow.only(thing)  # of a pair of a map, which is taken for what it holds
        may_be_below = name != tree.constructor(thing.path) and tree.language(thing.path) in UNTYPED
        if thing.sort == sorts.OBJECT and may_be_below and (below := self._below(one, name)):
            return self.together(below)
        above = self._from_above(one, order, name)
        is_unknown = above is self.nothing and thing.sort == sorts.OBJECT and name != tree.constructor(thing.path)
        if is_unknown and name and tree.language(thing.path) in CASTING and (below := self._below(one, name)):
            return self._seen_as(BELOW, self.together(below))
        return above

    def _of_alias(self, one: Thing, name: str) -> list[Var]:
        """Of what a type of TypeScript is another name for: the member, or what that holds."""
        if self.tree.family(one.path) != "ecma":
            return []
        meant = [
            self.value(path, value)
            for path, scope in self.tree.parts(one)
            for value in self.tree.bound(path, scope).get(ALIASED, ())
        ]
        return [self.member(of, name) if name else self.element(of, "*") for of in meant]

    def _of_ruby(self, thing: Thing, one: Thing, called: str) -> Var | None:
        """What makes an object is its class; and what an object gives may be its class or itself."""
        name = called.removesuffix(CALL)
        if thing.sort == sorts.CLASS:
            return self._maker(one) if name == "new" else None
        given = one if called == "class" else thing if called in _GIVING_SELF else None  # what is called is outside
        return self.flow.only(given) if given and not self.tree.members(one, name) else None

    def _maker(self, one: Thing) -> Var:
        """A class; with a method of its own that makes objects, that one, by which objects are set up all the same."""
        made = [(place, self.tree.bound(*place[:2])["new"]) for place in self.tree.members(one, "new")]
        own = [self._owned_at(*place) for place, values in made if self._is_static(place[0], values)]
        is_set_up = not own or self.tree.members(one, self.tree.constructor(one.path))
        return self.together([*own, *([self.flow.only(one)] if is_set_up else ())])

    def _is_static(self, path: str, values: Values) -> bool:
        """Whether all are methods of the class itself."""
        marks = self.tree.facts(path).decorators
        return all(isinstance(value, Def) and STATIC in marks.get(value.scope, ()) for value in values)

    def _with_side(self, thing: Thing, order: tuple[Thing, ...], name: str) -> list[Thing]:
        """The classes above; of Ruby, those last that have a name on the other side alone: of objects, of classes."""
        if thing.sort == sorts.PARENT or self.tree.family(thing.path) != "ruby":
            return list(order)
        parts = [self.tree.binding(upper, name) if upper.sort == sorts.CLASS else () for upper in order]
        last = [bool(some) and not any(self._has_side(thing, part, name) for part in some) for some in parts]
        return [one for _, one in sorted(zip(last, order, strict=True), key=lambda pair: pair[0])]

    def _has_side(self, thing: Thing, part: Part, name: str) -> bool:
        """Whether a part of a class of Ruby has a method for what it is asked for: an object, or a class."""
        path, values, is_class = part[0], self.tree.bound(*part)[name], thing.sort == sorts.CLASS
        if is_class and part[1].endswith(OF_CLASSES):
            return True
        facts = self.tree.facts(path)
        methods = [isinstance(value, Def) and facts.kinds.get(value.scope) == _METHOD for value in values]
        own = [isinstance(value, Def) and STATIC in facts.decorators.get(value.scope, ()) for value in values]
        return not all(methods) or is_class in own

    def _is_interface_of_go(self, one: Thing) -> bool:
        return self.tree.family(one.path) == "go" and self.tree.facts(one.path).kinds.get(one.scope) == _INTERFACE

    def _seen_by(self, one: Thing, source: Var) -> Var:
        """A method of what an interface embeds: those implement it that implement the interface."""
        method = source.fixed
        if method is None or method.sort != sorts.FUNCTION:
            return source
        return self.flow.only(self.thing(sorts.FUNCTION, method.path, method.scope, one.id))

    def _from_above(self, one: Thing, order: tuple[Thing, ...], name: str) -> Var:
        """What no class of the tree binds: of a base that is outside, or what every object has."""
        language = self.tree.language(one.path)
        if language == "rust" and (found := self._of_target(one, name)) is not None:
            return found
        if name in OBJECTS.get(language, {}):
            return self._of_any_object(one.path, name)
        if name == "class" and self.tree.family(one.path) == "jvm":
            return self.made(self.flow.only(self.tree.outside("java.lang.Class")))
        for mark in self.tree.facts(one.path).decorators.get(one.scope, ()) if language == "rust" else ():
            for trait, methods in DERIVED.items():
                if name in methods and mark.startswith("derive") and trait in mark:
                    return self.flow.only(self.tree.outside(f"std::{trait}.{name}"))
        if (everything := EVERYTHING.get(language)) and (added := self.extended(self.tree.outside(everything), name)):
            return added
        if language == "csharp" and (parts := self._parts_added("Enum", name)):
            return self.together([self._owned_at(*part, name) for part in parts])
        for upper in order if name else ():  # of what it holds, nothing is known
            if upper.sort == sorts.OUTSIDE and not _lacks(upper.path, name):
                return self.extended(upper, name) or self.flow.only(self.tree.outside(f"{upper.path}.{name}"))
        return self.nothing

    def _of_target(self, one: Thing, name: str) -> Var | None:
        """`impl Deref for Card { type Target = Bank; }` gives it what a bank has."""
        for path, scope in self.tree.parts(one):
            for value in self.tree.bound(path, scope).get(TARGET, ()):
                for target in self.tree.static(path, value):
                    if target is not one and target.sort == sorts.CLASS and self.tree.members(target, name):
                        return self.member_of(self.an_object(target), name)
        return None

    def _stood_for(self, path: str, value: Target) -> Var:
        """What is put into a type of Rust, if that is what its objects can be taken for."""
        classes = [one for one in self.tree.static(path, value.of) if one.sort == sorts.CLASS]
        is_wrapped = any(self._is_wrapper(one) for one in classes)
        return self.value(path, value.given) if is_wrapped else self.nothing

    def _is_wrapper(self, one: Thing) -> bool:
        parts = [(scope, self.tree.bound(path, scope).get(TARGET, ())) for path, scope in self.tree.parts(one)]
        return any(isinstance(value, Name) and value.scope == scope for scope, values in parts for value in values)

    def _of_any_object(self, path: str, name: str) -> Var:
        above = OBJECTS.get(self.tree.language(path), {}).get(name)
        return self.flow.only(self.tree.outside(above)) if above else self.nothing

    def extended(self, one: Thing, name: str, *, is_object: bool = True) -> Var | None:
        """What the tree adds to a type that is outside."""
        own = self.tree.parts(one)[1:]
        is_told = own and self.tree.family(own[0][0]) != "swift"
        parts = own if is_told else self._by_last_name(one) or own
        found = [self._owned_at(*part, name) for part in parts if name in self.tree.bound(*part)]
        if not found and not is_told:
            protocols = dict.fromkeys(conforming(self.tree, parts, name))
            found = [self.member_of(self.an_object(protocol), name) for protocol in protocols]
        if not found and (above := supertypes(one.path)):
            return next((added for upper in above if (added := self.extended(self.tree.outside(upper), name))), None)
        if not found:
            return self._added(one, name) if is_object else None
        is_csharp = name in OF_DOTNET and any(self.tree.family(path) == "csharp" for path, _ in parts)
        return self.together([*found, *([self._of_its_own(one, name)] if is_csharp else ())])

    def _by_last_name(self, one: Thing) -> Sequence[Part]:
        """What Swift adds to a type: of which module it is, files tell differently, by what they take all of."""
        _, module, last = one.path.rpartition(".")
        parts = self.tree.parts(self.tree.outside(last))[1:] if module else ()
        return [part for part in parts if self.tree.family(part[0]) == "swift"]

    def _added(self, one: Thing, name: str) -> Var | None:
        """What C# adds to a type by its last name, or to all; and of what may be of any type, what it adds to any."""
        for type_ in (one.path.rpartition(".")[2], "Object"):
            if parts := self._parts_added(type_, name):
                found = [self._owned_at(*part, name) for part in parts]
                return self.together([*found, *([self._of_its_own(one, name)] if name in OF_DOTNET else ())])
        parts = self._parts_added("", name) if one.path not in UNIVERSAL and name not in OF_DOTNET else ()
        if not parts or len(parts) > MOST_ADDED:
            return None
        return self.together([self._of_its_own(one, name), *(self._owned_at(*part, name) for part in parts)])

    def _of_its_own(self, one: Thing, name: str) -> Var:
        """What a type from outside may have itself, which comes before all that is added."""
        return self.flow.only(self.tree.outside(f"{one.path}.{name}"))

    def _parts_added(self, type_: str, name: str) -> Sequence[Part]:
        if type_ not in self._added_to:
            parts = self.tree.parts(self.tree.outside(f"{ADDED}{type_}"))[1:]
            self._added_to[type_] = Binding(parts, self.tree.bound)
        return self._added_to[type_].of(name)

    def _below(self, one: Thing, name: str) -> list[Var]:
        """What heirs have; but nothing that only tests add to what they test."""
        is_test, heirs = self.tree.is_test, self.heirs.get(one.id, ())
        having = [heir for heir in heirs if name in self.tree.bound(*split_id(heir))]
        having = [heir for heir in having if is_test(one.path) or not is_test(split_id(heir)[0])]
        return [self._owned_at(*split_id(heir), name) for heir in having[:8]]

    def _seen_as(self, view: str, source: Var) -> Var:
        """The same things, told apart from what is known for certain."""
        target = self.flow.var()
        self.flow.watch(source, self._lead_seen, view, target)
        return target

    def _lead_seen(self, thing: Thing, view: str, target: Var) -> None:
        is_function = thing.sort in FUNCTIONS and not thing.view
        seen = self.thing(thing.sort, thing.path, thing.scope, view) if is_function else thing
        self.flow.lead(self.flow.only(seen), target)

    def _side_of(self, thing: Thing, part: Part, name: str) -> Var | None:
        """Of methods with one name, those of the class itself or those of its objects, if there are both."""
        path, values = part[0], self.tree.bound(*part)[name]
        if len(values) < 2 or thing.sort == sorts.PARENT or self.tree.family(path) not in ("ecma", "ruby"):
            return None
        marks, is_class = self.tree.facts(path).decorators, thing.sort == sorts.CLASS
        own = [isinstance(value, Def) and STATIC in marks.get(value.scope, ()) for value in values]
        if all(own) or not any(own):
            return None
        return self.values(path, tuple(value for value, is_own in zip(values, own, strict=True) if is_own == is_class))

    def _used_at(self, part: Part, name: str, is_called: bool) -> Var:
        """Of a method and a field with one name, that which is meant."""
        values = self.tree.bound(*part)[name]
        path = part[0]
        methods = [value for value in values if isinstance(value, Def)]
        if self.tree.family(path) not in APART or len(methods) in (0, len(values)):
            return self._owned_at(*part, name)
        return self.values(path, tuple(value for value in values if isinstance(value, Def) == is_called))

    def _owned_at(self, path: str, scope: str, name: str) -> Var:
        """What a class binds; of a property, what it returns."""
        values = self.tree.bound(path, scope)[name]
        source = self.name(path, scope, name)
        if not any(self._is_read(path, value.scope) for value in values if isinstance(value, Def)):
            return source
        target = self.flow.var()
        self.flow.watch(source, self._read, target)
        return target

    def _read(self, thing: Thing, target: Var, _: None) -> None:
        is_read = thing.sort == sorts.FUNCTION and self._is_read(thing.path, thing.scope)
        self.flow.lead(self.returns(thing.path, thing.scope) if is_read else self.flow.only(thing), target)

    def _with_self(self, source: Var) -> Var:
        """Functions that take `self` first, together with an object that is passed for it."""
        if source.fixed is not None:
            return self.flow.only(self._as_method(source.fixed))
        target = self.flow.var()
        self.flow.watch(source, self._lead_method, target)
        return target

    def _lead_method(self, thing: Thing, target: Var, _: None) -> None:
        self.flow.lead(self.flow.only(self._as_method(thing)), target)

    def _as_method(self, thing: Thing) -> Thing:
        if thing.sort != sorts.FUNCTION or self.tree.facts(thing.path).params.get(thing.scope, ())[:1] != ("self",):
            return thing
        return self.thing(sorts.METHOD, thing.path, thing.scope)

    def _is_read(self, path: str, scope: str) -> bool:
        return PROPERTY in self.tree.facts(path).decorators.get(scope, ())

    def _of_module(self, thing: Thing, name: str) -> Var:
        """A module's own name, or a member of what it gives by default."""
        if found := self.tree.elsewhere.member(thing, name):
            return self.found(found)
        if (
            self.tree.family(thing.path) == "ecma"
            and "default" in self.tree.bound(thing.path, "")
            and name != "default"
        ):
            return self.member(self.name(thing.path, "", "default"), name)
        return self.nothing

    def _of_literal(self, box: Thing, name: str) -> Var:
        """An element by its key; of a container without keys, a method that it has."""
        bound = self.tree.bound(box.path, box.scope)
        if name in bound:
            return self.name(box.path, box.scope, name)
        if self.tree.family(box.path) == "csharp":
            return self._of_sequence(box, name)
        if self.tree.language(box.path) == "kotlin" and name in _SAME_OF_KOTLIN:
            return self.flow.only(box)
        if self.tree.language(box.path) == "kotlin" and name not in _OF_HOLDERS:
            return self.nothing  # the type that is written beside it says more
        if self.tree.family(box.path) == "ecma" and "" in bound and name not in OF_ECMA:
            return self.element(self.flow.only(box), "")  # `cards.first` of a `Record<string, Card>`
        others = OTHERS.get(self.tree.family(box.path))
        if others is not None and not (name in others or name in GIVING["rust"] or name in SAME["rust"]):
            return self.nothing
        if not bound or "" in bound or any(key.isdecimal() for key in bound):
            return self.flow.only(self.thing(sorts.TAKER, box.path, box.scope, f"{name}:{box.view}"))
        return self._of_any_object(box.path, name)

    def _of_sequence(self, box: Thing, name: str) -> Var:
        """A member of what holds others in C#: what it holds, what is added to all such, or a method that gives one."""
        if name in READ_OF_CSHARP:
            return self.element(self.flow.only(box), "")
        if name in SAME_OF_CSHARP:
            return self.flow.only(box)
        for type_ in _SEQUENCES if name not in OF_DOTNET else ():
            if parts := self._parts_added(type_, name):
                return self.together([self._owned_at(*part, name) for part in parts])
        if added := self._added(self.tree.outside("System.Array"), name):
            return added
        return self.flow.only(self.thing(sorts.TAKER, box.path, box.scope, f"{name}:{box.view}"))

    def _of_function(self, thing: Thing, name: str) -> Var:
        """Of what it returns, where calls need no brackets; else of the function, which is an object too."""
        if self.tree.language(thing.path) in IMPLIED_CALLS:
            return self._of_what_it_returns(thing, name)
        if self.tree.family(thing.path) == "ecma":
            if name in self.tree.bound(thing.path, thing.scope):
                return self._held_by(thing, name)
            if name in CALLING:
                return self.flow.only(thing)
        return self._of_any_object(thing.path, name)

    def _of_what_it_returns(self, function: Thing, name: str) -> Var:
        """A function may return what is made of its own result: the set is there before it is filled."""
        found = self._read_through.get((function, name))
        if found is None:
            found = self._read_through[function, name] = self.flow.var()
            self.flow.link(self.member(self.returns(function.path, function.scope), name), found)
        return found

    def _held_by(self, function: Thing, name: str) -> Var:
        """`run.later = …`: a definition that is a member of a function; its own variables are none."""
        values: Values = self.tree.bound(function.path, function.scope)[name]
        kinds = self.tree.facts(function.path).kinds
        held = any(isinstance(value, Def) and kinds.get(value.scope) == "method" for value in values)
        return self.name(function.path, function.scope, name) if held else self.nothing

    def together(self, sources: list[Var]) -> Var:
        if len(sources) == 1:
            return sources[0]
        union = self.flow.var()
        for source in sources:
            self.flow.link(source, union)
        return union


def _lacks(trait: str, name: str) -> bool:
    """Whether a trait of Rust's own is known not to have a method, or a type has no more than every object."""
    if trait in UNIVERSAL or lacks(trait, name):
        return True
    return trait.startswith(_OWN_OF_RUST) and name not in CLOSED.get(trait.rpartition("::")[2], (name,))
