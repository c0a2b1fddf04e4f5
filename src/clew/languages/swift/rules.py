"""Resolution of names in Swift."""

from collections.abc import Collection, Iterator

from clew.index.facts import Typed
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue, Found
from clew.index.resolve.language_rules import LanguageRules, Tier
from clew.index.resolve.program import Program
from clew.index.resolve.source_index import SourceIndex
from clew.languages.libraries import UNIVERSAL
from clew.languages.swift.library import LIBRARY
from clew.languages.swift.overloads import fitting_labels
from clew.model.words import Kind


class SwiftRules(LanguageRules):
    language = "swift"
    family = "swift"
    library = LIBRARY
    stars_bind_names = False
    extensions_see_types = True
    loose_extensions = True
    function_types = True
    overloads = True
    reads_containers = True
    inherits_constructors = True
    inherits_types = True
    call_operator = "callAsFunction"
    bare_members = True
    constructors_take_functions = True
    pair_value = "value"

    def visible_files(self, tree: SourceIndex, path: str) -> Iterator[Tier]:
        """The module, then those that are imported."""
        for module in ("", *tree.facts(path).stars):
            if files := tree.files(path, module):
                yield (self.language, files[0]), files

    def unbound_name(self, tree: SourceIndex, path: str, name: str) -> Found:
        """A module, as far as the file is of it or imports it."""
        files = tree.files(path, name)
        is_module = files and (path in files or name in tree.facts(path).stars)
        return [tree.things.thing(value_kinds.MODULE, files[0])] if is_module else []

    def fitting_labels(
        self, tree: Program, things: Collection[AbstractValue], passed: Typed
    ) -> Collection[AbstractValue]:
        return fitting_labels(tree, things, passed)

    def has_constructor(self, tree: Program, one: AbstractValue, name: str) -> bool:
        """A class without one of its own has it from outside, if from anywhere."""
        return bool(tree.members(one, name)) or _extends_outside(tree, one)

    def package_files(self, tree: SourceIndex, path: str) -> Tier:
        files = tree.files(path, "") or (path,)
        return (self.language, files[0]), files


def _extends_outside(tree: Program, one: AbstractValue) -> bool:
    """Whether a class has one outside above it, which is named first; all else are protocols."""
    parts = [part for upper in tree.order(one) if upper.kind == value_kinds.CLASS for part in tree.parts(upper)]
    classes = [(path, scope) for path, scope in parts if tree.facts(path).kinds.get(scope) == Kind.CLASS.value]
    firsts = [(path, value) for path, scope in classes for value in tree.facts(path).bases.get(scope, ())[:1]]
    above = [thing for place in firsts for thing in tree.base_values(*place)]
    return any(thing.kind == value_kinds.OUTSIDE and thing.path not in UNIVERSAL for thing in above)
