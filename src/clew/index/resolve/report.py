"""From the things that a call may lead to, to symbols with a confidence each; or why there are none."""

from collections.abc import Collection

from clew.index.builtins import COMMON
from clew.index.facts import Attr, Called, Free, Item, Name, Values
from clew.index.link import outside
from clew.index.resolve import sorts
from clew.index.resolve.answers import CERTAIN, GUESSED, Reason, Resolved, Targets
from clew.index.resolve.applying import APPLY, applied, without_brackets
from clew.index.resolve.calling import Calling
from clew.index.resolve.choosing import imported
from clew.index.resolve.companions import is_single
from clew.index.resolve.extensions import added, beside
from clew.index.resolve.flow import MOST_TARGETS, Var
from clew.index.resolve.guessing import as_outside, guess
from clew.index.resolve.implementing import defined
from clew.index.resolve.members import MADE_MEMBER
from clew.index.resolve.names import FUNCTIONS
from clew.index.resolve.overloads import NOT_KNOWN, Passed, fitting, passed
from clew.index.resolve.things import BEHIND, BELOW, SUPPLIED, Thing
from clew.index.resolve.traits import without_lent
from clew.index.resolve.weighing import as_far_as_known, constructors, weigh
from clew.model.code import EXTERNAL, SCOPE, split_id, symbol_id, unnumbered

MOST_NAMED = 3  # functions that one name was given to; what is called besides them is some wrapper
LIKELY = 0.75  # how sure it is that what a class lacks is what its only heir has
MOST_KNOWN = 10_000  # answers that are kept for the next call of the same

_DATA = tuple(outside(f"builtins.{kind}.") for kind in "str bytes int float bool list dict tuple".split())
_Group = tuple[str, ...]
_CONTAINERS = ("list", "dict", "set", "tuple", "generator", "box")
_STARRED = {1: "tuple", 2: "dict"}


