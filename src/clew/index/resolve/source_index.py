"""The files of a tree by their own facts: languages, modules, places of classes. Read-only."""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from clew.index.facts import Facts, Value, Values
from clew.index.modules import SourceTree
from clew.index.modules.source_tree import folder_of
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue, AbstractValues, Place
from clew.index.resolve.language_rules import LanguageRules, rules_named
from clew.model.code import SCOPE, split_id
from clew.model.words import Kind
from clew.text.paths import is_test_path

if TYPE_CHECKING:
    from clew.index.resolve.cross_file_scope import CrossFileScope

# Which of many places bind a name: parts of a class that is written in many files, files of a package.

Part = tuple[str, str]  # a path and a scope: of a class, all that belongs to it there
FEW = 4  # that are asked one by one


class PartIndex:
    __slots__ = ("_by_name", "_few")

    def __init__(self, parts: Sequence[Part], bound: Callable[[str, str], Mapping[str, Values]]) -> None:
        self._few = [(part, bound(*part)) for part in parts] if len(parts) <= FEW else None
        self._by_name: dict[str, list[Part]] | None = None
        if self._few is None:
            self._by_name = defaultdict(list)
            for part in parts:
                for name in bound(*part):
                    self._by_name[name].append(part)

    def of(self, name: str) -> Sequence[Part]:
        if self._few is not None:
            return [part for part, names in self._few if name in names]
        return self._by_name.get(name, ()) if self._by_name else ()


# Memoization for recursive questions, with results independent of their order.

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class EvaluationPath:
    """The way to one answer, through all `Answers` that lead to each other."""

    def __init__(self) -> None:
        self.depth = 0
        self.is_cut = False  # by what led back to itself: what came of it holds only on this way
        self.met: dict[Any, Any] = {}


class CycleSafeMemo(dict[K, V]):
    """A question that recurs during its own evaluation gets the `least` answer.

    Such a partial answer is not cached for other questions: the result would depend on the order of questions. Within
    one evaluation it is cached, or files that import each other would be traversed in every possible order.
    """

    def __init__(self, asking: EvaluationPath, find: Callable[[K], V], least: Callable[[K], V]) -> None:
        self._asking = asking
        self._find = find
        self._least = least
        self._alone: dict[K, V] = {}  # answers to what was asked first, if something on the way led back

    def clear(self) -> None:
        super().clear()
        self._alone.clear()

    def __missing__(self, key: K) -> V:
        asking, met = self._asking, self._asking.met
        here = self._find, key
        if here in met:
            asking.is_cut = True
            found: V = met[here]
            return found
        if not asking.depth and key in self._alone:
            return self._alone[key]
        was_cut, asking.is_cut = asking.is_cut, False
        asking.depth += 1
        met[here] = self._least(key)
        found = met[here] = self._find(key)
        asking.depth -= 1
        if not asking.is_cut:
            self[key] = found
        elif not asking.depth:
            self._alone[key] = found
        asking.is_cut = was_cut or asking.is_cut
        if not asking.depth:
            asking.is_cut = False
            met.clear()
        return found


class PathMemo(dict[K, V]):
    """A cache within one evaluation, for all paths without recursion.

    It is no question of its own: recursion to it continues as if nothing was cached. Outside of an evaluation,
    recursion cannot be detected, and nothing is cached.
    """

    def __init__(self, asking: EvaluationPath, find: Callable[[K], V]) -> None:
        self._asking = asking
        self._find = find

    def __missing__(self, key: K) -> V:
        asking = self._asking
        was_cut, asking.is_cut = asking.is_cut, False
        found = self._find(key)
        if asking.depth and not asking.is_cut:
            self[key] = found
        asking.is_cut = was_cut or asking.is_cut
        return found


T = TypeVar("T")

OUTSIDE = "external"  # the path of what is not in the tree, in ids
CLASSES = frozenset({Kind.CLASS.value, Kind.INTERFACE.value})


class _Found(dict[str, T]):
    """A cache by path."""

    def __init__(self, find: Callable[[str], T]) -> None:
        self._find = find

    def __missing__(self, path: str) -> T:
        found = self[path] = self._find(path)
        return found


def _module_files(language: str) -> Callable[[SourceTree, str, str], list[str]] | None:
    profile = rules_named(language).profile
    return profile.module_files if profile is not None else None


