"""How the names of a language are resolved: the rules that hold unless a language has others.

A profile names the class of its rules; `SourceIndex.rules` gives them for a file. Rules of one language lie in its
folder (`languages/*/rules.py`), and a plug-in brings its own in the same way.
"""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from clew.index.facts import Facts
from clew.index.resolve.nearness import nearest_to
from clew.languages.library import Library
from clew.languages.plugins import language_of_name
from clew.languages.profile import Language
from clew.model.code import SCOPE
from clew.model.words import Kind

if TYPE_CHECKING:
    from clew.index.facts import CallFact, Typed
    from clew.index.resolve.abstract_values import AbstractValue, Found, Place
    from clew.index.resolve.cross_file_scope import CrossFileScope
    from clew.index.resolve.evaluator import Evaluator
    from clew.index.resolve.member_lookup import DeclaredMembers
    from clew.index.resolve.overloads import OverloadTypes, PassedArguments
    from clew.index.resolve.program import Program
    from clew.index.resolve.resolved_call import Targets
    from clew.index.resolve.solver import PointsToSet
    from clew.index.resolve.source_index import Part, SourceIndex
    from clew.index.resolve.value_sets import PlainKey

DEFAULT = "clew.index.resolve.language_rules:LanguageRules"
Tier = tuple[Hashable, Sequence[str]]  # the key of a group of files, and the files
SharedNames = dict[str, tuple[str, ...]]  # by a key that begins with the language: ids
TAKEN = "taken"  # in the key of a group: what one file includes
_CLASSES = (Kind.CLASS.value, Kind.INTERFACE.value)


