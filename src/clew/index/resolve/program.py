"""The program by its written names: imports, names across files, base classes and their order."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from clew.index.facts import (
    QUOTE,
    Attr,
    CallResult,
    Def,
    Facts,
    ImportedName,
    ScopedName,
    This,
    Typed,
    UnboundName,
    Value,
)
from clew.index.modules import SourceTree
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue, AbstractValues, Found
from clew.index.resolve.cross_file_scope import CrossFileScope
from clew.index.resolve.nearness import nearest_to
from clew.index.resolve.provenance import PLAIN, seen_from
from clew.index.resolve.source_index import (
    CycleSafeMemo,
    EvaluationPath,
    NameIndexes,
    Part,
    PathMemo,
    SourceIndex,
    TreeRules,
)
from clew.model.code import SCOPE, split_id
from clew.model.words import Kind

_WORD = re.compile(r"\w+")
DEEPEST = 40  # steps from name to name until a base is found
MOST_WAYS = 8  # by which one name is gone through: more are those of a name that is made of itself
Where = tuple[str, str] | str | AbstractValue | Found | None


class Program(SourceIndex):
    """Names across files, and inheritance, by the source text alone."""

    def __init__(
        self,
        world: SourceTree,
        facts: Callable[[str], Facts],
        languages: Mapping[str, str],
        things: AbstractValues,
        rules: TreeRules | None = None,
        names: NameIndexes | None = None,
    ) -> None:
        super().__init__(world, facts, languages, things, rules, names)
        self._makers: dict[str, frozenset[str]] = {}
        self.typed: dict[tuple[object, str, Typed], str | AbstractValue | None] = {}  # what types that are written mean
        self.joined: tuple[dict[str, tuple[Part, ...]], dict[str, tuple[str, ...]]] = {}, {}
        asking = EvaluationPath()
        self._orders: CycleSafeMemo[AbstractValue, tuple[AbstractValue, ...]] = CycleSafeMemo(
            asking, self._linear, lambda one: (one,)
        )
        self._extended: PathMemo[tuple[str, Value], list[AbstractValue]] = PathMemo(
            asking, lambda key: self.static(*key)
        )
        self.elsewhere = CrossFileScope(self, asking)
        self._owns_things = rules is None

    def end(self) -> None:
        """Let go of everything: `elsewhere` leads back here, and all facts hang on it."""
        if self._owns_things:
            self.things.end()
        vars(self).clear()

    def join(self, parts: dict[str, tuple[Part, ...]], common: dict[str, tuple[str, ...]]) -> None:
        """Let classes have parts in other files, and names be shared by the whole tree."""
        self._join(parts, common)
        self.write(parts)

    def join_prepared(
        self,
        parts: dict[str, tuple[Part, ...]],
        homes: dict[Part, AbstractValue],
        common: dict[str, tuple[str, ...]],
    ) -> None:
        """The same, with the class that each part belongs to at hand."""
        self._join(parts, common)
        self.adopt(parts, homes)

    def _join(self, parts: dict[str, tuple[Part, ...]], common: dict[str, tuple[str, ...]]) -> None:
        self.joined = parts, common
        self._orders.clear()
        self._extended.clear()
        self.typed.clear()
        self.elsewhere.forget(common)

    def makes_objects(self, path: str, scope: str) -> bool:
        """Whether a function is there to be called with `new`: it has methods."""
        if not self.rules(path).functions_make_objects:
            return False
        if path not in self._makers:
            kinds = self.facts(path).kinds.items()
            self._makers[path] = frozenset(one.rpartition(SCOPE)[0] for one, kind in kinds if kind == Kind.METHOD.value)
        return scope in self._makers[path]

    def constructor(self, path: str) -> str:
        """The member of a class that sets up a new object."""
        return "constructor" if self.is_declarative(path) else "__init__"

    def own_constructors(self, one: AbstractValue) -> bool:
        """Whether a class has but those constructors that it writes itself."""
        return self.is_declarative(one.path) and not self.rules(one.path).inherits_constructors

    def call_operator(self, path: str) -> str:
        """The member of a class that is called when an object is."""
        return self.rules(path).call_operator

    def holder(self, path: str, name: str) -> Where:
        """Where a module's member is bound: path and name; or the file that is the member; or none.

        A name that the file does not bind comes from a star, or is a module inside of the package.
        """
        if self.is_declarative(path):
            return self.elsewhere.member(self.things.thing(value_kinds.MODULE, path), name)
        return self._holder(path, name, set())

    def _holder(self, path: str, name: str, seen: set[str]) -> tuple[str, str] | str | None:
        if path in seen:
            return None
        seen.add(path)
        facts = self.facts(path)
        if name in facts.names.get("", {}):
            return path, name
        for module in facts.stars:
            for file in self.files(path, module):
                found = self._holder(file, name, seen) if self._offers(file, name) else None
                if found is not None:
                    return found
        if path.rpartition("/")[2].startswith("__init__.py"):
            for file in self.files(path, f".{name}"):
                return file
        return None

    def _offers(self, path: str, name: str) -> bool:
        exports = self.facts(path).exports
        return name in exports if exports else not name.startswith("_")

    def resolve_import(self, path: str, module: str, name: str) -> Where:
        """The target of an import: as the module's file gives it, or an external one."""
        if self.is_declarative(path):
            return self.elsewhere.resolve_import(path, module, name)
        files = self.files(path, module)
        if not name:
            return files[0] if files else self._absent(path, module)
        for file in files:  # `from . import x` in a package's own file brings the module x
            if file != path and (found := self.holder(file, name)):
                return found
        inner = self.files(path, member_of(module, name))
        if inner:
            return inner[0]
        return None if files else self.outside(member_of(module, name))

    def _absent(self, path: str, module: str) -> AbstractValue:
        """A module that is no file: outside, unless it may be a folder of files, seen from where it was imported."""
        is_folder = module.lstrip(".").partition(".")[0] in self.tree_rules.folder_parts
        return self.things.thing(value_kinds.OUTSIDE, module, "", seen_from(path if is_folder else ""))

    def free(self, path: str, name: str) -> Where:
        """A name that its file does not bind: of a star import, of the package, built in."""
        if self.is_declarative(path):
            return self.elsewhere.free(path, name)
        facts, seen = self.facts(path), set[str]()
        for module in facts.stars:
            for file in self.files(path, module):
                if self._offers(file, name) and (found := self._holder(file, name, seen)):
                    return found
        if (profile := self.rules(path).profile) is not None and name in profile.builtins:
            return self.outside(f"builtins.{name}")
        unknown = [module for module in facts.stars if QUOTE not in name and not self.files(path, module)]
        return self.outside(f"{unknown[0]}.{name}") if len(unknown) == 1 else None

    def order(self, one: AbstractValue) -> tuple[AbstractValue, ...]:
        return self._orders[one]

    def _linear(self, one: AbstractValue) -> tuple[AbstractValue, ...]:
        if one.kind != value_kinds.CLASS:
            return (one,)
        bases = self.bases(one)
        orders = [self.order(base) for base in bases]
        if len(orders) == 1 and len(set(orders[0])) == len(orders[0]):  # nothing to merge
            return (one, *orders[0])
        return (one, *_merge_linearizations([*map(list, orders), bases]))

    def bases(self, one: AbstractValue) -> list[AbstractValue]:
        facts = [(path, scope, self.facts(path)) for path, scope in self.parts(one)]
        values = [(path, value) for path, scope, said in facts for value in said.bases.get(scope, ())]
        values += [(path, value) for path, scope, said in facts for value in said.implements.get(scope, ())]
        found = [thing for place in values for thing in self._extended[place]]
        found = self.rules(one.path).ordered_bases(self, one, found)
        wanted = [
            t for t in found if t.kind in (value_kinds.CLASS, value_kinds.OUTSIDE) and t.path != "builtins.object"
        ]
        return [thing for thing in dict.fromkeys(wanted) if thing is not one]

    def base_values(self, path: str, value: Value) -> list[AbstractValue]:
        """Like `static`, for base classes: the class order needs them before."""
        return self._extended[path, value]

    def static(self, path: str, value: Value) -> list[AbstractValue]:
        return self._static(path, value, _Trail({}))

    def _static(self, path: str, value: Value, trail: "_Trail") -> list[AbstractValue]:
        if trail.depth > DEEPEST:
            return []
        match value:
            case Def(scope):
                return [self.definition_at(path, scope)]
            case ScopedName(scope, name):
                return self._named_values(path, scope, name, trail)
            case UnboundName(name) if QUOTE in name:
                return self._class_named_in_text(path, name, trail)
            case UnboundName(name):
                return self._at(self.free(path, name), trail)
            case ImportedName(module, name):
                return self._at(self.resolve_import(path, module, name), trail)
            case Attr(of, str(name)):
                holders = self._static(path, of, trail.towards(name))
                return [found for one in holders for found in self._member(one, name, trail)]
            case This(scope) if self.is_declarative(path):
                return [self.home(path, scope)]
            case CallResult(number):
                return self._decorated_class(path, number, trail)
        return []

    def _class_named_in_text(self, path: str, name: str, trail: "_Trail") -> list[AbstractValue]:
        """The class that a text names: one that the file sees, or the nearest of the tree, if that is one."""
        own, _, before = name.partition(QUOTE)
        if own in self.scope_bindings(path, ""):
            return self._named_values(path, "", own, trail)
        found = [split_id(one) for one in self.joined[1].get(f"{QUOTE}{own}", ())]
        module = before.rpartition(".")[2]
        found = [one for one in found if module in _WORD.findall(one[0])] or found
        near = nearest_to(path, [self.definition_at(*one) for one in found])
        return list(near) if len(near) == 1 else []

    def _at(self, where: Where, trail: "_Trail") -> list[AbstractValue]:
        if isinstance(where, list):
            told = [[one] if isinstance(one, AbstractValue) else self._named_values(*one, trail) for one in where]
            return list(dict.fromkeys(thing for some in told for thing in some))
        if isinstance(where, tuple):
            return self._named_values(where[0], "", where[1], trail)
        if isinstance(where, str):
            return [self.things.thing(value_kinds.MODULE, where)]
        return [where] if where is not None else []

    def _named_values(self, path: str, scope: str, name: str, trail: "_Trail") -> list[AbstractValue]:
        if not trail.is_new(path, scope, name):
            return []
        values, further = self.scope_bindings(path, scope).get(name, ()), trail.further()
        return [thing for value in values for thing in self._static(path, value, further)]

    def _member(self, one: AbstractValue, name: str, trail: "_Trail") -> list[AbstractValue]:
        if one.kind == value_kinds.MODULE:
            found = self.elsewhere.member(one, name) if one.scope else self.holder(one.path, name)
            return self._at(found, trail)
        if one.kind == value_kinds.OUTSIDE:
            view = one.provenance if self.is_declarative(one.provenance.file) else PLAIN
            files = self.files(view.file, f"{one.path}.{name}") if view != PLAIN else ()
            if files:
                return [self.things.thing(value_kinds.MODULE, files[0])]
            return [self.things.thing(value_kinds.OUTSIDE, f"{one.path}.{name}", "", view)]
        if one.kind == value_kinds.CLASS and self.is_declarative(one.path):
            return self._at(list(self.members(one, name)), trail)
        if one.kind == value_kinds.CLASS:
            return self._named_values(one.path, one.scope, name, trail)
        return []

    def _decorated_class(self, path: str, number: int, trail: "_Trail") -> list[AbstractValue]:
        """A decorated class is still that class; the result of an external call is external."""
        call = self.facts(path).calls[number]
        if call.written.startswith("@") and call.args:
            return [thing for value in call.args[0] for thing in self._static(path, value, trail.further())]
        callees = [thing for value in call.callee for thing in self._static(path, value, trail.towards("()"))]
        return [thing for thing in callees if thing.kind == value_kinds.OUTSIDE]


