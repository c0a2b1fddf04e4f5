"""Types with bare names in a class because a base class, or another part of the class, defines them."""

from collections import defaultdict
from collections.abc import Iterator

from clew.index.facts import Def, UnboundName
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue, Place
from clew.index.resolve.part_index import Part
from clew.index.resolve.source_index import CLASSES, CycleSafeMemo, EvaluationPath, SourceIndex
from clew.index.syntax.chains import start
from clew.model.code import SCOPE

Types = dict[str, list[Place]]  # where those of each name are bound


class InheritedTypes:
    """A name that classes extend something by is sought in those around them: no question leads back to itself."""

    def __init__(self, tree: SourceIndex, asking: EvaluationPath) -> None:
        self._tree = tree
        self._own: dict[Part, tuple[str, ...]] = {}
        self._extended: dict[str, tuple[set[str], set[str]]] = {}
        self._outer: CycleSafeMemo[str, Types] = CycleSafeMemo(
            asking, lambda path: self._above(path, is_outer=True), _none
        )
        self._inner: CycleSafeMemo[str, Types] = CycleSafeMemo(
            asking, lambda path: self._above(path, is_outer=False), _none
        )

    def forget(self) -> None:
        self._outer.clear()
        self._inner.clear()

    def of(self, path: str, name: str) -> list[Place]:
        """The types of an unbound name, in any class of a file."""
        if path not in self._extended:
            self._extended[path] = self._names_of_bases(path)
        by_outer, by_inner = self._extended[path]
        if name in by_outer:
            return []
        found = self._outer[path].get(name, [])
        if name not in by_inner:
            found = found + self._inner[path].get(name, [])
        return list(dict.fromkeys(found))

    def _names_of_bases(self, path: str) -> tuple[set[str], set[str]]:
        """The names that the classes of a file extend something by: those at the top of it, and the others."""
        found: tuple[set[str], set[str]] = set(), set()
        for table in (self._tree.facts(path).bases, self._tree.facts(path).implements):
            for scope, values in table.items():
                starts = [start(value) for value in values]
                found[SCOPE in scope].update(one.name for one in starts if isinstance(one, UnboundName))
        return found

    def _above(self, path: str, *, is_outer: bool) -> Types:
        """The inherited types of a file's classes: of top-level ones, or of nested ones."""
        found: Types = defaultdict(list)
        for scope in self._deriving_classes(path):
            if (SCOPE not in scope) == is_outer:
                for place in self._of_class(self._tree.home(path, scope), (path, scope)):
                    found[place[2]].append(place)
        return found

    def _deriving_classes(self, path: str) -> Iterator[str]:
        """Classes with base classes, or with parts in other files; in Swift, also types extended here."""
        facts = self._tree.facts(path)
        for scope, kind in facts.kinds.items():
            extends = scope in facts.bases or scope in facts.implements
            if kind in CLASSES and (extends or self._tree.has_parts(path, scope)):
                yield scope
        if self._tree.family(path) == "swift":
            others = [scope for scope in facts.names if scope not in facts.kinds]
            yield from (scope for scope in others if self._tree.has_parts(path, scope))

    def _of_class(self, one: AbstractValue, own: Part) -> Iterator[Place]:
        """Of each name, the nearest; not those that stand in the class itself, which its file binds."""
        nearest: dict[str, AbstractValue] = {}
        for upper in self._tree.order(one):
            for part in self._tree.parts(upper)[upper.kind != value_kinds.CLASS :]:
                for name in self._types_in(part) if part != own else ():
                    if nearest.setdefault(name, upper) is upper:
                        yield (*part, name)

    def _types_in(self, part: Part) -> tuple[str, ...]:
        """The names of the types that stand in a class, where that is written."""
        if part not in self._own:
            names, kinds = self._tree.scope_bindings(*part), self._tree.facts(part[0]).kinds
            inner = [(name, value) for name, values in names.items() for value in values if isinstance(value, Def)]
            found = [name for name, value in inner if kinds.get(value.scope) in CLASSES]
            if self._tree.family(part[0]) == "swift":  # where parameters of types go by their names in extensions
                found += [name for name in names if name[:1].isupper()]
            self._own[part] = tuple(dict.fromkeys(found))
        return self._own[part]


def _none(_: str) -> Types:
    return {}