class Reporter:
    def __init__(self, calling: Calling, methods: dict[str, tuple[str, ...]]) -> None:
        self._calling = calling
        self._methods = methods
        self._seen: set[Var] = set()
        self._preparing = self._prepare
        self._known: dict[tuple[frozenset[Thing], Passed], Targets | None] = {}
        self._plainly: dict[frozenset[Thing], tuple[Targets | None, Targets]] = {}

    def end(self) -> None:
        vars(self).clear()

    def prepare(self, path: str) -> list[Var]:
        """Ask for everything that the report will need; gives what each call may be of."""
        callees = self._calling.callees(path)
        for callee in callees:
            if callee not in self._seen:
                self._seen.add(callee)
                if callee.fixed is not None:
                    self._prepare(callee.fixed, None, None)
                else:
                    self._calling.flow.watch(callee, self._preparing, None)
        return callees

    def _prepare(self, thing: Thing, _: None, __: None) -> None:
        if thing.sort == sorts.CLASS:
            self._calling.made_by(thing)
            if is_single(self._calling.tree, thing):
                self._calling.member_of(thing, APPLY)
        elif thing.sort == sorts.OBJECT:
            self._calling.member_of(thing, self._calling.tree.called(thing.path))
        elif thing.sort == sorts.MODULE and self._calling.tree.family(thing.path) == "ecma":
            self._calling.member_of(thing, "default")

    def calls(self, path: str, callees: list[Var]) -> list[Resolved]:
        """The calls of a file, in its order; one that nobody wrote only if it leads to a symbol of the tree."""
        found = []
        is_declared = bool(self._calling.tree.family(path))
        scopes: dict[str, str] = {}  # each once: they are compared again and again
        for call, callee in zip(self._calling.tree.facts(path).calls, callees, strict=True):
            scope = scopes.setdefault(call.scope, call.scope)
            behind: Targets = ()
            if is_declared:
                targets = self._declared(path, call, callee.things)
            else:
                targets, behind = self._plainly.get(callee.things) or self._plain(callee.things)
            if targets is None:
                named = () if is_declared else self._by_name(path, call)
                found.append(Resolved(scope, call.line, call.written, named, None if named else Reason.MANY))
            elif call.implied:
                inside = tuple([one for one in targets if not one[0].startswith(EXTERNAL)]) if targets else ()
                if inside:
                    found.append(Resolved(scope, call.line, call.written, inside))
            elif targets:
                if is_declared:
                    targets = as_far_as_known(self._calling, path, call, targets)
                    if all(one.startswith(EXTERNAL) for one, _ in targets):
                        known = self._calling, self._methods, path, call
                        targets = added(*known) or as_outside(*known, targets)
                told = Resolved(scope, call.line, call.written, targets, None, behind)
                found.append(told if targets else self._unresolved(path, call))
            elif callee.things and (targets := beside(self._calling, path, call)):
                found.append(Resolved(scope, call.line, call.written, targets))
            else:
                found.append(self._unresolved(path, call))
        return found

    def _by_name(self, path: str, call: Called) -> Targets:
        """What a decorator stands for, of which it would take too many: the function that the name was given to."""
        things = {thing for value in call.callee for thing in self._calling.tree.static(path, value)}
        ids = sorted(thing.id for thing in things if thing.sort in FUNCTIONS)
        return tuple((one, CERTAIN / (len(ids) + 1)) for one in ids) if len(ids) <= MOST_NAMED else ()

    def _plain(self, things: frozenset[Thing]) -> tuple[Targets | None, Targets]:
        """Where calls of Python lead that are of some things, and what is behind that: kept, most are of the same."""
        if len(self._plainly) > MOST_KNOWN:
            self._plainly.clear()
        called, behind = _apart(without_lent(self._calling.tree, _unsupplied(things)))
        found = self._plainly[things] = self._targets(called, NOT_KNOWN), behind
        return found

    def _declared(self, path: str, call: Called, things: frozenset[Thing]) -> Targets | None:
        """Where a call leads in a language in which what is passed may tell."""
        tree, makers = self._calling.tree, self._calling.makers(things)
        things = _unsupplied(things).union(makers)
        things = without_brackets(tree, things) if call.reads else things
        things, given = without_lent(tree, imported(tree, path, things)), passed(path, call)
        if not things:
            return ()
        key = things, given
        if key not in self._known:
            if len(self._known) > MOST_KNOWN:
                self._known.clear()
            self._known[key] = self._targets(things, given)
        return self._known[key]

    def _targets(self, called: frozenset[Thing], given: Passed) -> Targets | None:
        """What a call leads to, each with its share; none if that is too much."""
        if not called:
            return ()
        if len(called) == 1 and (known := self._at_once(*called)):
            return ((known, CERTAIN),)
        things = fitting(self._calling.tree, applied(self._calling, self._making(_named(called)), given), given)
        groups = {group for thing in things if (group := self._group(thing, given))}
        told = {group for group in groups if not group[0].startswith(_DATA)}
        groups = told or groups  # a name that starts as "" or None is called for what it becomes
        groups, vague = self._told_apart(groups, things)
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
        shares |= {one.id: each * LIKELY for one in things if one.view in (BELOW, SUPPLIED) and one.id in shares}
        if each < GUESSED:
            shares |= {one.id: GUESSED for one in things if one.id in shares and self._is_promised(one, things)}
        weigh(self._calling, things, shares, given)
        return tuple(sorted(shares.items()))

    def _is_promised(self, thing: Thing, things: Collection[Thing]) -> bool:
        """Whether it is a method of Python that others of them implement: whichever does, it is what is called."""
        is_method = thing.sort in FUNCTIONS and not self._calling.tree.family(thing.path)
        if not is_method or thing.scope not in self._calling.tree.facts(thing.path).declared:
            return False
        name = f"{SCOPE}{thing.scope.rpartition(SCOPE)[2]}"
        return any(one is not thing and one.scope.endswith(name) for one in things)

    def _variants(self, id: str) -> tuple[str, str]:
        """What is one thing in every build or run of a program, of which each has another of several definitions."""
        path, scope = split_id(id)
        family = self._calling.tree.family(path)
        if id.startswith(EXTERNAL) or family not in ("", "go", "rust"):
            return id, ""
        return path.rpartition("/")[0] if family == "go" else path, unnumbered(scope)

    def _making(self, called: frozenset[Thing]) -> frozenset[Thing]:
        """Without the class, where it has a method of its own that makes its objects."""
        makers = [one for one in called if one.sort in FUNCTIONS and one.scope.endswith(f"{SCOPE}new")]
        if not any(self._calling.tree.family(one.path) == "ruby" for one in makers):
            return called
        return frozenset(one for one in called if one.sort != sorts.CLASS)

    def _told_apart(self, groups: set[_Group], things: Collection[Thing]) -> tuple[set[_Group], set[_Group]]:
        """What Python calls by a name that something of the tree has, and what something from outside may have, too.

        Nobody knows what that has. All of it together is one way to go on, and none if hardly anything has the name.
        """
        inside = {group for group in groups if not group[0].startswith(EXTERNAL)}
        families = {self._calling.tree.family(one.path) for one in things if one.sort != sorts.OUTSIDE}
        if not inside or "rust" in families:  # of its bounds, a type of Rust has a method by one
            return inside or groups, set()
        made = [one for one in things if one.sort == sorts.OUTSIDE and one.view == MADE_MEMBER]
        vague = {(outside(one.path),) for one in made} & groups
        if not vague or any(families):
            return groups, set()
        return groups - vague, {one for one in vague if one[0].rpartition(".")[2] in COMMON}

    def _at_once(self, thing: Thing) -> str:
        """Of most calls, the one target can be told without a closer look."""
        if thing.sort == sorts.OUTSIDE:
            return outside(thing.path)
        if thing.view == SUPPLIED:
            return ""
        if thing.sort == sorts.TAKER and not self._calling.tree.family(thing.path):
            return self._group(thing, NOT_KNOWN)[0]
        return thing.id if thing.sort in FUNCTIONS and not self._calling.tree.family(thing.path) else ""

    def _group(self, thing: Thing, given: Passed) -> _Group:
        """The symbols that one way of a call leads to."""
        if thing.sort in FUNCTIONS:
            return tuple(defined(self._calling.tree, thing)) or (thing.id,)
        if thing.sort == sorts.CLASS:
            return (thing.id, *constructors(self._calling, thing, given))
        if thing.sort == sorts.OBJECT:
            called = self._calling.member_of(thing, self._calling.tree.called(thing.path)).things
            return tuple(sorted(one.id for one in called if one.sort in FUNCTIONS))
        if thing.sort == sorts.OUTSIDE:
            return (outside(thing.path),)
        if thing.sort == sorts.MODULE and self._calling.tree.family(thing.path) == "ecma":
            named = self._calling.member_of(thing, "default").things
            return tuple(sorted({one for each in named if each is not thing for one in self._group(each, given)}))
        if thing.sort == sorts.TAKER:
            written = thing.scope.rpartition(SCOPE)[2]
            stars = written[:2].count("*")  # `*values` and `**options`, whatever they are called
            kind = _STARRED[stars] if stars else written.strip("<>0123456789") or "dict"
            method = thing.view.partition(":")[0]
            if self._calling.tree.family(thing.path) == "c":
                return (outside(f"std::{method}"),)
            return (outside(f"builtins.{kind if kind in _CONTAINERS else 'generator'}.{method}"),)
        return ()

    def _unresolved(self, path: str, call: Called) -> Resolved:
        """By its name alone, if the receiver is not known and few methods are called so."""
        if self._calling.tree.family(path):
            targets, reason = guess(self._calling, self._methods, path, call)
            targets = added(self._calling, self._methods, path, call) or targets
            return Resolved(call.scope, call.line, call.written, targets, None if targets else reason)
        reason, name = self._why(path, call.callee)
        own = symbol_id(path, call.scope)  # which hands the call on to another of its name
        known = self._methods.get(name, ()) if name not in COMMON and not name.startswith("__") else ()
        namesakes = [one for one in known if one != own]
        if reason is not Reason.RECEIVER or not namesakes:
            return Resolved(call.scope, call.line, call.written, (), reason)
        share = GUESSED / len(namesakes)
        return Resolved(call.scope, call.line, call.written, tuple((one, share) for one in namesakes))

    def _why(self, path: str, callee: Values) -> tuple[Reason, str]:
        for value in callee:
            if isinstance(value, Attr):
                known = self._calling.value(path, value.of).things
                return (Reason.MEMBER if known else Reason.RECEIVER), value.name
            if isinstance(value, Free | Name):
                return Reason.NAME, value.name
            if isinstance(value, Item):
                return Reason.DYNAMIC, ""
        return Reason.DYNAMIC, ""


