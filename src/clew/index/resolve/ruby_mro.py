"""The ancestors of Ruby classes in method resolution order: the last mixed-in module comes first."""

from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.source_index import SourceIndex
from clew.model.code import SCOPE

OF_CLASSES = "ClassMethods"  # by custom, what a module adds to the classes themselves that it is mixed into


def ruby_ancestors(tree: SourceIndex, written: list[AbstractValue]) -> list[AbstractValue]:
    """The written base class and modules of a class: the base class stands first, and comes last."""
    return [one for thing in reversed(written) for one in (thing, *_of_classes(tree, thing))]


def _of_classes(tree: SourceIndex, module: AbstractValue) -> list[AbstractValue]:
    if module.kind != value_kinds.CLASS or not tree.family(module.path):
        return []
    parts = tree.binding_parts(module, OF_CLASSES)
    inner = [tree.definition_at(path, f"{scope}{SCOPE}{OF_CLASSES}") for path, scope in parts]
    return [one for one in inner if one.kind == value_kinds.CLASS]
