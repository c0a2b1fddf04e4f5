"""Members in languages that declare them: of classes and all their parts, of modules, of literals."""

from collections.abc import Iterator, Sequence

from clew.index.facts import ALIASED, Def, ScopedName, Values, WrappedType
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.evaluator_part import EvaluationContext, EvaluatorPart
from clew.index.resolve.program import Program
from clew.index.resolve.provenance import BELOW, PLAIN, Provenance, method_of, seen_by
from clew.index.resolve.single_objects import has_object
from clew.index.resolve.solver import PointsToSet
from clew.index.resolve.source_index import Part, PartIndex
from clew.index.resolve.value_sets import FUNCTIONS, PlainKey, name_of
from clew.languages.libraries import OWN_MEMBERS, UNIVERSAL, supertypes, type_lacks
from clew.model.code import split_id
from clew.model.words import Kind


def conforming_protocols(tree: Program, parts: Sequence[Part], name: str) -> Iterator[AbstractValue]:
    """The types that extensions of a type say it is of, of those that have a member."""
    for path, scope in parts:
        facts = tree.facts(path)
        for value in (*facts.bases.get(scope, ()), *facts.implements.get(scope, ())):
            for one in tree.static(path, value):
                if one.kind == value_kinds.CLASS and any(
                    upper.kind == value_kinds.CLASS and tree.members(upper, name) for upper in tree.order(one)
                ):
                    yield one


PROPERTY, STATIC = "property", "static"
BY_LAST_NAME = "last name "  # and a type's last name, where that alone says what is extended; alone, any type
MOST_ADDED = 16  # types that something of a name is added to, where it is not known of which a thing is
CALLING = ("call", "apply")  # members of a function that call it, where it is an object
_INTERFACE = Kind.INTERFACE.value


