"""The files of a tree by their own facts: languages, modules, places of classes. Read-only."""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from clew.index.facts import Facts, ImportedName, Value, Values
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


class TreeRules:
    """The rules of each file's language, and what paths and packages alone tell: the same for all evaluations of a
    tree."""

    def __init__(self, world: SourceTree, languages: Mapping[str, str]) -> None:
        by_language = _Found(rules_named)
        rules = _Found(lambda path: by_language[languages.get(path, "")])
        # Asked so often that a method of Python's own would take longer than the answer.
        self.rules: Callable[[str], LanguageRules] = rules.__getitem__  # by which the names of a file are resolved
        self.family: Callable[[str], str] = _Found(lambda path: rules[path].family).__getitem__
        self.language: Callable[[str], str] = _Found(lambda path: rules[path].language).__getitem__
        self.is_declarative: Callable[[str], bool] = _Found(lambda path: rules[path].is_declarative).__getitem__
        self.is_test: Callable[[str], bool] = _Found(is_test_path).__getitem__
        self._world = world
        self._languages = languages
        self._finders = _Found(_module_files)

    @cached_property
    def folder_parts(self) -> frozenset[str]:
        return frozenset(part for folder in self._world.folders for part in folder.split("/"))

    @cached_property
    def package_roots(self) -> frozenset[tuple[str, str]]:
        """The first part of each package, with its language's family."""
        packages = self._world.packages.items()
        return frozenset((self.family(files[0]), package.partition(".")[0]) for (_, package), files in packages)

    def modules_of(self, path: str, module: str) -> tuple[str, ...]:
        return self.find_module(self._languages.get(path, ""), "", path, module)

    def find_module(self, language: str, _: str, path: str, module: str) -> tuple[str, ...]:
        """The files of a module, as a file of a language names it."""
        find = self._finders[language]
        return tuple(find(self._world, path, module)) if find else ()

    def language_name(self, path: str) -> str:
        return self._languages.get(path, "")


class NameIndexes:
    """Which of some files bind or define a name, indexed once for each group of files."""

    def __init__(self, facts: Callable[[str], Facts], rules: Callable[[str], LanguageRules]) -> None:
        self._facts = facts
        self._rules = rules
        self._visible: dict[Hashable, dict[str, list[Place]]] = {}
        self._defined: dict[Hashable, dict[str, str]] = {}
        self._top: dict[tuple[str, ...], PartIndex] = {}

    def visible(self, key: Hashable, files: Sequence[str], name: str) -> Sequence[Place]:
        """The visible bindings of a name, without imports of these files."""
        found = self._visible.get(key)
        if found is None:
            found = self._visible[key] = defaultdict(list)
            for file in files:
                for scope, bound in visible_bindings(self._facts(file), nested=self._rules(file).reopens_namespaces):
                    found[bound].append((file, scope, bound))
        return found.get(name, ())

    def defining_file(self, key: Hashable, files: Sequence[str], name: str) -> str:
        """The first file that defines a name, not inside of anything; "" if there is none."""
        found = self._defined.get(key)
        if found is None:
            found = self._defined[key] = {}
            for file in files:
                for one in self._facts(file).kinds:
                    if SCOPE not in one:
                        found.setdefault(one, file)
        return found.get(name, "")

    def defines(self, file: str, name: str) -> bool:
        return name in self._facts(file).kinds

    def binding_files(self, files: tuple[str, ...], name: str) -> list[str]:
        """The files that bind a name: a package may have hundreds, and is asked for every name of some file."""
        found = self._top.get(files)
        if found is None:
            parts = [(file, "") for file in files]
            found = self._top[files] = PartIndex(parts, lambda file, scope: self._facts(file).names.get(scope, {}))
        return [file for file, _ in found.of(name)]

    def stars(self, file: str) -> Sequence[str]:
        """The modules that a file takes whole."""
        return self._facts(file).stars


def visible_bindings(facts: Facts, *, nested: bool) -> Iterator[tuple[str, str]]:
    """The scopes and names that a file shows without an import; `nested`: those of namespaces, too."""
    for scope in [one for one in facts.names if nested and one and one not in facts.kinds] + [""]:
        for name, values in facts.names.get(scope, {}).items():
            if not values or not all(isinstance(value, ImportedName) for value in values):
                yield scope, name


