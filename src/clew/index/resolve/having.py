"""Where a class, or the next that it inherits from, has a member: what is bound, and what is only a symbol."""

from collections.abc import Iterable, Sequence

from clew.index.gathering.places import inside
from clew.index.resolve import sorts
from clew.index.resolve.binding import Part
from clew.index.resolve.things import Thing
from clew.index.resolve.tree import Tree


def having(tree: Tree, order: Iterable[Thing], name: str) -> Sequence[Part]:
    """The parts of the nearest of some classes that have it; a constant of PHP is bound to nothing."""
    for upper in order:
        if upper.sort == sorts.CLASS and (found := tree.binding(upper, name) or _symbols(tree, upper, name)):
            return found
    return ()


def _symbols(tree: Tree, one: Thing, name: str) -> list[Part]:
    if not tree.family(one.path):
        return []
    return [(path, scope) for path, scope in tree.parts(one) if inside(scope, name) in tree.facts(path).kinds]
