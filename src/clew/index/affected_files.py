"""The files affected by a visible change, judged by their previous links.

Relinking all files is exact; until then, affected files are linked together with the changed ones. First come files
with links to deleted symbols; then files with unresolved or external calls of a new name; last files with links to
changed symbols, which may now resolve differently.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import NamedTuple

from msgspec import Raw, Struct

from clew.index.facts import Facts
from clew.index.facts_cache import unpack_facts
from clew.index.resolve import face, interface
from clew.model.code import EXTERNAL, SCOPE, split_id
from clew.model.errors import StoreCorrupt
from clew.store.links import FileLinks, Linked, bare_name
from clew.store.packing import unpack

# Compares the visible interface of re-read files: whether it changed, and which names were added.


MOST_KEPT = 64  # files whose facts are kept to compare their constraints


class ExportDiff:
    """Compares the exports of files before and after a run; with `by_scope`, scope by scope."""

    def __init__(self, *, by_scope: bool) -> None:
        self.by_scope = by_scope
        self.changed = False
        self.shown = False  # whether more of it changed than what is passed on
        self.visible: set[str] = set()  # paths of files of which others may see a change
        self.names: set[str] = set()  # of definitions that were not there before
        self.altered: dict[str, frozenset[str]] = {}  # by path, the scopes of which something else is known now
        self.before: dict[str, Facts] | None = {}  # of files with a changed interface; None if they are too many

    @property
    def needs_more_files(self) -> bool:
        """Whether there is more to find out."""
        return self.by_scope or not self.shown or self.before is not None

    def skip_foreign(self, foreign: bool) -> bool:
        """Facts of a foreign index cannot be read, so they are not compared."""
        if foreign:
            self.shown, self.before = True, None
        return foreign

    def compare(self, path: str, before: Iterable[bytes], after: bytes) -> None:
        """Packed facts of a file; none before, if it is new."""
        if not self.needs_more_files:
            self.visible.update([path] if any(one != after for one in before) else ())
            return
        try:
            old = [unpack_facts(one) for one in before if one != after]
        except StoreCorrupt:  # what was there before is lost: anything may have changed
            self.changed, self.shown, self.before, old = True, True, None, []
            self.visible.add(path)
        others = [one for one in old if interface(one) != interface(unpack_facts(after))]
        self.changed = self.changed or bool(others)
        self._keep(path, others)
        if any(face(one) != face(unpack_facts(after)) for one in others):
            self.shown = True
            self.visible.add(path)
        if self.by_scope:
            new = unpack_facts(after)
            known = {scope for one in old for scope in one.kinds}
            self.names |= {scope.rpartition(SCOPE)[2].partition("#")[0] for scope in new.kinds.keys() - known}
            self.altered[path] = frozenset(scope for one in old for scope in _changed_scopes(one, new))

    def _keep(self, path: str, others: list[Facts]) -> None:
        if others and self.before is not None:
            self.before[path] = others[0]
            if len(self.before) > MOST_KEPT:
                self.before = None


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


LEAD_TO_GONE, WANT_NEW, LEAD_TO_CHANGED = range(3)

_PARTS = re.compile(r"[\w$-]+")
_ENTRIES = frozenset({"__init__", "index", "mod", "lib", "main"})  # files that are called by the name of their folder


class VisibleChange(NamedTuple):
    """The changes of a run: paths that were read, deleted and added; names that were added.

    By path, the scopes with different facts than before.
    """

    read: frozenset[str]
    gone: frozenset[str]
    came: frozenset[str]
    names: frozenset[str]
    altered: Mapping[str, Set[str]]

    @property
    def paths(self) -> frozenset[str]:
        return self.read | self.gone


class _PackedLinks(Struct, array_like=True):
    """The targets and unresolved calls of packed links; the rest is not decoded."""

    scope_names: Raw
    target_names: list[str]
    scopes: Raw
    kinds: Raw
    targets: Raw
    lines: Raw
    evidence: Raw
    confidence: Raw
    loose: list[tuple[Raw, Raw, str, Raw]]


def affected_files(
    held: Iterable[FileLinks], change: VisibleChange, facts: Mapping[str, Facts], most: int
) -> list[int]:
    """The numbers of the files with the most doubtful links; no more than `most`."""
    doubts = _DoubtfulLinks(change, facts)
    found = [(min(some), one.file) for one in held if (some := list(doubts.of(unpack(one.data, _PackedLinks))))]
    return [file for _, file in sorted(found)[:most]]


class _DoubtfulLinks:
    """Nearly all that is looked at has nothing to do with a change, and is told by how it starts or ends."""

    def __init__(self, change: VisibleChange, facts: Mapping[str, Facts]) -> None:
        self._change = change
        self._facts = facts
        self._modules = {name for path in change.came for name in _import_spellings(path)}
        self._starts = (*change.paths, *([EXTERNAL] if self._modules else []))
        self._ends = tuple(change.names)

    def of(self, leads: _PackedLinks) -> Iterator[int]:
        for target in leads.target_names:
            if target.startswith(self._starts):
                yield from self._of_target(*split_id(target))
        for _, _, written, _ in leads.loose if self._ends else ():
            if written.endswith(self._ends) and bare_name(written) in self._change.names:
                yield WANT_NEW

    def _of_target(self, path: str, scope: str) -> Iterator[int]:
        if f"{path}{SCOPE}" == EXTERNAL:
            if any(part in self._modules for part in _PARTS.findall(scope)):
                yield WANT_NEW
        elif path in self._change.gone:
            yield LEAD_TO_GONE
        elif path in self._change.read:
            if scope and scope not in self._facts[path].kinds:
                yield LEAD_TO_GONE
            elif any(one in self._change.altered.get(path, ()) for one in (scope, scope.rpartition(SCOPE)[0])):
                yield LEAD_TO_CHANGED


def _import_spellings(path: str) -> Iterator[str]:
    """The names under which an import may refer to a file."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    yield folder.rpartition("/")[2] if stem in _ENTRIES else stem


def drop_missing_targets(linked: Linked, paths: Set[str], facts: Mapping[str, Facts]) -> Linked:
    """Links without those to deleted targets: a summary from before the change may still contain these."""
    edges = tuple(one for one in linked.edges if _is_there(*split_id(one.target), paths, facts))
    return linked if len(edges) == len(linked.edges) else Linked(edges, linked.loose)


def _is_there(path: str, scope: str, paths: Set[str], facts: Mapping[str, Facts]) -> bool:
    if path not in paths:
        return f"{path}{SCOPE}" == EXTERNAL
    return not scope or scope in facts[path].kinds
