"""Resolution of names in Rust."""

import re
from collections.abc import Iterator, Sequence

from clew.index.facts import Call, Def, Facts, ScopedName, UnboundName
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue, Found, Place
from clew.index.resolve.cross_file_scope import CrossFileScope
from clew.index.resolve.language_rules import LanguageRules, SharedNames
from clew.index.resolve.member_lookup import DeclaredMembers
from clew.index.resolve.program import Program
from clew.index.resolve.shared_names import macros
from clew.index.resolve.solver import PointsToSet
from clew.index.resolve.source_index import SourceIndex
from clew.languages.rust import paths as import_paths
from clew.languages.rust.library import DERIVED, GIVING_ITSELF, LIBRARY
from clew.languages.rust.traits import blanket_traits, borrowers
from clew.model.code import SCOPE
from clew.model.words import Kind

_WORD = re.compile(r"\w+")
_DERIVE = "derive"


class RustRules(LanguageRules):
    language = "rust"
    family = "rust"
    library = LIBRARY
    joint = "::"
    module_words = frozenset({"super", "self", "crate"})
    modules_by_file = True
    inner_modules = True
    reexports = True
    marks_reexports = True
    imports_itself = True
    colon_paths = True
    methods_apart = True
    needs_receivers = True
    explicit_self = True
    complete_bounds = True
    lends_methods = True
    implements_interfaces_only = True
    variants_in = "file"

    def is_file_of_module(self, path: str, module: str) -> bool:
        return import_paths.is_module_file(path, module.rpartition(self.joint)[2])

    def is_class_path(self, tree: SourceIndex, module: str, files: Sequence[str]) -> bool:
        return bool(files) and not self.is_file_of_module(files[0], module)

    def imported_otherwise(self, scope: CrossFileScope, path: str, name: str) -> Found:
        return import_paths.imported_macro(scope, path, name) if name.endswith("!") else []

    def import_by_star(self, scope: CrossFileScope, path: str, module: str, name: str) -> Found:
        return import_paths.import_by_star(scope, path, module.split(self.joint), name)

    def import_by_inner_star(self, scope: CrossFileScope, file: str, parts: list[str], name: str) -> Found:
        ends = import_paths.ends_of(parts)
        return next((found for end in ends if (found := import_paths.import_by_star(scope, file, end, name))), [])

    def shared_names(self, facts: Facts) -> Iterator[tuple[str, str]]:
        return macros(facts)

    def shared_definitions(self, tree: SourceIndex, path: str, places: Sequence[Place]) -> Sequence[Place]:
        return super().shared_definitions(tree, path, import_paths.visible_macros(tree, path, places))

    def names_of_joined_types(self, tree: Program, paths: Sequence[str]) -> SharedNames:
        return blanket_traits(tree, paths)

    def borrowed_interfaces(self, tree: Program, path: str) -> Iterator[tuple[str, str]]:
        return borrowers(tree, path)

    def unbound_name(self, tree: SourceIndex, path: str, name: str) -> Found:
        """A module."""
        if not (name.isidentifier() and name[:1].islower()):
            return []
        return [tree.things.thing(value_kinds.MODULE, file) for file in tree.files(path, name)[:1] if file != path]

    def ordered_bases(self, tree: Program, one: AbstractValue, bases: list[AbstractValue]) -> list[AbstractValue]:
        """Also the traits of the tree that a type has by `derive`."""
        marks = tree.facts(one.path).decorators.get(one.scope, ())
        names = [name for mark in marks if mark.startswith(_DERIVE) for name in _WORD.findall(mark)[1:]]
        bound = tree.scope_bindings(one.path, "")
        traits = [tree.static(one.path, ScopedName("", name) if name in bound else UnboundName(name)) for name in names]
        return bases + [thing for some in traits for thing in some if thing.kind == value_kinds.CLASS]

    def is_qualified_by_owner(self, tree: Program, path: str, outer: str) -> bool:
        """`impl engine::Call`, but not inside of `mod tests`."""
        bound = tree.facts(path).names.get("", {}).get(outer.partition(SCOPE)[0], ())
        return not any(isinstance(value, Def) for value in bound)

    def gives_itself(self, tree: Program, one: AbstractValue, name: str) -> bool:
        """Whether a function that a type has by a trait gives an object of the type, not of the trait."""
        found = tree.members(one, name)
        if not found:
            return name in GIVING_ITSELF
        path, scope, _ = found[0]
        facts = tree.facts(path)
        is_trait = facts.kinds.get(scope) == Kind.INTERFACE.value and (path, scope) != (one.path, one.scope)
        return is_trait and Call(Def(scope)) in facts.returns.get(f"{scope}{SCOPE}{name}", ())

    def added_member(self, members: DeclaredMembers, one: AbstractValue, name: str) -> PointsToSet | None:
        """A method that a type has by `derive`."""
        for mark in members.tree.facts(one.path).decorators.get(one.scope, ()):
            for trait, methods in DERIVED.items():
                if name in methods and mark.startswith(_DERIVE) and trait in mark:
                    return members.flow.constant(members.tree.outside(f"std::{trait}.{name}"))
        return None
