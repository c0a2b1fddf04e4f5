"""Selects the argument typing of a language."""

from collections.abc import Mapping

from clew.index.extract.argument_types import ArgumentTyping
from clew.index.extract.argument_types_java import JavaTyping
from clew.index.extract.argument_types_kotlin import KotlinTyping
from clew.index.extract.binder import Binder
from clew.index.extract.cpp_signatures import CppSignatures
from clew.index.extract.scope_map import ScopeMap
from clew.index.extract.swift_labels import SwiftLabels
from clew.index.languages.language import Language

NOTED = ("typed", "field", "plain", "local", "optional")  # marks that tell the types of names


def typing_of(
    language: Language, names: Binder, places: ScopeMap, takes: Mapping[str, tuple[str, ...]]
) -> ArgumentTyping | CppSignatures | SwiftLabels:
    if language.name == "cpp":
        return CppSignatures(names, places.by_scope, takes)
    if language.name == "swift":
        return SwiftLabels(takes)
    if language.name == "java":
        return JavaTyping(names)
    return KotlinTyping(names) if language.name == "kotlin" else ArgumentTyping(names)
