"""Names of other files: those visible without an import, imports, and members of modules.

For every language but Python, which `Program` handles itself.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from clew.index.facts import Attr, Def, ImportedName, ScopedName, UnboundName, Value
from clew.index.modules import full_name
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue, Found, Place
from clew.index.resolve.language_rules import TAKEN, Tier
from clew.index.resolve.nearness import nearest_to
from clew.index.resolve.provenance import seen_from
from clew.index.resolve.source_index import (
    CLASSES,
    CycleSafeMemo,
    EvaluationPath,
    Part,
    PathMemo,
    SourceIndex,
)
from clew.index.resolve.visible_files import Tiers
from clew.index.syntax.chains import start
from clew.model.code import SCOPE, split_id

_Index = TypeVar("_Index")  # of a language

# Types with bare names in a class because a base class, or another part of the class, defines them.

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
        """Classes with base classes, or with parts in other files; in some languages, also types extended here."""
        facts = self._tree.facts(path)
        for scope, kind in facts.kinds.items():
            extends = scope in facts.bases or scope in facts.implements
            if kind in CLASSES and (extends or self._tree.has_parts(path, scope)):
                yield scope
        if self._tree.rules(path).extensions_see_types:
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
            if self._tree.rules(
                part[0]
            ).extensions_see_types:  # where parameters of types go by their names in extensions
                found += [name for name in names if name[:1].isupper()]
            self._own[part] = tuple(dict.fromkeys(found))
        return self._own[part]


def _none(_: str) -> Types:
    return {}


MOST_INNER = 4  # parts at the end of a module's name that may be classes inside of its file


class CrossFileScope:
    """`common` holds the names that the whole tree shares in some languages: ids by family and name."""

    def __init__(self, tree: SourceIndex, asking: EvaluationPath) -> None:
        self.tree = self._tree = tree
        self._tiers = Tiers(tree)
        self._frees: CycleSafeMemo[tuple[str, str], Found] = CycleSafeMemo(
            asking, lambda key: self._find(*key), _no_places
        )
        self._imports: CycleSafeMemo[Place, Found] = CycleSafeMemo(asking, lambda key: self._import(*key), _no_places)
        self._tops: CycleSafeMemo[tuple[str, str], Found] = CycleSafeMemo(
            asking, lambda key: self._top(*key, set()), _no_places
        )
        self._held: PathMemo[tuple[str, ...], list[AbstractValue]] = PathMemo(asking, lambda key: self._holders(*key))
        self._taken: PathMemo[tuple[str, str], Found] = PathMemo(asking, lambda key: self._take(*key))
        self._stars: dict[str, tuple[list[str], list[str], list[list[str]]]] = {}
        self._inherited = InheritedTypes(tree, asking)
        self._indexes_of_languages: dict[Any, Any] = {}
        self.common: Mapping[str, tuple[str, ...]] = {}

    def forget(self, common: Mapping[str, tuple[str, ...]]) -> None:
        """Clear all lookups, and set the names that the whole tree shares."""
        self.common = common
        self._frees.clear()
        self._imports.clear()
        self._tops.clear()
        self._held.clear()
        self._taken.clear()
        self._inherited.forget()
        self._indexes_of_languages.clear()

    def language_index(self, kind: "Callable[[CrossFileScope], _Index]") -> _Index:
        """What the rules of a language keep about the whole tree, made with this scope when it is first needed."""
        found: _Index | None = self._indexes_of_languages.get(kind)
        if found is None:
            found = self._indexes_of_languages[kind] = kind(self)
        return found

    def free(self, path: str, name: str) -> Found:
        return self._frees[path, name]

    def _find(self, path: str, name: str) -> Found:
        tree = self.tree
        rules = tree.rules(path)
        if imported := rules.imported_otherwise(self, path, name):
            return imported
        for key, files in self.visible(path):
            places = [place for place in self._in(key, files, name) if place[0] != path]
            if places:
                return list(rules.nearest_definitions(tree, path, list(places)))
        if members := rules.surrounding_members(self, path, name):
            return members
        if rules.inherits_types and name[:1].isupper() and (inherited := self._inherited.of(path, name)):
            return list(inherited)
        if rules.stars_bind_names:
            found = [one for star in tree.facts(path).stars for one in rules.star_import(self, path, star, name)]
            if inside := [one for one in found if not _is_outside(one)]:
                return inside
        places = [_place(one) for one in self.common.get(f"{rules.family} {name}", ())]
        if common := rules.shared_definitions(tree, path, places):
            return list(common)
        if outside := rules.library.names.get(name):
            return [tree.outside(outside)]
        return self._unknown(path, name)

    def visible(self, path: str) -> Iterator[Tier]:
        """The files with names that a file sees without imports, the nearest first, each group with its key."""
        yield from self._tiers[path]
        yield from self._tree.rules(path).used_files(self, path)

    def _unknown(self, path: str, name: str) -> Found:
        """The first part of a module; or a type that no file has, and so a built-in or external one."""
        tree, rules = self.tree, self.tree.rules(path)
        if found := rules.unbound_name(tree, path, name):
            return found
        if tree.starts_package(path, name):
            return [tree.things.thing(value_kinds.OUTSIDE, name, "", seen_from(path))]
        types_from = rules.library.types_from
        if types_from is None or not name[:1].isupper():
            return []
        if name == types_from.removesuffix("."):
            return [tree.outside(name)]
        unknown = self.unknown(path)
        if len(unknown) > 1:  # of which none is known to have what the tree has, too
            return [] if f"{rules.language} {name}()" in self.common else [tree.outside(name)]
        around = f"{unknown[0]}." if unknown else rules.package_of_unknown_types(tree, path)
        return [tree.outside(f"{around}{name}")]

    def unknown(self, path: str) -> list[str]:
        """The modules outside of the tree that a file takes everything of."""
        return [star for star in self._tree.rules(path).stars(self, path) if not self._tree.files(path, star)]

    def resolve_import(self, path: str, module: str, name: str) -> Found:
        """The target of an import; none, if the module is of the tree but lacks the name."""
        return self._imports[path, module, name]

    def _import(self, path: str, module: str, name: str) -> Found:
        tree, rules = self.tree, self.tree.rules(path)
        module = rules.imported_module(module)
        if rules.is_own_name(tree, path, module, name):
            return [(path, "", name)]
        every, own = tree.files(path, module), "" if rules.imports_itself else path
        files = [file for file in every if file != own]
        if not every and name and (starred := rules.import_by_star(self, path, module, name)):
            return starred
        if not name:
            return [self._whole_module(path, module, files)]
        joint = rules.joint
        is_class, parts = rules.is_class_path(tree, module, every), module.split(joint)
        if is_class and (inner := self._inside(every, "" if rules.imports_own_members else own, parts, name)):
            return inner
        if is_class and (handed := rules.import_by_inner_star(self, every[0] if every else "", parts, name)):
            return handed
        if tops := self._offered_by(every, own, name, is_offering=rules.reexports):
            return list(nearest_to(path, rules.visible_definitions(tree, path, tops)))
        if files and name == "default" and self._has_no_default(files[0]):
            return [self._module(files[0])]
        if not is_class and (inner := self._inside(every, own, parts, name)):
            return inner
        if held := rules.package_members(self, module, name):
            return held
        if deeper := self._deeper(path, f"{module}{joint}{name}", files):
            is_own = rules.files_hold_types and tree.names.binding_files((deeper,), name)  # a class, no namespace
            return [(deeper, "", name)] if is_own else [self._module(deeper)]
        if found := [one for file in files for one in tree.rules(file).module_members(tree, file, name)]:
            return found
        if files and not rules.open_packages:
            return []
        if added := rules.imported_extensions(self, module, name):
            return added
        outside = full_name(path, module)
        return [tree.outside(outside if name == "default" else f"{outside}{joint}{name}".lstrip("\\"))]

    def _whole_module(self, path: str, module: str, files: list[str]) -> AbstractValue:
        if not files:
            return self._tree.outside(full_name(path, module))
        return self._module(self._tree.rules(files[0]).representative_file(self._tree, files))

    def _has_no_default(self, path: str) -> bool:
        """`exports.pay = …`: a default import takes the whole module."""
        return self._tree.rules(path).default_exports and "default" not in self._tree.facts(path).exports

    def _deeper(self, path: str, module: str, files: Sequence[str]) -> str:
        """The file of a module inside of another."""
        rules = self._tree.rules(path)
        if not rules.modules_nest:
            return ""
        known = set(files)
        found = [file for file in self._tree.files(path, module) if file not in known]
        return next((file for file in found if rules.is_file_of_module(file, module)), "")

    def _module(self, path: str) -> AbstractValue:
        return self._tree.things.thing(value_kinds.MODULE, path)

    def _offered_by(self, files: tuple[str, ...], own: str, name: str, *, is_offering: bool) -> Found:
        """The exports of some files, except the file itself."""
        if is_offering:
            return [one for file in files if file != own for one in self._exported_name(file, name)]
        return [
            (f, "", name) for f in self._tree.names.binding_files(files, name) if f != own and not self._takes(f, name)
        ]

    def _takes(self, path: str, name: str) -> bool:
        """Whether a file only imports the name, which is private to it."""
        return all(type(value) is ImportedName for value in self._tree.scope_bindings(path, "").get(name, ()))

    def _exported_name(self, path: str, name: str) -> Found:
        return self._tops[path, name]

    def _top(self, path: str, name: str, seen: set[str]) -> Found:
        """A file's own or re-exported definition of a name; re-exports are limited to its declared exports."""
        if path in seen:
            return []
        seen.add(path)
        facts, rules, is_first = self._tree.facts(path), self._tree.rules(path), len(seen) == 1
        own: Found = [(path, "", name)] if name in facts.names.get("", {}) else []
        is_hidden = rules.marks_reexports and not is_first and name not in facts.offers
        if own and is_hidden and self._takes(path, name):
            own = []  # `use`, and not `pub use`
        if own and (not rules.lists_exports or name in facts.exports):
            return own
        if not rules.reexports or name == "default":
            return own
        every, offered, inside = self._star_imported_files(path)
        handed = offered if rules.marks_reexports and not is_first else every
        found = [one for file in handed if file not in seen for one in self._top(file, name, seen)]
        if own and not found and (is_first or not facts.exports):
            return own
        return found if found or not inside else self._taken[path, name]

    def _take(self, path: str, name: str) -> Found:
        """Re-exports of definitions inside the file: `pub use Kind::*`."""
        return [one for parts in self._star_imported_files(path)[2] for one in self._inside((path,), "", parts, name)]

    def _star_imported_files(self, path: str) -> tuple[list[str], list[str], list[list[str]]]:
        """The files of a file's star imports; the re-exported ones; and the star imports of modules in the file.

        Cached, since it is needed for every name.
        """
        found = self._stars.get(path)
        if found is None:
            facts, rules = self._tree.facts(path), self._tree.rules(path)
            own = facts.names.get("", {})
            files = {module: self._tree.files(path, module) for module in facts.stars}
            handed = [file for module in files if f"*{module}" in facts.offers for file in files[module]]
            parts = [star.split(rules.joint) for star in facts.stars] if rules.inner_modules else []
            inside = [one for one in parts if any(part in own for part in one[-MOST_INNER:])]
            every = [file for some in files.values() for file in some]
            found = self._stars[path] = list(dict.fromkeys(every)), list(dict.fromkeys(handed)), inside
        return found

    def _inside(self, files: tuple[str, ...], own: str, parts: list[str], name: str) -> Found:
        """A member of a class or of a module that is written inside of a file, but for one's own."""
        for count in range(1, min(len(parts), MOST_INNER) + 1):
            inner = parts[-count:]
            others = [file for file in self._tree.names.binding_files(files, inner[0]) if file != own]
            found = [one for file in others for one in self._of(file, inner, name)]
            if found:
                return found
        return []

    def _of(self, file: str, inner: list[str], name: str) -> Iterable[Place | AbstractValue]:
        rules = self._tree.rules(file)
        for thing in self._held[file, *inner]:
            if thing.kind == value_kinds.MODULE:
                yield from self.member(thing, name)
            elif thing.kind == value_kinds.CLASS:
                yield from self._tree.members(thing, name)[:1]
            elif thing.kind == value_kinds.OUTSIDE and rules.inner_modules:  # an external module that is re-exported
                yield self._tree.outside(f"{thing.path}{rules.joint}{name}")

    def _holders(self, file: str, first: str, *rest: str) -> list[AbstractValue]:
        """The definitions of a chain of names in a file, by its names alone."""
        holder: Value = ScopedName("", first)
        for part in rest:
            holder = Attr(holder, part)
        return self._tree.static(file, holder)

    def member(self, module: AbstractValue, name: str) -> Found:
        """A name of a module; for a module inside a file, of its scope."""
        tree, path = self._tree, module.path
        if module.scope:
            return self._of_namespace(module, name)
        rules = tree.rules(path)
        if name in rules.module_words:
            return [self._module(file) for file in tree.files(path, name)]
        if (package := rules.package_files(tree, path)) is not None:
            key, files = package
            return list(tree.names.visible(key, files, name))
        found = self._exported_name(path, name)
        if not found and rules.inner_modules and (inner := self._deeper(path, f"self{rules.joint}{name}", [path])):
            return [self._module(inner)]
        return found or rules.module_members(tree, path, name)

    def _of_namespace(self, module: AbstractValue, name: str) -> Found:
        """If others may open a namespace again, it is sought by its end in all visible files."""
        tree, path = self._tree, module.path
        if name in tree.facts(path).names.get(module.scope, {}):
            return [(path, module.scope, name)]
        if not tree.rules(path).reopens_namespaces:
            return []
        ending = f"{SCOPE}{module.scope}".rpartition(SCOPE)[2]
        places = [
            place for key, files in tree.rules(path).visible_files(tree, path) for place in self._in(key, files, name)
        ]
        inside = [place for place in places if place[1].rpartition(SCOPE)[2] == ending]
        if not places:
            inside = [
                one for one in map(_place, self.common.get(f"{tree.family(path)} {name}", ())) if one[1] == module.scope
            ]
        return list(inside or [place for place in places if not place[1]])  # a macro may open a namespace unseen

    def _in(self, key: Hashable, files: Sequence[str], name: str) -> Iterable[Place]:
        """The bindings of a name in some files. Nearly every file of C has different includes, so each file is
        indexed alone."""
        names = self._tree.names
        if isinstance(key, tuple) and key[0] == TAKEN:
            return [place for file in files for place in names.visible(file, (file,), name)]
        return names.visible(key, files, name)


def _no_places(_: Hashable) -> Found:
    return []


def _is_outside(one: Place | AbstractValue) -> bool:
    return isinstance(one, AbstractValue) and one.kind == value_kinds.OUTSIDE


def _place(id: str) -> Place:
    path, scope = split_id(id)
    holder, _, name = scope.rpartition(SCOPE)
    return path, holder, name
