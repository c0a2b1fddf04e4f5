"""How the names of a language are resolved: the rules that hold unless a language has others.

A profile names the class of its rules; `SourceIndex.rules` gives them for a file. Rules of one language lie in its
folder (`languages/*/rules.py`), and a plug-in brings its own in the same way.
"""

from collections.abc import Hashable, Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from clew.index.facts import Facts
from clew.languages.plugins import language_of_name
from clew.languages.profile import Language
from clew.model.code import SCOPE
from clew.model.words import Kind

if TYPE_CHECKING:
    from clew.index.resolve.abstract_values import Found
    from clew.index.resolve.source_index import SourceIndex

DEFAULT = "clew.index.resolve.language_rules:LanguageRules"
Tier = tuple[Hashable, Sequence[str]]  # the key of a group of files, and the files
TAKEN = "taken"  # in the key of a group: what one file includes
_CLASSES = (Kind.CLASS.value, Kind.INTERFACE.value)


class LanguageRules:
    """The default: definitions are found by the names that files bind, imports by the profile's `module_files`.

    `language` and `family` say with which other languages names are shared; a language is alone by default.
    """

    language = ""
    family = ""
    joint = "."  # between a module and a name of it
    is_declarative = True  # names are declared, and not assigned while the file runs, as they are in Python
    modules_by_file = False  # a module's name may mean another file in each file, even in one folder
    reexports = False  # a file offers all that it takes whole from another
    implied_calls = False  # a member that is read may be called by that: `card.bank.open` calls bank
    reads_containers = False  # an element that a container gives may be read without brackets
    overloads = False  # a name may have several definitions, which take different arguments
    inherits_constructors = False
    inherits_types = False  # a type inside of a class goes by its bare name in subclasses
    untyped = False  # a class may count on members that only its subclasses have
    casts = False  # a member that a written type lacks may be of a subclass: `this` of a builder, `T extends Card`
    methods_apart = False  # a method and a field may have one name: the use tells which is meant
    bare_members = False  # members of a class go by their bare names inside of it
    declares_types = False  # a variable may be said to be of a type
    constructors_take_functions = False
    pair_value = ""  # the member of a pair that is its value
    reads_are_fields = False  # what is read by its name alone is no method
    defaults_left_out = False  # parameters with a default may be left out
    inherits_overloads = False  # overloads are inherited one by one
    reopens_classes = False  # one class may be written in many files
    call_operator = "()"  # the member of a class that is called when an object is

    def __init__(self, profile: Language | None) -> None:
        self.profile = profile
        name = profile.name if profile is not None else ""
        self.language = type(self).language or name
        self.family = type(self).family or name

    def visible_files(self, tree: "SourceIndex", path: str) -> Iterator[Tier]:
        """Groups of files whose names a file sees without importing them, the nearest first."""
        return iter(())

    def package_files(self, tree: "SourceIndex", path: str) -> Tier | None:
        """The files of the module that a file is in, where that is more than the file."""
        return None

    def representative_file(self, tree: "SourceIndex", files: Sequence[str]) -> str:
        """The file that stands for a module of several."""
        return files[0]

    def shared_names(self, facts: Facts) -> Iterator[tuple[str, str]]:
        """Names of a file that the whole tree sees, each with its scope."""
        return iter(())

    def unbound_name(self, tree: "SourceIndex", path: str, name: str) -> "Found":
        """A name that neither the file nor anything that it sees binds."""
        return []

    def module_members(self, tree: "SourceIndex", path: str, name: str) -> "Found":
        """A member of a file's module that the file does not bind at its top."""
        return []

    def members_of_top_classes(self, tree: "SourceIndex", path: str, name: str) -> "Found":
        """For `module_members`: what the classes at the top of a file have by a name."""
        tops = [scope for scope, kind in tree.facts(path).kinds.items() if kind in _CLASSES and SCOPE not in scope]
        return [place for scope in tops for place in tree.members(tree.definition_at(path, scope), name)]


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
