"""Compares the visible interface of re-read files: whether it changed, and which names were added."""

from collections.abc import Iterable, Iterator

from clew.index.facts import Facts
from clew.index.facts_cache import unpack_facts
from clew.index.resolve import face, interface
from clew.model.code import SCOPE
from clew.model.errors import StoreCorrupt


class ExportDiff:
    """Compares the exports of files before and after a run; with `by_scope`, scope by scope."""

    def __init__(self, *, by_scope: bool) -> None:
        self.by_scope = by_scope
        self.changed = False
        self.shown = False  # whether more of it changed than what is passed on
        self.names: set[str] = set()  # of definitions that were not there before
        self.altered: dict[str, frozenset[str]] = {}  # by path, the scopes of which something else is known now

    @property
    def needs_more_files(self) -> bool:
        """Whether there is more to find out."""
        return self.by_scope or not self.shown

    def compare(self, path: str, before: Iterable[bytes], after: bytes) -> None:
        """Packed facts of a file; none before, if it is new."""
        if not self.needs_more_files:
            return
        try:
            old = [unpack_facts(one) for one in before if one != after]
        except StoreCorrupt:  # what was there before is lost: anything may have changed
            self.changed, self.shown, old = True, True, []
        others = [one for one in old if interface(one) != interface(unpack_facts(after))]
        self.changed = self.changed or bool(others)
        self.shown = self.shown or any(face(one) != face(unpack_facts(after)) for one in others)
        if self.by_scope:
            new = unpack_facts(after)
            known = {scope for one in old for scope in one.kinds}
            self.names |= {scope.rpartition(SCOPE)[2].partition("#")[0] for scope in new.kinds.keys() - known}
            self.altered[path] = frozenset(scope for one in old for scope in _changed_scopes(one, new))


def _changed_scopes(old: Facts, new: Facts) -> Iterator[str]:
    """Changed scopes that existed before. New ones are left out: no link can lead to them yet."""
    for scope in {"", *old.kinds, *old.names}:
        bound, now = old.names.get(scope, {}), new.names.get(scope, {})
        if _scope_face(old, scope) != _scope_face(new, scope) or any(
            now.get(name) != values for name, values in bound.items()
        ):
            yield scope


def _scope_face(facts: Facts, scope: str) -> tuple[object, ...]:
    tables = (facts.kinds, facts.params, facts.returns, facts.decorators, facts.bases, facts.implements, facts.takes)
    said = tuple(table.get(scope) for table in tables)
    return said if scope else (*said, facts.package, facts.stars, facts.exports, facts.settings)
