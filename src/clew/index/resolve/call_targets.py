"""From the things that a call may lead to, to symbols with a confidence each; or why there are none."""

from collections.abc import Collection

from clew.index.facts import (
    Attr,
    CallFact,
    ScopedName,
    Subscript,
    UnboundName,
    Values,
)
from clew.index.import_edges import outside
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.common_methods import COMMON
from clew.index.resolve.evaluator import Evaluator
from clew.index.resolve.global_summary import namesake
from clew.index.resolve.name_fallback import resolve_by_name
from clew.index.resolve.overloads import (
    NOT_KNOWN,
    PassedArguments,
    fitting_overloads,
    passed_arguments,
    select_accepting,
)
from clew.index.resolve.program import Program
from clew.index.resolve.provenance import BEHIND, BELOW, MADE_MEMBER, PLAIN, SUPPLIED
from clew.index.resolve.resolved_call import CERTAIN, GUESSED, ResolvedCall, Targets, UnresolvedReason
from clew.index.resolve.single_objects import is_case, is_single
from clew.index.resolve.solver import MOST_TARGETS, PointsToSet
from clew.index.resolve.target_weights import as_far_as_known, constructors, weigh_targets
from clew.index.resolve.value_sets import FUNCTIONS, CalledMember
from clew.languages.member_names import spelled_name
from clew.model.code import EXTERNAL, SCOPE, split_id, symbol_id, without_numbers

# What `Card(1)` calls in Scala, and what a name without brackets does.

APPLY = CalledMember("apply")


def select_class_or_apply(
    calling: Evaluator, called: frozenset[AbstractValue], given: PassedArguments
) -> frozenset[AbstractValue]:
    """Of a class and the object beside it, what is meant: `new` makes the class, a call is one of the object's `apply`,
    of which a case class brings its own.
    """
    singles = frozenset(one for one in called if is_single(calling.tree, one))
    if not singles:
        return called
    others = called - singles
    if given.makes:
        return others or called
    entered = {
        each for one in singles for each in calling.members.member_of(one, APPLY).things if each.kind in FUNCTIONS
    }
    if not entered:
        return others or called
    kept = {one for one in others if one.kind != value_kinds.CLASS or is_case(calling.tree, one)}
    return frozenset(select_accepting(calling.tree, sorted(entered | kept, key=lambda one: one.id), given))


def methods_only(tree: Program, things: frozenset[AbstractValue]) -> frozenset[AbstractValue]:
    """Methods alone: to read a field calls nothing, and one that takes something is handed on."""
    return frozenset(one for one in things if one.kind in FUNCTIONS and not tree.facts(one.path).params.get(one.scope))


def prefer_own_methods(tree: Program, called: frozenset[AbstractValue]) -> frozenset[AbstractValue]:
    """Of several candidates, the methods of the types themselves, and not those that a trait lends to them."""
    if len(called) < 2:
        return called
    lent = {
        one
        for one in called
        if one.provenance != PLAIN and one.kind in FUNCTIONS and tree.rules(one.path).lends_methods
    }
    return called - lent if any(one.kind in FUNCTIONS for one in called - lent) else called


MOST_NAMED = 3  # functions that one name was given to; what is called besides them is some wrapper
LIKELY = 0.75  # how sure it is that what a class lacks is what its only heir has
MOST_KNOWN = 10_000  # answers that are kept for the next call of the same

_DATA = tuple(outside(f"builtins.{kind}.") for kind in "str bytes int float bool list dict tuple".split())
_Group = tuple[str, ...]
_CONTAINERS = ("list", "dict", "set", "tuple", "generator", "box")
_STARRED = {1: "tuple", 2: "dict"}