class LanguageRules:
    """The default: definitions are found by the names that files bind, imports by the profile's `module_files`.

    `language` and `family` say with which other languages names are shared; a language is alone by default. First
    come plain facts, then questions; a language states or answers what differs.
    """

    language = ""
    family = ""
    library = Library()

    # Modules and imports
    joint = "."  # between a module and a name of it
    module_words: frozenset[str] = frozenset()  # names of modules relative to another: `self`, `super`
    modules_by_file = False  # a module's name may mean another file in each file, even in one folder
    modules_nest = True  # a module may be inside of another, by a longer name
    inner_modules = False  # a file may hold modules of its own
    files_hold_types = False  # a module's name with a type behind it means that type
    reexports = False  # a file offers all that it takes whole from another
    marks_reexports = False  # only as far as its imports say so
    lists_exports = False  # a file offers only the names that it exports
    default_exports = False  # a module may stand for one value, its default export
    modules_are_types = False  # a file is a type, and its functions are the members of its objects
    stars_bind_names = True  # names of a module that is imported whole are visible by an import of their own
    imports_itself = False  # an import may lead to the file that it is in
    imports_own_members = False  # an import may name a member of a type of its own file
    open_packages = False  # a package may have more files than the tree has
    may_be_sealed = False  # a file that no other looks into may change without effect on others

    # Names
    is_declarative = True  # names are declared, and not assigned while the file runs, as they are in Python
    includes_files = False  # what an included file imports is visible as well
    reopens_namespaces = False  # any file may open a namespace again, and declare a class without defining it
    extends_by_bare_name = False  # a type that is extended elsewhere is named without its namespace
    extensions_see_types = False  # an extension of a type sees its types and type parameters
    colon_paths = False  # `log::warn` starts with a module, of the tree or outside
    bare_members = False  # members of a class go by their bare names inside of it
    bare_methods = False  # and so do methods that are not called
    words_name_functions = False  # a word that no file binds may name the only function of that name
    builtin_callees = False  # a called name that no file binds is built in
    builtin_calls = False  # so is it where a call leads nowhere
    doubts_bare_calls = False  # an unresolved bare call may lead outside, even if the tree has such a function
    needs_receivers = False  # a method is never called by its bare name
    no_bare_outside = False  # a bare name never comes from a module outside that is imported whole
    doubts_unknown_results = False  # what an unknown function gives is not likely of the tree

    # Types and members
    overloads = False  # a name may have several definitions, which take different arguments
    overloads_across_files = False  # declared in one file, and defined in another
    inherits_overloads = False  # overloads are inherited one by one
    doubts_outside_overloads = False  # a class outside that is inherited from need not have the fitting overload
    writes_primary_constructor = False  # the constructor in a class's head may be written out in its body
    defaults_left_out = False  # parameters with a default may be left out
    implied_calls = False  # a member that is read may be called by that: `card.bank.open` calls bank
    reads_containers = False  # an element that a container gives may be read without brackets
    inherits_constructors = False
    inherits_types = False  # a type inside of a class goes by its bare name in subclasses
    untyped = False  # a class may count on members that only its subclasses have
    casts = False  # a member that a written type lacks may be of a subclass: `this` of a builder, `T extends Card`
    methods_apart = False  # a method and a field may have one name: the use tells which is meant
    static_apart = False  # a method of a class and one of its objects may have one name
    bracketed_fields = False  # a field is called in brackets only, so that a call means a method
    explicit_self = False  # a method has its object as the first parameter
    declares_types = False  # a variable may be said to be of a type
    trusts_types_outside = True  # a variable of a declared type from outside holds nothing else
    constructors_take_functions = False
    constructor_methods = False  # a class may have a method that makes its objects, and is called instead
    constructors_outside = True  # a constructor may be inherited from a class outside
    interfaces_beside_classes = False  # an interface may share its name with a class or function, and is never called
    structural_interfaces = False  # a type implements an interface by having its methods
    functional_interfaces = False  # a function may implement an interface of one method
    function_types = False  # the type of a parameter says what is passed to the function that it takes
    functions_make_objects = False  # a function with methods makes objects by `new`
    functions_have_members = False  # a function is an object with members: `run.bind(this)`
    keys_are_members = False  # `card['pay']` is `card.pay`
    fields_by_place = False  # an object may be taken apart into its fields, by place
    index_operator = ""  # the member of a class that gives an element, if it is a method
    type_aliases = False
    pair_value = ""  # the member of a pair that is its value
    companions = False  # an object may stand beside a class of its name, and has all that goes by that name
    passes_results_on = False  # `make(1)(2)` passes two lists to one function, unless its result may be called
    class_object = ""  # the external type of `Card.class`
    reads_are_fields = False  # what is read by its name alone is no method
    reopens_classes = False  # one class may be written in many files
    loose_extensions = False  # an extension of a type outside holds under each module that files name it by
    extends_by_last_name = False  # an extension of a type outside holds for each type of its last name
    implements_interfaces_only = False  # a type never extends another
    lends_methods = False  # a trait may give methods to types that other files define
    complete_bounds = False  # a type has all members that its bounds have, and no others
    calls_this = False  # `this(…)` calls the object, and not a constructor
    call_operator = "()"  # the member of a class that is called when an object is
    variants_in = ""  # a definition may exist once for each build or run: in one `file`, in one `folder`

    def __init__(self, profile: Language | None) -> None:
        self.profile = profile
        name = profile.name if profile is not None else ""
        self.language = type(self).language or name
        self.family = type(self).family or name
        self.target = profile.target if profile is not None else ""  # a member that stands for its type's objects

    # Files and modules

    def visible_files(self, tree: "SourceIndex", path: str) -> Iterator[Tier]:
        """Groups of files whose names a file sees without importing them, the nearest first."""
        return iter(())

    def used_files(self, scope: "CrossFileScope", path: str) -> Iterator[Tier]:
        """Groups of files that a file sees by imports that depend on the whole tree; they come last."""
        return iter(())

    def package_files(self, tree: "SourceIndex", path: str) -> Tier | None:
        """The files of the module that a file is in, where that is more than the file."""
        return None

    def representative_file(self, tree: "SourceIndex", files: Sequence[str]) -> str:
        """The file that stands for a module of several."""
        return files[0]

    def is_file_of_module(self, path: str, module: str) -> bool:
        """Whether a file that a module's name leads to is that module, and not one around it."""
        return True

    def is_package(self, tree: "SourceIndex", path: str, name: str) -> bool:
        """Whether a name is the first part of a package, inside or outside of the project."""
        return False

    def package_of_unknown_types(self, tree: "SourceIndex", path: str) -> str:
        """The package of a type that nothing binds, with its joint."""
        return self.library.types_from or ""

    def shared_names(self, facts: Facts) -> Iterator[tuple[str, str]]:
        """Names of a file that the whole tree sees, each with its scope."""
        return iter(())

    def project_names(self, tree: "Program", paths: Sequence[str]) -> SharedNames:
        """More that the whole tree shares, of all files of the language."""
        return {}

    def names_of_joined_types(self, tree: "Program", paths: Sequence[str]) -> SharedNames:
        """The same, as far as it depends on the parts of types."""
        return {}

    # Names and imports

    def imported_otherwise(self, scope: "CrossFileScope", path: str, name: str) -> "Found":
        """A name that a file imports in another spelling."""
        return []

    def nearest_definitions(self, tree: "SourceIndex", path: str, places: "Found") -> "Sequence[Place | AbstractValue]":
        """Of several visible definitions of one name, those that a file means."""
        return nearest_to(path, self.visible_definitions(tree, path, places))

    def visible_definitions(self, tree: "SourceIndex", path: str, places: "Found") -> "Found":
        """Without definitions that are meant for other builds."""
        return places

    def surrounding_members(self, scope: "CrossFileScope", path: str, name: str) -> "Found":
        """Members of types and packages that a file sees by their bare names."""
        return []

    def shared_definitions(self, tree: "SourceIndex", path: str, places: "Sequence[Place]") -> "Sequence[Place]":
        """Of the definitions of a name that the whole tree shares, those that a file means."""
        return nearest_to(path, places)

    def unbound_name(self, tree: "SourceIndex", path: str, name: str) -> "Found":
        """A name that neither the file nor anything that it sees binds."""
        return []

    def stars(self, scope: "CrossFileScope", path: str) -> Sequence[str]:
        """The modules that a file imports whole."""
        return scope.tree.facts(path).stars

    def star_import(self, scope: "CrossFileScope", path: str, star: str, name: str) -> "Found":
        """A name of a module that is imported whole."""
        return scope.resolve_import(path, star, name)

    def imported_module(self, module: str) -> str:
        """The module that an import names, in the usual spelling."""
        return module

    def is_own_name(self, tree: "SourceIndex", path: str, module: str, name: str) -> bool:
        """Whether an import names a definition of its own file in full."""
        return False

    def is_class_path(self, tree: "SourceIndex", module: str, files: Sequence[str]) -> bool:
        """Whether the path of an import names a type, or a module inside of a file."""
        return False

    def import_by_star(self, scope: "CrossFileScope", path: str, module: str, name: str) -> "Found":
        """An import whose path starts with a name that another import brings, together with all others."""
        return []

    def import_by_inner_star(self, scope: "CrossFileScope", file: str, parts: list[str], name: str) -> "Found":
        """The same, where the path leads through another file."""
        return []

    def imported_extensions(self, scope: "CrossFileScope", package: str, name: str) -> "Found":
        """Extensions of other types that a package offers by a name."""
        return []

    def package_members(self, scope: "CrossFileScope", package: str, name: str) -> "Found":
        """Members of a package that are not bound at the top of a file."""
        return []

    def module_members(self, tree: "SourceIndex", path: str, name: str) -> "Found":
        """A member of a file's module that the file does not bind at its top."""
        return []

    def members_of_top_classes(self, tree: "SourceIndex", path: str, name: str) -> "Found":
        """For `module_members`: what the classes at the top of a file have by a name."""
        tops = [scope for scope, kind in tree.facts(path).kinds.items() if kind in _CLASSES and SCOPE not in scope]
        return [place for scope in tops for place in tree.members(tree.definition_at(path, scope), name)]

    # Types and members

    def ordered_bases(
        self, tree: "Program", one: "AbstractValue", bases: "list[AbstractValue]"
    ) -> "list[AbstractValue]":
        """The bases of a class in the order of lookup."""
        return bases

    def borrowed_interfaces(self, tree: "Program", path: str) -> Iterator[tuple[str, str]]:
        """The ids of interfaces that a file implements for types of other files, each with the implementation's."""
        return iter(())

    def implicit_interfaces(self, tree: "Program", paths: Sequence[str]) -> SharedNames:
        """By type, the interfaces that it implements without saying so, of all files of the language."""
        return {}

    def is_qualified_by_owner(self, tree: "Program", path: str, outer: str) -> bool:
        """Whether the qualifier of an extended type is its owner, and not a module around the extension."""
        return False

    def own_member(
        self, members: "DeclaredMembers", thing: "AbstractValue", one: "AbstractValue", key: "PlainKey"
    ) -> "PointsToSet | None":
        """A member that every object or class has, unless the class has its own."""
        return None

    def order_of_members(
        self, tree: "Program", thing: "AbstractValue", order: "Sequence[AbstractValue]", name: str
    ) -> "Sequence[AbstractValue]":
        """The classes in which a member is looked up."""
        return order

    def parts_with_member(
        self, tree: "Program", thing: "AbstractValue", parts: "Sequence[Part]", name: str
    ) -> "Sequence[Part]":
        """Of the parts of a class that bind a name, those that are meant."""
        return parts

    def added_member(self, members: "DeclaredMembers", one: "AbstractValue", name: str) -> "PointsToSet | None":
        """A member that no class of the tree binds, as the language brings it."""
        return None

    def literal_member(self, members: "DeclaredMembers", box: "AbstractValue", name: str) -> "PointsToSet | None":
        """A member of a container without that key; without an answer, it is a method of containers."""
        known = self.library.container_members
        return members.nothing if known and name not in known else None

    def gives_itself(self, tree: "Program", one: "AbstractValue", name: str) -> bool:
        """Whether a function of a type gives an object of the type, though a trait or the outside declares it."""
        return False

    def has_constructor(self, tree: "Program", one: "AbstractValue", name: str) -> bool:
        """Whether a class has a constructor that may be entered."""
        return True

    def platform_implementations(self, tree: "Program", method: "AbstractValue") -> list[str]:
        """Definitions that implement a declaration, each for a platform."""
        return []

    def definitions_of_prototype(self, tree: "Program", method: "AbstractValue") -> list[str]:
        """The definitions of a function that is only declared here."""
        return []

    # Calls

    @property
    def overload_types(self) -> "OverloadTypes | None":
        """How types tell overloads apart; without that, numbers of parameters do."""
        return None

    def fitting_labels(
        self, tree: "Program", things: "Collection[AbstractValue]", passed: "Typed"
    ) -> "Collection[AbstractValue]":
        """The functions that accept the labels of a call, if parameters have labels."""
        return things

    def fitting_types(
        self, tree: "Program", group: "list[AbstractValue]", passed: "PassedArguments"
    ) -> "list[AbstractValue] | None":
        """Of overloads, those that fit by the types of arguments, if the language compares them in its own way."""
        return None

    def visible_extensions(
        self, tree: "Program", path: str, things: "frozenset[AbstractValue]"
    ) -> "frozenset[AbstractValue]":
        """Without extensions that a file does not see."""
        return things

    def may_be_meant(self, tree: "Program", path: str, file: str, scope: str) -> bool:
        """Whether another file may mean a definition of this language by its name."""
        return True

    def is_global_function(self, name: str) -> bool:
        """Whether a bare name means a function of the language, and not a member of an unknown base class."""
        return False

    def namesakes(self, tree: "Program", path: str, name: str, ids: tuple[str, ...]) -> tuple[str, ...] | None:
        """Of the functions of a name that the whole tree shares, those that a call may mean; none: a standard one."""
        return ids

    def certain_targets(
        self, calling: "Evaluator", methods: Mapping[str, tuple[str, ...]], path: str, call: "CallFact",
        targets: "Targets",
    ) -> "Targets":  # fmt: skip
        """External targets, as far as they are certain."""
        return targets

    def targets_by_name(
        self, calling: "Evaluator", methods: Mapping[str, tuple[str, ...]], path: str, call: "CallFact"
    ) -> "Targets":
        """The functions that a call most likely means by its name alone, if its receiver is unknown or outside."""
        return ()

    def written_call(self, written: str) -> str:
        """A call as people write it."""
        return written

    def targets_outside(self, calling: "Evaluator", path: str, call: "CallFact") -> "Targets":
        """External targets of a call with known values but no other target."""
        return ()


class TextRules(LanguageRules):
    """Prose, data and unknown files: nothing in them is resolved as code."""

    is_declarative = False
    call_operator = "__call__"


@cache
def rules_of(profile: Language | None) -> LanguageRules:
    """The rules of a language; those of text for what is no language of code."""
    if profile is None or not (profile.rules or profile.is_code):
        return TextRules(profile)
    module, _, name = (profile.rules or DEFAULT).partition(":")
    found = getattr(import_module(module), name)(profile)
    assert isinstance(found, LanguageRules)
    return found


def rules_named(language: str) -> LanguageRules:
    """The rules of a language by its name, built in or of a plug-in."""
    return rules_of(language_of_name(language))
