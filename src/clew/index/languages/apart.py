"""What is bound, and what is said of functions, by more than a query can tell: by the capture that it goes by."""

from clew.index.languages import callbacks, callbacks_csharp, callbacks_java, callbacks_kotlin, callbacks_swift
from clew.index.languages.rust_patterns import bound_by, passed_by

BINDING = {
    "pattern": bound_by,
    "borrowing": callbacks.lent_to,
    "borrowing.java": callbacks_java.lent_to,
    "borrowing.csharp": callbacks_csharp.lent_to,
    "borrowing.swift": callbacks_swift.lent_to,
}
PASSING = {
    "passing": passed_by,
    "lending": callbacks.passed_by,
    "lending.java": callbacks_java.passed_by,
    "lending.csharp": callbacks_csharp.passed_by,
    "lending.kotlin": callbacks_kotlin.passed_by,
    "lending.swift": callbacks_swift.passed_by,
}
APART = frozenset({*BINDING, *PASSING, "fields"})