class CallTargets:
    def __init__(self, calling: Evaluator, methods: dict[str, tuple[str, ...]]) -> None:
        self._calling = calling
        self._methods = methods
        self._seen: set[PointsToSet] = set()
        self._preparing = self._prepare
        self._known: dict[tuple[frozenset[AbstractValue], PassedArguments], Targets | None] = {}
        self._plainly: dict[frozenset[AbstractValue], tuple[Targets | None, Targets]] = {}

    def end(self) -> None:
        vars(self).clear()

    def prepare(self, path: str) -> list[PointsToSet]:
        """Ask for everything that the report will need; gives what each call may be of."""
        callees = self._calling.sets.callees(path)
        for callee in callees:
            if callee not in self._seen:
                self._seen.add(callee)
                if callee.fixed is not None:
                    self._prepare(callee.fixed, None, None)
                else:
                    self._calling.flow.on_each(callee, self._preparing, None)
        return callees

    def _prepare(self, thing: AbstractValue, _: None, __: None) -> None:
        if thing.kind == value_kinds.CLASS:
            self._calling.calls.made_by(thing)
            if is_single(self._calling.tree, thing):
                self._calling.members.member_of(thing, APPLY)
        elif thing.kind == value_kinds.OBJECT:
            self._calling.members.member_of(thing, self._calling.tree.call_operator(thing.path))
        elif thing.kind == value_kinds.MODULE and self._calling.tree.rules(thing.path).default_exports:
            self._calling.members.member_of(thing, "default")

    def calls(self, path: str, callees: list[PointsToSet]) -> list[ResolvedCall]:
        """The calls of a file, in its order; one that nobody wrote only if it leads to a symbol of the tree."""
        found = []
        rules = self._calling.tree.rules(path)
        is_declared = rules.is_declarative
        scopes: dict[str, str] = {}  # each once: they are compared again and again
        for call, callee in zip(self._calling.tree.facts(path).calls, callees, strict=True):
            scope = scopes.setdefault(call.scope, call.scope)
            behind: Targets = ()
            if is_declared:
                targets = self._declared_targets(path, call, callee.things)
            else:
                targets, behind = self._plainly.get(callee.things) or self._plain(callee.things)
            if targets is None:
                named = () if is_declared else self._by_name(path, call)
                found.append(
                    ResolvedCall(scope, call.line, call.written, named, None if named else UnresolvedReason.MANY)
                )
            elif call.implied:
                inside = tuple([one for one in targets if not one[0].startswith(EXTERNAL)]) if targets else ()
                if inside:
                    found.append(ResolvedCall(scope, call.line, call.written, inside))
            elif targets:
                if is_declared:
                    targets = as_far_as_known(self._calling, path, call, targets)
                    if all(one.startswith(EXTERNAL) for one, _ in targets):
                        known = self._calling, self._methods, path, call
                        targets = rules.targets_by_name(*known) or rules.certain_targets(*known, targets)
                told = ResolvedCall(scope, call.line, call.written, targets, None, behind)
                found.append(told if targets else self._unresolved_call(path, call))
            elif callee.things and (targets := rules.targets_outside(self._calling, path, call)):
                found.append(ResolvedCall(scope, call.line, call.written, targets))
            else:
                found.append(self._unresolved_call(path, call))
        return found

    def _by_name(self, path: str, call: CallFact) -> Targets:
        """What a decorator stands for, of which it would take too many: the function that the name was given to."""
        things = {thing for value in call.callee for thing in self._calling.tree.static(path, value)}
        ids = sorted(thing.id for thing in things if thing.kind in FUNCTIONS)
        return tuple((one, CERTAIN / (len(ids) + 1)) for one in ids) if len(ids) <= MOST_NAMED else ()

    def _plain(self, things: frozenset[AbstractValue]) -> tuple[Targets | None, Targets]:
        """Where calls of Python lead that are of some things, and what is behind that: kept, most are of the same."""
        if len(self._plainly) > MOST_KNOWN:
            self._plainly.clear()
        called, behind = _apart(prefer_own_methods(self._calling.tree, _without_provenance(things)))
        found = self._plainly[things] = self._targets(called, NOT_KNOWN), behind
        return found

    def _declared_targets(self, path: str, call: CallFact, things: frozenset[AbstractValue]) -> Targets | None:
        """Where a call leads in a language in which what is passed may tell."""
        tree, makers = self._calling.tree, self._calling.members.makers(things)
        things = _without_provenance(things).union(makers)
        things = methods_only(tree, things) if call.reads else things
        things = prefer_own_methods(tree, tree.rules(path).visible_extensions(tree, path, things))
        given = passed_arguments(path, call)
        if not things:
            return ()
        key = things, given
        if key not in self._known:
            if len(self._known) > MOST_KNOWN:
                self._known.clear()
            self._known[key] = self._targets(things, given)
        return self._known[key]

    def _targets(self, called: frozenset[AbstractValue], given: PassedArguments) -> Targets | None:
        """The targets of a call, each with its share; None if there are too many."""
        if not called:
            return ()
        if len(called) == 1 and (known := self._at_once(*called)):
            return ((known, CERTAIN),)
        things = fitting_overloads(
            self._calling.tree,
            select_class_or_apply(self._calling, self._constructors_only(_named_targets(called)), given),
            given,
        )
        groups = {group for thing in things if (group := self._group(thing, given))}
        told = {group for group in groups if not group[0].startswith(_DATA)}
        groups = told or groups  # a name that starts as "" or None is called for what it becomes
        groups, vague = self._ambiguous_targets(groups, things)
        if len(groups) > MOST_TARGETS and len({group[0].partition("#")[0] for group in groups}) > MOST_TARGETS:
            return None
        shares: dict[str, float] = {}
        each = CERTAIN / max(len(groups) + bool(vague), 1)
        if not vague and len(groups) > 1 and len({self._variants(*group[:1]) for group in groups}) == 1:
            each = GUESSED
        for group in groups:
            shares |= dict.fromkeys(group, each)
        for group in vague:
            shares |= dict.fromkeys(group, each / len(vague))
        shares |= {one.id: each * LIKELY for one in things if one.provenance in (BELOW, SUPPLIED) and one.id in shares}
        if each < GUESSED:
            shares |= {one.id: GUESSED for one in things if one.id in shares and self._is_promised(one, things)}
        weigh_targets(self._calling, things, shares, given)
        return tuple(sorted(shares.items()))

    def _is_promised(self, thing: AbstractValue, things: Collection[AbstractValue]) -> bool:
        """Whether it is a method of Python that others of them implement: whichever does, it is what is called."""
        is_method = thing.kind in FUNCTIONS and not self._calling.tree.is_declarative(thing.path)
        if not is_method or thing.scope not in self._calling.tree.facts(thing.path).declared:
            return False
        name = f"{SCOPE}{thing.scope.rpartition(SCOPE)[2]}"
        return any(one is not thing and one.scope.endswith(name) for one in things)

    def _variants(self, id: str) -> tuple[str, str]:
        """What is one thing in every build or run of a program, of which each has another of several definitions."""
        path, scope = split_id(id)
        place = self._calling.tree.rules(path).variants_in
        if id.startswith(EXTERNAL) or not place:
            return id, ""
        return path.rpartition("/")[0] if place == "folder" else path, without_numbers(scope)

    def _constructors_only(self, called: frozenset[AbstractValue]) -> frozenset[AbstractValue]:
        """Without the class, where it has a method of its own that makes its objects."""
        makers = [one for one in called if one.kind in FUNCTIONS and one.scope.endswith(f"{SCOPE}new")]
        if not any(self._calling.tree.rules(one.path).constructor_methods for one in makers):
            return called
        return frozenset(one for one in called if one.kind != value_kinds.CLASS)

    def _ambiguous_targets(
        self, groups: set[_Group], things: Collection[AbstractValue]
    ) -> tuple[set[_Group], set[_Group]]:
        """What Python calls by a name that something of the tree has, and what something from outside may have, too.

        Nobody knows what that has. All of it together is one way to go on, and none if hardly anything has the name.
        """
        inside = {group for group in groups if not group[0].startswith(EXTERNAL)}
        tree, places = self._calling.tree, {one.path for one in things if one.kind != value_kinds.OUTSIDE}
        if not inside or any(tree.rules(path).complete_bounds for path in places):
            return inside or groups, set()
        made = [one for one in things if one.kind == value_kinds.OUTSIDE and one.provenance == MADE_MEMBER]
        vague = {(outside(one.path),) for one in made} & groups
        if not vague or any(map(tree.is_declarative, places)):
            return groups, set()
        return groups - vague, {one for one in vague if one[0].rpartition(".")[2] in COMMON}

    def _at_once(self, thing: AbstractValue) -> str:
        """Of most calls, the one target can be told without a closer look."""
        if thing.kind == value_kinds.OUTSIDE:
            return outside(thing.path)
        if thing.provenance == SUPPLIED:
            return ""
        if thing.kind == value_kinds.TAKER and not self._calling.tree.is_declarative(thing.path):
            return self._group(thing, NOT_KNOWN)[0]
        return thing.id if thing.kind in FUNCTIONS and not self._calling.tree.is_declarative(thing.path) else ""

    def _group(self, thing: AbstractValue, given: PassedArguments) -> _Group:
        """The symbols that one way of a call leads to."""
        if thing.kind in FUNCTIONS:
            return tuple(self._calling.tree.rules(thing.path).definitions_of_prototype(self._calling.tree, thing)) or (
                thing.id,
            )
        if thing.kind == value_kinds.CLASS:
            return (thing.id, *constructors(self._calling, thing, given))
        if thing.kind == value_kinds.OBJECT:
            called = self._calling.members.member_of(thing, self._calling.tree.call_operator(thing.path)).things
            return tuple(sorted(one.id for one in called if one.kind in FUNCTIONS))
        if thing.kind == value_kinds.OUTSIDE:
            return (outside(thing.path),)
        if thing.kind == value_kinds.MODULE and self._calling.tree.rules(thing.path).default_exports:
            named = self._calling.members.member_of(thing, "default").things
            return tuple(sorted({one for each in named if each is not thing for one in self._group(each, given)}))
        if thing.kind == value_kinds.TAKER:
            written = thing.scope.rpartition(SCOPE)[2]
            stars = written[:2].count("*")  # `*values` and `**options`, whatever they are called
            kind = _STARRED[stars] if stars else written.strip("<>0123456789") or "dict"
            method = thing.provenance.of
            if prefix := self._calling.tree.rules(thing.path).library.container_prefix:
                return (outside(f"{prefix}{method}"),)
            return (outside(f"builtins.{kind if kind in _CONTAINERS else 'generator'}.{method}"),)
        return ()

    def _unresolved_call(self, path: str, call: CallFact) -> ResolvedCall:
        """By its name alone, if the receiver is not known and few methods are called so."""
        if self._calling.tree.is_declarative(path):
            targets, reason = resolve_by_name(self._calling, self._methods, path, call)
            rules = self._calling.tree.rules(path)
            targets = rules.targets_by_name(self._calling, self._methods, path, call) or targets
            return ResolvedCall(call.scope, call.line, call.written, targets, None if targets else reason)
        reason, name = self._unresolved_reason(path, call.callee)
        own = symbol_id(path, call.scope)  # which hands the call on to another of its name
        is_own = name not in COMMON and not name.startswith("__")
        known = self._methods.get(namesake(self._calling.tree.family(path), name), ()) if is_own else ()
        namesakes = [one for one in known if one != own]
        if reason is not UnresolvedReason.RECEIVER or not namesakes:
            return ResolvedCall(call.scope, call.line, call.written, (), reason)
        share = GUESSED / len(namesakes)
        return ResolvedCall(call.scope, call.line, call.written, tuple((one, share) for one in namesakes))

    def _unresolved_reason(self, path: str, callee: Values) -> tuple[UnresolvedReason, str]:
        for value in callee:
            if isinstance(value, Attr):
                known = self._calling.sets.value(path, value.of).things
                return (UnresolvedReason.MEMBER if known else UnresolvedReason.RECEIVER), spelled_name(value.name)
            if isinstance(value, UnboundName | ScopedName):
                return UnresolvedReason.NAME, value.name
            if isinstance(value, Subscript):
                return UnresolvedReason.DYNAMIC, ""
        return UnresolvedReason.DYNAMIC, ""


