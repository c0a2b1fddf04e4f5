"""The tree as it is written: which file a module is, what a class inherits, in what order. Nothing here grows."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from clew.index.builtins import BUILTINS
from clew.index.facts import Attr, Def, Facts, Free, Made, Name, Ref, Result, This, Value, Values
from clew.index.modules import World, files_of
from clew.index.modules.world import folder_of
from clew.index.resolve import sorts
from clew.index.resolve.asking import Answers, Asking, Kept
from clew.index.resolve.binding import Binding, Part
from clew.index.resolve.containers import GIVING_ITSELF
from clew.index.resolve.elsewhere import Elsewhere, Found
from clew.index.resolve.families import CALLED, FAMILIES, INHERITED_CONSTRUCTORS, SEEN_FROM_FILES
from clew.index.resolve.mixing import mixed
from clew.index.resolve.things import Place, Thing, Things
from clew.index.resolve.visible import taken
from clew.model.code import SCOPE, split_id
from clew.model.words import Kind
from clew.text.paths import is_test_path

T = TypeVar("T")

_WORD = re.compile(r"\w+")
DEEPEST = 40  # steps from name to name until a base is found
MOST_WAYS = 8  # by which one name is gone through: more are those of a name that is made of itself
Where = tuple[str, str] | str | Thing | Found | None
OUTSIDE = "external"  # the path of what is not in the tree, in ids
CLASSES = frozenset({Kind.CLASS.value, Kind.INTERFACE.value})


class _Found(dict[str, T]):
    """What was found out about each path."""

    def __init__(self, find: Callable[[str], T]) -> None:
        self._find = find

    def __missing__(self, path: str) -> T:
        found = self[path] = self._find(path)
        return found


class Tree:
    """`facts` gives what a path says; it is asked often, and only for what is needed."""

    def __init__(
        self, world: World, facts: Callable[[str], Facts], languages: Mapping[str, str], things: Things
    ) -> None:
        self.world = world
        self.things = things
        self.facts = facts
        self._languages = languages
        families = _Found(lambda path: FAMILIES.get(languages.get(path, ""), ""))
        # Asked so often that a method of Python's own would take longer than the answer.
        self.family: Callable[[str], str] = families.__getitem__  # what its language is looked up like; "" as Python is
        self.is_test: Callable[[str], bool] = _Found(is_test_path).__getitem__
        self._modules: dict[tuple[str, str, str], tuple[str, ...]] = {}
        self._taken: dict[str, list[str]] = {}
        self._makers: dict[str, frozenset[str]] = {}
        self._homes: dict[Part, Thing] = {}
        self._parts: dict[str, tuple[Part, ...]] = {}
        self._binding: dict[Thing, Binding] = {}
        self.joined: tuple[dict[str, tuple[Part, ...]], dict[str, tuple[str, ...]]] = {}, {}
        self._roots: frozenset[tuple[str, str]] = frozenset()
        asking = Asking()
        self._orders: Answers[Thing, tuple[Thing, ...]] = Answers(asking, self._linear, lambda one: (one,))
        self._extended: Kept[tuple[str, Value], list[Thing]] = Kept(asking, lambda key: self.static(*key))
        self.elsewhere = Elsewhere(self, asking)
        self._folders = frozenset(part for folder in world.folders for part in folder.split("/"))

    def end(self) -> None:
        """Let go of everything: `elsewhere` leads back here, and all facts hang on it."""
        self.things.end()
        vars(self).clear()

    def taken(self, path: str) -> list[str]:
        """What a file includes or sources, all the way down."""
        found = self._taken.get(path)
        if found is None:
            found = self._taken[path] = taken(self, path)
        return found

    def language(self, path: str) -> str:
        return self._languages.get(path, "")

    def join(self, parts: dict[str, tuple[Part, ...]], common: dict[str, tuple[str, ...]]) -> None:
        """Let classes have parts in other files, and names be shared by the whole tree."""
        self.joined = parts, common
        self._parts = parts
        self._binding.clear()
        self._orders.clear()
        self._extended.clear()
        self.elsewhere.forget(common)
        self._homes = {part: self._class(one) for one, several in parts.items() for part in several}

    def _class(self, one: str) -> Thing:
        path, scope = split_id(one)
        if path == OUTSIDE:
            return self.outside(scope)
        return self.things.thing(sorts.CLASS, path, scope)

    def parts(self, one: Thing) -> tuple[Part, ...]:
        """Where what belongs to a class is written: its own place first."""
        own = (one.path, one.scope)
        others = self._parts.get(one.id if one.sort == sorts.CLASS else f"{OUTSIDE}{SCOPE}{one.path}", ())
        return (own, *(part for part in others if part != own)) if others else (own,)

    def home(self, path: str, scope: str) -> Thing:
        """The class that a scope is of, wherever that is written."""
        return self._homes.get((path, scope)) or self.things.thing(sorts.CLASS, path, scope)

    def members(self, one: Thing, name: str) -> list[Place]:
        """Where a class, or the next that it inherits from, binds a name."""
        for upper in self.order(one):
            if upper.sort == sorts.CLASS and (binding := self.binding(upper, name)):
                return [(*part, name) for part in binding]
        return []

    def binding(self, one: Thing, name: str) -> Sequence[Part]:
        """The parts of a class that bind a name: of hundreds, if a whole tree adds to it, a few."""
        if one not in self._binding:
            self._binding[one] = Binding(self.parts(one), self.bound)
        return self._binding[one].of(name)

    def has_parts(self, path: str, scope: str) -> bool:
        """Whether a class is written in other files, too."""
        return (path, scope) in self._homes

    def bound(self, path: str, scope: str) -> Mapping[str, Values]:
        return self.facts(path).names.get(scope, {})

    def gives_itself(self, one: Thing, name: str) -> bool:
        """Whether a function that a type of Rust has by a trait gives an object of the type, not of the trait."""
        found = self.members(one, name)
        if not found:
            return name in GIVING_ITSELF
        path, scope, _ = found[0]
        facts = self.facts(path)
        is_trait = facts.kinds.get(scope) == Kind.INTERFACE.value and (path, scope) != (one.path, one.scope)
        return is_trait and Made(Def(scope)) in facts.returns.get(f"{scope}{SCOPE}{name}", ())

    def makes_objects(self, path: str, scope: str) -> bool:
        """Whether a function is there to be called with `new`: it has methods."""
        if self.family(path) != "ecma":
            return False
        if path not in self._makers:
            kinds = self.facts(path).kinds.items()
            self._makers[path] = frozenset(one.rpartition(SCOPE)[0] for one, kind in kinds if kind == Kind.METHOD.value)
        return scope in self._makers[path]

    def constructor(self, path: str) -> str:
        """The member of a class that sets up a new object."""
        return "constructor" if self.family(path) else "__init__"

    def own_constructors(self, one: Thing) -> bool:
        """Whether a class has but those constructors that it writes itself."""
        family = self.family(one.path)
        return bool(family) and family not in INHERITED_CONSTRUCTORS

    def called(self, path: str) -> str:
        """The member of a class that is called when an object is."""
        family = self.family(path)
        return CALLED.get(self.language(path)) or CALLED.get(family, "()") if family else "__call__"

    def starts_package(self, language: str, name: str) -> bool:
        """Whether a package of the tree begins with a name."""
        if not self._roots:
            self._roots = frozenset(
                (FAMILIES.get(one, ""), package.partition(".")[0]) for one, package in self.world.packages
            )
        return (FAMILIES.get(language, ""), name) in self._roots

    def files(self, path: str, module: str) -> tuple[str, ...]:
        """The files that a module's name stands for, seen from a path."""
        language = self.language(path)
        key = language, path if language in SEEN_FROM_FILES else folder_of(path), module
        found = self._modules.get(key)
        if found is None:
            found = self._modules[key] = tuple(files_of(self.world, language, path, module))
        return found

    def defined(self, path: str, scope: str) -> Thing:
        kind = self.facts(path).kinds.get(scope)
        if kind in CLASSES:
            return self._homes.get((path, scope)) or self.things.thing(sorts.CLASS, path, scope)
        if kind is None and self.family(path):  # a namespace, or a class of another file
            return self._homes.get((path, scope)) or self.things.thing(sorts.MODULE, path, scope)
        return self.things.thing(sorts.FUNCTION, path, scope)

    def outside(self, name: str) -> Thing:
        return self.things.thing(sorts.OUTSIDE, name)

    def holder(self, path: str, name: str) -> Where:
        """Where a module's member is bound: path and name; or the file that is the member; or none.

        A name that the file does not bind comes from a star, or is a module inside of the package.
        """
        if self.family(path):
            return self.elsewhere.member(self.things.thing(sorts.MODULE, path), name)
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

    def imported(self, path: str, module: str, name: str) -> Where:
        """What an import brings in: as `holder` tells it, or something outside."""
        if self.family(path):
            return self.elsewhere.imported(path, module, name)
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

    def _absent(self, path: str, module: str) -> Thing:
        """A module that is no file: outside, unless it may be a folder of files, seen from where it was imported."""
        is_folder = module.lstrip(".").partition(".")[0] in self._folders
        return self.things.thing(sorts.OUTSIDE, module, "", path if is_folder else "")

    def free(self, path: str, name: str) -> Where:
        """A name that its file does not bind: of a star import, of the package, built in."""
        if self.family(path):
            return self.elsewhere.free(path, name)
        facts, seen = self.facts(path), set[str]()
        for module in facts.stars:
            for file in self.files(path, module):
                if self._offers(file, name) and (found := self._holder(file, name, seen)):
                    return found
        if name in BUILTINS.get(self.language(path), ()):
            return self.outside(f"builtins.{name}")
        unknown = [module for module in facts.stars if not self.files(path, module)]
        return self.outside(f"{unknown[0]}.{name}") if len(unknown) == 1 else None

    def order(self, one: Thing) -> tuple[Thing, ...]:
        """A class and all that it inherits from, in the order in which members are looked up."""
        return self._orders[one]

    def _linear(self, one: Thing) -> tuple[Thing, ...]:
        if one.sort != sorts.CLASS:
            return (one,)
        bases = self.bases(one)
        orders = [self.order(base) for base in bases]
        if len(orders) == 1 and len(set(orders[0])) == len(orders[0]):  # nothing to merge
            return (one, *orders[0])
        return (one, *_merged([*map(list, orders), bases]))

    def bases(self, one: Thing) -> list[Thing]:
        facts = [(path, scope, self.facts(path)) for path, scope in self.parts(one)]
        values = [(path, value) for path, scope, said in facts for value in said.bases.get(scope, ())]
        values += [(path, value) for path, scope, said in facts for value in said.implements.get(scope, ())]
        found = [thing for place in values for thing in self._extended[place]]
        found = mixed(self, found) if self.family(one.path) == "ruby" else found + self._derived(one)
        wanted = [t for t in found if t.sort in (sorts.CLASS, sorts.OUTSIDE) and t.path != "builtins.object"]
        return [thing for thing in dict.fromkeys(wanted) if thing is not one]

    def extended(self, path: str, value: Value) -> list[Thing]:
        """As `static`, of what classes extend: the order of all classes has asked for it before."""
        return self._extended[path, value]

    def _derived(self, one: Thing) -> list[Thing]:
        """The traits of the tree that a type of Rust has by `derive`."""
        if self.language(one.path) != "rust":
            return []
        marks = self.facts(one.path).decorators.get(one.scope, ())
        names = [name for mark in marks if mark.startswith("derive") for name in _WORD.findall(mark)[1:]]
        bound = self.bound(one.path, "")
        told = [self.static(one.path, Name("", name) if name in bound else Free(name)) for name in names]
        return [thing for some in told for thing in some if thing.sort == sorts.CLASS]

    def static(self, path: str, value: Value) -> list[Thing]:
        """What a value is by its names alone, without what flows through calls."""
        return self._static(path, value, _Trail({}))

    def _static(self, path: str, value: Value, trail: "_Trail") -> list[Thing]:
        if trail.depth > DEEPEST:
            return []
        match value:
            case Def(scope):
                return [self.defined(path, scope)]
            case Name(scope, name):
                return self._named(path, scope, name, trail)
            case Free(name):
                return self._at(self.free(path, name), trail)
            case Ref(module, name):
                return self._at(self.imported(path, module, name), trail)
            case Attr(of, name):
                holders = self._static(path, of, trail.towards(name))
                return [found for one in holders for found in self._member(one, name, trail)]
            case This(scope) if self.family(path):
                return [self.home(path, scope)]
            case Result(number):
                return self._made(path, number, trail)
        return []

    def _at(self, where: Where, trail: "_Trail") -> list[Thing]:
        if isinstance(where, list):
            told = [[one] if isinstance(one, Thing) else self._named(*one, trail) for one in where]
            return list(dict.fromkeys(thing for some in told for thing in some))
        if isinstance(where, tuple):
            return self._named(where[0], "", where[1], trail)
        if isinstance(where, str):
            return [self.things.thing(sorts.MODULE, where)]
        return [where] if where is not None else []

    def _named(self, path: str, scope: str, name: str, trail: "_Trail") -> list[Thing]:
        if not trail.is_new(path, scope, name):
            return []
        values, further = self.bound(path, scope).get(name, ()), trail.further()
        return [thing for value in values for thing in self._static(path, value, further)]

    def _member(self, one: Thing, name: str, trail: "_Trail") -> list[Thing]:
        if one.sort == sorts.MODULE:
            found = self.elsewhere.member(one, name) if one.scope else self.holder(one.path, name)
            return self._at(found, trail)
        if one.sort == sorts.OUTSIDE:
            files = self.files(one.view, f"{one.path}.{name}") if self.family(one.view) else ()
            if files:
                return [self.things.thing(sorts.MODULE, files[0])]
            view = one.view if self.family(one.view) else ""
            return [self.things.thing(sorts.OUTSIDE, f"{one.path}.{name}", "", view)]
        if one.sort == sorts.CLASS and self.family(one.path):
            return self._at(list(self.members(one, name)), trail)
        if one.sort == sorts.CLASS:
            return self._named(one.path, one.scope, name, trail)
        return []

    def _made(self, path: str, number: int, trail: "_Trail") -> list[Thing]:
        """A decorated class is still that class; what something outside makes is outside."""
        call = self.facts(path).calls[number]
        if call.written.startswith("@") and call.args:
            return [thing for value in call.args[0] for thing in self._static(path, value, trail.further())]
        callees = [thing for value in call.callee for thing in self._static(path, value, trail.towards("()"))]
        return [thing for thing in callees if thing.sort == sorts.OUTSIDE]


class _Trail(NamedTuple):
    """How a name was come to: `ahead` are the members still to be taken of it. What is the same as a name that was
    gone through on the way to the same members adds nothing to what is found.
    """

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


def _merged(lines: Sequence[list[Thing]]) -> list[Thing]:
    """C3; where it fails, from left to right."""
    left = [list(line) for line in lines if line]
    found: list[Thing] = []
    while left:
        heads = [line[0] for line in left]
        head = next((h for h in heads if not any(h in line[1:] for line in left)), None)
        if head is None:
            return list(dict.fromkeys([*found, *(one for line in lines for one in line)]))
        found.append(head)
        left = [rest for line in left if (rest := [one for one in line if one is not head])]
    return found
