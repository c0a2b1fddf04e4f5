"""What classes of Ruby have above them, in the order in which it is asked: what was mixed in last first."""

from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.source_index import SourceIndex
from clew.model.code import SCOPE

OF_CLASSES = "ClassMethods"  # by custom, what a module adds to the classes themselves that it is mixed into


def ruby_ancestors(tree: SourceIndex, written: list[AbstractValue]) -> list[AbstractValue]:
    """What a class extends or mixes in, as it is written: the class above stands first, and is asked last."""
    return [one for thing in reversed(written) for one in (thing, *_of_classes(tree, thing))]


def _of_classes(tree: SourceIndex, module: AbstractValue) -> list[AbstractValue]:
    if module.kind != value_kinds.CLASS or not tree.family(module.path):
        return []
    parts = tree.binding_parts(module, OF_CLASSES)
    inner = [tree.definition_at(path, f"{scope}{SCOPE}{OF_CLASSES}") for path, scope in parts]
    return [one for one in inner if one.kind == value_kinds.CLASS]