class _Trail(NamedTuple):
    """The path to a name: `ahead` are the members still to be taken of it. A name that was visited on the way to the
    same members adds nothing to the result."""

    seen: dict[tuple[str, str, str], set[tuple[str, ...]]]
    ahead: tuple[str, ...] = ()
    depth: int = 0

    def is_new(self, path: str, scope: str, name: str) -> bool:
        """A name that is made of itself again and again, `x = x.a`, `x = x.b`, is gone through in a few ways alone."""
        ways = self.seen.setdefault((path, scope, name), set())
        if self.ahead in ways or len(ways) >= MOST_WAYS:
            return False
        ways.add(self.ahead)
        return True

    def further(self) -> "_Trail":
        return _Trail(self.seen, self.ahead, self.depth + 1)

    def towards(self, member: str) -> "_Trail":
        return _Trail(self.seen, (*self.ahead, member), self.depth + 1)


def member_of(module: str, name: str) -> str:
    return f"{module}{name}" if module.endswith(".") else f"{module}.{name}"


def _merge_linearizations(lines: Sequence[list[AbstractValue]]) -> list[AbstractValue]:
    """C3; where it fails, from left to right."""
    left = [list(line) for line in lines if line]
    found: list[AbstractValue] = []
    while left:
        heads = [line[0] for line in left]
        head = next((h for h in heads if not any(h in line[1:] for line in left)), None)
        if head is None:
            return list(dict.fromkeys([*found, *(one for line in lines for one in line)]))
        found.append(head)
        left = [rest for line in left if (rest := [one for one in line if one is not head])]
    return found
