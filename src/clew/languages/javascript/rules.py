"""Resolution of names in JavaScript."""

from collections.abc import Iterator

from clew.index.facts import Facts
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.language_rules import LanguageRules
from clew.index.resolve.member_lookup import DeclaredMembers
from clew.index.resolve.shared_names import functions_of_scripts
from clew.index.resolve.solver import PointsToSet
from clew.languages.javascript.library import LIBRARY


class JavaScriptRules(LanguageRules):
    language = "javascript"
    family = "ecma"
    library = LIBRARY
    modules_by_file = True
    modules_nest = False
    reexports = True
    lists_exports = True
    default_exports = True
    stars_bind_names = False
    builtin_callees = True
    builtin_calls = True
    inherits_constructors = True
    untyped = True
    static_apart = True
    declares_types = True
    trusts_types_outside = False
    constructors_take_functions = True
    interfaces_beside_classes = True
    function_types = True
    functions_make_objects = True
    functions_have_members = True
    keys_are_members = True
    type_aliases = True

    def shared_names(self, facts: Facts) -> Iterator[tuple[str, str]]:
        return functions_of_scripts(facts)

    def literal_member(self, members: DeclaredMembers, box: AbstractValue, name: str) -> PointsToSet | None:
        """`cards.first` of a `Record<string, Card>` is one of its elements."""
        is_element = "" in members.tree.scope_bindings(box.path, box.scope) and name not in LIBRARY.container_members
        return members.containers.element(members.flow.constant(box), "") if is_element else None
