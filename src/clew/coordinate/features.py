"""How a feature stands: its tasks, its files, and which of their symbols have tests."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from clew.coordinate.targets import ranges
from clew.graph.edges import edges_to
from clew.graph.elements import Elements
from clew.model.code import split_id, symbol_id
from clew.model.fleet import Claim, ClaimKind, Feature, Task
from clew.model.words import EdgeKind, Kind
from clew.store.changes import Changes
from clew.store.corpus import Corpus
from clew.store.database import Database, Where
from clew.store.files import Files
from clew.store.graph import Nodes
from clew.text.paths import is_test_path

TESTED_KINDS = frozenset({Kind.FUNCTION, Kind.METHOD, Kind.CLASS})
_CODE = (ClaimKind.FILE, ClaimKind.FUNCTION)


@dataclass(frozen=True, slots=True)
class FeatureCoverage:
    """Functions, methods and classes of some files, by whether a test leads to them."""

    files: tuple[str, ...]
    tested: tuple[str, ...]
    untested: tuple[str, ...]

    @property
    def share(self) -> float:
        total = len(self.tested) + len(self.untested)
        return round(len(self.tested) / total, 3) if total else 0.0


def targets_of(feature: Feature, tasks: Sequence[Task], claims: Iterable[Claim]) -> list[str]:
    """The code of a feature: named by it and its tasks, or ever claimed for these."""
    ids = {task.id for task in tasks}
    named = [*feature.files, *(file for task in tasks for file in task.files)]
    claimed = [claim.target for claim in claims if claim.kind in _CODE and claim.task in ids]
    return sorted({*named, *claimed})


def coverage(db: Database, where: Where, corpus: Corpus, targets: Iterable[str]) -> FeatureCoverage:
    """An overload that only declares counts with the implementation beside it."""
    files, nodes, changes = Files(db, where), Nodes(db, where), Changes(db, where)
    elements = Elements(files)
    paths: set[str] = set()
    for target in targets:
        path = split_id(target)[0]
        paths |= {path} if files.known_at(path) else {one for one, _ in changes.inside(*ranges(path)[0])}
    code = sorted(path for path in paths if not is_test_path(path))
    ids = [
        symbol_id(path, scope)
        for path in code
        if (known := files.known_at(path))
        for scope, kind in sorted(nodes.kinds(known.file).items())
        if kind in TESTED_KINDS and elements.whole(symbol_id(path, scope)) == symbol_id(path, scope)
    ]
    tested = [one for one in ids if edges_to(corpus, one, (EdgeKind.TESTS,))]
    return FeatureCoverage(tuple(code), tuple(tested), tuple(one for one in ids if one not in set(tested)))