class DeclaredMembers(EvaluatorPart):
    def __init__(self, context: EvaluationContext) -> None:
        super().__init__(context)
        self._added_to: dict[str, PartIndex] = {}
        self._read_through: dict[tuple[AbstractValue, str], PointsToSet] = {}

    def declared_member(self, thing: AbstractValue, key: PlainKey) -> PointsToSet:
        sort = thing.kind
        if sort in (value_kinds.OBJECT, value_kinds.CLASS, value_kinds.PARENT):
            return self._of_class(thing, key)
        if not isinstance(key, str):
            return self.members.member_of(thing, key.name)
        name = key
        if sort == value_kinds.MODULE:
            return self._of_module(thing, name)
        if sort == value_kinds.BOX:
            return self._of_literal(thing, name)
        if sort in FUNCTIONS:
            return self._of_function(thing, name)
        if sort == value_kinds.TAKER and self.tree.rules(thing.path).reads_containers:
            return self.members.member(self.calls.given_by(thing, None), name)
        return self.nothing

    def _of_class(self, thing: AbstractValue, key: PlainKey) -> PointsToSet:
        tree, name, rules = self.tree, name_of(key), self.tree.rules(thing.path)
        one = tree.home(thing.path, thing.scope)
        if one.kind == value_kinds.OUTSIDE:
            return self.extension_members(one, name) or self.flow.constant(tree.outside(f"{one.path}.{name}"))
        if thing.kind == value_kinds.CLASS and has_object(tree, one):
            return self.nothing
        is_called = not isinstance(key, str)
        if own := rules.own_member(self, thing, one, key):
            return own
        order = tree.order(one)[thing.kind == value_kinds.PARENT :]
        for upper in rules.order_of_members(tree, thing, order, name):
            if upper.kind == value_kinds.CLASS:
                parts = tree.binding_parts(upper, name)
                above = tree.rules(upper.path)
                parts = above.parts_with_member(tree, thing, parts, name)
                if is_called and above.bracketed_fields:
                    parts = [
                        part for part in parts if any(isinstance(one, Def) for one in tree.scope_bindings(*part)[name])
                    ]
                found = [self._side_of(thing, part, name) or self._used_at(part, name, is_called) for part in parts]
                if found and thing.kind == value_kinds.OBJECT and rules.explicit_self:
                    found = [self._with_self(source) for source in found]
                if found and upper is not one and self._is_structural_interface(one):
                    found = [self._seen_by(one, source) for source in found]
                if found:
                    return self.union(found)
        if thing.kind == value_kinds.OBJECT and (aliased := self._of_alias(one, name)):
            return self.union(aliased)
        pair = rules.pair_value
        if pair and name == pair and thing.kind == value_kinds.OBJECT:
            return self.flow.constant(thing)  # of a pair of a map, which is taken for what it holds
        may_be_below = name != tree.constructor(thing.path) and rules.untyped
        if thing.kind == value_kinds.OBJECT and may_be_below and (below := self._members_of_subclasses(one, name)):
            return self.union(below)
        found_above = self._from_above(one, order, name)
        is_unknown = (
            found_above is self.nothing and thing.kind == value_kinds.OBJECT and name != tree.constructor(thing.path)
        )
        if is_unknown and name and rules.casts and (below := self._members_of_subclasses(one, name)):
            return self.with_provenance(BELOW, self.union(below))
        return found_above

    def _of_alias(self, one: AbstractValue, name: str) -> list[PointsToSet]:
        """A member of a type alias's target, or of its elements."""
        if not self.tree.rules(one.path).type_aliases:
            return []
        meant = [
            self.sets.value(path, value)
            for path, scope in self.tree.parts(one)
            for value in self.tree.scope_bindings(path, scope).get(ALIASED, ())
        ]
        return [self.members.member(of, name) if name else self.containers.element(of, "*") for of in meant]

    def _is_structural_interface(self, one: AbstractValue) -> bool:
        return (
            self.tree.rules(one.path).structural_interfaces
            and self.tree.facts(one.path).kinds.get(one.scope) == _INTERFACE
        )

    def _seen_by(self, one: AbstractValue, source: PointsToSet) -> PointsToSet:
        """A method of an embedded interface: implementers of the outer interface implement it."""
        method = source.fixed
        if method is None or method.kind != value_kinds.FUNCTION:
            return source
        return self.flow.constant(self.thing(value_kinds.FUNCTION, method.path, method.scope, seen_by(one.id)))

    def _from_above(self, one: AbstractValue, order: tuple[AbstractValue, ...], name: str) -> PointsToSet:
        """A member that no class of the tree binds: of an external base class, or of every object."""
        rules = self.tree.rules(one.path)
        if rules.target and (found := self.of_target(one, name)) is not None:
            return found
        if name in rules.library.members:
            return self._of_any_object(one.path, name)
        if rules.class_object and name == "class":
            return self.sets.instances_of(self.flow.constant(self.tree.outside(rules.class_object)))
        if (everything := rules.library.everything) and (
            added := self.extension_members(self.tree.outside(everything), name)
        ):
            return added
        if (brought := rules.added_member(self, one, name)) is not None:
            return brought
        for upper in order if name else ():  # of what it holds, nothing is known
            if upper.kind == value_kinds.OUTSIDE and not type_lacks(upper.path, name):
                return self.extension_members(upper, name) or self.flow.constant(
                    self.tree.outside(f"{upper.path}.{name}")
                )
        return self.nothing

    def of_target(self, one: AbstractValue, name: str) -> PointsToSet | None:
        """`impl Deref for Card { type Target = Bank; }` gives it a bank's members."""
        target_name = self.tree.rules(one.path).target
        for path, scope in self.tree.parts(one):
            for value in self.tree.scope_bindings(path, scope).get(target_name, ()):
                for target in self.tree.static(path, value):
                    if target is not one and target.kind == value_kinds.CLASS and self.tree.members(target, name):
                        return self.members.member_of(self.sets.an_object(target), name)
        return None

    def dereferenced_value(self, path: str, value: WrappedType) -> PointsToSet:
        """The argument of a type, if it dereferences to that."""
        classes = [one for one in self.tree.static(path, value.of) if one.kind == value_kinds.CLASS]
        is_wrapped = any(self._is_wrapper(one) for one in classes)
        return self.sets.value(path, value.given) if is_wrapped else self.nothing

    def _is_wrapper(self, one: AbstractValue) -> bool:
        target = self.tree.rules(one.path).target
        parts = [(scope, self.tree.scope_bindings(path, scope).get(target, ())) for path, scope in self.tree.parts(one)]
        return any(
            isinstance(value, ScopedName) and value.scope == scope for scope, values in parts for value in values
        )

    def _of_any_object(self, path: str, name: str) -> PointsToSet:
        above = self.tree.rules(path).library.members.get(name)
        return self.flow.constant(self.tree.outside(above)) if above else self.nothing

    def extension_members(self, one: AbstractValue, name: str, *, is_object: bool = True) -> PointsToSet | None:
        """The tree's extensions of an external type."""
        own = self.tree.parts(one)[1:]
        is_told = own and not self.tree.rules(own[0][0]).loose_extensions
        parts = own if is_told else self._by_last_name(one) or own
        found = [self.owned_at(*part, name) for part in parts if name in self.tree.scope_bindings(*part)]
        if not found and not is_told:
            protocols = dict.fromkeys(conforming_protocols(self.tree, parts, name))
            found = [self.members.member_of(self.sets.an_object(protocol), name) for protocol in protocols]
        if not found and (above := supertypes(one.path)):
            return next(
                (added for upper in above if (added := self.extension_members(self.tree.outside(upper), name))), None
            )
        if not found:
            return self.extensions_by_last_name(one, name) if is_object else None
        may_be_own = name in OWN_MEMBERS and any(self.tree.rules(path).extends_by_last_name for path, _ in parts)
        return self.union([*found, *([self._of_its_own(one, name)] if may_be_own else ())])

    def _by_last_name(self, one: AbstractValue) -> Sequence[Part]:
        """Extensions of a type by its last name: files attribute it to different modules."""
        _, module, last = one.path.rpartition(".")
        parts = self.tree.parts(self.tree.outside(last))[1:] if module else ()
        return [part for part in parts if self.tree.rules(part[0]).loose_extensions]

    def extensions_by_last_name(self, one: AbstractValue, name: str) -> PointsToSet | None:
        """Extensions of a type by its last name, or of all types; for a value of unknown type, extensions of any."""
        for type_ in (one.path.rpartition(".")[2], "Object"):
            if parts := self.parts_by_last_name(type_, name):
                found = [self.owned_at(*part, name) for part in parts]
                return self.union([*found, *([self._of_its_own(one, name)] if name in OWN_MEMBERS else ())])
        parts = self.parts_by_last_name("", name) if one.path not in UNIVERSAL and name not in OWN_MEMBERS else ()
        if not parts or len(parts) > MOST_ADDED:
            return None
        return self.union([self._of_its_own(one, name), *(self.owned_at(*part, name) for part in parts)])

    def _of_its_own(self, one: AbstractValue, name: str) -> PointsToSet:
        """A possible member of the external type itself, which precedes all extensions."""
        return self.flow.constant(self.tree.outside(f"{one.path}.{name}"))

    def parts_by_last_name(self, type_: str, name: str) -> Sequence[Part]:
        if type_ not in self._added_to:
            parts = self.tree.parts(self.tree.outside(f"{BY_LAST_NAME}{type_}"))[1:]
            self._added_to[type_] = PartIndex(parts, self.tree.scope_bindings)
        return self._added_to[type_].of(name)

    def _members_of_subclasses(self, one: AbstractValue, name: str) -> list[PointsToSet]:
        """Members of subclasses; but not those that only tests add to tested classes."""
        is_test, heirs = self.tree.is_test, self.heirs.get(one.id, ())
        having = [heir for heir in heirs if name in self.tree.scope_bindings(*split_id(heir))]
        having = [heir for heir in having if is_test(one.path) or not is_test(split_id(heir)[0])]
        return [self.owned_at(*split_id(heir), name) for heir in having[:8]]

    def with_provenance(self, view: Provenance, source: PointsToSet) -> PointsToSet:
        """The same values, marked as uncertain."""
        target = self.flow.new_set()
        self.flow.on_each(source, self._copy_with_provenance, view, target)
        return target

    def _copy_with_provenance(self, thing: AbstractValue, view: Provenance, target: PointsToSet) -> None:
        is_function = thing.kind in FUNCTIONS and thing.provenance == PLAIN
        seen = self.thing(thing.kind, thing.path, thing.scope, view) if is_function else thing
        self.flow.add_subset_now(self.flow.constant(seen), target)

    def _side_of(self, thing: AbstractValue, part: Part, name: str) -> PointsToSet | None:
        """Of methods with one name, those of the class itself or those of its objects, if there are both."""
        path, values = part[0], self.tree.scope_bindings(*part)[name]
        if len(values) < 2 or thing.kind == value_kinds.PARENT or not self.tree.rules(path).static_apart:
            return None
        marks, is_class = self.tree.facts(path).decorators, thing.kind == value_kinds.CLASS
        own = [isinstance(value, Def) and STATIC in marks.get(value.scope, ()) for value in values]
        if all(own) or not any(own):
            return None
        return self.sets.values(
            path, tuple(value for value, is_own in zip(values, own, strict=True) if is_own == is_class)
        )

    def _used_at(self, part: Part, name: str, is_called: bool) -> PointsToSet:
        """Of a method and a field with one name, that which is meant."""
        values = self.tree.scope_bindings(*part)[name]
        path = part[0]
        methods = [value for value in values if isinstance(value, Def)]
        if not self.tree.rules(path).methods_apart or len(methods) in (0, len(values)):
            return self.owned_at(*part, name)
        return self.sets.values(path, tuple(value for value in values if isinstance(value, Def) == is_called))

    def owned_at(self, path: str, scope: str, name: str) -> PointsToSet:
        """The binding in a class; for a property, its result."""
        values = self.tree.scope_bindings(path, scope)[name]
        source = self.sets.name(path, scope, name)
        if not any(self._is_read(path, value.scope) for value in values if isinstance(value, Def)):
            return source
        target = self.flow.new_set()
        self.flow.on_each(source, self._read_property, target)
        return target

    def _read_property(self, thing: AbstractValue, target: PointsToSet, _: None) -> None:
        is_read = thing.kind == value_kinds.FUNCTION and self._is_read(thing.path, thing.scope)
        self.flow.add_subset_now(
            self.summaries.returns(thing.path, thing.scope) if is_read else self.flow.constant(thing), target
        )

    def _with_self(self, source: PointsToSet) -> PointsToSet:
        """Functions that take `self` first, together with an object that is passed for it."""
        if source.fixed is not None:
            return self.flow.constant(self._as_method(source.fixed))
        target = self.flow.new_set()
        self.flow.on_each(source, self._lead_method, target)
        return target

    def _lead_method(self, thing: AbstractValue, target: PointsToSet, _: None) -> None:
        self.flow.add_subset_now(self.flow.constant(self._as_method(thing)), target)

    def _as_method(self, thing: AbstractValue) -> AbstractValue:
        if thing.kind != value_kinds.FUNCTION or self.tree.facts(thing.path).params.get(thing.scope, ())[:1] != (
            "self",
        ):
            return thing
        return self.thing(value_kinds.METHOD, thing.path, thing.scope)

    def _is_read(self, path: str, scope: str) -> bool:
        return PROPERTY in self.tree.facts(path).decorators.get(scope, ())

    def _of_module(self, thing: AbstractValue, name: str) -> PointsToSet:
        """A module's own name, or a member of its default export."""
        if found := self.tree.elsewhere.member(thing, name):
            return self.sets.values_at(found)
        if (
            self.tree.rules(thing.path).default_exports
            and "default" in self.tree.scope_bindings(thing.path, "")
            and name != "default"
        ):
            return self.members.member(self.sets.name(thing.path, "", "default"), name)
        return self.nothing

    def _of_literal(self, box: AbstractValue, name: str) -> PointsToSet:
        """An element by its key; of a container without keys, a method that it has."""
        bound = self.tree.scope_bindings(box.path, box.scope)
        if name in bound:
            return self.sets.name(box.path, box.scope, name)
        if (found := self.tree.rules(box.path).literal_member(self, box, name)) is not None:
            return found
        if not bound or "" in bound or any(key.isdecimal() for key in bound):
            return self.flow.constant(
                self.thing(value_kinds.TAKER, box.path, box.scope, method_of(name, box.provenance))
            )
        return self._of_any_object(box.path, name)

    def method_of_container(self, box: AbstractValue, name: str) -> PointsToSet:
        method = method_of(name, box.provenance)
        return self.flow.constant(self.thing(value_kinds.TAKER, box.path, box.scope, method))

    def _of_function(self, thing: AbstractValue, name: str) -> PointsToSet:
        """A member of its result, where calls need no brackets; else of the function object."""
        rules = self.tree.rules(thing.path)
        if rules.implied_calls:
            return self._of_what_it_returns(thing, name)
        if rules.functions_have_members:
            if name in self.tree.scope_bindings(thing.path, thing.scope):
                return self._held_by(thing, name)
            if name in CALLING:
                return self.flow.constant(thing)
        return self._of_any_object(thing.path, name)

    def _of_what_it_returns(self, function: AbstractValue, name: str) -> PointsToSet:
        """A function may return a value made from its own result: the set exists before it is filled."""
        found = self._read_through.get((function, name))
        if found is None:
            found = self._read_through[function, name] = self.flow.new_set()
            self.flow.add_subset(
                self.members.member(self.summaries.returns(function.path, function.scope), name), found
            )
        return found

    def _held_by(self, function: AbstractValue, name: str) -> PointsToSet:
        """`run.later = …`: a definition that is a member of a function; its own variables are none."""
        values: Values = self.tree.scope_bindings(function.path, function.scope)[name]
        kinds = self.tree.facts(function.path).kinds
        held = any(isinstance(value, Def) and kinds.get(value.scope) == "method" for value in values)
        return self.sets.name(function.path, function.scope, name) if held else self.nothing

    def union(self, sources: list[PointsToSet]) -> PointsToSet:
        if len(sources) == 1:
            return sources[0]
        union = self.flow.new_set()
        for source in sources:
            self.flow.add_subset(source, union)
        return union
