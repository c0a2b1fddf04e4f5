"""What classes of Ruby have above them, in the order in which it is asked: what was mixed in last first."""

from clew.index.resolve import sorts
from clew.index.resolve.things import Thing
from clew.index.resolve.written import Written
from clew.model.code import SCOPE

OF_CLASSES = "ClassMethods"  # by custom, what a module adds to the classes themselves that it is mixed into


def mixed(tree: Written, written: list[Thing]) -> list[Thing]:
    """What a class extends or mixes in, as it is written: the class above stands first, and is asked last."""
    return [one for thing in reversed(written) for one in (thing, *_of_classes(tree, thing))]


def _of_classes(tree: Written, module: Thing) -> list[Thing]:
    if module.sort != sorts.CLASS or not tree.family(module.path):
        return []
    parts = tree.binding(module, OF_CLASSES)
    inner = [tree.defined(path, f"{scope}{SCOPE}{OF_CLASSES}") for path, scope in parts]
    return [one for one in inner if one.sort == sorts.CLASS]
