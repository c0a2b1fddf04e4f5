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
from clew.model.code import EXTERNAL, SCOPE, split_id
from clew.store.links import FileLinks, Linked, bare_name
from clew.store.packing import unpack

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