def homes_of(parts: Mapping[str, tuple[Part, ...]], things: AbstractValues) -> dict[Part, AbstractValue]:
    """By part, the class that it belongs to."""
    return {part: _class(one, things) for one, several in parts.items() for part in several}


def _class(one: str, things: AbstractValues) -> AbstractValue:
    path, scope = split_id(one)
    return things.thing(value_kinds.OUTSIDE, scope) if path == OUTSIDE else things.thing(value_kinds.CLASS, path, scope)


class SourceIndex(ABC):
    """`facts` returns a path's facts; it is called often, and only as needed.

    Resolution of names across files is left to the subclass.
    """

    elsewhere: "CrossFileScope"  # names of other files

    def __init__(
        self,
        world: SourceTree,
        facts: Callable[[str], Facts],
        languages: Mapping[str, str],
        things: AbstractValues,
        rules: TreeRules | None = None,
        names: NameIndexes | None = None,
    ) -> None:
        self.world = world
        self.things = things
        self.facts = facts
        self.tree_rules = rules = rules or TreeRules(world, languages)
        self.rules, self.family, self.language = rules.rules, rules.family, rules.language
        self.is_declarative, self.is_test = rules.is_declarative, rules.is_test
        self.names = names or NameIndexes(facts, rules.rules)
        self._modules: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}
        self._viewers: dict[tuple[str, str], str] = {}  # a path of each view
        self._seen_from = _Found(self._found_from)
        self._taken: dict[str, list[str]] = {}
        self._homes: dict[Part, AbstractValue] = {}
        self._parts: dict[str, tuple[Part, ...]] = {}
        self._binding: dict[AbstractValue, PartIndex] = {}

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
            for module in self.names.stars(here):
                new = [file for file in self.files(here, module) if file not in found]
                found |= dict.fromkeys(new)
                todo += new
        return list(found)[1:]

    def write(self, parts: dict[str, tuple[Part, ...]]) -> None:
        """Let classes have parts in other files."""
        self.adopt(parts, homes_of(parts, self.things))

    def adopt(self, parts: dict[str, tuple[Part, ...]], homes: dict[Part, AbstractValue]) -> None:
        self._parts = parts
        self._binding.clear()
        self._homes = homes

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
        return (self.family(path), name) in self.tree_rules.package_roots

    def files(self, path: str, module: str) -> tuple[str, ...]:
        """The files that a module's name stands for, seen from a path."""
        seen = self._seen_from[path]
        found = seen.get(module)
        if found is None:
            found = seen[module] = self.tree_rules.modules_of(path, module)
        return found

    def files_looked_up(self) -> set[str]:
        """The files that names of modules have led to so far."""
        return {file for seen in self._modules.values() for files in seen.values() for file in files}

    def _found_from(self, path: str) -> dict[str, tuple[str, ...]]:
        """Cached module lookups of files with the same view."""
        view = self.language(path), path if self.rules(path).modules_by_file else folder_of(path)
        self._viewers.setdefault(view, path)
        return self._modules.setdefault(view, {})

    def module_lookups(self) -> Iterator[tuple[str, str, str, str]]:
        """All lookups so far: the language, the view by which they are shared, a path of it, the module's name."""
        for view, seen in self._modules.items():
            path = self._viewers[view]
            yield from ((self.tree_rules.language_name(path), view[1], path, module) for module in seen)

    def definition_at(self, path: str, scope: str) -> AbstractValue:
        kind = self.facts(path).kinds.get(scope)
        if kind in CLASSES:
            return self._homes.get((path, scope)) or self.things.thing(value_kinds.CLASS, path, scope)
        if kind is None and self.is_declarative(path):  # a namespace, or a class of another file
            return self._homes.get((path, scope)) or self.things.thing(value_kinds.MODULE, path, scope)
        return self.things.thing(value_kinds.FUNCTION, path, scope)

    def outside(self, name: str) -> AbstractValue:
        return self.things.thing(value_kinds.OUTSIDE, name)
