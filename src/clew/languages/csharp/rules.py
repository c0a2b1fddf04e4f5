"""Resolution of names in C#."""

from collections.abc import Iterator, Sequence

from clew.index.facts import Facts
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue, Found
from clew.index.resolve.cross_file_scope import CrossFileScope
from clew.index.resolve.language_rules import LanguageRules, SharedNames, Tier
from clew.index.resolve.member_lookup import DeclaredMembers
from clew.index.resolve.overloads import OverloadTypes
from clew.index.resolve.program import Program
from clew.index.resolve.provenance import method_of
from clew.index.resolve.shared_names import top_types
from clew.index.resolve.solver import PointsToSet
from clew.index.resolve.source_index import SourceIndex
from clew.languages.csharp.library import LIBRARY, OF_DOTNET, READ_OF_HOLDERS, SAME_OF_HOLDERS
from clew.languages.csharp.overloads import OVERLOAD_TYPES
from clew.languages.csharp.usings import Usings, used_everywhere

_SEQUENCES = ("Array", "IEnumerable", "IReadOnlyCollection", "ICollection", "IReadOnlyList", "IList")
_ARRAY, _ENUM = "System.Array", "Enum"


class CSharpRules(LanguageRules):
    language = "csharp"
    family = "csharp"
    library = LIBRARY
    stars_bind_names = False
    extends_by_last_name = True
    doubts_bare_calls = True
    overloads = True
    inherits_types = True
    casts = True
    bare_members = True
    bare_methods = True
    declares_types = True
    constructors_take_functions = True
    pair_value = "Value"
    defaults_left_out = True
    inherits_overloads = True
    doubts_outside_overloads = True  # parameters have defaults, and interfaces come along
    reopens_classes = True

    @property
    def overload_types(self) -> OverloadTypes:
        return OVERLOAD_TYPES

    def visible_files(self, tree: SourceIndex, path: str) -> Iterator[Tier]:
        """The namespace and those around it."""
        package, packages = tree.facts(path).package, tree.world.packages
        while package:
            yield (self.language, package), packages.get((self.language, package), ())
            package = package.rpartition(".")[0]

    def used_files(self, scope: CrossFileScope, path: str) -> Iterator[Tier]:
        packages = scope.tree.world.packages
        keys = ((self.language, used) for used in scope.language_index(Usings).of(path))
        return ((key, packages.get(key, ())) for key in keys)

    def package_files(self, tree: SourceIndex, path: str) -> Tier:
        package = tree.facts(path).package
        return (self.language, package), tree.world.packages.get((self.language, package), (path,))

    def shared_names(self, facts: Facts) -> Iterator[tuple[str, str]]:
        return top_types(facts)

    def project_names(self, tree: Program, paths: Sequence[str]) -> SharedNames:
        return used_everywhere(tree, paths)

    def stars(self, scope: CrossFileScope, path: str) -> Sequence[str]:
        return scope.language_index(Usings).of(path)

    def surrounding_members(self, scope: CrossFileScope, path: str, name: str) -> Found:
        return [*scope.language_index(Usings).members(path, name)]

    def added_member(self, members: DeclaredMembers, one: AbstractValue, name: str) -> PointsToSet | None:
        """An extension of enums."""
        parts = members.parts_by_last_name(_ENUM, name)
        return members.union([members.owned_at(*part, name) for part in parts]) if parts else None

    def literal_member(self, members: DeclaredMembers, box: AbstractValue, name: str) -> PointsToSet | None:
        """Of a sequence: an element, an extension of sequences, or a method that returns an element."""
        if name in READ_OF_HOLDERS:
            return members.containers.element(members.flow.constant(box), "")
        if name in SAME_OF_HOLDERS:
            return members.flow.constant(box)
        for type_ in _SEQUENCES if name not in OF_DOTNET else ():
            if parts := members.parts_by_last_name(type_, name):
                return members.union([members.owned_at(*part, name) for part in parts])
        if added := members.extensions_by_last_name(members.tree.outside(_ARRAY), name):
            return added
        return members.flow.constant(
            members.thing(value_kinds.TAKER, box.path, box.scope, method_of(name, box.provenance))
        )
