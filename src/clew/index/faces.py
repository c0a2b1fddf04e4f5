"""What of the files that a run read again others can see: whether that changed, and what came with it."""

from collections.abc import Iterable, Iterator

from clew.index.facts import Facts
from clew.index.resolve import face, interface
from clew.index.shelf import opened
from clew.model.code import SCOPE
from clew.model.errors import StoreCorrupt


class Faces:
    """`closely` if not only whether something changed is wanted, but what."""

    def __init__(self, *, closely: bool) -> None:
        self.closely = closely
        self.changed = False
        self.shown = False  # whether more of it changed than what is passed on
        self.names: set[str] = set()  # of definitions that were not there before
        self.altered: dict[str, frozenset[str]] = {}  # by path, the scopes of which something else is known now

    @property
    def wanting(self) -> bool:
        """Whether there is more to find out."""
        return self.closely or not self.shown

    def compare(self, path: str, before: Iterable[bytes], after: bytes) -> None:
        """Packed facts of a file; none before, if it is new."""
        if not self.wanting:
            return
        try:
            old = [opened(one) for one in before if one != after]
        except StoreCorrupt:  # what was there before is lost: anything may have changed
            self.changed, self.shown, old = True, True, []
        others = [one for one in old if interface(one) != interface(opened(after))]
        self.changed = self.changed or bool(others)
        self.shown = self.shown or any(face(one) != face(opened(after)) for one in others)
        if self.closely:
            new = opened(after)
            known = {scope for one in old for scope in one.kinds}
            self.names |= {scope.rpartition(SCOPE)[2].partition("#")[0] for scope in new.kinds.keys() - known}
            self.altered[path] = frozenset(scope for one in old for scope in _altered(one, new))


def _altered(old: Facts, new: Facts) -> Iterator[str]:
    """Scopes that were there before. What only came is none of it: nobody can have led there."""
    for scope in {"", *old.kinds, *old.names}:
        bound, now = old.names.get(scope, {}), new.names.get(scope, {})
        if _told(old, scope) != _told(new, scope) or any(now.get(name) != values for name, values in bound.items()):
            yield scope


def _told(facts: Facts, scope: str) -> tuple[object, ...]:
    tables = (facts.kinds, facts.params, facts.returns, facts.decorators, facts.bases, facts.implements, facts.takes)
    said = tuple(table.get(scope) for table in tables)
    return said if scope else (*said, facts.package, facts.stars, facts.exports, facts.settings)