class SourceIndex(ABC):
    """`facts` returns a path's facts; it is called often, and only as needed.

    Resolution of names across files is left to the subclass.
    """

    elsewhere: "CrossFileScope"  # names of other files

    def __init__(
        self, world: SourceTree, facts: Callable[[str], Facts], languages: Mapping[str, str], things: AbstractValues
    ) -> None:
        self.world = world
        self.things = things
        self.facts = facts
        self._languages = languages
        by_language = _Found(rules_named)
        rules = _Found(lambda path: by_language[languages.get(path, "")])
        # Asked so often that a method of Python's own would take longer than the answer.
        self.rules: Callable[[str], LanguageRules] = rules.__getitem__  # by which the names of a file are resolved
        self.family: Callable[[str], str] = _Found(lambda path: rules[path].family).__getitem__
        self.language: Callable[[str], str] = _Found(lambda path: rules[path].language).__getitem__
        self.is_declarative: Callable[[str], bool] = _Found(lambda path: rules[path].is_declarative).__getitem__
        self.is_test: Callable[[str], bool] = _Found(is_test_path).__getitem__
        self._finders = _Found(_module_files)
        self._modules: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}
        self._seen_from = _Found(self._found_from)
        self._taken: dict[str, list[str]] = {}
        self._homes: dict[Part, AbstractValue] = {}
        self._parts: dict[str, tuple[Part, ...]] = {}
        self._binding: dict[AbstractValue, PartIndex] = {}
        self._roots: frozenset[tuple[str, str]] = frozenset()

    @abstractmethod
    def order(self, one: AbstractValue) -> tuple[AbstractValue, ...]:
        """A class and all that it inherits from, in the order in which members are looked up."""

    @abstractmethod
    def static(self, path: str, value: Value) -> list[AbstractValue]:
        """A value by its names alone, without flow through calls."""

    def by_language(self, paths: Iterable[str]) -> list[tuple[LanguageRules, list[str]]]:
        """Files with the rules of their languages, in the order of the languages' names."""
        found: dict[LanguageRules, list[str]] = {}
        for path in paths:
            found.setdefault(self.rules(path), []).append(path)
        return sorted(found.items(), key=lambda pair: (pair[0].language, type(pair[0]).__name__))

    def included_files(self, path: str) -> list[str]:
        """The files that a file includes or sources, transitively."""
        found = self._taken.get(path)
        if found is None:
            found = self._taken[path] = self._add_includes(path)
        return found

    def _add_includes(self, path: str) -> list[str]:
        found, todo = {path: None}, [path]
        while todo:
            here = todo.pop()
            for module in self.facts(here).stars:
                new = [file for file in self.files(here, module) if file not in found]
                found |= dict.fromkeys(new)
                todo += new
        return list(found)[1:]

    def write(self, parts: dict[str, tuple[Part, ...]]) -> None:
        """Let classes have parts in other files."""
        self._parts = parts
        self._binding.clear()
        self._homes = {part: self._class(one) for one, several in parts.items() for part in several}

    def _class(self, one: str) -> AbstractValue:
        path, scope = split_id(one)
        if path == OUTSIDE:
            return self.outside(scope)
        return self.things.thing(value_kinds.CLASS, path, scope)

    def parts(self, one: AbstractValue) -> tuple[Part, ...]:
        """The places of a class: its own first."""
        own = (one.path, one.scope)
        others = self._parts.get(one.id if one.kind == value_kinds.CLASS else f"{OUTSIDE}{SCOPE}{one.path}", ())
        return (own, *(part for part in others if part != own)) if others else (own,)

    def home(self, path: str, scope: str) -> AbstractValue:
        """The class that a scope is of, wherever that is written."""
        return self._homes.get((path, scope)) or self.things.thing(value_kinds.CLASS, path, scope)

    def members(self, one: AbstractValue, name: str) -> list[Place]:
        """Where a class, or the next that it inherits from, binds a name."""
        for upper in self.order(one):
            if upper.kind == value_kinds.CLASS and (binding := self.binding_parts(upper, name)):
                return [(*part, name) for part in binding]
        return []

    def binding_parts(self, one: AbstractValue, name: str) -> Sequence[Part]:
        """The parts of a class that bind a name: of hundreds, if a whole tree adds to it, a few."""
        found = self._binding.get(one)
        if found is None:
            found = self._binding[one] = PartIndex(self.parts(one), self.scope_bindings)
        return found.of(name)

    def has_parts(self, path: str, scope: str) -> bool:
        """Whether a class is written in other files, too."""
        return (path, scope) in self._homes

    def scope_bindings(self, path: str, scope: str) -> Mapping[str, Values]:
        return self.facts(path).names.get(scope, {})

    def starts_package(self, path: str, name: str) -> bool:
        """Whether a package of the tree begins with a name, as a file sees it."""
        if not self._roots:
            packages = self.world.packages.items()
            self._roots = frozenset(
                (self.family(files[0]), package.partition(".")[0]) for (_, package), files in packages
            )
        return (self.family(path), name) in self._roots

    def files(self, path: str, module: str) -> tuple[str, ...]:
        """The files that a module's name stands for, seen from a path."""
        seen = self._seen_from[path]
        found = seen.get(module)
        if found is None:
            find = self._finders[self._languages.get(path, "")]
            found = seen[module] = tuple(find(self.world, path, module)) if find else ()
        return found

    def files_looked_up(self) -> set[str]:
        """The files that names of modules have led to so far."""
        return {file for seen in self._modules.values() for files in seen.values() for file in files}

    def _found_from(self, path: str) -> dict[str, tuple[str, ...]]:
        """Cached module lookups of files with the same view."""
        language = self.language(path)
        return self._modules.setdefault((language, path if self.rules(path).modules_by_file else folder_of(path)), {})

    def definition_at(self, path: str, scope: str) -> AbstractValue:
        kind = self.facts(path).kinds.get(scope)
        if kind in CLASSES:
            return self._homes.get((path, scope)) or self.things.thing(value_kinds.CLASS, path, scope)
        if kind is None and self.is_declarative(path):  # a namespace, or a class of another file
            return self._homes.get((path, scope)) or self.things.thing(value_kinds.MODULE, path, scope)
        return self.things.thing(value_kinds.FUNCTION, path, scope)

    def outside(self, name: str) -> AbstractValue:
        return self.things.thing(value_kinds.OUTSIDE, name)