def _apart(things: frozenset[AbstractValue]) -> tuple[frozenset[AbstractValue], Targets]:
    """What is called, and what decorators hide behind it; alone, that is what is called."""
    if len(things) < 2:
        return things, ()
    hidden = [thing for thing in things if thing.provenance == BEHIND and thing.kind in FUNCTIONS]
    if not hidden:
        return things, ()
    plain = things.difference(hidden)
    known = {thing.id for thing in plain}
    ids = sorted({thing.id for thing in hidden} - known)
    is_told = plain and len(ids) <= MOST_NAMED
    return plain or things, tuple((one, GUESSED) for one in ids) if is_told else ()


def _without_provenance(things: frozenset[AbstractValue]) -> frozenset[AbstractValue]:
    supplied = [one for one in things if one.kind == value_kinds.SUPPLIED]
    return things.difference(supplied) if supplied else things


def _named_targets(called: frozenset[AbstractValue]) -> frozenset[AbstractValue]:
    """Without methods of what is held, where the type that holds it is known, too, nor what only heirs have, where
    something else is known.
    """
    if any(thing.provenance == BELOW for thing in called):
        called = frozenset(thing for thing in called if thing.provenance != BELOW) or called
    if any(thing.provenance == SUPPLIED for thing in called):
        called = _without_supplied(called)
    if not any(thing.kind == value_kinds.OUTSIDE for thing in called):
        return called
    return frozenset(thing for thing in called if thing.kind != value_kinds.TAKER)


def _without_supplied(called: frozenset[AbstractValue]) -> frozenset[AbstractValue]:
    """Without what an object may have that something outside made, where more is known; else without what that made,
    unless anything has such a name.
    """
    plain = frozenset(thing for thing in called if thing.provenance != SUPPLIED)
    if any(thing.kind != value_kinds.OUTSIDE for thing in plain):
        return plain
    is_common = any(thing.scope.rpartition(SCOPE)[2] in COMMON for thing in called - plain)
    return called if is_common else called - plain
