"""Handlers for captures that a query alone cannot evaluate."""

from clew.index.languages import closures, closures_csharp, closures_java, closures_kotlin, closures_swift
from clew.index.languages.rust_patterns import callback_types, pattern_bindings

BINDING = {
    "pattern": pattern_bindings,
    "borrowing": closures.untyped_parameters,
    "borrowing.java": closures_java.untyped_parameters,
    "borrowing.csharp": closures_csharp.untyped_parameters,
    "borrowing.swift": closures_swift.untyped_parameters,
}
PASSING = {
    "passing": callback_types,
    "lending": closures.callback_types,
    "lending.java": closures_java.callback_types,
    "lending.csharp": closures_csharp.callback_types,
    "lending.kotlin": closures_kotlin.callback_types,
    "lending.swift": closures_swift.callback_types,
}
APART = frozenset({*BINDING, *PASSING, "fields"})
