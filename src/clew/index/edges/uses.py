"""USES: a definition refers to a symbol without calling it. One edge for each, at the line where it is first named."""

from collections.abc import Iterator

from clew.index.edges.symbols import Symbols
from clew.index.facts import Facts
from clew.model.code import SCOPE, split_id, symbol_id
from clew.model.words import EdgeKind, EvidenceKind
from clew.store.links import Shown

CERTAIN = 1.0
LIKELY = 0.9  # where the reader does not see everything that may hide a name
_SEES_ALL = frozenset({"python"})


def uses(path: str, language: str, facts: Facts, symbols: Symbols, known: set[tuple[str, str]]) -> Iterator[Shown]:
    """`known` are the pairs of scope and target that something stronger holds together: a call, inheritance."""
    sure = CERTAIN if language in _SEES_ALL else LIKELY
    for scope, names in facts.uses.items():
        own, first = symbol_id(path, scope), dict[str, int]()
        for chain, line in names.items():
            for target in symbols.meant(path, scope, chain):
                if (scope, target) not in known and not _is_within(own, target):
                    first[target] = min(first.get(target, line), line)
        for target, line in first.items():
            yield Shown(scope, EdgeKind.USES, target, line, EvidenceKind.IDENTIFIER, sure)


def _is_within(own: str, target: str) -> bool:
    """Whether one is a part of the other, or they are the same; methods may stand in another file than their class."""
    scope, holder = split_id(own)[1], split_id(target)[1]
    return target == own or target.startswith(f"{own}{SCOPE}") or scope.startswith(f"{holder}{SCOPE}")
