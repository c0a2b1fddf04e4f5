"""Names of other files: those visible without an import, imports, and members of modules.

For every language but Python, which `Program` handles itself.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from clew.index.facts import Attr, Def, ImportedName, ScopedName, UnboundName, Value
from clew.index.modules import full_name
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue, Found, Place
from clew.index.resolve.language_rules import TAKEN, Tier
from clew.index.resolve.preludes import PACKAGE_ROOTS, PRELUDES, TYPES
from clew.index.resolve.source_index import (
    CLASSES,
    CycleSafeMemo,
    EvaluationPath,
    Part,
    PathMemo,
    SourceIndex,
    is_module_file,
    nearest_to,
)
from clew.index.resolve.visible_files import Tiers
from clew.index.syntax.chains import start
from clew.languages.csharp.usings import Usings
from clew.languages.jvm.rules import of_jvm, package_of_object
from clew.languages.kotlin.source_sets import visible_definitions
from clew.model.code import SCOPE, split_id

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


# Macros of Rust: which of those that go by a name a file means.

_EXPORTED = "macro_export"
_ROOTS = ("lib.rs", "main.rs")


def macro_imports(tree: SourceIndex, path: str, name: str) -> list[ImportedName]:
    """A macro is imported without its mark, at the top or in a module of the file."""
    plain = name.removesuffix("!")
    bound = [value for names in tree.facts(path).names.values() for value in names.get(plain, ())]
    return list(dict.fromkeys(value for value in bound if isinstance(value, ImportedName)))


def visible_macros(tree: SourceIndex, path: str, places: Sequence[Place]) -> list[Place]:
    """Macros that are exported, or of the same package; one with a standard name hides that only below the root of a
    crate."""
    package = tree.world.above(path, "Cargo.toml")
    found = []
    for file, scope, name in places:
        is_exported = _EXPORTED in tree.facts(file).decorators.get(f"{scope}::{name}" if scope else name, ())
        is_near = tree.world.above(file, "Cargo.toml") == package
        is_hiding = file.rpartition("/")[2] in _ROOTS or name not in PRELUDES["rust"]
        if is_exported or (is_near and is_hiding):
            found.append((file, scope, name))
    return found


# Package objects of Scala: their own and inherited members belong to the package.


class PackageObjects:
    def __init__(self, tree: SourceIndex) -> None:
        self._tree = tree
        self._files: dict[str, list[str]] | None = None  # by package

    def member(self, package: str, name: str) -> list[Place]:
        last = package.rpartition(".")[2]
        homes = (self._tree.home(file, last) for file in self._by_package().get(package, ()))
        return [place for home in homes for place in self._tree.members(home, name)[:1]]

    def around(self, path: str, name: str) -> list[Place]:
        """Of the packages that a file is in, from the innermost on."""
        package = self._tree.facts(path).package if self._tree.language(path) == "scala" and self._by_package() else ""
        while package:
            if found := [place for place in self.member(package, name) if place[0] != path]:
                return found
            package = package.rpartition(".")[0]
        return []

    def _by_package(self) -> dict[str, list[str]]:
        if self._files is None:
            self._files = defaultdict(list)
            for file in self._tree.world.names.get("package.scala", ()):
                if package := package_of_object(self._tree, file):
                    self._files[package].append(file)
        return self._files


MOST_INNER = 4  # parts at the end of a module's name that may be classes inside of its file


class CrossFileScope:
    """`common` holds the names that the whole tree shares in some languages: ids by family and name."""

    def __init__(self, tree: SourceIndex, asking: EvaluationPath) -> None:
        self._tree = tree
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
        self._adding: dict[str, dict[str, list[Place]]] = {}
        self._inherited = InheritedTypes(tree, asking)
        self._packages = PackageObjects(tree)
        self.usings = Usings(tree)
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
        self.usings.forget(common)

    def free(self, path: str, name: str) -> Found:
        return self._frees[path, name]

    def _find(self, path: str, name: str) -> Found:
        tree = self._tree
        family, language = tree.family(path), tree.language(path)
        if name.endswith("!") and family == "rust" and (taken := self._macro(path, name)):
            return taken
        for key, files in self.visible(path):
            places = [place for place in self._in(key, files, name) if place[0] != path]
            if places:
                return list(
                    places if family == "c" else nearest_to(path, visible_definitions(tree, path, list(places)))
                )
        if members := self.usings.members(path, name) if family == "csharp" else self._packages.around(path, name):
            return list(members)
        if tree.rules(path).inherits_types and name[:1].isupper() and (inherited := self._inherited.of(path, name)):
            return list(inherited)
        if family not in ("ecma", "c", "bash", "csharp", "swift"):
            found = [one for star in tree.facts(path).stars for one in self._star_import(path, star, name)]
            if inside := [one for one in found if not _is_outside(one)]:
                return inside
        if common := self._global_name(path, family, name):
            return common
        if outside := PRELUDES.get(language, {}).get(name):
            return [tree.outside(outside)]
        return self._unknown(path, name, language)

    def visible(self, path: str) -> Iterator[Tier]:
        """The files with names that a file sees without imports, the nearest first, each group with its key."""
        yield from self._tiers[path]
        if self._tree.family(path) == "csharp":
            packages = self._tree.world.packages
            yield from ((("csharp", used), packages.get(("csharp", used), ())) for used in self.usings.of(path))

    def _macro(self, path: str, name: str) -> Found:
        taken = macro_imports(self._tree, path, name)
        return [one for value in taken for one in self.resolve_import(path, value.module, value.name)]

    def _global_name(self, path: str, family: str, name: str) -> Found:
        """A name that the whole tree shares. A constant of Ruby is visible inside its container, as the file shows."""
        places = [_place(one) for one in self.common.get(f"{family} {name}", ())]
        if family == "ruby":
            kinds = self._tree.facts(path).kinds
            places = [place for place in places if not place[1] or place[1] in kinds]
        if family == "c":
            return list(self._declared_class(path, places))
        if family == "rust":
            places = visible_macros(self._tree, path, places)
        return list(nearest_to(path, places))

    def _declared_class(self, path: str, places: list[Place]) -> list[Place]:
        """The only class of its name in a namespace or class that the file has, too; it may be but declared there."""
        tree, names = self._tree, self._tree.facts(path).names
        near = [one for one in places if not one[1] or one[1] in names]
        own = near if tree.is_test(path) else [one for one in near if not tree.is_test(one[0])]
        return own if len(own) == 1 else []

    def _unknown(self, path: str, name: str, language: str) -> Found:
        """The first part of a module; or a type that no file has, and so a built-in or external one."""
        tree = self._tree
        if found := tree.rules(path).unbound_name(tree, path, name):
            return found
        if tree.family(path) == "rust" and name.isidentifier() and name[:1].islower():
            return [tree.things.thing(value_kinds.MODULE, file) for file in tree.files(path, name)[:1] if file != path]
        files = tree.files(path, name) if language == "swift" else ()
        if files and (path in files or name in tree.facts(path).stars):
            return [self._module(files[0])]
        if tree.starts_package(path, name):
            return [tree.things.thing(value_kinds.OUTSIDE, name, "", path)]
        is_lost = language == "ruby" and name[:1].isupper() and name[-1:] != "_"  # a constant that no file has
        is_lost = is_lost and not any(one in self.common for one in (f"ruby {name}", f"ruby ={name}"))
        if is_lost or (tree.family(path) == "jvm" and name in PACKAGE_ROOTS):
            return [tree.outside(name)]
        if language == "java" and name[:1].islower():  # of the only class whose members the file takes all
            classes = [one for one in self.unknown(path) if one.rpartition(".")[2][:1].isupper()]
            return [tree.outside(f"{classes[0]}.{name}")] if len(classes) == 1 else []
        is_own = tree.family(path) == "ecma" and name in tree.scope_bindings(path, "")
        if language not in TYPES or not name[:1].isupper() or is_own:
            return []
        if name == TYPES[language].removesuffix("."):
            return [tree.outside(name)]
        unknown = self.unknown(path)
        if len(unknown) > 1:  # of which none is known to have what the tree has, too
            return [] if f"{language} {name}()" in self.common else [tree.outside(name)]
        package = tree.facts(path).package if language == "java" else ""
        around = f"{unknown[0]}." if unknown else f"{package}." if package else TYPES[language]
        return [tree.outside(f"{around}{name}")]

    def unknown(self, path: str) -> list[str]:
        """The modules outside of the tree that a file takes everything of."""
        is_csharp = self._tree.family(path) == "csharp"
        stars = self.usings.of(path) if is_csharp else self._tree.facts(path).stars
        return [star for star in stars if not self._tree.files(path, star)]

    def resolve_import(self, path: str, module: str, name: str) -> Found:
        """The target of an import; none, if the module is of the tree but lacks the name."""
        return self._imports[path, module, name]

    def _import(self, path: str, module: str, name: str) -> Found:
        tree = self._tree
        if tree.language(path) == "kotlin":
            module = module.removesuffix(".Companion")  # whose members are the class's own
        if tree.family(path) == "php" and (tree.facts(path).package, True) == (module, name in tree.facts(path).kinds):
            return [(path, "", name)]  # of the file itself, by its whole name
        every, own = tree.files(path, module), "" if tree.family(path) == "rust" else path
        files = [file for file in every if file != own]
        if not every and name and (starred := self._by_star(path, module.split("::"), name)):
            return starred
        if not name:
            return [self._whole_module(path, module, files)]
        joint = tree.rules(path).joint
        is_class = tree.family(path) == "jvm" and not of_jvm(tree, module)
        of_scala, parts = tree.language(path) == "scala", module.split(joint)
        if tree.family(path) == "rust" and every and not is_module_file(every[0], module.rpartition(joint)[2]):
            is_class = True  # a type, or a module that is written inside of the file
        if is_class and (inner := self._inside(every, "" if of_scala else own, parts, name)):
            return inner  # of Scala, of an object of the same file, too
        if is_class and tree.family(path) == "rust" and (handed := self._handed_on(every[0], parts, name)):
            return handed
        if tops := self._offered_by(every, own, name, is_offering=tree.rules(path).reexports):
            return list(nearest_to(path, visible_definitions(tree, path, tops)))
        if files and name == "default" and self._has_no_default(files[0]):
            return [self._module(files[0])]
        if not is_class and (inner := self._inside(every, own, parts, name)):
            return inner
        if of_scala and (held := self._packages.member(module, name)):
            return list(held)
        if deeper := self._deeper(path, f"{module}{joint}{name}", files):
            is_own = tree.family(path) == "php" and self._tree.names.binding_files(
                (deeper,), name
            )  # a class, and not its namespace
            return [(deeper, "", name)] if is_own else [self._module(deeper)]
        if found := [one for file in files for one in tree.rules(file).module_members(tree, file, name)]:
            return found
        if files and tree.family(path) != "jvm":
            return []
        if added := self._extensions(module, name) if tree.language(path) == "kotlin" else []:
            return added
        outside = full_name(path, module)
        return [tree.outside(outside if name == "default" else f"{outside}{joint}{name}".lstrip("\\"))]

    def _whole_module(self, path: str, module: str, files: list[str]) -> AbstractValue:
        if not files:
            return self._tree.outside(full_name(path, module))
        return self._module(self._tree.rules(files[0]).representative_file(self._tree, files))

    def _handed_on(self, file: str, parts: list[str], name: str) -> Found:
        """Of a path of Rust that leads on from a file by a module that it takes with all of another."""
        ends = (parts[start:] for start in range(max(len(parts) - MOST_INNER, 0), len(parts)))
        return next((found for end in ends if (found := self._by_star(file, end, name))), [])

    def _by_star(self, path: str, parts: list[str], name: str) -> Found:
        """A path of Rust may start with a module that the file takes with all of another: `use super::*`."""
        facts, (first, *rest) = self._tree.facts(path), parts
        if not facts.stars or self._tree.family(path) != "rust" or first in facts.names.get("", {}):
            return []
        holder: Value = UnboundName(first)
        for part in rest:
            holder = Attr(holder, part)
        found = self._tree.static(path, holder)
        return [one for thing in found if thing.kind == value_kinds.MODULE for one in self.member(thing, name)]

    def _star_import(self, path: str, star: str, name: str) -> Found:
        """Names of a star import; in Scala, also from an object that the file sees by its name."""
        first, *rest = star.split(".")
        if self._tree.language(path) != "scala" or not first[:1].isupper():
            return self.resolve_import(path, star, name)
        holder: Value = ScopedName("", first) if first in self._tree.scope_bindings(path, "") else UnboundName(first)
        for part in rest:
            holder = Attr(holder, part)
        things = [one for one in self._tree.static(path, holder) if one.kind == value_kinds.CLASS]
        return [place for one in things for place in self._tree.members(one, name)[:1]]

    def _has_no_default(self, path: str) -> bool:
        """`exports.pay = …`: a default import takes the whole module."""
        return self._tree.family(path) == "ecma" and "default" not in self._tree.facts(path).exports

    def _extensions(self, package: str, name: str) -> Found:
        """Extensions of a Kotlin package by a name, which is imported by that name alone."""
        added = self._adding.get(package)
        if added is None:
            added = self._adding[package] = defaultdict(list)
            for file in self._tree.world.packages.get(("kotlin", package), ()):
                for scope in self._tree.facts(file).kinds:
                    holder, _, member = scope.rpartition(SCOPE)
                    if holder and SCOPE not in holder:
                        added[member].append((file, holder, member))
        return list(added.get(name, ()))

    def _deeper(self, path: str, module: str, files: Sequence[str]) -> str:
        """The file of a module inside of another."""
        if self._tree.family(path) == "ecma":
            return ""
        known = set(files)
        found = [file for file in self._tree.files(path, module) if file not in known]
        if self._tree.family(path) == "rust":  # where the file of what is around would be told, too
            found = [file for file in found if is_module_file(file, module.rpartition("::")[2])]
        return found[0] if found else ""

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
        facts, family, is_first = self._tree.facts(path), self._tree.family(path), len(seen) == 1
        own: Found = [(path, "", name)] if name in facts.names.get("", {}) else []
        if own and family == "rust" and not is_first and name not in facts.offers and self._takes(path, name):
            own = []  # `use`, and not `pub use`
        if own and (family != "ecma" or name in facts.exports):
            return own
        if not self._tree.rules(path).reexports or name == "default":
            return own
        every, offered, inside = self._star_imported_files(path)
        handed = offered if family == "rust" and not is_first else every
        found = [one for file in handed if file not in seen for one in self._top(file, name, seen)]
        if own and not found and (is_first or not facts.exports):
            return own
        return found if found or not inside else self._taken[path, name]

    def _take(self, path: str, name: str) -> Found:
        """Re-exports of definitions inside the file: `pub use Kind::*`."""
        return [one for parts in self._star_imported_files(path)[2] for one in self._inside((path,), "", parts, name)]

    def _star_imported_files(self, path: str) -> tuple[list[str], list[str], list[list[str]]]:
        """The files of a file's star imports; in Rust, the re-exported ones, and the star imports of own modules.

        Cached, since it is needed for every name.
        """
        found = self._stars.get(path)
        if found is None:
            facts, is_rust = self._tree.facts(path), self._tree.family(path) == "rust"
            own = facts.names.get("", {})
            files = {module: self._tree.files(path, module) for module in facts.stars}
            handed = [file for module in files if f"*{module}" in facts.offers for file in files[module]]
            parts = [star.split("::") for star in facts.stars] if is_rust else []
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
        for thing in self._held[file, *inner]:
            if thing.kind == value_kinds.MODULE:
                yield from self.member(thing, name)
            elif thing.kind == value_kinds.CLASS:
                yield from self._tree.members(thing, name)[:1]
            elif thing.kind == value_kinds.OUTSIDE and self._tree.family(file) == "rust":  # a crate that is handed on
                yield self._tree.outside(f"{thing.path}{self._tree.rules(file).joint}{name}")

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
        family = tree.family(path)
        if family == "rust" and name in ("super", "self", "crate"):
            return [self._module(file) for file in tree.files(path, name)]
        if (package := tree.rules(path).package_files(tree, path)) is not None:
            key, files = package
            return list(tree.names.visible(key, files, name))
        found = self._exported_name(path, name)
        if not found and family == "rust" and (inner := self._deeper(path, f"self::{name}", [path])):
            return [self._module(inner)]
        return found or tree.rules(path).module_members(tree, path, name)

    def _of_namespace(self, module: AbstractValue, name: str) -> Found:
        """In C++ others may open a namespace again: then it is sought by its end in all that is seen."""
        tree, path = self._tree, module.path
        if name in tree.facts(path).names.get(module.scope, {}):
            return [(path, module.scope, name)]
        if tree.family(path) != "c":
            return []
        ending = f"{SCOPE}{module.scope}".rpartition(SCOPE)[2]
        places = [
            place for key, files in tree.rules(path).visible_files(tree, path) for place in self._in(key, files, name)
        ]
        inside = [place for place in places if place[1].rpartition(SCOPE)[2] == ending]
        if not places:
            inside = [one for one in map(_place, self.common.get(f"c {name}", ())) if one[1] == module.scope]
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