def _apart(things: frozenset[Thing]) -> tuple[frozenset[Thing], Targets]:
    """What is called, and what decorators hide behind it; alone, that is what is called."""
    if len(things) < 2:
        return things, ()
    hidden = [thing for thing in things if thing.view == BEHIND and thing.sort in FUNCTIONS]
    if not hidden:
        return things, ()
    plain = things.difference(hidden)
    known = {thing.id for thing in plain}
    ids = sorted({thing.id for thing in hidden} - known)
    is_told = plain and len(ids) <= MOST_NAMED
    return plain or things, tuple((one, GUESSED) for one in ids) if is_told else ()


def _unsupplied(things: frozenset[Thing]) -> frozenset[Thing]:
    supplied = [one for one in things if one.sort == sorts.SUPPLIED]
    return things.difference(supplied) if supplied else things


def _named(called: frozenset[Thing]) -> frozenset[Thing]:
    """Without methods of what is held, where the type that holds it is known, too, nor what only heirs have, where
    something else is known.
    """
    if any(thing.view == BELOW for thing in called):
        called = frozenset(thing for thing in called if thing.view != BELOW) or called
    if any(thing.view == SUPPLIED for thing in called):
        called = _without_supplied(called)
    if not any(thing.sort == sorts.OUTSIDE for thing in called):
        return called
    return frozenset(thing for thing in called if thing.sort != sorts.TAKER)


def _without_supplied(called: frozenset[Thing]) -> frozenset[Thing]:
    """Without what an object may have that something outside made, where more is known; else without what that made,
    unless anything has such a name.
    """
    plain = frozenset(thing for thing in called if thing.view != SUPPLIED)
    if any(thing.sort != sorts.OUTSIDE for thing in plain):
        return plain
    is_common = any(thing.scope.rpartition(SCOPE)[2] in COMMON for thing in called - plain)
    return called if is_common else called - plain
